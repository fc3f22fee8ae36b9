//! What every scorer has, what it lacks, and what it would take to compute the rest.

use std::collections::BTreeMap;

use super::existing::Existing;
use super::plan::{Item, Plan};
use super::score::ANSWER_TOKENS;
use super::settings::{AskSettings, Question, SelfModels};
use super::{ChatModel, DEFAULT_URL, Endpoint, ModelError, Prices, Wanted};
use crate::engine::Engine;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::scorers::{Family, Formula, Need, SPECS, Scorer, Spec};
use crate::store::Store;

/// Questions of a kind whose text is made to estimate the tokens of all.
const SAMPLED: usize = 40;

/// The outlook of one scorer.
#[derive(Clone, Debug)]
pub struct ScorerOutlook {
    /// The scorer.
    pub spec: &'static Spec,
    /// Rows with a value; rows are tasks, or runs where every run counts.
    pub valued: usize,
    /// All rows.
    pub rows: usize,
    /// Whether the results have the log-probabilities that it needs, if it needs any.
    pub has_data: bool,
    /// What a model would be asked, where one must be.
    pub asking: Option<Asking>,
}

/// What asking for the values that are missing would take.
#[derive(Clone, Debug, PartialEq)]
pub struct Asking {
    /// Calls of the model.
    pub calls: usize,
    /// Tokens of the questions and of the answers, estimated.
    pub tokens: [u64; 2],
    /// The model that gave the values that are there.
    pub model: Option<String>,
    /// What the calls cost by the prices of that model.
    pub cost: Option<f64>,
}

impl ScorerOutlook {
    /// Whether every row has a value.
    pub fn is_complete(&self) -> bool {
        self.valued == self.rows
    }

    /// The flags of `qualm score` that compute what is missing; none where no command does.
    pub fn flags(&self) -> Option<String> {
        if !self.has_data {
            return None;
        }
        let id = match self.spec.family {
            Family::Prefix => "prefix",
            _ => self.spec.id,
        };
        let model =
            self.asking.as_ref().and_then(|asking| asking.model.as_deref()).unwrap_or("NAME");
        let model = if model.contains([' ', ',', '\'']) { "NAME" } else { model };
        let needed = self.spec.needs.iter().rev().find(|need| need.model().is_some())?;
        Some(match needed {
            Need::Judge => format!("--judge-model {model}"),
            Need::ChatModel | Need::NextActions => format!("--self-model {model} --scorers {id}"),
            Need::Nli => "--nli-model DIR".to_owned(),
            Need::Encoder => format!("--embedding-model DIR --scorers {id}"),
            Need::LogProbabilities | Need::Alternatives | Need::Samples => return None,
        })
    }
}

/// The outlook of every scorer of the table.
pub fn outlook(
    store: &Store,
    engine: &Engine,
    prices: &Prices,
) -> Result<Vec<ScorerOutlook>, ModelError> {
    let rows = engine.frames().iter().map(|frame| frame.tasks.len()).sum();
    let mut asked = estimates(Store::open(store.path())?)?;
    let manifest = store.manifest();
    let recorded = engine.valued(&scorer(Formula::WhiteBox(Base::Lnsp).spec())) > 0;
    let row = |spec: &'static Spec| {
        let valued = engine.valued(&scorer(spec));
        let has_data = recorded || !spec.needs(Need::LogProbabilities);
        let question = Question::of_scorer(spec.id);
        let asking = question.map(|question| {
            let (calls, tokens) = asked.remove(&question).unwrap_or_default();
            asked.insert(question, (calls, tokens));
            let settings = manifest.scorers.get(spec.id);
            let judge = manifest.judges.values().next_back();
            let settings = if question == Question::Ter { judge } else { settings };
            let model = settings.and_then(|settings| settings.model.clone());
            let cost = model.as_ref().and_then(|model| prices.cost(model, tokens));
            Asking { calls, tokens, model, cost }
        });
        ScorerOutlook { spec, valued, rows, has_data, asking }
    };
    Ok(SPECS.iter().map(row).collect())
}

/// A scorer that stands for a row of the table.
fn scorer(spec: &Spec) -> Scorer {
    match spec.formula {
        Some(formula @ Formula::WhiteBox(_)) => Scorer::computed(formula, Aggregator::Mean),
        _ => Scorer::of_spec(spec),
    }
}

/// Calls and tokens of every kind of question, for rows and pairs without an answer.
fn estimates(store: Store) -> Result<BTreeMap<Question, (usize, [u64; 2])>, ModelError> {
    let (judgments, scores) = (store.judgments()?, store.scores()?);
    let existing = Existing::new(&judgments, &scores, None);
    let wanted =
        Wanted { questions: Question::ALL.to_vec(), only_missing: true, ..Wanted::default() };
    let mut plan = Plan::new(store, placeholder(), &wanted, &existing)?;
    let mut found = BTreeMap::new();
    for question in Question::ALL {
        let items: Vec<Item> =
            plan.items.iter().filter(|item| item.question == question).copied().collect();
        let step = items.len().div_ceil(SAMPLED).max(1);
        let (mut tokens, mut sampled) = (0, 0u64);
        for item in items.iter().step_by(step) {
            tokens += plan.call(item)?.tokens();
            sampled += 1;
        }
        let calls = items.len() as u64;
        let sent = (tokens * calls).checked_div(sampled).unwrap_or(0);
        found.insert(question, (items.len(), [sent, calls * ANSWER_TOKENS]));
    }
    Ok(found)
}

/// Settings with a model that is never asked.
fn placeholder() -> AskSettings {
    let model = Endpoint::new(DEFAULT_URL, &|_| None)
        .ok()
        .map(|endpoint| ChatModel { name: String::new(), endpoint });
    let selves = SelfModels { only: model.clone(), ..SelfModels::default() };
    AskSettings { judge: model, selves, ..AskSettings::default() }
}
