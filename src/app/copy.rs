//! What is copied and written to files: shown text only, so nothing of a transcript gets out raw.

use std::path::PathBuf;

use super::action::Screen;
use super::jobs::{Export, Request};
use super::prompt::Ask;
use super::{App, Effect, Group, JudgePane, Overlay, Prompt, StuckPane};
use crate::engine::{PairId, TaskId};
use crate::model::{Judgment, Trajectory};
use crate::report::show::{self, Around, ShowFormat, ShowOptions};
use crate::report::{Format, Rows, TableKind};
use crate::scorers::aggregate::Aggregator;
use crate::store::Note;
use crate::text::{readable, visible};

impl App {
    pub(super) fn copy(&mut self) {
        let Some(text) = self.selected_text() else {
            return self.say("there is nothing to copy here");
        };
        let first = text.lines().next().unwrap_or_default();
        self.say(format!("copied: {}", first.replace('\t', "  ")));
        self.effects.push(Effect::Copy(text));
    }

    /// What is selected, as text that is safe to paste.
    fn selected_text(&self) -> Option<String> {
        let safe = |text: &str| visible(text).into_owned();
        match self.screen {
            Screen::Cells => {
                self.summary_place().map(|place| safe(&self.summaries[place].cell.to_string()))
            }
            Screen::Grid | Screen::Aggregators => {
                let value = self.data.numbers.value(&self.lens.scorer, self.cell);
                let value = value.map_or("–".to_owned(), |value| value.to_string());
                let cell = safe(&self.columns.get(self.cell)?.to_string());
                let scorer = safe(&self.lens.scorer.to_string());
                Some(format!("{cell}\t{scorer}\t{}\t{value}", self.lens.metric.id()))
            }
            Screen::Tasks => self.task.and_then(|id| Some(safe(&self.task_of(id)?.id))),
            Screen::Compare => {
                let (own, pane) = (self.compared()?, self.compare.focus);
                let run = own.run(pane);
                let turn = own.sheet.turn_at(self.row_in(&own.sheet, pane), pane)?;
                let turn = run.turns.get(turn)?;
                let message = &run.messages[turn.message as usize];
                let words = message.words().map(str::to_owned);
                let calls = message.tool_calls.iter();
                let calls = calls.map(|call| format!("{}({})", call.name, call.arguments));
                let lines: Vec<String> = words.into_iter().chain(calls).collect();
                Some(readable(&lines.join("\n")).into_owned())
            }
            Screen::Stuck if self.stuck.pane == StuckPane::List => self.selected_stuck(),
            Screen::Stuck => self.selected_agreement(),
            Screen::Judges => {
                let item = self.judges_view()?.triage.items.get(self.judges.place)?;
                Some(safe(&self.pair_choice(item.pair, "ter").name))
            }
            Screen::Triage => Some(safe(&self.pair_choice(self.judges.triaging.pair?, "ter").name)),
            Screen::Read => self.reader.as_ref().map(|own| own.text.clone()),
        }
    }

    pub(super) fn copy_command(&mut self) {
        // Whole, so that it works from any folder.
        let path = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let command = self.view().command(&path.display().to_string());
        self.say(format!("copied: {command}"));
        self.effects.push(Effect::Copy(command));
    }

    pub(super) fn ask_export(&mut self) {
        let ending = if self.screen == Screen::Grid { "csv" } else { "svg" };
        let clean = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let name: String = self.name.chars().map(clean).collect();
        let name = format!("{name}-{}.{ending}", self.screen.id());
        self.overlays.push(Overlay::Prompt(Box::new(Prompt::new(Ask::Export, &name))));
    }

    /// Writes the screen to a file, as its ending says.
    pub(super) fn export(&mut self, name: &str) {
        let path = PathBuf::from(name.trim());
        if path.as_os_str().is_empty() {
            return;
        }
        let ending = path.extension().and_then(|own| own.to_str()).unwrap_or_default();
        if ["svg", "ansi", "txt"].contains(&ending) {
            self.effects.push(Effect::Picture(path));
            return;
        }
        match self.export_content(ending) {
            Ok(content) => self.ask(Request::Export { path, content }),
            Err(why) => self.say(why),
        }
    }

    fn export_content(&self, ending: &str) -> Result<Export, String> {
        let format = match ending {
            "csv" => Format::Csv,
            "json" => Format::Json,
            "md" => Format::Markdown,
            "tex" => Format::Latex,
            _ => {
                let known = ".svg, .ansi, .txt, .csv, .json, .md or .tex";
                return Err(format!("name a file that ends in {known}"));
            }
        };
        let waiting = || "the store is still being read".to_owned();
        let engine = self.data.engine().cloned().ok_or_else(waiting)?;
        let kept = self.data.kept.as_ref().map(|(_, kept)| kept.clone()).ok_or_else(waiting)?;
        Ok(match self.screen {
            Screen::Grid => Export::Grid(kept, self.grid_scorers(), self.lens.metric, format),
            Screen::Aggregators => {
                Export::Grid(kept, self.rule_scorers(), self.lens.metric, format)
            }
            Screen::Cells => Export::Cells(engine, format),
            Screen::Tasks => {
                let table = self.current_table().cloned().ok_or_else(waiting)?;
                let scorer = self.lens.scorer.clone();
                let text = |notes: &Vec<Note>| -> String {
                    let words = notes.iter().map(|own| format!("{}: {}", own.author, own.note));
                    words.collect::<Vec<_>>().join(" | ")
                };
                let notes = self.data.notes.iter().map(|(id, own)| (*id, text(own))).collect();
                Export::Tasks { engine, table, scorer, notes, format }
            }
            Screen::Stuck if self.stuck.pane == StuckPane::List => Export::Stuck(kept, format),
            Screen::Stuck => Export::Table(kept, self.stuck_table(), self.lens.metric, format),
            Screen::Judges => {
                let kind = match self.judges.pane {
                    JudgePane::Matrix | JudgePane::Truth => TableKind::Judges,
                    JudgePane::Ter => TableKind::JudgeTer,
                    JudgePane::Queue => TableKind::Triage,
                };
                Export::Table(kept, kind, self.lens.metric, format)
            }
            Screen::Read => {
                return Err(
                    "a text is written as .txt, .ansi or .svg; y copies all of it".to_owned()
                );
            }
            Screen::Compare | Screen::Triage => match format {
                Format::Markdown => {
                    Export::Text(self.shown(ShowFormat::Markdown).ok_or_else(waiting)?)
                }
                Format::Json => Export::Text(self.shown(ShowFormat::Json).ok_or_else(waiting)?),
                _ => {
                    let run = self.run().ok_or_else(waiting)?;
                    Export::Text(self.turn_rows(run).render(format))
                }
            },
        })
    }

    /// The stuck task that is selected, with what its draws repeat.
    fn selected_stuck(&self) -> Option<String> {
        let view = self.stuck_view()?;
        let own = view.list.get(self.stuck.place)?;
        let cell = self.columns.get(own.id.cell as usize)?;
        let task = &self.task_of(own.id)?.id;
        let pattern = view.patterns.get(self.stuck.place).and_then(Option::as_ref);
        let pattern = pattern.map_or(String::new(), ToString::to_string);
        Some(
            visible(&format!("{cell} task {task} {} {} {pattern}", own.by, own.score)).into_owned(),
        )
    }

    /// The number of the table that is selected.
    fn selected_agreement(&self) -> Option<String> {
        let scorer = self.stuck_scorers().get(self.stuck.row)?.clone();
        let group = Group::ALL[self.stuck.column];
        let view = self.stuck_view()?;
        let (mean, n) = match group {
            Group::Pairs(own) => view
                .pairs
                .iter()
                .find(|row| row.scorer == scorer && row.group == own)
                .map(|row| (row.mean, row.n)),
            Group::Tasks(own) => view
                .tasks
                .iter()
                .find(|row| row.scorer == scorer && row.group == own)
                .map(|row| (row.mean, row.n)),
        }?;
        let mean = mean.map_or("–".to_owned(), |own| own.to_string());
        let scope = visible(&self.scope().to_string()).into_owned();
        Some(format!("{scope}\t{}\t{}\t{mean}\t{n}", visible(&scorer), group.name()))
    }

    /// The table that the selected part of the screen is of.
    fn stuck_table(&self) -> TableKind {
        match Group::ALL[self.stuck.column] {
            Group::Pairs(_) => TableKind::StuckPairs,
            Group::Tasks(_) => TableKind::StuckTasks,
        }
    }

    /// What judges say of all pairs of some tasks.
    fn judgments(&self, tasks: &[TaskId]) -> Vec<Judgment> {
        let Some(engine) = self.data.engine() else { return Vec::new() };
        let mut all = Vec::new();
        for &id in tasks {
            let (Some(task), Some(cell)) = (self.task_of(id), self.columns.get(id.cell as usize))
            else {
                continue;
            };
            for sample in &task.samples {
                let words = engine.words_on(PairId { id, draw: sample.draw }).into_iter();
                all.extend(words.map(|own| Judgment {
                    cell: cell.clone(),
                    task: task.id.clone(),
                    draw_a: 0,
                    draw_b: sample.draw,
                    judge: engine.judges()[own.judge].clone(),
                    equivalent: own.equivalent,
                    confidence: own.confidence,
                }));
            }
        }
        all
    }

    /// The comparison as `qualm show` prints it.
    fn shown(&self, format: ShowFormat) -> Option<String> {
        let own = self.compared()?;
        let rule = self.lens.scorer.aggregator().unwrap_or(Aggregator::Mean);
        let mut tasks: Vec<TaskId> = self.compare.keys.iter().map(|key| key.id).collect();
        tasks.dedup();
        let around = Around {
            instruction: own.opened.iter().find_map(|own| own.asks.clone()),
            notes: tasks.iter().flat_map(|id| self.notes_of(*id)).cloned().collect(),
            judgments: self.judgments(&tasks),
            ..Around::default()
        };
        let comparison = show::Comparison::new(&own.runs(), self.lens.base(), rule, &around);
        Some(comparison.render(ShowOptions { format, full: true }))
    }

    /// The turns of a run: what each did, how sure it was, how much it counts.
    fn turn_rows(&self, run: &Trajectory) -> Rows {
        let mut rows = Rows::new(&["turn", "action", "confidence", "rank", "weight", "tokens"]);
        for (turn, own) in self.turn_views(run).into_iter().enumerate() {
            rows.push(vec![
                (turn + 1).into(),
                run.action(turn).into(),
                own.confidence.into(),
                own.rank.into(),
                own.weight.into(),
                run.turns[turn].scores.map(|own| u64::from(own.tokens)).into(),
            ]);
        }
        rows
    }
}
