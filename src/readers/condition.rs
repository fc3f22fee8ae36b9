//! Conditions named by where an input lies.

use std::path::Path;

use super::Claim;
use super::content::unpacked_name;

/// What names the condition of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionFrom {
    /// The folder that it lies in, or that it is; of a tree of folders, the one that holds it all.
    Folder,
    /// The file, without its ending.
    File,
}

impl ConditionFrom {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Folder, Self::File];

    /// What `--condition` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Folder => "from-folder",
            Self::File => "from-file",
        }
    }

    /// The one of that id.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|from| from.id() == id)
    }

    /// The condition of an input; none of standard input, which lies nowhere.
    pub(super) fn name(self, claim: &Claim) -> Option<String> {
        let source = Path::new(claim.source());
        if !source.is_absolute() {
            return None;
        }
        match claim.root() {
            Some(root) if self == Self::Folder => name_of(root),
            _ => self.of(source),
        }
    }

    fn of(self, path: &Path) -> Option<String> {
        let name = match self {
            Self::Folder => path.parent()?.file_name()?.to_string_lossy().into_owned(),
            Self::File => {
                let name = unpacked_name(path).map_or(path, Path::new);
                name.file_stem()?.to_string_lossy().into_owned()
            }
        };
        Some(name).filter(|name| !name.is_empty())
    }
}

fn name_of(folder: &Path) -> Option<String> {
    folder.file_name().map(|name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_files_name_conditions() {
        let name = |from: ConditionFrom, path: &str| from.of(Path::new(path));
        let path = "/results/judge-a/run1.json.zst";
        assert_eq!(name(ConditionFrom::Folder, path).as_deref(), Some("judge-a"));
        assert_eq!(name(ConditionFrom::File, path).as_deref(), Some("run1"));
        assert_eq!(name(ConditionFrom::File, "/a/gpt-4.1.json").as_deref(), Some("gpt-4.1"));
        assert_eq!(name(ConditionFrom::Folder, "/run1.json"), None);
        assert_eq!(ConditionFrom::parse("from-file"), Some(ConditionFrom::File));
    }
}
