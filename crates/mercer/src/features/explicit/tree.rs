//! Finite feature maps as a tree that follows the algebra of kernels.

use crate::kernel::closed_forms::PowerSeries;
use crate::kernel::elementary::finite_rank::FiniteRank;
use crate::kernel::{Base, ColumnRef, ConformalFactor, Kernel, PointList, PointMap, Series};
use crate::{Error, Result};

/// A finite feature map.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// One constant.
    Constant(f64),
    /// The point itself.
    Identity,
    /// `a·z`.
    Scaled(f64, Box<Tree>),
    /// Side by side.
    Beside(Vec<Tree>),
    /// All products of a feature of each.
    Tensor(Vec<Tree>),
    /// The monomials of this degree, with roots of multinomial coefficients.
    Power(Box<Tree>, usize),
    /// On some of the columns.
    On(Vec<usize>, Box<Tree>),
    /// After a map of the points.
    Mapped(PointMap, Box<Tree>),
    /// Times a function of the point.
    Conformal(ConformalFactor, Box<Tree>),
    /// Divided by their norm; 0 stays 0.
    Normalized(Box<Tree>),
    /// `√ηₖ φₖ(x)`.
    FiniteRank(FiniteRank),
    /// `k(x, zₗ)`.
    Sections(Kernel, PointList),
}

impl Tree {
    pub(super) fn of(kernel: &Kernel, columns: usize) -> Result<Self> {
        let inner = |k: &Kernel| Self::of(k, columns).map(Box::new);
        Ok(match kernel {
            Kernel::Base(base) => return Self::of_base(kernel, base),
            Kernel::Scale(a, k) => Self::Scaled(a.get().sqrt(), inner(k)?),
            Kernel::Sum(terms) => Self::Beside(terms.iter().map(|k| Self::of(k, columns)).collect::<Result<_>>()?),
            Kernel::Product(factors) => {
                Self::Tensor(factors.iter().map(|k| Self::of(k, columns)).collect::<Result<_>>()?)
            }
            Kernel::Power(k, m) => Self::Power(inner(k)?, m.get() as usize),
            Kernel::Series(Series::Coefficients(a), k) => {
                let part = |(n, a): (usize, f64)| Ok(Self::Scaled(a.sqrt(), Box::new(Self::Power(inner(k)?, n))));
                let used = a.iter().map(|a| a.get()).enumerate().filter(|(_, a)| *a > 0.0);
                Self::Beside(used.map(part).collect::<Result<_>>()?)
            }
            Kernel::Normalized(k) => Self::Normalized(inner(k)?),
            Kernel::On(chosen, k) => Self::On(indices(chosen)?, Box::new(Self::of(k, chosen.len())?)),
            Kernel::Transformed(map, k) => Self::Mapped(map.clone(), Box::new(Self::of(k, map.columns(columns))?)),
            Kernel::Conformal(factor, k) => Self::Conformal(factor.clone(), inner(k)?),
            Kernel::Induced(points, k) => Self::Sections(k.as_ref().clone(), points.clone()),
            other => return Err(refusal(other)),
        })
    }

    fn of_base(kernel: &Kernel, base: &Base) -> Result<Self> {
        if let Some(value) = base.constant() {
            return Ok(Self::Constant(value.sqrt()));
        }
        if let Some(kernel) = base.finite_sum() {
            return Ok(Self::FiniteRank(kernel.clone()));
        }
        match base.power_series() {
            Some(PowerSeries::Power { degree: 1, offset: 0.0, scale: 1.0 }) => Ok(Self::Identity),
            Some(PowerSeries::Power { degree, offset, scale }) => {
                let mut parts = vec![Self::Scaled(scale.sqrt(), Box::new(Self::Identity))];
                if offset > 0.0 {
                    parts.insert(0, Self::Constant(offset.sqrt()));
                }
                Ok(Self::Power(Box::new(Self::Beside(parts)), degree as usize))
            }
            _ => Err(refusal(kernel)),
        }
    }

    /// How many features there are, unless the number is beyond all bounds.
    pub(super) fn count(&self, columns: usize) -> Option<usize> {
        match self {
            Self::Constant(_) => Some(1),
            Self::Identity => Some(columns),
            Self::Scaled(_, z) | Self::Conformal(_, z) | Self::Normalized(z) => z.count(columns),
            Self::Beside(parts) => parts.iter().try_fold(0_usize, |sum, z| sum.checked_add(z.count(columns)?)),
            Self::Tensor(parts) => parts.iter().try_fold(1_usize, |product, z| product.checked_mul(z.count(columns)?)),
            Self::Power(z, m) => monomials(z.count(columns)?, *m),
            Self::On(chosen, z) => z.count(chosen.len()),
            Self::Mapped(map, z) => z.count(map.columns(columns)),
            Self::FiniteRank(k) => Some(k.features(0.0).len()),
            Self::Sections(_, points) => Some(points.rows().len()),
        }
    }

    /// The features at a point.
    pub(super) fn features(&self, x: &[f64]) -> Vec<f64> {
        let times = |z: Vec<f64>, a: f64| z.into_iter().map(|v| a * v).collect();
        match self {
            Self::Constant(c) => vec![*c],
            Self::Identity => x.to_vec(),
            Self::Scaled(a, z) => times(z.features(x), *a),
            Self::Beside(parts) => parts.iter().flat_map(|z| z.features(x)).collect(),
            Self::Tensor(parts) => parts.iter().fold(vec![1.0], |all, z| tensor(&all, &z.features(x))),
            Self::Power(z, m) => power(&z.features(x), *m),
            Self::On(chosen, z) => z.features(&chosen.iter().map(|&j| x[j]).collect::<Vec<_>>()),
            Self::Mapped(map, z) => z.features(&map.apply(x)),
            Self::Conformal(factor, z) => times(z.features(x), factor.evaluate(x)),
            Self::Normalized(z) => {
                let features = z.features(x);
                let norm = features.iter().map(|v| v * v).sum::<f64>().sqrt();
                if norm > 0.0 { times(features, 1.0 / norm) } else { features }
            }
            Self::FiniteRank(k) => k.features(x[0]),
            Self::Sections(kernel, points) => {
                let parameters = kernel.parameter_values::<f64>();
                points.rows().iter().map(|z| kernel.value(&parameters, x, z)).collect()
            }
        }
    }
}

fn indices(chosen: &[ColumnRef]) -> Result<Vec<usize>> {
    let index = |column: &ColumnRef| match column {
        ColumnRef::Index(j) => Ok(*j),
        ColumnRef::Name(name) => Err(Error::unresolved_column("on([…], …)", name)),
    };
    chosen.iter().map(index).collect()
}

/// `C(p + m − 1, m)`: monomials of degree `m` in `p` variables.
fn monomials(variables: usize, degree: usize) -> Option<usize> {
    if variables == 0 {
        return Some(usize::from(degree == 0));
    }
    (0..degree).try_fold(1_usize, |count, i| Some(count.checked_mul(variables + i)? / (i + 1)))
}

fn tensor(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().flat_map(|a| b.iter().map(move |b| a * b)).collect()
}

/// The monomials of degree `m` with the roots of their multinomial coefficients: variable by
/// variable, each raised to every power that is left.
fn power(z: &[f64], degree: usize) -> Vec<f64> {
    let mut out = Vec::new();
    descend(z, degree, 1.0, &mut out);
    out
}

fn descend(z: &[f64], left: usize, product: f64, out: &mut Vec<f64>) {
    match z {
        [] if left == 0 => out.push(product),
        [] => {}
        [last] => out.push(product * last.powi(left as i32)),
        [first, rest @ ..] => {
            let (mut value, mut choices) = (product, 1.0_f64);
            for taken in 0..=left {
                // √C(left, taken): in how many places of the product this variable may stand.
                descend(rest, left - taken, value * choices.sqrt(), out);
                value *= first;
                choices *= (left - taken) as f64 / (taken + 1) as f64;
            }
        }
    }
}

fn refusal(kernel: &Kernel) -> Error {
    Error::unsupported("finite feature map", kernel, "none is known", "use Fourier, binning or Nyström features")
}
