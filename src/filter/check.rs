//! Checks names and types, and turns the parsed tree into one that can be evaluated.

mod functions;
mod mismatch;

use std::ops::Range;

use super::eval::{Number, Relation, RelationKind, Test, Text};
use super::names::{did_you_mean, nearest, shown};
use super::parse::{Node, Tree};
use super::{Field, FieldKind, FilterError};

pub(super) use functions::FUNCTIONS;

/// Compiles a tree, and lists the columns that it reads.
pub(super) fn check(
    source: &str,
    tree: &Tree,
    fields: &[Field],
) -> Result<(Test, Vec<usize>), FilterError> {
    let mut checker = Checker { source, fields, columns: Vec::new() };
    let test = checker.test(tree)?;
    Ok((test, checker.columns))
}

/// A checked expression by its type; `null` has every type.
enum Checked {
    Null,
    Test(Test),
    Number(Number),
    Text(Text),
}

impl Checked {
    fn kind(&self) -> Option<FieldKind> {
        match self {
            Self::Null => None,
            Self::Test(_) => Some(FieldKind::Bool),
            Self::Number(_) => Some(FieldKind::Number),
            Self::Text(_) => Some(FieldKind::Text),
        }
    }

    fn into_test(self) -> Option<Test> {
        match self {
            Self::Null => Some(Test::Constant(None)),
            Self::Test(test) => Some(test),
            _ => None,
        }
    }

    fn into_number(self) -> Option<Number> {
        match self {
            Self::Null => Some(Number::Constant(None)),
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    fn into_text(self) -> Option<Text> {
        match self {
            Self::Null => Some(Text::Constant(None)),
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Expressions of the same type.
enum SameKind {
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
    fn checked(&mut self, tree: &Tree) -> Result<Checked, FilterError> {
        Ok(match &tree.node {
            Node::Null => Checked::Null,
            Node::Truth(truth) => Checked::Test(Test::Constant(Some(*truth))),
            Node::Number(number) => Checked::Number(Number::Constant(Some(*number))),
            Node::Text(text) => Checked::Text(Text::Constant(Some(text.clone()))),
            Node::Quoted(quoted) => match self.find(quoted) {
                Some(column) => self.column(column),
                None => Checked::Text(Text::Constant(Some(quoted.clone()))),
            },
            Node::Column(name) => match self.find(name) {
                Some(column) => self.column(column),
                None => return Err(self.unknown_column(name, tree.at.clone())),
            },
            Node::Negate(tree) => Checked::Number(Number::Negate(Box::new(self.number(tree)?))),
            Node::Chain(first, rest) => {
                let first = Box::new(self.number(first)?);
                let rest = rest.iter().map(|(operator, tree)| Ok((*operator, self.number(tree)?)));
                Checked::Number(Number::Chain(first, rest.collect::<Result<_, FilterError>>()?))
            }
            Node::Call(name, arguments) => self.call(name, arguments, &tree.at)?,
            _ => Checked::Test(self.relation(tree)?),
        })
    }

    fn relation(&mut self, tree: &Tree) -> Result<Test, FilterError> {
        Ok(match &tree.node {
            Node::Not(tree) => Test::Not(Box::new(self.test(tree)?)),
            Node::All(items) => Test::All(self.tests(items)?),
            Node::Any(items) => Test::Any(self.tests(items)?),
            Node::Compare(sides, comparator) => {
                self.relate(RelationKind::Compare(*comparator), sides.iter())?
            }
            Node::Between(sides) => self.relate(RelationKind::Between, sides.iter())?,
            Node::In(tree, items) => {
                self.relate(RelationKind::In, std::iter::once(&**tree).chain(items))?
            }
            Node::IsNull(tree) => self.relate(RelationKind::IsNull, std::iter::once(&**tree))?,
            Node::IsTruth(tree, truth) => Test::Is(Box::new(self.test(tree)?), *truth),
            Node::Like(sides, ignore_case) => {
                let [text, pattern] = &**sides;
                let (text, pattern) = (self.text(text)?, self.text(pattern)?);
                Test::Like { text, pattern, ignore_case: *ignore_case }
            }
            // All others are values, which `checked` handles.
            _ => return Err(self.not_a_condition(tree, None)),
        })
    }

    fn relate<'t>(
        &mut self,
        kind: RelationKind,
        trees: impl Iterator<Item = &'t Tree>,
    ) -> Result<Test, FilterError> {
        Ok(match self.same_kind(&trees.collect::<Vec<_>>())? {
            SameKind::Tests(items) => Test::Tests(Relation { kind, items }),
            SameKind::Numbers(items) => Test::Numbers(Relation { kind, items }),
            SameKind::Texts(items) => Test::Texts(Relation { kind, items }),
        })
    }

    fn tests(&mut self, items: &[Tree]) -> Result<Vec<Test>, FilterError> {
        items.iter().map(|item| self.test(item)).collect()
    }

    fn test(&mut self, tree: &Tree) -> Result<Test, FilterError> {
        let checked = self.checked(tree)?;
        let kind = checked.kind();
        checked.into_test().ok_or_else(|| self.not_a_condition(tree, kind))
    }

    fn number(&mut self, tree: &Tree) -> Result<Number, FilterError> {
        let checked = self.checked(tree)?;
        let kind = checked.kind();
        checked.into_number().ok_or_else(|| self.wrong_kind(tree, kind, FieldKind::Number))
    }

    fn text(&mut self, tree: &Tree) -> Result<Text, FilterError> {
        let checked = self.checked(tree)?;
        let kind = checked.kind();
        checked.into_text().ok_or_else(|| self.wrong_kind(tree, kind, FieldKind::Text))
    }

    /// Checks expressions that must have the same type.
    fn same_kind(&mut self, trees: &[&Tree]) -> Result<SameKind, FilterError> {
        let checked = trees.iter().map(|tree| self.checked(tree)).collect::<Result<Vec<_>, _>>()?;
        let kinds: Vec<Option<FieldKind>> = checked.iter().map(Checked::kind).collect();
        // Nulls alone may have any type.
        let Some(first) = kinds.iter().position(Option::is_some) else {
            return Ok(SameKind::Numbers(checked.iter().map(|_| Number::Constant(None)).collect()));
        };
        let kind = kinds[first].unwrap_or(FieldKind::Number);
        if let Some(other) = kinds.iter().position(|other| other.is_some_and(|other| other != kind))
        {
            let other_kind = kinds[other].unwrap_or(kind);
            return Err(self.mismatch((trees[first], kind), (trees[other], other_kind)));
        }
        Ok(match kind {
            FieldKind::Bool => {
                SameKind::Tests(checked.into_iter().filter_map(Checked::into_test).collect())
            }
            FieldKind::Number => {
                SameKind::Numbers(checked.into_iter().filter_map(Checked::into_number).collect())
            }
            FieldKind::Text => {
                SameKind::Texts(checked.into_iter().filter_map(Checked::into_text).collect())
            }
        })
    }

    /// The index of a column by its name; an exact match comes before one in another case.
    fn find(&self, name: &str) -> Option<usize> {
        let exact = self.fields.iter().position(|field| field.name == name);
        exact.or_else(|| self.fields.iter().position(|field| field.name.eq_ignore_ascii_case(name)))
    }

    fn column(&mut self, column: usize) -> Checked {
        if !self.columns.contains(&column) {
            self.columns.push(column);
        }
        match self.fields[column].kind {
            FieldKind::Bool => Checked::Test(Test::Column(column)),
            FieldKind::Number => Checked::Number(Number::Column(column)),
            FieldKind::Text => Checked::Text(Text::Column(column)),
        }
    }

    fn near_columns(&self, name: &str) -> Vec<&str> {
        nearest(name, self.fields.iter().map(|field| field.name.as_str()))
    }

    fn unknown_column(&self, name: &str, at: Range<usize>) -> FilterError {
        let function = FUNCTIONS.iter().find(|function| function.name.eq_ignore_ascii_case(name));
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
