//! The explorer: the screens, what they share, the overlays, and how to get from screen to screen.
//! It uses no terminal: keys arrive as [`Action`]s through one table, the open screen draws from
//! `&self`, and slow work is requested as an [`Effect`].

mod commands;
mod events;
mod export;
mod jumps;
mod narrowing;
mod renew;
mod scoring;
mod travel;
mod views;

use std::path::PathBuf;
use std::sync::Arc;

use super::action::Action;
use super::config::Config;
use super::draft::Draft;
use super::effects::Effect;
use super::hits::Hits;
use super::input::Input;
use super::overlays::{Overlay, Picker, Prompt, help};
use super::query::Worker;
use super::screens::{Layout, Screen, Screens, Spot};
use super::shared::{Loaded, Shared};
use super::theme::Theme;
use super::view::View;
use crate::store::Store;

/// The explorer.
#[derive(Debug)]
pub struct App {
    /// What the screens share.
    pub shared: Shared,
    /// The screens.
    pub screens: Screens,
    /// The open one.
    pub screen: Screen,
    /// What lies over it; the last one has the keys.
    pub overlays: Vec<Overlay>,
    /// The user has left.
    pub done: bool,
    /// What the view named and the store does not hold, in words.
    pub problems: Vec<String>,
    /// The screens to go back to.
    back: Vec<Screen>,
    /// Where one was, the newest last.
    jumps: Vec<jumps::Jump>,
    /// Where one was before something was laid over the screen.
    left: Option<jumps::Jump>,
    /// The list that something was opened from, and its screen: Esc goes back to it.
    listed: Option<(Screen, Box<Picker>)>,
    /// What waits for the user's name.
    unnamed: Option<Action>,
    /// What flags, settings or the remembered view name, which is not chosen by what the store has.
    named: Named,
    /// A view whose task and scorers are looked up once the store is read.
    wanted: Option<View>,
    /// A note that was not saved last time, until the store is read.
    pub(super) unfinished: Option<Draft>,
    /// Files that are being written, with the prompts that asked for them.
    exporting: Vec<(PathBuf, Box<Prompt>)>,
    /// The prompt of a file that could not be written.
    refused: Option<Box<Prompt>>,
    hits: Hits<Spot>,
    /// Another reading of the store, until it is taken up.
    renewal: Option<(Arc<Worker>, Box<Loaded>)>,
    /// It was taken up, and its numbers may be on their way.
    is_renewed: bool,
}

/// What a view names.
#[derive(Clone, Copy, Debug, Default)]
struct Named {
    scorer: bool,
    cell: bool,
}

/// What drawing has to tell the app.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub(super) hits: Hits<Spot>,
    pub(super) layout: Option<Layout>,
    pub(super) help: help::Layout,
}

impl App {
    /// The explorer of a store, as it opens.
    pub fn new(store: &Store, view: View, config: &Config, theme: Theme) -> Self {
        let mut app = Self {
            shared: Shared::new(store, config, theme),
            screens: Screens::default(),
            // Of a store without scores, the grid has little to show.
            screen: if store.manifest().is_scored() { Screen::Grid } else { Screen::Cells },
            overlays: Vec::new(),
            done: false,
            problems: Vec::new(),
            back: Vec::new(),
            jumps: Vec::new(),
            left: None,
            listed: None,
            unnamed: None,
            named: Named::default(),
            wanted: None,
            unfinished: None,
            exporting: Vec::new(),
            refused: None,
            hits: Hits::default(),
            renewal: None,
            is_renewed: false,
        };
        app.restore(config.lens.clone());
        app.restore(view);
        app
    }

    /// Begins to read the store.
    pub fn start(&mut self) -> Vec<Effect> {
        self.shared.load();
        self.take_effects()
    }

    /// An event came in.
    pub fn handle(&mut self, input: &Input) -> Vec<Effect> {
        if input.is_wish() {
            self.shared.notice = None;
        }
        self.is_renewed = false;
        self.remember(input, |app| app.input(input));
        self.take_effects()
    }

    /// Carries out an action, as a key would.
    pub fn act(&mut self, action: &Action) -> Vec<Effect> {
        self.update(action);
        self.take_effects()
    }

    /// Answers came back.
    pub fn answered(&mut self) -> Vec<Effect> {
        self.take_effects()
    }

    /// Takes in what drawing found out.
    pub fn drawn(&mut self, drawn: Drawn) {
        self.hits = drawn.hits;
        drawn.layout.into_iter().for_each(|layout| self.screens.drawn(layout));
        if let Some(Overlay::Help(help)) = self.overlays.last_mut() {
            help.drawn(drawn.help);
        }
    }

    /// Whether numbers of the open screen are on their way.
    pub fn is_waiting(&self) -> bool {
        self.shared.is_waiting() || self.screens.is_waiting(self.screen, &self.shared)
    }

    fn take_effects(&mut self) -> Vec<Effect> {
        self.refresh();
        self.shared.effects.take()
    }

    /// Takes in answers, then asks for what the open screen lacks.
    fn refresh(&mut self) {
        if self.shared.poll() {
            self.resolve();
        }
        self.exported();
        let tried =
            matches!(self.overlays.last(), Some(Overlay::Picker(list)) if list.tried.is_some());
        (self.shared.trying, self.shared.compared) = (tried, None);
        if self.screen != Screen::Aggregators {
            self.shared.end_stand_in();
        }
        self.screens.adjust(self.screen, &mut self.shared);
        self.shared.refresh();
        self.screens.refresh(self.screen, &mut self.shared);
        if self.overlays.iter().any(|overlay| matches!(overlay, Overlay::Scorers(_))) {
            self.shared.want_outlook();
        }
        self.count_typed();
        self.disclose();
    }
}
