//! Kernels of gradients: a formula with its derivative, and sums over a tile with weights.

use pulp::{Arch, Simd, WithSimd};

use super::Fast64;
use super::element::{Lane, Width};
use crate::kernel::closed_forms::Formula;
use crate::real::{Dual, Real};

/// Sums run side by side, so that they are vectors; the number never depends on the machine.
const LANES: usize = 8;

/// `values = f(s)` and `slopes = f′(s)`, or `s f′(s)` by the logarithm, for every value `s` of
/// `source`, from one evaluation.
pub(crate) fn differentiate<F: Formula>(
    formula: &F,
    logarithm: bool,
    source: &[f64],
    values: &mut [f64],
    slopes: &mut [f64],
) {
    Arch::new().dispatch(Differentiate { formula, logarithm, source, values, slopes });
}

struct Differentiate<'a, F> {
    formula: &'a F,
    logarithm: bool,
    source: &'a [f64],
    values: &'a mut [f64],
    slopes: &'a mut [f64],
}

impl<F: Formula> WithSimd for Differentiate<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if Width::of::<S>() == Width::Baseline { self.run::<Fast64<false>>() } else { self.run::<Fast64<true>>() }
    }
}

impl<F: Formula> Differentiate<'_, F> {
    #[inline(always)]
    fn run<N: Lane<f64>>(self) {
        let positions = self.source.iter().zip(self.values).zip(self.slopes);
        if self.logarithm {
            positions.for_each(|((&s, v), d)| (*v, *d) = at(self.formula, N::load(s), N::load(s)));
        } else {
            positions.for_each(|((&s, v), d)| (*v, *d) = at(self.formula, N::load(s), N::one()));
        }
    }
}

#[inline(always)]
fn at<F: Formula, N: Lane<f64>>(formula: &F, value: N, derivative: N) -> (f64, f64) {
    let found = formula.apply(Dual { value, derivative });
    (found.value.store(), found.derivative.store())
}

/// A function of a metric and of at most two shapes, with its slopes by all of them.
pub(crate) trait ShapeSlopes {
    /// The value, and the derivatives by the metric and by both shapes.
    fn slopes<N: Real>(&self, metric: N) -> [N; 4];
}

/// Where the values of a tile and their slopes by the metric and by the first `SHAPES` shapes go.
pub(crate) struct SlopeTiles<'a, const SHAPES: usize> {
    pub values: &'a mut [f64],
    pub by_metric: &'a mut [f64],
    pub by_shape: [&'a mut [f64]; SHAPES],
}

/// The values and all slopes over a tile of a metric; the slope by the logarithm of the metric if
/// so asked.
pub(crate) fn differentiate_with_shapes<F: ShapeSlopes, const SHAPES: usize>(
    formula: &F,
    logarithm: bool,
    source: &[f64],
    out: SlopeTiles<'_, SHAPES>,
) {
    Arch::new().dispatch(DifferentiateWithShapes { formula, logarithm, source, out });
}

struct DifferentiateWithShapes<'a, F, const SHAPES: usize> {
    formula: &'a F,
    logarithm: bool,
    source: &'a [f64],
    out: SlopeTiles<'a, SHAPES>,
}

impl<F: ShapeSlopes, const SHAPES: usize> WithSimd for DifferentiateWithShapes<'_, F, SHAPES> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if Width::of::<S>() == Width::Baseline { self.run::<Fast64<false>>() } else { self.run::<Fast64<true>>() }
    }
}

impl<F: ShapeSlopes, const SHAPES: usize> DifferentiateWithShapes<'_, F, SHAPES> {
    #[inline(always)]
    fn run<N: Lane<f64>>(self) {
        let (count, SlopeTiles { values, by_metric, by_shape }) = (self.source.len(), self.out);
        // Slices of one known length, so that the loop has no checks and is one over vectors.
        let (values, by_metric) = (&mut values[..count], &mut by_metric[..count]);
        let by_shape = by_shape.map(|slopes| &mut slopes[..count]);
        for (i, &s) in self.source.iter().enumerate() {
            let slopes = self.formula.slopes(N::load(s));
            (values[i], by_metric[i]) = (slopes[0].store(), slopes[1].store());
            for shape in 0..SHAPES {
                by_shape[shape][i] = slopes[2 + shape].store();
            }
        }
        if self.logarithm {
            by_metric.iter_mut().zip(self.source).for_each(|(slope, s)| *slope *= s);
        }
    }
}

/// `Σ aᵢbᵢ`.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    Arch::new().dispatch(Dot { a, b })
}

/// `Σ |aᵢ|`.
pub(crate) fn absolute_sum(a: &[f64]) -> f64 {
    Arch::new().dispatch(AbsoluteSum(a))
}

struct AbsoluteSum<'a>(&'a [f64]);

impl WithSimd for AbsoluteSum<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        lanes(self.0, self.0, |a, _| a.abs())
    }
}

struct Dot<'a> {
    a: &'a [f64],
    b: &'a [f64],
}

impl WithSimd for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        lanes(self.a, self.b, |a, b| a * b)
    }
}

/// `Σ f(aᵢ, bᵢ)` in a fixed order.
#[inline(always)]
pub(super) fn lanes(a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for k in 0..LANES {
            sums[k] += f(a[k], b[k]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| f(*a, *b)).sum();
    sums.iter().sum::<f64>() + rest
}

/// `Σᵢⱼ wᵢⱼ (xᵢ − yⱼ)²` over a tile, or `Σᵢⱼ wᵢⱼ |xᵢ − yⱼ|`.
pub(crate) fn weighted_differences(weights: &[f64], x: &[f64], y: &[f64], squared: bool) -> f64 {
    Arch::new().dispatch(WeightedDifferences { weights, x, y, squared })
}

struct WeightedDifferences<'a> {
    weights: &'a [f64],
    x: &'a [f64],
    y: &'a [f64],
    squared: bool,
}

impl WithSimd for WeightedDifferences<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let lines = self.weights.chunks_exact(self.y.len().max(1)).zip(self.x);
        if self.squared {
            lines.map(|(w, x)| lanes(w, self.y, |w, y| w * (x - y) * (x - y))).sum()
        } else {
            lines.map(|(w, x)| lanes(w, self.y, |w, y| w * (x - y).abs())).sum()
        }
    }
}

/// Coordinates of some points along one column, with the cosines and sines of their phases.
pub(crate) struct CircleSide<'a> {
    pub position: &'a [f64],
    pub cosine: &'a [f64],
    pub sine: &'a [f64],
}

/// `Σᵢⱼ wᵢⱼ (xᵢ − yⱼ) sin(φᵢ − ψⱼ)` over a tile, for phases `φ` and `ψ` of both sides.
pub(crate) fn weighted_phases(weights: &[f64], x: &CircleSide<'_>, y: &CircleSide<'_>) -> f64 {
    Arch::new().dispatch(WeightedPhases { weights, x, y })
}

struct WeightedPhases<'a> {
    weights: &'a [f64],
    x: &'a CircleSide<'a>,
    y: &'a CircleSide<'a>,
}

impl WithSimd for WeightedPhases<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let (x, y, width) = (self.x, self.y, self.y.position.len());
        let mut terms = vec![0.0; width];
        let mut sum = 0.0;
        for (i, w) in self.weights.chunks_exact(width.max(1)).enumerate() {
            let (position, cosine, sine) = (x.position[i], x.cosine[i], x.sine[i]);
            let points = y.position.iter().zip(y.cosine).zip(y.sine);
            for (term, ((p, c), s)) in terms.iter_mut().zip(points) {
                *term = (position - p) * (sine * c - cosine * s);
            }
            sum += lanes(w, &terms, |w, term| w * term);
        }
        sum
    }
}

/// One column of `Πⱼ sin tⱼ/tⱼ` for `tⱼ = a(xⱼ − yⱼ)`, with the derivative by `a`: a row point given
/// by its coordinate, cosine and sine against column points.
pub(crate) fn sinc_column(a: f64, x: [f64; 3], y: &CircleSide<'_>, values: &mut [f64], slopes: &mut [f64]) {
    Arch::new().dispatch(SincColumn { a, x, y, values, slopes });
}

/// The same without the derivative.
pub(crate) fn sinc_values(a: f64, x: [f64; 3], y: &CircleSide<'_>, values: &mut [f64]) {
    Arch::new().dispatch(SincValues { a, x, y, values });
}

struct SincColumn<'a> {
    a: f64,
    x: [f64; 3],
    y: &'a CircleSide<'a>,
    values: &'a mut [f64],
    slopes: &'a mut [f64],
}

impl WithSimd for SincColumn<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let ([x, x_cosine, x_sine], inverse) = (self.x, 1.0 / self.a);
        let points = self.y.position.iter().zip(self.y.cosine).zip(self.y.sine);
        for (((y, cosine), sine), (value, slope)) in points.zip(self.values.iter_mut().zip(self.slopes)) {
            let sinc = sinc(self.a * (x - y), x_sine * cosine - x_cosine * sine);
            // d/da sin(a δ)/(a δ) = (cos t − sin(t)/t)/a
            let by_bandlimit = (x_cosine * cosine + x_sine * sine - sinc) * inverse;
            *slope = *slope * sinc + *value * by_bandlimit;
            *value *= sinc;
        }
    }
}

struct SincValues<'a> {
    a: f64,
    x: [f64; 3],
    y: &'a CircleSide<'a>,
    values: &'a mut [f64],
}

impl WithSimd for SincValues<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let [x, x_cosine, x_sine] = self.x;
        let points = self.y.position.iter().zip(self.y.cosine).zip(self.y.sine);
        for (((y, cosine), sine), value) in points.zip(self.values.iter_mut()) {
            *value *= sinc(self.a * (x - y), x_sine * cosine - x_cosine * sine);
        }
    }
}

/// `sin t/t` from `t` and its sine. The sine of a difference has an absolute error: near 0 the series
/// to `t¹²`.
#[inline(always)]
fn sinc(t: f64, sine: f64) -> f64 {
    let square = t * t;
    let near = 1.0 - square * (1.0 / 110.0) * (1.0 - square * (1.0 / 156.0));
    let near = 1.0 - square * (1.0 / 42.0) * (1.0 - square * (1.0 / 72.0) * near);
    let near = 1.0 - square * (1.0 / 6.0) * (1.0 - square * (1.0 / 20.0) * near);
    if t.abs() < 0.5 { near } else { sine / t }
}

/// A step of a pass over the columns with its derivatives, in every arithmetic; mark both
/// `#[inline(always)]`.
pub(crate) trait StepSlopes: Sync {
    /// `∂step/∂sum`, `∂step/∂length` and `∂step/∂shape` at `sum` and `y`.
    fn slopes<N: Real>(&self, sum: N, y: N) -> [N; 3];
}

/// A step of a pass over the columns, with a derivative by one parameter, in every arithmetic; mark
/// both `#[inline(always)]`.
pub(crate) trait DualSteps: Sync {
    /// The sum after a column, and its derivative.
    fn step<N: Real>(&self, sum: Dual<N>, y: N) -> Dual<N>;
}

/// One column forward, with the derivatives: `(sums, slopes) ← step(sums, slopes)`.
pub(crate) fn dual_steps<F: DualSteps>(step: &F, values: &[f64], sums: &mut [f64], slopes: &mut [f64]) {
    Arch::new().dispatch(DualPass { step, values, sums, slopes });
}

struct DualPass<'a, F> {
    step: &'a F,
    values: &'a [f64],
    sums: &'a mut [f64],
    slopes: &'a mut [f64],
}

impl<F: DualSteps> WithSimd for DualPass<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if Width::of::<S>() == Width::Baseline { self.run::<Fast64<false>>() } else { self.run::<Fast64<true>>() }
    }
}

impl<F: DualSteps> DualPass<'_, F> {
    #[inline(always)]
    fn run<N: Lane<f64>>(self) {
        for ((&y, sum), slope) in self.values.iter().zip(self.sums).zip(self.slopes) {
            let after = self.step.step(Dual { value: N::load(*sum), derivative: N::load(*slope) }, N::load(y));
            (*sum, *slope) = (after.value.store(), after.derivative.store());
        }
    }
}

/// One column backwards: the sums of `adjoint·∂step/∂length` and `adjoint·∂step/∂shape`;
/// `adjoint ← adjoint·∂step/∂sum`.
pub(crate) fn step_back<F: StepSlopes>(step: &F, sums: &[f64], values: &[f64], adjoint: &mut [f64]) -> [f64; 2] {
    Arch::new().dispatch(StepBack { step, sums, values, adjoint })
}

struct StepBack<'a, F> {
    step: &'a F,
    sums: &'a [f64],
    values: &'a [f64],
    adjoint: &'a mut [f64],
}

impl<F: StepSlopes> WithSimd for StepBack<'_, F> {
    type Output = [f64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f64; 2] {
        if Width::of::<S>() == Width::Baseline { self.run::<Fast64<false>>() } else { self.run::<Fast64<true>>() }
    }
}

impl<F: StepSlopes> StepBack<'_, F> {
    #[inline(always)]
    fn run<N: Lane<f64>>(self) -> [f64; 2] {
        const CHUNK: usize = 64;
        let (mut sums, mut terms) = ([0.0; 2], [[0.0; CHUNK]; 2]);
        let chunks = self.adjoint.chunks_mut(CHUNK).zip(self.sums.chunks(CHUNK)).zip(self.values.chunks(CHUNK));
        for ((adjoint, before), values) in chunks {
            let count = adjoint.len();
            let [lengths, shapes] = &mut terms;
            let (lengths, shapes) = (&mut lengths[..count], &mut shapes[..count]);
            // Terms are stored and added afterwards: a loop that adds has a fixed order and is no
            // loop over vectors.
            for j in 0..count {
                let [by_sum, by_length, by_shape] = self.step.slopes(N::load(before[j]), N::load(values[j]));
                lengths[j] = adjoint[j] * by_length.store();
                shapes[j] = adjoint[j] * by_shape.store();
                adjoint[j] *= by_sum.store();
            }
            sums[0] += lanes(lengths, lengths, |a, _| a);
            sums[1] += lanes(shapes, shapes, |a, _| a);
        }
        sums
    }
}
