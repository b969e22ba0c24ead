//! What can go wrong, and the exit code it gives.

use std::io::{self, ErrorKind};
use std::sync::{Mutex, PoisonError};

use mercer::Error;

/// A job that was not done.
#[derive(Debug)]
pub enum Failure {
    /// The library refused or failed.
    Library(Error),
    /// The words make no sense together: the message names the flag.
    Request(String),
    /// A picture could not be drawn.
    Drawing(String),
    /// Standard output could not be written.
    Output(io::Error),
    /// A defect of the program: where, and what it said.
    Panic(String),
}

impl Failure {
    /// A request that makes no sense.
    pub fn request(message: impl Into<String>) -> Self {
        Self::Request(message.into())
    }

    /// 1 if another request would do, 2 if the work itself failed.
    ///
    /// A request over the memory limit is refused before anything is allocated, so it counts as a wrong request. A
    /// path that does not exist, is a folder or may not be touched is a wrong path; a full or broken disk is a failure.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Library(Error::File { source, .. }) => {
                if is_wrong_path(source.kind()) {
                    1
                } else {
                    2
                }
            }
            Self::Library(Error::Canceled | Error::NotConverged { .. } | Error::Numerical(_)) => 2,
            Self::Library(_) | Self::Request(_) => 1,
            Self::Drawing(_) | Self::Output(_) | Self::Panic(_) => 2,
        }
    }

    /// The defect that was met last.
    pub fn panic() -> Self {
        let last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        Self::Panic(last.clone().unwrap_or_else(|| "no message".into()))
    }

    /// Whether the reader has left, as in `mercer kernel list | head -1`: not everything arrived, but nobody is there who wants to know.
    pub fn is_closed_pipe(&self) -> bool {
        match self {
            Self::Output(error) | Self::Library(Error::File { source: error, .. }) => {
                error.kind() == ErrorKind::BrokenPipe
            }
            _ => false,
        }
    }
}

fn is_wrong_path(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::AlreadyExists
            | ErrorKind::PermissionDenied
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::InvalidInput
            | ErrorKind::InvalidFilename
            | ErrorKind::ReadOnlyFilesystem
    )
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Library(error) => error.fmt(f),
            Self::Request(message) => f.write_str(message),
            Self::Drawing(message) => write!(f, "the picture could not be drawn: {message}"),
            Self::Output(error) => write!(f, "standard output: {error}"),
            Self::Panic(text) => {
                write!(f, "internal error {text}\nThis is a defect of mercer, not of your request.")
            }
        }
    }
}

static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// The last resort: a defect is noted without a backtrace, and announced by whoever cannot go on. A panic of a decoder that is caught, and
/// becomes an error with the name of the file, is not announced.
pub fn install_panic_message() {
    std::panic::set_hook(Box::new(|info| {
        let position = info.location().map_or(String::new(), |l| format!("at {}:{}: ", l.file(), l.line()));
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let text = format!("{position}{}", text.unwrap_or("no message"));
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(kind: ErrorKind) -> Failure {
        Error::File { path: "x".into(), source: io::Error::from(kind) }.into()
    }

    #[test]
    fn wrong_paths_are_requests_and_full_disks_are_failures() {
        assert_eq!(file(ErrorKind::NotFound).exit_code(), 1);
        assert_eq!(file(ErrorKind::StorageFull).exit_code(), 2);
        assert_eq!(Failure::from(Error::Canceled).exit_code(), 2);
        assert_eq!(Failure::from(Error::request("no")).exit_code(), 1);
        assert!(file(ErrorKind::BrokenPipe).is_closed_pipe());
    }
}
