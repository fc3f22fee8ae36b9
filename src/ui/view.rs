//! A view in words. Start flags, the remembered state and the command that reopens a view all use
//! this struct: a setting is one field, here or in the view of its screen.

use std::collections::BTreeSet;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::screens::{Screen, ScreenViews};
use super::shared::Lens;
use crate::compare::Measure;
use crate::engine::StuckTreatment;
use crate::metrics::Metric;
use crate::model::Cell;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::{Family, Scorer};
use crate::text::shell_word;

/// One of a few things, each with a name in flags and state.
pub trait Named: Copy + PartialEq + Send + Sync + 'static {
    /// All of them, in their order.
    const ALL: &'static [Self];

    /// The name in flags and state.
    fn id(self) -> &'static str;

    /// The one of that name, whatever its case.
    fn named(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.id().eq_ignore_ascii_case(text))
    }

    /// The one after it; after the last the first.
    #[must_use]
    fn next(self) -> Self {
        let index = Self::ALL.iter().position(|known| *known == self).unwrap_or(0);
        Self::ALL[(index + 1) % Self::ALL.len()]
    }
}

/// The parser of a flag that takes one of a few names, in any case; help lists them.
pub fn one_of<T: Named>() -> impl TypedValueParser<Value = T> {
    let ids = PossibleValuesParser::new(T::ALL.iter().map(|known| known.id()));
    ids.try_map(|text| parse_name(&text))
}

/// Reads a name; the error lists the names there are.
pub fn parse_name<T: Named>(text: &str) -> Result<T, UnknownName> {
    T::named(text).ok_or_else(|| unknown(text, T::ALL.iter().map(|known| known.id())))
}

/// A name that means nothing, with the names there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no `{text}`; it is one of: {}", known.join(", "))]
pub struct UnknownName {
    text: String,
    known: Vec<String>,
}

/// Reads an aggregator's name from a flag.
pub fn aggregator(text: &str) -> Result<String, UnknownName> {
    let text = text.to_lowercase();
    match Aggregator::parse(&text) {
        Some(_) => Ok(text),
        None => Err(unknown(&text, Aggregator::ALL.map(Aggregator::id))),
    }
}

/// Reads a scorer's name from a flag. One of ours may be written as on screen: `LNSP·min`.
pub fn scorer(text: &str) -> Result<String, String> {
    Ok(Scorer::typed(text))
}

/// A scorer's name in flags.
pub fn flag_name(scorer: &Scorer) -> String {
    scorer.flag()
}

fn unknown<I: AsRef<str>>(text: &str, known: impl IntoIterator<Item = I>) -> UnknownName {
    let known = known.into_iter().map(|name| name.as_ref().to_owned()).collect();
    UnknownName { text: text.to_owned(), known }
}

impl Named for Metric {
    const ALL: &'static [Self] = &Self::ALL;

    fn id(self) -> &'static str {
        Self::id(self)
    }
}

impl Named for StuckTreatment {
    const ALL: &'static [Self] = &Self::ALL;

    fn id(self) -> &'static str {
        Self::id(self)
    }
}

impl Named for Measure {
    const ALL: &'static [Self] = &Self::ALL;

    fn id(self) -> &'static str {
        Self::id(self)
    }
}

impl Named for Family {
    const ALL: &'static [Self] = &Self::ALL;

    fn id(self) -> &'static str {
        Self::id(self)
    }
}

/// Names in the remembered state. One that means nothing, perhaps of another version, is passed over.
pub mod named {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::Named;

    /// Writes the name.
    pub fn serialize<T: Named, S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        value.map(T::id).serialize(to)
    }

    /// Reads a name.
    pub fn deserialize<'d, T: Named, D: Deserializer<'d>>(from: D) -> Result<Option<T>, D::Error> {
        Ok(Option::<String>::deserialize(from)?.and_then(|text| T::named(&text)))
    }
}

/// Lists of names in the remembered state.
pub mod named_list {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::Named;

    /// Writes the names.
    pub fn serialize<T: Named, S: Serializer>(values: &[T], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(|value| value.id()))
    }

    /// Reads the names.
    pub fn deserialize<'d, T: Named, D: Deserializer<'d>>(from: D) -> Result<Vec<T>, D::Error> {
        let names = Vec::<String>::deserialize(from)?;
        Ok(names.iter().filter_map(|text| T::named(text)).collect())
    }
}

/// Which cell and task.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Location {
    /// The dataset of the selected cell
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Its model
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its condition
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The selected task
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

impl Location {
    /// The first cell that it names; none when it names none.
    pub fn cell(&self, cells: &[Cell]) -> Option<usize> {
        if !self.names_cell() {
            return None;
        }
        let fits = |wanted: &Option<String>, name: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == name)
        };
        cells.iter().position(|cell| {
            fits(&self.dataset, &cell.dataset)
                && fits(&self.model, &cell.model)
                && fits(&self.condition, &cell.condition)
        })
    }

    fn names_cell(&self) -> bool {
        self.dataset.is_some() || self.model.is_some() || self.condition.is_some()
    }

    /// What it names and the store does not hold, in words.
    fn problem(&self, cells: &[Cell]) -> Option<String> {
        let names =
            |name: fn(&Cell) -> &String| -> BTreeSet<&String> { cells.iter().map(name).collect() };
        let parts = [
            ("dataset", &self.dataset, names(|cell| &cell.dataset)),
            ("model", &self.model, names(|cell| &cell.model)),
            ("condition", &self.condition, names(|cell| &cell.condition)),
        ];
        for (flag, wanted, names) in parts {
            if let Some(wanted) = wanted.as_ref().filter(|wanted| !names.contains(wanted)) {
                return Some(format!("--{flag}: {}", unknown(wanted, names)));
            }
        }
        (self.names_cell() && self.cell(cells).is_none())
            .then(|| "no cell fits --dataset, --model and --condition together".to_owned())
    }
}

/// The scorer, metric, scope and selection.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LensView {
    /// The scorer: lnsp, ter, a score of your own …
    #[arg(long, value_parser = scorer)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scorer: Option<String>,
    /// The aggregator of a white-box scorer: min, mean, softmin-10 …
    #[arg(long, value_parser = aggregator)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregator: Option<String>,
    /// The metric
    #[arg(long, value_parser = one_of::<Metric>(), ignore_case = true)]
    #[serde(with = "named", skip_serializing_if = "Option::is_none")]
    pub metric: Option<Metric>,
    /// The scope: compute every number on these tasks only, an expression such as `turns > 5`
    #[arg(id = "where", long, value_name = "EXPR", allow_hyphen_values = true)]
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The selection: list only these tasks, which changes no number, such as
    /// `not success and lnsp_min > 0.8`
    #[arg(id = "select", long, alias = "filter", value_name = "EXPR", allow_hyphen_values = true)]
    #[serde(rename = "select", skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
    /// Whose verdicts make TER: a judge, or human>JUDGE for people where they voted, else the judge
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// How agreement scores treat stuck tasks
    #[arg(long, value_parser = one_of::<StuckTreatment>(), ignore_case = true)]
    #[serde(with = "named", skip_serializing_if = "Option::is_none")]
    pub stuck: Option<StuckTreatment>,
}

/// A view of a store; what it leaves out has its default.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[command(next_help_heading = Self::HEADING)]
pub struct View {
    /// The screen
    #[arg(long, value_parser = one_of::<Screen>(), ignore_case = true)]
    #[serde(with = "named", skip_serializing_if = "Option::is_none")]
    pub screen: Option<Screen>,
    /// Which cell and task.
    #[command(flatten)]
    #[serde(flatten)]
    pub location: Location,
    /// The lens.
    #[command(flatten)]
    #[serde(flatten)]
    pub lens: LensView,
    /// What each screen remembers.
    #[command(flatten)]
    #[serde(flatten)]
    pub screens: ScreenViews,
}

impl View {
    /// The heading of its flags in help.
    pub const HEADING: &'static str = "View";

    /// The first thing in it that means nothing for these cells, in words.
    pub fn problem(&self, cells: &[Cell]) -> Option<String> {
        if let (Some(id), Some(rule)) = (&self.lens.scorer, &self.lens.aggregator)
            && Lens::parse_scorer(id, Some(rule)).is_none()
        {
            return Some(format!("--aggregator: `{id}` is no base score, so it has none"));
        }
        self.location.problem(cells)
    }

    /// The command that opens a store at this view.
    pub fn command(&self, store: &str) -> String {
        let mut words = vec!["qualm".to_owned(), shell_word(store)];
        let Ok(Value::Object(values)) = serde_json::to_value(self) else { return words.join(" ") };
        let flags = Self::augment_args(clap::Command::new("qualm"));
        for flag in flags.get_arguments() {
            let (Some(name), Some(value)) = (flag.get_long(), values.get(flag.get_id().as_str()))
            else {
                continue;
            };
            match value {
                Value::Bool(_) => words.push(format!("--{name}")),
                Value::Array(all) => words.extend(all.iter().map(|value| pair(name, value))),
                value => words.push(pair(name, value)),
            }
        }
        words.join(" ")
    }
}

/// A flag and its value, as a shell reads them back.
fn pair(name: &str, value: &Value) -> String {
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    // A value that begins with a dash would be taken for a flag.
    let joint = if value.starts_with('-') { "=" } else { " " };
    format!("--{name}{joint}{}", shell_word(&value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_back_by_a_shell() {
        let mut view = View::default();
        view.lens.selection = Some("task = 'a b'".to_owned());
        view.lens.scope = Some("turns > 5".to_owned());
        view.screens.tasks.sort = Some("-rank".to_owned());
        view.screens.tasks.all_cells = true;
        assert_eq!(
            view.command("my store.qualm"),
            r"qualm 'my store.qualm' --where 'turns > 5' --select 'task = '\''a b'\''' --sort=-rank --all-cells"
        );
    }

    #[test]
    fn an_unknown_name_is_named_in_the_problem() {
        let cells = [Cell::new("airline", "m"), Cell::new("retail", "n")];
        let problem = |set: fn(&mut View)| {
            let mut view = View::default();
            set(&mut view);
            view.problem(&cells)
        };
        assert_eq!(problem(|_| ()), None);
        let said = problem(|view| view.location.dataset = Some("arline".to_owned()));
        assert_eq!(
            said.expect("a problem"),
            "--dataset: there is no `arline`; it is one of: airline, retail"
        );
        let said = problem(|view| {
            let location = &mut view.location;
            (location.dataset, location.model) = (Some("airline".to_owned()), Some("n".to_owned()));
        });
        assert!(said.expect("a problem").starts_with("no cell fits"));
        let said = problem(|view| {
            let lens = &mut view.lens;
            (lens.scorer, lens.aggregator) = (Some("ter".to_owned()), Some("min".to_owned()));
        });
        assert!(said.expect("a problem").contains("no base score"));
    }

    #[test]
    fn a_remembered_name_that_means_nothing_is_passed_over() {
        let text = r#"{"screen": "attic", "metric": "prr", "turn": 3, "fold": ["baseline", "x"]}"#;
        let view: View = serde_json::from_str(text).expect("a view");
        assert_eq!((view.screen, view.lens.metric), (None, Some(Metric::Prr)));
        assert_eq!(view.screens.compare.turn, Some(3));
        assert_eq!(view.screens.grid.fold, [Family::Baseline]);
    }
}
