//! Densities and Stein kernels by their texts.

use ndarray::{Array1, Array2};

use super::{Density, SteinKernel};
use crate::error::AllowedRange;
use crate::kernel::closed_forms::SteinForm;
use crate::kernel::text::Arguments;
use crate::kernel::text::syntax::{Argument, Syntax, error_at, read};
use crate::wording::nearest;
use crate::{Error, Kernel, Result};

/// The densities by name, with their parameters.
const DENSITIES: [(&str, &[&str]); 3] = [
    ("normal", &["mean", "std"]),
    ("student", &["freedom", "location", "scale"]),
    ("logistic", &["location", "scale"]),
];

impl Density {
    /// The density that a text names, on `ℝᵈ`.
    ///
    /// # Formula
    /// `normal(mean=0, std=1)`, where both may be lists with a number per column;
    /// `student(freedom=3, location=0, scale=1)` and `logistic(location=0, scale=1)`, in every
    /// column.
    ///
    /// # Errors
    /// [`Error::Syntax`] for a text that names no density or a parameter out of range,
    /// [`Error::Shape`] for a list that does not have `d` numbers.
    ///
    /// # Example
    /// ```
    /// use mercer::measure::Density;
    /// use ndarray::array;
    /// let density = Density::parse("normal(mean=1, std=2)", 1)?;
    /// assert_eq!(density.score(array![[3.0]].view())?, array![[-0.5]]);
    /// assert!(Density::parse("norml()", 1).is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn parse(text: &str, d: usize) -> Result<Self> {
        let piece = read(text)?;
        let (name, arguments): (&str, &[Argument]) = match &piece.syntax {
            Syntax::Call(name, arguments) => (name, arguments),
            Syntax::Word(name) => (name, &[]),
            _ => return Err(error_at(text, piece.start, "expected a density such as normal(mean=0, std=1)")),
        };
        check_names(text, piece.start, name, arguments)?;
        Arguments::new(text, name, piece.start, arguments).build(|arguments| match name {
            "student" => Self::student(
                arguments.number("freedom", 3.0)?,
                arguments.number("location", 0.0)?,
                arguments.number("scale", 1.0)?,
            ),
            "logistic" => Self::logistic(arguments.number("location", 0.0)?, arguments.number("scale", 1.0)?),
            _ => {
                let (mean, spread) = (per_column(arguments, "mean", 0.0, d)?, per_column(arguments, "std", 1.0, d)?);
                if let Some(std) = spread.iter().find(|s| **s <= 0.0) {
                    return Err(Error::parameter("std", std, AllowedRange::POSITIVE));
                }
                Self::normal(mean, Array2::from_diag(&spread.mapv(|s| s * s)))
            }
        })
    }
}

/// A known density, and parameters that it has.
fn check_names(text: &str, start: usize, name: &str, arguments: &[Argument]) -> Result<()> {
    let names = || DENSITIES.iter().map(|(known, _)| *known);
    let Some((_, parameters)) = DENSITIES.iter().find(|(known, _)| *known == name) else {
        let list = names().collect::<Vec<_>>().join(", ");
        let hint = nearest(name, names()).map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
        return Err(error_at(text, start, format!("there is no density named `{name}`{hint}; there are {list}")));
    };
    for argument in arguments {
        if let Some(wrong) = argument.name.as_deref().filter(|n| !parameters.contains(n)) {
            let message = format!("{name} has no parameter `{wrong}`; it has {}", parameters.join(", "));
            return Err(error_at(text, argument.start, message));
        }
    }
    Ok(())
}

/// A number for all columns, or a list of one per column.
fn per_column(arguments: &mut Arguments<'_>, name: &str, default: f64, d: usize) -> Result<Array1<f64>> {
    let Some(piece) = arguments.named(name)? else { return Ok(Array1::from_elem(d, default)) };
    if !matches!(piece.syntax, Syntax::List(_)) {
        return Ok(Array1::from_elem(d, arguments.as_number(name, piece)?));
    }
    let values = arguments.as_numbers(name, piece)?;
    if values.len() == d {
        Ok(values.into())
    } else {
        Err(Error::shape(name, format!("a number per column ({d})"), values.len()))
    }
}

impl TryFrom<&Kernel> for SteinKernel {
    type Error = Error;

    /// The Stein kernel over `inverse_multiquadric(offset=c)` or `gaussian(lengthscale=ℓ)`, with
    /// one lengthscale that is a number.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for other kernels.
    fn try_from(kernel: &Kernel) -> Result<Self> {
        let form = if let Kernel::Base(base) = kernel { base.stein_form() } else { None };
        match form.ok_or_else(|| unfit(kernel))? {
            SteinForm::Gaussian { length } => Self::gaussian(length),
            SteinForm::InverseMultiquadric { offset } => Self::inverse_multiquadric(offset, 0.5),
        }
    }
}

fn unfit(kernel: &Kernel) -> Error {
    Error::unsupported(
        "Stein discrepancy",
        kernel,
        "it is not a kernel for a Stein discrepancy",
        "use inverse_multiquadric(offset=…) or gaussian(lengthscale=…) with one number",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn densities_by_name() {
        let x = array![[1.0, -2.0]];
        let normal = Density::parse("normal(mean=[0, 1], std=[1, 3])", 2).unwrap();
        let score = normal.score(x.view()).unwrap();
        assert_close!(score[[0, 0]], -1.0, abs = 1e-15);
        assert_close!(score[[0, 1]], 1.0 / 3.0, abs = 1e-15);
        assert_eq!(Density::parse("normal", 2).unwrap(), Density::standard_normal(2));
        assert_eq!(Density::parse("student(freedom=5)", 1).unwrap(), Density::student(5.0, 0.0, 1.0).unwrap());
        assert_eq!(Density::parse("logistic(scale=2)", 1).unwrap(), Density::logistic(0.0, 2.0).unwrap());
    }

    #[test]
    fn wrong_densities_are_named() {
        for (text, message) in [
            ("norml()", "there is no density named `norml` (did you mean `normal`?)"),
            ("normal(sd=1)", "normal has no parameter `sd`; it has mean, std"),
            ("normal(std=0)", "std = 0 is not allowed: it must be finite and positive"),
            ("student(freedom=-1)", "freedom = -1 is not allowed"),
            ("normal(mean=[1, 2, 3])", "mean: expected a number per column (2), found 3"),
            ("2*normal()", "expected a density such as"),
        ] {
            let found = Density::parse(text, 2).unwrap_err().to_string();
            assert!(found.contains(message), "{text}: {found}");
        }
    }

    #[test]
    fn stein_kernels_from_kernels() {
        let of = |text: &str| SteinKernel::try_from(&text.parse::<Kernel>().unwrap());
        assert_eq!(of("inverse_multiquadric(offset=1)").unwrap(), SteinKernel::default());
        assert_eq!(of("gaussian(lengthscale=2)").unwrap(), SteinKernel::gaussian(2.0).unwrap());
        assert!(of("laplacian()").is_err() && of("gaussian(lengthscale=[1, 2])").is_err());
    }
}
