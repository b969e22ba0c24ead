//! Classes in a column that comes in chunks.

use std::collections::BTreeMap;

use ndarray::Array2;

use crate::points::{ColumnData, Table};
use crate::{Error, Result};

/// More classes than this are refused: such a column holds quantities, or names of rows.
const MOST: usize = 10_000;

/// The values of a target that came: numbers, or codes of categories.
#[derive(Default)]
pub(super) struct ClassSurvey(BTreeMap<u64, f64>);

impl ClassSurvey {
    pub(super) fn update(&mut self, y: &Array2<f64>) -> Result<()> {
        for value in y {
            // Both zeros are one class.
            let value = value + 0.0;
            self.0.insert(value.to_bits(), value);
        }
        if self.0.len() <= MOST {
            return Ok(());
        }
        Err(Error::request(format!("the target has more than {MOST} different values, which are no classes")))
    }

    /// The classes in the order of their names: numbers as numbers, texts as texts.
    pub(super) fn finish(self, header: &Table, target: &str) -> Result<ClassColumn> {
        let mut values: Vec<f64> = self.0.into_values().collect();
        values.sort_unstable_by(f64::total_cmp);
        let names: Vec<String> = match &header.column(target)?.data {
            ColumnData::Categories { levels, .. } => {
                let name = |value: &f64| levels.get(*value as usize).cloned().unwrap_or_default();
                values.sort_by_key(name);
                values.iter().map(name).collect()
            }
            _ => values.iter().map(f64::to_string).collect(),
        };
        if names.len() < 2 {
            return Err(Error::too_few("a classifier", "classes", 2, names.len()));
        }
        let of = values.iter().enumerate().map(|(class, value)| (value.to_bits(), class)).collect();
        Ok(ClassColumn { of, names })
    }
}

/// The classes of a target.
pub(super) struct ClassColumn {
    of: BTreeMap<u64, usize>,
    pub(super) names: Vec<String>,
}

impl ClassColumn {
    /// The numbers of the classes of values.
    pub(super) fn numbers(&self, y: &Array2<f64>) -> Result<Array2<f64>> {
        let changed = || {
            Error::mismatch("the file changed while it was read", "some classes at first", "others later", "fit again")
        };
        let mut classes = y.clone();
        for value in &mut classes {
            *value = *self.of.get(&(*value + 0.0).to_bits()).ok_or_else(changed)? as f64;
        }
        Ok(classes)
    }
}
