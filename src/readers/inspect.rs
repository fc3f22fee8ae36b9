//! Inspect AI: a log is a zip archive (`.eval`) with one entry a sample, or one JSON document.
//!
//! Samples are tasks and their epochs are draws. Model inputs, which new logs pool, are not needed: the
//! transcript of a sample is complete in its messages, and its model events have the log-probabilities.

mod archive;
mod document;
mod generation;
mod header;
mod log;
mod message;
mod sample;
mod score;

use std::path::Path;

use super::error::ZIP;
use super::{
    Candidate, Claim, Emit, FormatInfo, Gives, InputNotes, ReadError, ReadOptions, Reader, Refusal,
    json,
};
use archive::{Archive, Entry};
use header::Header;
use log::Log;
use rayon::prelude::*;
use sample::{Sample, Summary};
use serde::Deserialize;

/// The reader of Inspect logs.
#[derive(Debug)]
pub(super) struct Inspect;

static INFO: FormatInfo = FormatInfo {
    id: "inspect",
    name: "Inspect AI",
    looks: "a `.eval` archive, or a JSON log `{version, status, eval, plan, samples}`",
    gives: &[
        Gives::Labels,
        Gives::Draws,
        Gives::Logprobs,
        Gives::TopK,
        Gives::Costs,
        Gives::Scores,
        Gives::SystemPrompt,
        Gives::Tools,
    ],
    example: "logs/",
};

/// The entry that is written when a run ends.
const HEADER: &str = "header.json";

/// The entry that is written when a run starts.
const START: &str = "_journal/start.json";

/// The folder of the summaries that are written while a run goes on.
const SUMMARIES: &str = "_journal/summaries/";

/// Bytes of samples beside which others are unpacked.
const SHORT: usize = 16 << 20;

/// What is wrong with `log.eval.gz`, and what helps.
const PACKED_TWICE: &str = "is a zip archive that was compressed once more";
const UNPACK: &str = "unpack it with gunzip or unzstd";

impl Reader for Inspect {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn claim(&self, candidate: &Candidate) -> Option<Claim> {
        let json = candidate.json();
        let is_document = json.is_object()
            && json.has("eval")
            && (json.has("version") || json.has("status"))
            && (json.has("samples") || json.has("plan"));
        (is_document || is_log_archive(candidate)).then(|| self.force(candidate))
    }

    fn refuse(&self, candidate: &Candidate) -> Option<Refusal> {
        let is_twice = candidate.start().starts_with(ZIP) && candidate.content().is_packed();
        is_twice.then(|| Refusal { problem: PACKED_TWICE.to_owned(), remedy: UNPACK })
    }

    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        let start = claim.content().start(ZIP.len())?;
        if start.starts_with(ZIP) && claim.content().is_packed() {
            return Err(ReadError::new(claim.path(), PACKED_TWICE, UNPACK));
        }
        if start.starts_with(ZIP) {
            read_archive(claim, options, emit)
        } else {
            read_document(claim, options, emit)
        }
    }
}

/// Whether a file is a zip archive with the entries of a log; of one whose list of entries is damaged,
/// the first entry tells.
fn is_log_archive(candidate: &Candidate) -> bool {
    if !candidate.start().starts_with(ZIP) || candidate.content().is_packed() {
        return false;
    }
    match Archive::open(candidate.content()) {
        Ok(archive) => {
            let has = |name: &str| archive.has(name);
            has(START)
                || archive.samples().next().is_some()
                || (has(HEADER) && has("summaries.json"))
        }
        Err(_) => archive::first_name(candidate.start())
            .is_some_and(|name| name == START || name == HEADER || archive::is_sample(name)),
    }
}

fn read_archive(
    claim: &Claim,
    options: &ReadOptions,
    emit: Emit<'_>,
) -> Result<InputNotes, ReadError> {
    let path = claim.path();
    let mut archive = Archive::open(claim.content())?;
    let names: Vec<String> = archive.samples().map(str::to_owned).collect();
    let has_header = archive.has(HEADER);
    let mut header = Header::default();
    if let Some(name) = [HEADER, START].into_iter().find(|name| archive.has(name)) {
        let bytes = archive.read(name)?;
        header = parse_entry(path, name, &bytes, |parser| Header::deserialize(parser))?;
    }
    let mut log = Log::new(claim, &header, options, emit);
    if !take_samples(path, &mut archive, archive::in_order(names), &mut log)? {
        return Ok(InputNotes::default());
    }
    if !has_header {
        let journal: Vec<String> = archive.under(SUMMARIES).map(str::to_owned).collect();
        for name in journal {
            let bytes = archive.read(&name)?;
            let listed: Vec<Summary> =
                parse_entry(path, &name, &bytes, |parser| Vec::deserialize(parser))?;
            listed.into_iter().for_each(|summary| log.miss(summary));
        }
    }
    log.finish(&header, has_header)
}

/// Parses entries side by side, and hands their samples to the log one by one.
fn take_all(path: &Path, unpacked: &[Entry], log: &mut Log<'_>) -> Result<bool, ReadError> {
    let parsed = unpacked.par_iter().map(|Entry { name, bytes }| {
        let bytes = bytes.as_ref().map_err(ReadError::clone)?;
        parse_entry(path, name, bytes, |parser| Sample::deserialize(parser))
    });
    for sample in parsed.collect::<Vec<_>>() {
        if !log.take(sample?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Hands the samples to the log, in this order; false when no more are wanted. Short ones are unpacked while
/// those before them are parsed.
fn take_samples(
    path: &Path,
    archive: &mut Archive<'_>,
    names: Vec<String>,
    log: &mut Log<'_>,
) -> Result<bool, ReadError> {
    let mut names = names.into_iter();
    let mut unpacked = archive.some(&mut names);
    while !unpacked.is_empty() {
        let mut next = Vec::new();
        let is_short = unpacked.iter().map(Entry::size).sum::<usize>() <= SHORT;
        let wanted = rayon::in_place_scope(|scope| {
            if is_short {
                scope.spawn(|_| next = archive.some(&mut names));
            }
            take_all(path, &unpacked, log)
        });
        if !wanted? {
            return Ok(false);
        }
        if !is_short {
            drop(unpacked);
            next = archive.some(&mut names);
        }
        unpacked = next;
    }
    Ok(true)
}

/// Parses an entry, and names it where it cannot be parsed.
fn parse_entry<'b, T>(
    path: &Path,
    name: &str,
    bytes: &'b [u8],
    run: impl FnOnce(&mut json::Parser<'b>) -> Result<T, serde_json::Error>,
) -> Result<T, ReadError> {
    json::parse(path, bytes, run).map_err(|error| error.in_entry(name))
}

fn read_document(
    claim: &Claim,
    options: &ReadOptions,
    emit: Emit<'_>,
) -> Result<InputNotes, ReadError> {
    let path = claim.path();
    if let Some(other) = ReadError::known_otherwise(path, &claim.content().start(64)?) {
        return Err(other);
    }
    let header = document::header(claim.content())?;
    let mut log = Log::new(claim, &header, options, emit);
    let mut wanted = true;
    let mut take = |sample: Sample<'_>| {
        wanted = log.take(sample);
        wanted
    };
    document::samples(claim.content(), &mut take).map_err(|error| match log.seen() {
        0 => error,
        seen => error.after(&format!("sample {seen}")),
    })?;
    if wanted { log.finish(&header, true) } else { Ok(InputNotes::default()) }
}
