//! The pages of the screen: the one list of them, what each must have, and the dispatch that follows.
//!
//! A new page is a file of this folder with its state, a struct named after the page, and
//! `impl PageState`; then a line in `pages!`, which sets the order of the pages.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{combine, families, plots, signal, stopping};
use crate::engine::Scope;
use crate::report::OutputFormat;
use crate::scorers::Scorer;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::renewal::NewIds;
use crate::ui::screens::Go;
use crate::ui::shared::{FileContent, ScreenFigure, Shared};
use crate::ui::view::Named;

/// What all pages are about.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The cells that are looked at together.
    pub cells: Scope,
    /// The scorers that are compared; the lens's scorer is the first.
    pub scorers: Vec<Scorer>,
}

/// A page: its state, and all that is done with it.
pub trait PageState: Default {
    /// The places on the page that can be clicked.
    type Spot: Clone + std::fmt::Debug;
    /// What drawing found out and the next key needs.
    type Layout: Default + Clone + std::fmt::Debug;

    /// Does what a key, a click or the palette asks for; passes on what is not its own.
    fn update(&mut self, action: &Action, subject: &Subject, shared: &mut Shared) -> Go;

    /// Takes in answers and asks for what is missing. Called after every change while the page is open.
    fn refresh(&mut self, subject: &Subject, shared: &mut Shared);

    /// Another reading of the store is there: no answer holds any more.
    fn renew(&mut self, ids: &NewIds<'_>);

    /// Whether numbers are on their way.
    fn is_waiting(&self) -> bool;

    /// Whether what is drawn answers an earlier question than the one that is asked now.
    fn is_stale(&self, subject: &Subject, shared: &Shared) -> bool;

    /// Draws the page; changes nothing.
    fn draw(
        &self,
        subject: &Subject,
        shared: &Shared,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Self::Spot>,
    ) -> Self::Layout;

    /// Takes in what drawing found out.
    fn drawn(&mut self, layout: Self::Layout);

    /// A place was clicked, or the mouse dragged over it.
    fn click(
        &mut self,
        spot: &Self::Spot,
        dragged: bool,
        subject: &Subject,
        shared: &mut Shared,
    ) -> Go;

    /// What `y` copies.
    fn copied(&self, subject: &Subject, shared: &Shared) -> Option<String>;

    /// What `E` writes, in a format; or why not.
    fn export(
        &self,
        format: OutputFormat,
        subject: &Subject,
        shared: &Shared,
    ) -> Result<FileContent, String>;

    /// The figure of what the page shows, where there is one.
    fn figure(&self, subject: &Subject, shared: &Shared) -> Option<ScreenFigure>;
}

/// Writes everything that is the same for every page.
macro_rules! pages {
    ($($(#[$doc:meta])* $name:ident in $module:ident;)*) => {
        /// A page of the screen.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Page {
            $($(#[$doc])* $name,)*
        }

        impl Page {
            /// The name on screen.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }
        }

        impl Named for Page {
            const ALL: &'static [Self] = &[$(Self::$name,)*];

            fn id(self) -> &'static str {
                match self { $(Self::$name => stringify!($module),)* }
            }
        }

        /// The state of every page.
        #[derive(Debug, Default)]
        pub struct Pages {
            $($(#[$doc])* pub $module: $module::$name,)*
        }

        /// A place on some page that can be clicked.
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "one a page")]
        pub enum PageSpot {
            $($name(<$module::$name as PageState>::Spot),)*
        }

        /// What drawing some page found out.
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "one a page")]
        pub enum PageLayout {
            $($name(<$module::$name as PageState>::Layout),)*
        }

        impl Pages {
            pub(super) fn update(
                &mut self, page: Page, action: &Action, subject: &Subject, shared: &mut Shared,
            ) -> Go {
                match page { $(Page::$name => self.$module.update(action, subject, shared),)* }
            }

            pub(super) fn refresh(&mut self, page: Page, subject: &Subject, shared: &mut Shared) {
                match page { $(Page::$name => self.$module.refresh(subject, shared),)* }
            }

            pub(super) fn renew(&mut self, ids: &NewIds<'_>) {
                $(self.$module.renew(ids);)*
            }

            pub(super) fn is_waiting(&self, page: Page) -> bool {
                match page { $(Page::$name => self.$module.is_waiting(),)* }
            }

            pub(super) fn is_stale(&self, page: Page, subject: &Subject, shared: &Shared) -> bool {
                match page { $(Page::$name => self.$module.is_stale(subject, shared),)* }
            }

            pub(super) fn draw(
                &self, page: Page, subject: &Subject, shared: &Shared, buffer: &mut Buffer, area: Rect,
            ) -> (Hits<PageSpot>, PageLayout) {
                match page {
                    $(Page::$name => {
                        let mut hits = Hits::default();
                        let layout = self.$module.draw(subject, shared, buffer, area, &mut hits);
                        (hits.map(PageSpot::$name), PageLayout::$name(layout))
                    })*
                }
            }

            pub(super) fn drawn(&mut self, layout: PageLayout) {
                match layout { $(PageLayout::$name(layout) => self.$module.drawn(layout),)* }
            }

            pub(super) fn click(
                &mut self, spot: &PageSpot, dragged: bool, subject: &Subject, shared: &mut Shared,
            ) -> Go {
                match spot {
                    $(PageSpot::$name(spot) => self.$module.click(spot, dragged, subject, shared),)*
                }
            }

            pub(super) fn copied(
                &self, page: Page, subject: &Subject, shared: &Shared,
            ) -> Option<String> {
                match page { $(Page::$name => self.$module.copied(subject, shared),)* }
            }

            pub(super) fn export(
                &self, page: Page, format: OutputFormat, subject: &Subject, shared: &Shared,
            ) -> Result<FileContent, String> {
                match page { $(Page::$name => self.$module.export(format, subject, shared),)* }
            }

            pub(super) fn figure(
                &self, page: Page, subject: &Subject, shared: &Shared,
            ) -> Option<ScreenFigure> {
                match page { $(Page::$name => self.$module.figure(subject, shared),)* }
            }
        }
    };
}

pages! {
    /// Curves, and what a threshold does.
    Plots in plots;
    /// Ensembles and calibrations.
    Combine in combine;
    /// Where the signal comes from.
    Signal in signal;
    /// Early stopping.
    Stopping in stopping;
    /// Families of methods, and two scorers in all cells.
    Families in families;
}

impl Page {
    /// Whether it has a line for every cell, whichever cells are looked at together.
    pub(super) fn has_every_cell(self) -> bool {
        matches!(self, Self::Combine | Self::Families)
    }

    /// Keys of the screen that it has no use for, by name.
    pub(super) fn absent(self) -> &'static [&'static str] {
        /// Those of plots, those of thresholds, and what chooses cells.
        const ALL: &[&str] = &[
            "best-threshold",
            "costs",
            "bands",
            "plot-alone",
            "threshold-right",
            "scope-of-cells",
        ];
        match self {
            Self::Plots => &[],
            Self::Stopping => &ALL[..4],
            Self::Signal => &ALL[..5],
            Self::Combine | Self::Families => ALL,
        }
    }
}

impl Default for Page {
    fn default() -> Self {
        Self::ALL[0]
    }
}
