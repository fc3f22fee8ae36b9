//! Says which notes and votes of a store cannot be read: numbers may depend on them.

use std::process::ExitCode;

use super::out;
use crate::store::Store;
use crate::text::visible;

/// Names every damaged line on stderr. The exit code is that of a failure if there is one, because what
/// was printed leaves it out.
pub(super) fn tell(store: &Store) -> anyhow::Result<ExitCode> {
    let damaged = store.annotations()?.damaged;
    for line in &damaged {
        let said = format!("qualm: {line}; until then it counts in no number");
        out::complain(&visible(&said));
    }
    Ok(if damaged.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
