//! The search range of a parameter, and whether the selected value is at its border.

use std::fmt;

/// The values of a number that a search tried, and the one that was chosen.
///
/// # Example
/// ```
/// use mercer::select::SearchedRange;
/// let range = SearchedRange { parameter: "lambda", first: (1e-6, 1e3), last: (1e-10, 1e3), chosen: 1e-10, at_border: true };
/// assert!(range.is_extended() && range.at_border);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SearchedRange {
    /// What was chosen: `lambda`, `lengthscale`, `C`, `nu`.
    pub parameter: &'static str,
    /// The smallest and the largest value of the first grid.
    pub first: (f64, f64),
    /// The smallest and the largest value in the end, after the grid was extended.
    pub last: (f64, f64),
    /// The value that was chosen.
    pub chosen: f64,
    /// Whether it lies at an end of the range, so that the optimum may lie beyond.
    pub at_border: bool,
}

impl SearchedRange {
    /// From the values of the first grid, all values, and the chosen one. A single value is no
    /// range to choose from, and `perfect` scores have no better ones beyond the end.
    pub(super) fn new(parameter: &'static str, first: &[f64], all: &[f64], chosen: f64, perfect: bool) -> Self {
        let ends = |values: &[f64]| {
            let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
            (smallest, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        };
        let (first, last) = (ends(first), ends(all));
        let at_border = !perfect && last.0 < last.1 && (chosen <= last.0 || chosen >= last.1);
        Self { parameter, first, last, chosen, at_border }
    }

    /// Whether more was tried than the first grid.
    pub fn is_extended(&self) -> bool {
        self.last.0 < self.first.0 || self.last.1 > self.first.1
    }
}

impl fmt::Display for SearchedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parameter, first, last, chosen, .. } = self;
        write!(f, "{parameter} {chosen:.4e} of {:.1e} to {:.1e}", last.0, last.1)?;
        if self.is_extended() {
            write!(f, " (at first {:.1e} to {:.1e})", first.0, first.1)?;
        }
        if self.at_border { f.write_str(", at the end of the range") } else { Ok(()) }
    }
}
