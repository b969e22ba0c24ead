//! The columns that a kernel depends on.

use std::collections::BTreeSet;

use super::{ColumnRef, ConformalFactor, Kernel, PointMap};

impl Kernel {
    /// The columns, of so many, that the value of the kernel depends on; ascending. Columns by name
    /// do not count.
    ///
    /// # Example
    /// ```
    /// use mercer::Kernel;
    /// let k: Kernel = "on([3, 1], gaussian() * on([0], linear())) + constant(value=2)".parse()?;
    /// assert_eq!(k.used_columns(5), [1, 3]);
    /// assert_eq!("on([3, 1], on([1], linear()))".parse::<Kernel>()?.used_columns(5), [1]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn used_columns(&self, columns: usize) -> Vec<usize> {
        self.used(columns).into_iter().collect()
    }

    fn used(&self, columns: usize) -> BTreeSet<usize> {
        let own = match self {
            Self::Base(base) if base.constant().is_some() => BTreeSet::new(),
            Self::Base(_) => (0..columns).collect(),
            Self::On(chosen, k) => return chosen_of(chosen, &k.used(chosen.len())),
            Self::Transformed(map, k) => return sources(map, &k.used(map.columns(columns)), columns),
            Self::Conformal(ConformalFactor::Column(j), _) => BTreeSet::from([*j]),
            Self::Conformal(..) => (0..columns).collect(),
            _ => BTreeSet::new(),
        };
        self.children().into_iter().fold(own, |set, k| &set | &k.used(columns))
    }
}

fn chosen_of(chosen: &[ColumnRef], inner: &BTreeSet<usize>) -> BTreeSet<usize> {
    let index = |j: &usize| match chosen.get(*j) {
        Some(ColumnRef::Index(i)) => Some(*i),
        Some(ColumnRef::Name(_)) | None => None,
    };
    inner.iter().filter_map(index).collect()
}

/// The columns that the columns of `s(x)` are made from.
fn sources(map: &PointMap, inner: &BTreeSet<usize>, columns: usize) -> BTreeSet<usize> {
    match map {
        PointMap::Log1p | PointMap::Sqrt | PointMap::Square | PointMap::Abs => inner.clone(),
        PointMap::Unit if inner.is_empty() => BTreeSet::new(),
        PointMap::Unit => (0..columns).collect(),
        PointMap::Matrix(rows) => {
            let enters = |j: &usize| inner.iter().any(|&i| rows.rows()[i][*j] != 0.0);
            (0..rows.width()).filter(enters).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Kernel;

    #[test]
    fn maps_and_factors_pass_columns_on() {
        let cases: [(&str, &[usize]); 7] = [
            ("gaussian()", &[0, 1, 2]),
            ("constant(value=1)", &[]),
            ("on([2], periodic()) + 3*on([0], linear())", &[0, 2]),
            ("on([2, 0], transformed(on([1], gaussian()), by=square()))", &[0]),
            ("transformed(on([0], gaussian()), by=unit())", &[0, 1, 2]),
            ("transformed(on([1], gaussian()), by=matrix([[1, 0, 0], [0, 2, 3]]))", &[1, 2]),
            ("conformal(on([1], gaussian()), by=column(2))", &[1, 2]),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<Kernel>().unwrap().used_columns(3), expected, "{text}");
        }
    }
}
