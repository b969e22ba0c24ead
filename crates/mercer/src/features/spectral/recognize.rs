//! From a kernel to its spectral measure, rule by rule.

use super::Term;
use super::column::{Circle, ColumnDistribution};
use super::counts::Counts;
use super::distribution::FrequencyDistribution;
use super::mixing::Mixing;
use super::schoenberg;
use crate::kernel::check_domain::rows_to_array;
use crate::kernel::{Base, ColumnRef, Form, Kernel, MetricKind, PointMap, Property, Verdict};
use crate::{Error, Result};

/// The smallest lengthscale of a periodic kernel: below it the table of its frequencies would be
/// too long.
const SHORTEST_PERIODIC: f64 = 1e-5;
/// Powers up to this have factors of their own, with frames of their own.
const SEPARATE_FACTORS: u32 = 16;

impl Term {
    /// Masses and distributions of the summands.
    pub(super) fn terms(self) -> Vec<Self> {
        match self.distribution {
            FrequencyDistribution::Mixture(parts) => parts
                .into_iter()
                .map(|(weight, distribution)| Self { mass: self.mass * weight, distribution })
                .collect(),
            distribution => vec![Self { mass: self.mass, distribution }],
        }
    }
}

/// The measure of a kernel on this many columns.
pub(super) fn measure(kernel: &Kernel, columns: usize) -> Result<Term> {
    Recognizer { leaves: 0 }.measure(kernel, columns)
}

/// Numbers the radial distributions of a tree.
pub(super) struct Recognizer {
    leaves: usize,
}

impl Recognizer {
    pub(super) fn measure(&mut self, kernel: &Kernel, columns: usize) -> Result<Term> {
        match kernel {
            Kernel::Base(base) => self.base(kernel, base, columns),
            Kernel::Scale(a, k) => {
                let term = self.measure(k, columns)?;
                Ok(Term { mass: a.get() * term.mass, ..term })
            }
            Kernel::Sum(terms) => self.sum(terms.iter(), columns),
            Kernel::Product(factors) => self.product(factors.iter(), columns),
            Kernel::Power(k, m) if m.get() <= SEPARATE_FACTORS => {
                self.product((0..m.get()).map(|_| k.as_ref()), columns)
            }
            Kernel::Power(k, m) => self.series(kernel, k, columns, |c| {
                let mut coefficients = vec![0.0; m.get() as usize];
                coefficients.push(1.0);
                Counts::of_series(&crate::kernel::Series::new(&coefficients).ok()?, c)
            }),
            Kernel::Exp(k) => self.series(kernel, k, columns, Counts::of_exponential),
            Kernel::Series(series, k) => self.series(kernel, k, columns, |c| Counts::of_series(series, c)),
            Kernel::Normalized(k) => {
                let term = self.measure(k, columns)?;
                Ok(Term { mass: if term.mass > 0.0 { 1.0 } else { 0.0 }, ..term })
            }
            Kernel::On(chosen, k) => self.on(chosen, k),
            Kernel::Transformed(PointMap::Matrix(rows), k) => {
                let term = self.measure(k, rows.rows().len())?;
                Ok(Term {
                    distribution: FrequencyDistribution::Mapped(
                        rows_to_array(rows.rows()),
                        Box::new(term.distribution),
                    ),
                    ..term
                })
            }
            Kernel::Schoenberg(t, k) => schoenberg::measure(self, kernel, t.get(), k, columns),
            other => Err(refusal(other)),
        }
    }

    /// A radial distribution with a number of its own.
    pub(super) fn radial(&mut self, mixing: Mixing, scales: Vec<f64>) -> FrequencyDistribution {
        self.leaves += 1;
        FrequencyDistribution::Radial { mixing, scales, leaf: self.leaves - 1 }
    }

    fn base(&mut self, kernel: &Kernel, base: &Base, columns: usize) -> Result<Term> {
        let inverse = |power: f64| -> Vec<f64> {
            let lengths = base.lengthscale().map_or_else(|| vec![1.0], |l| l.values());
            (0..columns).map(|j| power / lengths.get(j).or(lengths.first()).copied().unwrap_or(1.0)).collect()
        };
        let shape = base.shape().first().map_or(1.0, |(_, value)| *value);
        let mut mass = 1.0;
        let distribution = match base {
            Base::Constant(k) => {
                mass = k.value();
                FrequencyDistribution::Zero
            }
            Base::Gaussian(_) => self.radial(Mixing::Fixed, inverse(1.0)),
            Base::Laplacian(_) if base.form() == Form::Profile(MetricKind::Manhattan) => {
                FrequencyDistribution::Columns { distribution: ColumnDistribution::Cauchy, scales: inverse(1.0) }
            }
            Base::Laplacian(_) => self.radial(Mixing::Student(0.5), inverse(1.0)),
            Base::Matern(k) => self.radial(Mixing::Student(k.nu()), inverse(1.0)),
            Base::RationalQuadratic(_) => self.radial(Mixing::Gamma(shape), inverse(1.0)),
            // (c² + r²)^{−1/2} is 1/c times the rational quadratic kernel with a = ½ and ℓ = c.
            Base::InverseMultiquadric(_) => {
                mass = 1.0 / shape;
                self.radial(Mixing::Gamma(0.5), vec![1.0 / shape; columns])
            }
            Base::Cauchy(_) => {
                FrequencyDistribution::Columns { distribution: ColumnDistribution::Laplace, scales: inverse(1.0) }
            }
            Base::Sinc(_) => FrequencyDistribution::Columns {
                distribution: ColumnDistribution::Uniform,
                scales: vec![shape; columns],
            },
            Base::Periodic(k) => circle(base, k.period(), columns)?,
            _ => return Err(refusal(kernel)),
        };
        Ok(Term { mass, distribution })
    }

    fn sum<'k>(&mut self, kernels: impl Iterator<Item = &'k Kernel>, columns: usize) -> Result<Term> {
        let mut parts = Vec::new();
        for kernel in kernels {
            parts.extend(self.measure(kernel, columns)?.terms());
        }
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        let weight = |part: &Term| if mass > 0.0 { part.mass / mass } else { 0.0 };
        let distribution =
            FrequencyDistribution::Mixture(parts.into_iter().map(|part| (weight(&part), part.distribution)).collect());
        Ok(Term { mass, distribution })
    }

    fn product<'k>(&mut self, kernels: impl Iterator<Item = &'k Kernel>, columns: usize) -> Result<Term> {
        let factors = kernels.map(|k| self.measure(k, columns)).collect::<Result<Vec<_>>>()?;
        let mass = factors.iter().map(|f| f.mass).product();
        Ok(Term {
            mass,
            distribution: FrequencyDistribution::Sum(factors.into_iter().map(|f| f.distribution).collect()),
        })
    }

    fn series(
        &mut self,
        kernel: &Kernel,
        inner: &Kernel,
        columns: usize,
        counts: impl Fn(f64) -> Option<Counts>,
    ) -> Result<Term> {
        let term = self.measure(inner, columns)?;
        let counts = counts(term.mass).ok_or_else(|| {
            let mass = term.mass;
            Error::unsupported(
                "random Fourier features",
                kernel,
                format!("its series has no sum at k(x, x) = {mass}"),
                "",
            )
        })?;
        Ok(Term {
            mass: counts.total(),
            distribution: FrequencyDistribution::Copies(counts, Box::new(term.distribution)),
        })
    }

    fn on(&mut self, chosen: &[ColumnRef], kernel: &Kernel) -> Result<Term> {
        let index = |column: &ColumnRef| match column {
            ColumnRef::Index(j) => Ok(*j),
            ColumnRef::Name(name) => Err(Error::unresolved_column("on([…], …)", name)),
        };
        let indices = chosen.iter().map(index).collect::<Result<Vec<_>>>()?;
        let term = self.measure(kernel, indices.len())?;
        Ok(Term { distribution: FrequencyDistribution::On(indices, Box::new(term.distribution)), ..term })
    }
}

/// `exp(b(cos(2πδ/p) − 1))` with `b = 1/ℓ²`: frequencies `2πn/p`, `n` with probability
/// `e^{−b}Iₙ(b)`.
fn circle(base: &Base, period: f64, columns: usize) -> Result<FrequencyDistribution> {
    let lengths = base.lengthscale().map_or_else(Vec::new, |l| l.values());
    if let Some(short) = lengths.iter().find(|l| **l < SHORTEST_PERIODIC) {
        return Err(Error::parameter("lengthscale", short, "at least 1e-5 for random features of a periodic kernel"));
    }
    let circles = lengths.iter().map(|l| Circle::new(1.0 / (l * l))).collect::<Vec<_>>();
    if circles.is_empty() {
        return Err(Error::unresolved_median("periodic(lengthscale=median)"));
    }
    Ok(FrequencyDistribution::Columns {
        distribution: ColumnDistribution::Circle(circles),
        scales: vec![std::f64::consts::TAU / period; columns],
    })
}

/// Why a kernel has no spectral measure that can be drawn from.
pub(super) fn refusal(kernel: &Kernel) -> Error {
    let reason = match kernel.property(Property::ShiftInvariant) {
        Verdict::Refuted(_) => "it is not shift-invariant: k(x, y) does not depend on x − y alone".to_string(),
        Verdict::Unknown(why) => format!("it is not known to be shift-invariant ({why})"),
        Verdict::Proven(_) if !kernel.is_continuous() => {
            "it is not continuous, and Bochner's theorem needs that".to_string()
        }
        Verdict::Proven(_) => match kernel.property(Property::PositiveSemidefinite) {
            Verdict::Proven(_) => "no rule gives its spectral measure".to_string(),
            _ => "it is not known to be positive semi-definite, so its spectral measure may be negative".to_string(),
        },
    };
    Error::unsupported("random Fourier features", kernel, reason, "")
}
