//! `qualm formats`: what can be imported, and what it gives.

use std::process::ExitCode;

use super::out;
use crate::readers::{self, Gives, Reader};

pub(super) fn run() -> anyhow::Result<ExitCode> {
    let formats: Vec<String> = readers::ALL.iter().map(|reader| describe(*reader)).collect();
    out::print(&formats.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The id and name of a format, what it looks like, what it gives, and how to import it.
fn describe(reader: &dyn Reader) -> String {
    let info = reader.info();
    let gives: Vec<&str> = info.gives.iter().copied().map(Gives::word).collect();
    format!(
        "{}: {}\n  looks like  {}\n  gives       {}\n  example     qualm import {} -o runs.qualm\n",
        info.id,
        info.name,
        info.looks,
        gives.join(", "),
        info.example,
    )
}
