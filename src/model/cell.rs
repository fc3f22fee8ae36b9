//! Cells, and the order of names.

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

/// Orders names as people do: numbers in them by value, so that task 9 comes before task 10.
pub fn natural_order(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    while let (Some(x), Some(y)) = (left.first(), right.first()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (number_x, rest_x) = split_number(left);
            let (number_y, rest_y) = split_number(right);
            let order = number_x.len().cmp(&number_y.len()).then(number_x.cmp(number_y));
            if order.is_ne() {
                return order;
            }
            (left, right) = (rest_x, rest_y);
        } else {
            if x != y {
                return x.cmp(y);
            }
            (left, right) = (&left[1..], &right[1..]);
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// The digits at the start, without leading zeros, and what follows them.
fn split_number(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    (&digits[zeros..], rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_order_by_value() {
        let mut names = ["task_10", "9", "task_9", "10", "task_9b", "09", ""];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["", "09", "9", "10", "task_9", "task_9b", "task_10"]);
    }
}
