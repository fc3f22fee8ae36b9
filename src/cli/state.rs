//! The remembered state of every store: its view and unsaved notes; and the history of prompts. No
//! problem here may keep a store from being opened or closed.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{out, paths};
use crate::files::{self, Overwrite};
use crate::text::readable;
use crate::ui::draft::{Draft, Left};
use crate::ui::history::History;
use crate::ui::{App, View};

/// What is remembered of one store.
pub(super) struct State {
    /// The folder of all stores' state; none where there is no home folder.
    folder: Option<PathBuf>,
    /// The store's name in it, made of its path.
    name: String,
    /// The file of the note that is offered again.
    offered: Option<(PathBuf, Draft)>,
}

impl State {
    /// What is remembered of the store at `path`.
    pub(super) fn of(path: &Path) -> Self {
        Self::in_folder(paths::state(), path)
    }

    fn in_folder(folder: Option<PathBuf>, path: &Path) -> Self {
        let mut hasher = DefaultHasher::new();
        fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).hash(&mut hasher);
        let mut state = Self { folder, name: format!("{:016x}", hasher.finish()), offered: None };
        state.offered = state.newest_draft();
        state
    }

    /// What was typed into prompts, whatever the store.
    pub(super) fn history(&self) -> History {
        let text = self.history_file().and_then(|path| fs::read_to_string(path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// The view that the store was left at; the default one when it is not known.
    pub(super) fn view(&self) -> View {
        let text = self.view_file().and_then(|path| fs::read_to_string(path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Runs the explorer and keeps what is to be remembered of it, also when it panics.
    pub(super) fn kept_after<T>(
        &self,
        app: &mut App,
        run: impl FnOnce(&mut App) -> io::Result<T>,
    ) -> io::Result<T> {
        app.shared.history = self.history();
        if let Some((_, draft)) = &self.offered {
            app.offer(draft.clone());
        }
        let ended = catch_unwind(AssertUnwindSafe(|| run(app)));
        if let Ok(left) = catch_unwind(AssertUnwindSafe(|| app.leave())) {
            self.keep(&left);
        }
        ended.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn keep(&self, left: &Left) {
        if let (Some(path), Ok(text)) = (self.view_file(), serde_json::to_string_pretty(&left.view))
        {
            let _ = write(&path, &text);
        }
        self.keep_history(&left.history);
        let offered = self.offered.as_ref();
        if offered.map(|(_, draft)| draft) == left.draft.as_ref() {
            return;
        }
        if let Some(draft) = &left.draft
            && let Err(why) = self.keep_draft(draft)
        {
            out::complain(&format!("qualm: the note cannot be kept ({why}); it was:"));
            let _ = writeln!(io::stderr(), "{}", readable(&draft.text));
            return;
        }
        // Only the file that was offered: another may belong to an explorer that runs beside this one.
        if let Some((path, _)) = offered {
            let _ = fs::remove_file(path);
        }
    }

    /// Adds what was typed to what another explorer may have left meanwhile.
    fn keep_history(&self, typed: &History) {
        let before = self.history();
        let mut history = before.clone();
        history.add_all(typed);
        if let (Some(path), Ok(text)) =
            (self.history_file(), serde_json::to_string_pretty(&history))
            && history != before
        {
            let _ = write(&path, &text);
        }
    }

    fn keep_draft(&self, draft: &Draft) -> Result<(), String> {
        let folder = self.draft_folder().ok_or("there is no home folder")?;
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let path = folder.join(format!("{time:039}-{}.json", std::process::id()));
        let text = serde_json::to_string_pretty(draft).map_err(|error| error.to_string())?;
        write(&path, &text)
    }

    /// The note that was kept last, and its file.
    fn newest_draft(&self) -> Option<(PathBuf, Draft)> {
        let entries = fs::read_dir(self.draft_folder()?).ok()?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort_unstable();
        let read = |path: PathBuf| {
            let text = fs::read_to_string(&path).ok()?;
            Some((path, serde_json::from_str(&text).ok()?))
        };
        paths.into_iter().rev().find_map(read)
    }

    fn view_file(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join("views").join(format!("{}.json", self.name)))
    }

    fn history_file(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join("history.json"))
    }

    fn draft_folder(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join("drafts").join(&self.name))
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    }
    files::write(path, Overwrite::Replace, text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::bootstrap::Resampling;
    use crate::store::Store;
    use crate::ui::headless::Headless;
    use crate::ui::history::Kind;
    use crate::ui::keymap::parse_keys;
    use crate::ui::query::Worker;
    use crate::ui::theme::Theme;
    use crate::ui::{Config, Input, Screen};

    /// Settings that name the author, who is not asked for then.
    fn named() -> Config {
        Config { author: Some("ada".to_owned()), ..Config::default() }
    }

    /// An explorer of a small store in which these keys were pressed.
    fn explorer(path: &Path, keys: &str) -> Headless {
        if !path.exists() {
            let options = crate::demo::DemoOptions { tasks: Some(1), ..Default::default() };
            crate::demo::write(path, &options, &|| ()).expect("written");
        }
        let store = Store::open(path).expect("a store");
        let app = App::new(&store, View::default(), &named(), Theme::plain());
        let resampling = Resampling { resamples: 2, seed: 0 };
        let mut explorer = Headless::new(Worker::new(store, resampling), app, (100, 30));
        for key in parse_keys(keys).expect("keys") {
            explorer.input(&Input::Key(key));
        }
        explorer
    }

    #[test]
    fn a_panic_keeps_view_and_note() {
        let home = tempfile::tempdir().expect("a folder");
        let store = home.path().join("d.qualm");
        let state = || State::in_folder(Some(home.path().join("state")), &store);
        let mut explorer = explorer(&store, "2chalf a thought");
        let kept = state();
        let run =
            || kept.kept_after(&mut explorer.app, |_| -> io::Result<()> { panic!("on purpose") });
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err(), "the panic goes on");
        let kept = state();
        assert_eq!(kept.view().screen, Some(Screen::Tasks));
        let (_, draft) = kept.offered.as_ref().expect("kept");
        assert_eq!((draft.text.as_str(), draft.task.as_str()), ("half a thought", "0"));
    }

    #[test]
    fn what_was_typed_is_remembered_and_what_was_selected_is_not() {
        let home = tempfile::tempdir().expect("a folder");
        let store = home.path().join("d.qualm");
        let state = || State::in_folder(Some(home.path().join("state")), &store);
        let left = |keys: &str| {
            let mut explorer = explorer(&store, keys);
            let _ = state().kept_after(&mut explorer.app, |_| Ok(()));
            state().view().lens
        };
        let lens = left("f&<Ctrl-u>turns > 1<Ctrl-s><Enter>f");
        assert_eq!((lens.scope.as_deref(), lens.selection), (Some("turns > 1"), None));
        let lens = left("&success<Ctrl-s><Enter>");
        assert_eq!(lens.scope, None, "it picks runs by how they were graded");
        let typed = state().history();
        assert_eq!(typed.of(Kind::Tasks), [""; 0], "the explorers began without a state");
        let mut explorer = explorer(&store, "");
        let run = |app: &mut App| {
            for key in parse_keys("&turns > 2<Enter>").expect("keys") {
                app.handle(&Input::Key(key));
            }
            Ok(())
        };
        state().kept_after(&mut explorer.app, run).expect("left");
        assert_eq!(state().history().of(Kind::Tasks), ["turns > 2"]);
    }

    #[test]
    fn a_note_is_offered_until_it_is_saved() {
        let home = tempfile::tempdir().expect("a folder");
        let store = home.path().join("d.qualm");
        let state = || State::in_folder(Some(home.path().join("state")), &store);
        let texts = || -> Vec<String> {
            let kept = state().offered.into_iter();
            kept.map(|(_, draft)| draft.text).collect()
        };
        let left = |keys: &str, meanwhile: &dyn Fn()| {
            let kept = state();
            // The note is offered before the store is read, as it is when the program starts.
            let opened = Store::open(&store).expect("a store");
            let app = App::new(&opened, View::default(), &named(), Theme::plain());
            let mut app = Some(app);
            let resampling = Resampling { resamples: 2, seed: 0 };
            let mut idle = App::new(&opened, View::default(), &named(), Theme::plain());
            let _ = kept.kept_after(&mut idle, |idle| {
                let mut app = app.take().expect("once");
                kept.offered.iter().for_each(|(_, draft)| app.offer(draft.clone()));
                let worker = Worker::new(Store::open(&store).expect("a store"), resampling);
                let mut explorer = Headless::new(worker, app, (100, 30));
                for key in parse_keys(keys).expect("keys") {
                    explorer.input(&Input::Key(key));
                }
                meanwhile();
                *idle = explorer.app;
                Ok(())
            });
        };
        drop(explorer(&store, ""));
        left("2cone", &|| ());
        assert_eq!(texts(), ["one"]);
        left("", &|| ());
        assert_eq!(texts(), ["one"], "not looked at, not lost");
        left("2c two", &|| ());
        assert_eq!(texts(), ["one two"]);
        // Another explorer of the store is left with a note while this one saves its own.
        left("2c<Ctrl-s>", &|| {
            let other = State { offered: None, ..state() };
            let draft = Draft { text: "theirs".to_owned(), ..state().offered.expect("kept").1 };
            other.keep_draft(&draft).expect("kept");
        });
        assert_eq!(texts(), ["theirs"]);
        left("2c<Ctrl-s>", &|| ());
        assert_eq!(texts(), [""; 0]);
        assert_eq!(Store::open(&store).expect("a store").notes().expect("notes").len(), 2);
    }
}
