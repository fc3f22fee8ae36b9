//! What to say when kinds do not fit.

use super::Checker;
use crate::filter::names::{did_you_mean, shown};
use crate::filter::parse::{Node, Tree};
use crate::filter::{FilterError, Kind};

fn with_article(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "yes/no",
        Kind::Number => "a number",
        Kind::Text => "text",
    }
}

impl Checker<'_> {
    /// Part of the expression, as it is written.
    fn words(&self, tree: &Tree) -> String {
        shown(&self.source[tree.at.clone()])
    }

    /// A value that is no condition.
    pub(super) fn no_condition(&self, tree: &Tree, kind: Option<Kind>) -> FilterError {
        let kind = kind.unwrap_or(Kind::Text);
        let (words, what) = (self.words(tree), with_article(kind));
        let remedy = match kind {
            Kind::Number => format!("compare it, as in `{words} > 0.5`"),
            _ => self.stray_quotes(tree).unwrap_or_else(|| match &tree.node {
                Node::Text(_) | Node::Quoted(_) => "compare a column with it".to_owned(),
                _ => format!("compare it, as in `{words} = 'text'`"),
            }),
        };
        let message = format!("`{words}` is {what}, and a condition is yes/no; {remedy}");
        FilterError::new(tree.at.clone(), message)
    }

    /// A value of one kind where another is needed.
    pub(super) fn wrong_kind(&self, tree: &Tree, kind: Option<Kind>, needed: Kind) -> FilterError {
        let kind = kind.unwrap_or(needed);
        let remedy = self.stray_quotes(tree).unwrap_or_else(|| match (&tree.node, needed) {
            (Node::Text(text) | Node::Quoted(text), Kind::Number) if is_number(text) => {
                format!("write {} without quotes", text.trim())
            }
            (Node::Number(_), Kind::Text) => format!("write '{}' in quotes", self.words(tree)),
            (_, Kind::Text) => "name a text column or write 'text'".to_owned(),
            _ => "name a number column or write a number".to_owned(),
        });
        let message = format!(
            "`{}` is {}, and {} is needed here; {remedy}",
            self.words(tree),
            with_article(kind),
            with_article(needed),
        );
        FilterError::new(tree.at.clone(), message)
    }

    /// Two values of different kinds where they must be alike.
    pub(super) fn mismatch(
        &self,
        (a, a_kind): (&Tree, Kind),
        (b, b_kind): (&Tree, Kind),
    ) -> FilterError {
        let remedy = (self.stray_quotes(a).or_else(|| self.stray_quotes(b)))
            .or_else(|| self.quoting(a, b_kind))
            .or_else(|| self.quoting(b, a_kind))
            .unwrap_or_else(|| self.plain_remedy((a, a_kind), (b, b_kind)));
        let message = format!(
            "`{}` is {} and `{}` is {}; {remedy}",
            self.words(a),
            with_article(a_kind),
            self.words(b),
            with_article(b_kind)
        );
        FilterError::new(a.at.start.min(b.at.start)..a.at.end.max(b.at.end), message)
    }

    fn plain_remedy(&self, (a, a_kind): (&Tree, Kind), (b, b_kind): (&Tree, Kind)) -> String {
        let yes_no = match (a_kind, b_kind) {
            (Kind::Bool, _) => a,
            (_, Kind::Bool) => b,
            _ => return "compare values of one kind".to_owned(),
        };
        let words = self.words(yes_no);
        match yes_no.node {
            Node::Truth(_) => "compare values of one kind".to_owned(),
            _ => format!("write `{words}` or `not {words}` alone"),
        }
    }

    /// Quotes that are missing or too many, where the other side is of that kind.
    fn quoting(&self, tree: &Tree, other: Kind) -> Option<String> {
        match (&tree.node, other) {
            (Node::Number(_), Kind::Text) => {
                Some(format!("write '{}' in quotes", self.words(tree)))
            }
            (Node::Text(text) | Node::Quoted(text), Kind::Number) if is_number(text) => {
                Some(format!("write {} without quotes", text.trim()))
            }
            _ => None,
        }
    }

    /// Double quotes around what is nearly a column's name.
    fn stray_quotes(&self, tree: &Tree) -> Option<String> {
        let Node::Quoted(text) = &tree.node else { return None };
        let near = self.near_columns(text);
        let is_column = self.find(text).is_some();
        (!is_column && !near.is_empty())
            .then(|| format!("no column has this name, so it is text; {}", did_you_mean(&near)))
    }
}

fn is_number(text: &str) -> bool {
    text.trim().parse::<f64>().is_ok_and(f64::is_finite)
}
