//! The settings of a learner as names with values: the specification stored in a model file.
//!
//! The typed structs (`Svc { … }`, `Ridge { … }`) remain the way to fit; each lists its fields by
//! name with `settings()`. Nothing about the run is among them: no threads, no memory, no time.

use std::collections::BTreeMap;
use std::fmt;

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

    /// Whether there is no setting: a file of a version that did not keep them.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All settings, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
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

impl From<&crate::Kernel> for Setting {
    fn from(kernel: &crate::Kernel) -> Self {
        Self::Text(kernel.to_string())
    }
}

/// The seed as text, because it may be larger than 2⁵³.
impl From<crate::Seed> for Setting {
    fn from(seed: crate::Seed) -> Self {
        Self::Text(seed.0.to_string())
    }
}
