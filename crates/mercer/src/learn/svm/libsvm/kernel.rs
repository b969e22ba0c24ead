//! LIBSVM's kernels and ours.

use super::header::Header;
use crate::kernel::closed_forms::PowerSeries;
use crate::{Error, Kernel, Result};

/// The kernel that a header describes.
pub(super) fn read(header: &Header<'_>) -> Result<Kernel> {
    let number = |name: &str| header.number::<f64>(name);
    let text = match header.word("kernel_type")? {
        "linear" => "linear()".to_owned(),
        "polynomial" => {
            let (degree, offset, scale) = (number("degree")?, number("coef0")?, number("gamma")?);
            format!("polynomial(degree={degree}, offset={offset:?}, scale={scale:?})")
        }
        "rbf" => format!("gaussian(lengthscale={:?})", (0.5 / number("gamma")?).sqrt()),
        "sigmoid" => format!("tanh(scale={:?}, offset={:?})", number("gamma")?, number("coef0")?),
        "precomputed" => "precomputed()".to_owned(),
        other => return Err(header.wrong("kernel_type", &format!("`{other}` is none of LIBSVM's kernels"))),
    };
    text.parse().map_err(|e: Error| header.wrong("kernel_type", &e.to_string()))
}

/// The lines of a header that describe a kernel.
pub(super) fn write(kernel: &Kernel) -> Result<String> {
    let value = |name: &str| {
        let found = kernel.parameters().into_iter().find(|p| p.name.rsplit('.').next() == Some(name));
        found.map(|p| p.value).ok_or_else(|| refused(kernel))
    };
    let Kernel::Base(base) = kernel else { return Err(refused(kernel)) };
    Ok(match (base.entry().name, base.power_series()) {
        ("linear", _) => "kernel_type linear\n".into(),
        ("polynomial", Some(PowerSeries::Power { degree, .. })) => {
            let (gamma, offset) = (value("scale")?, value("offset")?);
            format!("kernel_type polynomial\ndegree {degree}\ngamma {gamma}\ncoef0 {offset}\n")
        }
        ("gaussian", _) => {
            format!("kernel_type rbf\ngamma {}\n", gamma_of(value("lengthscale")?))
        }
        ("tanh", _) => {
            format!("kernel_type sigmoid\ngamma {}\ncoef0 {}\n", value("scale")?, value("offset")?)
        }
        ("precomputed", _) => "kernel_type precomputed\n".into(),
        _ => return Err(refused(kernel)),
    })
}

/// `γ = 1/(2ℓ²)`: of the numbers next to it the one with the fewest digits that gives the same
/// lengthscale, so that a `γ` that was read is written.
fn gamma_of(lengthscale: f64) -> f64 {
    let gamma = 0.5 / (lengthscale * lengthscale);
    let near = (-2..=2_i64).map(|k| f64::from_bits(gamma.to_bits().wrapping_add_signed(k)));
    let same = near.filter(|g| (0.5 / g).sqrt() == lengthscale);
    same.min_by_key(|g| g.to_string().len()).unwrap_or(gamma)
}

fn refused(kernel: &Kernel) -> Error {
    Error::unsupported(
        "LIBSVM file",
        kernel,
        "it has linear, polynomial, gaussian with one lengthscale, tanh and precomputed kernels",
        "save a model file of Mercer",
    )
}
