use std::fmt;

use serde::{Deserialize, Serialize};

/// One dataset × model × condition: the unit in which every metric is taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// The benchmark or its domain, such as `airline`.
    pub dataset: String,
    /// The agent's model, without the provider's prefix.
    pub model: String,
    /// A free label that keeps otherwise equal runs apart.
    pub condition: String,
}

impl Cell {
    /// The condition of runs that say nothing about one.
    pub const DEFAULT_CONDITION: &str = "default";

    /// A cell under the default condition.
    pub fn new(dataset: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            dataset: dataset.into(),
            model: model.into(),
            condition: Self::DEFAULT_CONDITION.to_owned(),
        }
    }
}

impl fmt::Display for Cell {
    /// `dataset/model`, with the condition only where there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.dataset, self.model)?;
        if self.condition != Self::DEFAULT_CONDITION {
            write!(f, "/{}", self.condition)?;
        }
        Ok(())
    }
}
