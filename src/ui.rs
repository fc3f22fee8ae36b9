//! The explorer: everything that uses a terminal.
//!
//! [`app`] holds the [`screens`] and what they have in common ([`shared`]). A screen owns its
//! state, the actions it handles, its drawing, its mouse, what is copied and written of it, and
//! what is remembered of it; going to another screen is a value it returns. What takes time is a
//! [`query`]: asked once, answered in the background. [`overlays`] lie over the screens, `shell` is
//! the frame around them. [`tui`] runs it all in a terminal, [`headless`] without one.

pub mod action;
pub mod app;
pub mod config;
pub mod draft;
pub mod effects;
mod frame;
pub mod headless;
mod heatmap;
pub mod history;
pub mod hits;
pub mod input;
pub mod keymap;
mod legible;
mod lists;
mod marks;
mod names;
pub mod overlays;
pub mod panel;
pub mod picture;
pub mod preset;
pub mod query;
pub mod renewal;
pub mod scoring;
pub mod screens;
mod selection;
pub mod shared;
mod shell;
pub mod theme;
pub mod tui;
pub mod view;
pub mod widgets;

pub use app::App;
pub use config::Config;
pub use frame::{draw, draw_on, picture, svg_options};
pub use input::Input;
pub use screens::Screen;
pub use view::View;
