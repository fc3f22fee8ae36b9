//! qualm: a terminal explorer for the uncertainty of LLM agents, and the scoring engine under it.
//!
//! # The map
//!
//! | module | what it is | may use |
//! |---|---|---|
//! | [`model`] | plain data: trajectory, turn, action, token, cell | – |
//! | [`readers`] | one file a format; the content picks the reader | `model` |
//! | [`store`] | model ↔ Parquet; the only module that knows polars | `model` |
//! | [`scorers`] | pure functions from trajectories to confidences, one file a family | `model` |
//! | [`metrics`] | slices in, numbers out | – |
//! | [`import`] | readers → store: draws, identities, what an older store keeps | `readers`, `scorers`, `store` |
//! | [`demo`] | a synthetic store that looks like the paper's | `published`, `scorers`, `store` |
//! | [`published`] | the paper's own figures | – |
//! | [`compare`] | trajectories side by side: actions aligned, arguments and words held against each other | `scorers` |
//! | [`filter`] | the expressions that choose tasks: SQL's `WHERE` over named columns | – |
//! | [`engine`] | runs scorers and metrics over a store; what every screen and report asks | `store`, `scorers`, `metrics`, `filter` |
//! | [`report`] | tables in five formats, runs beside each other in three | `engine`, `compare`, `published` |
//! | [`text`], [`rng`] | safe text, fixed random numbers | – |
//! | `widgets`, `theme` | drawing pieces that know no app state | – |
//! | `picture` | a drawn screen as text, as text with colours and as SVG | `theme` |
//! | `app` | state, actions, key table, update, jobs; no terminal | `engine`, `report`, `theme`, `widgets` |
//! | `views` | one file a screen, draws `&App` | `app`, `picture`, `widgets` |
//! | `tui` | the terminal, threads and the loop | `app`, `views` |
//! | `headless` | the same without a terminal | `app`, `views` |
//! | `cli` | one file a command | all |
//!
//! Everything may use `model`, `text` and `rng`, and a module what the ones it names may use.
//!
//! The last eight lines come with the feature `tui`, which is on by default; without it the library has no
//! terminal crate among its dependencies.
//!
//! # Words
//!
//! A *cell* is one dataset × model × condition. In a cell, a *task* has one *reference* trajectory
//! (draw 0) and some *samples* (draws 1..m). A *turn* is one generation of the agent; it commits
//! *actions*: each tool call, or one message to the user. A *scorer* gives a trajectory a
//! confidence, larger meaning more sure of success.
//!
//! # Reading results from a program
//!
//! ```
//! use std::path::PathBuf;
//! use qualm::import::{ImportOptions, import};
//! use qualm::store::Store;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! # let path = home.path().join("results.json");
//! # std::fs::write(&path, r#"{"simulations": [{"id": "a", "task_id": "1", "messages":
//! #     [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}]}"#)?;
//! # let out = home.path().join("mine.qualm");
//! import(&[PathBuf::from(&path)], &out, &ImportOptions::default(), &|_| {})?;
//! let store = Store::open(&out)?;
//! let entries = store.entries()?;
//! assert_eq!(entries[0].head.action_types, ["message"]);
//! println!("{}", store.trajectory(&entries[0])?.messages[1].content.as_deref().unwrap_or(""));
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "tui")]
pub mod app;
#[cfg(feature = "tui")]
pub mod cli;
pub mod compare;
pub mod demo;
pub mod engine;
pub mod filter;
#[cfg(feature = "tui")]
pub mod headless;
pub mod import;
pub mod metrics;
pub mod model;
#[cfg(feature = "tui")]
pub mod picture;
pub mod published;
pub mod readers;
pub mod report;
pub mod rng;
pub mod scorers;
pub mod store;
pub mod text;
#[cfg(feature = "tui")]
pub mod theme;
#[cfg(feature = "tui")]
pub mod tui;
#[cfg(feature = "tui")]
pub mod views;
#[cfg(feature = "tui")]
pub mod widgets;
