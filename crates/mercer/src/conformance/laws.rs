//! One test per law.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::{Law, Options, Outcome, TestedKernel};
use crate::kernel::Property;
use crate::solve::symmetric_eigen;
use crate::{Compute, Result, Seed};

/// A kernel, points, and how much rounding is allowed.
pub(super) struct Suite<'a> {
    pub(super) kernel: &'a dyn TestedKernel,
    pub(super) x: ArrayView2<'a, f64>,
    pub(super) options: &'a Options,
    pub(super) compute: &'a Compute,
}

/// `None` where the law does not apply, else what violates it, if anything does.
type Found = Result<Option<Option<String>>>;

/// A law that applies and holds.
const HELD: Found = Ok(Some(None));
/// A law that does not apply.
const NOT_APPLICABLE: Found = Ok(None);

fn violated(found: String) -> Found {
    Ok(Some(Some(found)))
}

impl Suite<'_> {
    /// Tests one law. An error of the kernel is a violation: the points are in its domain.
    pub(super) fn outcome(&self, law: Law) -> Outcome {
        let found = match law {
            Law::FiniteValues => self.finite_values(),
            Law::Symmetric => self.symmetric(),
            Law::Tiles => self.tiles(),
            Law::CrossTiles => self.cross_tiles(),
            Law::Diagonal => self.diagonal(),
            Law::SmallSamples => self.small_samples(),
            Law::SinglePrecision => self.single_precision(),
            Law::Derivatives => self.derivatives(),
            Law::ContractedDerivatives => self.contracted(),
            Law::TextRoundTrip => self.text(),
            Law::Threads => self.threads(),
            Law::PositiveSemidefinite => self.definite(Property::PositiveSemidefinite),
            Law::NegativeSemidefinite => self.definite(Property::NegativeSemidefinite),
            Law::ShiftInvariant => self.shift_invariant(),
            Law::Bounded => self.bounded(),
        };
        match found {
            Ok(Some(None)) => Outcome::Held,
            Ok(None) => Outcome::NotApplicable,
            Ok(Some(Some(violation))) => Outcome::Violated(violation),
            Err(error) => Outcome::Violated(error.to_string()),
        }
    }

    fn row(&self, i: usize) -> Vec<f64> {
        self.x.row(i).to_vec()
    }

    /// The reference: pair by pair.
    fn values(&self) -> Result<Array2<f64>> {
        let n = self.x.nrows();
        let mut values = Array2::zeros((n, n));
        for i in 0..n {
            for j in 0..n {
                values[[i, j]] = self.kernel.value(&self.row(i), &self.row(j))?;
            }
        }
        Ok(values)
    }

    /// The first place at which two matrices differ by more than rounding.
    fn compare(&self, what: &str, found: ArrayView2<f64>, expected: ArrayView2<f64>) -> Found {
        if found.dim() != expected.dim() {
            return violated(format!("{what} has shape {:?} instead of {:?}", found.dim(), expected.dim()));
        }
        let slack = self.options.absolute * largest(expected);
        for ((at, f), e) in found.indexed_iter().zip(expected) {
            // Written so that a NaN is a difference.
            let same = (f - e).abs() <= self.options.relative * e.abs() + slack;
            if !same {
                return violated(format!("{what} at rows {at:?} is {f:?} instead of {e:?}"));
            }
        }
        HELD
    }

    fn finite_values(&self) -> Found {
        match self.values()?.indexed_iter().find(|(_, v)| !v.is_finite()) {
            Some((at, value)) => violated(format!("the value at rows {at:?} is {value}; no other law is tested")),
            None => HELD,
        }
    }

    /// Values up to rounding, matrices to the last bit.
    fn symmetric(&self) -> Found {
        if let Some(k) = self.kernel.matrix(self.x, None, self.compute)?
            && let Some(((i, j), v)) = k.indexed_iter().find(|((i, j), v)| v.to_bits() != k[[*j, *i]].to_bits())
        {
            return violated(format!("k at rows ({i}, {j}) is {v:?}, and at ({j}, {i}) {:?}", k[[j, i]]));
        }
        let values = self.values()?;
        self.compare("the value with x and y exchanged", values.t(), values.view())
    }

    fn tiles(&self) -> Found {
        match self.kernel.matrix(self.x, None, self.compute)? {
            Some(found) => self.compare("the matrix", found.view(), self.values()?.view()),
            None => NOT_APPLICABLE,
        }
    }

    fn cross_tiles(&self) -> Found {
        let (first, second) = self.x.split_at(Axis(0), self.x.nrows() / 2);
        match self.kernel.matrix(first, Some(second), self.compute)? {
            Some(found) => {
                let all = self.values()?;
                let block = all.slice(s![..first.nrows(), first.nrows()..]);
                self.compare("the matrix between two samples", found.view(), block)
            }
            None => NOT_APPLICABLE,
        }
    }

    fn diagonal(&self) -> Found {
        let Some(found) = self.kernel.diagonal(self.x, self.compute)? else { return NOT_APPLICABLE };
        let expected = self.values()?.diag().to_owned();
        let column = |v: &Array1<f64>| v.clone().insert_axis(Axis(1));
        self.compare("the diagonal", column(&found).view(), column(&expected).view())
    }

    fn small_samples(&self) -> Found {
        for size in 0..=self.x.nrows().min(1) {
            let part = self.x.slice(s![..size, ..]);
            let Some(found) = self.kernel.matrix(part, None, self.compute)? else { return NOT_APPLICABLE };
            if found.dim() != (size, size) {
                return violated(format!("the matrix of {size} points has shape {:?}", found.dim()));
            }
        }
        HELD
    }

    fn single_precision(&self) -> Found {
        let Some(single) = self.kernel.single(self.x, self.compute)? else { return NOT_APPLICABLE };
        let expected = self.values()?;
        for ((at, value), e) in single.values.indexed_iter().zip(&expected) {
            let error = (f64::from(*value) - e).abs();
            let within = error <= single.error;
            if !within {
                return violated(format!(
                    "the error at rows {at:?} is {error:.2e}, above the stated {:.2e}",
                    single.error
                ));
            }
        }
        HELD
    }

    fn derivatives(&self) -> Found {
        let mut applies = false;
        for (index, theta) in self.kernel.parameters().into_iter().enumerate() {
            let Some(found) = self.kernel.derivative(index, self.x, self.compute)? else { continue };
            let h = 1e-6 * theta.abs().max(1e-3);
            let width = (theta + h) - (theta - h);
            for ((i, j), f) in found.indexed_iter() {
                let difference = self.kernel.difference(index, h, &self.row(i), &self.row(j))?;
                let Some(e) = difference.map(|d| d / width) else { continue };
                applies = true;
                let same = (f - e).abs() <= self.options.derivative * (1.0 + e.abs());
                if !same {
                    return violated(format!("by parameter {index} at rows ({i}, {j}) it is {f:?} instead of {e:?}"));
                }
            }
        }
        if applies { HELD } else { NOT_APPLICABLE }
    }

    fn contracted(&self) -> Found {
        let mut stream = Seed(1).stream("conformance", 0);
        let n = self.x.nrows();
        let g = Array2::from_shape_fn((n, n), |_| stream.normal());
        let Some(found) = self.kernel.contracted(g.view(), self.x, self.compute)? else { return NOT_APPLICABLE };
        for (index, f) in found.iter().enumerate() {
            let Some(matrix) = self.kernel.derivative(index, self.x, self.compute)? else { return NOT_APPLICABLE };
            let terms = &matrix * &g;
            let (e, size) = (terms.sum(), terms.mapv(f64::abs).sum());
            let same = (f - e).abs() <= 10.0 * self.options.relative * size.max(1.0);
            if !same {
                return violated(format!("the sum for parameter {index} is {f:?} instead of {e:?}"));
            }
        }
        HELD
    }

    fn text(&self) -> Found {
        match self.kernel.keeps_its_text() {
            Some(true) => HELD,
            Some(false) => violated(format!("`{}` does not make the same kernel", self.kernel.name())),
            None => NOT_APPLICABLE,
        }
    }

    fn threads(&self) -> Found {
        let with = |threads: usize| {
            let compute = self.compute.clone().with_threads(threads)?;
            self.kernel.matrix(self.x, None, &compute)
        };
        let Some(one) = with(1)? else { return NOT_APPLICABLE };
        for threads in [2, 3] {
            let Some(many) = with(threads)? else { return NOT_APPLICABLE };
            if let Some((at, v)) = many.indexed_iter().find(|(at, v)| v.to_bits() != one[*at].to_bits()) {
                return violated(format!(
                    "with {threads} threads the value at rows {at:?} is {v:?} instead of {:?}",
                    one[at]
                ));
            }
        }
        HELD
    }

    /// Eigenvalues above `−n·ε·trace` are rounding.
    fn definite(&self, property: Property) -> Found {
        if !self.kernel.claims(property, self.x.ncols()) {
            return NOT_APPLICABLE;
        }
        let values = self.values()?;
        let matrix = if property == Property::PositiveSemidefinite { values.clone() } else { -centered(&values) };
        let size = matrix.diag().iter().chain(values.diag()).fold(largest(values.view()), |m, v| m.max(v.abs()));
        let n = self.x.nrows() as f64;
        let tolerance = n * n * f64::EPSILON * size;
        let eigen = symmetric_eigen(matrix.view(), &Compute::unlimited())?;
        match eigen.values.first() {
            Some(lowest) if *lowest < -tolerance => {
                let (of, value) = match property {
                    Property::PositiveSemidefinite => ("K", *lowest),
                    _ => ("K on weights of sum 0", -lowest),
                };
                violated(format!("an eigenvalue of {of} is {value:.3e}, and rounding is at most {tolerance:.1e}"))
            }
            _ => HELD,
        }
    }

    fn shift_invariant(&self) -> Found {
        if !self.kernel.claims(Property::ShiftInvariant, self.x.ncols()) {
            return NOT_APPLICABLE;
        }
        // Whole multiples of ¼ leave differences of moderate numbers as they are, up to rounding.
        let moved = &self.x + &Array1::from_shape_fn(self.x.ncols(), |j| 0.25 * (j + 1) as f64);
        let values = self.values()?;
        let tolerance = 1e-9 * largest(values.view());
        for ((i, j), e) in values.indexed_iter() {
            let f = self.kernel.value(&moved.row(i).to_vec(), &moved.row(j).to_vec())?;
            let same = (f - e).abs() <= tolerance;
            if !same {
                return violated(format!("after a shift the value at rows ({i}, {j}) is {f:?} instead of {e:?}"));
            }
        }
        HELD
    }

    fn bounded(&self) -> Found {
        let Some(bound) = self.kernel.bound() else { return NOT_APPLICABLE };
        let values = self.values()?;
        match values.diag().iter().enumerate().find(|(_, v)| **v > bound + 1e-12 * bound.abs()) {
            Some((i, v)) => violated(format!("k at rows ({i}, {i}) is {v:?}, above the bound {bound:?}")),
            None => HELD,
        }
    }
}

fn largest(values: ArrayView2<f64>) -> f64 {
    values.iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// `JKJ` with `J = I − 11ᵀ/n`.
fn centered(k: &Array2<f64>) -> Array2<f64> {
    let n = k.nrows().max(1) as f64;
    let (rows, total) = (k.sum_axis(Axis(1)) / n, k.sum() / (n * n));
    Array2::from_shape_fn(k.dim(), |(i, j)| k[[i, j]] - rows[i] - rows[j] + total)
}
