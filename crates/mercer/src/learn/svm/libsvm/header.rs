//! The lines before the support vectors.

use std::str::FromStr;

use crate::{Error, Result};

/// The lines of a header: a name and words.
pub(super) struct Header<'t> {
    lines: Vec<(u64, &'t str, Vec<&'t str>)>,
}

impl<'t> Header<'t> {
    /// Reads lines up to the line `SV`.
    pub(super) fn read(lines: &mut impl Iterator<Item = (u64, &'t str)>) -> Result<Self> {
        let mut header = Self { lines: Vec::new() };
        for (number, line) in lines {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("SV") => return Ok(header),
                Some(name) => header.lines.push((number, name, words.collect())),
                None => {}
            }
        }
        Err(format_error(None, "the line `SV` is missing"))
    }

    /// Whether there is such a line.
    pub(super) fn has(&self, name: &str) -> bool {
        self.lines.iter().any(|line| line.1 == name)
    }

    /// The words of a line.
    fn words(&self, name: &str) -> Result<&[&'t str]> {
        let found = self.lines.iter().find(|line| line.1 == name);
        found.map(|line| &line.2[..]).ok_or_else(|| format_error(None, &format!("the line `{name}` is missing")))
    }

    /// The only word of a line.
    pub(super) fn word(&self, name: &str) -> Result<&'t str> {
        match self.words(name)? {
            [word] => Ok(word),
            words => Err(self.wrong(name, &format!("`{name}` has {} words, not one", words.len()))),
        }
    }

    /// The only number of a line.
    pub(super) fn number<T: FromStr>(&self, name: &str) -> Result<T> {
        let word = self.word(name)?;
        word.parse().map_err(|_| self.wrong(name, &format!("`{word}` is not a number for `{name}`")))
    }

    /// The finite numbers of a line.
    pub(super) fn numbers(&self, name: &str, count: usize) -> Result<Vec<f64>> {
        let words = self.words(name)?;
        if words.len() != count {
            return Err(self.wrong(name, &format!("`{name}` has {} numbers, expected {count}", words.len())));
        }
        let one = |word: &&str| match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.wrong(name, &format!("`{word}` is not a finite number"))),
        };
        words.iter().map(one).collect()
    }

    /// What is wrong with a line.
    pub(super) fn wrong(&self, name: &str, reason: &str) -> Error {
        format_error(self.lines.iter().find(|line| line.1 == name).map(|line| line.0), reason)
    }
}

/// Something is wrong in the text of a model.
pub(super) fn format_error(line: Option<u64>, reason: &str) -> Error {
    Error::Format { path: "LIBSVM model".into(), line, reason: reason.into() }
}
