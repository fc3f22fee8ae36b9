//! Parses tokens into a tree by recursive descent.
//!
//! Operators from the lowest precedence to the highest: `or`, `and`, `not`, one comparison, `+ -`,
//! `* / %`, unary minus. A chain of one level is a list in the tree, so that only nesting makes the
//! tree deeper.

mod relation;

use std::ops::Range;

use super::FilterError;
use super::eval::{Arithmetic, Comparator};
use super::lex::{Lexer, Token};
use super::names::shown;

/// Words that are columns only in quotes.
pub(super) const KEYWORDS: [&str; 11] =
    ["and", "or", "not", "in", "between", "is", "null", "like", "ilike", "true", "false"];

/// The maximal nesting of expressions: more than anybody writes, less than overflows the stack.
const MAX_DEPTH: usize = 100;

#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) node: Node,
    /// The range in bytes of the source.
    pub(super) at: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Null,
    Truth(bool),
    Number(f64),
    Text(String),
    /// In double quotes: a column, or text if there is no such column.
    Quoted(String),
    Column(String),
    Not(Box<Tree>),
    All(Vec<Tree>),
    Any(Vec<Tree>),
    Compare(Box<[Tree; 2]>, Comparator),
    Between(Box<[Tree; 3]>),
    In(Box<Tree>, Vec<Tree>),
    Like(Box<[Tree; 2]>, bool),
    IsNull(Box<Tree>),
    IsTruth(Box<Tree>, bool),
    Negate(Box<Tree>),
    Chain(Box<Tree>, Vec<(Arithmetic, Tree)>),
    Call(String, Vec<Tree>),
}

pub(super) fn parse(source: &str) -> Result<Tree, FilterError> {
    let mut parser = Parser::begin(source)?;
    if parser.token == Token::End {
        let message = "the filter is empty; write a condition such as `not success`";
        return Err(FilterError::new(0..source.len(), message));
    }
    let tree = parser.condition()?;
    match parser.token {
        Token::End => Ok(tree),
        Token::Sign(")") => Err(parser.error("this `)` closes nothing; remove it or add a `(`")),
        _ => {
            let token = shown(&source[parser.at.clone()]);
            let message =
                format!("`{token}` cannot follow here; join conditions with `and` or `or`");
            Err(parser.error(message))
        }
    }
}

struct Parser<'s> {
    source: &'s str,
    lexer: Lexer<'s>,
    token: Token<'s>,
    at: Range<usize>,
    depth: usize,
}

type Parsed = Result<Tree, FilterError>;

impl<'s> Parser<'s> {
    fn begin(source: &'s str) -> Result<Self, FilterError> {
        let mut lexer = Lexer::new(source);
        let (token, at) = lexer.next()?;
        Ok(Self { source, lexer, token, at, depth: 0 })
    }

    fn advance(&mut self) -> Result<Token<'s>, FilterError> {
        let (token, at) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, token))
    }

    /// An error at the current token.
    fn error(&self, message: impl Into<String>) -> FilterError {
        FilterError::new(self.at.clone(), message)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(current) if current.eq_ignore_ascii_case(word))
    }

    /// Skips a word if it is the current token.
    fn skip_word(&mut self, word: &str) -> Result<bool, FilterError> {
        let found = self.is_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn skip_sign(&mut self, sign: &'static str) -> Result<bool, FilterError> {
        let found = self.token == Token::Sign(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Parses something that may contain itself, up to the maximal depth.
    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth == MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep; simplify it");
            return Err(self.error(message));
        }
        self.depth += 1;
        let tree = parse(self);
        self.depth -= 1;
        tree
    }

    fn condition(&mut self) -> Parsed {
        self.nested(|parser| {
            parser.list("or", Node::Any, |parser| parser.list("and", Node::All, Self::negation))
        })
    }

    /// Parses items joined by a word; a single item is returned as it is.
    fn list(
        &mut self,
        word: &str,
        node: fn(Vec<Tree>) -> Node,
        item: impl Fn(&mut Self) -> Parsed,
    ) -> Parsed {
        let first = item(self)?;
        if !self.is_word(word) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.skip_word(word)? {
            items.push(item(self)?);
        }
        let at = items[0].at.start..items[items.len() - 1].at.end;
        Ok(Tree { node: node(items), at })
    }

    fn negation(&mut self) -> Parsed {
        let start = self.at.start;
        if !self.skip_word("not")? {
            return self.relation();
        }
        let negated = self.nested(Self::negation)?;
        Ok(tree_not(start, negated))
    }

    fn sum(&mut self) -> Parsed {
        self.chain(&["+", "-"], |parser| parser.chain(&["*", "/", "%"], Self::unary))
    }

    fn chain(&mut self, signs: &[&str], item: impl Fn(&mut Self) -> Parsed) -> Parsed {
        let first = item(self)?;
        let mut rest = Vec::new();
        while let Token::Sign(sign) = self.token {
            let Some(operator) = Arithmetic::parse(sign).filter(|_| signs.contains(&sign)) else {
                break;
            };
            self.advance()?;
            rest.push((operator, item(self)?));
        }
        Ok(match rest.last() {
            None => first,
            Some((_, last)) => {
                let at = first.at.start..last.at.end;
                Tree { node: Node::Chain(Box::new(first), rest), at }
            }
        })
    }

    fn unary(&mut self) -> Parsed {
        let start = self.at.start;
        if self.skip_sign("-")? {
            let operand = self.nested(Self::unary)?;
            let at = start..operand.at.end;
            return Ok(Tree { node: Node::Negate(Box::new(operand)), at });
        }
        self.primary()
    }

    fn primary(&mut self) -> Parsed {
        let at = self.at.clone();
        let node = match &self.token {
            Token::Sign("(") => return self.parenthesis(),
            Token::Number(number) => Node::Number(*number),
            Token::Text(text) => Node::Text(text.clone().into_owned()),
            Token::Quoted(text) => Node::Quoted(text.clone().into_owned()),
            Token::Name(name) => Node::Column(name.clone().into_owned()),
            Token::Word(word) => match word.to_ascii_lowercase().as_str() {
                "null" => Node::Null,
                "true" => Node::Truth(true),
                "false" => Node::Truth(false),
                word if KEYWORDS.contains(&word) => return Err(self.missing_value()),
                _ => Node::Column((*word).to_owned()),
            },
            Token::Sign(_) | Token::End => return Err(self.missing_value()),
        };
        let may_call = matches!(self.token, Token::Word(_));
        self.advance()?;
        match node {
            Node::Column(name) if may_call && self.token == Token::Sign("(") => {
                let (arguments, end) = self.items()?;
                Ok(Tree { node: Node::Call(name, arguments), at: at.start..end })
            }
            node => Ok(Tree { node, at }),
        }
    }

    fn missing_value(&self) -> FilterError {
        if self.token == Token::End {
            return self.error("a value is missing at the end; write a column, a number or 'text'");
        }
        let token = shown(&self.source[self.at.clone()]);
        self.error(format!(
            "a value is missing before `{token}`; write a column, a number or 'text'"
        ))
    }

    fn parenthesis(&mut self) -> Parsed {
        let open = self.at.clone();
        self.advance()?;
        let mut tree = self.condition()?;
        tree.at = open.start..self.close(open)?;
        Ok(tree)
    }

    /// Parses values in parentheses, and returns them with the end of the closing one.
    fn items(&mut self) -> Result<(Vec<Tree>, usize), FilterError> {
        let open = self.at.clone();
        self.advance()?;
        let mut items = Vec::new();
        if self.token != Token::Sign(")") {
            items.push(self.condition()?);
            while self.skip_sign(",")? {
                items.push(self.condition()?);
            }
        }
        Ok((items, self.close(open)?))
    }

    /// Skips the `)` that belongs to a `(` and returns its end.
    fn close(&mut self, open: Range<usize>) -> Result<usize, FilterError> {
        let end = self.at.end;
        if self.skip_sign(")")? {
            return Ok(end);
        }
        if self.token == Token::End {
            return Err(FilterError::new(open, "this parenthesis is not closed; add `)`"));
        }
        let token = shown(&self.source[self.at.clone()]);
        Err(self.error(format!("`{token}` cannot follow here; a `)` or an operator is missing")))
    }
}

fn tree_not(start: usize, negated: Tree) -> Tree {
    let at = start..negated.at.end;
    Tree { node: Node::Not(Box::new(negated)), at }
}
