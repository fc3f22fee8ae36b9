"use strict";
// Sorts, filters and opens what the page holds. Every number was computed before.
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const data = JSON.parse(one("#data").textContent);
  const views = ["grid", "tables", "figures", "disagreements", "about"].filter((name) => one("#view-" + name));
  const title = document.title;
  let route = [];

  // ---- where we are: #/grid, #/cell/3/12, #/pair/3-17-0-2, #/tables/judges

  const parts = () => location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const parent = () => {
    const [view, first] = route;
    if (view === "pair") return backTo ?? "#/cell/" + first.split("-")[0] + "/" + data.scorer;
    return view === "grid" ? null : "#/grid";
  };
  // Where a comparison was opened from.
  let backTo = null;

  function show() {
    const next = parts();
    const before = route;
    route = next[0] ? next : ["grid"];
    hideTip();
    let [view, first, second] = route;
    const opened = { cell: "tasks", pair: "pair" }[view] ?? view;
    if (view === "cell" && !showTasks(Number(first), second)) view = "grid";
    if (view === "pair") {
      if (before[0] === "cell" || before[0] === "disagreements") backTo = "#/" + before.join("/");
      if (!showPair(first)) view = "grid";
    }
    const name = one("#view-" + opened) && view !== "grid" ? opened : "grid";
    if (name === "grid" && view !== "grid") route = ["grid"];
    for (const section of all(".view")) section.hidden = section.id !== "view-" + name;
    for (const link of all("nav a")) current(link, link.hash === "#/" + (name === "tasks" || name === "pair" ? "grid" : name));
    pick("grid", ".metric", "#grid-");
    pick("tables", ".one", "#table-");
    const head = one("#head-" + name);
    document.title = name === "grid" ? title : head.textContent + " · " + title;
    one("#search").value = "";
    search();
    // The first view of all leaves the focus at the beginning of the page.
    if (before.length) {
      head.focus({ preventScroll: true });
      if (before.join("/") !== route.join("/")) scrollTo(0, 0);
    }
  }

  const current = (link, is) => (is ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current"));

  // Of several tables, or grids of several metrics, one is shown.
  function pick(view, parts, prefix) {
    const found = all("#view-" + view + " " + parts);
    const wanted = route[0] === view && route[1] ? one(prefix + CSS.escape(route[1])) : null;
    const shown = wanted ?? found.find((part) => !part.hidden) ?? found[0];
    for (const part of found) part.hidden = part !== shown;
    for (const link of all("#view-" + view + " > .chips a")) {
      current(link, shown && prefix + link.hash.split("/")[2] === "#" + shown.id);
    }
  }

  // ---- tasks of a cell

  const TASK = 0, SUCCESS = 1, SOLVED = 2, DRAWS = 3, TURNS = 4, CALLS = 5, ENDED = 6, PAIRS = 7;
  let listed = null;

  function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function number(value) {
    if (value === null || value === undefined) return "–";
    if (Number.isInteger(value) && Math.abs(value) > 1) return String(value);
    return value !== 0 && Math.abs(value) < 0.0005 ? value.toExponential(1) : value.toFixed(3);
  }

  function showTasks(index, scorer) {
    const cell = data.cells[index];
    if (!cell) return false;
    const wanted = scorer in cell.scores ? scorer : Object.keys(cell.scores)[0];
    const select = one("#tasks-scorer");
    if (listed !== index) {
      select.replaceChildren(...Object.keys(cell.scores).map((key) => {
        const option = element("option", data.scorers[key]);
        option.value = key;
        return option;
      }));
    }
    listed = index;
    select.value = wanted ?? "";
    route[2] = wanted;
    one("#tasks-path").textContent = cell.name;
    one("#head-tasks").textContent = "Tasks of " + cell.name;
    const known = cell.tasks.filter((task) => task[SUCCESS] !== null);
    const solved = known.filter((task) => task[SUCCESS]).length;
    const open = cell.tasks.filter((task) => task[PAIRS].length).length;
    one("#tasks-note").textContent = `${cell.tasks.length} tasks, ${solved} of ${known.length} solved; the runs of ${open} are in this page.`;
    const [scores, ranks] = cell.scores[wanted] ?? [[], []];
    const rows = cell.tasks.map((task, position) => taskRow(task, scores[position], ranks[position]));
    const table = one("#tasks-table");
    one("tbody", table).replaceChildren(...rows);
    originals.delete(table);
    const sorted = all("thead th", table).findIndex((head) => head.ariaSort !== "none");
    sort(table, Math.max(sorted, 0), sorted < 0 ? "ascending" : all("thead th", table)[sorted].ariaSort);
    return true;
  }

  function taskRow(task, score, rank) {
    const row = element("tr");
    row.dataset.outcome = task[SUCCESS] ?? "-";
    row.dataset.open = task[PAIRS].length;
    const name = element("td");
    if (task[PAIRS].length) {
      const link = element("a", task[TASK]);
      link.href = "#/pair/" + task[PAIRS][0];
      name.append(link);
    } else {
      name.textContent = task[TASK];
    }
    const outcome = { 1: ["✓ solved", "solved"], 0: ["✗ failed", "failed"] }[task[SUCCESS]] ?? ["not graded", "dim"];
    const count = (value) => numeric(value, value === null ? "–" : String(value));
    row.append(
      name,
      element("td", ...outcome),
      count(rank ?? null),
      numeric(score, number(score)),
      count(task[SOLVED]), count(task[DRAWS]), count(task[TURNS]), count(task[CALLS]),
      element("td", data.ended[task[ENDED]] ?? "–"),
    );
    return row;
  }

  function numeric(value, text) {
    const cell = element("td", text, "n");
    cell.dataset.v = value ?? "";
    return cell;
  }

  // ---- runs side by side

  function taskOf(key) {
    const [cell] = key.split("-").map(Number);
    const task = data.cells[cell]?.tasks.find((other) => other[PAIRS].includes(key));
    return { cell, task };
  }

  function showPair(key) {
    const template = document.getElementById("pair-" + key);
    const body = one("#pair-body");
    if (!template || template.tagName !== "TEMPLATE") return false;
    const { cell, task } = taskOf(key);
    body.replaceChildren(template.content.cloneNode(true));
    for (const row of all(".row", body)) row.tabIndex = -1;
    for (const token of all("pre b", body)) token.tabIndex = -1;
    const name = task?.[TASK] ?? "";
    const link = one("#pair-cell");
    link.textContent = data.cells[cell]?.name ?? "";
    link.href = "#/cell/" + cell + "/" + data.scorer;
    one("#pair-path").textContent = "task " + name;
    one("#head-pair").textContent = "Task " + name;
    const links = [];
    const pairs = task?.[PAIRS] ?? [];
    for (const other of pairs.length > 1 ? pairs : []) {
      const draws = other.split("-").slice(2).join(" – ");
      const chip = element("a", "draws " + draws);
      chip.href = "#/pair/" + other;
      current(chip, other === key);
      links.push(chip);
    }
    for (const [step, label] of [[-1, "‹ previous task"], [1, "next task ›"]]) {
      const other = neighbour(key, step);
      if (!other) continue;
      const chip = element("a", label);
      chip.href = "#/pair/" + other;
      links.push(chip);
    }
    one("#pair-more").replaceChildren(...links);
    return true;
  }

  // The comparison of the next task that has one.
  function neighbour(key, step) {
    const { cell, task } = taskOf(key);
    if (!task) return null;
    const open = data.cells[cell].tasks.filter((other) => other[PAIRS].length);
    return open[open.indexOf(task) + step]?.[PAIRS][0] ?? null;
  }

  // ---- sorting

  const originals = new WeakMap();
  const collator = new Intl.Collator(undefined, { numeric: true });

  function value(row, column) {
    const cell = row.cells[column];
    const text = cell?.dataset.v ?? cell?.textContent ?? "";
    const exact = text.trim() === "" ? NaN : Number(text.replaceAll(",", "").replace(/%$/, ""));
    return { text, exact, missing: text === "" || text === "–" || text.startsWith("n/a") };
  }

  function sort(table, column, direction) {
    const body = one("tbody", table);
    if (!originals.has(table)) originals.set(table, [...body.rows]);
    const rows = [...originals.get(table)];
    const heads = all("thead tr:last-child th", table);
    heads.forEach((head, index) => head.setAttribute("aria-sort", index === column ? direction : "none"));
    table.classList.toggle("sorted", direction !== "none");
    if (direction !== "none") {
      const sign = direction === "ascending" ? 1 : -1;
      const keyed = rows.map((row) => [row, value(row, column)]);
      keyed.sort(([, a], [, b]) => {
        if (a.missing || b.missing) return a.missing - b.missing;
        const numbers = !Number.isNaN(a.exact) && !Number.isNaN(b.exact);
        return sign * (numbers ? a.exact - b.exact : collator.compare(a.text, b.text));
      });
      body.replaceChildren(...keyed.map(([row]) => row));
    } else {
      body.replaceChildren(...rows);
    }
  }

  function sortBy(head) {
    const table = head.closest("table");
    const column = head.cellIndex;
    // Numbers are looked at from the largest, words from the first.
    const order = table.matches(".grid") && column > 0 || head.matches(".n") ? ["descending", "ascending"] : ["ascending", "descending"];
    const before = head.getAttribute("aria-sort");
    const next = before === "none" ? order[0] : before === order[0] ? order[1] : "none";
    sort(table, column, next);
  }

  // ---- searching

  function search() {
    const words = one("#search").value.trim().toLowerCase();
    const view = all(".view").find((section) => !section.hidden);
    const outcome = one("#tasks-outcome").value;
    const open = one("#tasks-open").checked;
    const rows = all("tbody tr, #pair-body > .row", view).filter((row) => !row.closest(".metric[hidden], .one[hidden]"));
    let shown = 0;
    for (const row of rows) {
      const listed = row.closest("#tasks-table");
      const fits = (!words || row.textContent.toLowerCase().includes(words)) &&
        (!listed || ((!outcome || row.dataset.outcome === outcome) && (!open || row.dataset.open !== "0")));
      row.hidden = !fits;
      shown += fits;
    }
    const narrowed = words || (view?.id === "view-tasks" && (outcome || open));
    one("#found").textContent = narrowed ? `${shown} of ${rows.length} rows` : "";
  }

  // ---- tooltips

  const tip = one("#tip");
  const tipped = (target) => target.closest?.("[data-tip], .grid td a");

  function showTip(target) {
    tip.textContent = target.dataset.tip ?? target.getAttribute("aria-label");
    tip.hidden = false;
    const box = target.getBoundingClientRect();
    const left = Math.min(Math.max(box.left, 8), innerWidth - tip.offsetWidth - 8);
    const below = box.bottom + 6;
    const top = below + tip.offsetHeight > innerHeight ? box.top - tip.offsetHeight - 6 : below;
    tip.style.left = Math.max(left, 4) + "px";
    tip.style.top = Math.max(top, 4) + "px";
  }

  function hideTip() {
    tip.hidden = true;
  }

  for (const event of ["mouseover", "focusin"]) {
    document.addEventListener(event, ({ target }) => {
      const found = tipped(target);
      if (found && (event === "mouseover" || found.matches(":focus-visible"))) showTip(found);
      else hideTip();
    });
  }
  document.addEventListener("scroll", hideTip, true);

  // ---- keys

  const visible = (found) => found.offsetParent !== null;

  function focusOn(found) {
    if (!found) return false;
    found.focus({ preventScroll: true });
    found.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (tipped(found) === found) showTip(found);
    return true;
  }

  // Only one link of the grid is reached by Tab: the last one that had the focus.
  function rove(grid, link) {
    for (const other of all("td a[tabindex='0']", grid)) other.tabIndex = -1;
    link.tabIndex = 0;
  }

  for (const grid of all(".grid")) {
    const links = all("td a", grid);
    for (const link of links) link.tabIndex = -1;
    if (links[0]) links[0].tabIndex = 0;
    grid.addEventListener("focusin", ({ target }) => target.matches("td a") && rove(grid, target));
  }

  function moveInGrid(link, key) {
    const cell = link.closest("td");
    const [across, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    const rows = all("tbody tr", link.closest("table")).filter((row) => !row.hidden && !row.matches(".family"));
    let [row, column] = [rows.indexOf(cell.parentElement), cell.cellIndex];
    // Gaps are skipped.
    for (;;) {
      row += down;
      column += across;
      const next = rows[row]?.cells[column];
      if (!next || column < 1) return false;
      const found = one("a", next);
      if (found) return focusOn(found);
    }
  }

  function moveInList(from, step) {
    const table = from?.closest("table") ?? all(".view:not([hidden]) table.data").find(visible);
    const links = table ? all("tbody a", table).filter(visible) : [];
    if (!links.length) return false;
    const index = links.indexOf(from);
    return focusOn(index < 0 ? links[step > 0 ? 0 : links.length - 1] : links[index + step]);
  }

  // The next of some elements after, or before, where the focus is or the screen begins.
  function moveTo(found, step) {
    const active = document.activeElement;
    const order = (other) => active.compareDocumentPosition(other) & (step > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING);
    const near = found.filter((other) => other !== active && visible(other) && order(other));
    return focusOn(step > 0 ? near[0] : near.at(-1));
  }

  function onKey(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (key === "Escape") {
      if (!tip.hidden) return hideTip(), true;
      if (target.id === "search") {
        if (target.value) {
          target.value = "";
          search();
        } else {
          one(".view:not([hidden]) h2").focus();
        }
        return true;
      }
      const up = parent();
      if (up) location.hash = up;
      return Boolean(up);
    }
    if (target.matches("input, select, textarea")) {
      return target.id === "search" && key === "ArrowDown" && (moveInList(null, 1) || focusOn(all(".grid td a").find(visible)));
    }
    if (key === "/") return one("#search").focus(), true;
    if (/^[1-9]$/.test(key) && views[key - 1]) return (location.hash = "#/" + views[key - 1]), true;
    const inGrid = target.closest?.(".grid td a");
    if (/^Arrow/.test(key) && inGrid) return moveInGrid(inGrid, key);
    const pair = !one("#view-pair").hidden;
    const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1, "]": 1, "[": -1, L: 1, H: -1 }[key];
    if (pair) {
      const body = one("#pair-body");
      if (key === "ArrowRight" || key === "ArrowLeft") return moveTo(all("pre b", body), step);
      if (key === "]" || key === "[") return moveTo(all(".part.weakest", body).map((part) => part.closest(".row")), step);
      if (key === "d") return focusOn(one(".row.first", body));
      if (key === "H" || key === "L") {
        const other = neighbour(route[1], step);
        if (other) location.hash = "#/pair/" + other;
        return Boolean(other);
      }
      return false;
    }
    if (key === "ArrowDown" || key === "ArrowUp") {
      const listed = target.closest?.("table.data") || target.matches("h2, body");
      return Boolean(listed) && moveInList(target.closest?.("tbody a"), step);
    }
    return false;
  }

  document.addEventListener("keydown", (event) => onKey(event) && event.preventDefault());
  document.addEventListener("click", ({ target }) => {
    const head = target.closest("th[aria-sort]");
    if (head && target.closest("button")) sortBy(head);
  });
  one("#search").addEventListener("input", search);
  one("#tasks-outcome").addEventListener("change", search);
  one("#tasks-open").addEventListener("change", search);
  one("#tasks-scorer").addEventListener("change", ({ target }) => (location.hash = `#/cell/${listed}/${target.value}`));
  for (const box of all(".intervals")) {
    box.addEventListener("change", () => one(".grid", box.closest(".metric")).classList.toggle("wide", box.checked));
  }
  addEventListener("hashchange", show);
  show();
})();
