//! The one list of screens, and the dispatch that follows from it.

pub mod aggregators;
pub mod cells;
pub mod compare;
pub mod curves;
pub mod grid;
pub mod judges;
pub mod read;
mod state;
pub mod stuck;
pub mod tasks;
pub mod tree;
pub mod triage;
pub mod versus;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};

use super::action::Action;
use super::hits::Hits;
use super::renewal::NewIds;
use super::shared::{FileContent, ScreenFigure, Shared};
use super::view::Named;
use crate::report::OutputFormat;

pub use state::{Go, Heading, Legend, Needs, NoView, ScreenState, Target};

/// Writes everything that is the same for every screen.
macro_rules! screens {
    ($($(#[$doc:meta])* $name:ident in $module:ident, $number:expr, under $tab:ident;)*) => {
        /// A screen.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Screen {
            $($(#[$doc])* $name,)*
        }

        impl Screen {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The number that opens it; one without is only opened from another screen.
            pub const fn number(self) -> Option<u8> {
                match self { $(Self::$name => $number,)* }
            }

            /// The name on screen.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// The name in flags and state.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => stringify!($module),)* }
            }

            /// What it shows, in a few words.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$name => <$module::$name as ScreenState>::ABOUT,)* }
            }

            /// What must be there for it to show anything.
            pub const fn needs(self) -> Needs {
                match self { $(Self::$name => <$module::$name as ScreenState>::NEEDS,)* }
            }

            /// The ending of the file that `E` offers to write.
            pub const fn ending(self) -> &'static str {
                match self { $(Self::$name => <$module::$name as ScreenState>::ENDING,)* }
            }

            /// The signs that it draws, and what they mean.
            pub const fn legend(self) -> Legend {
                match self { $(Self::$name => <$module::$name as ScreenState>::LEGEND,)* }
            }

            /// The numbered screen that it belongs to.
            #[must_use]
            pub const fn tab(self) -> Self {
                match self { $(Self::$name => Self::$tab,)* }
            }
        }

        /// The state of every screen.
        #[derive(Debug, Default)]
        pub struct Screens {
            $($(#[$doc])* pub $module: $module::$name,)*
        }

        /// The settings of every screen.
        #[derive(clap::Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct ScreenViews {
            $(
                $(#[$doc])*
                #[command(flatten)]
                #[serde(flatten)]
                pub $module: <$module::$name as ScreenState>::View,
            )*
        }

        /// A place on some screen that can be clicked.
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "one a screen")]
        pub enum Spot {
            $($name(<$module::$name as ScreenState>::Spot),)*
        }

        /// What drawing some screen found out.
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "one a screen")]
        pub enum Layout {
            $($name(<$module::$name as ScreenState>::Layout),)*
        }

        /// Where one is on some screen.
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "one a screen")]
        pub enum Position {
            $($name(<$module::$name as ScreenState>::Position),)*
        }

        impl Screens {
            pub(super) fn position(&self, screen: Screen) -> Position {
                match screen { $(Screen::$name => Position::$name(self.$module.position()),)* }
            }

            pub(super) fn resume(&mut self, position: &Position, shared: &mut Shared) {
                match position {
                    $(Position::$name(position) => self.$module.resume(position, shared),)*
                }
            }

            pub(super) fn renew(&mut self, ids: &NewIds<'_>) {
                $(self.$module.renew(ids);)*
            }

            pub(super) fn arrive(&mut self, screen: Screen, target: &Target, shared: &mut Shared) {
                match screen { $(Screen::$name => self.$module.arrive(target, shared),)* }
            }

            pub(super) fn update(
                &mut self, screen: Screen, action: &Action, shared: &mut Shared,
            ) -> Go {
                match screen { $(Screen::$name => self.$module.update(action, shared),)* }
            }

            pub(super) fn wheel(&mut self, screen: Screen, down: bool, shared: &mut Shared) -> Go {
                match screen { $(Screen::$name => self.$module.wheel(down, shared),)* }
            }

            pub(super) fn search(
                &mut self, screen: Screen, words: &str, done: bool, shared: &mut Shared,
            ) {
                match screen { $(Screen::$name => self.$module.search(words, done, shared),)* }
            }

            pub(super) fn adjust(&mut self, screen: Screen, shared: &mut Shared) {
                match screen { $(Screen::$name => self.$module.adjust(shared),)* }
            }

            pub(super) fn refresh(&mut self, screen: Screen, shared: &mut Shared) {
                match screen { $(Screen::$name => self.$module.refresh(shared),)* }
            }

            pub(super) fn is_waiting(&self, screen: Screen, shared: &Shared) -> bool {
                match screen { $(Screen::$name => self.$module.is_waiting(shared),)* }
            }

            pub(super) fn is_stale(&self, screen: Screen, shared: &Shared) -> bool {
                match screen { $(Screen::$name => self.$module.is_stale(shared),)* }
            }

            pub(super) fn draw(
                &self, screen: Screen, shared: &Shared, buffer: &mut Buffer, area: Rect,
            ) -> (Hits<Spot>, Layout) {
                match screen {
                    $(Screen::$name => {
                        let mut hits = Hits::default();
                        let layout = self.$module.draw(shared, buffer, area, &mut hits);
                        (hits.map(Spot::$name), Layout::$name(layout))
                    })*
                }
            }

            pub(super) fn drawn(&mut self, layout: Layout) {
                match layout { $(Layout::$name(layout) => self.$module.drawn(layout),)* }
            }

            pub(super) fn click(&mut self, spot: &Spot, dragged: bool, shared: &mut Shared) -> Go {
                match spot { $(Spot::$name(spot) => self.$module.click(spot, dragged, shared),)* }
            }

            pub(super) fn heading(&self, screen: Screen, shared: &Shared) -> Heading {
                match screen { $(Screen::$name => self.$module.heading(shared),)* }
            }

            pub(super) fn copied(&self, screen: Screen, shared: &Shared) -> Option<String> {
                match screen { $(Screen::$name => self.$module.copied(shared),)* }
            }

            pub(super) fn export(
                &self, screen: Screen, format: OutputFormat, shared: &Shared,
            ) -> Result<FileContent, String> {
                match screen { $(Screen::$name => self.$module.export(format, shared),)* }
            }

            pub(super) fn figure(&self, screen: Screen, shared: &Shared) -> Option<ScreenFigure> {
                match screen { $(Screen::$name => self.$module.figure(shared),)* }
            }

            pub(super) fn views(&self, screen: Screen, shared: &Shared) -> ScreenViews {
                let is_open = |one: Screen| [screen, screen.tab()].contains(&one);
                ScreenViews {
                    $($module: self.$module.view(is_open(Screen::$name), shared),)*
                }
            }

            pub(super) fn restore(&mut self, views: &ScreenViews, shared: &mut Shared) {
                $(self.$module.restore(&views.$module, shared);)*
            }

            pub(super) fn resolve(
                &mut self, views: &ScreenViews, shared: &mut Shared,
            ) -> Vec<String> {
                let mut problems = Vec::new();
                $(problems.extend(self.$module.resolve(&views.$module, shared));)*
                problems
            }
        }
    };
}

screens! {
    /// What the store holds.
    Cells in cells, Some(0), under Cells;
    /// Scorers × cells.
    Grid in grid, Some(1), under Grid;
    /// Tasks of a cell or of all.
    Tasks in tasks, Some(2), under Tasks;
    /// Runs of a task side by side.
    Compare in compare, Some(3), under Compare;
    /// Aggregators × cells, and why they differ.
    Aggregators in aggregators, Some(4), under Aggregators;
    /// Curves of some scorers, and what a threshold does.
    Curves in curves, Some(5), under Curves;
    /// Agreement by outcome, and tasks that repeat a failing plan.
    Stuck in stuck, Some(6), under Stuck;
    /// Judges against each other and the database.
    Judges in judges, Some(7), under Judges;
    /// Two cells on the tasks they share.
    Versus in versus, Some(8), under Versus;
    /// All draws of a task at once.
    Tree in tree, None, under Compare;
    /// One text whole.
    Read in read, None, under Compare;
    /// A pair to vote on.
    Triage in triage, None, under Judges;
}

/// How many screens have a number.
const fn numbered() -> usize {
    let (mut index, mut count) = (0, 0);
    while index < Screen::ALL.len() {
        count += Screen::ALL[index].number().is_some() as usize;
        index += 1;
    }
    count
}

impl Screen {
    /// Those with a number, in their order.
    pub const NUMBERED: [Self; numbered()] = {
        let mut list = [Self::ALL[0]; numbered()];
        let (mut index, mut count) = (0, 0);
        while index < Self::ALL.len() {
            if Self::ALL[index].number().is_some() {
                list[count] = Self::ALL[index];
                count += 1;
            }
            index += 1;
        }
        list
    };

    /// The screen that a remembered view opens: what shows something only on the way from another screen
    /// opens as the screen it belongs to.
    #[must_use]
    pub const fn reopened(self) -> Self {
        match self {
            Self::Tree => self,
            other => other.tab(),
        }
    }

    /// Those that a view can name.
    const REOPENED: [Self; numbered() + 1] = {
        let mut list = [Self::Tree; numbered() + 1];
        let mut index = 0;
        while index < numbered() {
            list[index] = Self::NUMBERED[index];
            index += 1;
        }
        list
    };
}

impl Named for Screen {
    /// The others are only opened from another screen.
    const ALL: &'static [Self] = &Self::REOPENED;

    fn id(self) -> &'static str {
        Self::id(self)
    }
}
