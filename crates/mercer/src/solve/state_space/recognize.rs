//! Recognition of kernels that are covariances of Markov processes, and which of their parameters
//! are differentiated along the line.

use super::process::{Component, Process, ProcessSum};
use super::slopes::PartSlope;
use crate::kernel::{ColumnRef, Kernel, Lengthscale};

/// More states than this are left to the dense solve.
const MOST_STATES: usize = 6;

impl ProcessSum {
    /// The distribution of a kernel on data of this many columns, if it is a sum of Markov
    /// processes along one of them. A lengthscale that is still `median` counts as 1.
    pub(crate) fn of(kernel: &Kernel, columns: usize) -> Option<Self> {
        let parts = parts(kernel, columns, 0)?;
        let column = parts.iter().find_map(|p| p.column)?;
        let one_column = parts.iter().all(|p| p.column.is_none_or(|c| c == column));
        let needed = parts.iter().any(|p| !p.process.is_finite());
        let process_sum = Self { parts, column };
        (one_column && needed && process_sum.dimension() <= MOST_STATES).then_some(process_sum)
    }

    /// The parameters of the kernel, by their place in order, by which the states have no slope: a
    /// smoothness, a Hurst index.
    pub(crate) fn unknown(&self, kernel: &Kernel) -> Vec<usize> {
        let slopes = by_parameters(kernel, &vec![PartSlope::default(); self.parts.len()]);
        slopes.iter().enumerate().filter(|(_, s)| s.is_nan()).map(|(i, _)| i).collect()
    }
}

/// The processes whose sum has this covariance; `column` is meant where only one column is left.
fn parts(kernel: &Kernel, columns: usize, column: usize) -> Option<Vec<Component>> {
    if let Some(variance) = constant(kernel) {
        return Some(vec![Component {
            process: Process::Constant,
            variance,
            deviation: variance.sqrt(),
            column: None,
        }]);
    }
    match kernel {
        Kernel::Base(base) if columns == 1 => Some(vec![Component {
            process: base.markov_process()?,
            variance: 1.0,
            deviation: 1.0,
            column: Some(column),
        }]),
        Kernel::Scale(a, k) => Some(scaled(parts(k, columns, column)?, a.get())),
        Kernel::Sum(terms) => {
            let all: Option<Vec<_>> = terms.iter().map(|k| parts(k, columns, column)).collect();
            all.map(|parts| parts.concat())
        }
        Kernel::Product(terms) => {
            let factor = terms.iter().filter_map(constant).product();
            let mut others = terms.iter().filter(|k| constant(k).is_none());
            let only = others.next().filter(|_| others.next().is_none())?;
            Some(scaled(parts(only, columns, column)?, factor))
        }
        Kernel::On(chosen, k) => match chosen.as_slice() {
            [ColumnRef::Index(0)] if columns == 1 => parts(k, 1, column),
            [ColumnRef::Index(c)] if *c < columns => parts(k, 1, *c),
            _ => None,
        },
        _ => None,
    }
}

fn scaled(parts: Vec<Component>, factor: f64) -> Vec<Component> {
    let scale = |p: Component| {
        let variance = p.variance * factor;
        Component { variance, deviation: variance.sqrt(), ..p }
    };
    parts.into_iter().map(scale).collect()
}

/// The value of a kernel that is the same everywhere.
fn constant(kernel: &Kernel) -> Option<f64> {
    match kernel {
        Kernel::Base(base) => base.constant(),
        Kernel::Scale(a, k) => constant(k).map(|c| a.get() * c),
        Kernel::Product(terms) => terms.iter().map(constant).product(),
        _ => None,
    }
}

/// `θ ∂/∂θ` for every parameter of the kernel in order, from those by the variance and the
/// lengthscale of each part. NaN for a smoothness or a Hurst index, which have no state-space
/// derivative.
pub(super) fn by_parameters(kernel: &Kernel, parts: &[PartSlope]) -> Vec<f64> {
    let variance: f64 = parts.iter().map(|p| p.variance).sum();
    if constant(kernel).is_some() {
        return vec![variance; kernel.parameter_count()];
    }
    match kernel {
        Kernel::Scale(_, k) => [vec![variance], by_parameters(k, parts)].concat(),
        Kernel::On(_, k) => by_parameters(k, parts),
        Kernel::Product(terms) => terms.iter().flat_map(|k| by_parameters(k, parts)).collect(),
        Kernel::Sum(terms) => {
            let mut rest = parts;
            let mut found = Vec::new();
            for k in terms.iter() {
                let (own, others) = rest.split_at(count(k));
                found.extend(by_parameters(k, own));
                rest = others;
            }
            found
        }
        Kernel::Base(base) => {
            let lengths = base.lengthscale().map_or(0, Lengthscale::count);
            let length = parts.first().map_or(0.0, |p| p.length);
            [vec![length; lengths], vec![f64::NAN; kernel.parameter_count() - lengths]].concat()
        }
        _ => vec![f64::NAN; kernel.parameter_count()],
    }
}

/// The number of parts of a kernel that has been recognized.
fn count(kernel: &Kernel) -> usize {
    match kernel {
        _ if constant(kernel).is_some() => 1,
        Kernel::Sum(terms) => terms.iter().map(count).sum(),
        Kernel::Product(terms) => terms.iter().filter(|k| constant(k).is_none()).map(count).sum(),
        Kernel::Scale(_, k) | Kernel::On(_, k) => count(k),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process_sum(text: &str, columns: usize) -> Option<ProcessSum> {
        ProcessSum::of(&text.parse().unwrap(), columns)
    }

    #[test]
    fn recognized_kernels() {
        for (text, columns, states) in [
            ("wiener()", 1, 1),
            ("2*3*matern(nu=5/2, lengthscale=0.5)", 1, 3),
            ("constant(value=2)*laplacian(norm=l1)", 1, 1),
            ("on([1], matern(nu=3/2))", 3, 2),
            ("matern(nu=3/2) + 0.5*brownian() + 2 + linear()", 1, 5),
            ("on([1], wiener() + matern(nu=1/2)) + 3*on([1], bridge())", 2, 3),
            ("sobolev(order=3)", 1, 3),
            ("matern(nu=1/2, lengthscale=median)", 1, 1),
        ] {
            assert_eq!(process_sum(text, columns).map(|l| l.dimension()), Some(states), "{text}");
        }
    }

    #[test]
    fn other_kernels_are_left_alone() {
        for (text, columns) in [
            ("gaussian()", 1),
            ("matern(nu=3/2)", 2),
            ("matern(nu=7/2)", 1),
            ("brownian(hurst=0.6)", 1),
            ("linear() + 1", 1),
            ("wiener()*wiener()", 1),
            ("on([0], wiener()) + on([1], wiener())", 2),
            ("on([0, 1], matern(nu=1/2))", 2),
            ("matern(nu=5/2) + matern(nu=5/2) + 1", 1),
            ("sobolev(order=4)", 1),
        ] {
            assert_eq!(process_sum(text, columns), None, "{text}");
        }
    }

    #[test]
    fn slopes_follow_the_order_of_the_parameters() {
        let kernel: Kernel = "2*(matern(nu=3/2, lengthscale=3) + 5*laplacian()) + constant(value=7)".parse().unwrap();
        let slope = |variance, length| PartSlope { variance, length };
        let found = by_parameters(&kernel, &[slope(1.0, 10.0), slope(2.0, 20.0), slope(4.0, 40.0)]);
        assert_eq!(found.len(), kernel.parameter_count());
        let known: Vec<f64> = found.iter().copied().filter(|v| !v.is_nan()).collect();
        assert_eq!(known, [3.0, 10.0, 2.0, 20.0, 4.0]);
        assert!(found[2].is_nan());
    }
}
