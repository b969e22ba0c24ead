//! Feature maps of either kind, selected at run time, and their serialization.

use ndarray::{Array2, ArrayView2};

use super::{FeatureMap, FourierFeatures, FourierForm, Nystrom, NystromFeatures, RandomFourier, Sampling};
use crate::error::AllowedRange;
use crate::record::Record;
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Result};

/// How features are made, if the caller leaves the choice open.
#[derive(Clone, Debug, PartialEq)]
pub enum FeatureSpec {
    /// Random Fourier features, for shift-invariant kernels.
    Fourier(RandomFourier),
    /// Nyström features, for every kernel that is positive semi-definite.
    Nystrom(Nystrom),
}

impl FeatureSpec {
    /// The settings by name: `features` (`fourier` or `nystrom`), `kernel`, `components`, and
    /// `form` and `sampling`, or `landmarks`, `tolerance` and `rank`.
    pub fn settings(&self) -> Settings {
        let settings = Settings::new().with("kernel", self.kernel()).with("components", self.components());
        match self {
            Self::Fourier(spec) => settings
                .with("features", "fourier")
                .with("form", if spec.form == FourierForm::Pair { "pair" } else { "offset" })
                .with("sampling", spec.sampling.name()),
            Self::Nystrom(spec) => settings
                .with("features", "nystrom")
                .with("landmarks", spec.landmarks.name())
                .with("tolerance", spec.tolerance)
                .with_some("rank", spec.rank),
        }
    }

    /// The kernel, as it was given.
    pub fn kernel(&self) -> &Kernel {
        match self {
            Self::Fourier(spec) => &spec.kernel,
            Self::Nystrom(spec) => &spec.kernel,
        }
    }

    /// The features, at most.
    pub fn components(&self) -> usize {
        match self {
            Self::Fourier(spec) => spec.components,
            Self::Nystrom(spec) => spec.components,
        }
    }

    /// Draws the features; medians are resolved on the sample and landmarks chosen in it.
    ///
    /// # Errors
    /// As [`RandomFourier::fit`] and [`Nystrom::fit`].
    pub fn draw(&self, sample: ArrayView2<f64>, compute: &Compute) -> Result<DrawnFeatures> {
        Ok(match self {
            Self::Fourier(spec) => DrawnFeatures::Fourier(spec.fit(sample, compute)?),
            Self::Nystrom(spec) => DrawnFeatures::Nystrom(spec.fit(sample, compute)?),
        })
    }
}

/// Features that were drawn.
// There is one in a fit: its size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub enum DrawnFeatures {
    /// Random Fourier features.
    Fourier(FourierFeatures),
    /// Nyström features.
    Nystrom(NystromFeatures),
}

const FORMS: [(FourierForm, &str); 2] = [(FourierForm::Pair, "pair"), (FourierForm::Offset, "offset")];
const SAMPLINGS: [(Sampling, &str); 3] =
    [(Sampling::Iid, "iid"), (Sampling::Orthogonal, "orthogonal"), (Sampling::QuasiMonteCarlo, "quasi_monte_carlo")];

impl DrawnFeatures {
    /// `fourier` or `nystrom`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fourier(_) => "fourier",
            Self::Nystrom(_) => "nystrom",
        }
    }

    fn map(&self) -> &dyn FeatureMap {
        match self {
            Self::Fourier(map) => map,
            Self::Nystrom(map) => map,
        }
    }

    pub(crate) fn put_into(&self, record: &mut Record) {
        record.put_text("kernel", self.kernel());
        record.put_text("features", self.name());
        match self {
            Self::Fourier(map) => {
                record.put_text("form", word(&FORMS, map.form()));
                record.put_text("sampling", word(&SAMPLINGS, map.sampling()));
                record.put_matrix("frequencies", map.frequencies());
                record.put_vector("offsets", map.offsets());
                record.put_vector("amplitudes", map.amplitudes());
            }
            Self::Nystrom(map) => {
                record.put_points("landmarks", map.landmarks());
                record.put_matrix("landmark_map", map.map());
                record.put_number("trace", map.trace());
                record.put_number("trace_error", map.trace_error());
            }
        }
    }

    pub(crate) fn take_from(record: &mut Record) -> Result<Self> {
        let kernel = record.kernel()?;
        match record.text("features")? {
            "fourier" => {
                let form = value(&FORMS, "form", record.text("form")?)?;
                let sampling = value(&SAMPLINGS, "sampling", record.text("sampling")?)?;
                let frequencies = record.take_leading_matrix("frequencies")?;
                let count = frequencies.nrows();
                let offsets = match form {
                    FourierForm::Offset => record.take_finite_vector("offsets", count)?,
                    FourierForm::Pair => record.take_any_vector("offsets")?,
                };
                if let Some(bad) = offsets.iter().find(|b| !b.is_finite()) {
                    return Err(Error::parameter("offsets", bad, AllowedRange::LINE));
                }
                let amplitudes = record.take_finite_vector("amplitudes", count)?;
                let map = FourierFeatures::from_parts(kernel, (form, sampling), frequencies, offsets, amplitudes)?;
                Ok(Self::Fourier(map))
            }
            "nystrom" => {
                let points = record.take_points("landmarks")?;
                let map = record.take_leading_matrix("landmark_map")?;
                let traces = (record.number("trace")?, record.number("trace_error")?);
                Ok(Self::Nystrom(NystromFeatures::from_parts(kernel, points, map, traces)?))
            }
            other => Err(Error::parameter("features", other, "features that this version knows")),
        }
    }
}

impl FeatureMap for DrawnFeatures {
    fn kernel(&self) -> &Kernel {
        self.map().kernel()
    }

    fn columns(&self) -> usize {
        self.map().columns()
    }

    fn components(&self) -> usize {
        self.map().components()
    }

    fn transform(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.map().transform(x, compute)
    }
}

fn word<T: PartialEq>(words: &[(T, &'static str)], value: T) -> &'static str {
    words.iter().find(|(v, _)| *v == value).map_or("", |(_, word)| word)
}

fn value<T: Copy>(words: &[(T, &str)], name: &str, text: &str) -> Result<T> {
    let found = words.iter().find(|(_, word)| *word == text).map(|(value, _)| *value);
    found.ok_or_else(|| Error::parameter(name, text, "a word that this version knows"))
}
