//! Measures how long runs of very many calls take to align, and runs of very many messages to show.
//! Prints one line of seconds each.
//!
//! `cargo bench --bench long_runs`

use std::hint::black_box;
use std::time::Instant;

use qualm::compare::Sheet;
use qualm::model::{Cell, Head, Message, Role, ToolCall, Trajectory};
use qualm::report::OutputFormat;
use qualm::report::show::{RunScores, ShowContext, ShowOptions, SideBySide};
use qualm::rng::Rng;
use qualm::scorers::aggregate::Aggregator;
use qualm::scorers::whitebox::Base;

const TOOLS: usize = 40;

fn run(messages: Vec<Message>) -> Trajectory {
    Trajectory::new(Head::new(Cell::new("long", "made up"), "1"), messages, |_| None)
}

/// Calls of random tools with random arguments.
fn calls(count: usize, seed: u64) -> Vec<Message> {
    let mut rng = Rng::new(seed, 0);
    let mut call = || {
        let name = format!("tool_{}", rng.below(TOOLS));
        let arguments = format!("{{\"id\": {}}}", rng.below(50));
        let call = ToolCall { id: String::new(), name, arguments };
        Message { tool_calls: vec![call], ..Message::text(Role::Assistant, "") }
    };
    (0..count).map(|_| call()).collect()
}

fn timed(what: &str, work: impl FnOnce() -> usize) {
    let start = Instant::now();
    let found = black_box(work());
    println!("{:8.3} s  {what} ({found})", start.elapsed().as_secs_f64());
}

fn main() {
    let first = run(calls(30_000, 1));
    let other = run(calls(30_000, 2));
    timed("two runs of 30,000 calls that share little, edits", || {
        Sheet::new(&[&first, &other]).edits(1)
    });
    let mut near = calls(30_000, 1);
    let mut index = 0;
    near.retain(|_| {
        index += 1;
        index % 200 != 0
    });
    let near = run(near);
    timed("the first without 150 of its calls, edits", || Sheet::new(&[&first, &near]).edits(1));
    let said = |index: usize| {
        let role = if index.is_multiple_of(2) { Role::User } else { Role::Assistant };
        Message::text(role, format!("message {index}"))
    };
    let talk = run((0..1_000_000).map(said).collect());
    let runs = [&talk];
    let sheet = Sheet::new(&runs);
    let scores = RunScores::white_box(&runs, Base::Lnsp, Aggregator::Min);
    let context = ShowContext::default();
    for format in [OutputFormat::Text, OutputFormat::Json] {
        timed("a million messages shown, bytes", || {
            let shown = SideBySide::new(&runs, &sheet, &scores, &context);
            shown.render(ShowOptions { format, full: false }).len()
        });
    }
}
