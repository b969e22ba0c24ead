//! Files that are replaced whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::meter::uncarry;
use crate::{Error, Result};

/// Writes a file so that a reader sees the old file or the whole new one, never a part.
///
/// The bytes go to a temporary file in the same folder, are flushed to the disk, and the file is then renamed.
/// On an error the old file is untouched and no temporary file stays. A symbolic link is followed; something
/// that is not a regular file (a pipe, a device) is written directly.
///
/// # Errors
/// [`Error::File`] with what the system said (a full disk, no permission); an [`Error`] that travels inside the
/// closure's `io::Error` comes out as itself.
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
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&target).ok();
    let written = match old.as_ref() {
        Some(facts) if facts.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Some(facts) if !facts.is_file() => write_direct(&target, write),
        _ => write_and_rename(&target, old.as_ref(), write),
    };
    written.map_err(|error| match uncarry(error) {
        Ok(ours) => ours,
        Err(source) => Error::File { path: path.to_owned(), source },
    })
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
    drop(file);
    fs::rename(&guard.0, target)?;
    std::mem::forget(guard);
    sync_folder(target);
    Ok(value)
}

/// Removes the temporary file unless the rename has happened.
struct RemoveOnDrop(PathBuf);

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        // Nothing more can be done where even the removal fails: the first error is the one to report.
        let _ = fs::remove_file(&self.0);
    }
}

/// A new file in the folder of `target`, under a name that nobody has.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let process = std::process::id();
    for attempt in 0_u32.. {
        let path = target.with_file_name(format!(".{}.{process}.{attempt}.tmp", name.to_string_lossy()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
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
            Err(carry(Error::Cancelled))
        });
        assert!(matches!(failed, Err(Error::Cancelled)));
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_with_the_file() {
        let path = Path::new("/dev/full");
        let error = atomic_write(path, |out| out.write_all(&[0; 100])).unwrap_err();
        let Error::File { path: found, source } = error else { panic!("a file error was expected") };
        assert_eq!((found.as_path(), source.kind()), (path, io::ErrorKind::StorageFull));
    }
}
