//! The command that makes the grid on screen as a table.

use crate::report::{GridLayout, OutputFormat, Show};
use crate::scorers::Scorer;
use crate::text::shell_word;
use crate::ui::shared::{Lens, Shared};

/// `qualm report` with the scope, the lens and the layout of the grid on screen.
pub(super) fn report(
    scorers: &[Scorer],
    layout: &GridLayout,
    format: OutputFormat,
    shared: &Shared,
) -> String {
    let lens = &shared.lens;
    let mut flags = vec![("table", "grid".to_owned()), ("metric", lens.metric.id().to_owned())];
    if !lens.scope.is_empty() {
        flags.push(("where", lens.scope.clone()));
    }
    flags.extend(lens.judge.as_ref().map(|judge| ("judge", judge.to_string())));
    if lens.stuck != Lens::default().stuck {
        flags.push(("stuck", lens.stuck.id().to_owned()));
    }
    // Scorers that the store does not list must be named, and then all of them.
    let listed = shared.engine().map_or(&[][..], |engine| engine.scorers());
    if scorers.iter().any(|scorer| !listed.contains(scorer)) {
        flags.extend(scorers.iter().map(|scorer| ("scorer", scorer.flag())));
    }
    flags.extend(layout_flags(layout, format, shared));
    flags.push(("format", format.id().to_owned()));
    let path = &shared.path;
    let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let mut words = vec!["qualm report".to_owned(), shell_word(&path.display().to_string())];
    for (flag, value) in flags {
        words.push(match value.as_str() {
            "" => format!("--{flag}"),
            // A value that begins with a dash would be taken for a flag.
            dashed if dashed.starts_with('-') => format!("--{flag}={}", shell_word(dashed)),
            plain => format!("--{flag} {}", shell_word(plain)),
        });
    }
    words.join(" ")
}

fn layout_flags(
    layout: &GridLayout,
    format: OutputFormat,
    shared: &Shared,
) -> Vec<(&'static str, String)> {
    let mut flags = Vec::new();
    flags.extend(layout.pinned.as_ref().map(|scorer| ("pin", scorer.flag())));
    flags.extend(layout.folded.iter().map(|family| ("fold", family.id().to_owned())));
    let ordering = layout.order_rows.and_then(|cell| shared.cells.get(cell));
    flags.extend(ordering.map(|cell| ("order-rows", cell.to_string())));
    flags.extend(layout.order_columns.as_ref().map(|scorer| ("order-columns", scorer.flag())));
    if matches!(format, OutputFormat::Markdown | OutputFormat::Latex) {
        flags.extend(layout.show_empty.then(|| ("show-empty", String::new())));
        if layout.show != Show::default() {
            flags.push(("show", layout.show.id().to_owned()));
        }
    }
    flags
}
