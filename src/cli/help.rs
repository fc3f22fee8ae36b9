//! `qualm help`: the pages of the documentation, and the help of a command, from the program itself.

use std::fmt::Write as _;
use std::process::ExitCode;

use super::out;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A page or a command; without one, the pages are listed
    #[arg(value_name = "TOPIC")]
    topic: Option<String>,
}

/// A page of the documentation.
struct Page {
    /// The name that `help` takes.
    topic: &'static str,
    /// What it is about.
    about: &'static str,
    /// Its file among the pages, which other pages link to.
    file: &'static str,
    text: &'static str,
}

macro_rules! page {
    ($topic:literal, $file:literal, $about:literal) => {
        Page {
            topic: $topic,
            about: $about,
            file: concat!($file, ".md"),
            text: include_str!(concat!("../../docs/", $file, ".md")),
        }
    };
}

const PAGES: &[Page] = &[
    page!("tutorial", "tutorial", "ten minutes on the demo store and on a file of your own"),
    page!("explorer", "explorer", "the screens, keys and settings of the explorer"),
    page!("keys", "keys", "every key, and the name of its action"),
    page!("import", "import", "how results are read, and what every format gives"),
    page!("mapping", "mapping", "reading a format that qualm does not know"),
    page!("scoring", "scoring", "scorers, metrics, intervals and tables"),
    page!("figures", "figures", "figures for papers and pages"),
    page!("gate", "gate", "comparing two cells or stores, and a gate for CI"),
    page!("chat-models", "chat-models", "scorers that ask a chat model"),
    page!("local-models", "models", "scorers that run a model on this machine"),
    page!("filter", "filter", "expressions that choose tasks"),
    page!("runs", "show", "printing and comparing runs on the command line"),
    page!("page", "page", "a store as one page for a browser"),
    page!("store", "store", "the tables of a store"),
    page!("addresses", "remote", "stores on a server: s3:// and https://"),
    page!("engines", "engines", "the same numbers in DuckDB, Spark and DataFusion"),
    page!("notebooks", "notebooks", "the Python module"),
];

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = match &args.topic {
        Some(topic) => on(topic)?,
        None => list(),
    };
    out::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The pages, and the commands that short help leaves out, one a line.
fn list() -> String {
    let widest = PAGES.iter().map(|page| page.topic.len()).max().unwrap_or(0);
    let pages = PAGES.iter().map(|page| format!("  {:widest$}  {}\n", page.topic, page.about));
    let command = super::command();
    let hidden = command.get_subcommands().filter(|command| command.is_hide_set());
    let hidden = hidden.map(|command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        format!("  {:widest$}  {about}\n", command.get_name())
    });
    format!(
        "Pages, printed by `qualm help PAGE`:\n{}\n\
         Commands that `qualm -h` does not list:\n{}\n\
         `qualm help COMMAND` explains a command.\n",
        pages.collect::<String>(),
        hidden.collect::<String>(),
    )
}

/// A page, and where there is none of that name the help of a command.
fn on(topic: &str) -> anyhow::Result<String> {
    if let Some(page) = PAGES.iter().find(|page| page.topic == topic) {
        return Ok(printed(page.text));
    }
    let mut command = super::command();
    command.build();
    let Some(command) = command.find_subcommand_mut(topic) else {
        let known: Vec<&str> = PAGES.iter().map(|page| page.topic).collect();
        anyhow::bail!("there is no page or command `{topic}`; the pages are: {}", known.join(", "))
    };
    Ok(command.render_long_help().to_string())
}

/// A page as it is printed: a link to another page names the command that prints it.
fn printed(text: &str) -> String {
    let mut printed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let (before, after) = rest.split_at(at);
        let Some(end) = after.find(')') else { break };
        let target = &after[2..end];
        let file = target.split('#').next().unwrap_or_default();
        let page = PAGES.iter().find(|page| page.file == file);
        match (page, before.rfind('[')) {
            (Some(page), Some(open)) => {
                printed.push_str(&before[..open]);
                printed.push_str(&before[open + 1..]);
                let _ = write!(printed, " (`qualm help {}`)", page.topic);
            }
            // A picture.
            (None, Some(open)) if before[..open].ends_with('!') => {
                printed.push_str(&before[..open - 1]);
            }
            // A link within the page, or to a file that the program does not print.
            (None, Some(open)) if !target.contains("://") => {
                printed.push_str(&before[..open]);
                printed.push_str(&before[open + 1..]);
            }
            _ => {
                printed.push_str(before);
                printed.push_str(&after[..=end]);
            }
        }
        rest = &after[end + 1..];
    }
    printed + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_the_command_that_prints_its_page() {
        let text = "See [the tables](store.md#tables), [below](#more) and [a site](https://a.b).\
                    ![a picture](grid.svg)";
        assert_eq!(
            printed(text),
            "See the tables (`qualm help store`), below and [a site](https://a.b)."
        );
    }

    #[test]
    fn every_page_and_command_has_help() {
        for page in PAGES {
            let text = on(page.topic).expect("a page");
            assert!(text.starts_with("# "), "{}", page.topic);
            assert!(list().contains(page.about));
        }
        let commands = super::super::command();
        for command in commands.get_subcommands() {
            assert!(!on(command.get_name()).expect("help").is_empty());
        }
        let error = on("attic").expect_err("no such page").to_string();
        assert!(error.contains("tutorial, explorer"), "{error}");
    }

    /// The words of a command line, without quotes, up to a comment, a pipe or a redirection.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for c in line.chars().chain([' ']) {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (None, '#' | '|' | '>' | '&' | ';') if word.is_none() => break,
                // Of choices such as `csv|jsonl`, the first.
                (None, ' ') => words.extend(
                    word.take().map(|word: String| word.split('|').next().unwrap_or("").to_owned()),
                ),
                (_, c) => word.get_or_insert_default().push(c),
            }
        }
        words
    }

    #[test]
    fn the_command_line_takes_every_command_of_the_pages() {
        let readme = include_str!("../../README.md");
        let pages = PAGES.iter().map(|page| (page.file, page.text));
        let mut refused = Vec::new();
        for (file, text) in pages.chain([("README.md", readme)]) {
            let text = text.replace("\\\n", " ");
            // Every second part is inside a fence.
            for line in text.split("\n```").skip(1).step_by(2).flat_map(str::lines) {
                let line = line.strip_prefix("$ ").unwrap_or(line);
                let is_command = line.starts_with("qualm ") && !line.contains('[');
                let words = if is_command { words(line) } else { Vec::new() };
                if is_command
                    && let Err(error) = super::super::parse_from(words.iter().map(Into::into))
                {
                    let error = error.to_string();
                    refused
                        .push(format!("{file}: {line}\n  {}", error.lines().next().unwrap_or("")));
                }
            }
        }
        assert!(refused.is_empty(), "{}", refused.join("\n"));
    }

    #[test]
    fn no_page_points_at_a_page_that_cannot_be_printed() {
        for page in PAGES {
            let text = on(page.topic).expect("a page");
            for link in text.split("](").skip(1) {
                let target = link.split(')').next().unwrap_or_default();
                assert!(!target.contains(".md"), "{}: {target}", page.topic);
            }
            // An installed program has no repository beside it.
            for folder in ["docs/", "src/", "tests/", "scripts/", "assets/", "benches/"] {
                assert!(!text.contains(folder), "{}: {folder}", page.topic);
            }
        }
    }
}
