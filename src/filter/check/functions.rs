//! The functions of the language.

use std::cmp::Ordering;
use std::ops::Range;

use super::{Checked, Checker, SameKind};
use crate::filter::FilterError;
use crate::filter::eval::{Choice, Number, PartPosition, Test, Text};
use crate::filter::names::{did_you_mean, nearest, shown};
use crate::filter::parse::Tree;

/// A function of the language.
pub(in crate::filter) struct Function {
    pub(in crate::filter) name: &'static str,
    /// An example call.
    pub(in crate::filter) usage: &'static str,
}

pub(in crate::filter) const FUNCTIONS: [Function; 10] = [
    Function { name: "abs", usage: "abs(number)" },
    Function { name: "coalesce", usage: "coalesce(a, b, …)" },
    Function { name: "contains", usage: "contains(text, part)" },
    Function { name: "ends_with", usage: "ends_with(text, part)" },
    Function { name: "greatest", usage: "greatest(a, b, …)" },
    Function { name: "least", usage: "least(a, b, …)" },
    Function { name: "length", usage: "length(text)" },
    Function { name: "lower", usage: "lower(text)" },
    Function { name: "round", usage: "round(number, places)" },
    Function { name: "starts_with", usage: "starts_with(text, part)" },
];

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &[Tree],
        at: &Range<usize>,
    ) -> Result<Checked, FilterError> {
        let has_name = |function: &&Function| function.name.eq_ignore_ascii_case(name);
        let Some(function) = FUNCTIONS.iter().find(has_name) else {
            return Err(self.unknown_function(name, at));
        };
        Ok(match (function.name, arguments) {
            ("abs", [number]) => Checked::Number(Number::Absolute(Box::new(self.number(number)?))),
            ("round", [number, rest @ ..]) if rest.len() < 2 => {
                let number = Box::new(self.number(number)?);
                let places = match rest {
                    [places, ..] => self.number(places)?,
                    [] => Number::Constant(Some(0.0)),
                };
                Checked::Number(Number::Round(number, Box::new(places)))
            }
            ("length", [text]) => Checked::Number(Number::Length(self.text(text)?)),
            ("lower", [text]) => Checked::Text(Text::Lower(Box::new(self.text(text)?))),
            ("contains", [text, part]) => self.has_part(PartPosition::Anywhere, text, part)?,
            ("starts_with", [text, part]) => self.has_part(PartPosition::Start, text, part)?,
            ("ends_with", [text, part]) => self.has_part(PartPosition::End, text, part)?,
            ("coalesce", [_, ..]) => self.choice(arguments, None)?,
            ("least", [_, ..]) => self.choice(arguments, Some(Ordering::Less))?,
            ("greatest", [_, ..]) => self.choice(arguments, Some(Ordering::Greater))?,
            _ => {
                let message = format!(
                    "`{}` does not take {}; write `{}`",
                    function.name,
                    crate::text::counted(arguments.len() as u64, "value"),
                    function.usage
                );
                return Err(FilterError::new(at.clone(), message));
            }
        })
    }

    fn has_part(
        &mut self,
        position: PartPosition,
        text: &Tree,
        part: &Tree,
    ) -> Result<Checked, FilterError> {
        Ok(Checked::Test(Test::HasPart(position, self.text(text)?, self.text(part)?)))
    }

    /// The first value that is not null, or the least or greatest in an order.
    fn choice(
        &mut self,
        arguments: &[Tree],
        order: Option<Ordering>,
    ) -> Result<Checked, FilterError> {
        fn choose<T>(order: Option<Ordering>, items: Vec<T>) -> Choice<T> {
            match order {
                Some(order) => Choice::Extreme(order, items),
                None => Choice::First(items),
            }
        }
        Ok(match self.same_kind(&arguments.iter().collect::<Vec<_>>())? {
            SameKind::Tests(items) => Checked::Test(Test::Choice(choose(order, items))),
            SameKind::Numbers(items) => Checked::Number(Number::Choice(choose(order, items))),
            SameKind::Texts(items) => Checked::Text(Text::Choice(choose(order, items))),
        })
    }

    fn unknown_function(&self, name: &str, at: &Range<usize>) -> FilterError {
        let near = nearest(name, FUNCTIONS.iter().map(|function| function.name));
        let end = at.start + name.len();
        let known = FUNCTIONS.map(|function| function.name).join(", ");
        let message = if self.find(name).is_some() {
            format!("`{}` is a column, not a function; put an operator before `(`", shown(name))
        } else if near.is_empty() {
            format!("unknown function `{}`; the functions are {known}", shown(name))
        } else {
            format!("unknown function `{}`; {}", shown(name), did_you_mean(&near))
        };
        FilterError::new(at.start..end, message)
    }
}
