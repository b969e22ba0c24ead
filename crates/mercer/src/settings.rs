//! The settings of a learner as names with values: the specification stored in a model file.
//!
//! The typed structs (`Svc { … }`, `Ridge { … }`) remain the way to fit; each lists its fields by
//! name with `settings()`. Nothing about the run is among them: no threads, no memory, no time.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::Allowed;
use crate::{Error, Kernel, Result, Seed};

/// The value of a setting.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Setting {
    /// Yes or no.
    Flag(bool),
    /// A number; it may be infinite.
    Number(f64),
    /// Several numbers.
    Numbers(Vec<f64>),
    /// A text: a kernel, a word.
    Text(String),
    /// Several texts.
    Texts(Vec<String>),
}

/// The settings of a learner, by name.
///
/// # Example
/// ```
/// use mercer::learn::Svc;
/// use mercer::settings::Setting;
/// let settings = Svc::new("gaussian(lengthscale=2)".parse()?, 10.0).settings();
/// assert_eq!(settings.get("C"), Some(&Setting::Number(10.0)));
/// assert_eq!(settings.get("nu"), None);
/// assert_eq!(settings.get("kernel").unwrap().to_string(), "gaussian(lengthscale=2)");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings(BTreeMap<String, Setting>);

impl Settings {
    /// No settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more; a second value of a name replaces the first.
    pub fn with(mut self, name: &str, value: impl Into<Setting>) -> Self {
        self.insert(name, value);
        self
    }

    /// The same with one more, where there is a value.
    pub fn with_some(self, name: &str, value: Option<impl Into<Setting>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// One more; a second value of a name replaces the first.
    pub fn insert(&mut self, name: &str, value: impl Into<Setting>) {
        self.0.insert(name.into(), value.into());
    }

    /// The value of a setting.
    pub fn get(&self, name: &str) -> Option<&Setting> {
        self.0.get(name)
    }

    /// Whether there is a value.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A number.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is absent or no number; the other readers likewise.
    pub fn number(&self, name: &str) -> Result<f64> {
        match self.get(name) {
            Some(Setting::Number(value)) => Ok(*value),
            other => Err(wrong(name, other, "a number")),
        }
    }

    /// A number, where there is one.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is no number.
    pub fn optional_number(&self, name: &str) -> Result<Option<f64>> {
        if self.has(name) { self.number(name).map(Some) } else { Ok(None) }
    }

    /// A whole number, at least 0.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is absent or no such number.
    pub fn count(&self, name: &str) -> Result<usize> {
        let value = self.number(name)?;
        let whole = (0.0..=9007199254740992.0).contains(&value) && value.fract() == 0.0;
        if whole { Ok(value as usize) } else { Err(Error::parameter(name, value, 0..)) }
    }

    /// A whole number, where there is one.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is no such number.
    pub fn optional_count(&self, name: &str) -> Result<Option<usize>> {
        if self.has(name) { self.count(name).map(Some) } else { Ok(None) }
    }

    /// Yes or no.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is absent or something else.
    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.get(name) {
            Some(Setting::Flag(value)) => Ok(*value),
            other => Err(wrong(name, other, "true or false")),
        }
    }

    /// A text.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is absent or something else.
    pub fn text(&self, name: &str) -> Result<&str> {
        match self.get(name) {
            Some(Setting::Text(text)) => Ok(text),
            other => Err(wrong(name, other, "a text")),
        }
    }

    /// A text, where there is one.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is something else.
    pub fn optional_text(&self, name: &str) -> Result<Option<&str>> {
        if self.has(name) { self.text(name).map(Some) } else { Ok(None) }
    }

    /// One of several values, by its word.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is absent, or no word of them.
    pub fn word<T: Copy>(&self, name: &str, all: &[(T, &str)]) -> Result<T> {
        let text = self.text(name)?;
        let known = || all.iter().map(|(_, word)| (*word).to_owned()).collect();
        let found = all.iter().find(|(_, word)| *word == text).map(|(value, _)| *value);
        found.ok_or_else(|| Error::parameter(name, text, Allowed::OneOf(known())))
    }

    /// Several texts.
    ///
    /// # Errors
    /// [`Error::Parameter`] when they are absent or something else.
    pub fn texts(&self, name: &str) -> Result<&[String]> {
        match self.get(name) {
            Some(Setting::Texts(texts)) => Ok(texts),
            other => Err(wrong(name, other, "a list of texts")),
        }
    }

    /// Several numbers.
    ///
    /// # Errors
    /// [`Error::Parameter`] when they are absent or something else.
    pub fn numbers(&self, name: &str) -> Result<&[f64]> {
        match self.get(name) {
            Some(Setting::Numbers(values)) => Ok(values),
            other => Err(wrong(name, other, "a list of numbers")),
        }
    }

    /// Several numbers, where there are some.
    ///
    /// # Errors
    /// [`Error::Parameter`] when they are something else.
    pub fn optional_numbers(&self, name: &str) -> Result<Option<&[f64]>> {
        if self.has(name) { self.numbers(name).map(Some) } else { Ok(None) }
    }

    /// A kernel.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is absent; as the parser of kernels.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        self.text(name)?.parse()
    }

    /// Several kernels.
    ///
    /// # Errors
    /// [`Error::Parameter`] when they are absent; as the parser of kernels.
    pub fn kernels(&self, name: &str) -> Result<Vec<Kernel>> {
        self.texts(name)?.iter().map(|text| text.parse()).collect()
    }

    /// The seed, where there is one.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is no whole number.
    pub fn seed(&self) -> Result<Option<Seed>> {
        let Some(text) = self.optional_text("seed")? else { return Ok(None) };
        let number = text.parse().map_err(|_| Error::parameter("seed", text, "a whole number from 0 to 2⁶⁴ − 1"))?;
        Ok(Some(Seed(number)))
    }

    /// Whether there is no setting: a file of a version that did not keep them.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All settings, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

fn wrong(name: &str, found: Option<&Setting>, expected: &str) -> Error {
    Error::parameter(name, found.map_or("nothing".into(), Setting::to_string), expected)
}

/// `true`, `0.5`, `[0.5, 1]`, `gaussian()`: for people.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(value) => value.fmt(f),
            Self::Number(value) => f.write_str(&shown(*value)),
            Self::Text(text) => f.write_str(text),
            Self::Numbers(values) => list(f, values.iter().map(|value| shown(*value))),
            Self::Texts(texts) => list(f, texts.iter()),
        }
    }
}

/// Tolerances are small: `1e-20`.
fn shown(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-5..1e16).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

fn list(f: &mut fmt::Formatter<'_>, items: impl Iterator<Item = impl fmt::Display>) -> fmt::Result {
    write!(f, "[{}]", items.map(|item| item.to_string()).collect::<Vec<_>>().join(", "))
}

impl From<bool> for Setting {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<f64> for Setting {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

/// Exact below 2⁵³.
impl From<usize> for Setting {
    fn from(value: usize) -> Self {
        Self::Number(value as f64)
    }
}

/// Exact below 2⁵³.
impl From<u64> for Setting {
    fn from(value: u64) -> Self {
        Self::Number(value as f64)
    }
}

impl From<&[f64]> for Setting {
    fn from(values: &[f64]) -> Self {
        Self::Numbers(values.to_vec())
    }
}

impl From<&str> for Setting {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Setting {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&[String]> for Setting {
    fn from(texts: &[String]) -> Self {
        Self::Texts(texts.to_vec())
    }
}

impl From<&Kernel> for Setting {
    fn from(kernel: &Kernel) -> Self {
        Self::Text(kernel.to_string())
    }
}

/// The seed as text, because it may be larger than 2⁵³.
impl From<Seed> for Setting {
    fn from(seed: Seed) -> Self {
        Self::Text(seed.0.to_string())
    }
}
