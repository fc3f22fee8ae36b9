//! The table of scorers: what everything else knows about a scorer, one row each.

use super::Family;
use super::consistency::Consistency;
use super::propagation::Propagation;
use super::whitebox::Base;

/// One scorer: its names, what it gives a value to, and what it needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    /// The id in stores, flags and JSON.
    pub id: &'static str,
    /// The name on screen: acronyms in capitals, as the paper writes them.
    pub label: &'static str,
    /// The family it is listed under.
    pub family: Family,
    /// What gets a value.
    pub level: Level,
    /// The values that are possible.
    pub range: ValueRange,
    /// Which values are surer of success.
    pub direction: Direction,
    /// Whether turn scores are kept and ranked as logs, since the values themselves underflow.
    pub ranks_by_log: bool,
    /// What must be there to compute it.
    pub needs: &'static [Need],
    /// How the engine computes it from a store; none when a model must, and the store holds the values.
    pub formula: Option<Formula>,
    /// Whether the paper lists it.
    pub in_paper: bool,
}

/// What a scorer gives a value to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Every turn of a run; an aggregator makes one value of them.
    Turn,
    /// Every pair of a reference and a sample; a task's value is their mean.
    Pair,
    /// The task's reference as a whole.
    Task,
}

/// Which values of a scorer are surer of success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The larger ones, as of a probability.
    #[default]
    LargerIsSurer,
    /// The smaller ones, as of an entropy.
    SmallerIsSurer,
}

impl Direction {
    /// Both.
    pub const ALL: [Self; 2] = [Self::LargerIsSurer, Self::SmallerIsSurer];

    /// The id that stores use.
    pub fn id(self) -> &'static str {
        match self {
            Self::LargerIsSurer => "larger-is-surer",
            Self::SmallerIsSurer => "smaller-is-surer",
        }
    }

    /// The direction of that id; the default without an id, or with an unknown one.
    pub fn of(id: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|direction| Some(direction.id()) == id).unwrap_or_default()
    }

    /// Whether values rank by what they are below zero.
    pub fn is_reversed(self) -> bool {
        self == Self::SmallerIsSurer
    }
}

/// The values that a scorer can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueRange {
    /// From 0 to 1.
    Unit,
    /// 0 or less.
    AtMostZero,
}

impl ValueRange {
    /// Whether a value lies in the range, but for rounding.
    pub fn contains(self, value: f64) -> bool {
        const ROUNDING: f64 = 1e-9;
        match self {
            Self::Unit => (-ROUNDING..=1.0 + ROUNDING).contains(&value),
            Self::AtMostZero => value <= ROUNDING,
        }
    }
}

/// How often every next action is resampled, unless the user chooses otherwise.
pub const NEXT_ACTIONS: usize = 5;

/// Something that a scorer cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// Log-probabilities of the reference's tokens.
    LogProbabilities,
    /// The likeliest alternatives of the reference's tokens.
    Alternatives,
    /// Samples of the task.
    Samples,
    /// A judge of outcomes.
    Judge,
    /// A model of natural-language inference.
    Nli,
    /// The agent's model, to be asked about its run.
    ChatModel,
    /// The agent's model, to be asked for its next action again.
    NextActions,
    /// A sentence encoder.
    Encoder,
}

impl Need {
    /// All needs: data first, then models.
    pub const ALL: [Self; 8] = [
        Self::LogProbabilities,
        Self::Alternatives,
        Self::Samples,
        Self::Judge,
        Self::Nli,
        Self::ChatModel,
        Self::NextActions,
        Self::Encoder,
    ];

    /// The name of the model, where a model is needed.
    pub fn model(self) -> Option<&'static str> {
        match self {
            Self::LogProbabilities | Self::Alternatives | Self::Samples => None,
            Self::Judge => Some("judge"),
            Self::Nli => Some("NLI"),
            Self::ChatModel | Self::NextActions => Some("the agent's"),
            Self::Encoder => Some("encoder"),
        }
    }

    /// How often the model is called for a task with so many samples and a reference of so many turns.
    pub fn calls(self, samples: usize, turns: usize) -> usize {
        match self {
            Self::LogProbabilities | Self::Alternatives | Self::Samples => 0,
            Self::Judge => samples,
            // A contradiction is looked for in both directions.
            Self::Nli => 2 * samples,
            Self::ChatModel | Self::Encoder => 1,
            Self::NextActions => NEXT_ACTIONS * turns,
        }
    }

    /// What it is called where it would add something.
    pub fn words(self) -> &'static str {
        match self {
            Self::LogProbabilities => "log-probabilities",
            Self::Alternatives => "alternatives of tokens",
            Self::Samples => "more runs of each task",
            Self::Judge => "a judge",
            Self::Nli => "an NLI model",
            Self::ChatModel => "the agent's model",
            Self::NextActions => "next actions sampled again",
            Self::Encoder => "an encoder",
        }
    }

    /// What to do where it is missing.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::LogProbabilities => "record them when the agent runs (see `qualm help import`)",
            Self::Alternatives => {
                "ask for `top_logprobs` when the agent runs (see `qualm help import`)"
            }
            Self::Samples => "run each task more than once",
            Self::Judge => "name a judge with `--judge-model`",
            Self::Nli => "name an NLI model with `--nli-model`",
            Self::ChatModel | Self::NextActions => "name the agent's model with `--self-model`",
            Self::Encoder => "name a sentence encoder with `--embedding-model`",
        }
    }
}

/// How the engine computes a scorer from a store alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A score of every turn's tokens.
    WhiteBox(Base),
    /// Doubt of all turns under weights.
    Propagation(Propagation),
    /// Agreement of action types with the samples.
    Consistency(Consistency),
    /// The share of samples that a judge calls outcome-equivalent.
    Equivalence,
    /// Minus the number of agent turns.
    TurnCount,
    /// Minus the number of the agent's tool calls.
    ToolCount,
}

impl Formula {
    /// The row of the table.
    pub fn spec(self) -> &'static Spec {
        let row = SPECS.iter().find(|spec| spec.formula == Some(self));
        row.unwrap_or_else(|| panic!("{self:?} has no row in the table of scorers"))
    }

    /// The scorer's id.
    pub fn id(self) -> &'static str {
        self.spec().id
    }
}

impl Spec {
    /// The row of an id; none for a scorer that a user brought.
    pub fn find(id: &str) -> Option<&'static Self> {
        SPECS.iter().find(|spec| spec.id == id)
    }

    /// Whether something must be there to compute it.
    pub fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }
}

const WHITE_BOX: Spec = Spec {
    id: "",
    label: "",
    family: Family::WhiteBox,
    level: Level::Turn,
    range: ValueRange::Unit,
    direction: Direction::LargerIsSurer,
    ranks_by_log: false,
    needs: &[Need::LogProbabilities],
    formula: None,
    in_paper: true,
};

/// An entropy or a margin is one of several tokens.
const OVER_ALTERNATIVES: Spec =
    Spec { needs: &[Need::LogProbabilities, Need::Alternatives], ..WHITE_BOX };

const PROPAGATION: Spec = Spec {
    family: Family::Propagation,
    level: Level::Task,
    range: ValueRange::AtMostZero,
    ..WHITE_BOX
};

/// Weights by distance compare what an encoder makes of the turns.
const DISTANCES: &[Need] = &[Need::LogProbabilities, Need::Encoder];

const REFLEXIVE: Spec =
    Spec { family: Family::Reflexive, level: Level::Task, needs: &[Need::ChatModel], ..WHITE_BOX };

/// Agreement of resampled next actions with those of the reference.
const PREFIX: Spec =
    Spec { family: Family::Prefix, level: Level::Task, needs: &[Need::NextActions], ..WHITE_BOX };

const MESSAGE: Spec = Spec {
    family: Family::Message,
    level: Level::Pair,
    needs: &[Need::Samples, Need::Nli],
    ..WHITE_BOX
};

const ACTION: Spec =
    Spec { family: Family::Action, level: Level::Pair, needs: &[Need::Samples], ..WHITE_BOX };

const JUDGED: Spec = Spec {
    family: Family::Judged,
    level: Level::Pair,
    needs: &[Need::Samples, Need::Judge],
    ..WHITE_BOX
};

const BASELINE: Spec = Spec {
    family: Family::Baseline,
    level: Level::Task,
    range: ValueRange::AtMostZero,
    needs: &[],
    ..WHITE_BOX
};

/// Every scorer that qualm knows, in the order they are listed: by family, as in [`Family::ALL`].
pub static SPECS: [Spec; 25] = [
    Spec {
        id: "sp",
        label: "SP",
        formula: Some(Formula::WhiteBox(Base::Sp)),
        ranks_by_log: true,
        ..WHITE_BOX
    },
    Spec { id: "lnsp", label: "LNSP", formula: Some(Formula::WhiteBox(Base::Lnsp)), ..WHITE_BOX },
    Spec {
        id: "atn",
        label: "ATN",
        formula: Some(Formula::WhiteBox(Base::Atn)),
        ..OVER_ALTERNATIVES
    },
    Spec { id: "pm", label: "PM", formula: Some(Formula::WhiteBox(Base::Pm)), ..OVER_ALTERNATIVES },
    Spec {
        id: "prop-uniform",
        label: "prop-uniform",
        formula: Some(Formula::Propagation(Propagation::Uniform)),
        ..PROPAGATION
    },
    Spec {
        id: "prop-pos",
        label: "prop-pos",
        formula: Some(Formula::Propagation(Propagation::Position)),
        ..PROPAGATION
    },
    Spec { id: "prop-dist", label: "prop-dist", needs: DISTANCES, ..PROPAGATION },
    Spec { id: "prop-pd", label: "prop-pd", needs: DISTANCES, ..PROPAGATION },
    Spec { id: "prop-hmm", label: "prop-hmm", needs: DISTANCES, ..PROPAGATION },
    Spec { id: "ptrue", label: "P(True)", ..REFLEXIVE },
    Spec { id: "ptrue-normalised", label: "P(True) norm", in_paper: false, ..REFLEXIVE },
    Spec { id: "vc", label: "VC", ..REFLEXIVE },
    Spec { id: "prefix-type-mean", label: "pfx type", ..PREFIX },
    Spec { id: "prefix-type-min", label: "pfx type min", ..PREFIX },
    Spec { id: "prefix-name-mean", label: "pfx name", ..PREFIX },
    Spec { id: "prefix-name-min", label: "pfx name min", ..PREFIX },
    Spec { id: "prefix-tool-mean", label: "pfx tool", ..PREFIX },
    Spec { id: "ncp", label: "NCP", ..MESSAGE },
    Spec {
        id: "fac",
        label: "FAC",
        formula: Some(Formula::Consistency(Consistency::Fac)),
        ..ACTION
    },
    Spec {
        id: "asc",
        label: "ASC",
        formula: Some(Formula::Consistency(Consistency::Asc)),
        ..ACTION
    },
    Spec {
        id: "adc",
        label: "ADC",
        formula: Some(Formula::Consistency(Consistency::Adc)),
        ..ACTION
    },
    Spec {
        id: "aec",
        label: "AEC",
        formula: Some(Formula::Consistency(Consistency::Aec)),
        ..ACTION
    },
    Spec { id: "ter", label: "TER", formula: Some(Formula::Equivalence), ..JUDGED },
    Spec { id: "turns", label: "turns", formula: Some(Formula::TurnCount), ..BASELINE },
    Spec { id: "tools", label: "tools", formula: Some(Formula::ToolCount), ..BASELINE },
];
