//! The part of `qualm score` that asks chat models.

mod lines;
mod news;

use std::env;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::{Map, Value};

use crate::model::Cell;
use crate::models::{
    AskOptions, AskSettings, ChatModel, DEFAULT_URL, Endpoint, ModelSummary, Prices, Prompt,
    PromptKind, Question, RESULT_BYTES, ScorePlan, Secret, SelfModels, Wanted,
};
use crate::scorers::NEXT_ACTIONS;
pub(super) use lines::{estimate_lines, summary_lines};
use news::News;

/// The environment variable of the key for `--base-url`.
const KEY: &str = "QUALM_API_KEY";

/// The host whose key other programs keep in `OPENAI_API_KEY`.
const OPENAI: &str = "api.openai.com";

const HEADING: &str = "Chat models";

#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug, clap::Args)]
#[command(next_help_heading = HEADING)]
pub(super) struct ChatArgs {
    /// The model that judges pairs, for ter
    #[arg(long, value_name = "NAME[@URL]")]
    judge_model: Option<String>,
    /// The agent's model, for ptrue, vc and prefix: which model of the store is reached under which name
    ///
    /// A bare NAME is enough for a store with one model. Repeat it for a store with several. A cell whose
    /// model is not mapped is not scored. `prefix` asks several times for every turn, so that it is
    /// computed only when `--scorers` names it.
    #[arg(long, value_name = "[MODEL=]NAME[@URL]")]
    self_model: Vec<String>,
    /// The address of a server that speaks the protocol of `OpenAI`, up to /v1
    #[arg(long, value_name = "URL", default_value = DEFAULT_URL, hide_short_help = true)]
    base_url: String,
    /// The environment variable with the key for --base-url [default: `QUALM_API_KEY`]
    ///
    /// Another host gets the key of the variable `QUALM_API_KEY_HOST`, with its name in capitals and `_` for
    /// every other character; api.openai.com also that of `OPENAI_API_KEY`. No key goes to a host that it is
    /// not for.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    key_env: Option<String>,
    /// A prompt in place of the built-in one; SCORER is ter, ptrue, vc or prefix
    #[arg(long, value_name = "[SCORER=]FILE", hide_short_help = true)]
    prompt: Vec<String>,
    /// Show half of the pairs to the judge in the other order
    #[arg(long, hide_short_help = true)]
    swap: bool,
    /// Show so many bytes of every tool result
    #[arg(long, value_name = "BYTES", default_value_t = RESULT_BYTES, hide_short_help = true)]
    result_bytes: usize,
    /// Ask for so many of the likeliest tokens, for ptrue
    #[arg(long, value_name = "N", default_value_t = 20, hide_short_help = true,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    top_logprobs: u32,
    /// The longest answer, in tokens
    #[arg(long, value_name = "N", default_value_t = 2048, hide_short_help = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: u32,
    /// Sample every next action so often, for prefix
    #[arg(long, value_name = "K", default_value_t = NEXT_ACTIONS as u32, hide_short_help = true,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// The temperature of next actions, for prefix
    #[arg(long, value_name = "T", default_value_t = 0.7, hide_short_help = true,
          value_parser = not_negative)]
    temperature: f64,
    /// Fields to add to every request, as a JSON object; null takes a field away
    #[arg(long, value_name = "JSON", hide_short_help = true, value_parser = object)]
    request: Option<Map<String, Value>>,
    /// Ask so many questions at a time
    #[arg(long, value_name = "N", default_value_t = 8, hide_short_help = true,
          value_parser = clap::value_parser!(u16).range(1..=512))]
    concurrency: u16,
    /// Ask at most so many questions a minute
    #[arg(long, value_name = "PER_MINUTE", hide_short_help = true, value_parser = positive)]
    rate: Option<f64>,
    /// Wait so many seconds for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 180.0, hide_short_help = true,
          value_parser = positive)]
    timeout: f64,
    /// Ask again so often after a passing failure
    #[arg(long, value_name = "N", default_value_t = 6, hide_short_help = true)]
    retries: u32,
    /// Ask at most so many new questions
    #[arg(long, value_name = "CALLS")]
    limit: Option<usize>,
    /// Spend at most so much, by the prices in the settings
    #[arg(long, value_name = "AMOUNT", value_parser = not_negative)]
    budget: Option<f64>,
    /// Only this cell, as DATASET/MODEL or DATASET/MODEL/CONDITION; repeatable
    #[arg(long, value_name = "CELL")]
    cell: Vec<String>,
    /// Leave runs and pairs alone that have a value
    #[arg(long)]
    only_missing: bool,
    /// Print calls, tokens and cost, and ask nothing
    #[arg(long)]
    dry_run: bool,
    /// Compute the values from the answers that are there, and ask nothing
    #[arg(long, hide_short_help = true, conflicts_with = "dry_run")]
    from_answers: bool,
    /// Drop values that came about in another way: by another prompt, model or file
    #[arg(long, hide_short_help = true)]
    replace: bool,
    /// How progress is shown: a bar on a terminal, or a line of JSON for other programs
    #[arg(long, hide = true, value_parser = ["bar", "json"], default_value = "bar")]
    progress: String,
}

fn positive(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0);
    value.ok_or_else(|| "is not a number above 0".to_owned())
}

fn not_negative(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
    value.ok_or_else(|| "is not a number of 0 or more".to_owned())
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    let object: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| format!("is not a JSON object ({error})"))?;
    let fixed = ["messages", "model", "tools", "stream", "n"];
    match fixed.into_iter().find(|field| object.contains_key(*field)) {
        Some(field) => Err(format!("sets `{field}`, which qualm sets")),
        None => Ok(object),
    }
}

impl ChatArgs {
    /// Whether a model was named.
    pub(super) fn is_asked(&self) -> bool {
        self.judge_model.is_some() || !self.self_model.is_empty()
    }

    /// Whether nothing may be written.
    pub(super) fn is_dry(&self) -> bool {
        self.dry_run
    }

    /// What is to be asked. `scorers` are those that the user named.
    pub(super) fn plan(
        &self,
        scorers: Option<&[String]>,
        prices: Prices,
    ) -> anyhow::Result<ScorePlan> {
        let judge = self.judge_model.as_deref().map(|name| self.model(name)).transpose()?;
        let selves = self.selves()?;
        let questions = questions(scorers, judge.is_some(), !selves.is_empty());
        let settings = AskSettings {
            judge,
            selves,
            prompts: self.prompts(&questions)?,
            swap: self.swap,
            result_bytes: self.result_bytes,
            top_logprobs: self.top_logprobs,
            max_tokens: self.max_tokens,
            repeats: self.repeats,
            temperature: self.temperature,
            extra: self.request.clone().unwrap_or_default(),
        };
        let options = AskOptions {
            concurrency: usize::from(self.concurrency),
            per_minute: self.rate,
            timeout: Duration::try_from_secs_f64(self.timeout).context("--timeout is too long")?,
            retries: self.retries,
            limit: self.limit,
            budget: self.budget,
            prices,
            from_answers: self.from_answers,
        };
        let cells = self.cell.iter().map(|cell| parse_cell(cell)).collect::<Result<_, _>>()?;
        let wanted = Wanted { questions, cells, only_missing: self.only_missing };
        Ok(ScorePlan { settings, wanted, options, replace: self.replace })
    }

    fn selves(&self) -> anyhow::Result<SelfModels> {
        let mut selves = SelfModels::default();
        for text in &self.self_model {
            match text.split_once('=') {
                // An address may hold the sign, too.
                Some((model, name)) if !model.contains("://") => {
                    if selves.named.insert(model.to_owned(), self.model(name)?).is_some() {
                        bail!("--self-model names `{model}` twice; name it once");
                    }
                }
                _ if selves.only.is_some() => {
                    bail!("--self-model is given twice without MODEL=; say which model is which")
                }
                _ => selves.only = Some(self.model(text)?),
            }
        }
        if selves.only.is_some() && !selves.named.is_empty() {
            bail!("--self-model is given with and without MODEL=; say which model is which");
        }
        Ok(selves)
    }

    /// The model of `NAME[@URL]`.
    fn model(&self, text: &str) -> anyhow::Result<ChatModel> {
        let at = text.find("@http://").or_else(|| text.find("@https://"));
        let (name, url) = at.map_or((text, None), |at| (&text[..at], Some(&text[at + 1..])));
        if name.trim().is_empty() {
            bail!("`{text}` names no model; write NAME or NAME@URL");
        }
        let base = Endpoint::new(&self.base_url, &|_| None)?;
        let key = |host: &str| self.key(host, host == base.host());
        let endpoint = Endpoint::new(url.unwrap_or(&self.base_url), &key)?;
        Ok(ChatModel { name: name.to_owned(), endpoint })
    }

    /// The key for a host, from the environment.
    fn key(&self, host: &str, is_base: bool) -> Option<Secret> {
        let letters = host.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        let named = format!("{KEY}_{}", letters.collect::<String>().to_ascii_uppercase());
        let of_base = self.key_env.as_deref().or(Some(KEY)).filter(|_| is_base);
        let usual = (host == OPENAI).then_some("OPENAI_API_KEY");
        let names = [Some(named.as_str()), of_base, usual];
        names.into_iter().flatten().find_map(|name| Secret::new(&env::var(name).ok()?))
    }

    fn prompts(&self, questions: &[Question]) -> anyhow::Result<Vec<Prompt>> {
        let read = |text: &String| {
            let named = text.split_once('=').and_then(|(scorer, file)| {
                let kind = PromptKind::ALL.into_iter().find(|kind| kind.id() == scorer)?;
                Some((kind, file))
            });
            let (kind, file) = match (named, questions) {
                (Some(named), _) => named,
                (None, [question]) => (question.prompt(), text.as_str()),
                _ => bail!(
                    "--prompt {text}: several scorers have a prompt; write ter={text}, ptrue={text}, \
                     vc={text} or prefix={text}"
                ),
            };
            Ok(Prompt::read(kind, Path::new(file))?)
        };
        self.prompt.iter().map(read).collect()
    }

    /// Asks, and returns what to print.
    pub(super) fn ask(&self, store: &Path, plan: &ScorePlan) -> anyhow::Result<ModelSummary> {
        let stop = stop_on_interrupt();
        let news = News::new(self.progress == "json");
        let summary = plan.run(store, &stop, &mut |progress| {
            news.tell(progress, stop.load(Ordering::Relaxed));
        });
        Ok(summary?)
    }
}

/// The questions behind scorers. Without names, all that the named models answer in one call a run.
fn questions(scorers: Option<&[String]>, has_judge: bool, has_self: bool) -> Vec<Question> {
    let is_possible = |question: &Question| match question {
        Question::Ter => has_judge,
        Question::PTrue | Question::Vc | Question::Prefix => has_self,
    };
    let is_wanted = |question: &Question| match scorers {
        Some(ids) => ids.iter().any(|id| Question::of_scorer(id) == Some(*question)),
        None => *question != Question::Prefix,
    };
    Question::ALL.into_iter().filter(is_possible).filter(is_wanted).collect()
}

fn parse_cell(text: &str) -> anyhow::Result<Cell> {
    let mut parts = text.splitn(3, '/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(dataset), Some(model), condition) if !dataset.is_empty() && !model.is_empty() => {
            let mut cell = Cell::new(dataset, model);
            if let Some(condition) = condition {
                condition.clone_into(&mut cell.condition);
            }
            Ok(cell)
        }
        _ => bail!("--cell {text}: a cell is DATASET/MODEL or DATASET/MODEL/CONDITION"),
    }
}

/// A flag that the first interrupt sets; the second ends the program, and no answer is lost.
fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let _ =
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, stop.clone());
        let _ = signal_hook::flag::register(signal, stop.clone());
    }
    stop
}
