//! Atomic replacement of files.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::meter::uncarry;
use crate::{Error, Result};

/// Names of temporary files among which those that were left behind are looked for.
/// Any value above the number of processes that write one file at a time would do.
const SLOTS: u32 = 16;
/// Links that are followed one after the other, as the system does.
const MOST_LINKS: usize = 40;

/// Writes a file so that a reader sees the old file or the whole new one, never a part.
///
/// The bytes go to a temporary file in the same folder, are flushed to the disk, and the file is
/// then renamed. On an error the old file is untouched and no temporary file stays. A process that
/// is killed leaves one (`.NAME.mercer-0.tmp`); the next write of the same file removes it, and
/// never one that a living process still writes to: that holds a lock on it. A symbolic link is
/// followed, also one to a file that is not there yet; something that is not a regular file (a
/// pipe, a device) is written directly.
///
/// # Errors
/// [`Error::File`] with the error of the operating system (a full disk, no permission); an
/// [`Error`] that travels inside the closure's `io::Error` comes out as itself.
///
/// # Example
/// ```
/// let path = std::env::temp_dir().join("mercer-doctest-atomic.txt");
/// mercer::io::atomic_write(&path, |out| out.write_all(b"whole"))?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"whole");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn atomic_write<T>(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>) -> Result<T> {
    let written = followed(path).and_then(|target| {
        let old = fs::metadata(&target).ok();
        match old.as_ref() {
            Some(facts) if facts.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Some(facts) if !facts.is_file() => write_direct(&target, write),
            _ => write_and_rename(&target, old.as_ref(), write),
        }
    });
    written.map_err(|error| match uncarry(error) {
        Ok(ours) => ours,
        Err(source) => Error::File { path: path.to_owned(), source },
    })
}

/// The path after all links, whether there is a file at its end or not.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::metadata(&target) {
            // A pipe behind `/dev/stdout` has no other name.
            Ok(facts) if !facts.is_file() => return Ok(target),
            Ok(_) => return Ok(fs::canonicalize(&target).unwrap_or(target)),
            Err(_) => {}
        }
        match fs::read_link(&target) {
            // A link without a file at its end: it is relative to its own folder.
            Ok(next) => target = target.parent().map_or_else(|| next.clone(), |folder| folder.join(&next)),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn write_direct<T>(target: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>) -> io::Result<T> {
    let mut out = BufWriter::new(OpenOptions::new().write(true).open(target)?);
    let value = write(&mut out)?;
    out.flush()?;
    Ok(value)
}

fn write_and_rename<T>(
    target: &Path,
    old: Option<&fs::Metadata>,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
) -> io::Result<T> {
    let (temporary, file) = create_beside(target)?;
    let guard = RemoveOnDrop(temporary);
    let mut out = BufWriter::with_capacity(1 << 17, file);
    let value = write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Some(facts) = old {
        file.set_permissions(facts.permissions())?;
    }
    file.sync_all()?;
    // The file stays open, and so locked, until it has its name: it is not mistaken for an
    // abandoned one.
    fs::rename(&guard.0, target)?;
    drop(file);
    std::mem::forget(guard);
    sync_folder(target);
    Ok(value)
}

/// Removes the temporary file unless the rename has happened.
struct RemoveOnDrop(PathBuf);

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        // Nothing more can be done where even the removal fails: the first error is the one to
        // report.
        let _ = fs::remove_file(&self.0);
    }
}

/// A new file in the folder of `target` that is locked while it is open; files that dead processes
/// left are removed.
///
/// The names are `.NAME.mercer-0.tmp`, `-1`, …: few, and always the same, so that what was left
/// behind is found without reading the folder.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let position = |slot: u32| {
        let mut own = OsString::from(".");
        own.push(name);
        own.push(format!(".mercer-{slot}.tmp"));
        target.with_file_name(own)
    };
    for slot in 0.. {
        let path = position(slot);
        remove_abandoned(&path);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) if is_held(&path, &file) => {
                // Several that wrote at once may have been killed.
                (slot + 1..slot + SLOTS).for_each(|next| remove_abandoned(&position(next)));
                return Ok((path, file));
            }
            // Somebody took it for one that was left behind, between its making and its lock.
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
}

/// Locks a new file, and finds it still at its place. Where the system has no locks, it counts as
/// held, and nothing is ever removed.
fn is_held(path: &Path, file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => is_same(path, file),
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => true,
    }
}

/// Removes a temporary file whose writer is dead: one without a lock.
fn remove_abandoned(path: &Path) {
    if !path.symlink_metadata().is_ok_and(|facts| facts.is_file()) {
        return;
    }
    let Ok(file) = File::open(path) else { return };
    if file.try_lock().is_ok() && is_same(path, &file) {
        let _ = fs::remove_file(path);
    }
}

/// Whether the file at this place is the one that is open.
#[cfg(unix)]
fn is_same(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |facts: fs::Metadata| (facts.dev(), facts.ino());
    match (path.symlink_metadata(), file.metadata()) {
        (Ok(there), Ok(here)) => identity(there) == identity(here),
        _ => false,
    }
}

/// Elsewhere an open file cannot be removed by others.
#[cfg(not(unix))]
fn is_same(path: &Path, _: &File) -> bool {
    path.exists()
}

/// Makes the rename itself durable where the system allows it; the file is whole either way.
fn sync_folder(target: &Path) {
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::super::meter::carry;
    use super::*;

    fn files(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
        names.collect()
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        atomic_write(&path, |out| out.write_all(b"old")).unwrap();
        let failed: Result<()> = atomic_write(&path, |out| {
            out.write_all(&[b'x'; 1 << 20])?;
            Err(carry(Error::Canceled))
        });
        assert!(matches!(failed, Err(Error::Canceled)));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(files(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_write_replaces_the_file_and_returns_the_value() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old and longer").unwrap();
        assert_eq!(atomic_write(&path, |out| out.write(b"new")).unwrap(), 3);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(files(folder.path()), ["a.txt"]);
    }

    #[test]
    fn folders_that_are_not_there_are_errors_with_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/such/a.txt");
        let error = atomic_write(&path, |out| out.write_all(b"x")).unwrap_err();
        assert!(matches!(&error, Error::File { path: p, .. } if *p == path));
        assert!(matches!(atomic_write(folder.path(), |_| Ok(())), Err(Error::File { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        atomic_write(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_files_that_are_not_there_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("deep/second", at("first")).unwrap();
        std::os::unix::fs::symlink("../file", at("deep/second")).unwrap();
        atomic_write(&at("first"), |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(at("file")).unwrap(), b"new");
        assert!(fs::symlink_metadata(at("first")).unwrap().is_symlink());
        assert!(fs::symlink_metadata(at("deep/second")).unwrap().is_symlink());
        std::os::unix::fs::symlink("round", at("round")).unwrap();
        assert!(matches!(atomic_write(&at("round"), |_| Ok(())), Err(Error::File { .. })));
    }

    /// As `/dev/stdout` is when standard output is a pipe: a link to something that has no name.
    #[cfg(target_os = "linux")]
    #[test]
    fn pipes_behind_links_are_written_directly() {
        use std::io::Read;
        use std::os::fd::AsRawFd;
        let (mut reader, writer) = io::pipe().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("out");
        std::os::unix::fs::symlink(format!("/proc/self/fd/{}", writer.as_raw_fd()), &link).unwrap();
        atomic_write(&link, |out| out.write_all(b"through")).unwrap();
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), files(folder.path()).len()), ("through", 1));
    }

    /// Files of dead processes are removed; one that is held, as a living process does, stays
    /// whole.
    #[test]
    fn temporary_files_that_were_left_behind_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for slot in [0, 2, 9] {
            fs::write(at(&format!(".a.txt.mercer-{slot}.tmp")), "left behind").unwrap();
        }
        fs::write(at(".other.txt.mercer-0.tmp"), "of another file").unwrap();
        let held = File::create(at(".a.txt.mercer-1.tmp")).unwrap();
        held.try_lock().unwrap();
        atomic_write(&at("a.txt"), |out| {
            // While it is written, a second write goes its own way.
            atomic_write(&at("a.txt"), |out| out.write_all(b"second")).unwrap();
            out.write_all(b"first")
        })
        .unwrap();
        let mut names = files(folder.path());
        names.sort();
        assert_eq!(names, [".a.txt.mercer-1.tmp", ".other.txt.mercer-0.tmp", "a.txt"]);
        assert_eq!(fs::read(at("a.txt")).unwrap(), b"first");
        drop(held);
        atomic_write(&at("a.txt"), |out| out.write_all(b"third")).unwrap();
        assert!(!at(".a.txt.mercer-1.tmp").exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_with_the_file() {
        let path = Path::new("/dev/full");
        let error = atomic_write(path, |out| out.write_all(&[0; 100])).unwrap_err();
        let Error::File { path: found, source } = error else { panic!("a file error was expected") };
        assert_eq!((found.as_path(), source.kind()), (path, io::ErrorKind::StorageFull));
    }
}
