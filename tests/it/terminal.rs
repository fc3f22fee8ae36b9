//! The real program on a pseudo-terminal, which it restores when it ends.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

use crate::support::{demo_at, home};

const PATIENCE: Duration = Duration::from_mins(1);

/// A program on a pseudo-terminal, with its output and its screen.
pub struct Session {
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
    screen: vt100::Parser,
    master: Box<dyn portable_pty::MasterPty + Send>,
    reader: JoinHandle<()>,
    /// The modes of the terminal before the program changed them.
    modes: String,
}

impl Session {
    pub fn start(mut command: CommandBuilder) -> Self {
        let size = PtySize { rows: 30, cols: 100, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        command.env("TERM", "xterm-256color");
        let modes = modes(pair.master.as_ref());
        let child = pair.slave.spawn_command(command).expect("started");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let (sender, output) = channel();
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let [rows, columns] = [30, 100].map(|n| std::num::NonZero::new(n).expect("not zero"));
        let screen = vt100::Parser::new(rows, columns, 0);
        let (bytes, master) = (Vec::new(), pair.master);
        Self { child, writer, output, bytes, screen, master, reader, modes }
    }

    /// Waits until something is so, reading what the program writes meanwhile.
    pub fn wait_until(&mut self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(self) {
            assert!(
                Instant::now() < deadline,
                "not {what}, at\n{}",
                self.screen.screen().contents()
            );
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(10)) {
                self.take(&bytes);
            }
        }
    }

    /// Sends the program a signal, such as `TERM`.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let number = self.process_id().to_string();
        let sent = std::process::Command::new("kill").args(["-s", name, &number]).status();
        assert!(sent.expect("sent").success());
    }

    pub fn process_id(&self) -> u32 {
        self.child.process_id().expect("running")
    }

    /// The terminal as the user had it: its modes, its screen, its cursor.
    pub fn is_given_back(&self) -> bool {
        modes(self.master.as_ref()) == self.modes
            && !self.screen.screen().alternate_screen()
            && !self.screen.screen().hide_cursor()
    }

    /// The terminal as the explorer needs it.
    pub fn is_taken(&self) -> bool {
        modes(self.master.as_ref()) != self.modes && self.screen.screen().alternate_screen()
    }

    /// Whether the screen shows a text now.
    pub fn shows(&self, text: &str) -> bool {
        self.screen.screen().contents().contains(text)
    }

    /// Empties the screen that is looked at, which the program does not know.
    pub fn forget_screen(&mut self) {
        self.screen.process(b"\x1b[2J");
    }

    /// Everything that the program wrote.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Where the terminal is, to change its modes from outside.
    pub fn terminal_path(&self) -> std::path::PathBuf {
        self.master.tty_name().expect("a name")
    }

    /// Closes the terminal's window, and waits for the program to end.
    pub fn close(self) -> portable_pty::ExitStatus {
        let Self { mut child, mut writer, output, reader, master, .. } = self;
        drop(output);
        // What this key draws makes the reading thread notice that nobody listens any more.
        writer.write_all(b"x").expect("sent");
        reader.join().expect("ended");
        drop((writer, master));
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = child.try_wait().expect("asked") {
                return status;
            }
            if Instant::now() > deadline {
                let _ = child.kill();
                panic!("did not end when its terminal closed");
            }
            std::thread::yield_now();
        }
    }

    /// Waits until the screen shows a text.
    pub fn wait_for(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.screen.screen().contents().contains(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.output.recv_timeout(left) else {
                panic!("no {text:?} on\n{}", self.screen.screen().contents());
            };
            self.take(&bytes);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.bytes.extend_from_slice(bytes);
    }

    pub fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).expect("sent");
    }

    /// Waits for the program to end, and returns its exit code and output.
    pub fn end(mut self) -> (u32, String, bool) {
        loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    let _ = self.child.kill();
                    panic!("did not end, at\n{}", self.screen.screen().contents());
                }
            }
        }
        let code = self.child.wait().expect("ended").exit_code();
        let given_back = self.is_given_back();
        (code, self.written(), given_back)
    }
}

#[cfg(unix)]
fn modes(master: &dyn portable_pty::MasterPty) -> String {
    format!("{:?}", master.get_termios())
}

#[cfg(not(unix))]
fn modes(_: &dyn portable_pty::MasterPty) -> String {
    String::new()
}

pub fn qualm(home: &std::path::Path, args: &[&str]) -> CommandBuilder {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_qualm"));
    command.args(args);
    command.cwd(home);
    for folder in ["cache", "state", "config", "data"] {
        command.env(format!("XDG_{}_HOME", folder.to_uppercase()), home.join(folder));
    }
    // Else the first vote asks for a name.
    command.env("QUALM_AUTHOR", "ada");
    command
}

/// A vote that the screen calls saved is saved, even if the program is killed at that moment.
#[test]
fn an_acknowledged_vote_survives_a_kill() {
    let home = home();
    let path = home.path().join("d.qualm");
    demo_at(&path, 3);
    let store = path.display().to_string();
    let mut session = Session::start(qualm(home.path(), &[&store, "--screen", "judges"]));
    session.wait_for("queue: 0 of");
    session.send("\r");
    session.wait_for("shown once you have voted");
    // Wait for the runs: a pair that is not on screen cannot be voted on.
    session.wait_for("only reference");
    session.send("=");
    session.wait_for("saved: equivalent");
    session.child.kill().expect("killed");
    let votes = qualm::store::Store::open(&path).expect("a store").votes().expect("votes");
    assert_eq!(votes.len(), 1);
    crate::support::assert_whole(&path);
}

#[test]
fn the_demo_opens_and_quits() {
    let home = home();
    for quit in ["q", "\u{3}"] {
        let mut session = Session::start(qualm(home.path(), &["demo", "--tasks", "3"]));
        session.wait_for("synthetic data");
        session.wait_for("LNSP·mean");
        session.send("0jj/retail\r");
        session.wait_for("▸retail");
        session.send("1");
        session.wait_for("retail · ");
        session.send(quit);
        let (code, bytes, given_back) = session.end();
        assert_eq!(code, 0);
        assert!(given_back, "the terminal is as it was");
        assert!(bytes.contains("\u{1b}[?1049l"), "the other screen is left");
        let (on, off) = (bytes.matches("\u{1b}[?1000h"), bytes.matches("\u{1b}[?1000l"));
        assert_eq!(on.count(), off.count(), "the mouse is given back");
    }
}

#[test]
fn a_view_is_remembered_and_flags_override_it() {
    let home = home();
    let mut session = Session::start(qualm(home.path(), &["demo", "--tasks", "3"]));
    session.wait_for("LNSP·mean");
    session.send("lllmjj\r");
    session.wait_for("LNSP·last · AUPRC · 3 tasks");
    session.send("/2\r");
    session.wait_for("task 2");
    session.send("q");
    assert_eq!(session.end().0, 0);
    let mut session = Session::start(qualm(home.path(), &["demo", "--tasks", "3"]));
    session.wait_for("Tasks › bfcl-v4/Qwen3.5-9B");
    session.wait_for("AUPRC");
    session.wait_for("LNSP·last");
    session.send("q");
    assert_eq!(session.end().0, 0);
    let args = ["demo", "--tasks", "3", "--screen", "aggregators", "--dataset", "retail"];
    let mut session = Session::start(qualm(home.path(), &args));
    session.wait_for("Aggregators › retail/gpt-4o-mini");
    session.wait_for("LNSP·min · AUROC");
    session.send("q");
    assert_eq!(session.end().0, 0);
    let args = ["demo", "--tasks", "3", "--dataset", "moon"];
    let (code, said, _) = Session::start(qualm(home.path(), &args)).end();
    assert_eq!(code, 1);
    assert!(said.contains("--dataset: there is no `moon`; it is one of: airline, "), "{said}");
}

#[test]
fn settings_are_read_and_wrong_ones_reported() {
    let home = home();
    std::fs::create_dir_all(home.path().join("config/qualm")).expect("made");
    let config = home.path().join("config/qualm/config.toml");
    let write = |text: &str| std::fs::write(&config, text).expect("written");
    write("[lens]\nmetric = 'prr'\n[keys]\nquit = ['Ctrl-x']\n");
    let mut session = Session::start(qualm(home.path(), &["demo", "--tasks", "3"]));
    session.wait_for("LNSP·min · PRR");
    session.send("\u{18}");
    assert_eq!(session.end().0, 0);
    write("[keys]\nfly = ['x']\n");
    let (code, said, given_back) =
        Session::start(qualm(home.path(), &["demo", "--tasks", "3"])).end();
    assert_eq!(code, 1);
    assert!(given_back && said.contains("config.toml: there is no action `fly`"), "{said}");
}

/// Sends random bytes from a fixed generator.
#[test]
fn random_bytes_leave_the_terminal_restored() {
    let home = home();
    let mut session = Session::start(qualm(home.path(), &["demo", "--tasks", "2"]));
    session.wait_for("LNSP·mean");
    let letters = "jklhaAmMiopzZ124fFuxvrsn?:&/ \t\u{1b}";
    let letters: Vec<char> = letters.chars().collect();
    let mut rng = qualm::rng::Rng::new(7, 7);
    for _ in 0..400 {
        let keys: String = (0..5).map(|_| letters[rng.below(letters.len())]).collect();
        session.send(&keys);
    }
    // Each of these closes the topmost overlay, or quits.
    session.send(&"\u{3}".repeat(6));
    let (code, bytes, given_back) = session.end();
    assert_eq!(code, 0, "{}", &bytes[bytes.len().saturating_sub(2000)..]);
    assert!(given_back, "the terminal is as it was");
}

#[test]
fn results_open_without_an_import() {
    let home = home();
    let file = crate::support::data("tau2-runs").display().to_string();
    for _ in 0..2 {
        let mut session = Session::start(qualm(home.path(), &[&file]));
        // First on Cells; the second time where it was left.
        session.wait_for("bear");
        session.send("1");
        session.wait_for("no log-probabilities in this store");
        session.send("0");
        session.wait_for("airline/bear: 2 of 2 references solved");
        session.send("1q");
        assert_eq!(session.end().0, 0);
    }
    let cached: Vec<_> =
        home.path().join("cache/qualm/results").read_dir().expect("there").collect();
    assert_eq!(cached.len(), 1, "imported once");
}

#[test]
fn an_error_does_not_touch_the_terminal() {
    let home = home();
    let session = Session::start(qualm(home.path(), &["nowhere.qualm"]));
    let (code, bytes, given_back) = session.end();
    assert_eq!(code, 1);
    assert!(
        given_back && bytes.contains("nowhere.qualm: there is no such file or folder"),
        "{bytes}"
    );
}

/// Fails inside the explorer's terminal, in one of several ways.
fn fail(how: &str) -> std::io::Result<()> {
    qualm::ui::tui::with_terminal(|terminal| {
        terminal.draw(|frame| frame.render_widget("about to fail", frame.area()))?;
        match how {
            "panic" => panic!("something broke"),
            "panic elsewhere" => {
                let broken = std::thread::spawn(|| panic!("something broke")).join();
                assert!(broken.is_err());
                Ok(())
            }
            _ => Err(std::io::Error::other("something broke")),
        }
    })
}

/// The test runs itself on a pseudo-terminal and fails there.
#[test]
fn a_failure_restores_the_terminal() {
    if let Ok(how) = std::env::var("QUALM_TEST_FAILURE") {
        fail(&how).expect("no error");
        return;
    }
    for how in ["panic", "panic elsewhere", "error"] {
        let mut command = CommandBuilder::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", "terminal::a_failure_restores_the_terminal", "--nocapture"]);
        command.env("QUALM_TEST_FAILURE", how);
        let mut session = Session::start(command);
        session.wait_for("something broke");
        let (_, bytes, given_back) = session.end();
        assert!(given_back, "{how}: the terminal is as it was");
        let left = bytes.find("\u{1b}[?1049l").expect("the other screen is left");
        let said = bytes.find("something broke").expect("said");
        assert!(left < said, "{how}: before the message is printed");
    }
}

#[test]
fn the_demo_is_made_once_per_version() {
    let home = home();
    let demo = || crate::support::run(home.path(), &["demo", "--tasks", "2"]);
    let manifest = home.path().join("cache/qualm/demo-2.qualm/manifest.json");
    let read = || std::fs::read_to_string(&manifest).expect("made");
    let made = || std::fs::metadata(&manifest).and_then(|meta| meta.modified()).expect("made");
    assert!(demo().status.success());
    let first = made();
    assert!(demo().status.success());
    assert_eq!(made(), first, "made once");
    let current = format!("\"demo_version\": {}", qualm::demo::VERSION);
    std::fs::write(&manifest, read().replace(&current, "\"demo_version\": 0")).expect("written");
    assert!(demo().status.success());
    assert!(read().contains(&current), "made anew");
}

#[test]
fn the_demo_does_not_replace_real_results() {
    let fixture = crate::support::imported(&["tau2.json"]);
    let out = crate::support::run(fixture.home.path(), &["demo", "-o", "s.qualm"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(crate::support::text(&out.stderr).contains("s.qualm: holds real results"));
    assert_eq!(fixture.entries().len(), 4);
    let made = crate::support::run(fixture.home.path(), &["demo", "--tasks", "1", "-o", "d.qualm"]);
    assert!(made.status.success());
    let input = crate::support::data("tau2.json").display().to_string();
    let out = crate::support::run(fixture.home.path(), &["import", &input, "-o", "d.qualm"]);
    assert!(crate::support::text(&out.stderr).contains("d.qualm: holds synthetic demo data"));
}

#[test]
fn without_a_terminal_there_is_no_explorer() {
    let home = home();
    let out = crate::support::run(home.path(), &["demo", "--tasks", "2"]);
    let said = crate::support::text(&out.stdout);
    assert!(out.status.success() && said.starts_with("demo-2 (synthetic data)\n"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
}
