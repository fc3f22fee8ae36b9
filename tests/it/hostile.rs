//! Transcripts with terminal sequences: none of them reaches the drawn buffer, copies, pictures or the
//! output of the real program.

use std::path::{Path, PathBuf};

use crate::explorer::Driver;
use crate::support::home;

/// Hostile text: a title, a link, a clipboard write, colours, a bell, a C1 introducer, a direction
/// override, characters without width, a carriage return, marks that pile up.
const HOSTILE: &str = "\\u001b]0;owned\\u0007 \\u001b]8;;http://x\\u001b\\\\link \\u001b]52;c;b3duZWQ=\\u0007 \\u001b[31mred\\u001b[2J \\u009b31m \\u202egnp\\u200b\\u2066 over\\rwritten \\u0000\\ufeff \\udb40\\udc41\\u034f\\u206a \\u17b4\\ufe0f\\ufff1\\ud82f\\udca0\\ud834\\udd73 e\\u0301\\u0301\\u0301\\u0301\\u0301\\u0301\\u0301\\u0301";

/// The fixture with hostile text added to everything that somebody wrote.
pub fn store(home: &Path) -> PathBuf {
    let json = std::fs::read_to_string(crate::support::data("tau2.json")).expect("text");
    let mut value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let words: String = serde_json::from_str(&format!("\"{HOSTILE}\"")).expect("JSON");
    poison(&mut value, &words);
    let file = home.join("x.json");
    std::fs::write(&file, value.to_string()).expect("written");
    let path = home.join("s.qualm");
    let options = qualm::import::ImportOptions::default();
    qualm::import::import(&[file], &path, &options, &|_| {}).expect("imported");
    path
}

/// Adds the words to every text that is shown, except those that the reader needs.
fn poison(value: &mut serde_json::Value, words: &str) {
    match value {
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| poison(item, words)),
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                let shown =
                    ["content", "name", "llm", "domain_name", "termination_reason", "arguments"];
                match value {
                    serde_json::Value::String(text) if shown.contains(&key.as_str()) => {
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

pub fn assert_safe(text: &str) {
    let steers = |c: &char| {
        (c.is_control() && *c != '\n')
            || ('\u{200b}'..='\u{200f}').contains(c)
            || ('\u{202a}'..='\u{202e}').contains(c)
            || ('\u{2066}'..='\u{2069}').contains(c)
            || ('\u{fe00}'..='\u{fe0f}').contains(c)
            || ['\u{feff}', '\u{34f}', '\u{206a}', '\u{e0041}', '\u{17b4}', '\u{fff1}'].contains(c)
            || ['\u{1bca0}', '\u{1d173}'].contains(c)
    };
    assert_eq!(text.chars().find(steers), None, "{}", text.escape_debug());
    assert!(!text.contains(&"\u{301}".repeat(5)), "marks pile up: {}", text.escape_debug());
}

#[test]
fn hostile_text_is_never_drawn_copied_or_written() {
    let home = home();
    let path = store(home.path());
    let mut driver = Driver::new(&path, 160, 50);
    let mut seen = String::new();
    for keys in [
        "",
        "0",
        "1",
        "2",
        "y",
        "<Enter>",
        "j",
        "y",
        "jy",
        "<Tab>",
        "Z",
        "D",
        "z",
        "i",
        "I",
        "y",
        "<Esc>o",
        "<Esc>j<Enter>",
        "G",
        "y",
        "<Esc>/owned<Enter>",
        "c\u{1b}[2J",
        "<Ctrl-s>",
        "6",
        "y",
        "<Enter>",
        "<Esc><Tab>",
        "7",
        "4",
        ":",
        "<Esc>?",
        "<Esc>2r",
        "<Esc>|",
        "<Esc>&task",
        "<Esc>Y",
        "/owned<Enter>",
        "n",
    ] {
        driver.press(keys);
        let buffer = driver.0.draw();
        for cell in buffer.content() {
            assert_safe(cell.symbol());
        }
        seen.push_str(&qualm::ui::picture::text(&buffer));
        if let Some(copied) = &driver.0.copied {
            assert_safe(&copied.replace('\t', " "));
        }
        for ending in ["svg", "txt"] {
            assert_safe(&qualm::ui::picture(driver.app(), (120, 40), ending));
        }
    }
    assert!(
        seen.contains("␛]0;owned␇") && seen.contains("␛[31mred") && seen.contains('↔'),
        "{seen}"
    );
    let (found, shared) = (&driver.app().screens.tasks.search, driver.shared());
    let rows = &shared.current_table().expect("a table").rows;
    assert!(rows.iter().any(|id| found.is_hit(*id, shared)), "and yet it can be found");
}

#[test]
fn hostile_text_never_reaches_a_real_terminal() {
    let home = home();
    let path = store(home.path()).display().to_string();
    let mut session =
        crate::terminal::Session::start(crate::terminal::qualm(home.path(), &[&path]));
    session.wait_for("scorers have values");
    for (keys, shown) in [
        ("2", "ended"),
        ("\r", "reference"),
        ("j", "owned"),
        ("Y", "copied"),
        ("1", "action-consistency"),
    ] {
        session.send(keys);
        session.wait_for(shown);
    }
    session.send("q");
    let (code, bytes, given_back) = session.end();
    assert!(code == 0 && given_back);
    for hostile in [
        "\u{1b}]0;",
        "\u{1b}]8;",
        "\u{1b}]52;c;b3duZWQ=",
        "\u{7}owned",
        "\u{9b}",
        "\u{202e}",
        "\u{200b}",
        "\u{2066}",
        "\u{feff}",
        "\u{1b}[31mred",
    ] {
        assert!(!bytes.contains(hostile), "{}", hostile.escape_debug());
    }
}
