//! Conformal change `f(x) k(x, y) f(y)`.

use crate::kernel::prelude::*;

/// The function `f` of a conformal change.
#[derive(Clone, Debug, PartialEq)]
pub enum ConformalFactor {
    /// `f(x) = xⱼ`.
    Column(usize),
    /// `f(x) = ‖x‖`.
    Norm,
    /// `f(x) = 1 + ‖x‖²`.
    Quadratic,
    /// `f(x) = exp(−‖x‖²/(2ℓ²))`.
    Gaussian(Positive),
}

impl ConformalFactor {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Column(j) => format!("column({j})"),
            Self::Norm => "norm()".into(),
            Self::Quadratic => "quadratic()".into(),
            Self::Gaussian(l) => format!("gaussian(lengthscale={})", number_text(l.get())),
        }
    }

    /// `f(x)`. The columns were checked when the kernel was bound.
    pub(crate) fn evaluate<N: Real>(&self, x: &[N]) -> N {
        let squared_norm = || x.iter().fold(N::zero(), |sum, &v| sum + v * v);
        match self {
            Self::Column(j) => x[*j],
            Self::Norm => squared_norm().sqrt(),
            Self::Quadratic => N::one() + squared_norm(),
            Self::Gaussian(l) => (N::from_f64(-0.5) * squared_norm() / N::from_f64(l.get()).squared()).exp(),
        }
    }

    pub(crate) fn check_columns(&self, columns: usize) -> Result<()> {
        match self {
            Self::Column(j) if *j >= columns => Err(Error::shape(
                &format!("columns for conformal(…, by={})", self.text()),
                format!("more than {j}"),
                columns,
            )),
            _ => Ok(()),
        }
    }

    fn read(arguments: &mut Arguments<'_>) -> Result<Self> {
        let expected = "column(j), norm(), quadratic() and gaussian(lengthscale=…)";
        let Some(piece) = arguments.named("by")? else {
            return Err(arguments.refuse(format!("conformal needs by=…, one of {expected}")));
        };
        let (name, inner) = arguments.call_of("by", piece, expected)?;
        inner.build(|inner| match name {
            "column" => {
                let piece = inner.unnamed("the number of a column")?;
                let index = inner.as_number("column", piece)?;
                if index < 0.0 || index.fract() != 0.0 || index > 1e9 {
                    return Err(Error::parameter("column", index, "a whole number from 0"));
                }
                Ok(Self::Column(index as usize))
            }
            "norm" => Ok(Self::Norm),
            "quadratic" => Ok(Self::Quadratic),
            "gaussian" => Ok(Self::Gaussian(Positive::new("lengthscale", inner.number("lengthscale", 1.0)?)?)),
            _ => Err(inner.refuse(format!("by must be one of {expected}"))),
        })
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "conformal",
    family: Family::Algebra,
    formula: "f(x) k(x, y) f(y)",
    domain: Domain::Inherited,
    parameters: &[
        KERNEL,
        ParameterEntry {
            name: "by",
            default: None,
            range: "column(j), norm(), quadratic(), gaussian(lengthscale=ℓ)",
            meaning: "f: xⱼ, ‖x‖, 1 + ‖x‖², or exp(−‖x‖²/(2ℓ²))",
        },
    ],
    theory: "cᵀ(f K f)c = (fc)ᵀK(fc): keeps positive semi-definiteness for every f.",
    cost: "that of k",
    examples: &[
        "conformal(gaussian(lengthscale=1), by=quadratic())",
        "conformal(linear(), by=gaussian(lengthscale=2))",
        "conformal(gaussian(lengthscale=1), by=column(0))",
        "conformal(matern(nu=1/2), by=norm())",
    ],
    build: |arguments| {
        let factor = ConformalFactor::read(arguments)?;
        Ok(Kernel::Conformal(factor, Box::new(arguments.kernel()?)))
    },
};
