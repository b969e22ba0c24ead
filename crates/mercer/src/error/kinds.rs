//! The names of the variants.

use super::Error;

macro_rules! kinds {
    ($($variant:ident => $name:literal),+ $(,)?) => {
        /// The names of all kinds of errors, as [`Error::kind`] gives them.
        pub const KINDS: &[&str] = &[$($name),+];

        impl Error {
            /// The name of the variant, in snake case: one of [`KINDS`].
            ///
            /// # Example
            /// ```
            /// assert_eq!(mercer::Error::Canceled.kind(), "canceled");
            /// assert!(mercer::error::KINDS.contains(&"canceled"));
            /// ```
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $name),+
                }
            }
        }
    };
}

// A variant without a line here does not compile, and a name without a row in the tables of
// refusals of the command line and of Python fails there.
kinds! {
    Parameter => "parameter",
    Syntax => "syntax",
    Shape => "shape",
    TooFew => "too_few",
    AllEqual => "all_equal",
    AllZero => "all_zero",
    OneClass => "one_class",
    EmptyClass => "empty_class",
    Value => "value",
    Column => "column",
    Unresolved => "unresolved",
    Precomputed => "precomputed",
    WrongPoints => "wrong_points",
    Unsupported => "unsupported",
    Mismatch => "mismatch",
    Undetermined => "undetermined",
    Overflow => "overflow",
    NotPositiveDefinite => "not_positive_definite",
    Memory => "memory",
    Canceled => "canceled",
    File => "file",
    Exists => "exists",
    Format => "format",
    Record => "record",
    NotConverged => "not_converged",
    Singular => "singular",
    Undefined => "undefined",
    Request => "request",
}
