use super::{Node, Parsed, Parser, Tree, tree_not};
use crate::filter::FilterError;
use crate::filter::eval::Comparison;
use crate::filter::lex::Token;

#[derive(Clone, Copy, PartialEq)]
enum Relation {
    Compare(Comparison),
    Between,
    In,
    Like {
        fold: bool,
    },
    Is,
    /// `not`, and one of the words above.
    Negated,
}

impl Parser<'_> {
    /// At most one comparison.
    pub(super) fn relation(&mut self) -> Parsed {
        let left = self.sum()?;
        let Some(tree) = self.relation_of(left)? else {
            let message = "comparisons do not chain; join two with `and`";
            return Err(self.wrong(message));
        };
        Ok(tree)
    }

    /// The comparison that follows on a value, or the value; none when two comparisons follow.
    fn relation_of(&mut self, left: Tree) -> Result<Option<Tree>, FilterError> {
        let Some(kind) = self.relation_kind() else { return Ok(Some(left)) };
        let start = left.at.start;
        self.advance()?;
        let (negated, kind) = match kind {
            Relation::Negated => (true, self.negated_kind()?),
            kind => (false, kind),
        };
        let is_not = kind == Relation::Is && self.takes_word("not")?;
        let left = Box::new(left);
        let (node, end) = match kind {
            Relation::Compare(how) => {
                let right = self.sum()?;
                let end = right.at.end;
                (Node::Compare(Box::new([*left, right]), how), end)
            }
            Relation::Between => {
                let low = self.sum()?;
                if !self.takes_word("and")? {
                    return Err(self.wrong("`between` needs two values; write `between 1 and 3`"));
                }
                let high = self.sum()?;
                let end = high.at.end;
                (Node::Between(Box::new([*left, low, high])), end)
            }
            Relation::In => {
                if self.token != Token::Sign("(") {
                    return Err(self.wrong("`in` needs a list in parentheses: `in ('a', 'b')`; a single value goes with `=`"));
                }
                let (items, end) = self.items()?;
                if items.is_empty() {
                    let message = "the list of `in` is empty; write at least one value";
                    return Err(FilterError::new(start..end, message));
                }
                (Node::In(left, items), end)
            }
            Relation::Like { fold } => {
                let pattern = self.sum()?;
                let end = pattern.at.end;
                (Node::Like(Box::new([*left, pattern]), fold), end)
            }
            Relation::Is | Relation::Negated => {
                let end = self.at.end;
                let truth = self.is_word("true");
                if self.takes_word("null")? {
                    (Node::IsNull(left), end)
                } else if truth || self.is_word("false") {
                    self.advance()?;
                    (Node::IsTruth(left, truth), end)
                } else {
                    let message = "`is` goes with null, true and false; compare with `=`";
                    return Err(self.wrong(message));
                }
            }
        };
        let tree = Tree { node, at: start..end };
        let tree = if negated || is_not { tree_not(start, tree) } else { tree };
        Ok(self.relation_kind().is_none().then_some(tree))
    }

    /// The comparison that begins with the token here.
    fn relation_kind(&self) -> Option<Relation> {
        Some(match &self.token {
            Token::Sign(sign) => Relation::Compare(Comparison::parse(sign)?),
            Token::Word(word) => match word.to_ascii_lowercase().as_str() {
                "between" => Relation::Between,
                "in" => Relation::In,
                "like" => Relation::Like { fold: false },
                "ilike" => Relation::Like { fold: true },
                "is" => Relation::Is,
                "not" => Relation::Negated,
                _ => return None,
            },
            _ => return None,
        })
    }

    fn negated_kind(&mut self) -> Result<Relation, FilterError> {
        match self.relation_kind() {
            Some(kind @ (Relation::Between | Relation::In | Relation::Like { .. })) => {
                self.advance()?;
                Ok(kind)
            }
            _ => Err(self.wrong(
                "after a value, `not` goes with in, like, ilike and between; join conditions \
                 with `and not`",
            )),
        }
    }
}
