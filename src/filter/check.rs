//! Names and types: from the parsed tree to one that can be asked about rows.

mod functions;
mod mismatch;

use std::ops::Range;

use super::eval::{How, Number, Relation, Test, Text};
use super::names::{did_you_mean, nearest, shown};
use super::parse::{Node, Tree};
use super::{Field, FilterError, Kind};

pub(super) use functions::FUNCTIONS;

/// The test that a tree stands for, and the columns that it reads.
pub(super) fn check(
    source: &str,
    tree: &Tree,
    fields: &[Field],
) -> Result<(Test, Vec<usize>), FilterError> {
    let mut checker = Checker { source, fields, columns: Vec::new() };
    let test = checker.test(tree)?;
    Ok((test, checker.columns))
}

/// An expression of a kind that is known now. The word `null` is of every kind.
enum Checked {
    Null,
    Test(Test),
    Number(Number),
    Text(Text),
}

impl Checked {
    fn kind(&self) -> Option<Kind> {
        match self {
            Self::Null => None,
            Self::Test(_) => Some(Kind::Bool),
            Self::Number(_) => Some(Kind::Number),
            Self::Text(_) => Some(Kind::Text),
        }
    }

    fn into_test(self) -> Option<Test> {
        match self {
            Self::Null => Some(Test::Constant(None)),
            Self::Test(own) => Some(own),
            _ => None,
        }
    }

    fn into_number(self) -> Option<Number> {
        match self {
            Self::Null => Some(Number::Constant(None)),
            Self::Number(own) => Some(own),
            _ => None,
        }
    }

    fn into_text(self) -> Option<Text> {
        match self {
            Self::Null => Some(Text::Constant(None)),
            Self::Text(own) => Some(own),
            _ => None,
        }
    }
}

/// Expressions of one kind.
enum Alike {
    Tests(Vec<Test>),
    Numbers(Vec<Number>),
    Texts(Vec<Text>),
}

struct Checker<'s> {
    source: &'s str,
    fields: &'s [Field],
    columns: Vec<usize>,
}

impl Checker<'_> {
    fn any(&mut self, tree: &Tree) -> Result<Checked, FilterError> {
        Ok(match &tree.node {
            Node::Null => Checked::Null,
            Node::Truth(own) => Checked::Test(Test::Constant(Some(*own))),
            Node::Number(own) => Checked::Number(Number::Constant(Some(*own))),
            Node::Text(own) => Checked::Text(Text::Constant(Some(own.clone()))),
            Node::Quoted(own) => match self.find(own) {
                Some(place) => self.column(place),
                None => Checked::Text(Text::Constant(Some(own.clone()))),
            },
            Node::Column(name) => match self.find(name) {
                Some(place) => self.column(place),
                None => return Err(self.unknown_column(name, tree.at.clone())),
            },
            Node::Negate(own) => Checked::Number(Number::Negate(Box::new(self.number(own)?))),
            Node::Chain(first, rest) => {
                let first = Box::new(self.number(first)?);
                let rest = rest.iter().map(|(how, own)| Ok((*how, self.number(own)?)));
                Checked::Number(Number::Chain(first, rest.collect::<Result<_, FilterError>>()?))
            }
            Node::Call(name, arguments) => self.call(name, arguments, &tree.at)?,
            _ => Checked::Test(self.relation(tree)?),
        })
    }

    fn relation(&mut self, tree: &Tree) -> Result<Test, FilterError> {
        Ok(match &tree.node {
            Node::Not(own) => Test::Not(Box::new(self.test(own)?)),
            Node::All(items) => Test::All(self.tests(items)?),
            Node::Any(items) => Test::Any(self.tests(items)?),
            Node::Compare(sides, how) => self.relate(How::Compare(*how), sides.iter())?,
            Node::Between(sides) => self.relate(How::Between, sides.iter())?,
            Node::In(own, items) => self.relate(How::In, std::iter::once(&**own).chain(items))?,
            Node::IsNull(own) => self.relate(How::IsNull, std::iter::once(&**own))?,
            Node::IsTruth(own, truth) => Test::Is(Box::new(self.test(own)?), *truth),
            Node::Like(sides, fold) => {
                let [text, pattern] = &**sides;
                let (text, pattern) = (self.text(text)?, self.text(pattern)?);
                Test::Like { text, pattern, fold: *fold }
            }
            // The rest are values, and `any` knows them.
            _ => return Err(self.no_condition(tree, None)),
        })
    }

    fn relate<'t>(
        &mut self,
        how: How,
        trees: impl Iterator<Item = &'t Tree>,
    ) -> Result<Test, FilterError> {
        Ok(match self.alike(&trees.collect::<Vec<_>>())? {
            Alike::Tests(items) => Test::Tests(Relation { how, items }),
            Alike::Numbers(items) => Test::Numbers(Relation { how, items }),
            Alike::Texts(items) => Test::Texts(Relation { how, items }),
        })
    }

    fn tests(&mut self, items: &[Tree]) -> Result<Vec<Test>, FilterError> {
        items.iter().map(|item| self.test(item)).collect()
    }

    fn test(&mut self, tree: &Tree) -> Result<Test, FilterError> {
        let own = self.any(tree)?;
        let kind = own.kind();
        own.into_test().ok_or_else(|| self.no_condition(tree, kind))
    }

    fn number(&mut self, tree: &Tree) -> Result<Number, FilterError> {
        let own = self.any(tree)?;
        let kind = own.kind();
        own.into_number().ok_or_else(|| self.wrong_kind(tree, kind, Kind::Number))
    }

    fn text(&mut self, tree: &Tree) -> Result<Text, FilterError> {
        let own = self.any(tree)?;
        let kind = own.kind();
        own.into_text().ok_or_else(|| self.wrong_kind(tree, kind, Kind::Text))
    }

    /// Checks expressions that must be of one kind.
    fn alike(&mut self, trees: &[&Tree]) -> Result<Alike, FilterError> {
        let all = trees.iter().map(|tree| self.any(tree)).collect::<Result<Vec<_>, _>>()?;
        let kinds: Vec<Option<Kind>> = all.iter().map(Checked::kind).collect();
        // Nulls alone may be of any kind.
        let Some(first) = kinds.iter().position(Option::is_some) else {
            return Ok(Alike::Numbers(all.iter().map(|_| Number::Constant(None)).collect()));
        };
        let kind = kinds[first].unwrap_or(Kind::Number);
        if let Some(other) = kinds.iter().position(|own| own.is_some_and(|own| own != kind)) {
            let other_kind = kinds[other].unwrap_or(kind);
            return Err(self.mismatch((trees[first], kind), (trees[other], other_kind)));
        }
        Ok(match kind {
            Kind::Bool => Alike::Tests(all.into_iter().filter_map(Checked::into_test).collect()),
            Kind::Number => {
                Alike::Numbers(all.into_iter().filter_map(Checked::into_number).collect())
            }
            Kind::Text => Alike::Texts(all.into_iter().filter_map(Checked::into_text).collect()),
        })
    }

    /// The column of that name: as it is written, or else in whatever case.
    fn find(&self, name: &str) -> Option<usize> {
        let exact = self.fields.iter().position(|field| field.name == name);
        exact.or_else(|| self.fields.iter().position(|own| own.name.eq_ignore_ascii_case(name)))
    }

    fn column(&mut self, place: usize) -> Checked {
        if !self.columns.contains(&place) {
            self.columns.push(place);
        }
        match self.fields[place].kind {
            Kind::Bool => Checked::Test(Test::Column(place)),
            Kind::Number => Checked::Number(Number::Column(place)),
            Kind::Text => Checked::Text(Text::Column(place)),
        }
    }

    fn near_columns(&self, name: &str) -> Vec<&str> {
        nearest(name, self.fields.iter().map(|field| field.name.as_str()))
    }

    fn unknown_column(&self, name: &str, at: Range<usize>) -> FilterError {
        let function = FUNCTIONS.iter().find(|own| own.name.eq_ignore_ascii_case(name));
        let near = self.near_columns(name);
        let name = shown(name);
        let message = if let Some(function) = function {
            format!("`{name}` is a function; write `{}`", function.usage)
        } else if near.is_empty() {
            format!("unknown column `{name}`; put text in single quotes: '{name}'")
        } else {
            format!("unknown column `{name}`; {}", did_you_mean(&near))
        };
        FilterError::new(at, message)
    }
}
