//! What memory is asked for.

/// The purpose of an allocation that the memory limit refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemoryPurpose {
    /// A table that is read from a file: reading it in chunks needs less.
    Table,
    /// A file other than a table, or a part of one, such as a single row or a model.
    File,
    /// A matrix of kernel values, or a product with it: tiles need less.
    KernelMatrix,
    /// Explicit features of the points.
    Features,
    /// A factorization or an eigendecomposition.
    Factorization,
    /// The whole of a fit: another solver may need less.
    Fit,
    /// The statistics of a hypothesis test.
    Test,
}
