//! Spectra in closed form.

use super::finite;
use super::modes::Modes;
use super::recognize::{Known, recognize};
use super::waves::Waves;
use super::{Measure, Spectrum, hermite, waves};
use crate::{Error, Kernel, Result};

/// The spectrum of a kernel under length on an interval, or under a normal law.
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

fn on_interval(known: &Known<'_>, from: f64, to: f64, count: usize) -> Result<Found> {
    let length = to - from;
    Ok(match *known {
        Known::Motion { constant: 0.0, slope } if from == 0.0 && slope > 0.0 => {
            Some(scaled(waves::motion(to, count), slope, 0.5 * to * to))
        }
        Known::Motion { constant, slope } if from == 0.0 && slope > 0.0 => {
            let trace = constant * to + slope * 0.5 * to * to;
            Some(scaled(waves::lifted_motion(constant, slope, to, count), 1.0, trace))
        }
        Known::Bridge(slope) if (from, to) == (0.0, 1.0) => Some(scaled(waves::bridge(count), slope, 1.0 / 6.0)),
        Known::Exponential { factor, length: l } => {
            Some(scaled(waves::exponential(l, from, to, count), factor, length))
        }
        Known::Periodic { factor, period, length: l } if is_whole(length / period) => {
            Some(scaled(waves::periodic(period, l, (from, to), count), factor, length))
        }
        Known::Finite(factor, k) => Some(finite::on_interval(k, factor, from, to, count)?),
        _ => None,
    })
}

fn under_normal(known: &Known<'_>, deviation: f64, count: usize) -> Result<Found> {
    Ok(match *known {
        Known::Gaussian { factor, length } => {
            let (values, functions) = hermite::gaussian(length, deviation, count);
            Some((values.iter().map(|v| factor * v).collect(), Modes::Hermite(functions), factor))
        }
        Known::Finite(factor, k) => Some(finite::under_normal(k, factor, deviation, count)?),
        _ => None,
    })
}

/// The eigenvalues and the trace times a factor.
fn scaled((values, modes): Waves, factor: f64, trace: f64) -> (Vec<f64>, Modes, f64) {
    (values.iter().map(|v| factor * v).collect(), Modes::Waves(modes), factor * trace)
}

fn is_whole(count: f64) -> bool {
    count >= 0.5 && (count - count.round()).abs() <= 1e-12 * count
}

fn unknown(kernel: &Kernel, measure: &Measure) -> Error {
    let law = match measure {
        Measure::Interval { from, to } => format!("length on [{from}, {to}]"),
        Measure::Gaussian { deviation } => format!("the normal law with deviation {deviation}"),
        Measure::Sample(_) => "a sample".into(),
    };
    Error::unsupported(
        "closed form of the spectrum",
        format!("{kernel} under {law}"),
        "none is known; there is one for wiener (and with a constant) on [0, t], bridge on [0, 1], laplacian on any interval, periodic on whole periods, gaussian under a normal law, and finite_rank",
        "give a sample of the law",
    )
}
