//! Finite kernel expansions and their geometry.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use crate::error::Requirement;
use crate::gram::{self, KeptCenters, Pairs};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// A function `f = Σ αᵢ k(·, xᵢ)` of the RKHS of `k`.
///
/// # Formula
/// `f(x) = Σ αᵢ k(x, xᵢ)`, `⟨f, g⟩ = αᵀKβ`, `‖f‖ = √⟨f, f⟩`. Repeated centers are merged: their
/// coefficients are added.
///
/// # Example
/// ```
/// use mercer::{Compute, Expansion, Kernel};
/// use ndarray::array;
/// let k: Kernel = "linear()".parse()?;
/// let compute = Compute::new();
/// // f(x) = 2·⟨x, (1, 0)⟩ + 1·⟨x, (0, 3)⟩ = ⟨x, (2, 3)⟩
/// let f = Expansion::new(&k, array![[1.0, 0.0], [0.0, 3.0]].view(), array![2.0, 1.0].view(), &compute)?;
/// assert_eq!(f.evaluate(array![[1.0, 1.0]].view(), &compute)?[0], 5.0);
/// mercer::assert_close!(f.norm(&compute)?, 13.0_f64.sqrt(), abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    kernel: Kernel,
    centers: Sample,
    coefficients: Array1<f64>,
    kept: KeptCenters,
}

impl Expansion {
    /// The function with these centers and coefficients. A median in the kernel is resolved on the
    /// centers.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is one coefficient per center, [`Error::Value`] for NaN,
    /// infinities and centers outside the domain of the kernel.
    pub fn new<'a>(
        kernel: &Kernel,
        centers: impl Into<Points<'a>>,
        coefficients: ArrayView1<f64>,
        compute: &Compute,
    ) -> Result<Self> {
        let centers = centers.into();
        if coefficients.len() != centers.len() {
            return Err(Error::shape("coefficients", format!("one per point ({})", centers.len()), coefficients.len()));
        }
        if let Some((row, value)) = coefficients.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(Error::value("coefficients", (row, 0), value, Requirement::Finite));
        }
        // Binding checks the domain and resolves medians.
        let bound = kernel.bind(Pairs::Within(centers), compute)?;
        crate::gram::check_weights("coefficients", coefficients, &bound)?;
        let kernel = bound.kernel().clone();
        let (centers, coefficients) = merge_repeated(centers, coefficients);
        Ok(Self::from_parts(kernel, centers, coefficients))
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The distinct centers `xᵢ`.
    pub fn centers(&self) -> Points<'_> {
        self.centers.as_points()
    }

    /// The coefficients `αᵢ`.
    pub fn coefficients(&self) -> ArrayView1<'_, f64> {
        self.coefficients.view()
    }

    /// `f(x)` for every point of `x`.
    ///
    /// # Cost
    /// `O(mn)` kernel values for `m` points and `n` centers, none of them stored.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn evaluate<'a>(&self, x: impl Into<Points<'a>>, compute: &Compute) -> Result<Array1<f64>> {
        self.apply(x.into(), self.coefficients.view().insert_axis(Axis(1)), compute).map(first_column)
    }

    /// `K(x, centers) · V`.
    pub(super) fn apply(&self, x: Points<'_>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let bound = self.kept.bind(&self.kernel, x.reborrow(), &self.centers, compute)?;
        gram::multiply(&bound, v, compute)
    }

    /// `⟨f, g⟩ = αᵀKβ`.
    ///
    /// # Errors
    /// [`Error::Mismatch`] when the kernels differ: the functions then live in different spaces.
    pub fn inner(&self, other: &Self, compute: &Compute) -> Result<f64> {
        self.check_same_space(other)?;
        Ok(self.coefficients.dot(&other.evaluate(self.centers(), compute)?))
    }

    /// `‖f‖² = αᵀKα`, at least 0 (a negative value can only be rounding, and counts as 0).
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn squared_norm(&self, compute: &Compute) -> Result<f64> {
        let bound = self.kernel.bind(Pairs::Within(self.centers()), compute)?;
        let image = gram::multiply(&bound, self.coefficients.view().insert_axis(Axis(1)), compute)?;
        Ok(self.coefficients.dot(&first_column(image)).max(0.0))
    }

    /// `‖f‖`.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn norm(&self, compute: &Compute) -> Result<f64> {
        self.squared_norm(compute).map(f64::sqrt)
    }

    /// `‖f − g‖`, from the coefficients of the difference, so that equal functions have distance 0
    /// exactly.
    ///
    /// # Errors
    /// As [`Expansion::inner`].
    pub fn distance(&self, other: &Self, compute: &Compute) -> Result<f64> {
        self.minus(other)?.norm(compute)
    }

    /// `|f(x)| ≤ ‖f‖√k(x, x)`: the right-hand side for every point of `x`.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn bound<'a>(&self, x: impl Into<Points<'a>>, compute: &Compute) -> Result<Array1<f64>> {
        let norm = self.norm(compute)?;
        let diagonal = self.kernel.bind(Pairs::Within(x.into()), compute)?.diagonal()?;
        Ok(diagonal.mapv(|k| norm * k.max(0.0).sqrt()))
    }

    /// `f + g`.
    ///
    /// # Errors
    /// [`Error::Mismatch`] when the kernels or the kinds of points differ.
    pub fn plus(&self, other: &Self) -> Result<Self> {
        self.combine(other, 1.0)
    }

    /// `f − g`.
    ///
    /// # Errors
    /// [`Error::Mismatch`] when the kernels differ.
    pub fn minus(&self, other: &Self) -> Result<Self> {
        self.combine(other, -1.0)
    }

    /// `a·f`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when a coefficient would not stay finite.
    pub fn scaled(&self, factor: f64) -> Result<Self> {
        let coefficients = &self.coefficients * factor;
        if coefficients.iter().any(|v| !v.is_finite()) {
            return Err(Error::parameter("factor", factor, "small enough to keep the coefficients finite"));
        }
        Ok(Self { coefficients, ..self.clone() })
    }

    fn combine(&self, other: &Self, sign: f64) -> Result<Self> {
        self.check_same_space(other)?;
        let centers = Sample::pooled(self.centers(), other.centers())?;
        let scaled = &other.coefficients * sign;
        let coefficients = Array1::from_iter(self.coefficients.iter().chain(&scaled).copied());
        let (centers, coefficients) = merge_repeated(centers.as_points(), coefficients.view());
        Ok(Self::from_parts(self.kernel.clone(), centers, coefficients))
    }

    fn check_same_space(&self, other: &Self) -> Result<()> {
        if self.kernel == other.kernel {
            return Ok(());
        }
        Err(Error::mismatch(
            "the functions live in different spaces",
            format!("one has the kernel {}", self.kernel),
            format!("the other {}", other.kernel),
            "use one kernel for both",
        ))
    }

    /// A function of the same points and coefficients with another kernel, which accepts those
    /// points.
    pub(super) fn with_kernel(&self, kernel: Kernel) -> Self {
        Self::from_parts(kernel, self.centers.clone(), self.coefficients.clone())
    }

    /// A function made of parts that were checked.
    pub(super) fn from_parts(kernel: Kernel, centers: Sample, coefficients: Array1<f64>) -> Self {
        Self { kernel, centers, coefficients, kept: KeptCenters::default() }
    }
}

pub(super) fn first_column(matrix: Array2<f64>) -> Array1<f64> {
    matrix.index_axis_move(Axis(1), 0)
}

/// Adds the coefficients of equal centers; the first of each stays, in order.
fn merge_repeated(centers: Points<'_>, coefficients: ArrayView1<f64>) -> (Sample, Array1<f64>) {
    let (mut kept, mut sums): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut position = vec![usize::MAX; centers.len()];
    for (i, (first, &coefficient)) in centers.first_equal().into_iter().zip(&coefficients).enumerate() {
        if first == i {
            position[i] = kept.len();
            kept.push(i);
            sums.push(coefficient);
        } else {
            sums[position[first]] += coefficient;
        }
    }
    (Sample::select(centers, &kept), sums.into())
}
