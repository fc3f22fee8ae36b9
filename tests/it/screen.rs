//! Snapshots of the drawn screens.

use qualm::store::{Extras, FORMAT, Manifest, VERSION};
use qualm::ui::View;
use qualm::ui::theme::{Depth, Shade, Theme};

use crate::explorer::{Driver, demo, made};
use crate::support::imported;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (160, 45)];

/// A screen at three sizes, after some keys.
fn at_three_sizes(name: &str, keys: &str) {
    for (width, height) in SIZES {
        let screen = Driver::new(demo(), width, height).press(keys);
        insta::assert_snapshot!(format!("{name}-{width}x{height}"), body(&screen));
    }
}

/// What a screen draws itself: everything but the two lines above it and the footer.
fn body(screen: &str) -> String {
    let lines: Vec<&str> = screen.lines().collect();
    lines[2..lines.len() - 1].join("\n")
}

/// What lies over a screen from its first line on; a prompt takes the footer's line.
fn with_prompt(screen: &str) -> String {
    screen.lines().skip(2).collect::<Vec<_>>().join("\n")
}

/// The lines around a screen.
fn shell(screen: &str) -> String {
    let lines: Vec<&str> = screen.lines().collect();
    [lines[0], lines[1], lines[lines.len() - 1]].join("\n")
}

#[test]
fn lines_around_the_screens() {
    let mut shells = Vec::new();
    for (width, height) in [(80, 24), (160, 45)] {
        let mut driver = Driver::new(demo(), width, height);
        for keys in ["0", "1", "2", "3", "<Enter>", "4", "5", "6", "7", "<Enter>"] {
            shells.push(shell(&driver.press(keys)));
        }
        let lens = driver.press("1PjJS&turns > 2<Enter>");
        shells.push(shell(&lens));
    }
    insta::assert_snapshot!("shell", shells.join("\n\n"));
}

#[test]
fn grid() {
    at_three_sizes("grid", "jjll");
}

#[test]
fn tasks() {
    at_three_sizes("tasks", "<Enter>ja");
}

#[test]
fn compare() {
    at_three_sizes("compare", "l<Enter>j<Enter>jj");
}

#[test]
fn tree() {
    at_three_sizes("tree", "lllll<Enter>j<Enter>B");
}

#[test]
fn compare_in_detail() {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("lllll<Enter><Enter>");
    insta::assert_snapshot!("compare-tokens", body(&driver.press("wt")));
    insta::assert_snapshot!("compare-whole", body(&driver.press("tttdz")));
    insta::assert_snapshot!("compare-side", body(&driver.press("zO")));
    insta::assert_snapshot!("compare-three", body(&driver.press("O+Z")));
    insta::assert_snapshot!("compare-read", body(&driver.press("gj<Enter>")));
    insta::assert_snapshot!("compare-note", with_prompt(&driver.press("<Esc>jcodd")));
}

#[test]
fn curves() {
    at_three_sizes("curves", "5+ter<Enter>+ptrue<Enter>ihh");
}

#[test]
fn curves_in_detail() {
    let (_home, path) = made(40);
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("5+ter<Enter>+turns<Enter>+ptrue<Enter>");
    insta::assert_snapshot!("curves-of-four", body(&driver.press("jhhh")));
    insta::assert_snapshot!("curves-alone", body(&driver.press("<Tab><Tab>zi")));
    insta::assert_snapshot!("curves-aim", body(&driver.press("k^s<Ctrl-u>80%<Enter>")));
    insta::assert_snapshot!("curves-near", body(&driver.press("z<Enter>")));
    let mut driver = Driver::new(&path, 80, 24);
    insta::assert_snapshot!("curves-risk", body(&driver.press("5+ter<Enter><Tab><Tab>")));
    insta::assert_snapshot!("curves-costs", with_prompt(&driver.press("V")));
    let mut driver = Driver::new(&path, 200, 60);
    let pooled = driver.press("5+ter<Enter>+ptrue<Enter>+aec<Enter>v");
    insta::assert_snapshot!("curves-pooled", body(&pooled));
}

#[test]
fn stuck() {
    at_three_sizes("stuck", "6j");
}

#[test]
fn versus() {
    at_three_sizes("versus", "8>");
}

#[test]
fn judges() {
    at_three_sizes("judges", "7");
}

#[test]
fn triage() {
    at_three_sizes("triage", "7<Enter>");
}

#[test]
fn aggregators() {
    at_three_sizes("aggregators", "4llll<Tab>jj");
}

#[test]
fn cells() {
    at_three_sizes("cells", "0jj");
}

#[test]
fn ways_to_show_values() {
    let mut driver = Driver::new(demo(), 100, 24);
    for show in ["half-range", "interval", "rank", "swatch"] {
        let screen = driver.press("i");
        insta::assert_snapshot!(format!("grid-{show}"), body(&screen));
    }
    insta::assert_snapshot!("grid-pinned", body(&driver.press("iPjjj")));
    insta::assert_snapshot!("grid-folded-ece", body(&driver.press("PmmmZ")));
}

#[test]
fn overlays() {
    let mut driver = Driver::new(demo(), 100, 30);
    insta::assert_snapshot!("help", body(&driver.press("?")));
    insta::assert_snapshot!("palette", body(&driver.press("<Esc>:aggr")));
    insta::assert_snapshot!("scorers", body(&driver.press("<Esc>s")));
    insta::assert_snapshot!(
        "filter-wrong",
        with_prompt(&driver.press("<Esc>&turns > 3 and succes"))
    );
    insta::assert_snapshot!("filter-completions", with_prompt(&driver.press("<Ctrl-u>lnsp")));
    insta::assert_snapshot!("sort", body(&driver.press("<Esc>2r")));
}

#[test]
fn real_results_say_what_they_lack() {
    let fixture = imported(&["tau2.json", "tau2-ungraded.json", "tau2-folder"]);
    let mut driver = Driver::new(&fixture.path(), 120, 24);
    insta::assert_snapshot!("partial-grid", body(&driver.screen()));
    insta::assert_snapshot!("partial-tasks", body(&driver.press("<Enter>")));
    insta::assert_snapshot!("partial-aggregators", body(&driver.press("4")));
}

#[test]
fn an_empty_store_says_what_to_do() {
    let home = crate::support::home();
    let path = home.path().join("empty.qualm");
    let writer = qualm::store::StoreWriter::create(&path).expect("begun");
    let manifest = Manifest { format: FORMAT.to_owned(), version: VERSION, ..Manifest::default() };
    let extras = Extras::default();
    writer.finish(manifest, &extras).expect("written");
    let mut driver = Driver::new(&path, 80, 24);
    assert!(driver.screen().contains("The store is empty: `qualm import` adds results."));
    for screen in ["0", "2", "4", "1"] {
        let shown = driver.press(screen);
        assert!(shown.contains("qualm") && shown.contains("0 tasks"), "{shown}");
    }
    assert!(driver.press("3").contains("There is no task here: `qualm import` adds results."));
}

#[test]
fn loading_shows_the_cells_at_once() {
    let store = qualm::store::Store::open(demo()).expect("a store");
    let config = qualm::ui::Config::default();
    let app = qualm::ui::App::new(&store, View::default(), &config, Theme::plain());
    let screen = qualm::ui::picture(&app, (100, 24), "txt");
    insta::assert_snapshot!("loading", body(&screen));
}

#[test]
fn a_damaged_store_says_so_and_can_be_left() {
    let home = crate::support::home();
    let path = home.path().join("d.qualm");
    crate::support::demo_at(&path, 1);
    std::fs::write(path.join("turns.parquet"), b"PAR1 nothing PAR1").expect("written");
    let mut driver = Driver::new(&path, 100, 24);
    let screen = driver.screen();
    assert!(
        screen.contains("The store cannot be read.") && screen.contains("turns.parquet"),
        "{screen}"
    );
    driver.press("2j<Enter>4:<Esc>q");
    assert!(driver.app().done);
}

#[test]
fn colour_carries_the_value() {
    for shade in [Shade::Dark, Shade::Light] {
        for depth in [Depth::True, Depth::Indexed256, Depth::Ansi16, Depth::None] {
            let theme = Theme::new(shade, depth);
            let mut driver = Driver::with(demo(), View::default(), &theme, (160, 45));
            let buffer = driver.0.draw();
            let styles: std::collections::HashSet<_> = (15..155)
                .flat_map(|x| (5..38).map(move |y| (x, y)))
                .map(|position| buffer[position].bg)
                .collect();
            let most = match depth {
                Depth::None => 1..=1,
                Depth::Ansi16 => 3..=8,
                _ => 6..=80,
            };
            assert!(most.contains(&styles.len()), "{shade:?} {depth:?}: {styles:?}");
        }
    }
}

#[test]
fn small_terminals_get_a_sentence() {
    let screen = Driver::new(demo(), 50, 10).screen();
    assert!(screen.contains("qualm needs 60×15, this is 50×10."), "{screen}");
    for (width, height) in [(1, 1), (3, 2), (59, 15), (60, 14)] {
        let screen = Driver::new(demo(), width, height).press("2j");
        assert!(!screen.contains("Tasks"), "{screen}");
    }
}

#[test]
fn the_page_of_keys_lists_the_keys_that_work() {
    let page = include_str!("../../docs/keys.md").to_owned() + "\n";
    let keymap = qualm::ui::keymap::Keymap::default();
    let row = |binding: &qualm::ui::keymap::Binding| {
        let screens: Vec<&str> = binding.screens.iter().map(|screen| screen.title()).collect();
        // A bar would end the cell.
        let (keys, screens) = (keymap.shown(binding).replace('|', "\\|"), screens.join(", "));
        format!("| `{keys}` | {} | {screens} | {} |\n", binding.description, binding.id)
    };
    let rows: String = qualm::ui::keymap::BINDINGS.iter().map(row).collect();
    let table = format!("| keys | what they do | only on | name |\n|---|---|---|---|\n{rows}\n");
    assert!(page.contains(&table), "the table of docs/keys.md should be\n{table}");
}
