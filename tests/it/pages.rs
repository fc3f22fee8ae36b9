//! What the README and the pages of the documentation say: commands print what is shown, links lead
//! somewhere, and the book has every page.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{data, home, qualm, text};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A command of a page, with what the page shows of its output.
struct Shown {
    command: String,
    output: Vec<String>,
}

/// The commands of a page's `console` blocks: lines after `$ `, with the text that they read.
fn shown(page: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line != "```console" {
            continue;
        }
        while let Some(line) = lines.next().filter(|line| *line != "```") {
            if let Some(command) = line.strip_prefix("$ ") {
                let mut command = command.to_owned();
                let mut is_open = command.ends_with("<<'EOF'");
                while is_open {
                    let line = lines.next().expect("an end of the text");
                    command = command + "\n" + line;
                    is_open = line != "EOF";
                }
                all.push(Shown { command, output: Vec::new() });
            } else {
                let last = all.last_mut().expect("a command before its output");
                last.output.push(line.trim_end().to_owned());
            }
        }
    }
    all
}

/// Whether lines are those of a page, where `…` stands for any number of lines.
fn fits(output: &[&str], shown: &[String]) -> bool {
    match shown.split_first() {
        None => output.is_empty(),
        Some((gap, rest)) if gap == "…" => {
            (0..=output.len()).any(|skipped| fits(&output[skipped..], rest))
        }
        Some((line, rest)) => output.first() == Some(&line.as_str()) && fits(&output[1..], rest),
    }
}

/// Runs a command in a shell that finds the program.
#[cfg(unix)]
fn output_of(home: &Path, command: &str) -> std::process::Output {
    let program = Path::new(env!("CARGO_BIN_EXE_qualm")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(program.to_owned()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(paths).expect("a path");
    let mut shell = std::process::Command::new("sh");
    // Both streams at once, as a terminal shows them.
    shell.args(["-c", &format!("exec 2>&1\n{command}")]).env("PATH", path);
    let known = qualm(home);
    for (name, value) in known.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.current_dir(home).output().expect("sh runs")
}

/// Runs every command of a page, one after the other, and compares what it prints.
#[cfg(unix)]
fn assert_true(home: &Path, page: &str) {
    let page = fs::read_to_string(repository().join(page)).expect("a page");
    let commands = shown(&page);
    assert!(commands.len() > 2, "the page has commands");
    for Shown { command, output: shown } in commands {
        let out = output_of(home, &command);
        let printed = text(&out.stdout);
        assert!(out.status.success(), "$ {command}\n{printed}");
        let lines: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
        let is_true = shown.is_empty() || fits(&lines, &shown);
        assert!(is_true, "$ {command}\nprints\n{printed}\nthe page shows\n{}", shown.join("\n"));
    }
}

#[test]
#[cfg(unix)]
fn the_commands_of_the_readme_print_what_it_shows() {
    let home = home();
    let results = home.path().join("results");
    fs::create_dir(&results).expect("made");
    fs::copy(data("shop/shop.json.gz"), results.join("shop.json.gz")).expect("copied");
    assert_true(home.path(), "README.md");
}

#[test]
#[cfg(unix)]
fn the_commands_of_the_tutorial_print_what_it_shows() {
    assert_true(home().path(), "docs/tutorial.md");
}

#[test]
fn a_gap_stands_for_any_number_of_lines() {
    let shown = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert!(fits(&["a", "b", "c"], &shown(&["a", "…", "c"])));
    assert!(fits(&["a", "c"], &shown(&["…", "a", "…", "c", "…"])));
    assert!(!fits(&["a", "b", "c"], &shown(&["a", "c"])));
    assert!(!fits(&["a", "b", "c"], &shown(&["…", "b"])));
}

/// All Markdown files for users and contributors.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md"].iter().map(|name| repository().join(name)).collect();
    let docs = fs::read_dir(repository().join("docs")).expect("a folder");
    let docs = docs.map(|entry| entry.expect("an entry").path());
    pages.extend(docs.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    pages
}

/// The names under which the headings of a page are linked.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        for link in page.split("](").skip(1).filter_map(|link| link.split(')').next()) {
            if link.contains("://") || link.contains([' ', '`']) {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if file.is_empty() { path.clone() } else { path.with_file_name("").join(file) };
            let found = target.exists()
                && (anchor.is_empty()
                    || anchors(&fs::read_to_string(&target).expect("a page")).contains(anchor));
            if !found {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn the_book_has_every_page() {
    let summary = fs::read_to_string(repository().join("docs/SUMMARY.md")).expect("a summary");
    for page in pages().iter().filter(|page| page.parent() != Some(repository())) {
        let name = page.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("]({name})")), "{name}");
    }
}
