//! Reports damaged parts of a store, because numbers may depend on them.

use std::process::ExitCode;

use super::out;
use crate::store::Store;
use crate::text::visible;

/// Names every damaged line of notes and votes on stderr. The exit code is that of a failure if there is
/// one, or if a table that was read is not as it was written: what was printed may be wrong.
pub(super) fn tell(store: &Store) -> anyhow::Result<ExitCode> {
    let damaged = store.annotations()?.damaged;
    for line in &damaged {
        let said = format!("qualm: {line}; until then it is left out of all numbers");
        out::complain(&visible(&said));
    }
    let is_sound = damaged.is_empty() && store.damage().is_none();
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
