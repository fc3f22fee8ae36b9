//! Draws the tree of all draws.
//!
//! ```text
//!  5 draws, 2 of 5 solved · 3 ways · they first diverge after action 6
//!  draws  solved
//!      5     2/5   40%  + message › get_user_details › … › get_reservation  6 actions  ◆ 2 ways
//!      3     2/3   67%    ├ calculate  ref✓ 2✗ 4✓
//! ● ...
//! ──────────────────────────────────────────────────────────────────────────────────────────────
//!  (what Enter opens)
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{Spot, Tree};
use crate::compare::{Branch, DrawTree, TreeLine, TreePair};
use crate::report::show::tree::{COLUMNS, action_line, chain, counts, facts, summary};
use crate::text::{counted, percent, visible};
use crate::ui::hits::Hits;
use crate::ui::shared::Shared;
use crate::ui::theme::Theme;
use crate::ui::widgets::{fit, fit_middle, paragraph, put, rule, width};

/// Guides take this share of the room for actions at most: a tree may be deeper than the screen is wide.
const GUIDES: usize = 3;

/// What drawing found out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// Lines of the tree on screen.
    pub page: usize,
    /// The first of them.
    pub offset: usize,
}

pub(super) fn draw(
    screen: &Tree,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    let theme = &shared.theme;
    let tree = match screen.tree(shared) {
        Some(Ok(tree)) => tree,
        Some(Err(error)) => {
            let text = format!("The tree cannot be shown. {}", visible(error));
            paragraph(buffer, area, &text, theme.error);
            return Layout::default();
        }
        None => {
            let text = if shared.task.is_none() && shared.engine().is_some() {
                "No task is selected: none was chosen in Tasks (2), or the list is empty."
            } else {
                "Reading the draws …"
            };
            paragraph(buffer, area, text, theme.dim);
            return Layout::default();
        }
    };
    let [head, columns, body, below, about] = Split::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(2),
    ])
    .areas(area);
    put(buffer, head, Line::styled(format!(" {}", summary(tree)), theme.title));
    put(buffer, columns, Line::styled(format!("  {COLUMNS}"), theme.header));
    let lines = screen.lines(tree);
    let page = usize::from(body.height);
    let selected = screen.selected.min(lines.len().saturating_sub(1));
    let last = lines.len().saturating_sub(page);
    let offset =
        screen.layout.offset.min(last).clamp((selected + 1).saturating_sub(page), selected);
    for ((index, line), row) in lines.iter().enumerate().skip(offset).zip(body.rows()) {
        if index == selected {
            buffer.set_style(row, theme.selected_row);
        }
        hits.spot(row, Spot(index));
        let drawn = if line.action.is_none() {
            branch_line(screen, tree, line, usize::from(row.width), theme)
        } else {
            single_action(tree, line, usize::from(row.width), theme)
        };
        put(buffer, row, drawn);
        let mark = if index == selected { "▸" } else { " " };
        put(buffer, Rect { width: 1, ..row }, Line::styled(mark, theme.selected));
    }
    rule(buffer, below, theme.rule);
    if let Some(line) = lines.get(selected) {
        about_line(screen, tree, line, theme, buffer, about);
    }
    Layout { page, offset }
}

/// A branch: its counts, the way to it, its actions, and how it goes on.
fn branch_line<'l>(
    screen: &Tree,
    tree: &DrawTree,
    line: &TreeLine,
    room: usize,
    theme: &Theme,
) -> Line<'l> {
    let branch = &tree.branches[line.branch];
    let marked = if screen.marked == Some(line.branch) { "●" } else { " " };
    let fold = match (branch.actions.len() > 1, screen.unfolded.contains(&line.branch)) {
        (false, _) => " ",
        (true, false) => "+",
        (true, true) => "-",
    };
    let facts = facts(tree, line.branch);
    let counts = counts(branch);
    let guides = shown_guides(&line.guides, room);
    let used = 4 + width(&counts) + width(&guides) + 2;
    // The actions come first: what stands behind them is cut where there is no room for both.
    let left = room.saturating_sub(used);
    let for_facts = width(&facts).min(left / 2) + 2;
    let actions = chain(tree, line.branch, left.saturating_sub(for_facts));
    let for_facts = left.saturating_sub(width(&actions) + 2);
    let facts_style = if branch.children.is_empty() { theme.text } else { theme.warn };
    let name_style = if branch.actions.is_empty() { theme.dim } else { theme.title };
    Line::from(vec![
        Span::styled(format!(" {marked}"), theme.pinned),
        Span::styled(counts, share_style(branch, theme)),
        Span::styled(format!("  {guides}"), theme.dim),
        Span::styled(format!("{fold} "), theme.key),
        Span::styled(actions, name_style),
        Span::styled(format!("  {}", fit(&facts, for_facts)), facts_style),
    ])
}

/// One action of an unfolded branch.
fn single_action<'l>(tree: &DrawTree, line: &TreeLine, room: usize, theme: &Theme) -> Line<'l> {
    let guides = shown_guides(&line.guides, room);
    let before = " ".repeat(4 + width(&counts(&tree.branches[line.branch])));
    let action = line.action.map_or(String::new(), |action| action_line(tree, line, action));
    let left = room.saturating_sub(width(&before) + width(&guides));
    Line::from(vec![
        Span::styled(format!("{before}{guides}"), theme.dim),
        Span::styled(fit_middle(&action, left), theme.text),
    ])
}

/// The guides nearest to the branch, where there is no room for all.
fn shown_guides(guides: &str, room: usize) -> String {
    let (count, most) = (guides.chars().count(), room / GUIDES);
    if count <= most {
        return guides.to_owned();
    }
    // Guides are pairs of columns.
    let cut = (count - most).next_multiple_of(2);
    format!("… {}", guides.chars().skip(cut + 2).collect::<String>())
}

/// Good where all graded draws solved the task, bad where none did.
fn share_style(branch: &Branch, theme: &Theme) -> Style {
    match branch.solved {
        _ if branch.graded == 0 => theme.unknown,
        0 => theme.bad,
        solved if solved == branch.graded => theme.good,
        _ => theme.text,
    }
}

/// What the selected branch is, and what Enter opens.
fn about_line(
    screen: &Tree,
    tree: &DrawTree,
    line: &TreeLine,
    theme: &Theme,
    buffer: &mut Buffer,
    area: Rect,
) {
    let branch = &tree.branches[line.branch];
    let draws = format!("{} of {}", branch.draws.len(), counted(tree.draws.len() as u64, "draw"));
    let solved = match branch.graded {
        0 => "none graded".to_owned(),
        graded => {
            let share = percent(branch.solved as u64, graded as u64);
            format!("{} of {graded} solved ({share})", branch.solved)
        }
    };
    let actions = match branch.actions.len() {
        0 if branch.parent.is_none() => "the beginning".to_owned(),
        0 => format!("ends after action {}", branch.actions.end),
        1 => format!("action {}", branch.actions.end),
        _ => format!("actions {} to {}", branch.actions.start + 1, branch.actions.end),
    };
    let opens = match tree.pair(line.branch, screen.marked) {
        Some(TreePair { draws: [a, b], action }) => {
            let at = line.action.unwrap_or(action) + 1;
            format!("⏎ opens {} beside {} at action {at}", name(tree, a), name(tree, b))
        }
        None if tree.draws.len() < 2 => "⏎ opens the draw".to_owned(),
        None if tree.is_pooled => "⏎ opens the draw beside another one".to_owned(),
        None => "⏎ opens the reference beside a sample".to_owned(),
    };
    let texts = [
        (format!(" {actions} · {draws} · {solved}"), theme.text),
        (format!(" {opens}"), theme.dim),
    ];
    for ((text, style), row) in texts.into_iter().zip(area.rows()) {
        put(buffer, row, Line::styled(text, style));
    }
}

fn name(tree: &DrawTree, draw: u32) -> String {
    match draw {
        draw if tree.is_pooled => format!("draw {draw}"),
        0 => "the reference".to_owned(),
        draw => format!("sample {draw}"),
    }
}
