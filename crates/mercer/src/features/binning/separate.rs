//! A kernel as a sum of products over the columns.

use crate::kernel::radial::laplacian::{Laplacian, Norm};
use crate::kernel::{Base, ColumnRef, Form, Kernel, Lengthscale, MetricKind};
use crate::{Error, Result};

use super::pitch::refusal;

/// `mass · Π kⱼ(xⱼ, yⱼ)`: for each column that enters, the kernel of that column alone.
#[derive(Clone, Debug)]
pub(super) struct Separable {
    pub(super) mass: f64,
    pub(super) factors: Vec<(usize, Kernel)>,
}

/// The summands of a kernel on these columns.
pub(super) fn summands(kernel: &Kernel, columns: &[usize]) -> Result<Vec<Separable>> {
    match kernel {
        Kernel::Sum(terms) if columns.len() > 1 => {
            let parts = terms.iter().map(|k| summands(k, columns)).collect::<Result<Vec<_>>>()?;
            Ok(parts.concat())
        }
        Kernel::Scale(a, k) if columns.len() > 1 => {
            let parts = summands(k, columns)?;
            Ok(parts.into_iter().map(|part| Separable { mass: a.get() * part.mass, ..part }).collect())
        }
        other => Ok(vec![product(other, columns)?]),
    }
}

fn product(kernel: &Kernel, columns: &[usize]) -> Result<Separable> {
    match kernel {
        Kernel::Base(base) if base.constant().is_some() => {
            Ok(Separable { mass: base.constant().unwrap_or(0.0), factors: Vec::new() })
        }
        Kernel::Scale(a, k) => {
            let part = product(k, columns)?;
            Ok(Separable { mass: a.get() * part.mass, ..part })
        }
        Kernel::Product(factors) => factors.iter().try_fold(unit(), |all, k| Ok(all.times(product(k, columns)?))),
        Kernel::Power(k, m) => (0..m.get()).try_fold(unit(), |all, _| Ok(all.times(product(k, columns)?))),
        Kernel::On(chosen, k) => product(k, &on(chosen, columns)?),
        other if columns.len() == 1 => Ok(Separable { mass: 1.0, factors: vec![(columns[0], other.clone())] }),
        Kernel::Base(base) if base.form() == Form::Profile(MetricKind::Manhattan) => manhattan(base, columns),
        other => Err(refusal(
            other,
            "it is not a product over the columns of kernels with random grids, such as laplacian(norm=l1)",
        )),
    }
}

fn unit() -> Separable {
    Separable { mass: 1.0, factors: Vec::new() }
}

impl Separable {
    /// The product; two factors on one column become one.
    fn times(mut self, other: Self) -> Self {
        self.mass *= other.mass;
        for (column, kernel) in other.factors {
            match self.factors.iter_mut().find(|(c, _)| *c == column) {
                Some((_, own)) => *own = own.clone() * kernel,
                None => self.factors.push((column, kernel)),
            }
        }
        self
    }
}

fn on(chosen: &[ColumnRef], columns: &[usize]) -> Result<Vec<usize>> {
    let position = |column: &ColumnRef| match column {
        ColumnRef::Index(j) => columns.get(*j).copied().ok_or_else(|| {
            Error::shape("columns, because on([…], …) counts from 0", format!("more than {j}"), columns.len())
        }),
        ColumnRef::Name(name) => Err(Error::unresolved_column("on([…], …)", name)),
    };
    chosen.iter().map(position).collect()
}

/// `exp(−Σ|δⱼ|/ℓⱼ)`: a Laplacian for every column.
fn manhattan(base: &Base, columns: &[usize]) -> Result<Separable> {
    let lengths = base.lengthscale().map_or_else(Vec::new, Lengthscale::values);
    let factor = |(position, &column): (usize, &usize)| {
        let length = lengths.get(position).or(lengths.first()).copied();
        let length = length.ok_or_else(|| Error::unresolved_median("laplacian(lengthscale=median)"))?;
        Ok((column, Laplacian::new(Lengthscale::shared(length)?, Norm::L1).into()))
    };
    Ok(Separable { mass: 1.0, factors: columns.iter().enumerate().map(factor).collect::<Result<_>>()? })
}
