//! What the user may know and the agent did not: the task's text, grading, judges, notes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::panes::draw_name;
use super::{Comparison, Panel};
use crate::compare::{CheckGroup, check_groups, run_confidence, run_ranking};
use crate::engine::{JudgeWord, PairId};
use crate::model::{Basis, Cell, Drift, RewardParts, Trajectory, Unscored};
use crate::scorers::Scorer;
use crate::store::{Note, StepLabel};
use crate::text::{counted, visible};
use crate::ui::shared::{RunKey, Shared};
use crate::ui::widgets::two;

/// Rows of the side pane for a check that was not met, and for what is known about it.
const ROWS_OF_CHECK: usize = 3;

/// A part of the side pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// Its lines.
    pub lines: Vec<String>,
    /// What the pane shows instead, where there may be many long lines: each with the rows that it may
    /// take.
    pub brief: Option<Vec<(String, usize)>>,
}

impl Section {
    fn new(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { title: title.into(), lines, brief: None }
    }

    /// A section whose lines may each take so many rows.
    pub(super) fn in_brief(title: impl Into<String>, lines: Vec<(String, usize)>) -> Self {
        let whole = lines.iter().map(|(line, _)| line.clone()).collect();
        Self::with_brief(title, whole, lines)
    }

    /// A section that the pane shows in other lines, which may each take so many rows.
    pub(super) fn with_brief(
        title: impl Into<String>,
        lines: Vec<String>,
        brief: Vec<(String, usize)>,
    ) -> Self {
        let brief = brief.into_iter().map(|(line, rows)| (line.replace('\n', " "), rows)).collect();
        Self { brief: Some(brief), ..Self::new(title, lines) }
    }
}

/// The name of each part of a reward.
pub fn reward_parts(parts: &RewardParts) -> [(&'static str, Option<f64>); 5] {
    [
        ("database", parts.database),
        ("assertions", parts.assertions),
        ("actions", parts.actions),
        ("communicated", parts.communicated),
        ("language", parts.language),
    ]
}

impl Panel {
    /// What a pane shows: `reference`, `sample 2`, or a run of another cell.
    pub fn pane_name(&self, pane: usize, shared: &Shared) -> String {
        let Some(key) = self.keys.get(pane) else { return String::new() };
        let draw = draw_name(*key, shared);
        match shared.cell_of(key.id) {
            Some(cell) if shared.task.is_some_and(|id| id.cell != key.id.cell) => {
                let condition = if cell.condition == Cell::DEFAULT_CONDITION {
                    String::new()
                } else {
                    format!("/{}", cell.condition)
                };
                format!("{draw} of {}{condition}", cell.model)
            }
            _ => draw,
        }
    }

    /// The confidence of a pane's run under the lens, and its rank among the cell's references; that
    /// of a sample is where it would stand.
    pub fn pane_score(
        &self,
        comparison: &Comparison,
        pane: usize,
        shared: &Shared,
    ) -> (Option<f64>, Option<(f64, usize)>) {
        let Some(key) = self.keys.get(pane) else { return (None, None) };
        // Other scores may be made of what judges say.
        if self.blind && shared.lens.scorer.base().is_none() {
            return (None, None);
        }
        let run = comparison.run(pane);
        let (score, ranking) = match &shared.lens.scorer {
            Scorer::WhiteBox(base, rule) => {
                (run_confidence(run, *base, *rule), run_ranking(run, *base, *rule))
            }
            _ => (None, None),
        };
        let Some(table) = shared.current_table().filter(|table| table.knows(key.id)) else {
            return (score, None);
        };
        let ranked = table.ranked(key.id);
        // Where every draw is a row, another pane may show another row.
        if let Some(row) = shared.row_of(*key) {
            let key = RunKey { id: row, ..*key };
            return (table.score(key.id), table.rank(key.id).map(|rank| (rank, ranked)));
        }
        let rank = ranking.map(|ranking| table.would_rank(key.id, ranking));
        (score, rank.filter(|_| ranked > 0))
    }

    /// The parts of the side pane.
    pub fn side(&self, comparison: &Comparison, shared: &Shared) -> Arc<Vec<Section>> {
        let known = shared.current_table().is_some();
        let about = self.turn_in_side(comparison, shared);
        let lens =
            format!("{} {known} {} {} {about:?}", shared.lens.scorer, self.blind, self.focus);
        let written = shared.notes.version() + shared.labels.version();
        let key = (self.keys.clone(), written, shared.data.version, lens);
        self.sections.get(key, || Arc::new(SideText { panel: self, shared, comparison }.sections()))
    }

    /// All of the side pane as one text.
    pub(super) fn side_text(&self, comparison: &Comparison, shared: &Shared) -> String {
        let sections = self.side(comparison, shared);
        let part =
            |section: &Section| format!("── {} ──\n{}", section.title, section.lines.join("\n"));
        sections.iter().map(part).collect::<Vec<_>>().join("\n\n")
    }
}

/// What the side pane is written from.
pub(super) struct SideText<'a> {
    pub(super) panel: &'a Panel,
    pub(super) shared: &'a Shared,
    pub(super) comparison: &'a Comparison,
}

impl SideText<'_> {
    fn sections(&self) -> Vec<Section> {
        let asked = self.comparison.opened.iter().find_map(|run| run.instruction.as_deref());
        let asked = asked.unwrap_or("The results do not say what the task asks.");
        let asked = asked.split('\n').map(str::to_owned).collect();
        let mut sections = vec![Section::new("the task asks", asked)];
        if self.panel.blind {
            return sections;
        }
        sections.extend(self.next_actions());
        sections.extend(self.drift_of_turn());
        sections.push(self.grading());
        sections.extend(self.checks());
        let panes = self.comparison.opened.len();
        sections.extend((0..panes).filter_map(|pane| self.self_assessment(pane)));
        for pane in 1..panes {
            sections.extend(self.agreement(pane));
            sections.extend(self.judged(pane));
        }
        sections.push(self.runs());
        sections.extend(self.unscored());
        let marked: Vec<String> =
            self.panel.keys.iter().flat_map(|key| self.errors(*key)).collect();
        if !marked.is_empty() {
            sections.push(Section::new("decisive errors", marked));
        }
        let notes = self.shared.task.map_or(&[][..], |id| self.shared.notes.on(id));
        if !notes.is_empty() {
            sections.push(Section::new("notes", notes.iter().map(note).collect()));
        }
        // It has a line for every turn.
        sections.extend(self.drift());
        sections
    }

    /// The turns of a run that people marked as its decisive error.
    fn errors(&self, run: RunKey) -> Vec<String> {
        let line = |label: &StepLabel| {
            let (author, cause) = (visible(&label.author), label.cause.words());
            format!("✱ {author} (draw {}, turn {}): {cause}", label.draw, label.turn + 1)
        };
        self.shared.labels.on(run).map(line).collect()
    }

    fn grading(&self) -> Section {
        let short_name = |key: &RunKey| match key.draw {
            0 if !self.shared.is_pooled(key.id.cell) => "ref".to_owned(),
            draw => format!("#{draw}"),
        };
        let names: Vec<String> = self.panel.keys.iter().map(short_name).collect();
        let mut lines = vec![format!("{:<13}{}", "", columns(&names))];
        let runs = self.comparison.runs();
        let mut line = |name: &str, value: &dyn Fn(&Trajectory) -> Option<String>| {
            let values: Vec<Option<String>> = runs.iter().map(|run| value(run)).collect();
            if values.iter().any(Option::is_some) {
                let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
                let values: Vec<String> = values.into_iter().map(or_dash).collect();
                lines.push(format!("{name:<13}{}", columns(&values)));
            }
        };
        line("reward", &|run| run.head.outcome.reward.map(two));
        for (index, (name, _)) in reward_parts(&RewardParts::default()).into_iter().enumerate() {
            line(name, &|run| reward_parts(&run.head.outcome.parts)[index].1.map(two));
        }
        let mark = |met: bool| if met { "✓" } else { "✗" }.to_owned();
        line("gold state", &|run| run.head.outcome.db_match.map(mark));
        lines.extend(basis_lines(&runs, &names));
        if lines.len() == 1 {
            let label = |run: &&Trajectory| run.head.outcome.success.map(mark);
            let labels: Vec<Option<String>> = runs.iter().map(label).collect();
            if labels.iter().all(Option::is_none) {
                lines = vec!["The results hold no grading.".to_owned()];
            } else {
                let labels = labels.into_iter().map(|label| label.unwrap_or("–".to_owned()));
                lines.push(format!("{:<13}{}", "graded", columns(&labels.collect::<Vec<_>>())));
                lines.push("The results record no parts of it.".to_owned());
            }
        }
        Section::new("reward", lines)
    }

    /// What the focused run was checked for.
    fn checks(&self) -> Option<Section> {
        let pane = self.panel.focus;
        let run = &self.comparison.opened.get(pane)?.run;
        let groups = check_groups(run, &self.panel.expected(self.comparison)[pane]);
        let name = self.panel.pane_name(pane, self.shared);
        let lines: Vec<(String, usize)> = groups.iter().flat_map(check_lines).collect();
        let whole = lines.iter().map(|(line, _)| line.clone()).collect();
        let section = Section::new(format!("checks of {name}"), whole);
        let brief = lines.into_iter().filter(|(_, rows)| *rows > 0).collect();
        let is_there = !section.lines.is_empty();
        is_there.then_some(Section { brief: Some(brief), ..section })
    }

    /// What the heads of the panes say, where they are too narrow for it.
    fn runs(&self) -> Section {
        let line = |pane: usize| {
            let head = &self.comparison.run(pane).head;
            let (score, rank) = self.panel.pane_score(self.comparison, pane, self.shared);
            let label = self.shared.lens.scorer.label();
            let (turns, calls) = (u64::from(head.turns), u64::from(head.tools));
            let mut facts = vec![counted(turns, "turn"), counted(calls, "call")];
            facts.extend(score.map(|score| format!("{label} {score:.4}")));
            facts.extend(rank.map(|(rank, of)| format!("rank {rank} of {of}")));
            facts.extend(head.termination.as_ref().map(|ended| format!("ended {ended}")));
            facts.extend(head.cost.map(|cost| format!("cost {cost:.4}")));
            facts.extend(head.completion_tokens.map(|tokens| format!("{tokens} tokens")));
            facts.extend(head.duration.map(|seconds| format!("{seconds:.1} s")));
            format!("{}: {}", self.panel.pane_name(pane, self.shared), facts.join(", "))
        };
        let task = &self.comparison.run(0).head.task;
        let lines = (0..self.comparison.opened.len()).map(line).collect();
        Section::new(format!("runs of task {task}"), lines)
    }

    /// Why turns have no score under the lens, run by run.
    fn unscored(&self) -> Option<Section> {
        let line = |pane: usize| {
            let run = self.comparison.run(pane);
            let views = self.shared.turn_views(run);
            let mut turns: BTreeMap<Unscored, u64> = BTreeMap::new();
            let reasons = views.iter().filter_map(|view| view.unscored);
            reasons.for_each(|why| *turns.entry(why).or_default() += 1);
            let parts = turns.iter().map(|(why, count)| format!("{count} {}", why.of_several()));
            let parts = parts.collect::<Vec<_>>().join(", ");
            let name = self.panel.pane_name(pane, self.shared);
            // Of a run without any, the head of the pane says so.
            let is_silent =
                turns.keys().eq([&Unscored::NotSent]) && run.head.turns_with_logprobs == 0;
            (!parts.is_empty() && !is_silent).then(|| format!("{name}: {parts}"))
        };
        let lines: Vec<String> = (0..self.comparison.opened.len()).filter_map(line).collect();
        (!lines.is_empty()).then(|| Section::new("turns without a score", lines))
    }

    /// How far the selected turn has drifted from the task.
    fn drift_of_turn(&self) -> Option<Section> {
        let run = &self.comparison.opened.get(self.panel.focus)?.run;
        let turn = self.panel.turn_in_focus(&self.comparison.sheet)?;
        let drift = run.turns.get(turn)?.drift?;
        let title = format!("drift at turn {}", turn + 1);
        Some(Section::new(title, vec![drift_words(&drift)]))
    }

    /// How far the turns of the focused run have drifted from the task.
    fn drift(&self) -> Option<Section> {
        let run = &self.comparison.opened.get(self.panel.focus)?.run;
        let drifts = (1..).zip(&run.turns).filter_map(|(number, turn)| Some((number, turn.drift?)));
        let drifts: Vec<(usize, Drift)> = drifts.collect();
        let whole =
            drifts.iter().map(|(number, drift)| format!("turn {number}: {}", drift.words()));
        let brief = drifts
            .iter()
            .map(|(number, drift)| (format!("turn {number:>2}: {}", drift_words(drift)), 1));
        let name = self.panel.pane_name(self.panel.focus, self.shared);
        let title = format!("drift of {name}");
        (!drifts.is_empty()).then(|| Section::with_brief(title, whole.collect(), brief.collect()))
    }

    /// Agreement and judges on the pair of the first pane and another, if it is a pair.
    fn agreement(&self, pane: usize) -> Option<Section> {
        let (first, other) = (*self.panel.keys.first()?, *self.panel.keys.get(pane)?);
        let sheet = &self.comparison.sheet;
        let longer = sheet.steps[0].len().max(sheet.steps[pane].len());
        let mut lines = vec![format!("{} of {longer} actions differ", sheet.edits(pane))];
        let from = |run: RunKey, other: RunKey| {
            let id = self.shared.row_of(run)?;
            Some(PairId { id, draw: other.draw })
        };
        let pair = from(first, other).or_else(|| from(other, first));
        if let Some(pair) = pair.filter(|_| first.id == other.id) {
            lines.extend(self.pair(pair, &self.judge_names(pane))?);
        }
        let name = |pane| self.panel.pane_name(pane, self.shared);
        Some(Section::new(format!("{} and {}", name(0), name(pane)), lines))
    }

    /// How far a pair agrees, and what judges say of it, except those whose answers are shown.
    fn pair(&self, pair: PairId, shown: &[String]) -> Option<Vec<String>> {
        let engine = self.shared.engine()?;
        let frame = &engine.frames()[pair.id.cell as usize];
        let task = pair.id.task as usize;
        let sample = frame.tasks[task].samples.iter().position(|sample| sample.draw == pair.draw);
        let value = |scorer: &String| {
            let value = *frame.pair_values(scorer)?.of(task).get(sample?)?;
            (!value.is_nan()).then(|| format!("{} {}", scorer.to_uppercase(), two(value)))
        };
        let values: Vec<String> = engine.consistency_ids().iter().filter_map(value).collect();
        let mut lines: Vec<String> = values.chunks(3).map(|some| some.join("   ")).collect();
        let words = engine.words_on(pair).into_iter();
        let words = words.map(|word| (&engine.judges()[word.judge], word));
        let words = words.filter(|(judge, _)| !shown.contains(judge));
        lines.extend(words.map(|(judge, word)| verdict(judge, word)));
        Some(lines)
    }
}

/// The drift of a turn on one row.
fn drift_words(drift: &Drift) -> String {
    let severity = drift.severity.map_or(String::new(), |it| format!(", severity {}", two(it)));
    format!("{}, after it {}{severity}", two(drift.action), two(drift.observation))
}

/// What the rewards of runs are made of, once where all are of the same.
fn basis_lines(runs: &[&Trajectory], names: &[String]) -> Vec<String> {
    let bases: Vec<Option<&Basis>> =
        runs.iter().map(|run| run.head.outcome.basis.as_ref()).collect();
    let is_one = bases.windows(2).all(|pair| pair[0] == pair[1]);
    let mut lines = Vec::new();
    for (name, basis) in names.iter().zip(bases).take(if is_one { 1 } else { runs.len() }) {
        let Some(basis) = basis else { continue };
        let whose = if is_one { String::new() } else { format!("{name} ") };
        let judged = if basis.is_judged() { ": a judge decides part of this label" } else { "" };
        lines.push(format!("{whose}made of {}{judged}", visible(basis.as_str())));
    }
    lines
}

/// The checks of one kind: a line each, below it what is known about it, and how many rows of each the
/// side pane shows. Of what was met it shows a row only.
fn check_lines(group: &CheckGroup) -> Vec<(String, usize)> {
    let mut lines = vec![(group.title(), 2)];
    for check in &group.lines {
        let is_met = check.met == Some(true);
        let line = format!("{} {}", check.mark(), check.expected);
        lines.push((line, if is_met { 1 } else { ROWS_OF_CHECK }));
        let notes = check.call.iter().chain(&check.detail);
        let rows = if is_met { 0 } else { ROWS_OF_CHECK };
        lines.extend(notes.map(|note| (format!("  {}", note.replace('\n', " ")), rows)));
    }
    lines
}

fn verdict(judge: &str, word: JudgeWord) -> String {
    let said = match word.equivalent {
        Some(true) => "≡ equivalent",
        Some(false) => "≢ different",
        None => "? did not parse",
    };
    let confidence =
        word.confidence.map_or(String::new(), |value| format!("  confidence {}", two(value)));
    format!("{judge} {said}{confidence}")
}

fn columns(values: &[String]) -> String {
    let values: Vec<String> = values.iter().map(|value| format!("{value:>6}")).collect();
    values.concat()
}

fn note(note: &Note) -> String {
    let about = match (note.draw, note.turn) {
        (None, _) => String::new(),
        (Some(draw), None) => format!(" (draw {draw})"),
        (Some(draw), Some(turn)) => format!(" (draw {draw}, turn {})", turn + 1),
    };
    format!("✎ {}{about}: {}", visible(&note.author), note.note)
}
