//! The compiled expression: one tree per type of value, so that no type is checked for every row.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::Value;
use super::like::like;

/// Returns a row's value in a column, by the column's index.
type Row<'r, 'a> = &'r dyn Fn(usize) -> Value<'a>;

/// An expression of one type; `None` is SQL's null.
pub(super) trait Operand {
    type Value<'t>: PartialOrd
    where
        Self: 't;

    fn eval<'t, 'a: 't>(&'t self, row: Row<'_, 'a>) -> Option<Self::Value<'t>>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparator {
    pub(super) fn parse(sign: &str) -> Option<Self> {
        Some(match sign {
            "=" => Self::Equal,
            "!=" => Self::Unequal,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            _ => return None,
        })
    }

    fn holds<T: PartialOrd>(self, a: &T, b: &T) -> bool {
        match self {
            Self::Equal => a == b,
            Self::Unequal => a != b,
            Self::Less => a < b,
            Self::LessOrEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterOrEqual => a >= b,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Arithmetic {
    pub(super) fn parse(sign: &str) -> Option<Self> {
        Some(match sign {
            "+" => Self::Add,
            "-" => Self::Subtract,
            "*" => Self::Multiply,
            "/" => Self::Divide,
            "%" => Self::Remainder,
            _ => return None,
        })
    }

    fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Remainder => a % b,
        }
    }
}

/// A relation between values of the same type.
#[derive(Clone, Debug)]
pub(super) struct Relation<T> {
    pub(super) kind: RelationKind,
    /// The compared value first, then what it is compared with: as many as `kind` needs.
    pub(super) items: Vec<T>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum RelationKind {
    Compare(Comparator),
    Between,
    In,
    IsNull,
}

impl<T: Operand> Relation<T> {
    fn eval(&self, row: Row<'_, '_>) -> Option<bool> {
        match (self.kind, self.items.as_slice()) {
            (RelationKind::Compare(comparator), [a, b]) => {
                Some(comparator.holds(&a.eval(row)?, &b.eval(row)?))
            }
            (RelationKind::Between, [value, low, high]) => {
                let value = value.eval(row)?;
                let above = low.eval(row).map(|low| value >= low);
                let below = high.eval(row).map(|high| value <= high);
                all([above, below].into_iter())
            }
            (RelationKind::In, [value, items @ ..]) => {
                let value = value.eval(row)?;
                any(items.iter().map(|item| item.eval(row).map(|item| item == value)))
            }
            (RelationKind::IsNull, [value]) => Some(value.eval(row).is_none()),
            // Cannot happen: the parser gives each relation as many values as it needs.
            _ => None,
        }
    }
}

/// A choice among values of the same type.
#[derive(Clone, Debug)]
pub(super) enum Choice<T> {
    /// The first that is not null.
    First(Vec<T>),
    /// The least, or the greatest, of those that are not null.
    Extreme(Ordering, Vec<T>),
}

impl<T: Operand> Choice<T> {
    fn eval<'t, 'a: 't>(&'t self, row: Row<'_, 'a>) -> Option<T::Value<'t>> {
        match self {
            Self::First(items) => items.iter().find_map(|item| item.eval(row)),
            Self::Extreme(order, items) => {
                items.iter().filter_map(|item| item.eval(row)).reduce(|best, value| {
                    if value.partial_cmp(&best) == Some(*order) { value } else { best }
                })
            }
        }
    }
}

/// SQL's `and`: false if one item is false, else null if one is null.
fn all(mut items: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let known = items.try_fold(true, |known, item| match item {
        Some(false) => Err(()),
        item => Ok(known && item.is_some()),
    });
    match known {
        Err(()) => Some(false),
        Ok(known) => known.then_some(true),
    }
}

/// SQL's `or`: true if one item is true, else null if one is null.
fn any(items: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(items.map(|item| item.map(|truth| !truth))).map(|truth| !truth)
}

/// An expression that is true, false or null.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Column(usize),
    Constant(Option<bool>),
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
    Is(Box<Test>, bool),
    Tests(Relation<Test>),
    Numbers(Relation<Number>),
    Texts(Relation<Text>),
    Like {
        text: Text,
        pattern: Text,
        ignore_case: bool,
    },
    /// Whether the first text contains the second at a position.
    HasPart(PartPosition, Text, Text),
    Choice(Choice<Test>),
}

/// Where one text is in another.
#[derive(Clone, Copy, Debug)]
pub(super) enum PartPosition {
    Anywhere,
    Start,
    End,
}

impl Operand for Test {
    type Value<'t> = bool;

    fn eval<'t, 'a: 't>(&'t self, row: Row<'_, 'a>) -> Option<bool> {
        match self {
            Self::Column(column) => match row(*column) {
                Value::Bool(truth) => Some(truth),
                _ => None,
            },
            Self::Constant(truth) => *truth,
            Self::Not(test) => test.eval(row).map(|truth| !truth),
            Self::All(items) => all(items.iter().map(|item| item.eval(row))),
            Self::Any(items) => any(items.iter().map(|item| item.eval(row))),
            Self::Is(test, truth) => Some(test.eval(row) == Some(*truth)),
            Self::Tests(relation) => relation.eval(row),
            Self::Numbers(relation) => relation.eval(row),
            Self::Texts(relation) => relation.eval(row),
            Self::Like { text, pattern, ignore_case } => {
                Some(like(&text.eval(row)?, &pattern.eval(row)?, *ignore_case))
            }
            Self::HasPart(position, text, part) => {
                let (text, part) = (text.eval(row)?, part.eval(row)?);
                Some(match position {
                    PartPosition::Anywhere => text.contains(&*part),
                    PartPosition::Start => text.starts_with(&*part),
                    PartPosition::End => text.ends_with(&*part),
                })
            }
            Self::Choice(choice) => choice.eval(row),
        }
    }
}

/// An expression that is a number or null.
#[derive(Clone, Debug)]
pub(super) enum Number {
    Column(usize),
    Constant(Option<f64>),
    Negate(Box<Number>),
    Chain(Box<Number>, Vec<(Arithmetic, Number)>),
    Absolute(Box<Number>),
    /// Rounds the first number to as many decimals as the second says.
    Round(Box<Number>, Box<Number>),
    Length(Text),
    Choice(Choice<Number>),
}

impl Operand for Number {
    type Value<'t> = f64;

    fn eval<'t, 'a: 't>(&'t self, row: Row<'_, 'a>) -> Option<f64> {
        let number = match self {
            Self::Column(column) => match row(*column) {
                Value::Number(number) => number,
                _ => return None,
            },
            Self::Constant(number) => return *number,
            Self::Negate(number) => -number.eval(row)?,
            Self::Chain(first, rest) => {
                let first = first.eval(row)?;
                rest.iter().try_fold(first, |result, (operator, number)| {
                    Some(operator.apply(result, number.eval(row)?))
                })?
            }
            Self::Absolute(number) => number.eval(row)?.abs(),
            Self::Round(number, decimals) => round(number.eval(row)?, decimals.eval(row)?),
            Self::Length(text) => text.eval(row)?.chars().count() as f64,
            Self::Choice(choice) => return choice.eval(row),
        };
        (!number.is_nan()).then_some(number)
    }
}

/// Rounds half away from zero, like SQL.
fn round(number: f64, decimals: f64) -> f64 {
    let scale = 10f64.powf(decimals.trunc().abs());
    let rounded = if decimals < 0.0 {
        (number / scale).round() * scale
    } else {
        (number * scale).round() / scale
    };
    // An infinite scale: with so many decimals nothing is rounded, or everything.
    match rounded.is_finite() {
        true => rounded,
        false if decimals < 0.0 => 0.0,
        false => number,
    }
}

/// An expression that is text or null.
#[derive(Clone, Debug)]
pub(super) enum Text {
    Column(usize),
    Constant(Option<String>),
    Lower(Box<Text>),
    Choice(Choice<Text>),
}

impl Operand for Text {
    type Value<'t> = Cow<'t, str>;

    fn eval<'t, 'a: 't>(&'t self, row: Row<'_, 'a>) -> Option<Cow<'t, str>> {
        match self {
            Self::Column(column) => match row(*column) {
                Value::Text(text) => Some(text),
                _ => None,
            },
            Self::Constant(text) => text.as_deref().map(Cow::Borrowed),
            Self::Lower(text) => Some(Cow::Owned(text.eval(row)?.to_lowercase())),
            Self::Choice(choice) => choice.eval(row),
        }
    }
}
