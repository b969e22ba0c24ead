//! Features that were made, and their serialization.

use ndarray::Array2;

use super::entry::{BINNING, EMPIRICAL, EXPLICIT, FOURIER, NYSTROM};
use crate::error::MemoryPurpose;
use crate::features::{BinningFeatures, DrawnFeatures, ExplicitFeatures, FeatureMap, FourierFeatures, NystromFeatures};
use crate::learner::LearnerEntry;
use crate::record::Record;
use crate::settings::Settings;
use crate::{Compute, Kernel, Points, Result};

/// A fitted [`FeatureView`](super::FeatureView).
#[derive(Clone, Debug)]
pub struct FeatureFit {
    pub(super) map: Map,
    pub(super) settings: Settings,
    pub(super) entry: &'static LearnerEntry,
}

/// The map.
// There is one in a fit: its size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub(super) enum Map {
    Drawn(DrawnFeatures),
    Binning(BinningFeatures),
    Explicit(ExplicitFeatures),
}

impl FeatureFit {
    /// The features of points, one row each. Random binning features have many columns, of which a
    /// row has one per grid that is not 0: [`FeatureFit::binning`] has them without the zeros.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) over the limit; as the map.
    pub fn transform<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        match &self.map {
            Map::Drawn(DrawnFeatures::Fourier(map)) => map.transform_points(x, compute),
            Map::Drawn(DrawnFeatures::Nystrom(map)) => map.transform(x, compute),
            Map::Explicit(map) => map.transform(x.vectors()?, compute),
            Map::Binning(map) => {
                let bytes = 8 * (x.len() as u64).saturating_mul(map.components() as u64);
                let advice = "take the cells of the grids, transform fewer rows at a time, or use fewer buckets";
                compute.reserve(MemoryPurpose::Features, "binning features with their zeros", bytes, advice)?;
                map.transform(x.vectors()?, compute)?.to_dense(compute)
            }
        }
    }

    /// The kernel that the features approximate, medians resolved.
    pub fn kernel(&self) -> &Kernel {
        match &self.map {
            Map::Drawn(map) => map.kernel(),
            Map::Binning(map) => map.kernel(),
            Map::Explicit(map) => map.kernel(),
        }
    }

    /// The columns of the data.
    pub fn columns(&self) -> usize {
        match &self.map {
            Map::Drawn(map) => map.columns(),
            Map::Binning(map) => map.columns(),
            Map::Explicit(map) => map.columns(),
        }
    }

    /// The columns of the features.
    pub fn components(&self) -> usize {
        match &self.map {
            Map::Drawn(map) => map.components(),
            Map::Binning(map) => map.components(),
            Map::Explicit(map) => map.components(),
        }
    }

    /// The map, where it is one of random Fourier features.
    pub fn fourier(&self) -> Option<&FourierFeatures> {
        if let Map::Drawn(DrawnFeatures::Fourier(map)) = &self.map { Some(map) } else { None }
    }

    /// The map, where it is one of random binning features.
    pub fn binning(&self) -> Option<&BinningFeatures> {
        if let Map::Binning(map) = &self.map { Some(map) } else { None }
    }

    /// The map, where it is one of landmarks.
    pub fn nystrom(&self) -> Option<&NystromFeatures> {
        if let Map::Drawn(DrawnFeatures::Nystrom(map)) = &self.map { Some(map) } else { None }
    }

    /// The map, where it is the exact one of a kernel.
    pub fn explicit(&self) -> Option<&ExplicitFeatures> {
        if let Map::Explicit(map) = &self.map { Some(map) } else { None }
    }

    /// A map of random Fourier features, with what was requested.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for settings that the learner does not have.
    pub fn of_fourier(map: FourierFeatures, settings: &Settings) -> Result<Self> {
        Self::of_map(Map::Drawn(DrawnFeatures::Fourier(map)), settings, &FOURIER)
    }

    /// A map of random binning features, with what was requested.
    ///
    /// # Errors
    /// As [`FeatureFit::of_fourier`].
    pub fn of_binning(map: BinningFeatures, settings: &Settings) -> Result<Self> {
        Self::of_map(Map::Binning(map), settings, &BINNING)
    }

    /// A map of landmarks, or of all points, with what was requested.
    ///
    /// # Errors
    /// As [`FeatureFit::of_fourier`].
    pub fn of_nystrom(map: NystromFeatures, empirical: bool, settings: &Settings) -> Result<Self> {
        let entry = if empirical { &EMPIRICAL } else { &NYSTROM };
        Self::of_map(Map::Drawn(DrawnFeatures::Nystrom(map)), settings, entry)
    }

    /// The exact map of a kernel, with what was requested.
    ///
    /// # Errors
    /// As [`FeatureFit::of_fourier`].
    pub fn of_explicit(map: ExplicitFeatures, settings: &Settings) -> Result<Self> {
        Self::of_map(Map::Explicit(map), settings, &EXPLICIT)
    }

    fn of_map(map: Map, settings: &Settings, entry: &'static LearnerEntry) -> Result<Self> {
        Ok(Self { map, settings: entry.complete(settings)?, entry })
    }

    /// What was requested.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        match &self.map {
            Map::Drawn(map) => map.put_into(&mut record),
            Map::Binning(map) => map.put_into(&mut record),
            Map::Explicit(map) => {
                record.put_text("kernel", map.kernel());
                record.put_count("columns", map.columns());
            }
        }
        record
    }

    pub(super) fn drawn(record: &mut Record, settings: Settings, entry: &'static LearnerEntry) -> Result<Self> {
        Ok(Self { map: Map::Drawn(DrawnFeatures::take_from(record)?), settings, entry })
    }

    pub(super) fn of_grids(record: &mut Record, settings: Settings, entry: &'static LearnerEntry) -> Result<Self> {
        Ok(Self { map: Map::Binning(BinningFeatures::take_from(record)?), settings, entry })
    }

    pub(super) fn of_kernel(record: &mut Record, settings: Settings, entry: &'static LearnerEntry) -> Result<Self> {
        let map = ExplicitFeatures::new(record.kernel()?, record.count("columns")?)?;
        Ok(Self { map: Map::Explicit(map), settings, entry })
    }
}
