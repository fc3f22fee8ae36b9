"""Uses pages in a browser: sorts, drills, keys, policy, network, narrow and dark screens."""

import os
import sys

from browser import Browser

chromium, home, pictures = sys.argv[1:4]
browser = Browser(chromium)
SHOWN = "[...document.querySelectorAll('.view')].filter(view => !view.hidden).map(view => view.id).join()"


def same(found, expected, what):
    assert found == expected, f"{what}: {found!r}, not {expected!r}"


def shows(view):
    browser.until(f"{SHOWN} === 'view-{view}'")


def picture(name):
    if pictures:
        os.makedirs(pictures, exist_ok=True)
        browser.picture(os.path.join(pictures, name + ".png"))


def column(table, index):
    """The numbers of a column that are there, in the order of the rows."""
    return browser.run(
        "[...document.querySelectorAll(arguments[0] + ' tbody tr')].filter(row => !row.hidden && row.cells[arguments[1]])"
        ".map(row => row.cells[arguments[1]].dataset.v ?? row.cells[arguments[1]].textContent)"
        ".filter(text => text && text !== '–' && !text.startsWith('n/a')).map(Number)", table, index)


def sorts():
    grid = "#grid-auroc .grid"
    before = column(grid, 1)
    assert len(before) > 3 and before != sorted(before, reverse=True), "nothing to sort"
    head = grid + " thead tr:last-child th:nth-child(2)"
    for direction, expected in [("descending", sorted(before, reverse=True)), ("ascending", sorted(before)),
                                ("none", before)]:
        browser.click(head + " button")
        same(browser.run("document.querySelector(arguments[0]).ariaSort", head), direction, "aria-sort")
        same(column(grid, 1), expected, direction)
    browser.run("location.hash = '#/tables/baselines'")
    shows("tables")
    table = "#table-baselines"
    head = browser.run("[...document.querySelectorAll('#table-baselines th')].findIndex(th => th.textContent === 'auroc')")
    before = column(table, head)
    browser.run("document.querySelectorAll('#table-baselines th button')[arguments[0]].focus()", head)
    browser.keys("Enter")
    same(column(table, head), sorted(before, reverse=True), "a table by its key")
    same(browser.run("document.querySelectorAll('.one:not([hidden])').length"), 1, "tables that are shown")
    picture("table")


def drills():
    browser.run("location.hash = '#/grid'")
    shows("grid")
    browser.point_at("#grid-auroc td a")
    tip = browser.until("document.querySelector('#tip').hidden ? '' : document.querySelector('#tip').textContent")
    assert "AUROC" in tip and "[" in tip and "solved" in tip, tip
    picture("grid")
    browser.click("#grid-auroc td a")
    shows("tasks")
    ranks = column("#tasks-table", 2)
    same(ranks, sorted(ranks), "tasks by rank")
    assert len(ranks) > 3
    picture("tasks")
    browser.click("#tasks-table tbody a")
    shows("pair")
    same(browser.run("document.querySelectorAll('#pair-body .pane').length"), 2, "runs")
    assert browser.run("document.querySelectorAll('#pair-body pre b').length") > 0, "no token is coloured"
    assert browser.run("document.querySelectorAll('#pair-body .row.first').length") == 1
    picture("pair")
    browser.run("history.back()")
    shows("tasks")
    browser.run("history.back()")
    shows("grid")


def keyboard():
    browser.run("location.hash = '#/grid'")
    shows("grid")
    browser.run("document.activeElement.blur()")
    active = "document.activeElement.getAttribute('href')"
    while not (browser.run(active) or "").startswith("#/cell/"):
        browser.keys("Tab")
    first = browser.run(active)
    browser.keys("Right")
    second = browser.run(active)
    assert first != second and second.startswith("#/cell/1/"), (first, second)
    assert not browser.run("document.querySelector('#tip').hidden"), "no tooltip for the keyboard"
    browser.keys("Down", "Left")
    same(browser.run(active).split("/")[2], "0", "the cell after ↓ ←")
    browser.keys("Enter")
    shows("tasks")
    browser.keys("Down")
    assert browser.run(active).startswith("#/pair/"), browser.run(active)
    browser.keys("Enter")
    shows("pair")
    browser.keys("d")
    same(browser.run("document.activeElement.matches('.row.first')"), True, "d")
    browser.keys("Right")
    same(browser.run("document.activeElement.matches('pre b')"), True, "→ to a token")
    assert "." in browser.run("document.querySelector('#tip').textContent")
    picture("token")
    browser.keys("]")
    key = browser.run("location.hash")
    browser.keys("L")
    browser.until(f"location.hash !== '{key}' && document.querySelector('#tip').hidden")
    browser.keys("Escape")
    shows("tasks")
    browser.keys("Escape")
    shows("grid")
    browser.keys("2")
    shows("tables")
    browser.keys("/")
    same(browser.run("document.activeElement.id"), "search", "/")
    browser.keys(*"zzzz")
    assert browser.run("document.querySelector('#found').textContent").startswith("0 of "), "search"
    browser.keys("Escape")
    same(browser.run("document.querySelector('#found').textContent"), "", "search")


def screens():
    views = ["#/grid", "#/cell/0/0", "#/tables", "#/figures", "#/disagreements", "#/about"]
    pair = browser.run("document.querySelector('template').id.slice(5)")
    for width, dark in [(1280, False), (390, False), (390, True), (1280, True)]:
        browser.screen(width, 900, dark)
        for view in [*views, "#/pair/" + pair]:
            browser.run("location.hash = arguments[0]", view)
            shows({"cell": "tasks"}.get(view.split("/")[1], view.split("/")[1]))
            wide = browser.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            same(wide, 0, f"{view} scrolls sideways at {width} px")
            name = view.split("/")[1]
            picture(f"{name}-{width}{'-dark' if dark else ''}")
        light = sum(int(part) for part in browser.run(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3)"))
        assert (light < 200) == dark, f"the ground of dark={dark} is {light}"
        assert browser.run("parseFloat(getComputedStyle(document.querySelector('main p')).fontSize)") >= 13
    browser.screen(1280, 900)


def quiet(path):
    """Nothing was asked for but the page, nothing was refused, and no text ran."""
    asked = [url for url in browser.requests() if url not in ("about:blank", "file://" + path)]
    asked = [url for url in asked if not url.startswith("data:")]
    same(asked, [], "requests")
    same(browser.run("window.refused"), [], "refused by the policy")
    same(browser.run("window.ran ?? null"), None, "text that ran")
    same(browser.complaints(), [], "complaints in the console")


try:
    browser.screen(1280, 900)
    demo = os.path.join(home, "demo.html")
    browser.open(demo)
    shows("grid")
    same(browser.run("document.title"), "Demo <b>page</b>", "title")
    sorts()
    drills()
    keyboard()
    browser.run("location.hash = '#/disagreements'")
    shows("disagreements")
    browser.click("#view-disagreements tbody a")
    shows("pair")
    browser.keys("Escape")
    shows("disagreements")
    screens()
    quiet(demo)

    hostile = os.path.join(home, "hostile.html")
    browser.open(hostile)
    for template in browser.run("[...document.querySelectorAll('template')].map(found => found.id.slice(5))"):
        browser.run("location.hash = '#/pair/' + arguments[0]", template)
        shows("pair")
        browser.run("document.querySelectorAll('#pair-body details').forEach(found => found.open = true)")
        assert browser.run("document.querySelector('#pair-body').textContent.includes('onerror=')")
        same(browser.run("document.querySelectorAll('#pair-body img, #pair-body script, #pair-body iframe, "
                         "#pair-body a').length"), 0, "elements of a transcript")
    for view in ["#/grid", "#/cell/0/0", "#/tables", "#/figures", "#/about"]:
        browser.run("location.hash = arguments[0]", view)
        browser.run("document.querySelectorAll('.view:not([hidden]) [data-tip]').forEach(found => "
                    "found.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})))")
    quiet(hostile)
    # A script that the page does not know is refused: the policy is alive.
    browser.run("(document.body.append(Object.assign(document.createElement('script'), "
                "{textContent: 'window.ran = 9'})), 0)")
    same(browser.run("window.ran ?? null"), None, "a new script")
    assert browser.run("window.refused.length") == 1, "the policy refuses nothing"
finally:
    browser.close()
