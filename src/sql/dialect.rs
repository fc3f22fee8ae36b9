//! What the engines write differently; everything else of a query is the same text for all of them.

use std::fmt::Write as _;

/// An engine that runs the queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `DuckDB`.
    DuckDb,
    /// Spark SQL, from version 3.4 on.
    Spark,
    /// Apache `DataFusion`.
    DataFusion,
}

impl Dialect {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 3] = [Self::DuckDb, Self::Spark, Self::DataFusion];

    /// The id that flags use.
    pub fn id(self) -> &'static str {
        match self {
            Self::DuckDb => "duckdb",
            Self::Spark => "spark",
            Self::DataFusion => "datafusion",
        }
    }

    /// The engine's own name.
    pub fn label(self) -> &'static str {
        match self {
            Self::DuckDb => "DuckDB",
            Self::Spark => "Spark SQL",
            Self::DataFusion => "DataFusion",
        }
    }

    /// A text as a literal.
    pub(super) fn text(self, text: &str) -> String {
        match self {
            // Two quotes are one only in newer versions, and a backslash begins an escape in all.
            Self::Spark => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
            Self::DuckDb | Self::DataFusion => format!("'{}'", text.replace('\'', "''")),
        }
    }

    /// A constant pattern of `LIKE`, in which a backslash means itself.
    pub(super) fn pattern(self, pattern: &str) -> String {
        match self {
            Self::DuckDb => self.text(pattern),
            Self::Spark | Self::DataFusion => self.text(&pattern.replace('\\', "\\\\")),
        }
    }

    /// A Parquet file as a table.
    pub(super) fn parquet(self, path: &str) -> String {
        match self {
            // The names of the folders of parts say nothing that is not in the files.
            Self::DuckDb => format!("read_parquet({}, hive_partitioning = false)", self.text(path)),
            Self::Spark => format!("parquet.`{}`", path.replace('`', "``")),
            Self::DataFusion => self.text(path),
        }
    }

    /// The number of items of a list.
    pub(super) fn length(self, list: &str) -> String {
        match self {
            Self::DuckDb => format!("len({list})"),
            Self::Spark => format!("size({list})"),
            Self::DataFusion => format!("CAST(cardinality({list}) AS BIGINT)"),
        }
    }

    /// A query with a row for every item of some lists of equal length: the keys, the items under the
    /// names of their lists, and their number from 1 on as `place`.
    pub(super) fn explode(self, keys: &[&str], lists: &[&str], from: &str) -> String {
        let mut sql = format!("SELECT {}", keys.join(", "));
        let first = lists[0];
        match self {
            Self::Spark => {
                for list in lists {
                    let _ = write!(sql, ", item.{list} AS {list}");
                }
                let zipped = lists.join(", ");
                let _ = write!(
                    sql,
                    ", index + 1 AS place\nFROM {from}\nLATERAL VIEW posexplode(arrays_zip({zipped})) exploded AS index, item"
                );
            }
            Self::DuckDb | Self::DataFusion => {
                for list in lists {
                    let _ = write!(sql, ", unnest({list}) AS {list}");
                }
                let length = self.length(first);
                let _ = write!(sql, ", {} AS place\nFROM {from}", self.numbers(&length));
            }
        }
        sql
    }

    /// Makes of every row one for each of the numbers from 1 to `most`, which is at least 1; stands
    /// alone in a list of columns.
    pub(super) fn numbers(self, most: &str) -> String {
        match self {
            Self::Spark => format!("explode(sequence(1, CAST({most} AS INT)))"),
            Self::DuckDb | Self::DataFusion => {
                format!("unnest(generate_series(1, CAST({most} AS BIGINT)))")
            }
        }
    }

    /// The character of a small number.
    pub(super) fn letter(self, code: &str) -> String {
        format!("chr(CAST({code} AS {}))", if self == Self::Spark { "BIGINT" } else { "INT" })
    }

    /// An aggregate: letters joined by ascending `place`.
    pub(super) fn join_letters(self, letter: &str) -> String {
        match self {
            // `listagg` came with version 4.
            Self::Spark => format!(
                "array_join(transform(array_sort(collect_list(struct(place, {letter} AS letter))), item -> item.letter), '')"
            ),
            Self::DuckDb | Self::DataFusion => format!("string_agg({letter}, '' ORDER BY place)"),
        }
    }
}

/// Minus infinity.
pub(super) const MINUS_INFINITY: &str = "CAST('-Infinity' AS DOUBLE)";

/// Plus infinity.
pub(super) const INFINITY: &str = "CAST('Infinity' AS DOUBLE)";

/// A number as a literal of type double: without an exponent, some engines take it for a decimal.
pub(super) fn number(number: f64) -> String {
    if number == f64::INFINITY {
        INFINITY.to_owned()
    } else if number == f64::NEG_INFINITY {
        MINUS_INFINITY.to_owned()
    } else {
        format!("{number:e}")
    }
}

/// The natural log of a number that is 0 or more: of 0 it is an error in some engines, and null in others.
pub(super) fn ln(x: &str) -> String {
    format!("coalesce(ln(nullif({x}, 0e0)), {MINUS_INFINITY})")
}

/// `exp(x) - 1` of a column, exact for small numbers too.
pub(super) fn exp_m1(x: &str) -> String {
    format!(
        "CASE WHEN abs({x}) < 1e-3 THEN {x} * (1e0 + {x} / 2e0 * (1e0 + {x} / 3e0 * (1e0 + {x} / 4e0)))
    ELSE exp({x}) - 1e0 END"
    )
}

/// `ln(1 + x)` of a column, exact for small numbers too.
pub(super) fn ln_1p(x: &str) -> String {
    format!(
        "CASE WHEN abs({x}) < 1e-3 THEN {x} * (1e0 - {x} * (5e-1 - {x} * (1e0 / 3e0 - {x} * (25e-2 - {x} / 5e0))))
    ELSE {} END",
        ln(&format!("1e0 + {x}"))
    )
}
