//! The program as a user calls it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run left behind.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs `mercer` with these words.
pub fn mercer(words: &[&str]) -> Run {
    mercer_with_input(words, b"")
}

/// Runs `mercer` with these words and this standard input.
pub fn mercer_with_input(words: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mercer"))
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its words does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Run {
    /// The run was a success, and standard error is silent.
    pub fn done(self) -> Self {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self
    }

    /// The run failed with this code, says all of these words on standard error, and nothing on
    /// standard output.
    pub fn fails(self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{}", self.err);
        assert_eq!(self.out, "");
        for word in words {
            assert!(self.err.contains(word), "`{word}` is not in: {}", self.err);
        }
        assert!(!self.err.contains("panicked") && !self.err.contains("internal error"), "{}", self.err);
    }

    /// Standard output as one JSON object.
    pub fn json(self) -> Value {
        let run = self.done();
        let value: Value = serde_json::from_str(&run.out).unwrap();
        assert!(value.is_object());
        value
    }
}

/// A file of the bundled data.
pub fn example(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/data").join(name);
    path.to_str().unwrap().to_owned()
}

/// A file with this content in a folder.
pub fn file(folder: &tempfile::TempDir, name: &str, content: &[u8]) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The name of a file in a folder that need not be there yet.
pub fn path_in(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// The only way to compare numbers: both sides, relative to the larger of 1 and what is expected.
pub fn assert_close(found: &Value, expected: f64, tolerance: f64) {
    let found = found.as_f64().unwrap_or(f64::NAN);
    let error = (found - expected).abs() / expected.abs().max(1.0);
    assert!(error <= tolerance, "{found:.17}, expected {expected:.17}");
}
