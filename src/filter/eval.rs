//! The compiled expression: one tree a kind of value, so that no type is asked while rows pass.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::Value;
use super::like::like;

/// Gives a row's values by their column's place.
type Row<'r, 'a> = &'r dyn Fn(usize) -> Value<'a>;

/// An expression of one kind. No value is SQL's null.
pub(super) trait Operand {
    type Value<'t>: PartialOrd
    where
        Self: 't;

    fn of<'t, 'a: 't>(&'t self, row: Row<'_, 'a>) -> Option<Self::Value<'t>>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
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

    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Remainder => a % b,
        }
    }
}

/// A comparison of values of one kind.
#[derive(Clone, Debug)]
pub(super) struct Relation<T> {
    pub(super) how: How,
    /// What is compared, and with what: one value, two or more as `how` needs.
    pub(super) items: Vec<T>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum How {
    Compare(Comparison),
    Between,
    In,
    IsNull,
}

impl<T: Operand> Relation<T> {
    fn of(&self, row: Row<'_, '_>) -> Option<bool> {
        match (self.how, self.items.as_slice()) {
            (How::Compare(how), [a, b]) => Some(how.holds(&a.of(row)?, &b.of(row)?)),
            (How::Between, [own, low, high]) => {
                let own = own.of(row)?;
                let above = low.of(row).map(|low| own >= low);
                let below = high.of(row).map(|high| own <= high);
                all([above, below].into_iter())
            }
            (How::In, [own, items @ ..]) => {
                let own = own.of(row)?;
                any(items.iter().map(|item| item.of(row).map(|item| item == own)))
            }
            (How::IsNull, [own]) => Some(own.of(row).is_none()),
            // The parser gives each as many as it needs.
            _ => None,
        }
    }
}

/// A choice among values of one kind.
#[derive(Clone, Debug)]
pub(super) enum Choice<T> {
    /// The first that is not null.
    First(Vec<T>),
    /// The least, or the greatest, of those that are not null.
    Extreme(Ordering, Vec<T>),
}

impl<T: Operand> Choice<T> {
    fn of<'t, 'a: 't>(&'t self, row: Row<'_, 'a>) -> Option<T::Value<'t>> {
        match self {
            Self::First(items) => items.iter().find_map(|item| item.of(row)),
            Self::Extreme(order, items) => {
                items.iter().filter_map(|item| item.of(row)).reduce(|best, own| {
                    if own.partial_cmp(&best) == Some(*order) { own } else { best }
                })
            }
        }
    }
}

/// SQL's `and`: false if one is, else null if one is.
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

/// SQL's `or`: true if one is, else null if one is.
fn any(items: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(items.map(|item| item.map(|own| !own))).map(|own| !own)
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
    Like { text: Text, pattern: Text, fold: bool },
    Part(Part, Text, Text),
    Choice(Choice<Test>),
}

/// Where one text stands in another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Anywhere,
    First,
    Last,
}

impl Operand for Test {
    type Value<'t> = bool;

    fn of<'t, 'a: 't>(&'t self, row: Row<'_, 'a>) -> Option<bool> {
        match self {
            Self::Column(place) => match row(*place) {
                Value::Bool(own) => Some(own),
                _ => None,
            },
            Self::Constant(own) => *own,
            Self::Not(own) => own.of(row).map(|own| !own),
            Self::All(items) => all(items.iter().map(|item| item.of(row))),
            Self::Any(items) => any(items.iter().map(|item| item.of(row))),
            Self::Is(own, truth) => Some(own.of(row) == Some(*truth)),
            Self::Tests(relation) => relation.of(row),
            Self::Numbers(relation) => relation.of(row),
            Self::Texts(relation) => relation.of(row),
            Self::Like { text, pattern, fold } => {
                Some(like(&text.of(row)?, &pattern.of(row)?, *fold))
            }
            Self::Part(part, text, own) => {
                let (text, own) = (text.of(row)?, own.of(row)?);
                Some(match part {
                    Part::Anywhere => text.contains(&*own),
                    Part::First => text.starts_with(&*own),
                    Part::Last => text.ends_with(&*own),
                })
            }
            Self::Choice(choice) => choice.of(row),
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
    /// To so many places behind the point.
    Round(Box<Number>, Box<Number>),
    Length(Text),
    Choice(Choice<Number>),
}

impl Operand for Number {
    type Value<'t> = f64;

    fn of<'t, 'a: 't>(&'t self, row: Row<'_, 'a>) -> Option<f64> {
        let number = match self {
            Self::Column(place) => match row(*place) {
                Value::Number(own) => own,
                _ => return None,
            },
            Self::Constant(own) => return *own,
            Self::Negate(own) => -own.of(row)?,
            Self::Chain(first, rest) => {
                let first = first.of(row)?;
                rest.iter().try_fold(first, |sum, (how, own)| Some(how.of(sum, own.of(row)?)))?
            }
            Self::Absolute(own) => own.of(row)?.abs(),
            Self::Round(own, places) => round(own.of(row)?, places.of(row)?),
            Self::Length(text) => text.of(row)?.chars().count() as f64,
            Self::Choice(choice) => return choice.of(row),
        };
        (!number.is_nan()).then_some(number)
    }
}

/// Half away from zero, as SQL rounds.
fn round(number: f64, places: f64) -> f64 {
    let scale = 10f64.powf(places.trunc().abs());
    let rounded = if places < 0.0 {
        (number / scale).round() * scale
    } else {
        (number * scale).round() / scale
    };
    // So many places that none is lost, or all are.
    match rounded.is_finite() {
        true => rounded,
        false if places < 0.0 => 0.0,
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

    fn of<'t, 'a: 't>(&'t self, row: Row<'_, 'a>) -> Option<Cow<'t, str>> {
        match self {
            Self::Column(place) => match row(*place) {
                Value::Text(own) => Some(own),
                _ => None,
            },
            Self::Constant(own) => own.as_deref().map(Cow::Borrowed),
            Self::Lower(own) => Some(Cow::Owned(own.of(row)?.to_lowercase())),
            Self::Choice(choice) => choice.of(row),
        }
    }
}
