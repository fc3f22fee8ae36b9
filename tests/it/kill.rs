//! A writer that is killed at any moment leaves a sound store.

use std::process::Stdio;
use std::time::{Duration, Instant};

use qualm::store::Store;

use crate::support::{assert_whole, data, imported, qualm};

#[test]
fn a_killed_writer_leaves_the_old_store_or_the_new_one() {
    let fixture = imported(&["tau2.json"]);
    let inputs = ["tau2.json", "tau1.json", "tau2-runs", "tau2-logprobs-v0.json"].map(data);
    let import = || {
        let mut command = qualm(fixture.home.path());
        command.arg("import").args(&inputs).args(["-o", "s.qualm"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    // The duration of an undisturbed import determines when to kill the others.
    let begin = Instant::now();
    assert!(import().status().expect("the program starts").success());
    let whole = begin.elapsed();
    let all = Store::open(&fixture.path()).expect("whole").entries().expect("entries").len();
    for round in 0..40 {
        let mut writer = import().spawn().expect("the program starts");
        let deadline = Instant::now() + whole * round / 32 + Duration::from_micros(200);
        while Instant::now() < deadline && matches!(writer.try_wait(), Ok(None)) {
            std::thread::yield_now();
        }
        let _ = writer.kill();
        writer.wait().expect("ended");
        assert_whole(&fixture.path());
        let store = Store::open(&fixture.path()).expect("whole");
        assert_eq!(store.entries().expect("entries").len(), all, "round {round}");
    }
    // The next import removes what the killed ones left.
    assert!(import().status().expect("the program starts").success());
    let left: Vec<_> = fixture.home.path().read_dir().expect("a folder").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
