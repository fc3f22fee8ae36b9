//! What is being looked at, in words: start flags, remembered state and the command that reopens a
//! view are all this.

use serde::{Deserialize, Serialize};

use super::action::Screen;
use super::compare::Detail;
use super::grid::Show;
use super::stuck::ScopeKind;
use crate::compare::{Measure, Wanted};
use crate::engine::StuckTreatment;
use crate::metrics::Metric;
use crate::model::Cell;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::{Family, Scorer};
use crate::text::visible;

#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
/// A view of a store. What is unsaid is as it is at first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct View {
    /// The screen's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen: Option<String>,
    /// The selected cell's dataset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Its model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The selected task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The runs side by side: draws, or `DRAW@MODEL` and `DRAW@MODEL/CONDITION` for those of other
    /// cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draws: Option<String>,
    /// The pane that has the keys, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane: Option<usize>,
    /// The selected turn, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// The scorer's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scorer: Option<String>,
    /// Its aggregator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregator: Option<String>,
    /// The metric's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// How grids show their values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<String>,
    /// The scorer that differences are taken to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
    /// The column that orders the tasks, `-` before it for largest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Score columns of the tasks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The tasks of all cells.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_cells: bool,
    /// The grid's rows are ordered by the selected column.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub order_rows: bool,
    /// The scorer that orders the grid's columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_columns: Option<String>,
    /// Folded families.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fold: Vec<String>,
    /// The aggregator that ranks are compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare_with: Option<String>,
    /// The scorer before the current one, which ranks moved against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Who makes TER: a judge, or `human>JUDGE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// What stuck tasks do to agreement scores: counted, dropped or as-failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck: Option<String>,
    /// Which cells Stuck looks at together: all, dataset, model or cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Words that are searched in tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// How much of the runs is shown: heads, short or whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What tokens are coloured by: probability, entropy or margin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<String>,
    /// Messages are compared word by word.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub words: bool,
    /// Every pane scrolls on its own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unlocked: bool,
    /// The side pane: on or off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
}

/// A scorer by id and aggregator; an id that is not known names scores that the store holds.
pub fn scorer(id: &str, aggregator: Option<&str>) -> Option<Scorer> {
    if let Some(aggregator) = aggregator {
        return Scorer::parse_white_box(&format!("{id}.{aggregator}"));
    }
    Scorer::parse_white_box(id).or_else(|| {
        let offline = Scorer::offline();
        let own = offline.iter().find(|own| own.id() == id);
        match own {
            Some(Scorer::WhiteBox(base, _)) => Some(Scorer::WhiteBox(*base, Aggregator::Min)),
            Some(own) => Some(own.clone()),
            None => Some(Scorer::Stored(id.to_owned())),
        }
    })
}

impl View {
    /// The first thing in it that means nothing, in words.
    pub fn problem(&self, cells: &[Cell]) -> Option<String> {
        let unknown = |flag: &str, value: &str, known: Vec<String>| {
            format!("--{flag}: there is no `{value}`; it is one of: {}", known.join(", "))
        };
        let names = |name: fn(&Cell) -> &String| {
            let mut names: Vec<String> = cells.iter().map(|own| name(own).clone()).collect();
            names.sort();
            names.dedup();
            names
        };
        let ids = |all: &[&str]| all.iter().map(|&own| own.to_owned()).collect();
        let lists: [(&str, &Option<String>, Vec<String>); 11] = [
            ("detail", &self.detail, ids(&Detail::ALL.map(Detail::id))),
            ("tokens", &self.tokens, ids(&Measure::ALL.map(Measure::id))),
            ("stuck", &self.stuck, ids(&StuckTreatment::ALL.map(StuckTreatment::id))),
            ("scope", &self.scope, ids(&ScopeKind::ALL.map(ScopeKind::id))),
            ("side", &self.side, ids(&["on", "off"])),
            ("screen", &self.screen, Screen::NUMBERED.map(|own| own.id().to_owned()).to_vec()),
            ("dataset", &self.dataset, names(|own| &own.dataset)),
            ("model", &self.model, names(|own| &own.model)),
            ("condition", &self.condition, names(|own| &own.condition)),
            ("metric", &self.metric, Metric::ALL.map(|own| own.id().to_owned()).to_vec()),
            ("show", &self.show, Show::ALL.map(|own| own.id().to_owned()).to_vec()),
        ];
        for (flag, value, known) in lists {
            if let Some(value) = value.as_ref().filter(|own| !known.contains(own)) {
                return Some(unknown(flag, value, known));
            }
        }
        let rules = [("aggregator", &self.aggregator), ("compare-with", &self.compare_with)];
        for (flag, rule) in rules {
            if let Some(rule) = rule.as_ref().filter(|own| Aggregator::parse(own).is_none()) {
                return Some(unknown(flag, rule, Aggregator::ALL.map(Aggregator::id).to_vec()));
            }
        }
        let families = || Family::ALL.map(|own| own.id().to_owned()).to_vec();
        if let Some(family) = self.fold.iter().find(|own| !families().contains(own)) {
            return Some(unknown("fold", family, families()));
        }
        if let (Some(id), Some(rule)) = (&self.scorer, &self.aggregator)
            && scorer(id, Some(rule)).is_none()
        {
            return Some(format!("--aggregator: `{id}` is no base score, so it has none"));
        }
        if let Some(problem) = self.draws.as_deref().and_then(|own| Wanted::list(own).err()) {
            return Some(format!("--draws: {problem}"));
        }
        let named = self.dataset.is_some() || self.model.is_some() || self.condition.is_some();
        (named && self.cell(cells).is_none())
            .then(|| "no cell fits --dataset, --model and --condition together".to_owned())
    }

    /// The first cell that it names; none when it names none.
    pub fn cell(&self, cells: &[Cell]) -> Option<usize> {
        if self.dataset.is_none() && self.model.is_none() && self.condition.is_none() {
            return None;
        }
        let fits =
            |wanted: &Option<String>, own: &str| wanted.as_ref().is_none_or(|wanted| wanted == own);
        cells.iter().position(|own| {
            fits(&self.dataset, &own.dataset)
                && fits(&self.model, &own.model)
                && fits(&self.condition, &own.condition)
        })
    }

    /// The flags that say the same.
    pub fn flags(&self) -> Vec<(&'static str, String)> {
        let mut flags = Vec::new();
        let mut add = |flag: &'static str, value: &Option<String>| {
            flags.extend(value.iter().map(|value| (flag, value.clone())));
        };
        add("--screen", &self.screen);
        add("--dataset", &self.dataset);
        add("--model", &self.model);
        add("--condition", &self.condition);
        add("--task", &self.task);
        add("--draws", &self.draws);
        add("--pane", &self.pane.map(|own| own.to_string()));
        add("--turn", &self.turn.map(|own| own.to_string()));
        add("--scorer", &self.scorer);
        add("--aggregator", &self.aggregator);
        add("--metric", &self.metric);
        add("--filter", &self.filter);
        add("--show", &self.show);
        add("--pin", &self.pin);
        add("--sort", &self.sort);
        add("--order-columns", &self.order_columns);
        add("--compare-with", &self.compare_with);
        add("--before", &self.before);
        add("--judge", &self.judge);
        add("--stuck", &self.stuck);
        add("--scope", &self.scope);
        add("--search", &self.search);
        add("--detail", &self.detail);
        add("--tokens", &self.tokens);
        add("--side", &self.side);
        let lists = [("--columns", &self.columns), ("--fold", &self.fold)];
        for (flag, own) in lists {
            flags.extend(own.iter().map(|value| (flag, value.clone())));
        }
        flags
    }

    /// The command that opens a store at this view.
    pub fn command(&self, store: &str) -> String {
        let mut words = vec!["qualm".to_owned(), quoted(store)];
        for (flag, value) in self.flags() {
            // A value that begins with a dash would be taken for a flag.
            let joint = if value.starts_with('-') { "=" } else { " " };
            words.push(format!("{flag}{joint}{}", quoted(&value)));
        }
        let switches = [
            ("--all-cells", self.all_cells),
            ("--order-rows", self.order_rows),
            ("--words", self.words),
            ("--unlocked", self.unlocked),
        ];
        words.extend(switches.iter().filter(|(_, on)| *on).map(|(flag, _)| (*flag).to_owned()));
        words.join(" ")
    }
}

/// A word as a shell reads it back. Control characters are no part of any name that was shown.
fn quoted(word: &str) -> String {
    let word = visible(word);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:+=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_back_by_a_shell() {
        let view = View {
            filter: Some("task = 'a b'".to_owned()),
            sort: Some("-rank".to_owned()),
            all_cells: true,
            ..View::default()
        };
        assert_eq!(
            view.command("my store.qualm"),
            r"qualm 'my store.qualm' --filter 'task = '\''a b'\''' --sort=-rank --all-cells"
        );
    }

    #[test]
    fn what_means_nothing_is_named() {
        let cells = [Cell::new("airline", "m"), Cell::new("retail", "n")];
        let view = |set: fn(&mut View)| {
            let mut view = View::default();
            set(&mut view);
            view.problem(&cells)
        };
        assert_eq!(view(|_| ()), None);
        let said = view(|own| own.dataset = Some("arline".to_owned())).expect("a problem");
        assert_eq!(said, "--dataset: there is no `arline`; it is one of: airline, retail");
        let said = view(|own| {
            (own.dataset, own.model) = (Some("airline".to_owned()), Some("n".to_owned()));
        });
        assert!(said.expect("a problem").starts_with("no cell fits"));
        let said = view(|own| {
            (own.scorer, own.aggregator) = (Some("ter".to_owned()), Some("min".to_owned()));
        });
        assert!(said.expect("a problem").contains("no base score"));
    }
}
