//! How the error of random Fourier features falls with their number.

use ndarray::ArrayView2;

use super::{FourierForm, RandomFourier, measured_error};
use crate::{Compute, Error, Result, Seed};

/// The error of random Fourier features against the number of frequencies.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorDecay {
    /// `D`: the frequencies.
    pub frequencies: Vec<usize>,
    /// The root mean square of `z(x)ᵀz(y) − k(x, y)` over pairs of points and over draws, for each
    /// `D`.
    pub errors: Vec<f64>,
    /// `c` of the line `c/√D` through the errors (their mean distance from it, in logarithms, is
    /// 0).
    pub scale: f64,
}

impl ErrorDecay {
    /// The error rate of independent frequencies at `D` of them: `c/√D`.
    pub fn line(&self, frequencies: usize) -> f64 {
        self.scale / (frequencies as f64).sqrt()
    }
}

impl RandomFourier {
    /// Measures the error for several numbers of frequencies, each with `draws` independent draws,
    /// on at most `points` rows of a sample.
    ///
    /// # Theory
    /// Independent frequencies have a variance of `1/D`, so that the errors lie on the line `c/√D`;
    /// orthogonal and quasi-random ones fall below it.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no number, a number of 0 or no draw; as [`RandomFourier::fit`] and
    /// [`measured_error`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, features::RandomFourier};
    /// use ndarray::Array2;
    /// let x = Array2::from_shape_fn((60, 2), |(i, j)| ((i * 2 + j) as f64).sin());
    /// let spec = RandomFourier::new("gaussian()".parse()?, 2);
    /// let decay = spec.error_decay(x.view(), &[16, 64, 256], 8, 60, &Compute::new())?;
    /// mercer::assert_close!(decay.errors[0] / decay.errors[2], 4.0, abs = 1.5);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn error_decay(
        &self,
        x: ArrayView2<f64>,
        frequencies: &[usize],
        draws: usize,
        points: usize,
        compute: &Compute,
    ) -> Result<ErrorDecay> {
        if frequencies.is_empty() || frequencies.contains(&0) {
            return Err(Error::parameter("frequencies", format!("{frequencies:?}"), "numbers of at least 1"));
        }
        if draws == 0 {
            return Err(Error::parameter("draws", draws, 1..));
        }
        let of = |&count: &usize| self.mean_error(x, count, draws, points, compute);
        let errors: Vec<f64> = frequencies.iter().map(of).collect::<Result<_>>()?;
        let logarithms =
            errors.iter().zip(frequencies).map(|(e, d)| e.max(f64::MIN_POSITIVE).ln() + 0.5 * (*d as f64).ln());
        let scale = (logarithms.sum::<f64>() / errors.len() as f64).exp();
        Ok(ErrorDecay { frequencies: frequencies.to_vec(), errors, scale })
    }

    /// The root of the mean square error over draws.
    fn mean_error(
        &self,
        x: ArrayView2<f64>,
        count: usize,
        draws: usize,
        points: usize,
        compute: &Compute,
    ) -> Result<f64> {
        let components = if self.form == FourierForm::Pair { 2 * count } else { count };
        let spec = Self { components, ..self.clone() };
        let mut squares = 0.0;
        for draw in 0..draws {
            let seeded = compute.silent().with_seed(Seed(compute.seed().0.wrapping_add(draw as u64)));
            let error = measured_error(&spec.fit(x, &seeded)?, x, points, &compute.silent())?;
            squares += error.root_mean_square.powi(2);
        }
        Ok((squares / draws as f64).sqrt())
    }
}
