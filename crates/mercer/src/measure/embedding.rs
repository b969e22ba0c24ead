//! Mean embeddings of weighted samples.

use ndarray::{Array1, ArrayView1, ArrayView2, Axis};

use crate::gram::{self, KeptCenters, Pairs};
use crate::{Compute, Error, Expansion, Kernel, Points, Result, Sample};

/// `μ = Σ wᵢ k(·, xᵢ)`: a (weighted) sample as an element of ℋ.
///
/// # Formula
/// `μ(t) = Σ wᵢk(t, xᵢ)`, `⟨μ, ν⟩ = Σᵢⱼ wᵢvⱼ k(xᵢ, yⱼ)`, `⟨μ, f⟩ = Σ wᵢf(xᵢ)`; without weights
/// `wᵢ = 1/n`.
///
/// # Theory
/// `⟨μ_P, f⟩ = E f(X)` for every `f ∈ ℋ`; for a characteristic kernel `P ↦ μ_P` is injective.
///
/// # Example
/// ```
/// use mercer::{Compute, measure::MeanEmbedding};
/// use ndarray::array;
/// let (k, compute) = ("linear()".parse()?, Compute::new());
/// let mu = MeanEmbedding::new(&k, &array![[1.0], [3.0]], None, &compute)?;
/// let nu = MeanEmbedding::new(&k, &array![[5.0]], None, &compute)?;
/// assert_eq!(mu.evaluate(&array![[10.0]], &compute)?[0], 20.0);
/// assert_eq!(mu.inner(&nu, &compute)?, 10.0);
/// assert_eq!(mu.distance(&nu, &compute)?, 3.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MeanEmbedding {
    kernel: Kernel,
    points: Sample,
    weights: Array1<f64>,
    kept: KeptCenters,
}

impl MeanEmbedding {
    /// The embedding of a sample. Weights are taken as they are: they need not sum to 1, nor be
    /// positive.
    ///
    /// # Errors
    /// [`Error::Shape`] for an empty sample or a wrong number of weights, [`Error::Value`] for NaN
    /// and infinities, [`Error::Overflow`] for weights so large that the norm overflows; as
    /// [`Kernel::bind`].
    pub fn new<'a>(
        kernel: &Kernel,
        points: impl Into<Points<'a>>,
        weights: Option<ArrayView1<'_, f64>>,
        compute: &Compute,
    ) -> Result<Self> {
        let points = points.into();
        let n = points.len();
        if n == 0 {
            return Err(Error::too_few("a mean embedding", "points", 1, 0));
        }
        let weights = weights.map_or_else(|| Array1::from_elem(n, 1.0 / n as f64), |w| w.to_owned());
        if weights.len() != n {
            return Err(Error::shape("weights", format!("one per point ({n})"), weights.len()));
        }
        Points::Vectors(weights.view().insert_axis(Axis(1))).check_finite("weights")?;
        let bound = kernel.bind(Pairs::Within(points), compute)?;
        gram::check_weights("weights", weights.view(), &bound)?;
        let kernel = bound.kernel().clone();
        Ok(Self { kept: Default::default(), kernel, points: points.into(), weights })
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The points.
    pub fn points(&self) -> Points<'_> {
        self.points.as_points()
    }

    /// The weights.
    pub fn weights(&self) -> ArrayView1<'_, f64> {
        self.weights.view()
    }

    /// `μ(t) = Σ wᵢk(t, xᵢ)` for every point `t`.
    ///
    /// # Cost
    /// One kernel value per pair, none stored.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn evaluate<'a>(&self, t: impl Into<Points<'a>>, compute: &Compute) -> Result<Array1<f64>> {
        let t = t.into();
        let bound = self.kept.bind(&self.kernel, t.reborrow(), &self.points, compute)?;
        self.apply(&bound, compute)
    }

    /// `μ` at its own points.
    pub(super) fn at_points(&self, compute: &Compute) -> Result<Array1<f64>> {
        let bound = self.kernel.bind(Pairs::Within(self.points()), compute)?;
        self.apply(&bound, compute)
    }

    fn apply(&self, tiles: &dyn gram::Tiles, compute: &Compute) -> Result<Array1<f64>> {
        let weights: ArrayView2<'_, f64> = self.weights.view().insert_axis(Axis(1));
        Ok(gram::multiply(tiles, weights, compute)?.index_axis_move(Axis(1), 0))
    }

    /// `⟨μ, ν⟩`.
    ///
    /// # Errors
    /// [`Error::Mismatch`] when the kernels differ.
    pub fn inner(&self, other: &Self, compute: &Compute) -> Result<f64> {
        self.check_same_space(&other.kernel)?;
        Ok(self.weights.dot(&other.evaluate(self.points(), compute)?))
    }

    /// `⟨μ, f⟩ = Σ wᵢf(xᵢ)`: the expectation of a function of ℋ.
    ///
    /// # Errors
    /// [`Error::Mismatch`] when the kernels differ.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Expansion, measure::MeanEmbedding};
    /// use ndarray::array;
    /// let (k, compute) = ("linear()".parse()?, Compute::new());
    /// let f = Expansion::new(&k, array![[2.0]].view(), array![1.0].view(), &compute)?;
    /// let mu = MeanEmbedding::new(&k, &array![[1.0], [3.0]], None, &compute)?;
    /// assert_eq!(mu.expectation(&f, &compute)?, 4.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn expectation(&self, f: &Expansion, compute: &Compute) -> Result<f64> {
        self.check_same_space(f.kernel())?;
        Ok(self.weights.dot(&f.evaluate(self.points(), compute)?))
    }

    /// `‖μ‖² = wᵀKw`, at least 0.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn squared_norm(&self, compute: &Compute) -> Result<f64> {
        Ok(self.weights.dot(&self.at_points(compute)?).max(0.0))
    }

    /// `‖μ‖`.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn norm(&self, compute: &Compute) -> Result<f64> {
        self.squared_norm(compute).map(f64::sqrt)
    }

    /// `‖μ − ν‖`, from the pooled points: the MMD of the two weighted samples.
    ///
    /// # Errors
    /// As [`MeanEmbedding::inner`].
    pub fn distance(&self, other: &Self, compute: &Compute) -> Result<f64> {
        self.check_same_space(&other.kernel)?;
        let points = Sample::pooled(self.points(), other.points())?;
        let weights = self.weights.iter().copied().chain(other.weights.iter().map(|w| -w)).collect();
        Self { kept: Default::default(), kernel: self.kernel.clone(), points, weights }.norm(compute)
    }

    /// The embedding as a function of ℋ.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn function(&self, compute: &Compute) -> Result<Expansion> {
        Expansion::new(&self.kernel, self.points(), self.weights.view(), compute)
    }

    fn check_same_space(&self, kernel: &Kernel) -> Result<()> {
        if self.kernel == *kernel {
            return Ok(());
        }
        Err(Error::mismatch(
            "the embeddings live in different spaces",
            format!("one has the kernel {}", self.kernel),
            format!("the other {kernel}"),
            "use one kernel for both",
        ))
    }

    /// Some of the points with other weights.
    pub(super) fn on_points(&self, rows: &[usize], weights: Array1<f64>) -> Self {
        Self {
            kept: Default::default(),
            kernel: self.kernel.clone(),
            points: Sample::select(self.points(), rows),
            weights,
        }
    }
}
