//! What a fit has to report.

use std::borrow::Cow;

use ndarray::{ArrayD, ArrayView, ArrayViewD, CowArray, Dimension, IxDyn};

/// The value of a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue<'f> {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Count(usize),
    /// A number.
    Number(f64),
    /// A text.
    Text(Cow<'f, str>),
    /// Several texts.
    Texts(Vec<String>),
    /// Whole numbers.
    Counts(Cow<'f, [usize]>),
    /// An array of numbers, of one or two dimensions.
    Array(CowArray<'f, f64, IxDyn>),
}

/// A fact of a fit: a name, a value, and what it means.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact<'f> {
    /// The name: in Python with an underscore at the end.
    pub name: &'static str,
    /// The value.
    pub value: FactValue<'f>,
    /// What it means, in a few words.
    pub meaning: &'static str,
}

/// The facts of a fit, in the order of the report.
///
/// # Example
/// ```
/// use mercer::learner::{FactValue, Facts};
/// let facts = Facts::new().with("rank", 3_usize, "number of components");
/// assert_eq!(facts.get("rank"), Some(&FactValue::Count(3)));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts<'f>(Vec<Fact<'f>>);

impl<'f> Facts<'f> {
    /// No facts.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more.
    pub fn with(mut self, name: &'static str, value: impl Into<FactValue<'f>>, meaning: &'static str) -> Self {
        self.0.push(Fact { name, value: value.into(), meaning });
        self
    }

    /// The same with one more, where there is a value.
    pub fn with_some(self, name: &'static str, value: Option<impl Into<FactValue<'f>>>, meaning: &'static str) -> Self {
        match value {
            Some(value) => self.with(name, value, meaning),
            None => self,
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Fact<'f>> {
        self.0.iter()
    }

    /// The value of a fact.
    pub fn get(&self, name: &str) -> Option<&FactValue<'f>> {
        self.0.iter().find(|fact| fact.name == name).map(|fact| &fact.value)
    }
}

impl From<bool> for FactValue<'_> {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<usize> for FactValue<'_> {
    fn from(value: usize) -> Self {
        Self::Count(value)
    }
}

impl From<u64> for FactValue<'_> {
    fn from(value: u64) -> Self {
        Self::Count(value as usize)
    }
}

impl From<f64> for FactValue<'_> {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl<'f> From<&'f str> for FactValue<'f> {
    fn from(text: &'f str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for FactValue<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<&crate::Kernel> for FactValue<'_> {
    fn from(kernel: &crate::Kernel) -> Self {
        Self::Text(kernel.to_string().into())
    }
}

impl From<Vec<String>> for FactValue<'_> {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(texts)
    }
}

impl<'f> From<&'f [usize]> for FactValue<'f> {
    fn from(values: &'f [usize]) -> Self {
        Self::Counts(values.into())
    }
}

impl From<Vec<usize>> for FactValue<'_> {
    fn from(values: Vec<usize>) -> Self {
        Self::Counts(values.into())
    }
}

impl<'f> From<&'f [f64]> for FactValue<'f> {
    fn from(values: &'f [f64]) -> Self {
        Self::Array(ArrayView::from(values).into_dyn().into())
    }
}

impl<'f, D: Dimension> From<ArrayView<'f, f64, D>> for FactValue<'f> {
    fn from(values: ArrayView<'f, f64, D>) -> Self {
        let values: ArrayViewD<'f, f64> = values.into_dyn();
        Self::Array(values.into())
    }
}

impl<D: Dimension> From<ndarray::Array<f64, D>> for FactValue<'_> {
    fn from(values: ndarray::Array<f64, D>) -> Self {
        let values: ArrayD<f64> = values.into_dyn();
        Self::Array(values.into())
    }
}
