//! qualm: a terminal explorer for the uncertainty of LLM agents, and the scoring engine under it.
//!
//! # The map
//!
//! | module | what it is | may use |
//! |---|---|---|
//! | [`model`] | plain data: trajectory, turn, action, token, cell | – |
//! | [`text`], [`rng`], [`files`], [`colour`] | safe text, wrapping and numbers in words; fixed random numbers; the one writer of files; colours of themes and figures | – |
//! | [`remote`] | stores at an address: objects behind `s3://` and `https://`, read in parts | – |
//! | [`readers`] | a trait and one list of formats; a file or folder per format | `store` |
//! | [`store`] | model ↔ Parquet; the only module that uses polars | `remote` |
//! | [`scorers`] | the table of scorers, and pure functions from trajectories to confidences | – |
//! | [`metrics`] | slices in, numbers out, and why a number is undefined | – |
//! | [`filter`] | expressions that choose tasks: SQL's `WHERE` over named columns | – |
//! | [`published`] | the paper's own figures | – |
//! | [`import`] | readers → store: draws, identities, what an older store keeps | `readers`, `scorers`, `store` |
//! | [`watch`] | follows results that are being written, and a store that others write into | `import` |
//! | [`demo`] | a synthetic store like the paper's | `published`, `scorers`, `store` |
//! | [`compare`] | runs side by side: actions aligned, arguments and words compared | `scorers` |
//! | [`engine`] | scorers and metrics over a store; what every screen and report asks | `store`, `scorers`, `metrics`, `filter` |
//! | [`sql`] | the scorers and metrics as queries for other engines | `engine` |
//! | [`report`] | tables made once and written in every format; runs side by side as text | `engine`, `compare`, `published`, `models` |
//! | [`models`] | what asks a model: judges, self-assessment, next actions; NLI and embeddings on this machine | `engine`, `readers` |
//! | `ui` | the explorer: everything with a terminal | `engine`, `report`, `watch`, `models` |
//! | `cli` | one file per command | all |
//!
//! Everything may use `model`, `text`, `rng`, `files` and `colour`, and a module may also use what the modules
//! it names may use. A test checks every `use` against this table. `ui` and `cli` come with the
//! feature `tui`, which is on by default; without it the library depends on no terminal crate.
//! `docs/architecture.md` follows one run through the code.
//!
//! # Words
//!
//! A *cell* is one dataset × model × condition. In a cell, a *task* has one *reference* trajectory
//! (draw 0) and some *samples* (draws 1..m); where draws have no order, none is the reference and every
//! draw is a row of its own. A *turn* is one generation of the agent; it commits
//! *actions*: each tool call, or one message to the user. A *scorer* gives a trajectory a
//! confidence; larger means more confident of success. The *scope* is the set of tasks that numbers
//! are computed on, the *selection* the tasks in scope that lists show.
//!
//! # From a result file to a number and its interval
//!
//! ```
//! use qualm::engine::Engine;
//! use qualm::import::{ImportOptions, import};
//! use qualm::metrics::{Metric, bootstrap::Resampling};
//! use qualm::scorers::Scorer;
//! use qualm::store::Store;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! # let (results, out) = (home.path().join("results.json"), home.path().join("mine.qualm"));
//! # let run = |(task, (turns, reward)): (usize, &(usize, u8))| {
//! #     let turn = serde_json::json!({"role": "assistant", "content": "Hello"});
//! #     serde_json::json!({"id": task.to_string(), "task_id": task.to_string(),
//! #         "reward_info": {"reward": reward}, "messages": vec![turn; *turns]})
//! # };
//! # let runs = [(1, 1), (2, 1), (1, 1), (3, 0), (1, 0), (2, 0)];
//! # let runs: Vec<_> = runs.iter().enumerate().map(run).collect();
//! # std::fs::write(&results, serde_json::json!({"simulations": runs}).to_string())?;
//! import(&[results], &out, &ImportOptions::default(), &|_| {})?;
//! let engine = Engine::load(&Store::open(&out)?, None)?;
//!
//! // Does the number of turns alone predict success?
//! let scorers = [Scorer::parse("turns")];
//! let numbers = engine.grid_of(&scorers, Metric::Auroc, Some(Resampling::default()));
//! for number in &numbers {
//!     let cell = &engine.frames()[number.cell].cell;
//!     match (number.value, number.interval) {
//!         (Some(value), Some(range)) => println!(
//!             "{cell}: AUROC {value:.2} [{:.2}, {:.2}] over {} tasks",
//!             range.lo, range.hi, number.counts.tasks
//!         ),
//!         _ => println!("{cell}: no value"),
//!     }
//! }
//! # assert_eq!(numbers[0].value, Some(6.5 / 9.0));
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "tui")]
pub mod cli;
pub mod colour;
pub mod compare;
pub mod demo;
pub mod engine;
pub mod files;
pub mod filter;
pub mod import;
pub mod metrics;
pub mod model;
pub mod models;
pub mod published;
pub mod readers;
pub mod remote;
pub mod report;
pub mod rng;
pub mod scorers;
pub mod sql;
pub mod store;
pub mod text;
#[cfg(feature = "tui")]
pub mod ui;
pub mod watch;
