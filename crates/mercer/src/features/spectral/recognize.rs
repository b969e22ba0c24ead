//! From a kernel to its spectral measure, rule by rule.

use super::Term;
use super::column::{Circle, ColumnDistribution};
use super::counts::Counts;
use super::distribution::FrequencyDistribution;
use super::schoenberg;
use super::table::{MOST_COLUMNS, RadialTable};
use crate::kernel::check_domain::rows_to_array;
use crate::kernel::closed_forms::{Frequencies, Mixing, SpectralLaw};
use crate::kernel::{Base, ColumnRef, Kernel, PointMap, Property, Verdict};
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
            other => Err(refusal(other, columns)),
        }
    }

    /// A radial distribution with a number of its own.
    pub(super) fn radial(&mut self, mixing: Mixing, scales: Vec<f64>) -> FrequencyDistribution {
        self.leaves += 1;
        FrequencyDistribution::Radial { mixing, scales, leaf: self.leaves - 1 }
    }

    fn base(&mut self, kernel: &Kernel, base: &Base, columns: usize) -> Result<Term> {
        let law = base.spectral_law().ok_or_else(|| refusal(kernel, columns))?;
        self.term(base, law, columns)
    }

    /// A radial law without a closed sampler, where the kernel is positive semi-definite.
    fn tabulated(&mut self, base: &Base, scale: f64, tail: f64, scales: Vec<f64>) -> Result<FrequencyDistribution> {
        let (kernel, columns) = (Kernel::Base(base.clone()), scales.len());
        if !kernel.property_on(Property::PositiveSemidefinite, columns).is_proven() {
            return Err(refusal(&kernel, columns));
        }
        if !(1..=MOST_COLUMNS).contains(&columns) {
            let reason = format!("its frequencies are tabulated on 1 to {MOST_COLUMNS} columns, not on {columns}");
            return Err(Error::unsupported("random Fourier features", kernel, reason, "use Nyström features"));
        }
        let profile = |r: f64| base.profile_value((r / scale) * (r / scale)).unwrap_or(f64::NAN);
        self.leaves += 1;
        Ok(FrequencyDistribution::Tabulated {
            table: RadialTable::new(columns, tail, profile),
            scales,
            leaf: self.leaves - 1,
        })
    }

    /// The law that a base kernel states, on so many columns.
    pub(super) fn term(&mut self, base: &Base, law: SpectralLaw, columns: usize) -> Result<Term> {
        let lengths = base.lengthscale().map_or_else(|| vec![1.0], |l| l.values());
        let length = |j: usize| lengths.get(j).or(lengths.first()).copied().unwrap_or(1.0);
        let scales: Vec<f64> = (0..columns).map(|j| law.scale / length(j)).collect();
        let by_column = |distribution, scales| FrequencyDistribution::Columns { distribution, scales };
        let frequencies = match law.frequencies {
            Frequencies::Zero => FrequencyDistribution::Zero,
            Frequencies::Normal(mixing) => self.radial(mixing, scales),
            Frequencies::Cauchy => by_column(ColumnDistribution::Cauchy, scales),
            Frequencies::Laplace => by_column(ColumnDistribution::Laplace, scales),
            Frequencies::Uniform => by_column(ColumnDistribution::Uniform, scales),
            Frequencies::Whole => by_column(ColumnDistribution::Circle(circles(base)?), vec![law.scale; columns]),
            Frequencies::Compact { tail } => self.tabulated(base, law.scale, tail, scales)?,
        };
        Ok(Term { mass: law.mass, distribution: frequencies })
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
fn circles(base: &Base) -> Result<Vec<Circle>> {
    let lengths = base.lengthscale().map_or_else(Vec::new, |l| l.values());
    if let Some(short) = lengths.iter().find(|l| **l < SHORTEST_PERIODIC) {
        return Err(Error::parameter("lengthscale", short, "at least 1e-5 for random features of a periodic kernel"));
    }
    if lengths.is_empty() {
        return Err(Error::unresolved_median("periodic(lengthscale=median)"));
    }
    Ok(lengths.iter().map(|l| Circle::new(1.0 / (l * l))).collect())
}

/// Why a kernel has no spectral measure that can be drawn from.
pub(super) fn refusal(kernel: &Kernel, columns: usize) -> Error {
    let psd = kernel.property_on(Property::PositiveSemidefinite, columns);
    let instead = if psd.is_proven() { "use Nyström features" } else { "" };
    let reason = match kernel.property(Property::ShiftInvariant) {
        Verdict::Refuted(_) => "it is not shift-invariant: k(x, y) does not depend on x − y alone".to_string(),
        Verdict::Unknown(why) => format!("it is not known to be shift-invariant ({why})"),
        Verdict::Proven(_) if !kernel.is_continuous() => {
            "it is not continuous, and Bochner's theorem needs that".to_string()
        }
        Verdict::Proven(_) => match psd {
            Verdict::Proven(_) => "no rule gives its spectral measure".to_string(),
            Verdict::Refuted(proof) => {
                format!("it is not positive semi-definite on {columns} columns ({})", proof.rule)
            }
            _ => "it is not known to be positive semi-definite, so its spectral measure may be negative".to_string(),
        },
    };
    Error::unsupported("random Fourier features", kernel, reason, instead)
}
