//! What SWE-agent and mini-swe-agent share: a file a run, a folder a file, and names in their paths.

use std::fs;
use std::path::{Path, PathBuf};

use super::content::{packings, unpacked_name};
use super::given::Contexts;
use super::names::{CellNames, model_name};
use super::runs::{Repeats, hand_out, skip};
use super::{Candidate, Claim, Content, Emit, InputNotes, ReadError, ReadOptions};
use crate::model::{Given, Head, Message, Origin, TokenSeq, Trajectory};

/// What files of a run are called, and how one is known by its content.
pub(super) struct Layout {
    /// The agent, which is the condition of its runs.
    pub(super) agent: &'static str,
    /// How the files' names end.
    pub(super) ending: &'static str,
    pub(super) is_run: fn(&Candidate) -> bool,
    pub(super) parse: fn(&Content) -> Result<Transcript, ReadError>,
}

/// A run as its file tells it.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) messages: Vec<Message>,
    /// By message; none, or one for each.
    pub(super) tokens: Vec<Option<TokenSeq>>,
    pub(super) task: Option<String>,
    pub(super) model: Option<String>,
    pub(super) temperature: Option<f64>,
    pub(super) termination: Option<String>,
    pub(super) cost: Option<f64>,
    pub(super) duration: Option<f64>,
    pub(super) prompt_tokens: Option<u64>,
    pub(super) completion_tokens: Option<u64>,
    /// The template of the system prompt, for a run that does not begin with one.
    pub(super) system_template: Option<String>,
}

impl Layout {
    /// Takes a file, or a folder that is a run over tasks.
    pub(super) fn claim(&self, candidate: &Candidate) -> Option<Claim> {
        let Some(entries) = candidate.entries() else {
            return (self.is_run)(candidate).then(|| Claim::new(candidate.content().clone()));
        };
        let files = self.files(entries)?;
        let first = Candidate::file(Content::at(files.first()?)).ok()?;
        let folder = candidate.path();
        (self.is_run)(&first)
            .then(|| Claim::new(candidate.content().clone()).owning(folder).with_parts(files))
    }

    /// The files of a run over tasks, by name: `<task>/<task>.traj`, or all in one folder that holds no
    /// other results.
    fn files(&self, entries: &[PathBuf]) -> Option<Vec<PathBuf>> {
        let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
            entries.iter().partition(|path| path.is_dir());
        let nested = folders.iter().filter_map(|folder| {
            let name = folder.file_name()?.to_str()?;
            let file = folder.join(format!("{name}{}", self.ending));
            packings(&file).find(|file| file.is_file())
        });
        let nested: Vec<PathBuf> = nested.collect();
        let (direct, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
            files.into_iter().partition(|path| self.is_named(path));
        let is_flat = folders.is_empty() && !others.iter().any(|path| may_be_results(path));
        if nested.is_empty() && !is_flat {
            return None;
        }
        let mut all = nested;
        all.extend(direct.into_iter().cloned());
        Some(all)
    }

    /// Whether a file is named as a run is.
    pub(super) fn is_named(&self, path: &Path) -> bool {
        unpacked_name(path).is_some_and(|name| name.ends_with(self.ending))
    }

    /// Hands out the runs of a file or folder.
    pub(super) fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        let mut runs = Runs {
            layout: self,
            claim,
            options,
            repeats: Repeats::default(),
            contexts: Contexts::default(),
            notes: Vec::new(),
        };
        if claim.content().is_stream() || !claim.path().is_dir() {
            let content = claim.content();
            runs.hand_out(content.path(), (self.parse)(content)?, emit);
        }
        for file in claim.parts() {
            let wanted = match (self.parse)(&Content::at(file)) {
                Ok(transcript) => runs.hand_out(file, transcript, emit),
                Err(error) => runs.skip(file, &error, emit),
            };
            if !wanted {
                break;
            }
        }
        Ok(InputNotes { notes: runs.notes, ..InputNotes::default() })
    }
}

/// Whether a file beside runs may hold other results: predictions do not.
fn may_be_results(path: &Path) -> bool {
    let name = unpacked_name(path).unwrap_or_default();
    let ending = [".json", ".jsonl", ".eval"].iter().any(|ending| name.ends_with(ending));
    ending && !name.contains("preds")
}

struct Runs<'a> {
    layout: &'a Layout,
    claim: &'a Claim,
    options: &'a ReadOptions,
    repeats: Repeats,
    contexts: Contexts,
    notes: Vec<String>,
}

impl Runs<'_> {
    fn hand_out(&mut self, path: &Path, transcript: Transcript, emit: Emit<'_>) -> bool {
        let mut head = self.head(path, transcript.task, transcript.model);
        head.temperature = transcript.temperature.or(head.temperature);
        head.termination = transcript.termination;
        head.cost = transcript.cost;
        head.duration = transcript.duration;
        head.prompt_tokens = transcript.prompt_tokens;
        head.completion_tokens = transcript.completion_tokens;
        let reason = match &head.termination {
            Some(status) => format!("ended before the agent acted ({status})"),
            None => "ended before the agent acted".to_owned(),
        };
        let mut tokens = transcript.tokens;
        let mut run =
            Trajectory::new(head, transcript.messages, |index| tokens.get_mut(index)?.take());
        let system = transcript.system_template.as_deref();
        self.contexts.attach(&mut run, Given { system, ..Given::default() });
        hand_out(run, self.options.keep_errored, || reason, emit)
    }

    /// The notice of a file that cannot be read.
    fn skip(&mut self, path: &Path, error: &ReadError, emit: Emit<'_>) -> bool {
        let reason = format!("its file cannot be read: {}", error.problem());
        skip(self.head(path, None, None), reason, emit)
    }

    fn head(&mut self, path: &Path, task: Option<String>, model: Option<String>) -> Head {
        let by_path = PathNames::of(path, self.layout.ending);
        let mut names = CellNames {
            dataset: by_path.dataset,
            model: model.or(by_path.model).as_deref().map(model_name),
            condition: Some(self.layout.agent.to_owned()),
        };
        let mut notes = Vec::new();
        let named = if self.claim.path().is_dir() { self.claim.path() } else { path };
        names.guess(&without_ending(named), self.options, "swe-bench", &mut notes);
        notes.retain(|note| !self.notes.contains(note));
        self.notes.append(&mut notes);
        let mut head = Head::new(names.cell(self.options), task.unwrap_or(by_path.task));
        let attempt = format!("{}/{}", head.cell, head.task);
        head.origin = Origin {
            source: self.claim.source().to_owned(),
            run_id: None,
            trial: None,
            repeat: self.repeats.next(&attempt, None),
        };
        head.temperature = by_path.temperature;
        head
    }
}

/// A path whose stem is the file's name without both of its endings.
fn without_ending(path: &Path) -> PathBuf {
    let stem = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default().replace(".traj.json", ".json");
    path.with_file_name(stem)
}

/// What the path of a run says about it.
#[derive(Debug, Default, PartialEq)]
struct PathNames {
    task: String,
    model: Option<String>,
    dataset: Option<String>,
    temperature: Option<f64>,
}

impl PathNames {
    fn of(path: &Path, ending: &str) -> Self {
        let full = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let file = name(&full).unwrap_or_default();
        let file = unpacked_name(Path::new(&file)).unwrap_or(&file);
        let stem = file.strip_suffix(ending).unwrap_or(file);
        let mut folders = full.ancestors().skip(1).filter_map(name);
        let folder = folders.find(|folder| folder != stem).unwrap_or_default();
        let mut names = Self { task: stem.to_owned(), ..Self::of_folder(&folder) };
        // `<model>__<owner>__<repository>-<number>` is an instance of SWE-bench after a model's name.
        if let Some((rest, last)) = stem.rsplit_once("__")
            && let Some((model, owner)) = rest.rsplit_once("__")
            && last.rsplit_once('-').is_some_and(|(_, number)| number.parse::<u64>().is_ok())
        {
            names.task = format!("{owner}__{last}");
            names.model = names.model.or(Some(model.to_owned()));
        }
        names
    }

    /// What SWE-agent calls the folder of a run: `<model>__<dataset>__…__t-0.00__…`, and since its
    /// first version `<settings>__<model>__t-0.00__…___<dataset>`.
    fn of_folder(folder: &str) -> Self {
        let (settings, dataset) = match folder.split_once("___") {
            Some((settings, dataset)) => (settings, Some(dataset)),
            None => (folder, None),
        };
        let parts: Vec<&str> = settings.split("__").collect();
        let heat = |part: &&str| part.strip_prefix("t-").and_then(|text| text.parse::<f64>().ok());
        let Some(at) = parts.iter().position(|part| heat(part).is_some()).filter(|at| *at > 0)
        else {
            return Self::default();
        };
        let (model, dataset) = match dataset {
            Some(dataset) => (parts[at - 1], Some(dataset)),
            None => (parts[0], parts.get(1).copied().filter(|_| at > 1)),
        };
        Self {
            task: String::new(),
            model: Some(model.replace("--", "/")),
            dataset: dataset.map(str::to_owned),
            temperature: parts.get(at).and_then(heat),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str) -> (String, Option<String>, Option<String>, Option<f64>) {
        let PathNames { task, model, dataset, temperature } =
            PathNames::of(Path::new(path), ".traj");
        (task, model, dataset, temperature)
    }

    #[test]
    fn paths_name_what_the_files_do_not() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            named("/r/gpt4__lite__default__t-0.20__p-0.95__c-2.00__install-1/a__b-1.traj"),
            ("a__b-1".to_owned(), text("gpt4"), text("lite"), Some(0.2))
        );
        assert_eq!(
            named(
                "/r/default__openai--gpt-4o__t-0.00__p-1.00__c-2.00___lite_dev/a__b-1/a__b-1.traj"
            ),
            ("a__b-1".to_owned(), text("openai/gpt-4o"), text("lite_dev"), Some(0.0))
        );
        assert_eq!(named("/r/owl__a__b-12.traj"), ("a__b-12".to_owned(), text("owl"), None, None));
        assert_eq!(named("/r/crypto__Lock.traj"), ("crypto__Lock".to_owned(), None, None, None));
        assert_eq!(named("/r/owl__a__b-12.traj.gz"), named("/r/owl__a__b-12.traj"));
        assert_eq!(named("/t-0.5/x.traj").1, None, "no model before the temperature");
    }
}
