//! Writes the screen to a file: asks for its name, and asks again if it cannot be written.

use std::path::{Path, PathBuf};

use super::App;
use crate::report::OutputFormat;
use crate::report::figure::FigureFormat;
use crate::text::{counted, visible};
use crate::ui::effects::Effect;
use crate::ui::overlays::{Ask, Overlay, Prompt};
use crate::ui::picture::PICTURES;
use crate::ui::shared::FileContent;

impl App {
    /// Asks for a file, beginning with the name that could not be written.
    pub(super) fn ask_export(&mut self) {
        let ending = self.screen.ending();
        let clean = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let name: String = self.shared.name.chars().map(clean).collect();
        let name = format!("{name}-{}.{ending}", self.screen.id());
        let marked = self.screens.heading(self.screen, &self.shared).marked as u64;
        let only = (marked > 0).then(|| counted(marked, "marked task"));
        let has_figure = self.screens.figure(self.screen, &self.shared).is_some();
        if let Some(mut prompt) = self.refused.take() {
            prompt.only = only;
            prompt.offer_figure(has_figure);
            self.overlays.push(Overlay::Prompt(prompt));
        } else {
            let mut prompt = Prompt::new(Ask::Export, &name);
            prompt.only = only;
            prompt.offer_figure(has_figure);
            self.ask(prompt);
        }
    }

    /// Writes the screen to the file that was typed; a name that will not do stays to be changed.
    pub(super) fn export(&mut self, prompt: Box<Prompt>) {
        let text = prompt.text();
        let path = PathBuf::from(text.trim());
        if path.as_os_str().is_empty() {
            return;
        }
        match self.begin_export(&path, prompt.writes_figure(&path)) {
            Ok(()) => self.exporting.push((path, prompt)),
            Err(why) => self.refuse(prompt, why),
        }
    }

    fn begin_export(&mut self, path: &Path, is_figure: bool) -> Result<(), String> {
        if path.exists() {
            return Err("is there already; give another name".to_owned());
        }
        if is_figure {
            let content = self.figure_content(path)?;
            self.shared.write_file(path.to_owned(), content);
            return Ok(());
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if PICTURES.contains(&ending) {
            self.shared.effects.push(Effect::Picture(path.to_owned()));
            return Ok(());
        }
        let format = OutputFormat::of_path(path, &OutputFormat::SCREENS).ok_or_else(|| {
            let formats = OutputFormat::SCREENS.map(OutputFormat::ending);
            let known: Vec<String> =
                PICTURES.iter().chain(&formats).map(|ending| format!(".{ending}")).collect();
            format!("name a file that ends in one of {}", known.join(", "))
        })?;
        if let Some(why) = self.hidden_numbers() {
            return Err(why);
        }
        let content = self.screens.export(self.screen, format, &self.shared)?;
        let content = content.made_by(|| self.view_command());
        self.shared.write_file(path.to_owned(), content);
        Ok(())
    }

    /// The figure of the screen, in the format of a file.
    fn figure_content(&self, path: &Path) -> Result<FileContent, String> {
        let format = FigureFormat::of_path(path).map_err(|why| why.to_string())?;
        if let Some(why) = self.hidden_numbers() {
            return Err(why);
        }
        let figure = self.screens.figure(self.screen, &self.shared);
        let figure = figure
            .ok_or("there is no figure of this screen; write its table or a picture of it")?;
        self.shared.figure_content(figure, format)
    }

    /// Takes in which files are written.
    pub(super) fn exported(&mut self) {
        for (path, written) in self.shared.take_written() {
            let asked = self.exporting.iter().position(|(asked, _)| *asked == path);
            let prompt = asked.map(|index| self.exporting.swap_remove(index).1);
            match (written, prompt) {
                (Ok(()), prompt) => {
                    let is_table = OutputFormat::of_path(&path, &OutputFormat::SCREENS).is_some();
                    let only = prompt.and_then(|prompt| prompt.only).filter(|_| is_table);
                    let only = only.map_or(String::new(), |only| format!(", only {only}"));
                    let path = path.display().to_string();
                    self.shared.say(format!("written: {}{only}", visible(&path)));
                }
                (Err(why), Some(prompt)) => self.refuse(prompt, why),
                (Err(why), None) => self.shared.say(visible(&why)),
            }
        }
    }

    /// Shows the name that was typed and what is wrong with it; where something else has the keys by now,
    /// the name is offered when a file is asked for the next time.
    fn refuse(&mut self, mut prompt: Box<Prompt>, why: String) {
        self.shared.say(visible(&why));
        prompt.refuse(why);
        if self.overlays.is_empty() {
            self.overlays.push(Overlay::Prompt(prompt));
        } else {
            self.refused = Some(prompt);
        }
    }
}
