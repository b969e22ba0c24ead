//! The continuous parameters of an expression, in one fixed order: a node's own before those of its
//! children.

use super::bags::embedding::EmbeddingForm;
use super::number::{NonNegative, Positive};
use super::{Base, ConformalFactor, Kernel, Lengthscale, Series};
use crate::{Error, Result};

/// A continuous parameter of a kernel expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Where it stands, such as `gaussian.lengthscale`, `matern.lengthscale[1]` or
    /// `gaussian#2.lengthscale`.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Whether it must stay positive, so that its logarithm is a free variable.
    pub positive: bool,
    /// Whether it is a smoothness (`nu` of Matérn kernels, `hurst`, `power` of a distance): a
    /// search keeps it fixed unless it is declared free.
    pub choice: bool,
}

impl Kernel {
    /// The continuous parameters: scales, lengthscales (one per column for a list), shapes,
    /// weights, coefficients. Degrees, orders, bases, columns, maps and points are part of the form
    /// of the kernel, not parameters.
    ///
    /// # Example
    /// ```
    /// use mercer::Kernel;
    /// let k: Kernel = "2*gaussian(lengthscale=[1, 3]) + gaussian(lengthscale=5)".parse()?;
    /// let names: Vec<_> = k.parameters().into_iter().map(|p| p.name).collect();
    /// assert_eq!(names, ["scale", "gaussian.lengthscale[0]", "gaussian.lengthscale[1]", "gaussian#2.lengthscale"]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut collected = Collector::default();
        collected.visit(self);
        collected.parameters
    }

    /// The same expression with other parameters, in the order of [`Kernel::parameters`].
    ///
    /// # Errors
    /// [`Error::Shape`] for a wrong count, [`Error::Parameter`] for a value out of range.
    pub fn with_parameters(&self, values: &[f64]) -> Result<Self> {
        let expected = self.parameter_count();
        if values.len() != expected {
            return Err(Error::shape(&format!("parameters of {self}"), expected, values.len()));
        }
        self.with_all(&mut values.iter().copied())
    }

    /// The number of continuous parameters.
    pub fn parameter_count(&self) -> usize {
        self.own_parameter_count() + self.children().into_iter().map(Kernel::parameter_count).sum::<usize>()
    }

    /// The parameters that belong to this node alone: name, value, whether it must be positive.
    pub(crate) fn own_parameters(&self) -> Vec<(String, f64, bool)> {
        match self {
            Self::Base(base) => base_parameters(base),
            Self::Scale(a, _) => vec![("scale".into(), a.get(), true)],
            Self::Schoenberg(t, _) => vec![("schoenberg.t".into(), t.get(), true)],
            Self::Embedded(EmbeddingForm::Gaussian(l), _) => {
                l.values().into_iter().map(|l| ("gaussian_embedding.lengthscale".into(), l, true)).collect()
            }
            Self::Conformal(ConformalFactor::Gaussian(l), _) => {
                vec![("conformal.lengthscale".into(), l.get(), true)]
            }
            Self::Series(series, _) => {
                let named = |(n, a): (usize, &NonNegative)| (format!("series.coefficients[{n}]"), a.get(), true);
                series.coefficients().iter().enumerate().map(named).collect()
            }
            _ => Vec::new(),
        }
    }

    /// How many parameters belong to this node alone.
    pub(crate) fn own_parameter_count(&self) -> usize {
        match self {
            Self::Base(base) => base.lengthscale().map_or(0, Lengthscale::count) + base.shape().len(),
            Self::Scale(..) | Self::Schoenberg(..) | Self::Conformal(ConformalFactor::Gaussian(_), _) => 1,
            Self::Series(series, _) => series.coefficients().len(),
            Self::Embedded(EmbeddingForm::Gaussian(l), _) => l.count(),
            _ => 0,
        }
    }

    fn with_all(&self, values: &mut dyn Iterator<Item = f64>) -> Result<Self> {
        let own: Vec<f64> = values.take(self.own_parameter_count()).collect();
        let rebuilt = self.map_children(&mut |child| child.with_all(values))?;
        Ok(match rebuilt {
            Self::Base(base) => Self::Base(with_base_parameters(&base, &own)?),
            Self::Scale(_, k) => Self::Scale(NonNegative::new("scale", own[0])?, k),
            Self::Schoenberg(_, k) => Self::Schoenberg(Positive::new("t", own[0])?, k),
            Self::Conformal(ConformalFactor::Gaussian(_), k) => {
                Self::Conformal(ConformalFactor::Gaussian(Positive::new("lengthscale", own[0])?), k)
            }
            Self::Series(Series::Coefficients(_), k) => Self::Series(Series::new(&own)?, k),
            Self::Embedded(EmbeddingForm::Gaussian(l), k) => {
                Self::Embedded(EmbeddingForm::Gaussian(l.with_values(&own)?), k)
            }
            other => other,
        })
    }
}

fn base_parameters(base: &Base) -> Vec<(String, f64, bool)> {
    let name = base.entry().name;
    let lengths = base.lengthscale().map_or(Vec::new(), Lengthscale::values);
    let indexed = matches!(base.lengthscale(), Some(Lengthscale::PerColumn(_)));
    let length_name = |i: usize| {
        if indexed { format!("{name}.lengthscale[{i}]") } else { format!("{name}.lengthscale") }
    };
    let lengths = lengths.into_iter().enumerate().map(|(i, l)| (length_name(i), l, true));
    // A shape is free of sign only where the kernel takes negative values for it.
    let listed = base.finite_sum().is_some();
    let index = |i: usize| if listed { format!("[{i}]") } else { String::new() };
    let shape_name = |i: usize, shape: &str| format!("{name}.{shape}{}", index(i));
    let shapes = base.shape().into_iter().enumerate();
    let shapes = shapes.map(|(i, (shape, value))| (shape_name(i, shape), value, !base.has_signed_shape()));
    lengths.chain(shapes).collect()
}

fn with_base_parameters(base: &Base, values: &[f64]) -> Result<Base> {
    let lengths = base.lengthscale().map_or(0, Lengthscale::count);
    let (lengths, shape) = values.split_at(lengths);
    let base = if shape.is_empty() { base.clone() } else { base.with_shape(shape)? };
    match base.lengthscale() {
        Some(l) => {
            let replaced = l.with_values(lengths)?;
            Ok(base.with_lengthscale(replaced))
        }
        None => Ok(base),
    }
}

/// Collects parameters and numbers the base kernels that occur more than once.
#[derive(Default)]
struct Collector {
    parameters: Vec<Parameter>,
    seen: Vec<String>,
}

impl Collector {
    fn visit(&mut self, kernel: &Kernel) {
        let own = kernel.own_parameters();
        if let Some((first, ..)) = own.first() {
            let owner = first.split('.').next().unwrap_or_default().to_string();
            let count = self.seen.iter().filter(|s| **s == owner).count() + 1;
            let tag = |name: String| {
                if count > 1 { name.replacen(&owner, &format!("{owner}#{count}"), 1) } else { name }
            };
            let choices = if let Kernel::Base(base) = kernel { base.choices() } else { &[] };
            self.parameters.extend(own.into_iter().map(|(name, value, positive)| Parameter {
                choice: choices.iter().any(|c| name.ends_with(&format!(".{c}"))),
                name: tag(name),
                value,
                positive,
            }));
            self.seen.push(owner);
        }
        for child in kernel.children() {
            self.visit(child);
        }
    }
}
