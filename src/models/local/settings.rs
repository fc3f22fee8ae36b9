//! What the files beside a model say about it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::LocalError;
use crate::files;

/// The largest file of settings or of a tokenizer that is read.
const LARGEST: u64 = 1 << 28;

/// The families that give no position to the first numbers, up to that of the padding token.
const OFFSET_FAMILIES: [&str; 3] = ["roberta", "xlm-roberta", "camembert"];

/// The part of `config.json` that counts.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Config {
    #[serde(default)]
    pub(super) model_type: String,
    #[serde(default)]
    id2label: Option<BTreeMap<String, String>>,
    #[serde(default)]
    max_position_embeddings: Option<usize>,
    #[serde(default)]
    pub(super) pad_token_id: Option<u32>,
}

impl Config {
    /// The most tokens that the model has positions for.
    pub(super) fn positions(&self) -> Option<usize> {
        let positions = self.max_position_embeddings.filter(|positions| *positions > 0)?;
        let has_offset = OFFSET_FAMILIES.contains(&self.model_type.as_str());
        let offset = if has_offset { self.pad_token_id.unwrap_or(1) as usize + 1 } else { 0 };
        Some(positions.saturating_sub(offset))
    }

    /// The labels in the order of the model's outputs; none where one is missing.
    pub(super) fn labels(&self) -> Option<Vec<String>> {
        let labels = self.id2label.as_ref()?;
        (0..labels.len()).map(|id| labels.get(&id.to_string()).cloned()).collect()
    }
}

/// The part of `sentence_bert_config.json` that counts.
#[derive(Debug, Deserialize)]
struct SentenceConfig {
    #[serde(default)]
    max_seq_length: Option<usize>,
}

/// Reads a file that a model must have.
pub(super) fn bytes(folder: &Path, name: &str) -> Result<Vec<u8>, LocalError> {
    let path = folder.join(name);
    files::read(&path, LARGEST).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => missing(folder, name),
        _ => LocalError::model(&path, error.to_string()),
    })
}

/// The error of a folder that lacks a file.
pub(super) fn missing(folder: &Path, name: &str) -> LocalError {
    let why = if folder.is_dir() {
        format!("has no {name}; the script of `qualm models script` writes folders with all files")
    } else {
        "there is no such folder of a model; the script of `qualm models script` writes one"
            .to_owned()
    };
    LocalError::model(folder, why)
}

pub(super) fn json<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<T, LocalError> {
    let bytes = bytes(folder, name)?;
    let wrong = |error| {
        let why = format!("is not the JSON of a model ({error}); export the model again");
        LocalError::model(&folder.join(name), why)
    };
    serde_json::from_slice(&bytes).map_err(wrong)
}

/// The file that says how long a text a sentence encoder takes.
pub(super) const SENTENCE_CONFIG: &str = "sentence_bert_config.json";

/// The limit that the folder of a sentence encoder names.
pub(super) fn sentence_limit(folder: &Path) -> Result<Option<usize>, LocalError> {
    if !folder.join(SENTENCE_CONFIG).exists() {
        return Ok(None);
    }
    Ok(json::<SentenceConfig>(folder, SENTENCE_CONFIG)?.max_seq_length)
}
