//! Writes a compiled filter as SQL, for engines that read the columns themselves.

use super::Filter;
use super::eval::{
    Arithmetic, Choice, Comparator, Number, PartPosition, Relation, RelationKind, Test, Text,
};

/// How an engine writes what differs between engines.
pub trait SqlWords {
    /// The column of an index; numbers must be doubles.
    fn column(&self, index: usize) -> String;
    /// A text as a literal.
    fn text(&self, text: &str) -> String;
    /// A constant pattern of `LIKE`, in which a backslash means itself.
    fn pattern(&self, pattern: &str) -> String;
    /// A number as a literal of type double.
    fn number(&self, number: f64) -> String;
}

impl Filter {
    /// The expression in SQL.
    pub fn to_sql(&self, words: &dyn SqlWords) -> String {
        self.test.sql(words)
    }
}

trait Written {
    fn sql(&self, words: &dyn SqlWords) -> String;
}

fn listed<T: Written>(items: &[T], words: &dyn SqlWords, joint: &str) -> String {
    items.iter().map(|item| item.sql(words)).collect::<Vec<_>>().join(joint)
}

impl Comparator {
    fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Unequal => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

impl<T: Written> Written for Relation<T> {
    fn sql(&self, words: &dyn SqlWords) -> String {
        match (self.kind, self.items.as_slice()) {
            (RelationKind::Compare(comparator), [a, b]) => {
                format!("({} {} {})", a.sql(words), comparator.sign(), b.sql(words))
            }
            (RelationKind::Between, [value, low, high]) => {
                let [value, low, high] = [value, low, high].map(|item| item.sql(words));
                format!("({value} BETWEEN {low} AND {high})")
            }
            (RelationKind::In, [value, items @ ..]) if !items.is_empty() => {
                format!("({} IN ({}))", value.sql(words), listed(items, words, ", "))
            }
            (RelationKind::IsNull, [value]) => format!("({} IS NULL)", value.sql(words)),
            // An empty list; the parser gives other relations as many values as they need.
            _ => "FALSE".to_owned(),
        }
    }
}

impl<T: Written> Written for Choice<T> {
    fn sql(&self, words: &dyn SqlWords) -> String {
        let (function, items) = match self {
            Self::First(items) => ("coalesce", items),
            Self::Extreme(std::cmp::Ordering::Less, items) => ("least", items),
            Self::Extreme(_, items) => ("greatest", items),
        };
        match &items[..] {
            [only] => only.sql(words),
            items => format!("{function}({})", listed(items, words, ", ")),
        }
    }
}

impl Written for Test {
    fn sql(&self, words: &dyn SqlWords) -> String {
        match self {
            Self::Column(column) => words.column(*column),
            Self::Constant(Some(truth)) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
            Self::Constant(None) => "CAST(NULL AS BOOLEAN)".to_owned(),
            Self::Not(test) => format!("(NOT {})", test.sql(words)),
            Self::All(items) => format!("({})", listed(items, words, " AND ")),
            Self::Any(items) => format!("({})", listed(items, words, " OR ")),
            Self::Is(test, truth) => {
                format!("({} IS {})", test.sql(words), if *truth { "TRUE" } else { "FALSE" })
            }
            Self::Tests(relation) => relation.sql(words),
            Self::Numbers(relation) => relation.sql(words),
            Self::Texts(relation) => relation.sql(words),
            Self::Like { text, pattern, ignore_case } => {
                let pattern = match pattern {
                    Text::Constant(Some(pattern)) => words.pattern(pattern),
                    pattern => pattern.sql(words),
                };
                let text = text.sql(words);
                if *ignore_case {
                    format!("(lower({text}) LIKE lower({pattern}))")
                } else {
                    format!("({text} LIKE {pattern})")
                }
            }
            Self::HasPart(position, text, part) => {
                let (text, part) = (text.sql(words), part.sql(words));
                match position {
                    PartPosition::Anywhere => format!("(position({part} IN {text}) > 0)"),
                    PartPosition::Start => format!("(left({text}, length({part})) = {part})"),
                    PartPosition::End => format!("(right({text}, length({part})) = {part})"),
                }
            }
            Self::Choice(choice) => choice.sql(words),
        }
    }
}

impl Written for Number {
    fn sql(&self, words: &dyn SqlWords) -> String {
        match self {
            Self::Column(column) => words.column(*column),
            Self::Constant(Some(number)) => words.number(*number),
            Self::Constant(None) => "CAST(NULL AS DOUBLE)".to_owned(),
            Self::Negate(number) => format!("(-{})", number.sql(words)),
            Self::Chain(first, rest) => {
                rest.iter().fold(first.sql(words), |left, (operator, right)| {
                    applied(*operator, &left, &right.sql(words), words)
                })
            }
            Self::Absolute(number) => format!("abs({})", number.sql(words)),
            Self::Round(number, decimals) => match &**decimals {
                Self::Constant(Some(decimals)) => {
                    format!("round({}, {})", number.sql(words), decimals.trunc() as i64)
                }
                decimals => {
                    format!("round({}, CAST({} AS INT))", number.sql(words), decimals.sql(words))
                }
            },
            Self::Length(text) => format!("CAST(length({}) AS DOUBLE)", text.sql(words)),
            Self::Choice(choice) => choice.sql(words),
        }
    }
}

/// A computation; a division by 0 is infinite, and null where both sides are 0.
fn applied(operator: Arithmetic, left: &str, right: &str, words: &dyn SqlWords) -> String {
    let sign = match operator {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Remainder => return format!("({left} % nullif({right}, 0e0))"),
        Arithmetic::Divide => {
            let (above, below) = (words.number(f64::INFINITY), words.number(f64::NEG_INFINITY));
            return format!(
                "coalesce({left} / nullif({right}, 0e0), CASE WHEN {right} = 0e0 AND {left} > 0e0 THEN {above} WHEN {right} = 0e0 AND {left} < 0e0 THEN {below} END)"
            );
        }
    };
    format!("({left} {sign} {right})")
}

impl Written for Text {
    fn sql(&self, words: &dyn SqlWords) -> String {
        match self {
            Self::Column(column) => words.column(*column),
            Self::Constant(Some(text)) => words.text(text),
            Self::Constant(None) => "CAST(NULL AS STRING)".to_owned(),
            Self::Lower(text) => format!("lower({})", text.sql(words)),
            Self::Choice(choice) => choice.sql(words),
        }
    }
}
