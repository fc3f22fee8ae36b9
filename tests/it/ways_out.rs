//! Every way out of the explorer gives the terminal back and keeps the view and the note that was being
//! written.

use std::path::Path;

use crate::support::home;
use crate::terminal::{Session, qualm};

const NOTE: &str = "half a thought";

fn demo(home: &Path) -> Session {
    Session::start(qualm(home, &["demo", "--tasks", "3"]))
}

/// Opens the demo, goes to Tasks and begins a note there.
fn with_half_a_note(home: &Path) -> Session {
    let mut session = demo(home);
    session.wait_for("LNSP·mean");
    session.send("2");
    session.wait_for("turns of the reference");
    session.send("c");
    session.wait_for("Note on the task");
    session.send(NOTE);
    session.wait_for(NOTE);
    session
}

/// The next start opens the same screen and offers the note.
fn assert_kept(home: &Path) {
    let drafts = home.join("state/qualm/drafts");
    let kept = std::fs::read_dir(&drafts).map_or(0, Iterator::count);
    assert_eq!(kept, 1, "the note is in {}", drafts.display());
    let mut session = demo(home);
    session.wait_for("Tasks ›");
    session.wait_for("c continues it");
    session.send("c");
    session.wait_for("Note on the task");
    session.wait_for(NOTE);
    session.send("\u{13}");
    session.wait_for("note saved");
    session.send("q");
    assert_eq!(session.end().0, 0);
    // Saved is saved: nothing is offered any more.
    let mut session = demo(home);
    session.wait_for("turns of the reference");
    assert!(!session.shows("c continues it"));
    session.send("q");
    assert_eq!(session.end().0, 0);
}

#[test]
fn redrawing_asks_the_terminal_nothing() {
    let home = home();
    let mut session = with_half_a_note(home.path());
    session.send("\u{1b}");
    session.wait_for("not saved; c continues it");
    session.forget_screen();
    session.send("\u{c}");
    session.wait_for("Tasks ›");
    assert!(!session.written().contains("\u{1b}[6n"), "nobody answers where the cursor is");
    session.send("c");
    session.wait_for(NOTE);
    session.send("\u{3}qq");
    let (code, _, given_back) = session.end();
    assert!(code == 0 && given_back);
    assert_kept(home.path());
}

#[test]
fn a_signal_to_end_keeps_view_and_note() {
    for (signal, number) in [("TERM", 15), ("HUP", 1), ("INT", 2), ("QUIT", 3)] {
        let home = home();
        let session = with_half_a_note(home.path());
        session.signal(signal);
        let (code, _, given_back) = session.end();
        assert!(given_back, "{signal}: the terminal is as it was");
        assert_eq!(code, 128 + number, "as shells report {signal}");
        assert_kept(home.path());
    }
}

#[test]
fn a_closed_terminal_keeps_view_and_note() {
    let home = home();
    let mut session = with_half_a_note(home.path());
    // The writer of a pseudo terminal ends with a line feed, which in the editor deletes a line. It
    // meets an empty one.
    session.send("\r");
    let status = session.close();
    assert_eq!((status.signal(), status.exit_code()), (None, 129), "ended in order");
    assert_kept(home.path());
}

/// Whether a process is stopped, as Linux tells it.
#[cfg(target_os = "linux")]
fn is_stopped(session: &Session) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", session.process_id()));
    stat.is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" T")))
}

#[test]
#[cfg(target_os = "linux")]
fn a_stopped_program_lends_the_terminal_back() {
    let home = home();
    let mut session = with_half_a_note(home.path());
    for _ in 0..2 {
        session.signal("TSTP");
        session.wait_until("stopped", is_stopped);
        session.wait_until("given back", Session::is_given_back);
        session.forget_screen();
        session.signal("CONT");
        session.wait_for(NOTE);
        session.wait_until("taken again", Session::is_taken);
    }
    session.send("\u{3}qq");
    let (code, _, given_back) = session.end();
    assert!(code == 0 && given_back);
    assert_kept(home.path());
}

/// In raw mode the terminal sends no signal for Ctrl-z: the program stops itself.
#[test]
#[cfg(target_os = "linux")]
fn ctrl_z_lends_the_terminal_back() {
    let home = home();
    let mut session = with_half_a_note(home.path());
    for leave in ["", "\u{3}"] {
        session.send(leave);
        session.send("\u{1a}");
        session.wait_until("stopped", is_stopped);
        session.wait_until("given back", Session::is_given_back);
        session.forget_screen();
        session.signal("CONT");
        session.wait_for("Tasks ›");
        session.wait_until("taken again", Session::is_taken);
    }
    session.send("qq");
    let (code, _, given_back) = session.end();
    assert!(code == 0 && given_back);
    assert_kept(home.path());
}

/// Whoever stops a program without asking may change the terminal's modes meanwhile, as a shell does.
#[test]
#[cfg(target_os = "linux")]
fn a_program_that_goes_on_takes_the_terminal_again() {
    let home = home();
    let mut session = with_half_a_note(home.path());
    session.signal("STOP");
    session.wait_until("stopped", is_stopped);
    let path = session.terminal_path();
    let reset = std::process::Command::new("stty").arg("-F").arg(path).arg("sane").status();
    assert!(reset.expect("stty runs").success());
    session.forget_screen();
    session.signal("CONT");
    session.wait_for(NOTE);
    // In cooked mode the terminal would keep the key until a line ends.
    session.send("!");
    session.wait_for("half a thought!");
    session.send("\u{3}qq");
    let (code, _, given_back) = session.end();
    assert!(code == 0 && given_back);
}

#[test]
fn nobody_needs_to_read_the_error() {
    let home = home();
    let run = |redirect: &str| {
        let program = env!("CARGO_BIN_EXE_qualm");
        let line = format!("exec '{program}' nowhere.qualm {redirect}");
        let status =
            std::process::Command::new("sh").args(["-c", &line]).current_dir(&home).status();
        status.expect("sh runs").code()
    };
    assert_eq!(run("2>/dev/null"), Some(1));
    assert_eq!(run("2>&-"), Some(1));
    if Path::new("/dev/full").exists() {
        assert_eq!(run("2>/dev/full"), Some(1));
    }
}
