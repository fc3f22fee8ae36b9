//! `--format`: the output formats that a command offers.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::report::OutputFormat;

/// Reads the id of one of the formats that are offered.
pub(super) fn parser(
    offered: &'static [OutputFormat],
) -> impl TypedValueParser<Value = OutputFormat> {
    PossibleValuesParser::new(offered.iter().map(|format| format.id()))
        .try_map(|id| OutputFormat::parse(&id, offered).ok_or("unknown format"))
}
