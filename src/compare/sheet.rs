//! Runs aligned action by action.

mod aligned;

use self::aligned::Aligned;
use super::steps::{Step, before, steps};
use crate::model::Trajectory;

/// What stands in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// What was said before the agent's first turn.
    Before,
    /// An action in some of the panes.
    Action,
    /// How the runs ended.
    End,
}

/// A row of the sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetRow {
    /// What stands in it.
    pub kind: RowKind,
    /// For every pane the index of its step; none for a gap.
    pub steps: Vec<Option<usize>>,
    /// For every pane how its action compares with the first pane's.
    pub contrasts: Vec<Contrast>,
    /// A call of it failed or, in the last row, a run was cut off.
    pub error: bool,
    /// How many rows of actions there are up to this one.
    pub number: usize,
}

impl SheetRow {
    /// Whether the runs do not do the same: another action, none, or different arguments.
    pub fn diverges(&self) -> bool {
        let differs = |contrast: &Contrast| !matches!(contrast, Contrast::None | Contrast::Same);
        self.contrasts.iter().any(differs)
    }
}

/// How an action compares with the first pane's in the same row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contrast {
    /// There is nothing to compare with: one pane, or no row of actions.
    None,
    /// The same action; of a call also the same arguments.
    Same,
    /// The same call with different arguments, at these keys.
    Arguments(Vec<String>),
    /// Another action.
    Other,
    /// The first pane has no action here.
    OnlyHere,
    /// The pane has no action here.
    Missing,
}

/// One to four runs, aligned by their actions to the first.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The actions of every pane.
    pub steps: Vec<Vec<Step>>,
    /// The rows.
    pub rows: Vec<SheetRow>,
    first_divergence: Option<usize>,
}

impl Sheet {
    /// Aligns runs to the first of them.
    pub fn new(runs: &[&Trajectory]) -> Self {
        let all: Vec<Vec<Step>> = runs.iter().map(|run| steps(run)).collect();
        let aligned = Aligned::new(runs, &all);
        let plain = |kind, error| SheetRow {
            kind,
            steps: vec![None; runs.len()],
            contrasts: vec![Contrast::None; runs.len()],
            error,
            number: 0,
        };
        let mut rows = Vec::new();
        if runs.iter().any(|run| !before(run).is_empty()) {
            rows.push(plain(RowKind::Before, false));
        }
        rows.extend(aligned.rows().into_iter().map(|steps| aligned.row(steps)));
        rows.push(plain(RowKind::End, runs.iter().any(|run| ended_badly(run))));
        let mut number = 0;
        for row in &mut rows {
            number += usize::from(row.kind == RowKind::Action);
            row.number = number;
        }
        let first_divergence = rows.iter().position(SheetRow::diverges);
        Self { steps: all, rows, first_divergence }
    }

    /// The step of a pane in a row.
    pub fn step(&self, row: usize, pane: usize) -> Option<&Step> {
        let step = (*self.rows.get(row)?.steps.get(pane)?)?;
        self.steps[pane].get(step)
    }

    /// The first row that shows a turn of a pane.
    pub fn row_of_turn(&self, pane: usize, turn: usize) -> Option<usize> {
        let step = self.steps.get(pane)?.iter().position(|step| step.turn >= turn)?;
        self.rows.iter().position(|row| row.steps[pane] == Some(step))
    }

    /// The turn of a pane at a row or, in a gap, before it.
    pub fn turn_at(&self, row: usize, pane: usize) -> Option<usize> {
        let last = row.min(self.rows.len().checked_sub(1)?);
        let near = (0..=last).rev().find_map(|row| self.step(row, pane));
        near.or_else(|| self.steps.get(pane)?.first()).map(|step| step.turn)
    }

    /// The first row with an action; the first one where there is none.
    pub fn first_action(&self) -> usize {
        self.rows.iter().position(|row| row.kind == RowKind::Action).unwrap_or(0)
    }

    /// The first row in which the runs do not do the same.
    pub fn first_divergence(&self) -> Option<usize> {
        self.first_divergence
    }

    /// The number of a row among those with actions, from 1.
    pub fn action_number(&self, row: usize) -> usize {
        self.rows[row].number
    }

    /// How a pane's action compares with the first pane's.
    pub fn contrast(&self, row: usize, pane: usize) -> &Contrast {
        &self.rows[row].contrasts[pane]
    }

    /// Edits that lead from the first pane's actions to another's: what `aec` counts.
    pub fn edits(&self, pane: usize) -> usize {
        let edit = |contrast: &Contrast| {
            matches!(contrast, Contrast::Other | Contrast::OnlyHere | Contrast::Missing)
        };
        self.rows.iter().filter(|row| edit(&row.contrasts[pane])).count()
    }
}

/// Whether a run was cut off: neither user nor agent ended it.
pub fn ended_badly(run: &Trajectory) -> bool {
    let usual = ["user_stop", "agent_stop", "completed", "stop"];
    run.head.termination.as_deref().is_some_and(|why| !usual.contains(&why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cell, Head, Message, Role, ToolCall};
    use crate::scorers::consistency::Consistency;

    /// A run of calls: `a` with no arguments, `a1` with one; `.` is a message.
    fn run(calls: &str) -> Trajectory {
        let mut messages = vec![Message::text(Role::User, "hello")];
        for word in calls.split_whitespace() {
            let mut message = Message::text(Role::Assistant, "hm");
            if word != "." {
                let (name, id) = word.split_at(1);
                let arguments = format!("{{\"id\": \"{id}\"}}");
                message.tool_calls =
                    vec![ToolCall { id: String::new(), name: name.to_owned(), arguments }];
            }
            messages.push(message);
        }
        Trajectory::new(Head::new(Cell::new("d", "m"), "1"), messages, |_| None)
    }

    fn shown(runs: &[Trajectory]) -> Vec<String> {
        let runs: Vec<&Trajectory> = runs.iter().collect();
        let sheet = Sheet::new(&runs);
        let lines = (0..runs.len()).map(|pane| {
            let word = |row: usize| match sheet.step(row, pane) {
                Some(step) => step.kind(runs[pane]).chars().next().unwrap_or('?'),
                None => '-',
            };
            let actions =
                (0..sheet.rows.len()).filter(|row| sheet.rows[*row].kind == RowKind::Action);
            actions.map(word).collect()
        });
        lines.collect()
    }

    #[test]
    fn insertions_face_gaps_and_several_panes_share_rows() {
        assert_eq!(shown(&[run("a b ."), run("a b c .")]), ["ab-m", "abcm"]);
        assert_eq!(
            shown(&[run("a ."), run("a c d ."), run("a d ."), run("a e .")]),
            ["a---m", "acd-m", "a-d-m", "a--em"]
        );
        assert_eq!(shown(&[run(""), run("a")]), ["-", "a"]);
        assert_eq!(shown(&[run("a b")]), ["ab"]);
    }

    #[test]
    fn of_two_calls_alike_the_same_one_is_met() {
        let runs = [run("a1 a2 ."), run("a2 .")];
        let refs: Vec<&Trajectory> = runs.iter().collect();
        let sheet = Sheet::new(&refs);
        assert_eq!(shown(&runs), ["aam", "-am"]);
        assert_eq!(*sheet.contrast(1, 1), Contrast::Missing);
        assert_eq!(*sheet.contrast(2, 1), Contrast::Same);
    }

    #[test]
    fn rows_say_where_runs_part() {
        let runs = [run("a1 b1 . c1"), run("a1 b2 . d1 e1")];
        let refs: Vec<&Trajectory> = runs.iter().collect();
        let sheet = Sheet::new(&refs);
        let parts: Vec<bool> = sheet.rows.iter().map(SheetRow::diverges).collect();
        assert_eq!(parts, [false, false, true, false, true, true, false]);
        assert_eq!(*sheet.contrast(2, 1), Contrast::Arguments(vec!["id".to_owned()]));
        assert_eq!(sheet.row_of_turn(1, 3), Some(4));
        assert_eq!((sheet.turn_at(5, 0), sheet.turn_at(5, 1)), (Some(3), Some(4)));
        assert_eq!((sheet.turn_at(0, 0), sheet.first_action()), (Some(0), 1));
    }

    #[test]
    fn as_many_edits_as_aec_counts() {
        let mut rng = crate::rng::Rng::new(5, 0);
        for _ in 0..100 {
            let mut words = || -> String {
                (0..rng.below(12)).map(|_| ["a1 ", "a2 ", "b ", ". "][rng.below(4)]).collect()
            };
            let runs = [run(&words()), run(&words())];
            let refs: Vec<&Trajectory> = runs.iter().collect();
            let [a, b] = [&runs[0], &runs[1]].map(|run| &run.head.action_types);
            let edits = Sheet::new(&refs).edits(1) as f64;
            let longer = a.len().max(b.len()).max(1) as f64;
            let aec = Consistency::Aec.pair(a, b);
            assert!((aec - (1.0 - edits / longer)).abs() < 1e-12, "{a:?} {b:?}");
        }
    }
}
