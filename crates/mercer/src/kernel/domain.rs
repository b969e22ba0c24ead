//! Domains of kernels, and the check that data lies in them.

use ndarray::ArrayView2;

use crate::error::{AllowedRange, Requirement};
use crate::points::PointKind;
use crate::{Error, Kernel, Result};

/// Where a kernel is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Any points at all, vectors or not.
    Anything,
    /// `ℝᵈ`, any number of columns.
    Vectors,
    /// `[0, ∞)ᵈ`: counts, histograms.
    NonNegativeVectors,
    /// One column: the line.
    Line,
    /// One column, `[0, ∞)`.
    HalfLine,
    /// One column, `[0, 1]`.
    UnitInterval,
    /// One column, `(0, 1)`.
    OpenUnitInterval,
    /// Strings.
    Strings,
    /// Graphs.
    Graphs,
    /// Bags of vectors.
    Bags,
    /// Persistence diagrams.
    Diagrams,
    /// A matrix of precomputed kernel values.
    Matrix,
    /// Whatever the kernel inside is defined on.
    Inherited,
}

impl Domain {
    /// As people write it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Anything => "any points",
            Self::Vectors => "ℝᵈ",
            Self::NonNegativeVectors => "[0, ∞)ᵈ",
            Self::Line => "ℝ (one column)",
            Self::HalfLine => "[0, ∞) (one column)",
            Self::UnitInterval => "[0, 1] (one column)",
            Self::OpenUnitInterval => "(0, 1) (one column)",
            Self::Strings => "strings",
            Self::Graphs => "graphs",
            Self::Bags => "bags of vectors",
            Self::Diagrams => "persistence diagrams",
            Self::Matrix => "a precomputed matrix",
            Self::Inherited => "that of the kernel inside",
        }
    }

    /// Whether the domain has exactly one column.
    pub fn one_column(self) -> bool {
        matches!(self, Self::Line | Self::HalfLine | Self::UnitInterval | Self::OpenUnitInterval)
    }

    /// The kind of points, where it is not vectors.
    pub fn objects(self) -> Option<PointKind> {
        match self {
            Self::Strings => Some(PointKind::Strings),
            Self::Graphs => Some(PointKind::Graphs),
            Self::Bags => Some(PointKind::Bags),
            Self::Diagrams => Some(PointKind::Diagrams),
            _ => None,
        }
    }

    /// Whether a coordinate may take this value.
    pub fn contains(self, value: f64) -> bool {
        self.range().contains(value)
    }

    /// The values that a coordinate may take.
    pub fn range(self) -> AllowedRange {
        match self {
            Self::NonNegativeVectors | Self::HalfLine => AllowedRange::NON_NEGATIVE,
            Self::UnitInterval => AllowedRange::UNIT,
            Self::OpenUnitInterval => AllowedRange::OPEN_UNIT,
            _ => AllowedRange::LINE,
        }
    }

    /// Checks a sample before a kernel touches it.
    pub(crate) fn check(self, kernel: &Kernel, x: ArrayView2<f64>) -> Result<()> {
        if let Some(takes) = self.objects() {
            return Err(Error::wrong_points(kernel, takes, PointKind::Vectors));
        }
        if self.one_column() && x.ncols() != 1 {
            return Err(Error::shape(
                &format!("columns for {kernel}, which lives on {} (choose one with on([j], …))", self.text()),
                1,
                x.ncols(),
            ));
        }
        let range = self.range();
        // Without a branch per value, so that it becomes SIMD code.
        let all_finite =
            |values: &[f64]| values.chunks(4096).all(|c| !c.iter().fold(false, |bad, v| bad | !v.is_finite()));
        if range == AllowedRange::LINE && x.as_slice_memory_order().is_some_and(all_finite) {
            return Ok(());
        }
        match x.indexed_iter().find(|(_, v)| !range.contains(**v)) {
            None => Ok(()),
            Some(((row, column), value)) => {
                Err(Error::value(kernel.to_string(), (row, column), value, Requirement::Domain(range)))
            }
        }
    }
}
