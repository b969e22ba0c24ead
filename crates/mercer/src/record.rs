//! The serial form of a fit: named texts and named arrays of numbers.
//!
//! Every fitted thing turns itself into a [`Record`] and back, in a file `record.rs` beside it;
//! what a record looks like in a file is the business of `io`. Taking something out of a record
//! checks it, so that no file can build a model that breaks later.

pub(crate) mod container;
mod graphs;
mod sample;
pub(crate) use sample::take_points_or_references;

use std::collections::BTreeMap;
use std::fmt::Display;

use ndarray::{Array1, Array2, ArrayD, ArrayView1, ArrayView2, Ix1, Ix2, arr0};

use crate::error::{AllowedRange, RecordProblem};
use crate::settings::{Setting, Settings};
use crate::{Error, Kernel, Result};

/// What comes before the name of a setting.
const SETTING: &str = "setting.";

/// Named texts and arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) arrays: BTreeMap<String, ArrayD<f64>>,
    pub(crate) integers: BTreeMap<String, Vec<i64>>,
    pub(crate) bytes: BTreeMap<String, Vec<u8>>,
}

impl Record {
    pub(crate) fn put_text(&mut self, name: &str, text: impl Display) {
        self.texts.insert(name.into(), text.to_string());
    }

    pub(crate) fn put_number(&mut self, name: &str, value: f64) {
        self.arrays.insert(name.into(), arr0(value).into_dyn());
    }

    /// An integer; exact below 2⁵³.
    pub(crate) fn put_count(&mut self, name: &str, value: usize) {
        self.put_number(name, value as f64);
    }

    pub(crate) fn put_optional_number(&mut self, name: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.put_number(name, value);
        }
    }

    /// Several texts under one name.
    pub(crate) fn put_list(&mut self, name: &str, texts: &[String]) {
        self.put_text(name, serde_json::json!(texts));
    }

    pub(crate) fn put_vector(&mut self, name: &str, values: ArrayView1<f64>) {
        self.arrays.insert(name.into(), values.to_owned().into_dyn());
    }

    pub(crate) fn put_slice(&mut self, name: &str, values: &[f64]) {
        self.put_vector(name, ArrayView1::from(values));
    }

    pub(crate) fn put_matrix(&mut self, name: &str, values: ArrayView2<f64>) {
        self.arrays.insert(name.into(), values.as_standard_layout().into_owned().into_dyn());
    }

    /// The settings of a learner: numbers as arrays, everything else as JSON.
    pub(crate) fn put_settings(&mut self, settings: &Settings) {
        for (name, value) in settings.iter() {
            let name = format!("{SETTING}{name}");
            match value {
                Setting::Number(value) => self.put_number(&name, *value),
                Setting::Numbers(values) => self.put_slice(&name, values),
                Setting::Flag(value) => self.put_text(&name, value),
                Setting::Text(text) => self.put_text(&name, serde_json::json!(text)),
                Setting::Texts(texts) => self.put_list(&name, texts),
            }
        }
    }

    /// Takes the settings that [`Record::put_settings`] wrote; none from a file without any.
    pub(crate) fn take_settings(&mut self) -> Result<Settings> {
        let mut settings = Settings::new();
        for (name, text) in &self.texts {
            let Some(setting) = name.strip_prefix(SETTING) else { continue };
            settings
                .insert(setting, setting_of(text).ok_or_else(|| Error::parameter(name, text, "a setting in JSON"))?);
        }
        let (own, rest) = std::mem::take(&mut self.arrays).into_iter().partition(|(name, _)| name.starts_with(SETTING));
        self.arrays = rest;
        for (name, array) in BTreeMap::<String, ArrayD<f64>>::from_iter(own) {
            let value = match array.ndim() {
                0 => Setting::Number(array.first().copied().unwrap_or(f64::NAN)),
                1 => Setting::Numbers(array.iter().copied().collect()),
                _ => return Err(misshapen(&name, "a number or a list of numbers", array.shape())),
            };
            settings.insert(name.trim_start_matches(SETTING), value);
        }
        Ok(settings)
    }

    /// Another record, with this before all of its names.
    pub(crate) fn put_nested(&mut self, prefix: &str, other: Record) {
        let Record { texts, arrays, integers, bytes } = other;
        self.texts.extend(texts.into_iter().map(|(name, v)| (format!("{prefix}{name}"), v)));
        self.arrays.extend(arrays.into_iter().map(|(name, v)| (format!("{prefix}{name}"), v)));
        self.integers.extend(integers.into_iter().map(|(name, v)| (format!("{prefix}{name}"), v)));
        self.bytes.extend(bytes.into_iter().map(|(name, v)| (format!("{prefix}{name}"), v)));
    }

    /// Takes what [`Record::put_nested`] put in.
    pub(crate) fn take_nested(&mut self, prefix: &str) -> Self {
        fn split<T>(all: &mut BTreeMap<String, T>, prefix: &str) -> BTreeMap<String, T> {
            let (own, rest) = std::mem::take(all).into_iter().partition(|(name, _)| name.starts_with(prefix));
            *all = rest;
            BTreeMap::<String, T>::into_iter(own).map(|(name, v)| (name[prefix.len()..].to_owned(), v)).collect()
        }
        Self {
            texts: split(&mut self.texts, prefix),
            arrays: split(&mut self.arrays, prefix),
            integers: split(&mut self.integers, prefix),
            bytes: split(&mut self.bytes, prefix),
        }
    }

    /// Whether there is a text or an array of numbers of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.arrays.contains_key(name) || self.texts.contains_key(name)
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str> {
        let missing = || Error::record(format!("text `{name}`"), RecordProblem::Missing);
        self.texts.get(name).map(String::as_str).ok_or_else(missing)
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self, name: &str) -> Result<bool> {
        match self.text(name)? {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(Error::parameter(name, other, "true or false")),
        }
    }

    /// The texts that [`Record::put_list`] wrote.
    pub(crate) fn list(&self, name: &str) -> Result<Vec<String>> {
        serde_json::from_str(self.text(name)?).map_err(|e| {
            Error::record(format!("text `{name}`"), RecordProblem::Damaged(format!("it is not a list of texts: {e}")))
        })
    }

    /// Refuses kernels whose text does not make them again.
    pub(crate) fn check_kernels(&self) -> Result<()> {
        let kernels = self.texts.iter().filter(|(name, _)| name.rsplit('.').next() == Some("kernel"));
        for (_, text) in kernels.filter(|(name, _)| !name.starts_with(SETTING)) {
            if text.contains("custom(") && text.parse::<Kernel>().is_err() {
                let reason = "a program defined it, and a file holds its name alone";
                return Err(Error::unsupported(
                    "a model file",
                    text,
                    reason,
                    "fit it again where the kernel is defined",
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn kernel(&self) -> Result<Kernel> {
        self.text("kernel")?.parse()
    }

    /// A number that may be NaN or infinite.
    pub(crate) fn number(&self, name: &str) -> Result<f64> {
        let array = self.arrays.get(name).ok_or_else(|| missing(name))?;
        array.first().copied().filter(|_| array.ndim() == 0).ok_or_else(|| misshapen(name, "one number", array.shape()))
    }

    pub(crate) fn finite_number(&self, name: &str) -> Result<f64> {
        let value = self.number(name)?;
        if value.is_finite() { Ok(value) } else { Err(Error::parameter(name, value, AllowedRange::LINE)) }
    }

    pub(crate) fn optional_number(&self, name: &str) -> Result<Option<f64>> {
        if self.has(name) { self.number(name).map(Some) } else { Ok(None) }
    }

    pub(crate) fn count(&self, name: &str) -> Result<usize> {
        to_count(name, self.number(name)?)
    }

    /// Takes integers, so many of them.
    pub(crate) fn take_counts(&mut self, name: &str, length: usize) -> Result<Vec<usize>> {
        self.take_vector(name, length)?.iter().map(|&v| to_count(name, v)).collect()
    }

    /// Takes integers, however many there are.
    pub(crate) fn take_all_counts(&mut self, name: &str) -> Result<Vec<usize>> {
        self.take_any_vector(name)?.iter().map(|&v| to_count(name, v)).collect()
    }

    /// Takes a vector of this length, of any numbers.
    pub(crate) fn take_vector(&mut self, name: &str, length: usize) -> Result<Array1<f64>> {
        let values = self.take_any_vector(name)?;
        if values.len() == length { Ok(values) } else { Err(misshapen(name, length, values.shape())) }
    }

    /// Takes a vector of any length and any numbers.
    pub(crate) fn take_any_vector(&mut self, name: &str) -> Result<Array1<f64>> {
        let array = self.arrays.remove(name).ok_or_else(|| missing(name))?;
        let shape = array.shape().to_vec();
        array.into_dimensionality::<Ix1>().map_err(|_| misshapen(name, "one dimension", &shape))
    }

    /// Takes a vector of this length, of finite numbers.
    pub(crate) fn take_finite_vector(&mut self, name: &str, length: usize) -> Result<Array1<f64>> {
        let values = self.take_vector(name, length)?;
        check_finite(name, values.iter())?;
        Ok(values)
    }

    /// Takes a matrix of this shape, of any numbers.
    pub(crate) fn take_matrix(&mut self, name: &str, shape: (usize, usize)) -> Result<Array2<f64>> {
        let values = self.take_any_matrix(name)?;
        if values.dim() == shape { Ok(values) } else { Err(misshapen(name, format!("{shape:?}"), values.shape())) }
    }

    /// Takes a matrix of this shape, of finite numbers.
    pub(crate) fn take_finite_matrix(&mut self, name: &str, shape: (usize, usize)) -> Result<Array2<f64>> {
        let values = self.take_matrix(name, shape)?;
        check_finite(name, values.iter())?;
        Ok(values)
    }

    /// Takes a matrix of any shape, of finite numbers: the one that determines the shapes of the
    /// others.
    pub(crate) fn take_leading_matrix(&mut self, name: &str) -> Result<Array2<f64>> {
        let values = self.take_any_matrix(name)?;
        check_finite(name, values.iter())?;
        Ok(values)
    }

    fn take_any_matrix(&mut self, name: &str) -> Result<Array2<f64>> {
        let array = self.arrays.remove(name).ok_or_else(|| missing(name))?;
        let shape = array.shape().to_vec();
        array.into_dimensionality::<Ix2>().map_err(|_| misshapen(name, "two dimensions", &shape))
    }
}

/// A setting in JSON.
fn setting_of(text: &str) -> Option<Setting> {
    match serde_json::from_str(text).ok()? {
        serde_json::Value::Bool(value) => Some(Setting::Flag(value)),
        serde_json::Value::String(text) => Some(Setting::Text(text)),
        serde_json::Value::Array(items) => {
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()?;
            Some(Setting::Texts(texts))
        }
        _ => None,
    }
}

/// The number is one of a range, in words.
pub(crate) fn require(name: &str, value: f64, holds: bool, requirement: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::parameter(name, value, requirement)) }
}

fn to_count(name: &str, value: f64) -> Result<usize> {
    if (0.0..=9007199254740992.0).contains(&value) && value.fract() == 0.0 {
        return Ok(value as usize);
    }
    Err(Error::parameter(name, value, 0..))
}

fn missing(name: &str) -> Error {
    Error::record(format!("array `{name}`"), RecordProblem::Missing)
}

fn misshapen(name: &str, expected: impl Display, found: &[usize]) -> Error {
    Error::shape(&format!("shape of the array `{name}`"), expected, format!("{found:?}"))
}

fn check_finite<'a>(name: &str, mut values: impl Iterator<Item = &'a f64>) -> Result<()> {
    match values.find(|v| !v.is_finite()) {
        None => Ok(()),
        Some(value) => Err(Error::record(format!("array `{name}`"), RecordProblem::NotFinite(value.to_string()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn record() -> Record {
        let mut record = Record::default();
        record.put_text("kernel", "gaussian(lengthscale=2)");
        record.put_text("intercept", true);
        record.put_number("noise", 0.1);
        record.put_count("rank", 7);
        record.put_vector("y", array![1.0, f64::NAN].view());
        record.put_matrix("x", array![[1.0, 2.0], [3.0, 4.0]].t());
        record
    }

    #[test]
    fn what_is_put_in_comes_out() {
        let mut r = record();
        assert_eq!(r.kernel().unwrap().to_string(), "gaussian(lengthscale=2)");
        assert!(r.flag("intercept").unwrap());
        assert_eq!((r.number("noise").unwrap(), r.count("rank").unwrap()), (0.1, 7));
        assert_eq!(r.optional_number("nothing").unwrap(), None);
        assert_eq!(r.take_leading_matrix("x").unwrap(), array![[1.0, 3.0], [2.0, 4.0]]);
        assert!(r.take_vector("y", 2).unwrap()[1].is_nan());
    }

    #[test]
    fn settings_come_back_and_damaged_ones_are_refused() {
        let names = ["a \"b\"".to_owned(), "ν".to_owned()];
        let settings = Settings::new()
            .with("C", f64::INFINITY)
            .with("tiny", 0.1 + 0.2)
            .with("intercept", true)
            .with("kernel", "gaussian(lengthscale=[1, 2])")
            .with("levels", &[0.1, 0.9][..])
            .with("none", Vec::<f64>::new().as_slice())
            .with("fixed", &names[..])
            .with_some("absent", None::<f64>);
        let mut r = record();
        r.put_settings(&settings);
        assert_eq!(r.take_settings().unwrap(), settings);
        assert!(r.arrays.keys().all(|name| !name.starts_with(SETTING)) && r.has("x"));
        assert!(record().take_settings().unwrap().is_empty());
        for (text, array) in [("{}", None), ("no JSON", None), ("[1]", None), ("true", Some(array![[1.0]].into_dyn()))]
        {
            let mut r = record();
            r.put_text("setting.a", text);
            r.arrays.extend(array.map(|array| ("setting.b".to_owned(), array)));
            assert!(r.take_settings().unwrap_err().to_string().contains("setting."), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let reason = |r: Result<Array1<f64>>| r.unwrap_err().to_string();
        assert_eq!(reason(record().take_vector("z", 1)), "the array `z` is missing");
        assert!(reason(record().take_vector("y", 3)).contains("`y`: expected 3, found [2]"));
        assert!(reason(record().take_vector("x", 3)).contains("one dimension"));
        assert!(reason(record().take_finite_vector("y", 2)).contains("NaN"));
        assert!(record().count("noise").unwrap_err().to_string().contains("whole number"));
        assert!(record().flag("kernel").is_err() && record().number("y").is_err() && record().text("z").is_err());
    }
}
