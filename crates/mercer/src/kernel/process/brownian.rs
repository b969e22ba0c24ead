//! Fractional Brownian motion.

use crate::error::AllowedRange;
use crate::kernel::prelude::*;

/// Covariance of (fractional) Brownian motion on vectors.
///
/// # Formula
/// `k(x, y) = ½(‖x‖^{2H} + ‖y‖^{2H} − ‖x − y‖^{2H})`, `0 < H ≤ 1`.
///
/// # Theory
/// The base-point kernel at 0 of the negative-definite `‖x − y‖^{2H}`. `H = ½` on the half line is
/// `min(s, t)`; `H = 1` is the linear kernel; twice its squared MMD at `H = ½` is the energy
/// distance.
///
/// # Cost
/// `O(d)` per pair, one power.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "brownian(hurst=0.5)".parse()?;
/// mercer::assert_close!(k.evaluate(&[1.0], &[3.0])?, 1.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Brownian {
    hurst: Positive,
}

impl Brownian {
    /// The Brownian covariance of Hurst index `H`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `0 < H ≤ 1`.
    pub fn new(hurst: f64) -> Result<Self> {
        match Positive::new("hurst", hurst) {
            Ok(checked) if hurst <= 1.0 => Ok(Self { hurst: checked }),
            _ => Err(Error::parameter("hurst", hurst, AllowedRange::above(0.0).at_most(1.0))),
        }
    }

    /// The Hurst index.
    pub fn hurst(&self) -> f64 {
        self.hurst.get()
    }

    /// `‖·‖^{2H}` from the squared norm.
    #[inline(always)]
    pub(crate) fn power<N: Real>(hurst: N, squared_norm: N) -> N {
        squared_norm.powf(hurst)
    }
}

impl Leaf for Brownian {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("hurst", number_text(self.hurst.get()))]
    }

    fn facts(&self) -> Facts {
        let no = Fact::No("every function of its RKHS vanishes at 0");
        let characteristic = match self.hurst.get() {
            h if h < 1.0 => Fact::Yes("‖x−y‖^2H is of strong negative type for H < 1 (Lyons 2013)"),
            _ => Fact::No("at H = 1 it is the linear kernel, which sees the mean alone"),
        };
        Facts {
            strictly_pd: no,
            universal: no,
            characteristic,
            bound: Some(f64::INFINITY),
            separates: true,
            differentiable: self.hurst.get() > 0.5,
            ..Facts::psd("base point at 0 of ‖x−y‖^2H, which is negative definite for 0 < 2H ≤ 2")
        }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("hurst", self.hurst.get())]
    }

    fn choices(&self) -> &'static [&'static str] {
        &["hurst"]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(values[0])
    }

    /// At the center, and at 0 for every other center; with its center at 0 the function is 0.
    fn has_kink(&self, x: &[f64], y: &[f64]) -> bool {
        let is_origin = |v: &[f64]| v.iter().all(|v| *v == 0.0);
        self.hurst.get() <= 0.5 && !is_origin(y) && (x == y || is_origin(x))
    }

    fn has_kink_on_diagonal(&self, x: &[f64]) -> bool {
        self.hurst.get() <= 0.5 && x.iter().all(|v| *v == 0.0)
    }

    fn markov_process(&self) -> Option<MarkovProcess> {
        (self.hurst.get() == 0.5).then_some(MarkovProcess::Brownian)
    }

    fn line_form(&self) -> Option<LineForm<'_>> {
        (self.hurst.get() == 0.5).then_some(LineForm::Minimum { constant: 0.0 })
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "brownian",
    family: Family::Process,
    formula: "½(‖x‖^2H + ‖y‖^2H − ‖x−y‖^2H)",
    domain: Domain::Vectors,
    parameters: &[ParameterEntry {
        name: "hurst",
        default: Some("0.5"),
        range: "0 < H ≤ 1",
        meaning: "H, the Hurst index",
    }],
    theory: "Positive semi-definite: the base-point kernel of a negative-definite power of the distance.",
    cost: "O(d), one power",
    examples: &["brownian(hurst=0.5)", "brownian(hurst=0.8)"],
    build: |arguments| Ok(Brownian::new(arguments.number("hurst", 0.5)?)?.into()),
};
