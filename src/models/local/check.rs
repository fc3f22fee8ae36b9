//! What a model says of a test text, for a person who wants to know whether a folder is right.

use std::fmt::Write as _;
use std::path::Path;

use super::ncp::probabilities;
use super::{LocalError, LocalModel, ModelKind, OnnxRuntime, Question};

/// The pair that a classifier is tried on.
const PAIR: (&str, &str) = ("Your flight is cancelled.", "I could not cancel your flight.");

/// The numbers of an embedding that are shown.
const SHOWN: usize = 6;

/// Loads the model in a folder, tries it on a test text, and says what came out: lines for a terminal.
pub fn describe(folder: &Path, library: Option<&OnnxRuntime>) -> Result<String, LocalError> {
    let mut model = LocalModel::open(folder, library, None)?;
    let (kind, question) = match model.kind() {
        ModelKind::Nli => ("NLI classifier", Question::Pair(PAIR.0, PAIR.1)),
        ModelKind::Encoder => ("sentence encoder", Question::Text(PAIR.0)),
    };
    let contradiction = match model.kind() {
        ModelKind::Nli => Some((model.contradiction()?, model.labels()?)),
        ModelKind::Encoder => None,
    };
    let tokens = model.tokens(&question)?;
    let answer = model.run(&[&tokens])?.pop().unwrap_or_default();
    let runtime = if library.is_some() { "onnxruntime" } else { "rten" };
    let mut text = format!("{}: {kind}\n", model.name());
    let (family, limit) = (model.family(), model.limit());
    let _ = writeln!(text, "  family {family}, at most {limit} tokens, run by {runtime}");
    match question {
        Question::Pair(a, b) => drop(writeln!(text, "  pair \"{a}\" / \"{b}\"")),
        Question::Text(a) => drop(writeln!(text, "  text \"{a}\"")),
    }
    let ids: Vec<String> = tokens.ids.iter().map(u32::to_string).collect();
    let _ = writeln!(text, "  token ids {}", ids.join(" "));
    if let Some((index, labels)) = contradiction {
        for (number, (label, share)) in labels.iter().zip(probabilities(&answer)).enumerate() {
            let mark = if number == index { "  counts as contradiction" } else { "" };
            let _ = writeln!(text, "  label {number} {label}: {share:.4}{mark}");
        }
    } else {
        let first: Vec<String> =
            answer.iter().take(SHOWN).map(|value| format!("{value:.6}")).collect();
        let _ = writeln!(text, "  embedding of {} numbers: {} …", answer.len(), first.join(" "));
    }
    Ok(text)
}
