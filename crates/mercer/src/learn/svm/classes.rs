//! Class labels as indices with names.

use std::collections::BTreeSet;

use ndarray::ArrayView1;

use crate::learn::observations::check_finite;
use crate::{Error, Result};

/// The class of every row, and the names of the classes.
///
/// # Example
/// ```
/// use mercer::learn::svm::Classes;
/// let classes = Classes::from_texts(["no", "yes", "no"]);
/// assert_eq!(classes.names(), ["no", "yes"]);
/// assert_eq!(classes.of(), [0, 1, 0]);
/// // Numbers are sorted as numbers.
/// assert_eq!(Classes::from_numbers(ndarray::array![10.0, -1.0, 2.0].view())?.names(), ["-1", "2", "10"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    of: Vec<usize>,
    names: Vec<String>,
}

impl Classes {
    /// Classes by number: one per different number, in ascending order.
    ///
    /// # Errors
    /// [`Error::Value`] for NaN and infinities.
    pub fn from_numbers(labels: ArrayView1<f64>) -> Result<Self> {
        check_finite("labels", labels)?;
        let mut values: Vec<f64> = labels.iter().map(|v| v + 0.0).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        let of = labels.iter().map(|label| values.partition_point(|v| v < label)).collect();
        Ok(Self { of, names: values.iter().map(f64::to_string).collect() })
    }

    /// Classes by text: one per different text, in ascending order.
    pub fn from_texts<'a>(labels: impl IntoIterator<Item = &'a str>) -> Self {
        let labels: Vec<&str> = labels.into_iter().collect();
        let names: Vec<&str> = labels.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let of = labels.iter().map(|label| names.partition_point(|name| name < label)).collect();
        Self { of, names: names.into_iter().map(String::from).collect() }
    }

    /// Classes that were counted elsewhere.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a number without a name, [`Error::EmptyClass`] for a name without
    /// rows.
    pub fn from_indices(of: Vec<usize>, names: Vec<String>) -> Result<Self> {
        if let Some(class) = of.iter().find(|&&c| c >= names.len()) {
            return Err(Error::parameter("class", class, format!("below the number of names, {}", names.len())));
        }
        let classes = Self { of, names };
        match classes.sizes().iter().position(|&size| size == 0) {
            Some(empty) => Err(Error::EmptyClass { class: classes.names[empty].clone(), outside_fold: None }),
            None => Ok(classes),
        }
    }

    /// The class of every row.
    pub fn of(&self) -> &[usize] {
        &self.of
    }

    /// The names of the classes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of classes.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Rows of each class.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.count()];
        self.of.iter().for_each(|&c| sizes[c] += 1);
        sizes
    }
}
