//! What every scorer has, what it lacks, and what it would take to compute the rest.

use std::collections::{BTreeMap, BTreeSet};

use super::existing::Existing;
use super::plan::{Item, Plan};
use super::score::ANSWER_TOKENS;
use super::settings::{AskSettings, Question, SelfModels};
use super::{ChatModel, DEFAULT_URL, Endpoint, ModelError, Prices, Wanted};
use crate::engine::Engine;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::scorers::{Family, Formula, Need, SPECS, Scorer, Spec};
use crate::store::{ScorerSettings, Store};
use crate::text::shell_word;

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
    /// Whether the results have the log-probabilities and the further runs that it needs, if it needs any.
    pub has_data: bool,
    /// What a model would be asked, where one must be.
    pub asking: Option<Asking>,
}

/// What asking for the values that are missing would take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asking {
    /// Calls of the model.
    pub calls: usize,
    /// Tokens of the questions and of the answers, estimated.
    pub tokens: [u64; 2],
    /// The model that gave the values that are there.
    pub model: Option<String>,
    /// The models of the store that would be asked about their runs, each with the name under which it
    /// was asked before; none for a judge.
    pub selves: Vec<(String, Option<String>)>,
    /// Whether the store has one model, so that a bare name says which is meant.
    pub is_one_model: bool,
    /// What the calls cost by the prices of the models that were asked before or, where an agent's model
    /// was not asked, of a model with its name.
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
        let judge = self.asking.as_ref().and_then(|asking| asking.model.as_deref());
        let needed = self.spec.needs.iter().rev().find(|need| need.model().is_some())?;
        Some(match needed {
            Need::Judge => format!("--judge-model {}", typed(judge)),
            Need::ChatModel | Need::NextActions => format!("{} --scorers {id}", self.self_models()),
            Need::Nli => "--nli-model DIR".to_owned(),
            Need::Encoder => format!("--embedding-model DIR --scorers {id}"),
            Need::LogProbabilities | Need::Alternatives | Need::Samples => return None,
        })
    }

    /// The flags that name the agents' models: a bare name is enough for one.
    fn self_models(&self) -> String {
        let Some(Asking { selves, is_one_model, .. }) = &self.asking else {
            return "--self-model NAME".to_owned();
        };
        let flag = |(model, asked): &(String, Option<String>)| {
            let named = format!("{model}={}", typed(asked.as_deref()));
            format!("--self-model {}", shell_word(&named))
        };
        match &selves[..] {
            [] => "--self-model NAME".to_owned(),
            [(_, asked)] if *is_one_model => format!("--self-model {}", typed(asked.as_deref())),
            _ => selves.iter().map(flag).collect::<Vec<_>>().join(" "),
        }
    }
}

/// The name of a model in a command, or what stands for it.
fn typed(model: Option<&str>) -> &str {
    model.filter(|model| !model.contains([' ', ',', '\''])).unwrap_or("NAME")
}

/// The outlook of every scorer of the table.
pub fn outlook(
    store: &Store,
    engine: &Engine,
    prices: &Prices,
) -> Result<Vec<ScorerOutlook>, ModelError> {
    let rows = engine.frames().iter().map(|frame| frame.tasks.len()).sum();
    let asked = estimates(Store::open(store.path())?)?;
    let manifest = store.manifest();
    let recorded = engine.valued(&scorer(Formula::WhiteBox(Base::Lnsp).spec())) > 0;
    let models = engine.frames().iter().map(|frame| frame.cell.model.as_str());
    let is_one_model = models.collect::<BTreeSet<_>>().len() == 1;
    let mut tasks = engine.frames().iter().flat_map(|frame| frame.tasks.iter());
    let repeated = tasks.any(|task| !task.samples.is_empty());
    let row = |spec: &'static Spec| {
        let has_data = (recorded || !spec.needs(Need::LogProbabilities))
            && (repeated || !spec.needs(Need::Samples));
        let asking = Question::of_scorer(spec.id).map(|question| {
            let judge = manifest.judges.values().next_back();
            let settings =
                if question == Question::Ter { judge } else { manifest.scorers.get(spec.id) };
            let estimated = asked.get(&question).cloned().unwrap_or_default();
            Asking { is_one_model, ..estimated.asking(question, settings, prices) }
        });
        ScorerOutlook { spec, valued: engine.valued(&scorer(spec)), rows, has_data, asking }
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

/// What questions of one kind would take.
#[derive(Clone, Debug, Default)]
struct Estimated {
    /// Calls, by the model of the cell.
    calls: BTreeMap<String, usize>,
    /// Tokens of one question.
    tokens: u64,
}

impl Estimated {
    fn tokens(&self, calls: usize) -> [u64; 2] {
        [self.tokens, ANSWER_TOKENS].map(|tokens| tokens * calls as u64)
    }

    /// The same with the names and prices of models, as far as these are known.
    fn asking(
        &self,
        question: Question,
        settings: Option<&ScorerSettings>,
        prices: &Prices,
    ) -> Asking {
        let calls = self.calls.values().sum();
        let model = settings.and_then(|settings| settings.model.clone());
        let tokens = self.tokens(calls);
        if question == Question::Ter {
            let cost = model.as_ref().and_then(|model| prices.cost(model, tokens));
            return Asking { calls, tokens, model, cost, ..Asking::default() };
        }
        let asked =
            |name: &String| settings.and_then(|settings| settings.models.get(name).cloned());
        let selves = self.calls.keys().map(|name| (name.clone(), asked(name))).collect();
        let cost = |(name, calls): (&String, &usize)| {
            prices.cost(asked(name).as_ref().unwrap_or(name), self.tokens(*calls))
        };
        let cost = self.calls.iter().map(cost).sum::<Option<f64>>().filter(|_| calls > 0);
        Asking { calls, tokens, model, selves, cost, ..Asking::default() }
    }
}

/// What every kind of question would take, for rows and pairs without an answer.
fn estimates(store: Store) -> Result<BTreeMap<Question, Estimated>, ModelError> {
    let (judgments, scores) = (store.judgments()?, store.scores()?);
    let existing = Existing::new(&judgments, &scores, None);
    let wanted =
        Wanted { questions: Question::ALL.to_vec(), only_missing: true, ..Wanted::default() };
    let mut plan = Plan::new(store, placeholder(), &wanted, &existing)?;
    let mut found = BTreeMap::new();
    for question in Question::ALL {
        let items: Vec<Item> =
            plan.items.iter().filter(|item| item.question == question).copied().collect();
        let mut estimated = Estimated::default();
        for item in &items {
            let model = plan.entries[item.run].head.cell.model.clone();
            *estimated.calls.entry(model).or_default() += 1;
        }
        let step = items.len().div_ceil(SAMPLED).max(1);
        let (mut tokens, mut sampled) = (0, 0u64);
        for item in items.iter().step_by(step) {
            tokens += plan.call(item)?.tokens();
            sampled += 1;
        }
        estimated.tokens = tokens.checked_div(sampled).unwrap_or(0);
        found.insert(question, estimated);
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
