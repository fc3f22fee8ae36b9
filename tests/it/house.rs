//! Guards of the architecture: which module uses which, first lines of files, and names.

mod code;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use code::{code, identifiers, uses, without_tests};

/// Names that say nothing about a value's role.
const VAGUE: [&str; 4] = ["own", "place", "told", "stranger"];

/// The first line of the map in `src/lib.rs`.
const HEADER: &str = "| module | what it is | may use |";

/// A file of the repository.
struct SourceFile {
    /// The path inside the repository.
    path: PathBuf,
    text: String,
}

impl SourceFile {
    /// The top-level module of a file under `src`, such as `store` for `src/store/table.rs`.
    fn module(&self) -> String {
        let first = self.path.components().nth(1).expect("a file in a folder");
        first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
    }
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files below a folder of the repository, by path.
fn files(folder: &str) -> Vec<SourceFile> {
    let mut folders = vec![repository().join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("text");
                let path = path.strip_prefix(repository()).expect("inside").to_owned();
                files.push(SourceFile { path, text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The files under `src` that are compiled only for tests.
fn test_files(files: &[SourceFile]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for file in files {
        let folder = if file.path.ends_with("lib.rs") {
            file.path.with_file_name("")
        } else {
            file.path.with_extension("")
        };
        let (_, modules) = without_tests(&code(&file.text));
        paths.extend(modules.into_iter().map(|module| folder.join(module)));
    }
    paths
}

/// What each module may use.
#[derive(Debug, Default, PartialEq)]
struct Map {
    /// The modules that every module may use.
    shared: BTreeSet<String>,
    /// The modules that a module names, by module; none when it may use all.
    named: BTreeMap<String, Option<BTreeSet<String>>>,
}

impl Map {
    /// Reads the table and the sentence below it.
    fn parse(lib: &str) -> Self {
        let docs: Vec<&str> = lib.lines().map_while(|line| line.strip_prefix("//!")).collect();
        let mut map = Self::default();
        let table = docs.iter().skip_while(|line| line.trim() != HEADER).skip(1);
        for row in table.map_while(|line| line.trim().strip_prefix('|')) {
            let columns: Vec<&str> = row.split('|').collect();
            let (modules, may_use) = (quoted_words(columns[0]), columns[2]);
            let all = may_use.trim() == "all";
            let named = (!all).then(|| quoted_words(may_use));
            map.named.extend(modules.into_iter().map(|module| (module, named.clone())));
        }
        let docs = docs.join(" ");
        let sentence = docs.split("Everything may use").nth(1).unwrap_or_default();
        let sentence = sentence.split(['.', '\n']).next().unwrap_or_default();
        map.shared = quoted_words(sentence.split(", and a module").next().unwrap_or_default());
        map
    }

    fn allows(&self, module: &str, used: &str) -> bool {
        let mut reached = BTreeSet::from([module]);
        let mut open = vec![module];
        while let Some(next) = open.pop() {
            match self.named.get(next) {
                Some(None) => return true,
                Some(Some(named)) => {
                    open.extend(
                        named.iter().map(String::as_str).filter(|name| reached.insert(name)),
                    );
                }
                None => {}
            }
        }
        reached.contains(used) || self.shared.contains(used)
    }
}

/// The words between backticks.
fn quoted_words(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn modules_use_only_what_the_map_allows() {
    let files = files("src");
    let map = Map::parse(&fs::read_to_string(repository().join("src/lib.rs")).expect("lib.rs"));
    let is_root = |file: &&SourceFile| matches!(file.module().as_str(), "lib" | "main");
    let modules: BTreeSet<String> =
        files.iter().filter(|file| !is_root(file)).map(SourceFile::module).collect();
    let in_map: BTreeSet<String> = map.named.keys().cloned().collect();
    assert_eq!(modules, in_map, "the map in src/lib.rs has a row for every module");
    let used: BTreeSet<String> =
        map.named.values().flatten().flatten().chain(&map.shared).cloned().collect();
    assert!(used.is_subset(&modules), "the map in src/lib.rs names other modules: {used:?}");

    let tests = test_files(&files);
    let is_test = |file: &&SourceFile| {
        tests.iter().any(|test| file.path.with_extension("").starts_with(test))
    };
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| !is_root(file) && !is_test(file)) {
        let (code, _) = without_tests(&code(&file.text));
        for used in uses(&code).into_iter().filter(|used| modules.contains(*used)) {
            if !map.allows(&file.module(), used) {
                problems.push(format!("{}: may not use `{used}`", file.path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "the map in src/lib.rs forbids:\n{}", problems.join("\n"));
}

#[test]
fn every_file_begins_with_what_it_is() {
    let files = files("src");
    let lacking = files.iter().filter(|file| !file.text.starts_with("//! "));
    let lacking: Vec<String> = lacking.map(|file| file.path.display().to_string()).collect();
    assert!(lacking.is_empty(), "begin with a line `//! …`:\n{}", lacking.join("\n"));
}

#[test]
fn modules_lie_beside_their_folders() {
    for file in ["src", "tests", "benches"].into_iter().flat_map(files) {
        assert!(!file.path.ends_with("mod.rs"), "{}: use foo.rs beside foo/", file.path.display());
    }
}

#[test]
fn names_say_their_role() {
    let mut problems = Vec::new();
    for file in ["src", "tests", "benches"].into_iter().flat_map(files) {
        let code = code(&file.text);
        for (line, code) in (1..).zip(code.lines()) {
            // A field is named where it is declared, not where it is read.
            let is_field = |at: usize| code[..at].ends_with('.') && !code[..at].ends_with("..");
            let mut declared = identifiers(code).filter(|(at, _)| !is_field(*at));
            if let Some((_, word)) = declared.find(|(_, word)| VAGUE.contains(word)) {
                problems.push(format!("{}:{line}: `{word}`", file.path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "name the role of these values:\n{}", problems.join("\n"));
}

#[test]
fn the_map_is_followed_from_module_to_module() {
    let map = Map::parse(
        "//! | another | table |\n\
         //!\n\
         //! | module | what it is | may use |\n\
         //! |---|---|---|\n\
         //! | [`a`], `b` | plain `data` | – |\n\
         //! | `c` | more | `a` |\n\
         //! | `d` | most | `c` |\n\
         //! | `cli` | commands | all |\n\
         //!\n\
         //! Everything may use `text` and\n\
         //! `rng`, and a module what the ones it names may use. See `b`.\n",
    );
    assert!(map.allows("d", "c") && map.allows("d", "a") && map.allows("d", "d"));
    assert!(map.allows("a", "text") && map.allows("a", "rng") && map.allows("cli", "b"));
    assert!(!map.allows("d", "b") && !map.allows("a", "c") && !map.allows("c", "cli"));
    assert_eq!(map.named.len(), 5);
}
