//! The errors of expressions whose types do not fit.

use super::Checker;
use crate::filter::names::{did_you_mean, shown};
use crate::filter::parse::{Node, Tree};
use crate::filter::{FieldKind, FilterError};

fn with_article(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Bool => "yes/no",
        FieldKind::Number => "a number",
        FieldKind::Text => "text",
    }
}

impl Checker<'_> {
    /// A part of the expression as the user wrote it.
    fn source_of(&self, tree: &Tree) -> String {
        shown(&self.source[tree.at.clone()])
    }

    /// The error of a value where a condition is needed.
    pub(super) fn not_a_condition(&self, tree: &Tree, kind: Option<FieldKind>) -> FilterError {
        let kind = kind.unwrap_or(FieldKind::Text);
        let (source, kind_name) = (self.source_of(tree), with_article(kind));
        let remedy = match kind {
            FieldKind::Number => format!("compare it, as in `{source} > 0.5`"),
            _ => self.misspelt_remedy(tree).unwrap_or_else(|| match &tree.node {
                Node::Text(_) | Node::Quoted(_) => "compare a column with it".to_owned(),
                _ => format!("compare it, as in `{source} = 'text'`"),
            }),
        };
        let message = format!("`{source}` is {kind_name}, and a condition is yes/no; {remedy}");
        FilterError::new(tree.at.clone(), message)
    }

    /// The error of a value where one of another type is needed.
    pub(super) fn wrong_kind(
        &self,
        tree: &Tree,
        kind: Option<FieldKind>,
        needed: FieldKind,
    ) -> FilterError {
        let kind = kind.unwrap_or(needed);
        let remedy = self.misspelt_remedy(tree).unwrap_or_else(|| match (&tree.node, needed) {
            (Node::Text(text) | Node::Quoted(text), FieldKind::Number) if is_number(text) => {
                format!("write {} without quotes", text.trim())
            }
            (Node::Number(_), FieldKind::Text) => {
                format!("write '{}' in quotes", self.source_of(tree))
            }
            (_, FieldKind::Text) => "name a text column or write 'text'".to_owned(),
            _ => "name a number column or write a number".to_owned(),
        });
        let message = format!(
            "`{}` is {}, and {} is needed here; {remedy}",
            self.source_of(tree),
            with_article(kind),
            with_article(needed),
        );
        FilterError::new(tree.at.clone(), message)
    }

    /// The error of two values of different types where they must have the same.
    pub(super) fn mismatch(
        &self,
        (a, a_kind): (&Tree, FieldKind),
        (b, b_kind): (&Tree, FieldKind),
    ) -> FilterError {
        let remedy = (self.misspelt_remedy(a).or_else(|| self.misspelt_remedy(b)))
            .or_else(|| self.quotes_remedy(a, b_kind))
            .or_else(|| self.quotes_remedy(b, a_kind))
            .unwrap_or_else(|| self.general_remedy((a, a_kind), (b, b_kind)));
        let message = format!(
            "`{}` is {} and `{}` is {}; {remedy}",
            self.source_of(a),
            with_article(a_kind),
            self.source_of(b),
            with_article(b_kind)
        );
        FilterError::new(a.at.start.min(b.at.start)..a.at.end.max(b.at.end), message)
    }

    fn general_remedy(
        &self,
        (a, a_kind): (&Tree, FieldKind),
        (b, b_kind): (&Tree, FieldKind),
    ) -> String {
        let yes_no = match (a_kind, b_kind) {
            (FieldKind::Bool, _) => a,
            (_, FieldKind::Bool) => b,
            _ => return "compare values of one kind".to_owned(),
        };
        let source = self.source_of(yes_no);
        match yes_no.node {
            Node::Truth(_) => "compare values of one kind".to_owned(),
            _ => format!("write `{source}` or `not {source}` alone"),
        }
    }

    /// The advice to add or remove quotes, given the type of the other side.
    fn quotes_remedy(&self, tree: &Tree, other: FieldKind) -> Option<String> {
        match (&tree.node, other) {
            (Node::Number(_), FieldKind::Text) => {
                Some(format!("write '{}' in quotes", self.source_of(tree)))
            }
            (Node::Text(text) | Node::Quoted(text), FieldKind::Number) if is_number(text) => {
                Some(format!("write {} without quotes", text.trim()))
            }
            _ => None,
        }
    }

    /// The advice for double quotes around a misspelt column.
    fn misspelt_remedy(&self, tree: &Tree) -> Option<String> {
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
