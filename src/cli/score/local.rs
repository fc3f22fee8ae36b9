//! The options of `qualm score` for models that run on this machine.

use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Local models")]
pub(in crate::cli) struct LocalArgs {
    /// The folder of an NLI classifier, for ncp (`qualm help local-models`)
    #[arg(long, value_name = "DIR")]
    nli_model: Option<PathBuf>,
    /// The folder of a sentence encoder, for prop-dist, prop-pd and prop-hmm
    #[arg(long, value_name = "DIR")]
    embedding_model: Option<PathBuf>,
    #[command(flatten)]
    runtime: RuntimeArgs,
}

/// What runs the models.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct RuntimeArgs {
    /// The library of onnxruntime, which then runs the models; by default rten runs them
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) onnxruntime: Option<PathBuf>,
}

impl LocalArgs {
    /// Whether a model is given.
    pub(super) fn is_used(&self) -> bool {
        self.nli_model.is_some() || self.embedding_model.is_some()
    }

    /// Computes the scorers of the given models, as far as they are wanted; returns lines that say what
    /// came of it.
    pub(super) fn run(
        &self,
        store: &Path,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> anyhow::Result<Vec<String>> {
        if self.is_used() { score(self, store, is_wanted) } else { Ok(Vec::new()) }
    }
}

#[cfg(feature = "local-models")]
fn score(
    args: &LocalArgs,
    store: &Path,
    is_wanted: &dyn Fn(&str) -> bool,
) -> anyhow::Result<Vec<String>> {
    use crate::cli::paths;
    use crate::cli::progress::Bar;
    use crate::models::local::{LocalModel, LocalSummary, OnnxRuntime, score_drift, score_ncp};
    use crate::scorers::propagation::DriftWeights;
    use crate::text::counted;

    let library = args.runtime.onnxruntime.as_deref().map(OnnxRuntime::load).transpose()?;
    // Without a home, answers are not kept.
    let folder = paths::cache().ok().map(|cache| cache.join("models"));
    let mut lines = Vec::new();
    let mut tell = |summary: LocalSummary| {
        let known = if summary.asked == 0 { ", all answers known from before" } else { "" };
        let values = summary.values.iter();
        lines.extend(values.map(|(scorer, count)| {
            format!("{scorer}: {} by the model{known}", counted(*count as u64, "value"))
        }));
        lines.extend(summary.missing);
    };
    if let Some(path) = args.nli_model.as_deref().filter(|_| is_wanted("ncp")) {
        let bar = Bar::count("message pair");
        let mut model = LocalModel::open(path, library.as_ref(), folder.as_deref())?;
        let progress = |done: usize, of: usize| {
            bar.set_total(of as u64 / 2);
            bar.set(done as u64 / 2);
        };
        tell(score_ncp(store, &mut model, folder.as_deref(), &progress)?);
    }
    let wants_drift = DriftWeights::ALL.iter().any(|weights| is_wanted(weights.id()));
    if let Some(path) = args.embedding_model.as_deref().filter(|_| wants_drift) {
        let bar = Bar::count("text");
        let mut model = LocalModel::open(path, library.as_ref(), folder.as_deref())?;
        let progress = |done: usize, of: usize| {
            bar.set_total(of as u64);
            bar.set(done as u64);
        };
        tell(score_drift(store, &mut model, folder.as_deref(), &progress)?);
    }
    Ok(lines)
}

#[cfg(not(feature = "local-models"))]
fn score(_: &LocalArgs, _: &Path, _: &dyn Fn(&str) -> bool) -> anyhow::Result<Vec<String>> {
    anyhow::bail!(NO_MODELS)
}

/// What a build without local models says.
#[cfg(not(feature = "local-models"))]
pub(in crate::cli) const NO_MODELS: &str = "this build of qualm has no local models; use a released \
     binary, or build it with `cargo build --release --features local-models`";
