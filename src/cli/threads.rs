//! Starts no more threads than the system allows.
//!
//! rayon and polars each start one thread per core, and panic if the system refuses one. Both read
//! the number from the environment, so a process that may not have that many restarts itself with
//! fewer.

use std::sync::mpsc;
use std::thread;

/// What polars and rayon read the number of their threads from.
const VARIABLES: [&str; 2] = ["POLARS_MAX_THREADS", "RAYON_NUM_THREADS"];

/// Threads of this program beside those of rayon and polars; it manages with fewer.
const OTHERS: usize = 4;

/// Starts the program again with fewer threads where it may not have a full set. Fails where it cannot
/// have three.
pub(super) fn fit() -> anyhow::Result<()> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let asked = VARIABLES.map(|name| std::env::var(name).ok()?.parse::<usize>().ok());
    let wanted = asked.iter().map(|asked| asked.unwrap_or(cores)).sum::<usize>() + OTHERS;
    let given = startable(wanted);
    if given < wanted && asked.contains(&None) {
        let each = (given.saturating_sub(OTHERS) / VARIABLES.len()).max(1);
        start_again(&each.to_string());
    }
    // One to read with, beside one for each of the two.
    anyhow::ensure!(
        given > VARIABLES.len(),
        "the system gives this process too few threads; raise the limit on processes (`ulimit -u`)"
    );
    Ok(())
}

/// How many threads can be started at once, up to some number.
fn startable(most: usize) -> usize {
    let (hold, held) = mpsc::channel::<()>();
    let held = std::sync::Arc::new(std::sync::Mutex::new(held));
    let start = |_| {
        let held = held.clone();
        let wait = move || drop(held.lock().map(|held| held.recv()));
        thread::Builder::new().stack_size(1 << 16).spawn(wait).ok()
    };
    let threads: Vec<_> = (0..most).map_while(start).collect();
    let count = threads.len();
    drop(hold);
    threads.into_iter().for_each(|thread| drop(thread.join()));
    count
}

#[cfg(unix)]
fn start_again(threads: &str) {
    use std::os::unix::process::CommandExt as _;
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = std::process::Command::new(program);
    command.args(std::env::args_os().skip(1)).envs(VARIABLES.map(|name| (name, threads)));
    // It returns only if that fails; then the program does what it can.
    drop(command.exec());
}

#[cfg(not(unix))]
fn start_again(_: &str) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted() {
        assert_eq!(startable(3), 3);
    }
}
