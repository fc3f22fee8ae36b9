//! Runs beside each other, action by action.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use super::align::{Fit, Replace, align};
use super::arguments::{canonical, differing_keys};
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
pub struct Row {
    /// What stands in it.
    pub kind: RowKind,
    /// For every pane its step, by place; none faces a gap.
    pub steps: Vec<Option<usize>>,
    /// For every pane how its action stands to the first pane's.
    pub contrasts: Vec<Contrast>,
    /// A call of it failed or, in the last row, a run did not end of itself.
    pub error: bool,
}

impl Row {
    /// Whether the runs do not do the same: another action, none, or other arguments.
    pub fn parts(&self) -> bool {
        self.contrasts.iter().any(|own| !matches!(own, Contrast::None | Contrast::Same))
    }
}

/// How the actions of a row stand to the one of the first pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contrast {
    /// Nothing to hold it against: one pane, or no row of actions.
    None,
    /// The same action; of a call also the same arguments.
    Same,
    /// The same call with other arguments, at these keys.
    Arguments(Vec<String>),
    /// Another action.
    Other,
    /// The first pane has no action here.
    OnlyHere,
    /// The pane has no action here.
    Missing,
}

/// Arguments of more bytes are not looked into.
const LARGE: usize = 200_000;

/// Two to four runs (or one alone) aligned by their actions to the first.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The actions of every pane.
    pub steps: Vec<Vec<Step>>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Sheet {
    /// Aligns runs to the first of them.
    pub fn new(runs: &[&Trajectory]) -> Self {
        let all: Vec<Vec<Step>> = runs.iter().map(|run| steps(run)).collect();
        let aligned = Aligned::new(runs, &all);
        let plain = |kind, error| Row {
            kind,
            steps: vec![None; runs.len()],
            contrasts: vec![Contrast::None; runs.len()],
            error,
        };
        let mut rows = Vec::new();
        if runs.iter().any(|run| !before(run).is_empty()) {
            rows.push(plain(RowKind::Before, false));
        }
        rows.extend(aligned.rows().into_iter().map(|steps| aligned.row(steps)));
        rows.push(plain(RowKind::End, runs.iter().any(|run| ended_badly(run))));
        Self { steps: all, rows }
    }

    /// The step of a pane in a row.
    pub fn step(&self, row: usize, pane: usize) -> Option<&Step> {
        let place = (*self.rows.get(row)?.steps.get(pane)?)?;
        self.steps[pane].get(place)
    }

    /// The first row that shows a turn of a pane.
    pub fn row_of_turn(&self, pane: usize, turn: usize) -> Option<usize> {
        let step = self.steps.get(pane)?.iter().position(|own| own.turn >= turn)?;
        self.rows.iter().position(|row| row.steps[pane] == Some(step))
    }

    /// The turn of a pane at a row or, in a gap, before it.
    pub fn turn_at(&self, row: usize, pane: usize) -> Option<usize> {
        let last = row.min(self.rows.len().checked_sub(1)?);
        let near = (0..=last).rev().find_map(|row| self.step(row, pane));
        near.or_else(|| self.steps.get(pane)?.first()).map(|own| own.turn)
    }

    /// The first row with an action; the first one where there is none.
    pub fn first_action(&self) -> usize {
        self.rows.iter().position(|own| own.kind == RowKind::Action).unwrap_or(0)
    }

    /// How a pane's action stands to the first pane's.
    pub fn contrast(&self, row: usize, pane: usize) -> &Contrast {
        &self.rows[row].contrasts[pane]
    }

    /// Edits that lead from the first pane's actions to another's: what `aec` counts.
    pub fn edits(&self, pane: usize) -> usize {
        let edit = |own: &Contrast| {
            matches!(own, Contrast::Other | Contrast::OnlyHere | Contrast::Missing)
        };
        self.rows.iter().filter(|row| edit(&row.contrasts[pane])).count()
    }
}

/// Whether a run was cut off: neither user nor agent ended it.
pub fn ended_badly(run: &Trajectory) -> bool {
    let usual = |own: &str| ["user_stop", "agent_stop", "completed", "stop"].contains(&own);
    run.head.termination.as_deref().is_some_and(|own| !usual(own))
}

struct Aligned<'s> {
    runs: &'s [&'s Trajectory],
    steps: &'s [Vec<Step>],
    /// For every step a number for its kind and arguments: the same for calls that say the same.
    /// Parsing arguments anew for every pair would cost too much.
    said: Vec<Vec<u64>>,
}

impl<'s> Aligned<'s> {
    fn new(runs: &'s [&'s Trajectory], steps: &'s [Vec<Step>]) -> Self {
        let number = |run: &Trajectory, step: &Step| {
            let mut hasher = DefaultHasher::new();
            step.kind(run).hash(&mut hasher);
            step.call(run).map(|call| canonical(&call.arguments)).hash(&mut hasher);
            hasher.finish()
        };
        let said = runs
            .iter()
            .zip(steps)
            .map(|(run, steps)| steps.iter().map(|step| number(run, step)).collect());
        Self { runs, steps, said: said.collect() }
    }

    fn row(&self, steps: Vec<Option<usize>>) -> Row {
        let contrasts = (0..steps.len()).map(|pane| self.contrast(&steps, pane)).collect();
        let mut there = steps.iter().enumerate().filter_map(|(pane, own)| Some((pane, (*own)?)));
        let error = there.any(|own| {
            let (run, step) = self.at(own);
            step.failed(run)
        });
        Row { kind: RowKind::Action, steps, contrasts, error }
    }

    fn contrast(&self, steps: &[Option<usize>], pane: usize) -> Contrast {
        if pane == 0 {
            return Contrast::None;
        }
        match (steps[0], steps[pane]) {
            (None, None) => Contrast::None,
            (None, Some(_)) => Contrast::OnlyHere,
            (Some(_), None) => Contrast::Missing,
            (Some(first), Some(own)) => match self.fit((0, first), (pane, own)) {
                Fit::Same => Contrast::Same,
                Fit::Different => Contrast::Other,
                Fit::Alike => {
                    let arguments = |place| {
                        let (run, step) = self.at(place);
                        step.call(run).map_or("", |call| call.arguments.as_str())
                    };
                    let (first, own) = (arguments((0, first)), arguments((pane, own)));
                    // Where so much is passed, no list of keys helps, and finding them takes long.
                    if first.len().max(own.len()) > LARGE {
                        return Contrast::Arguments(vec![String::new()]);
                    }
                    Contrast::Arguments(differing_keys(first, own))
                }
            },
        }
    }

    /// Every pane is aligned to the first; what only others have is then put together where it is of
    /// one kind.
    fn rows(&self) -> Vec<Vec<Option<usize>>> {
        let panes = self.steps.len();
        let first = self.steps.first().map_or(0, Vec::len);
        let mut beside = vec![vec![None; panes]; first];
        beside.iter_mut().enumerate().for_each(|(place, row)| row[0] = Some(place));
        // What each pane has before every action of the first, and after the last.
        let mut between = vec![vec![Vec::new(); panes]; first + 1];
        for pane in 1..panes {
            let mut next = 0;
            let lengths = (first, self.steps[pane].len());
            for pair in align(lengths, Replace::Allowed, &|a, b| self.fit((0, a), (pane, b))) {
                match pair {
                    (Some(a), own) => {
                        beside[a][pane] = own;
                        next = a + 1;
                    }
                    (None, Some(own)) => between[next][pane].push(own),
                    (None, None) => {}
                }
            }
        }
        let mut rows = Vec::with_capacity(first);
        let mut actions = beside.into_iter();
        for lists in between {
            rows.extend(self.together(&lists));
            rows.extend(actions.next());
        }
        rows
    }

    fn fit(&self, a: (usize, usize), b: (usize, usize)) -> Fit {
        if self.said[a.0][a.1] == self.said[b.0][b.1] {
            return Fit::Same;
        }
        let ((run, own), (other_run, other)) = (self.at(a), self.at(b));
        if own.kind(run) == other.kind(other_run) { Fit::Alike } else { Fit::Different }
    }

    fn at(&self, (pane, step): (usize, usize)) -> (&Trajectory, &Step) {
        (self.runs[pane], &self.steps[pane][step])
    }

    /// Rows of steps that the first pane lacks, by pane.
    fn together(&self, lists: &[Vec<usize>]) -> Vec<Vec<Option<usize>>> {
        let mut rows: Vec<Vec<Option<usize>>> = Vec::new();
        for (pane, list) in lists.iter().enumerate().filter(|(_, list)| !list.is_empty()) {
            let taken = std::mem::take(&mut rows);
            let any = |row: &[Option<usize>]| {
                row.iter().enumerate().find_map(|(pane, own)| Some((pane, (*own)?)))
            };
            let pairs = align((taken.len(), list.len()), Replace::Never, &|row, own| {
                any(&taken[row]).map_or(Fit::Different, |there| self.fit(there, (pane, list[own])))
            });
            for (row, own) in pairs {
                let mut next =
                    row.map_or_else(|| vec![None; lists.len()], |row| taken[row].clone());
                if let Some(own) = own {
                    next[pane] = Some(list[own]);
                }
                rows.push(next);
            }
        }
        rows
    }
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
            let mut own = Message::text(Role::Assistant, "hm");
            if word != "." {
                let (name, id) = word.split_at(1);
                let arguments = format!("{{\"id\": \"{id}\"}}");
                own.tool_calls =
                    vec![ToolCall { id: String::new(), name: name.to_owned(), arguments }];
            }
            messages.push(own);
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
        let parts: Vec<bool> = sheet.rows.iter().map(Row::parts).collect();
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
            let [a, b] = [&runs[0], &runs[1]].map(|own| &own.head.action_types);
            let edits = Sheet::new(&refs).edits(1) as f64;
            let longer = a.len().max(b.len()).max(1) as f64;
            let aec = Consistency::Aec.pair(a, b);
            assert!((aec - (1.0 - edits / longer)).abs() < 1e-12, "{a:?} {b:?}");
        }
    }
}
