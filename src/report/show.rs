//! Runs of one task beside each other, as text, Markdown and JSON: what the explorer's Compare shows,
//! without a terminal.
//!
//! A [`Comparison`] is plain data that [`Comparison::new`] makes of the runs; each format reads it and
//! nothing else. [`Diff`] is where two of the runs part.

mod build;
mod comparison;
mod diff;
mod diff_text;
mod lines;
mod markdown;
mod phrases;
mod text;

use serde::Serialize;

pub use build::Around;
pub use comparison::{
    Agreement, Beside, Comparison, Held, Kind, Pane, Part, Parts, Remark, Returned, Row, Said,
    Verdict,
};
pub use diff::{Action, Diff, DiffOptions, How, Hunk, Parting, Value};

use super::rows::without_hidden;

/// The formats of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShowFormat {
    /// Blocks of lines, one a pane.
    #[default]
    Text,
    /// Markdown.
    Markdown,
    /// One object, texts whole and numbers in full.
    Json,
}

impl ShowFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Text, Self::Markdown, Self::Json];

    /// The id that `--format` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "md",
            Self::Json => "json",
        }
    }
}

/// How a comparison is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShowOptions {
    /// In which format.
    pub format: ShowFormat,
    /// Long texts whole. JSON always has them whole.
    pub full: bool,
}

impl Comparison {
    /// Writes the comparison.
    pub fn render(&self, options: ShowOptions) -> String {
        match options.format {
            ShowFormat::Text => text::render(self, options.full),
            ShowFormat::Markdown => markdown::render(self, options.full),
            ShowFormat::Json => json(self),
        }
    }
}

/// JSON in lines. Characters that could steer a terminal are written as escapes.
fn json(value: &impl Serialize) -> String {
    let json = serde_json::to_string_pretty(value).unwrap_or_default();
    // Line breaks inside strings are escapes, so those that are left are the layout's.
    let lines: Vec<String> = json.lines().map(without_hidden).collect();
    lines.join("\n") + "\n"
}
