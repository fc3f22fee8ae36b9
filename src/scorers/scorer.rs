use std::fmt;

use super::aggregate::Aggregator;
use super::consistency::Consistency;
use super::propagation::Propagation;
use super::whitebox::Base;

/// A map from a trajectory (and its samples) to a confidence.
#[derive(Clone, Debug, PartialEq)]
pub enum Scorer {
    /// A turn score under a cross-turn aggregator.
    WhiteBox(Base, Aggregator),
    /// A propagation control.
    Propagation(Propagation),
    /// Agreement of action types with the samples.
    Consistency(Consistency),
    /// Share of samples that a judge calls outcome-equivalent.
    Ter,
    /// Minus the number of agent turns.
    Turns,
    /// Minus the number of the agent's tool calls.
    Tools,
    /// Values that the store holds, by the name they were brought under.
    Stored(String),
}

/// Scorers that need the same things and cost the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Token probabilities of the reference.
    WhiteBox,
    /// Propagation of turn-level doubt.
    Propagation,
    /// The model's word on its own run.
    Reflexive,
    /// Agreement of actions between draws.
    Action,
    /// Agreement of final messages between draws.
    Message,
    /// Agreement of outcomes between draws, by a judge.
    Judged,
    /// What a count of turns tells.
    Baseline,
    /// Scores that a user brought.
    Brought,
}

impl Family {
    /// All of them, in the order they are listed.
    pub const ALL: [Self; 8] = [
        Self::WhiteBox,
        Self::Propagation,
        Self::Reflexive,
        Self::Message,
        Self::Action,
        Self::Judged,
        Self::Baseline,
        Self::Brought,
    ];

    /// The id that JSON uses.
    pub fn id(self) -> &'static str {
        match self {
            Self::WhiteBox => "white-box",
            Self::Propagation => "propagation",
            Self::Reflexive => "reflexive",
            Self::Action => "action-consistency",
            Self::Message => "message-consistency",
            Self::Judged => "judged-consistency",
            Self::Baseline => "baseline",
            Self::Brought => "brought",
        }
    }

    /// Whether it compares draws, and so needs samples.
    pub fn is_consistency(self) -> bool {
        matches!(self, Self::Action | Self::Message | Self::Judged)
    }
}

impl Scorer {
    /// The scorers that need nothing but the store, white-box ones under the paper's aggregators.
    pub fn offline() -> Vec<Self> {
        let white_box = Base::ALL
            .into_iter()
            .flat_map(|base| Aggregator::PAPER.map(|rule| Self::WhiteBox(base, rule)));
        white_box
            .chain(Propagation::ALL.map(Self::Propagation))
            .chain(Consistency::ALL.map(Self::Consistency))
            .chain([Self::Ter, Self::Turns, Self::Tools])
            .collect()
    }

    /// The ids of [`Scorer::offline`].
    pub fn offline_ids() -> Vec<&'static str> {
        let base = Base::ALL.into_iter().map(Base::id);
        let propagation = Propagation::ALL.into_iter().map(Propagation::id);
        let consistency = Consistency::ALL.into_iter().map(Consistency::id);
        base.chain(propagation).chain(consistency).chain(["ter", "turns", "tools"]).collect()
    }

    /// A white-box scorer by base score and aggregator, such as `lnsp.window-3`.
    pub fn parse_white_box(text: &str) -> Option<Self> {
        let (base, rule) = text.split_once(['.', '·'])?;
        let base = Base::ALL.into_iter().find(|own| own.id() == base)?;
        Some(Self::WhiteBox(base, Aggregator::parse(rule)?))
    }

    /// The id, without the aggregator.
    pub fn id(&self) -> &str {
        match self {
            Self::WhiteBox(base, _) => base.id(),
            Self::Propagation(own) => own.id(),
            Self::Consistency(own) => own.id(),
            Self::Ter => "ter",
            Self::Turns => "turns",
            Self::Tools => "tools",
            Self::Stored(name) => name,
        }
    }

    /// The name on screen: acronyms in capitals, as the paper writes them.
    pub fn label(&self) -> String {
        let id = match self.family() {
            Family::WhiteBox | Family::Action | Family::Message | Family::Judged => {
                self.id().to_uppercase()
            }
            Family::Reflexive if self.id() == "ptrue" => "P(True)".to_owned(),
            Family::Reflexive => self.id().to_uppercase(),
            Family::Propagation | Family::Baseline | Family::Brought => self.id().to_owned(),
        };
        match self.aggregator() {
            Some(rule) => format!("{id}·{}", rule.id()),
            None => id,
        }
    }

    /// The name as a column of a filter: `lnsp_min`, `prop_pos`.
    pub fn column(&self) -> String {
        let word = |c: char| if c.is_alphanumeric() { c } else { '_' };
        self.to_string().chars().map(word).collect()
    }

    /// The base score of a white-box scorer.
    pub fn base(&self) -> Option<Base> {
        match self {
            Self::WhiteBox(base, _) => Some(*base),
            _ => None,
        }
    }

    /// The aggregator, where there is one.
    pub fn aggregator(&self) -> Option<Aggregator> {
        match self {
            Self::WhiteBox(_, rule) => Some(*rule),
            _ => None,
        }
    }

    /// The family, told by the id where the values were brought.
    pub fn family(&self) -> Family {
        match self {
            Self::WhiteBox(..) => Family::WhiteBox,
            Self::Propagation(_) => Family::Propagation,
            Self::Consistency(_) => Family::Action,
            Self::Ter => Family::Judged,
            Self::Turns | Self::Tools => Family::Baseline,
            Self::Stored(name) => Family::of_id(name),
        }
    }
}

impl Family {
    /// The family of a scorer's id; an unknown one was brought.
    pub fn of_id(id: &str) -> Self {
        match id {
            "sp" | "lnsp" | "atn" | "pm" => Self::WhiteBox,
            "ptrue" | "vc" => Self::Reflexive,
            "fac" | "asc" | "adc" | "aec" => Self::Action,
            "ncp" => Self::Message,
            "ter" => Self::Judged,
            "turns" | "tools" => Self::Baseline,
            id if id.starts_with("prop-") => Self::Propagation,
            _ => Self::Brought,
        }
    }
}

impl fmt::Display for Scorer {
    /// `lnsp·min`, `aec`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())?;
        match self.aggregator() {
            Some(rule) => write!(f, "·{}", rule.id()),
            None => Ok(()),
        }
    }
}
