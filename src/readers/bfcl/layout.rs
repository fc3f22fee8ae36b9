//! What the names and folders of a file say: `result/MODEL/multi_turn/BFCL_v4_CATEGORY_result.json`,
//! with the score file under the same name in the folder `score`.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::content::unpacked_name;
use super::super::names::model_name;

/// The folder between that of a model and its files; older versions have none.
const GROUP: &str = "multi_turn";

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Result,
    Score,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Score => "score",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Result => Self::Score,
            Self::Score => Self::Result,
        }
    }
}

/// A file name as the harness writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileName<'a> {
    /// `BFCL_v4_`.
    version: &'a str,
    pub(super) category: &'a str,
    pub(super) kind: Kind,
}

impl<'a> FileName<'a> {
    /// The parts of a name such as `BFCL_v4_multi_turn_base_result.json.gz`.
    pub(super) fn parse(path: &'a Path) -> Option<Self> {
        let name = unpacked_name(path)?;
        let stem = name.strip_suffix(".json").or_else(|| name.strip_suffix(".jsonl"))?;
        let versioned = stem.strip_prefix("BFCL_v")?;
        let digits = versioned.find(|c: char| !c.is_ascii_digit())?;
        let rest = versioned[digits..].strip_prefix('_').filter(|_| digits > 0)?;
        let kinds = [Kind::Result, Kind::Score];
        let (category, kind) = kinds.into_iter().find_map(|kind| {
            let category = rest.strip_suffix(kind.word())?.strip_suffix('_')?;
            Some((category, kind))
        })?;
        let version = &stem[..stem.len() - rest.len()];
        (!category.is_empty()).then_some(Self { version, category, kind })
    }
}

/// The category of a task by its id: `multi_turn_base` of `multi_turn_base_17`.
pub(super) fn category_of(id: &str) -> Option<&str> {
    let (category, number) = id.rsplit_once('_')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && is_multi_turn(category)).then_some(category)
}

/// Whether a category is one of those that are read.
pub(super) fn is_multi_turn(category: &str) -> bool {
    category.starts_with(GROUP)
}

/// A score file for a result file, or a result file for a score file.
#[derive(Debug)]
pub(super) struct Counterpart {
    pub(super) file: PathBuf,
    /// The model's folder in the tree of that kind, where there is one.
    pub(super) folder: Option<PathBuf>,
}

/// The file that belongs to another: in the other tree of folders, or beside it.
pub(super) fn counterpart(path: &Path) -> Option<Counterpart> {
    let name = FileName::parse(path)?;
    let named = find(path, name);
    // A relative path may begin inside the tree.
    named.or_else(|| find(&fs::canonicalize(path).ok()?, name))
}

fn find(path: &Path, name: FileName<'_>) -> Option<Counterpart> {
    let wanted = name.kind.other().word();
    let stem = format!("{}{}_{wanted}", name.version, name.category);
    let in_folder = |folder: &Path| {
        let endings = [".json", ".json.gz", ".json.zst", ".jsonl"];
        let files = endings.map(|ending| folder.join(format!("{stem}{ending}")));
        files.into_iter().find(|file| file.is_file())
    };
    let folder = path.parent()?;
    for tree in folder.ancestors() {
        let Some(other) = other_tree(tree, name.kind) else { continue };
        let inside = folder.strip_prefix(tree).ok()?;
        let same = other.join(inside);
        let without_group = same.parent().filter(|_| inside.ends_with(GROUP));
        let files = in_folder(&same)
            .or_else(|| without_group.and_then(in_folder))
            .or_else(|| in_folder(&same.join(GROUP)));
        if let Some(file) = files {
            let model = inside.components().next();
            let folder = model.map_or_else(|| other.clone(), |model| other.join(model));
            return Some(Counterpart { file, folder: Some(folder) });
        }
    }
    in_folder(folder).map(|file| Counterpart { file, folder: None })
}

/// The folder of the other kind beside a folder of one: `score` beside `result`, `score_2` beside
/// `result_2`.
fn other_tree(tree: &Path, kind: Kind) -> Option<PathBuf> {
    let rest = tree.file_name()?.to_str()?.strip_prefix(kind.word())?;
    Some(tree.with_file_name(format!("{}{rest}", kind.other().word())))
}

/// The folder that holds the trees `result` and `score`.
pub(super) fn root(path: &Path) -> Option<PathBuf> {
    let kind = FileName::parse(path)?.kind;
    let path = fs::canonicalize(path).ok()?;
    let tree = path.ancestors().skip(1).find(|folder| other_tree(folder, kind).is_some())?;
    tree.parent().map(Path::to_owned)
}

/// The model that the folder of a result file is named after, without its provider.
pub(super) fn model(path: &Path) -> Option<String> {
    FileName::parse(path)?;
    let path = fs::canonicalize(path).ok()?;
    let folder = path.parent()?;
    let folder = if folder.ends_with(GROUP) { folder.parent()? } else { folder };
    let name = folder.file_name()?.to_string_lossy();
    if name.starts_with(Kind::Result.word()) {
        return None;
    }
    let short = without_provider(&name);
    // Two models of different providers must not become one.
    let siblings = fs::read_dir(folder.parent()?).into_iter().flatten().flatten();
    let mut others = siblings.map(|entry| entry.file_name()).filter(|other| **other != *name);
    let is_taken =
        short != name && others.any(|other| without_provider(&other.to_string_lossy()) == short);
    Some(if is_taken { name.into_owned() } else { short })
}

/// The name of a folder, where the harness writes `_` for `/`, without the provider. What begins with a
/// digit is no model: `owl3_8b` has no provider.
fn without_provider(folder: &str) -> String {
    match folder.split_once('_') {
        Some((_, model)) if !model.starts_with(|c: char| c.is_ascii_digit()) => {
            model_name(&folder.replacen('_', "/", 1))
        }
        _ => folder.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_parts() {
        let parse = |name| {
            let name = FileName::parse(Path::new(name))?;
            Some((name.version, name.category, name.kind))
        };
        assert_eq!(
            parse("a/BFCL_v3_multi_turn_base_result.json"),
            Some(("BFCL_v3_", "multi_turn_base", Kind::Result))
        );
        assert_eq!(
            parse("BFCL_v12_simple_score.json.zst"),
            Some(("BFCL_v12_", "simple", Kind::Score))
        );
        for name in ["BFCL_v_x_result.json", "BFCL_v4_result.json", "x.json", "BFCL_v4_x_result"] {
            assert_eq!(parse(name), None, "{name}");
        }
        assert_eq!(category_of("multi_turn_miss_func_12"), Some("multi_turn_miss_func"));
        for id in ["multi_turn_base", "simple_1", "multi_turn_base_", ""] {
            assert_eq!(category_of(id), None, "{id}");
        }
    }

    #[test]
    fn providers_are_dropped_where_models_stay_apart() {
        let home = tempfile::tempdir().expect("a folder");
        let model_in = |folder: &str| {
            let folder = home.path().join("result").join(folder);
            fs::create_dir_all(&folder).expect("made");
            let file = folder.join("BFCL_v4_multi_turn_base_result.json");
            fs::write(&file, "").expect("written");
            file
        };
        let files = ["acme_owl-7b/multi_turn", "owl3_8b", "zeta-FC", "a_x", "b_x"].map(model_in);
        let names = files.map(|file| model(&file).expect("a model"));
        assert_eq!(names, ["owl-7b", "owl3_8b", "zeta-FC", "a_x", "b_x"]);
        assert_eq!(model(&model_in("")), None, "no folder of a model");
    }
}
