//! From the negative-definite side to the positive one: Schoenberg's exponential and the base-point
//! kernel.

use crate::kernel::prelude::*;

/// The base point of a base-point kernel: finite coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct BasePoint(Vec<f64>);

impl BasePoint {
    /// # Errors
    /// [`Error::Parameter`] unless there is at least one coordinate and all are finite.
    pub fn new(coordinates: Vec<f64>) -> Result<Self> {
        if coordinates.is_empty() || coordinates.iter().any(|v| !v.is_finite()) {
            return Err(Error::parameter(
                "at",
                list_text(&coordinates),
                "a list of finite coordinates, one per column",
            ));
        }
        Ok(Self(coordinates))
    }

    /// The coordinates.
    pub fn coordinates(&self) -> &[f64] {
        &self.0
    }
}

/// The page of `schoenberg`.
pub const SCHOENBERG: Entry = Entry {
    name: "schoenberg",
    family: Family::Algebra,
    formula: "exp(−t κ(x, y))",
    domain: Domain::Inherited,
    parameters: &[KERNEL, ParameterEntry { name: "t", default: Some("1"), range: "> 0", meaning: "t" }],
    theory: "Schoenberg: κ is negative semi-definite if and only if exp(−tκ) is positive semi-definite for every t > 0.",
    cost: "that of κ, one exponential",
    examples: &["schoenberg(sqdist(), t=0.5)", "schoenberg(distance(power=1.5) + log_distance(), t=2)"],
    build: |arguments| {
        let t = Positive::new("t", arguments.number("t", 1.0)?)?;
        Ok(Kernel::Schoenberg(t, Box::new(arguments.kernel()?)))
    },
};

/// The page of `based`.
pub const BASED: Entry = Entry {
    name: "based",
    family: Family::Algebra,
    formula: "κ(x, x₀) + κ(y, x₀) − κ(x, y) − κ(x₀, x₀)",
    domain: Domain::Inherited,
    parameters: &[
        KERNEL,
        ParameterEntry { name: "at", default: None, range: "a list, one number per column", meaning: "x₀" },
    ],
    theory: "Positive semi-definite if and only if κ is negative semi-definite; half of it embeds κ in a Hilbert space.",
    cost: "that of κ",
    examples: &["based(sqdist(), at=[0, 0, 0])", "0.5*based(distance(power=1), at=[1, 0, 0])"],
    build: |arguments| {
        let Some(at) = arguments.numbers("at")? else {
            return Err(arguments.refuse("based needs at=[…], the base point"));
        };
        let at = BasePoint::new(at)?;
        Ok(Kernel::Based(at, Box::new(arguments.kernel()?)))
    },
};
