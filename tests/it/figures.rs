//! `qualm figure`, and the figures that `E` writes.

use std::fs;

use qualm::ui::theme::Theme;
use qualm::ui::{Screen, View};
use serde_json::json;

use crate::explorer::{Driver, demo, made, view};
use crate::support::{Draw, demo_at, home, made as made_up, run, text};

/// A demo store in a folder.
fn store() -> tempfile::TempDir {
    let home = home();
    demo_at(&home.path().join("demo.qualm"), 6);
    home
}

#[test]
fn figures_are_written_once_and_where_they_can_be() {
    let home = store();
    let figure = |args: &str| {
        let command = format!("figure demo.qualm {args}");
        run(home.path(), &command.split(' ').collect::<Vec<_>>())
    };
    let printed = figure("--what stuck --dataset airline");
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    assert!(text(&printed.stdout).starts_with("<svg xmlns"));
    let written = figure("--what stuck --dataset airline -o a.svg");
    assert!(written.status.success() && written.stdout.is_empty());
    assert_eq!(fs::read(home.path().join("a.svg")).expect("read"), printed.stdout);
    let refused = [
        ("--what stuck -o a.svg", "a.svg: is there already; name another file"),
        ("--what stuck -o no/b.svg", "no/b.svg: cannot be written ("),
        ("--what stuck -o b.jpg", "b.jpg: name a file that ends in .svg, .png or .pdf"),
        ("--what stuck -o b", "b: name a file that ends in .svg, .png or .pdf"),
        ("--what versus -o b.svg", "demo.qualm: which cells to compare is not clear; name both"),
        ("--what versus --baseline x -o b.svg", "demo.qualm: --baseline x names no cell; "),
        (
            "--what roc --scorer turns --scorer tools --scorer ter --scorer asc --scorer fac -o b.svg",
            "up to four",
        ),
        (
            "--what reliability --scorer turns -o b.svg",
            "demo.qualm: reliability is of scores from 0 to 1; ",
        ),
    ];
    for (args, why) in refused {
        let refused = figure(args);
        let said = text(&refused.stderr);
        assert!(!refused.status.success() && said.contains(why), "{args}: {said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    }
    let mut names: Vec<String> = fs::read_dir(home.path())
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(['.']) || name == "b")
        .collect();
    names.sort();
    assert_eq!(names, ["a.svg", "demo.qualm"], "nothing half-written");
}

#[test]
#[cfg(not(feature = "figures"))]
fn a_qualm_without_the_feature_refuses_other_formats_in_one_sentence() {
    let home = store();
    for ending in ["png", "pdf"] {
        let name = format!("a.{ending}");
        let refused = run(home.path(), &["figure", "demo.qualm", "--what", "stuck", "-o", &name]);
        let said = text(&refused.stderr);
        let wanted = format!(
            "{name}: this qualm was built without .{ending}; write an .svg, or install a released qualm or \
             one built with --features figures"
        );
        assert!(!refused.status.success() && said.contains(&wanted), "{said}");
        assert!(!home.path().join(name).exists());
    }
}

#[test]
#[cfg(feature = "figures")]
fn a_qualm_with_the_feature_writes_other_formats() {
    let home = store();
    for (ending, start) in [("png", &b"\x89PNG"[..]), ("pdf", &b"%PDF-"[..])] {
        let name = format!("a.{ending}");
        let args = ["figure", "demo.qualm", "--what", "noise", "--dataset", "airline", "-o", &name];
        let written = run(home.path(), &args);
        assert!(written.status.success(), "{}", text(&written.stderr));
        assert!(fs::read(home.path().join(name)).expect("read").starts_with(start));
    }
}

#[test]
fn a_store_without_what_a_figure_needs_is_refused_in_one_sentence() {
    let home = home();
    let draw = |success| Draw { success: Some(success), db_match: None, actions: vec!["a"] };
    // One run of each task, without log-probabilities.
    let tasks: Vec<Vec<Draw>> = (0..4).map(|task| vec![draw(task % 2 == 0)]).collect();
    made_up(home.path(), &tasks, Vec::new());
    for (what, why) in [
        ("turns", "made.qualm: no graded run has a turn with this base score; "),
        ("noise", "made.qualm: no task has two graded draws of one temperature; "),
        ("samples", "made.qualm: no task has a sample beside its reference; "),
        ("stuck", "made.qualm: no task has a sample beside its reference; "),
        ("aggregators", "made.qualm: no scorer has a value here; "),
        ("versus", "made.qualm: which cells to compare is not clear; "),
    ] {
        let refused = run(home.path(), &["figure", "made.qualm", "--what", what, "-o", "a.svg"]);
        let said = text(&refused.stderr);
        assert!(!refused.status.success() && said.contains(why), "{what}: {said}");
        assert!(!home.path().join("a.svg").exists());
    }
}

/// The title of an SVG.
fn title(svg: &str) -> &str {
    let (_, rest) = svg.split_once("<title>").expect("a title");
    rest.split_once("</title>").expect("an end").0
}

/// Types a name over the one that is offered.
fn typed(path: &std::path::Path) -> String {
    format!("<Ctrl-u>{}", path.display())
}

#[test]
fn screens_offer_their_figure() {
    let curves = |page: &str| view(json!({"screen": "curves", "page": page}));
    let screens = [
        (view(json!({"screen": "grid"})), "AUROC of every scorer in every cell"),
        (view(json!({"screen": "aggregators"})), "AUROC of LNSP under every aggregator"),
        (view(json!({"screen": "stuck"})), "Agreement of draws by outcome"),
        (view(json!({"screen": "versus"})), "Two cells on the tasks they share"),
        (curves("plots"), "ROC curves"),
        (curves("signal"), "LNSP of turns along the run, by outcome"),
        (curves("families"), "Best AUROC of every family and cell"),
    ];
    let folder = home();
    for (index, (view, wanted)) in screens.into_iter().enumerate() {
        let path = folder.path().join(format!("{index}.svg"));
        let mut driver = Driver::with(demo(), view, &Theme::plain(), (120, 40));
        let asked = driver.press("E");
        assert!(asked.contains(" write to ") && asked.contains("Ctrl-s its figure"), "{asked}");
        let asked = driver.press("<Ctrl-s>");
        assert!(asked.contains(" write the figure to "), "{asked}");
        assert!(asked.contains(".svg") && asked.contains("Ctrl-s the screen instead"), "{asked}");
        let said = driver.press(&format!("{}<Enter>", typed(&path)));
        assert!(said.contains("written: "), "{said}");
        assert_eq!(title(&fs::read_to_string(&path).expect("read")), wanted);
    }
}

#[test]
fn without_the_choice_a_screen_writes_what_it_did_before() {
    let folder = home();
    let path = folder.path().join("a.svg");
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("E<Ctrl-s><Ctrl-s>");
    driver.press(&format!("{}<Enter>", typed(&path)));
    assert!(
        !fs::read_to_string(&path).expect("read").contains("of every scorer in every cell</title>")
    );
    // A screen without a figure offers none.
    let mut driver =
        Driver::with(demo(), view(json!({"screen": "cells"})), &Theme::plain(), (120, 40));
    assert!(!driver.press("E").contains("figure"));
    assert!(driver.press("<Ctrl-s>").contains(" write to "));
}

#[test]
fn a_figure_that_cannot_be_written_is_asked_for_again() {
    let folder = home();
    let (there, path) = (folder.path().join("a.svg"), folder.path().join("no/b.svg"));
    fs::write(&there, "old").expect("written");
    let mut driver = Driver::new(demo(), 160, 40);
    let keys = format!("E<Ctrl-s>{}<Enter>", typed(&there));
    let asked = driver.press(&keys);
    assert!(
        asked.contains(" write the figure to ") && asked.contains("is there already"),
        "{asked}"
    );
    let asked = driver.press(&format!("{}<Enter>", typed(&path)));
    assert!(
        asked.contains(" write the figure to ") && asked.contains("cannot be written"),
        "{asked}"
    );
    let asked = driver.press(&format!("{}<Enter>", typed(&folder.path().join("c.jpg"))));
    assert!(asked.contains("name a file that ends in .svg, .png or .pdf"), "{asked}");
    // The prompt is still that of the figure.
    let path = folder.path().join("d.svg");
    assert!(driver.press(&format!("{}<Enter>", typed(&path))).contains("written: "));
    assert_eq!(
        title(&fs::read_to_string(&path).expect("read")),
        "AUROC of every scorer in every cell"
    );
    assert_eq!(fs::read_to_string(&there).expect("read"), "old");
    // A name that only a figure has, on a screen without one.
    let mut driver =
        Driver::with(demo(), view(json!({"screen": "cells"})), &Theme::plain(), (160, 40));
    let asked = driver.press(&format!("E{}<Enter>", typed(&folder.path().join("e.pdf"))));
    let refusals = ["there is no figure of this screen", "this qualm was built without .pdf"];
    assert!(refusals.iter().any(|why| asked.contains(why)), "{asked}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[test]
fn a_figure_is_of_the_cells_and_the_scope_on_screen() {
    let (home, path) = made(6);
    let mut driver = Driver::with(&path, View::default(), &Theme::plain(), (120, 40));
    driver.press("5");
    assert_eq!(driver.app().screen, Screen::Curves);
    let cell = driver.shared().cells[driver.shared().cell].to_string();
    let file = home.path().join("a.svg");
    driver.press(&format!("E<Ctrl-s>{}<Enter>", typed(&file)));
    let svg = fs::read_to_string(&file).expect("read");
    assert!(svg.contains(&format!("{cell}, 6")), "{cell}: {svg}");
}
