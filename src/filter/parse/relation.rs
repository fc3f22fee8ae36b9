//! Parses comparisons.

use super::{Node, Parsed, Parser, Tree, tree_not};
use crate::filter::FilterError;
use crate::filter::eval::Comparator;
use crate::filter::lex::Token;

#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Compare(Comparator),
    Between,
    In,
    Like {
        ignore_case: bool,
    },
    Is,
    /// `not` before one of the words above.
    Negated,
}

impl Parser<'_> {
    /// Parses a value and at most one comparison.
    pub(super) fn relation(&mut self) -> Parsed {
        let left = self.sum()?;
        let Some(tree) = self.comparison_after(left)? else {
            let message = "comparisons do not chain; join two with `and`";
            return Err(self.error(message));
        };
        Ok(tree)
    }

    /// Parses the comparison that follows a value, if any; none when two comparisons follow.
    fn comparison_after(&mut self, left: Tree) -> Result<Option<Tree>, FilterError> {
        let Some(operator) = self.operator() else { return Ok(Some(left)) };
        let start = left.at.start;
        self.advance()?;
        let (negated, operator) = match operator {
            Operator::Negated => (true, self.negated_operator()?),
            operator => (false, operator),
        };
        let is_not = operator == Operator::Is && self.skip_word("not")?;
        let left = Box::new(left);
        let (node, end) = match operator {
            Operator::Compare(comparator) => {
                let right = self.sum()?;
                let end = right.at.end;
                (Node::Compare(Box::new([*left, right]), comparator), end)
            }
            Operator::Between => {
                let low = self.sum()?;
                if !self.skip_word("and")? {
                    return Err(self.error("`between` needs two values; write `between 1 and 3`"));
                }
                let high = self.sum()?;
                let end = high.at.end;
                (Node::Between(Box::new([*left, low, high])), end)
            }
            Operator::In => {
                if self.token != Token::Sign("(") {
                    return Err(self.error("`in` needs a list in parentheses: `in ('a', 'b')`; a single value goes with `=`"));
                }
                let (items, end) = self.items()?;
                if items.is_empty() {
                    let message = "the list of `in` is empty; write at least one value";
                    return Err(FilterError::new(start..end, message));
                }
                (Node::In(left, items), end)
            }
            Operator::Like { ignore_case } => {
                let pattern = self.sum()?;
                let end = pattern.at.end;
                (Node::Like(Box::new([*left, pattern]), ignore_case), end)
            }
            Operator::Is | Operator::Negated => {
                let end = self.at.end;
                let truth = self.is_word("true");
                if self.skip_word("null")? {
                    (Node::IsNull(left), end)
                } else if truth || self.is_word("false") {
                    self.advance()?;
                    (Node::IsTruth(left, truth), end)
                } else {
                    let message = "`is` goes with null, true and false; compare with `=`";
                    return Err(self.error(message));
                }
            }
        };
        let tree = Tree { node, at: start..end };
        let tree = if negated || is_not { tree_not(start, tree) } else { tree };
        Ok(self.operator().is_none().then_some(tree))
    }

    /// The operator that starts at the current token.
    fn operator(&self) -> Option<Operator> {
        Some(match &self.token {
            Token::Sign(sign) => Operator::Compare(Comparator::parse(sign)?),
            Token::Word(word) => match word.to_ascii_lowercase().as_str() {
                "between" => Operator::Between,
                "in" => Operator::In,
                "like" => Operator::Like { ignore_case: false },
                "ilike" => Operator::Like { ignore_case: true },
                "is" => Operator::Is,
                "not" => Operator::Negated,
                _ => return None,
            },
            _ => return None,
        })
    }

    fn negated_operator(&mut self) -> Result<Operator, FilterError> {
        match self.operator() {
            Some(operator @ (Operator::Between | Operator::In | Operator::Like { .. })) => {
                self.advance()?;
                Ok(operator)
            }
            _ => Err(self.error(
                "after a value, `not` goes with in, like, ilike and between; join conditions \
                 with `and not`",
            )),
        }
    }
}
