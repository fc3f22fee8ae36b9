//! Writes every file: a file is complete or absent, and an existing one is safe. Also opens files
//! of unknown content safely.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// What happens to a file that already has the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays, and writing fails, even when it appears while the new file is being written.
    Never,
    /// The new file replaces it in one step.
    Replace,
}

/// Why a file was not written; nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file of that name exists and may not be replaced.
    #[error("{}: is there already; name another file", .0.display())]
    Exists(PathBuf),
    /// The path names something that is no file, such as a folder or a device.
    #[error("{}: is not a file; name another file", .0.display())]
    NotAFile(PathBuf),
    /// The system refused.
    #[error("{}: cannot be written ({}); {}", path.display(), reason(error), remedy(error))]
    Failed {
        /// The file that was to be written.
        path: PathBuf,
        /// What the system said. The message has it already, so it is no source of this error.
        error: io::Error,
    },
}

impl WriteError {
    /// The error of a system call for the file at `path`.
    fn failed(path: &Path, error: io::Error) -> Self {
        Self::Failed { path: path.to_owned(), error }
    }
}

/// What the system said, without its error number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some space or write to another disk"
        }
        ErrorKind::FileTooLarge => "raise the limit on file sizes or write elsewhere",
        ErrorKind::NotFound => "create the folder first",
        _ => "choose a folder you may write to",
    }
}

/// Opens a file to be read. A folder, a pipe or a device is refused at once: they may never end.
pub fn open(path: &Path) -> io::Result<File> {
    open_with_size(path).map(|(file, _)| file)
}

fn open_with_size(path: &Path) -> io::Result<(File, u64)> {
    let file = open_at_once(path)?;
    let meta = file.metadata()?;
    if meta.is_file() {
        return Ok((file, meta.len()));
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "is not a file"))
}

/// Opens without waiting, as the open end of a pipe would.
#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    fs::OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Reads some bytes, beside whoever else reads the same open file.
pub fn read_at(file: &File, block: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    use std::os::unix::fs::FileExt as _;
    #[cfg(windows)]
    use std::os::windows::fs::FileExt as _;
    loop {
        #[cfg(unix)]
        let result = file.read_at(block, offset);
        #[cfg(windows)]
        let result = file.seek_read(block, offset);
        match result {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Bytes by which a file may grow while it is read.
const GROWTH: u64 = 1 << 20;

/// Reads a file of at most `largest` bytes. One that goes on far beyond the size that it has may never
/// end, and is refused.
pub fn read(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    let (file, size) = open_with_size(path)?;
    let most = largest.min(size.saturating_add(GROWTH));
    let too_large = || io::Error::new(ErrorKind::FileTooLarge, format!("has over {most} bytes"));
    if size > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size as usize).map_err(|_| ErrorKind::OutOfMemory)?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// Writes `content` to the file at `path`.
pub fn write(
    path: &Path,
    overwrite: Overwrite,
    content: impl AsRef<[u8]>,
) -> Result<(), WriteError> {
    write_with(path, overwrite, |mut file| {
        file.write_all(content.as_ref()).map_err(|error| WriteError::failed(path, error))
    })
}

/// Lets `fill` write a temporary file in the folder of `path`, which then takes that name.
pub fn write_with<E: From<WriteError>>(
    path: &Path,
    overwrite: Overwrite,
    fill: impl FnOnce(&File) -> Result<(), E>,
) -> Result<(), E> {
    let target = target(path, overwrite)?;
    let failed = |error| WriteError::failed(path, error);
    let folder = folder_of(&target);
    let draft = draft(&target, folder).map_err(failed)?;
    fill(draft.as_file())?;
    draft.as_file().sync_all().map_err(failed)?;
    let named = match overwrite {
        Overwrite::Never => draft.persist_noclobber(&target),
        Overwrite::Replace => draft.persist(&target),
    };
    named.map_err(|refused| match refused.error.kind() {
        ErrorKind::AlreadyExists => WriteError::Exists(path.to_owned()),
        _ => failed(refused.error),
    })?;
    sync_folder(folder);
    Ok(())
}

/// The file that `path` leads to; a link is followed where it may be replaced.
fn target(path: &Path, overwrite: Overwrite) -> Result<PathBuf, WriteError> {
    if path.file_name().is_none() {
        return Err(WriteError::NotAFile(path.to_owned()));
    }
    match (fs::metadata(path), overwrite) {
        (Ok(_), Overwrite::Never) => Err(WriteError::Exists(path.to_owned())),
        (Ok(found), Overwrite::Replace) if !found.is_file() => {
            Err(WriteError::NotAFile(path.to_owned()))
        }
        (Ok(_), Overwrite::Replace) => {
            fs::canonicalize(path).map_err(|error| WriteError::failed(path, error))
        }
        (Err(_), _) => Ok(path.to_owned()),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A hidden file beside the target, with the permissions that the target has or would get.
fn draft(target: &Path, folder: &Path) -> io::Result<NamedTempFile> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.");
    let mut builder = Builder::new();
    builder.prefix(&prefix);
    allow_as_usual(&mut builder);
    let draft = builder.tempfile_in(folder)?;
    if let Ok(replaced) = fs::metadata(target) {
        draft.as_file().set_permissions(replaced.permissions())?;
    }
    Ok(draft)
}

/// Gives the permissions of any new file: a temporary one is otherwise readable by its owner only.
#[cfg(unix)]
fn allow_as_usual(builder: &mut Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt as _;
    // The system takes away what the user's mask forbids.
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn allow_as_usual(_: &mut Builder<'_, '_>) {}

/// Makes the new name survive a power cut, where the system can.
fn sync_folder(folder: &Path) {
    // The file is whole either way, and some file systems refuse to sync a folder.
    if cfg!(unix)
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_is_written_and_replaced_only_when_asked() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("a.csv");
        write(&path, Overwrite::Never, "one").expect("written");
        let error = write(&path, Overwrite::Never, "two").expect_err("exists");
        assert!(matches!(&error, WriteError::Exists(_)), "{error}");
        assert_eq!(fs::read(&path).expect("read"), b"one");
        write(&path, Overwrite::Replace, "two").expect("replaced");
        assert_eq!(fs::read(&path).expect("read"), b"two");
        assert_eq!(names(home.path()), ["a.csv"]);
    }

    #[test]
    fn a_file_is_read_up_to_a_size() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("a");
        fs::write(&path, "four").expect("written");
        assert_eq!(read(&path, 4).expect("read"), b"four");
        assert_eq!(read(&path, 3).expect_err("too large").kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(home.path(), 3).expect_err("a folder").to_string(), "is not a file");
    }

    #[test]
    fn a_file_that_appears_while_writing_is_not_replaced() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("a.csv");
        let error = write_with(&path, Overwrite::Never, |_| {
            fs::write(&path, "theirs").map_err(|error| WriteError::failed(&path, error))
        });
        assert!(matches!(error, Err(WriteError::Exists(_))));
        assert_eq!(fs::read(&path).expect("read"), b"theirs");
        assert_eq!(names(home.path()), ["a.csv"]);
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("a.csv");
        write(&path, Overwrite::Never, "old").expect("written");
        let error = write_with(&path, Overwrite::Replace, |mut file| {
            let _ = file.write_all(b"half");
            Err(WriteError::failed(&path, io::Error::other("no more paper")))
        });
        let said = error.expect_err("failed").to_string();
        assert!(said.contains("a.csv: cannot be written (no more paper); "), "{said}");
        assert_eq!(fs::read(&path).expect("read"), b"old");
        assert_eq!(names(home.path()), ["a.csv"]);
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let home = tempfile::tempdir().expect("a folder");
        let error = write(home.path(), Overwrite::Replace, "x").expect_err("a folder");
        assert!(matches!(error, WriteError::NotAFile(_)));
        let said = write(&home.path().join("no/a"), Overwrite::Never, "x").expect_err("no folder");
        assert!(said.to_string().ends_with("; create the folder first"), "{said}");
        assert!(write(Path::new("/"), Overwrite::Never, "x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let home = tempfile::tempdir().expect("a folder");
        let (path, link) = (home.path().join("a.csv"), home.path().join("link"));
        let plain = home.path().join("plain");
        fs::write(&plain, "").expect("written");
        write(&path, Overwrite::Never, "one").expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&path), mode(&plain), "as any new file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
        symlink(&path, &link).expect("linked");
        write(&link, Overwrite::Replace, "two").expect("replaced");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!((fs::read(&path).expect("read"), mode(&path)), (b"two".to_vec(), 0o640));
    }
}
