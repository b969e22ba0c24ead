//! The value of a kernel at one pair of points, in any arithmetic: the reference that the tile
//! engine is tested against, the re-check of counterexamples in 32 digits, and the source of
//! derivatives.

use super::algebra::normalized::normalize;
use super::leaf::{Columnwise, MetricKind, Profile, Shape};
use super::process::brownian::Brownian;
use super::{Base, ColumnRef, ColumnwiseVisitor, ConformalFactor, Form, Kernel, Lengthscale, ProfileVisitor};
use crate::error::Remedy;
use crate::real::{DoubleDouble, Real};
use crate::{Error, Result};

impl Kernel {
    /// `k(x, y)` for one pair of vectors. For many pairs, bind the kernel and fill tiles.
    ///
    /// # Errors
    /// [`Error::Shape`] when the lengths do not fit, [`Error::Value`] outside the domain,
    /// [`Error::Unresolved`], [`Error::Precomputed`] or [`Error::Overflow`] for an unresolved
    /// median, a column by name, a precomputed matrix, or a value that overflows.
    ///
    /// # Example
    /// ```
    /// use mercer::Kernel;
    /// let k: Kernel = "polynomial(degree=2, offset=1)".parse()?;
    /// assert_eq!(k.evaluate(&[1.0], &[2.0])?, 9.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn evaluate(&self, x: &[f64], y: &[f64]) -> Result<f64> {
        self.check_pair(x, y)?;
        match self.value(&self.parameter_values::<f64>(), x, y) {
            value if value.is_finite() => Ok(value),
            value => Err(Error::overflow(format!("{self} = {value} at this pair of points"), Remedy::Rescale)),
        }
    }

    /// `k(x, y)` with about 31 digits, from the same formulas.
    ///
    /// # Errors
    /// As [`Kernel::evaluate`]; [`Error::Unsupported`] for a kernel of a program.
    pub fn evaluate_precisely(&self, x: &[f64], y: &[f64]) -> Result<DoubleDouble> {
        self.refuse_custom("31 digits", "its tiles are in double precision")?;
        self.check_pair(x, y)?;
        let lift = |v: &[f64]| v.iter().map(|&v| DoubleDouble::from_f64(v)).collect::<Vec<_>>();
        Ok(self.value(&self.parameter_values::<DoubleDouble>(), &lift(x), &lift(y)))
    }

    fn check_pair(&self, x: &[f64], y: &[f64]) -> Result<()> {
        if x.len() != y.len() {
            return Err(Error::shape("columns of y", x.len(), y.len()));
        }
        for point in [x, y] {
            let row = ndarray::ArrayView2::from_shape((1, point.len()), point)
                .map_err(|e| Error::shape("coordinates of a point", point.len(), e))?;
            crate::points::Points::Vectors(row).check_finite("point")?;
            self.check_vectors(row)?;
        }
        Ok(())
    }

    /// The parameters of [`Kernel::parameters`] as numbers of another arithmetic.
    pub(crate) fn parameter_values<N: Real>(&self) -> Vec<N> {
        let mut values: Vec<N> = self.own_parameters().into_iter().map(|(_, v, _)| N::from_f64(v)).collect();
        for child in self.children() {
            values.extend(child.parameter_values::<N>());
        }
        values
    }

    /// `k(x, y)` with parameters `p`, checked beforehand.
    pub(crate) fn value<N: Real>(&self, p: &[N], x: &[N], y: &[N]) -> N {
        let (own, rest) = p.split_at(self.own_parameter_count());
        match self {
            Self::Base(base) => base_value(base, own, x, y),
            Self::Scale(_, k) => own[0] * k.value(rest, x, y),
            Self::Sum(terms) => fold_children(terms.iter(), rest, x, y, N::zero(), |a, b| a + b),
            Self::Product(terms) => fold_children(terms.iter(), rest, x, y, N::one(), |a, b| a * b),
            Self::Power(k, m) => k.value(rest, x, y).powi(m.get() as i32),
            Self::Exp(k) => k.value(rest, x, y).exp(),
            Self::Series(series, k) => series.evaluate_with(own, k.value(rest, x, y)),
            Self::Normalized(k) => normalize(k.value(rest, x, y), k.value(rest, x, x), k.value(rest, y, y)),
            Self::On(columns, k) => k.value(rest, &choose(columns, x), &choose(columns, y)),
            Self::Minus(a, b) => {
                let (left, right) = rest.split_at(a.parameter_count());
                a.value(left, x, y) - b.value(right, x, y)
            }
            Self::Conformal(factor, k) => {
                factor_value(factor, own, x) * k.value(rest, x, y) * factor_value(factor, own, y)
            }
            Self::Transformed(map, k) => k.value(rest, &map.apply(x), &map.apply(y)),
            Self::Schoenberg(_, k) => (-own[0] * k.value(rest, x, y)).exp(),
            Self::Based(at, k) => {
                let o: Vec<N> = at.coordinates().iter().map(|&v| N::from_f64(v)).collect();
                k.value(rest, x, &o) + k.value(rest, y, &o) - k.value(rest, x, y) - k.value(rest, &o, &o)
            }
            // Refused before: bags and graphs are no vectors.
            Self::Embedded(..) | Self::NodePaths(..) => N::from_f64(f64::NAN),
            Self::Induced(points, k) => points.rows().iter().fold(N::zero(), |sum, z| {
                let z: Vec<N> = z.iter().map(|&v| N::from_f64(v)).collect();
                sum + k.value(rest, x, &z) * k.value(rest, y, &z)
            }),
        }
    }
}

fn fold_children<'k, N: Real>(
    children: impl Iterator<Item = &'k Kernel>,
    mut p: &[N],
    x: &[N],
    y: &[N],
    start: N,
    combine: impl Fn(N, N) -> N,
) -> N {
    let mut total = start;
    for child in children {
        let (own, rest) = p.split_at(child.parameter_count());
        total = combine(total, child.value(own, x, y));
        p = rest;
    }
    total
}

/// The chosen coordinates. Columns are numbers by now: `check_vectors` refuses names.
pub(super) fn choose<N: Real>(columns: &[ColumnRef], x: &[N]) -> Vec<N> {
    columns.iter().filter_map(|c| if let ColumnRef::Index(j) = c { x.get(*j).copied() } else { None }).collect()
}

fn factor_value<N: Real>(factor: &ConformalFactor, own: &[N], x: &[N]) -> N {
    match (factor, own) {
        (ConformalFactor::Gaussian(_), [l]) => {
            let squared_norm = x.iter().fold(N::zero(), |sum, &v| sum + v * v);
            (N::from_f64(-0.5) * squared_norm / (*l * *l)).exp()
        }
        _ => factor.evaluate(x),
    }
}

fn base_value<N: Real>(base: &Base, own: &[N], x: &[N], y: &[N]) -> N {
    let count = base.lengthscale().map_or(0, Lengthscale::count);
    let (lengths, rest) = own.split_at(count);
    let mut shape: Shape<N> = [N::zero(); 2];
    shape.iter_mut().zip(rest).for_each(|(position, value)| *position = *value);
    let shared = !matches!(base.lengthscale(), Some(Lengthscale::PerColumn(_)));
    let length = |j: usize| lengths.get(if shared { 0 } else { j }).copied().unwrap_or(N::one());
    if let Some(kernel) = base.finite_sum() {
        return kernel.sum(|k| rest[k], x[0], y[0]);
    }
    match base.form() {
        Form::Constant(_) => rest[0],
        Form::Object if base.as_custom().is_some() => custom_value(base, x, y),
        // Refused before: there is no vector among their points.
        Form::Matrix | Form::Object | Form::Diagram => N::from_f64(f64::NAN),
        Form::Brownian => brownian(shape[0], x, y),
        Form::Profile(metric) => {
            let s = metric_value(metric, &length, x, y);
            base.visit_profile(OneProfile(shape, s)).unwrap_or(N::from_f64(f64::NAN))
        }
        Form::Columnwise => {
            base.visit_columnwise(OneFold { shape, length: &length, x, y }).unwrap_or(N::from_f64(f64::NAN))
        }
    }
}

/// A kernel of a program knows `f64` alone: a constant in every other arithmetic. What needs more
/// asks [`Kernel::first_custom`] before.
fn custom_value<N: Real>(base: &Base, x: &[N], y: &[N]) -> N {
    let numbers = |v: &[N]| v.iter().map(|v| v.value()).collect::<Vec<f64>>();
    base.as_custom().map_or(N::from_f64(f64::NAN), |custom| N::from_f64(custom.value(&numbers(x), &numbers(y))))
}

fn metric_value<N: Real>(metric: MetricKind, length: &dyn Fn(usize) -> N, x: &[N], y: &[N]) -> N {
    let pairs = x.iter().zip(y).enumerate();
    match metric {
        MetricKind::SquaredEuclidean => {
            pairs.fold(N::zero(), |sum, (j, (&a, &b))| sum + ((a - b) / length(j)).squared())
        }
        MetricKind::Manhattan => pairs.fold(N::zero(), |sum, (j, (&a, &b))| sum + (a - b).abs() / length(j)),
        MetricKind::Dot => pairs.fold(N::zero(), |sum, (_, (&a, &b))| sum + a * b),
    }
}

fn brownian<N: Real>(hurst: N, x: &[N], y: &[N]) -> N {
    let squared = |v: &mut dyn Iterator<Item = N>| v.fold(N::zero(), |sum, v| sum + v * v);
    let power = |s: N| Brownian::power(hurst, s);
    let between = squared(&mut x.iter().zip(y).map(|(&a, &b)| a - b));
    let (left, right) = (squared(&mut x.iter().copied()), squared(&mut y.iter().copied()));
    N::from_f64(0.5) * (power(left) + power(right) - power(between))
}

impl Base {
    /// The profile at a value of the metric, if the kernel is one.
    pub(crate) fn profile_value(&self, s: f64) -> Option<f64> {
        self.visit_profile(OneProfile(self.shape_array(), s))
    }
}

struct OneProfile<N>(Shape<N>, N);

impl<N: Real> ProfileVisitor for OneProfile<N> {
    type Output = N;
    fn visit<P: Profile>(self, profile: &P) -> N {
        profile.profile(self.0, self.1)
    }
}

struct OneFold<'a, N> {
    shape: Shape<N>,
    length: &'a dyn Fn(usize) -> N,
    x: &'a [N],
    y: &'a [N],
}

impl<N: Real> ColumnwiseVisitor for OneFold<'_, N> {
    type Output = N;
    fn visit<C: Columnwise>(self, kernel: &C) -> N {
        let pairs = self.x.iter().zip(self.y).enumerate();
        let start = N::from_f64(kernel.start());
        let sum = pairs.fold(start, |sum, (j, (&a, &b))| kernel.step(self.shape, (self.length)(j), sum, a, b));
        kernel.finish(self.shape, sum)
    }
}
