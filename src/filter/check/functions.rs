use std::cmp::Ordering;
use std::ops::Range;

use super::{Alike, Checked, Checker};
use crate::filter::FilterError;
use crate::filter::eval::{Choice, Number, Part, Test, Text};
use crate::filter::names::{did_you_mean, nearest, shown};
use crate::filter::parse::Tree;

/// A function of the language.
pub(in crate::filter) struct Function {
    pub(in crate::filter) name: &'static str,
    /// How it is called.
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
        let own = |function: &&Function| function.name.eq_ignore_ascii_case(name);
        let Some(function) = FUNCTIONS.iter().find(own) else {
            return Err(self.unknown_function(name, at));
        };
        Ok(match (function.name, arguments) {
            ("abs", [own]) => Checked::Number(Number::Absolute(Box::new(self.number(own)?))),
            ("round", [own, rest @ ..]) if rest.len() < 2 => {
                let own = Box::new(self.number(own)?);
                let places = match rest {
                    [places, ..] => self.number(places)?,
                    [] => Number::Constant(Some(0.0)),
                };
                Checked::Number(Number::Round(own, Box::new(places)))
            }
            ("length", [own]) => Checked::Number(Number::Length(self.text(own)?)),
            ("lower", [own]) => Checked::Text(Text::Lower(Box::new(self.text(own)?))),
            ("contains", [text, own]) => self.part(Part::Anywhere, text, own)?,
            ("starts_with", [text, own]) => self.part(Part::First, text, own)?,
            ("ends_with", [text, own]) => self.part(Part::Last, text, own)?,
            ("coalesce", [_, ..]) => self.choice(arguments, None)?,
            ("least", [_, ..]) => self.choice(arguments, Some(Ordering::Less))?,
            ("greatest", [_, ..]) => self.choice(arguments, Some(Ordering::Greater))?,
            _ => {
                let message = format!(
                    "`{}` is not called with {}; write `{}`",
                    function.name,
                    crate::text::counted(arguments.len() as u64, "value"),
                    function.usage
                );
                return Err(FilterError::new(at.clone(), message));
            }
        })
    }

    fn part(&mut self, part: Part, text: &Tree, own: &Tree) -> Result<Checked, FilterError> {
        Ok(Checked::Test(Test::Part(part, self.text(text)?, self.text(own)?)))
    }

    /// The first that is not null, or the first in an order.
    fn choice(
        &mut self,
        arguments: &[Tree],
        order: Option<Ordering>,
    ) -> Result<Checked, FilterError> {
        fn of<T>(order: Option<Ordering>, items: Vec<T>) -> Choice<T> {
            match order {
                Some(order) => Choice::Extreme(order, items),
                None => Choice::First(items),
            }
        }
        Ok(match self.alike(&arguments.iter().collect::<Vec<_>>())? {
            Alike::Tests(items) => Checked::Test(Test::Choice(of(order, items))),
            Alike::Numbers(items) => Checked::Number(Number::Choice(of(order, items))),
            Alike::Texts(items) => Checked::Text(Text::Choice(of(order, items))),
        })
    }

    fn unknown_function(&self, name: &str, at: &Range<usize>) -> FilterError {
        let near = nearest(name, FUNCTIONS.iter().map(|function| function.name));
        let end = at.start + name.len();
        let known = FUNCTIONS.map(|function| function.name).join(", ");
        let message = if self.find(name).is_some() {
            format!("`{}` is a column, not a function; put an operator before `(`", shown(name))
        } else if near.is_empty() {
            format!("unknown function `{}`; there are {known}", shown(name))
        } else {
            format!("unknown function `{}`; {}", shown(name), did_you_mean(&near))
        };
        FilterError::new(at.start..end, message)
    }
}
