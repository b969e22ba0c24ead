//! Recognition of kernels with spectra in closed form.

use crate::kernel::closed_forms::LineForm;
use crate::kernel::{Base, ColumnRef, Kernel};

/// A kernel whose integral operator is known, up to a factor that stands beside it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum KnownKernel<'a> {
    /// `constant + slope·min(x, y)`; the constant may be 0.
    Motion { constant: f64, slope: f64 },
    /// `slope·(min(x, y) − xy)`.
    Bridge(f64),
    /// `factor·exp(−|x − y|/length)`.
    Exponential { factor: f64, length: f64 },
    /// `factor·exp(−(x − y)²/(2 length²))`.
    Gaussian { factor: f64, length: f64 },
    /// `factor·exp(−2 sin²(π(x − y)/period)/length²)`.
    Periodic { factor: f64, period: f64, length: f64 },
    /// `factor·Σ ηₖφₖ(x)φₖ(y)`.
    Finite(f64, &'a crate::kernel::elementary::finite_rank::FiniteRank),
}

/// The closed form of a kernel on one column, if it has one.
pub(super) fn recognize(kernel: &Kernel) -> Option<KnownKernel<'_>> {
    match kernel {
        Kernel::Base(base) => of_base(base),
        Kernel::Scale(a, k) => Some(scaled(recognize(k)?, a.get())),
        Kernel::On(columns, k) if matches!(columns.as_slice(), [ColumnRef::Index(0)]) => recognize(k),
        Kernel::Sum(terms) => terms.iter().map(motion).try_fold((0.0, 0.0), add).map(of_motion),
        _ => None,
    }
}

fn add(sum: (f64, f64), part: Option<(f64, f64)>) -> Option<(f64, f64)> {
    part.map(|part| (sum.0 + part.0, sum.1 + part.1))
}

fn of_motion((constant, slope): (f64, f64)) -> KnownKernel<'static> {
    KnownKernel::Motion { constant, slope }
}

/// `(c, s)` of a kernel that is `c + s·min(x, y)`.
fn motion(kernel: &Kernel) -> Option<(f64, f64)> {
    if let Kernel::Base(base) = kernel
        && let Some(value) = base.constant()
    {
        return Some((value, 0.0));
    }
    if let Kernel::Scale(a, k) = kernel {
        return motion(k).map(|(c, s)| (a.get() * c, a.get() * s));
    }
    match recognize(kernel)? {
        KnownKernel::Motion { constant, slope } => Some((constant, slope)),
        _ => None,
    }
}

fn of_base(base: &Base) -> Option<KnownKernel<'_>> {
    Some(match base.line_form()? {
        LineForm::Minimum { constant } => of_motion((constant, 1.0)),
        LineForm::Bridge => KnownKernel::Bridge(1.0),
        LineForm::Exponential { length } => KnownKernel::Exponential { factor: 1.0, length },
        LineForm::Gaussian { length } => KnownKernel::Gaussian { factor: 1.0, length },
        LineForm::Periodic { period, length } => KnownKernel::Periodic { factor: 1.0, period, length },
        LineForm::FiniteRank(kernel) => KnownKernel::Finite(1.0, kernel),
    })
}

fn scaled(known: KnownKernel<'_>, a: f64) -> KnownKernel<'_> {
    match known {
        KnownKernel::Motion { constant, slope } => KnownKernel::Motion { constant: a * constant, slope: a * slope },
        KnownKernel::Bridge(slope) => KnownKernel::Bridge(a * slope),
        KnownKernel::Exponential { factor, length } => KnownKernel::Exponential { factor: a * factor, length },
        KnownKernel::Gaussian { factor, length } => KnownKernel::Gaussian { factor: a * factor, length },
        KnownKernel::Periodic { factor, period, length } => {
            KnownKernel::Periodic { factor: a * factor, period, length }
        }
        KnownKernel::Finite(factor, k) => KnownKernel::Finite(a * factor, k),
    }
}
