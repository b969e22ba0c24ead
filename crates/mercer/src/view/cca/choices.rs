//! What may be chosen of canonical correlations.

use crate::{Error, Result};

/// How the problem is regularized. `K_v` is the centered kernel matrix of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CcaForm {
    /// `(K_v + (nκ/2)I)²` instead of `K_v²` [Bach and Jordan 2002].
    #[default]
    BachJordan,
    /// `K_v² + nκK_v` instead of `K_v²`: covariance operators with `Σ + κI`, where κ is called
    /// ε [Fukumizu, Bach and Gretton 2007].
    Fukumizu,
}

impl CcaForm {
    /// The word for it in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::BachJordan => "bach_jordan",
            Self::Fukumizu => "fukumizu",
        }
    }

    /// The form of a word.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another word.
    pub fn parse(word: &str) -> Result<Self> {
        let all = [Self::BachJordan, Self::Fukumizu];
        let found = all.into_iter().find(|form| form.name() == word);
        found.ok_or_else(|| Error::parameter("form", word, "one of bach_jordan, fukumizu"))
    }

    /// `c` in `K_v + cI`.
    pub(super) fn shift(self, kappa: f64, n: usize) -> f64 {
        match self {
            Self::BachJordan => 0.5 * n as f64 * kappa,
            Self::Fukumizu => n as f64 * kappa,
        }
    }

    /// The factor of an eigenvector of `K_v` in the matrix between views.
    pub(super) fn scale(self, eigenvalue: f64, shift: f64) -> f64 {
        let share = eigenvalue / (eigenvalue + shift);
        match self {
            Self::BachJordan => share,
            Self::Fukumizu => share.sqrt(),
        }
    }
}

/// How exactly the kernel matrices are represented.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Rank {
    /// Pivoted Cholesky factors that change no correlation by more than `1e-6`, by a bound; the
    /// whole matrices for few rows, matrices that are not proven to be positive semi-definite, or
    /// where the rank is above half of the rows.
    #[default]
    Auto,
    /// The whole matrices.
    Exact,
    /// Pivoted Cholesky factors that leave out this share of the trace.
    Tolerance(f64),
}

/// What is extreme for three or more views; for two views both are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Criterion {
    /// The smallest generalized eigenvalues λ, with the correlation `1 − λ` [Bach and Jordan 2002].
    #[default]
    SmallestEigenvalue,
    /// The largest generalized eigenvalues λ, with the correlation `(λ − 1)/(m − 1)`: functions that
    /// all views have in common [Kettenring 1971, MAXVAR].
    LargestEigenvalue,
}

impl Criterion {
    /// The word for it in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::SmallestEigenvalue => "smallest_eigenvalue",
            Self::LargestEigenvalue => "largest_eigenvalue",
        }
    }

    /// The criterion of a word.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another word.
    pub fn parse(word: &str) -> Result<Self> {
        let all = [Self::SmallestEigenvalue, Self::LargestEigenvalue];
        let found = all.into_iter().find(|criterion| criterion.name() == word);
        found.ok_or_else(|| Error::parameter("criterion", word, "one of smallest_eigenvalue, largest_eigenvalue"))
    }
}
