//! The tree of all draws as text, Markdown and JSON.
//!
//! ```text
//! draws  solved
//!     5     2/5   40%  message › get_user_details › get_reservation ×2  ◆ 2 ways
//!     3     2/3   67%  ├ calculate › message › … › book_reservation  12 actions  ref✓ 2✗ 4✓
//!     2     0/2    0%  └ message › transfer_to_human_agents  1✗ 3✗
//! ```

use serde::Serialize;

use super::lines::safe;
use super::{ShowOptions, json};
use crate::compare::{Branch, DrawTree, TreeLine};
use crate::model::Cell;
use crate::report::OutputFormat;
use crate::text::{counted, percent, width};

/// Columns of a branch's actions in text.
const ROOM: usize = 76;

/// What stands between two actions.
const THEN: &str = " › ";

/// The draws of a task as a tree, to be written.
#[derive(Clone, Copy, Debug)]
pub struct ShownTree<'t> {
    /// The cell of the task.
    pub cell: &'t Cell,
    /// The task.
    pub task: &'t str,
    /// Its draws.
    pub tree: &'t DrawTree,
}

impl ShownTree<'_> {
    /// Writes the tree; whole branches action by action where texts are wanted whole.
    pub fn render(&self, options: ShowOptions) -> String {
        match options.format {
            OutputFormat::Json | OutputFormat::JsonLines => json::pretty(&TreeObject::of(self)),
            OutputFormat::Markdown => format!("```text\n{}```\n", self.text(options.full)),
            _ => self.text(options.full),
        }
    }

    fn text(&self, full: bool) -> String {
        let tree = self.tree;
        let mut lines = vec![
            format!("{}  task {}", safe(&self.cell.to_string()), safe(self.task)),
            summary(tree),
            COLUMNS.to_owned(),
        ];
        for line in tree.lines(|_| full) {
            let branch = &tree.branches[line.branch];
            let text = match line.action {
                None => {
                    let parts = [chain(tree, line.branch, ROOM), facts(tree, line.branch)];
                    let parts = parts.into_iter().filter(|part| !part.is_empty());
                    format!("{}  {}", counts(branch), line.guides)
                        + &parts.collect::<Vec<_>>().join("  ")
                }
                Some(action) => {
                    let space = " ".repeat(width(&counts(branch)));
                    format!("{space}  {}{}", line.guides, action_line(tree, &line, action))
                }
            };
            lines.push(text.trim_end().to_owned());
        }
        lines.join("\n") + "\n"
    }
}

/// The heads of the columns before the tree.
pub const COLUMNS: &str = "draws  solved";

/// What the tree says as a whole: draws, successes, where they first diverge.
pub fn summary(tree: &DrawTree) -> String {
    let Some(first) = tree.branches.first() else { return "no draws".to_owned() };
    let draws = counted(tree.draws.len() as u64, "draw");
    let solved = match first.graded {
        0 => "none graded".to_owned(),
        graded => format!("{} of {graded} solved", first.solved),
    };
    let part = match (first.children.is_empty(), first.actions.end) {
        (true, 0) => "without actions".to_owned(),
        (true, _) if tree.draws.len() == 1 => "the only one".to_owned(),
        (true, _) => "all the same".to_owned(),
        (false, 0) => "they diverge at the first action".to_owned(),
        (false, end) => format!("they first diverge after action {end}"),
    };
    let ways = counted(tree.ways() as u64, "way");
    format!("{draws}, {solved} · {ways} · {part}")
}

/// How many draws take a branch, and the share of them that solved the task.
pub fn counts(branch: &Branch) -> String {
    let share = percent(branch.solved as u64, branch.graded as u64);
    let solved = format!("{}/{}", branch.solved, branch.graded);
    format!("{:>5} {solved:>7} {share:>5}", branch.draws.len())
}

/// One action of an unfolded branch, with its number.
pub fn action_line(tree: &DrawTree, line: &TreeLine, action: usize) -> String {
    let first = tree.branches[line.branch].actions.start;
    format!("{:>3} {}", action + 1, safe(&tree.names(line.branch)[action - first]))
}

/// What stands behind the actions of a branch: their number where several are folded, and in how many
/// ways it goes on or which draws end it.
pub fn facts(tree: &DrawTree, branch: usize) -> String {
    let Branch { actions, children, .. } = &tree.branches[branch];
    let count = (actions.len() > 1).then(|| counted(actions.len() as u64, "action"));
    let after = match children.len() {
        0 => outcomes(tree, branch),
        ways => format!("◆ {}", counted(ways as u64, "way")),
    };
    count.into_iter().chain([after]).collect::<Vec<_>>().join("  ")
}

/// The most draws that are named one by one.
const MOST_NAMED: usize = 6;

/// The draws of a branch with their outcomes: `ref✗ 2✓`.
fn outcomes(tree: &DrawTree, branch: usize) -> String {
    let draws = &tree.branches[branch].draws;
    let named = draws.iter().take(MOST_NAMED).map(|draw| {
        let draw = &tree.draws[*draw];
        let sign = match draw.success {
            Some(true) => "✓",
            Some(false) => "✗",
            None => "·",
        };
        let is_reference = draw.draw == 0 && !tree.is_pooled;
        if is_reference { format!("ref{sign}") } else { format!("{}{sign}", draw.draw) }
    });
    let more = draws.len().saturating_sub(MOST_NAMED);
    let more = (more > 0).then(|| format!("and {more} more"));
    named.chain(more).collect::<Vec<_>>().join(" ")
}

/// The actions of a branch in one line of a width: the first ones, and the last.
pub fn chain(tree: &DrawTree, branch: usize, room: usize) -> String {
    let Branch { parent, actions, .. } = &tree.branches[branch];
    if actions.is_empty() {
        let words = if parent.is_none() { "(all draws)" } else { "■ ends" };
        return words.to_owned();
    }
    let names = repeated(tree.names(branch));
    let whole = names.join(THEN);
    if width(&whole) <= room {
        return whole;
    }
    let [first, .., last] = &names[..] else { return short(&whole, room) };
    let gap = format!("{THEN}…{THEN}");
    let end = |count: usize| names[..count].join(THEN) + &gap + last;
    let fits = (1..names.len() - 1).rev().map(end).find(|text| width(text) <= room);
    fits.unwrap_or_else(|| {
        let gap = if names.len() > 2 { gap.as_str() } else { THEN };
        let left = room.saturating_sub(width(gap));
        let last = short(last, (left / 2).max(left.saturating_sub(width(first))));
        let first = short(first, left.saturating_sub(width(&last)));
        format!("{first}{gap}{last}")
    })
}

/// Names safe to show; one that follows itself stands once with the number of times.
fn repeated(names: &[String]) -> Vec<String> {
    let runs = names.chunk_by(|a, b| a == b);
    let shown = runs.map(|run| match run.len() {
        1 => safe(&run[0]),
        times => format!("{} ×{times}", safe(&run[0])),
    });
    shown.collect()
}

/// A name cut in its middle.
fn short(name: &str, room: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if width(name) <= room {
        return name.to_owned();
    }
    let cut = |kept: usize| {
        let head: String = letters[..kept.div_ceil(2)].iter().collect();
        let tail: String = letters[letters.len() - kept / 2..].iter().collect();
        format!("{head}…{tail}")
    };
    (0..letters.len()).rev().map(cut).find(|text| width(text) <= room).unwrap_or_default()
}

#[derive(Serialize)]
struct TreeObject<'t> {
    task: &'t str,
    dataset: &'t str,
    model: &'t str,
    condition: &'t str,
    draws: Vec<DrawObject>,
    branches: Vec<BranchObject<'t>>,
}

#[derive(Serialize)]
struct DrawObject {
    draw: u32,
    success: Option<bool>,
    actions: usize,
}

#[derive(Serialize)]
struct BranchObject<'t> {
    branch: usize,
    parent: Option<usize>,
    first_action: usize,
    actions: &'t [String],
    draws: Vec<u32>,
    solved: usize,
    graded: usize,
    share: Option<f64>,
}

impl<'t> TreeObject<'t> {
    fn of(shown: &ShownTree<'t>) -> Self {
        let tree = shown.tree;
        let draw = |draw: &crate::compare::TreeDraw| DrawObject {
            draw: draw.draw,
            success: draw.success,
            actions: draw.actions.len(),
        };
        let branch = |(index, branch): (usize, &Branch)| BranchObject {
            branch: index,
            parent: branch.parent,
            first_action: branch.actions.start + 1,
            actions: tree.names(index),
            draws: branch.draws.iter().map(|draw| tree.draws[*draw].draw).collect(),
            solved: branch.solved,
            graded: branch.graded,
            share: branch.share(),
        };
        Self {
            task: shown.task,
            dataset: &shown.cell.dataset,
            model: &shown.cell.model,
            condition: &shown.cell.condition,
            draws: tree.draws.iter().map(draw).collect(),
            branches: tree.branches.iter().enumerate().map(branch).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::TreeDraw;

    fn tree(runs: &[(&str, Option<bool>)]) -> DrawTree {
        let draw = |(index, (run, success)): (usize, &(&str, Option<bool>))| TreeDraw {
            draw: index as u32,
            success: *success,
            actions: run.split_whitespace().map(str::to_owned).collect(),
        };
        DrawTree::new(runs.iter().enumerate().map(draw).collect())
    }

    #[test]
    fn chains_keep_their_beginning_and_their_end() {
        let tree = tree(&[("get_user_details look look look get_reservation_details book", None)]);
        let whole = "get_user_details › look ×3 › get_reservation_details › book";
        assert_eq!(chain(&tree, 0, 80), whole);
        assert_eq!(chain(&tree, 0, 45), "get_user_details › look ×3 › … › book");
        assert_eq!(chain(&tree, 0, 30), "get_user_details › … › book");
        assert_eq!(chain(&tree, 0, 22), "get_u…tails › … › book");
        for room in 12..80 {
            assert!(width(&chain(&tree, 0, room)) <= room, "{room}");
        }
    }

    #[test]
    fn names_cannot_steer_a_terminal() {
        let tree = tree(&[("a\u{1b}[31mb \u{202e}c", Some(true)), ("d", None)]);
        let shown = ShownTree { cell: &Cell::new("d\u{7}", "m"), task: "\u{1b}]0;x", tree: &tree };
        for format in [OutputFormat::Text, OutputFormat::Markdown, OutputFormat::Json] {
            let text = shown.render(ShowOptions { format, full: true });
            let hidden = |letter: char| letter.is_control() && letter != '\n';
            assert!(!text.contains(|letter| hidden(letter) || letter == '\u{202e}'), "{text:?}");
        }
    }

    #[test]
    fn as_it_is_printed() {
        let (yes, no) = (Some(true), Some(false));
        let tree = tree(&[("a b c d", yes), ("a b x", no), ("a b", None), ("a b c e", no)]);
        let shown = ShownTree { cell: &Cell::new("d", "m"), task: "1", tree: &tree };
        let options = ShowOptions { format: OutputFormat::Text, full: false };
        assert_eq!(
            shown.render(options),
            "d/m  task 1\n\
             4 draws, 1 of 3 solved · 4 ways · they first diverge after action 2\n\
             draws  solved\n\
             \u{20}   4     1/3   33%  a › b  2 actions  ◆ 3 ways\n\
             \u{20}   2     1/2   50%  ├ c  ◆ 2 ways\n\
             \u{20}   1     1/1  100%  │ ├ d  ref✓\n\
             \u{20}   1     0/1    0%  │ └ e  3✗\n\
             \u{20}   1     0/1    0%  ├ x  1✗\n\
             \u{20}   1     0/0     –  └ ■ ends  2·\n"
        );
    }
}
