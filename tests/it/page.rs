//! `qualm html`: what is in the page, what cannot get out of it, and what is said of it.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use qualm::store::Ruling;
use ring::digest::{SHA256, digest};

use crate::hostile::assert_safe;
use crate::support::{Draw, add_vote, data, demo, home, made, rows, run, text, verdict, vote};

/// Writes a page and returns it with what was said on standard output.
fn page(home: &Path, args: &[&str]) -> (String, String) {
    let _ = fs::remove_file(home.join("page.html"));
    let out = run(home, &[&["html"], args, &["-o", "page.html"]].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    (fs::read_to_string(home.join("page.html")).expect("a page"), text(&out.stdout))
}

/// The sentence with which a page is refused; nothing is written.
fn refused(home: &Path, args: &[&str]) -> String {
    let out = run(home, &[&["html"], args].concat());
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stdout));
    assert!(!home.join("new.html").exists());
    let said = text(&out.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

/// The text between two marks.
fn between<'p>(page: &'p str, start: &str, end: &str) -> &'p str {
    let from = page.find(start).unwrap_or_else(|| panic!("no {start}")) + start.len();
    let length = page[from..].find(end).unwrap_or_else(|| panic!("no {end}"));
    &page[from..from + length]
}

/// The keys of the comparisons in a page.
fn compared(page: &str) -> Vec<&str> {
    let starts = page.match_indices("<template id=\"pair-");
    starts.map(|(at, _)| between(&page[at..], "id=\"pair-", "\"")).collect()
}

#[test]
fn the_policy_lets_only_this_style_and_this_script_in() {
    let home = home();
    demo(home.path(), 3);
    let (page, _) = page(home.path(), &["demo.qualm", "--resamples", "10", "--dataset", "airline"]);
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\">");
    let policy = policy.replace("&#39;", "'");
    let hash = |text: &str| BASE64_STANDARD.encode(digest(&SHA256, text.as_bytes()));
    let style = hash(between(&page, "<style>", "</style>"));
    let script = hash(between(&page, "<script>", "</script>"));
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; \
             img-src data:; base-uri 'none'; form-action 'none'"
        )
    );
    // One script that runs, and one that is data.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("<style").count(), 1);
    let markup = page.replace(between(&page, "<script>", "</script>"), "");
    for forbidden in
        [" style=", " onclick=", " src=", "<link", "<iframe", "<img", "@import", "url("]
    {
        assert!(!markup.contains(forbidden), "{forbidden}");
    }
    let links = markup.match_indices("href=\"").map(|(at, start)| &markup[at + start.len()..][..2]);
    assert!(links.into_iter().all(|link| link == "#/"), "a link leads out of the page");
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("\"//"));
}

#[test]
fn the_grid_has_the_numbers_of_the_report() {
    let home = home();
    let store = demo(home.path(), 6);
    let metrics =
        ["--metric", "auroc", "--metric", "prr", "--dataset", "airline", "--resamples", "20"];
    let (page, _) = page(home.path(), &[&["demo.qualm"], &metrics[..]].concat());
    for metric in ["auroc", "prr"] {
        let grid = between(&page, &format!("id=\"grid-{metric}\""), "</table>");
        let numbers = rows(
            home.path(),
            store.path(),
            &["--metric", metric, "--dataset", "airline", "--resamples", "20"],
        );
        let values = numbers.iter().filter_map(|row| row["value"].as_f64());
        let values: Vec<String> = values.map(|value| format!("data-v=\"{value:.6}\"")).collect();
        assert!(values.len() > 50 && values.iter().all(|value| grid.contains(value)));
        assert_eq!(grid.matches("data-v=").count(), values.len());
        // With one task of an outcome, resampling tells nothing, and the page has no interval.
        let is_told =
            |row: &&serde_json::Value| row["lo"].is_number() && row["minority"].as_u64() > Some(1);
        let first = numbers.iter().find(is_told).expect("an interval");
        let [lo, hi] = ["lo", "hi"].map(|end| first[end].as_f64().expect("a number"));
        assert!(grid.contains(&format!("[{lo:.3}, {hi:.3}]")), "the tooltip has the interval");
    }
    let daggers = rows(home.path(), store.path(), &["--dataset", "airline"]);
    let daggers = daggers.iter().filter(|row| row["flagged"] == true).count();
    let grid = between(&page, "id=\"grid-auroc\"", "</table>");
    assert_eq!(grid.matches("<sup>†</sup>").count(), daggers);
}

#[test]
fn hostile_results_stay_text() {
    let attack = "</script></template></style><script>alert(1)</script><img src=x onerror=alert(2)>\
                  \" onclick=\"alert(3)\" ' <!-- \u{2028}\u{202e}\u{1b}[31m &amp; {{7*7}}";
    let home = home();
    let json = fs::read_to_string(data("tau2.json")).expect("text");
    let mut value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    poison(&mut value, attack);
    fs::write(home.path().join("x.json"), value.to_string()).expect("written");
    let title = format!("A {attack}");
    let (page, said) = page(home.path(), &["x.json", "--title", &title]);
    assert!(!compared(&page).is_empty(), "{said}");
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(page.matches("<template").count(), page.matches("</template").count());
    assert!(
        !page.contains("<img") && !page.contains(" onerror=alert(2)>") && !page.contains("<!--")
    );
    let data = between(&page, "type=\"application/json\" id=\"data\">", "</script>");
    assert!(!page.replace(data, "").contains("\" onclick"), "an attribute was left");
    assert!(page.contains("&#60;img src=x onerror=alert(2)&#62;"), "and yet it is shown");
    assert_safe(&page.replace(between(&page, "<script>", "</script>"), ""));
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    assert!(data["cells"][0]["name"].as_str().expect("a name").contains("<img src=x"));
}

/// Adds words to every text that is shown.
fn poison(value: &mut serde_json::Value, words: &str) {
    match value {
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| poison(item, words)),
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    serde_json::Value::String(text)
                        if ["content", "name", "llm", "domain_name", "termination_reason"]
                            .contains(&key.as_str()) =>
                    {
                        text.push_str(words);
                    }
                    serde_json::Value::Object(arguments) if key == "arguments" => {
                        arguments.insert("note".to_owned(), words.into());
                    }
                    other => poison(other, words),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn a_filter_says_whose_runs_go_in_and_the_size_is_stated() {
    let home = home();
    let store = demo(home.path(), 3);
    let model = ["--model", "gpt-oss-20b", "--disagreements", "0", "--resamples", "10"];
    let of_model = |more: &[&str]| page(home.path(), &[&["demo.qualm"], &model[..], more].concat());
    let (whole, said) = of_model(&[]);
    assert!(said.starts_with("page.html: ") && said.contains(": 4 cells, "), "{said}");
    assert!(
        said.contains(" scorers, 12 tasks, ") && said.contains(" of 12 of 12 tasks, "),
        "{said}"
    );
    let (size, unit) = between(&said, ": ", ": ").split_once(' ').expect("a size");
    let bytes = size.parse::<f64>().expect("a number") * if unit == "MB" { 1e6 } else { 1e3 };
    assert!((bytes / whole.len() as f64 - 1.0).abs() < 0.1, "{said}");
    let (narrow, said) = of_model(&["--tasks", "dataset = 'airline' and rank <= 2"]);
    // Two tasks, or others where ranks are tied.
    let keys = compared(&narrow);
    assert!((1..=3).contains(&keys.len()), "{keys:?}");
    assert!(said.contains(&format!(" of {} of 12 tasks", keys.len())), "{said}");
    assert!(narrow.len() < whole.len());
    let data = between(&narrow, "type=\"application/json\" id=\"data\">", "</script>");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let (cell, _) = keys[0].split_once('-').expect("a cell and a task");
    let name = &data["cells"][cell.parse::<usize>().expect("an index")]["name"];
    assert_eq!(name, "airline/gpt-oss-20b");
    // The selection narrows the lists, and the scope the numbers.
    let (_, said) = of_model(&["--select", "not success"]);
    let args = ["--table", "tasks", "--scorer", "turns", "--model", "gpt-oss-20b"];
    let failed = rows(home.path(), store.path(), &args);
    let failed = failed.iter().filter(|row| row["success"] == false).count();
    assert!(said.contains(&format!(" {failed} tasks, ")), "{said}");
    let (scoped, said) = of_model(&["--where", "turns > 5", "--dataset", "airline"]);
    assert!(said.contains(": 1 cell, "), "{said}");
    assert!(scoped.contains("<dt>--where</dt><dd>turns &#62; 5</dd>"));
}

#[test]
fn what_cannot_be_done_is_said_in_one_sentence() {
    let home = home();
    demo(home.path(), 3);
    let new = ["demo.qualm", "-o", "new.html"];
    let with = |more: &[&'static str]| refused(home.path(), &[&new[..], more].concat());
    let said = with(&["--tasks", "success and"]);
    assert!(said.contains("--tasks"), "{said}");
    let said = with(&["--tasks", "turns > 100000"]);
    assert!(said.contains("--tasks turns > 100000: no task fits it"), "{said}");
    let said = with(&["--scorer", "nothing"]);
    assert!(said.contains("no values of --scorer nothing"), "{said}");
    let said = with(&["--model", "nobody"]);
    assert!(said.contains("no cell fits"), "{said}");
    fs::write(home.path().join("old.html"), "old").expect("written");
    let said = refused(home.path(), &["demo.qualm", "-o", "old.html"]);
    assert!(said.contains("old.html: is there already; name another file"), "{said}");
    assert_eq!(fs::read_to_string(home.path().join("old.html")).expect("read"), "old");
    let said = refused(
        home.path(),
        &["demo.qualm", "-o", "no/new.html", "--dataset", "airline", "--resamples", "10"],
    );
    assert!(said.contains("; create the folder first"), "{said}");
}

#[test]
fn disagreements_stand_side_by_side_with_whose_votes_are_shown() {
    let home = home();
    let draw =
        |success| Draw { success: Some(success), db_match: None, actions: vec!["look", "book"] };
    let tasks: Vec<Vec<Draw>> = (0..4).map(|task| vec![draw(task % 2 == 0), draw(true)]).collect();
    let judgments = vec![
        verdict("strict", 1, 1, Some(false)),
        verdict("lenient", 1, 1, Some(true)),
        verdict("strict", 2, 1, Some(true)),
        verdict("lenient", 2, 1, Some(true)),
    ];
    let path = made(home.path(), &tasks, judgments);
    add_vote(&path, &vote("ana", 1, 1, Ruling::Different)).expect("saved");
    add_vote(&path, &vote("bob <i>", 3, 1, Ruling::Equivalent)).expect("saved");
    let (page, said) = page(home.path(), &["made.qualm", "--tasks", "task = '0'"]);
    assert!(said.contains("1 of 1 disagreement"), "{said}");
    assert_eq!(compared(&page), ["0-0-0-1", "0-1-0-1"], "the chosen task and the disagreement");
    let list = between(&page, "id=\"view-disagreements\"", "</section>");
    assert!(list.contains("Votes of people that are shown: ana, bob &#60;i&#62;."), "{list}");
    assert!(list.contains("href=\"#/pair/0-1-0-1\"") && list.contains("different: ana"), "{list}");
    assert!(list.contains("<td>lenient</td>") && list.contains("<td>strict</td>"), "{list}");
}
