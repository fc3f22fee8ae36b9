//! What the person who looks may know and the agent did not: the task's text, grading, judges, notes.

use std::sync::Arc;

use super::{App, Comparison};
use crate::compare::{run_confidence, run_ranking};
use crate::engine::{JudgeWord, PairId};
use crate::model::{RewardParts, Trajectory};
use crate::scorers::Scorer;
use crate::store::Note;
use crate::text::visible;
use crate::widgets::two;

/// A part of the side pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// Its lines.
    pub lines: Vec<String>,
}

impl Section {
    fn new(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { title: title.into(), lines }
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

impl App {
    /// What a pane shows: `reference`, `sample 2`, or a run of another cell.
    pub fn pane_name(&self, pane: usize) -> String {
        let Some(key) = self.compare.keys.get(pane) else { return String::new() };
        let draw = match key.draw {
            0 => "reference".to_owned(),
            draw => format!("sample {draw}"),
        };
        match self.columns.get(key.id.cell as usize) {
            Some(cell) if self.task.is_some_and(|id| id.cell != key.id.cell) => {
                let condition = if cell.condition == crate::model::Cell::DEFAULT_CONDITION {
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
    pub fn pane_score(&self, own: &Comparison, pane: usize) -> (Option<f64>, Option<(f64, usize)>) {
        let Some(key) = self.compare.keys.get(pane) else { return (None, None) };
        let Some(table) = self.current_table().filter(|own| own.knows(key.id)) else {
            return (self.run_score(own.run(pane)), None);
        };
        let ranked = table.ranked(key.id);
        if key.draw == 0 {
            return (table.score(key.id), table.rank(key.id).map(|rank| (rank, ranked)));
        }
        let ranking = match &self.lens.scorer {
            Scorer::WhiteBox(base, rule) => run_ranking(own.run(pane), *base, *rule),
            _ => None,
        };
        let rank = ranking.map(|own| (table.would_rank(key.id, own), ranked));
        (self.run_score(own.run(pane)), rank.filter(|_| ranked > 0))
    }

    fn run_score(&self, run: &Trajectory) -> Option<f64> {
        match &self.lens.scorer {
            Scorer::WhiteBox(base, rule) => run_confidence(run, *base, *rule),
            _ => None,
        }
    }

    /// The parts of the side pane.
    pub fn side(&self, own: &Comparison) -> Arc<Vec<Section>> {
        let notes = self.data.notes.values().map(Vec::len).sum();
        let known = self.current_table().is_some();
        let lens = format!("{} {known} {}", self.lens.scorer, self.is_blind());
        let key = (self.compare.keys.clone(), notes, self.data.version, lens);
        self.compare.sections.get(key, || Arc::new(self.sections(own)))
    }

    fn sections(&self, own: &Comparison) -> Vec<Section> {
        let mut sections = Vec::new();
        let asks = own.opened.iter().find_map(|own| own.asks.as_deref());
        let asks = asks.unwrap_or("The results do not say what the task asks.");
        sections.push(Section::new("the task asks", asks.split('\n').map(str::to_owned).collect()));
        // Who is to judge the runs is not told how they were graded, nor what others say.
        if self.is_blind() {
            return sections;
        }
        sections.push(self.grading(own));
        sections.push(self.runs(own));
        for pane in 1..own.opened.len() {
            sections.extend(self.agreement(own, pane));
        }
        let notes: Vec<String> =
            self.task.map_or(&[][..], |id| self.notes_of(id)).iter().map(note).collect();
        if !notes.is_empty() {
            sections.push(Section::new("notes", notes));
        }
        sections
    }

    /// All of it as one text.
    pub(in crate::app) fn side_text(&self, own: &Comparison) -> String {
        let sections = self.sections(own).into_iter();
        let parts: Vec<String> =
            sections.map(|own| format!("── {} ──\n{}", own.title, own.lines.join("\n"))).collect();
        parts.join("\n\n")
    }

    fn grading(&self, own: &Comparison) -> Section {
        let names: Vec<String> = (0..own.opened.len()).map(|pane| self.short_name(pane)).collect();
        let mut lines = vec![format!("{:<13}{}", "", columns(&names))];
        let mut line = |name: &str, value: &dyn Fn(&Trajectory) -> Option<String>| {
            let values: Vec<Option<String>> = own.runs().iter().map(|run| value(run)).collect();
            if values.iter().any(Option::is_some) {
                let values: Vec<String> =
                    values.into_iter().map(|own| own.unwrap_or_else(|| "–".to_owned())).collect();
                lines.push(format!("{name:<13}{}", columns(&values)));
            }
        };
        line("reward", &|run| run.head.outcome.reward.map(two));
        for place in 0..5 {
            let name = reward_parts(&RewardParts::default())[place].0;
            line(name, &|run| reward_parts(&run.head.outcome.parts)[place].1.map(two));
        }
        line("gold state", &|run| {
            run.head.outcome.db_match.map(|own| if own { "✓" } else { "✗" }.to_owned())
        });
        if lines.len() == 1 {
            lines = vec!["The results hold no grading.".to_owned()];
        }
        Section::new("reward", lines)
    }

    /// What the heads of the panes say, where they are too narrow for it.
    fn runs(&self, own: &Comparison) -> Section {
        let line = |pane: usize| {
            let head = &own.run(pane).head;
            let (score, rank) = self.pane_score(own, pane);
            let mut facts = vec![format!("{} turns, {} calls", head.turns, head.tools)];
            facts.extend(score.map(|own| format!("{} {own:.4}", self.lens.scorer.label())));
            facts.extend(rank.map(|(rank, of)| format!("rank {rank} of {of}")));
            facts.extend(head.termination.as_ref().map(|own| format!("ended {own}")));
            facts.extend(head.cost.map(|own| format!("cost {own:.4}")));
            facts.extend(head.completion_tokens.map(|own| format!("{own} tokens")));
            facts.extend(head.duration.map(|own| format!("{own:.1} s")));
            format!("{}: {}", self.pane_name(pane), facts.join(", "))
        };
        let task = own.run(0).head.task.clone();
        Section::new(format!("runs of task {task}"), (0..own.opened.len()).map(line).collect())
    }

    fn short_name(&self, pane: usize) -> String {
        self.compare.keys.get(pane).map_or(String::new(), |own| match own.draw {
            0 => "ref".to_owned(),
            draw => format!("#{draw}"),
        })
    }

    /// Agreement and judges on the pair of the first pane and another, if it is a pair.
    fn agreement(&self, own: &Comparison, pane: usize) -> Option<Section> {
        let (first, other) = (*self.compare.keys.first()?, *self.compare.keys.get(pane)?);
        let edits = own.sheet.edits(pane);
        let longer = own.sheet.steps[0].len().max(own.sheet.steps[pane].len());
        let mut lines = vec![format!("{edits} of {longer} actions differ")];
        let frame = &self.data.engine()?.frames()[first.id.cell as usize];
        let sample = match (first.draw, other.draw) {
            (0, sample) | (sample, 0) if first.id == other.id => Some(sample),
            _ => None,
        };
        if let Some(sample) = sample {
            let task = &frame.tasks[first.id.task as usize];
            let place = task.samples.iter().position(|own| own.draw == sample);
            let value = |scorer: &String| {
                let value = *frame.pair_values(scorer)?.of(first.id.task as usize).get(place?)?;
                (!value.is_nan()).then(|| format!("{} {}", scorer.to_uppercase(), two(value)))
            };
            let values: Vec<String> =
                self.data.engine()?.consistency_ids().iter().filter_map(value).collect();
            lines.extend(values.chunks(3).map(|some| some.join("   ")));
            let pair = PairId { id: first.id, draw: sample };
            let engine = self.data.engine()?;
            let words = engine.words_on(pair).into_iter();
            lines.extend(words.map(|own| verdict(&engine.judges()[own.judge], own)));
        }
        let title = format!("{} and {}", self.pane_name(0), self.pane_name(pane));
        Some(Section::new(title, lines))
    }
}

fn verdict(judge: &str, own: JudgeWord) -> String {
    let said = match own.equivalent {
        Some(true) => "≡ equivalent",
        Some(false) => "≢ different",
        None => "? did not parse",
    };
    let sure = own.confidence.map_or(String::new(), |own| format!("  sure {}", two(own)));
    format!("{judge} {said}{sure}")
}

fn columns(values: &[String]) -> String {
    let values: Vec<String> = values.iter().map(|own| format!("{own:>6}")).collect();
    values.concat()
}

fn note(own: &Note) -> String {
    let place = match (own.draw, own.turn) {
        (None, _) => String::new(),
        (Some(draw), None) => format!(" (draw {draw})"),
        (Some(draw), Some(turn)) => format!(" (draw {draw}, turn {})", turn + 1),
    };
    format!("✎ {}{place}: {}", visible(&own.author), own.note)
}
