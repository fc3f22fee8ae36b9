//! A model in a folder: its files, its limits, and what it says about tokens.

use std::path::{Path, PathBuf};

use tokenizers::{Tokenizer, TruncationParams};

use super::batch::{Batch, Tokens};
use super::error::brief;
use super::identity::{Identities, Identity, Looks, hash};
use super::runtime::{self, Runtime};
use super::settings::{self, Config};
use super::{LocalError, OnnxRuntime, Question};

/// The limit where nothing names one.
const USUAL_LIMIT: usize = 512;

/// The smallest limit: a pair needs its special tokens and a token of each text.
const LEAST_LIMIT: usize = 8;

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    /// It classifies pairs of texts.
    Nli,
    /// It makes a vector of a text.
    Encoder,
}

impl ModelKind {
    /// The name of a model's output.
    pub(super) fn output(self) -> &'static str {
        match self {
            Self::Nli => "logits",
            Self::Encoder => "last_hidden_state",
        }
    }

    /// The kind of a model by the name of its output.
    pub(super) fn of_output(name: &str) -> Option<Self> {
        [Self::Nli, Self::Encoder].into_iter().find(|kind| kind.output() == name)
    }
}

/// A model in a folder. It is loaded when it is first asked something.
pub struct LocalModel {
    folder: PathBuf,
    identity: Identity,
    /// How its files looked when it was identified.
    looks: Looks,
    config: Config,
    tokenizer: Tokenizer,
    limit: usize,
    library: Option<OnnxRuntime>,
    runtime: Option<Runtime>,
}

impl LocalModel {
    /// Opens the model in a folder. It is run by rten, or by onnxruntime where its library is given.
    /// `answers` is where answers are kept; a model that is known from there is not read.
    pub fn open(
        folder: &Path,
        library: Option<&OnnxRuntime>,
        answers: Option<&Path>,
    ) -> Result<Self, LocalError> {
        let config: Config = settings::json(folder, "config.json")?;
        let bytes = settings::bytes(folder, "tokenizer.json")?;
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| {
            let why = format!("is not a tokenizer ({}); export the model again", brief(error));
            LocalError::model(&folder.join("tokenizer.json"), why)
        })?;
        let looks = Looks::of(folder);
        let identities = answers.map(Identities::of);
        let known = identities.as_ref().and_then(|known| known.find(folder, &looks));
        let (identity, runtime) = if let Some(identity) = known {
            (identity, None)
        } else {
            let runtime = Runtime::open(folder, library)?;
            let identity = Identity { hash: hash(folder)?, kind: runtime.kind() };
            if let Some(identities) = identities.filter(|_| Looks::of(folder) == looks) {
                identities.keep(folder, &looks, identity);
            }
            (identity, Some(runtime))
        };
        let limit = limit(folder, identity.kind, &config, &tokenizer)?;
        let cut = TruncationParams {
            max_length: limit,
            ..tokenizer.get_truncation().cloned().unwrap_or_default()
        };
        tokenizer
            .with_truncation(Some(cut))
            .map_err(|error| LocalError::model(&folder.join("tokenizer.json"), brief(error)))?;
        // Batches are padded to their longest text only.
        tokenizer.with_padding(None);
        let (folder, library) = (folder.to_owned(), library.cloned());
        Ok(Self { folder, identity, looks, config, tokenizer, limit, library, runtime })
    }

    /// The program of the model, which is loaded if it is not.
    fn runtime(&mut self) -> Result<&mut Runtime, LocalError> {
        let runtime = if let Some(runtime) = self.runtime.take() {
            runtime
        } else {
            let runtime = Runtime::open(&self.folder, self.library.as_ref())?;
            // Its answers would be kept under the name of what was there before.
            if Looks::of(&self.folder) != self.looks {
                let why = "its files changed since it was opened; run the command again";
                return Err(LocalError::model(&self.folder, why));
            }
            runtime
        };
        Ok(self.runtime.insert(runtime))
    }

    /// Fails with a sentence if the model is not of this kind.
    pub fn require(&self, kind: ModelKind) -> Result<(), LocalError> {
        match (kind, self.identity.kind) {
            (ModelKind::Nli, ModelKind::Encoder) => Err(LocalError::model(
                &self.folder,
                "is a sentence encoder, and an NLI classifier is needed",
            )),
            (ModelKind::Encoder, ModelKind::Nli) => Err(LocalError::model(
                &self.folder,
                "is a classifier, and a sentence encoder is needed",
            )),
            _ => Ok(()),
        }
    }

    /// What the model is for.
    pub fn kind(&self) -> ModelKind {
        self.identity.kind
    }

    /// Whether the model is in memory; one that is known from before is read when it must answer.
    pub fn is_loaded(&self) -> bool {
        self.runtime.is_some()
    }

    /// The family of the model, as its settings name it.
    pub fn family(&self) -> &str {
        &self.config.model_type
    }

    /// The most tokens of a text or a pair; what is longer is cut.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The name in settings of scorers: that of the folder and the hash of its content.
    pub fn name(&self) -> String {
        let folder = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        format!("{name} xxh3:{:032x}", self.identity.hash)
    }

    /// The hash of its content.
    pub(super) fn hash(&self) -> u128 {
        self.identity.hash
    }

    /// The labels of a classifier in the order of its logits.
    pub fn labels(&self) -> Result<Vec<String>, LocalError> {
        let path = self.folder.join("config.json");
        self.config.labels().filter(|labels| !labels.is_empty()).ok_or_else(|| {
            LocalError::model(&path, "`id2label` does not name a label for every number from 0")
        })
    }

    /// The index of the logit of a contradiction.
    pub fn contradiction(&self) -> Result<usize, LocalError> {
        let labels = self.labels()?;
        let is_meant = |label: &String| label.to_lowercase().contains("contradict");
        let mut found = labels.iter().enumerate().filter(|(_, label)| is_meant(label));
        if let (Some((index, _)), None) = (found.next(), found.next()) {
            return Ok(index);
        }
        let why = format!(
            "its labels are {}, and exactly one must be named contradiction; set \
                     `id2label` to what the model was trained with",
            labels.join(", ")
        );
        Err(LocalError::model(&self.folder.join("config.json"), why))
    }

    /// The tokens of what is asked, cut to the limit as the tokenizer cuts.
    pub fn tokens(&self, question: &Question<'_>) -> Result<Tokens, LocalError> {
        let encoded = match *question {
            Question::Text(text) => self.tokenizer.encode(text, true),
            Question::Pair(a, b) => self.tokenizer.encode((a, b), true),
        };
        let encoded = encoded.map_err(|error| {
            let path = self.folder.join("tokenizer.json");
            LocalError::model(&path, format!("does not take a text: {}", brief(error)))
        })?;
        Ok(Tokens { ids: encoded.get_ids().to_vec(), types: encoded.get_type_ids().to_vec() })
    }

    /// The answers to texts: the logits of a classifier, or the normalised mean embedding of an encoder.
    pub(super) fn run(&mut self, texts: &[&Tokens]) -> Result<Vec<Vec<f32>>, LocalError> {
        let pad = self.config.pad_token_id.unwrap_or(0);
        let batch = Batch::new(texts, pad);
        let output = self.runtime()?.run(&batch)?;
        match (self.identity.kind, &output.shape[..]) {
            (ModelKind::Nli, [rows, labels]) if *rows == batch.rows && *labels > 0 => {
                let named = self.labels()?.len();
                if named != *labels {
                    let why = format!("`id2label` has {named} labels, and the model {labels}");
                    return Err(LocalError::model(&self.folder.join("config.json"), why));
                }
                Ok(output.values.chunks(*labels).map(<[f32]>::to_vec).collect())
            }
            (ModelKind::Encoder, [rows, length, size])
                if [*rows, *length] == [batch.rows, batch.length] && *size > 0 =>
            {
                let rows = output.values.chunks(length * size).zip(batch.mask.chunks(*length));
                Ok(rows.map(|(row, mask)| pooled(row, mask, *size)).collect())
            }
            (_, shape) => {
                let why = format!("returns numbers of the shape {shape:?}, which it should not");
                Err(LocalError::model(&self.folder.join(runtime::FILE), why))
            }
        }
    }
}

/// The mean of the embeddings of all tokens, scaled to the length 1.
fn pooled(tokens: &[f32], mask: &[u32], size: usize) -> Vec<f32> {
    let mut sum = vec![0.0f64; size];
    for (token, _) in tokens.chunks(size).zip(mask).filter(|(_, is_text)| **is_text > 0) {
        sum.iter_mut().zip(token).for_each(|(sum, value)| *sum += f64::from(*value));
    }
    // Scaling makes the number of tokens irrelevant.
    let length = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
    sum.iter().map(|value| (value / length.max(1e-12)) as f32).collect()
}

/// The most tokens of a text. A classifier cuts as its tokenizer says; the tokenizer of a published
/// encoder may cut earlier than the encoder's own settings say.
fn limit(
    folder: &Path,
    kind: ModelKind,
    config: &Config,
    tokenizer: &Tokenizer,
) -> Result<usize, LocalError> {
    let named = match kind {
        ModelKind::Encoder => settings::sentence_limit(folder)?,
        ModelKind::Nli => tokenizer.get_truncation().map(|cut| cut.max_length),
    };
    let limits = [named, config.positions()].into_iter().flatten();
    Ok(limits.min().unwrap_or(USUAL_LIMIT).max(LEAST_LIMIT))
}
