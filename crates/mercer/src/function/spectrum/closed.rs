//! Spectra in closed form.

use super::finite;
use super::modes::Modes;
use super::recognize::{KnownKernel, recognize};
use super::sinusoids::Sinusoids;
use super::{Measure, Spectrum, hermite, sinusoids};
use crate::{Error, Kernel, Result};

/// The spectrum of a kernel under length on an interval, or under a normal distribution.
pub(super) fn spectrum(kernel: &Kernel, measure: &Measure, count: usize) -> Result<Spectrum> {
    let found = match (recognize(kernel), measure) {
        (Some(known), Measure::Interval { from, to }) => on_interval(&known, *from, *to, count)?,
        (Some(known), Measure::Gaussian { deviation }) => under_normal(&known, *deviation, count)?,
        _ => None,
    };
    let (mut eigenvalues, modes, trace) = found.ok_or_else(|| unknown(kernel, measure))?;
    eigenvalues.iter_mut().for_each(|v| *v = v.max(0.0));
    Ok(Spectrum { kernel: kernel.clone(), eigenvalues, modes, errors: None, trace })
}

type Found = Option<(Vec<f64>, Modes, f64)>;

fn on_interval(known: &KnownKernel<'_>, from: f64, to: f64, count: usize) -> Result<Found> {
    let length = to - from;
    Ok(match *known {
        KnownKernel::Motion { constant: 0.0, slope } if from == 0.0 && slope > 0.0 => {
            Some(scaled(sinusoids::motion(to, count), slope, 0.5 * to * to))
        }
        KnownKernel::Motion { constant, slope } if from == 0.0 && slope > 0.0 => {
            let trace = constant * to + slope * 0.5 * to * to;
            Some(scaled(sinusoids::lifted_motion(constant, slope, to, count), 1.0, trace))
        }
        KnownKernel::Bridge(slope) if (from, to) == (0.0, 1.0) => {
            Some(scaled(sinusoids::bridge(count), slope, 1.0 / 6.0))
        }
        KnownKernel::Exponential { factor, length: l } => {
            Some(scaled(sinusoids::exponential(l, from, to, count), factor, length))
        }
        KnownKernel::Periodic { factor, period, length: l } if is_whole(length / period) => {
            Some(scaled(sinusoids::periodic(period, l, (from, to), count), factor, length))
        }
        KnownKernel::Finite(factor, k) => Some(finite::on_interval(k, factor, from, to, count)?),
        _ => None,
    })
}

fn under_normal(known: &KnownKernel<'_>, deviation: f64, count: usize) -> Result<Found> {
    Ok(match *known {
        KnownKernel::Gaussian { factor, length } => {
            let (values, functions) = hermite::gaussian(length, deviation, count);
            Some((values.iter().map(|v| factor * v).collect(), Modes::Hermite(functions), factor))
        }
        KnownKernel::Finite(factor, k) => Some(finite::under_normal(k, factor, deviation, count)?),
        _ => None,
    })
}

/// The eigenvalues and the trace times a factor.
fn scaled((values, modes): Sinusoids, factor: f64, trace: f64) -> (Vec<f64>, Modes, f64) {
    (values.iter().map(|v| factor * v).collect(), Modes::Sinusoids(modes), factor * trace)
}

fn is_whole(count: f64) -> bool {
    count >= 0.5 && (count - count.round()).abs() <= 1e-12 * count
}

fn unknown(kernel: &Kernel, measure: &Measure) -> Error {
    let distribution = match measure {
        Measure::Interval { from, to } => format!("length on [{from}, {to}]"),
        Measure::Gaussian { deviation } => format!("the normal law with deviation {deviation}"),
        Measure::Sample(_) => "a sample".into(),
    };
    Error::unsupported(
        "closed form of the spectrum",
        format!("{kernel} under {distribution}"),
        "none is known; there is one for wiener (and with a constant) on [0, t], bridge on [0, 1], laplacian on any interval, periodic on whole periods, gaussian under a normal law, and finite_rank",
        "give a sample of the law",
    )
}
