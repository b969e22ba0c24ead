//! Kernels on bags: a bag is the mean embedding of its instances.

use crate::kernel::prelude::*;

/// What two embeddings `μ`, `ν` are compared by.
#[derive(Clone, Debug, PartialEq)]
pub enum EmbeddingForm {
    /// `⟨μ, ν⟩`.
    Mean,
    /// `‖μ − ν‖²`.
    SquaredDistance,
    /// `exp(−‖μ − ν‖²/(2ℓ²))`, with one lengthscale or the median distance of the embeddings.
    Gaussian(Lengthscale),
}

impl EmbeddingForm {
    /// The name in the text.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Mean => "mean_embedding",
            Self::SquaredDistance => "squared_mmd",
            Self::Gaussian(_) => "gaussian_embedding",
        }
    }

    /// What stands behind the kernel in the text.
    pub(crate) fn arguments(&self) -> String {
        match self {
            Self::Gaussian(lengthscale) => format!(", lengthscale={}", lengthscale.text()),
            _ => String::new(),
        }
    }
}

fn bags(form: EmbeddingForm, arguments: &mut Arguments<'_>) -> Result<Kernel> {
    Ok(Kernel::Embedded(form, Box::new(arguments.kernel()?)))
}

/// The page of `mean_embedding`.
pub const MEAN: Entry = Entry {
    name: "mean_embedding",
    family: Family::Bags,
    formula: "⟨μ_X, μ_Y⟩ = Σᵢⱼ wᵢvⱼ k(xᵢ, yⱼ), weights of a bag with sum 1",
    domain: Domain::Bags,
    parameters: &[KERNEL],
    theory: "The inner product of mean embeddings: positive semi-definite where k is.",
    cost: "the pairs of instances",
    examples: &["mean_embedding(gaussian(lengthscale=2))", "normalized(mean_embedding(linear()))"],
    build: |arguments| bags(EmbeddingForm::Mean, arguments),
};

/// The page of `squared_mmd`.
pub const SQUARED_MMD: Entry = Entry {
    name: "squared_mmd",
    family: Family::Bags,
    formula: "‖μ_X − μ_Y‖²",
    domain: Domain::Bags,
    parameters: &[KERNEL],
    theory: "A squared distance in a Hilbert space, where k is positive semi-definite: negative semi-definite, so that schoenberg(…) of it is positive semi-definite.",
    cost: "the pairs of instances",
    examples: &["squared_mmd(gaussian())", "schoenberg(squared_mmd(linear()), t=0.5)"],
    build: |arguments| bags(EmbeddingForm::SquaredDistance, arguments),
};

/// The page of `gaussian_embedding`.
pub const GAUSSIAN: Entry = Entry {
    name: "gaussian_embedding",
    family: Family::Bags,
    formula: "exp(−‖μ_X − μ_Y‖²/(2ℓ²))",
    domain: Domain::Bags,
    parameters: &[
        KERNEL,
        ParameterEntry {
            name: "lengthscale",
            default: Some("1"),
            range: "> 0, or median",
            meaning: "distance of embeddings over which values decay",
        },
    ],
    theory: "Schoenberg on the squared distance of embeddings: positive semi-definite where k is; universal on distributions for characteristic k (Christmann and Steinwart 2010).",
    cost: "the pairs of instances, one exponential",
    examples: &[
        "gaussian_embedding(gaussian(lengthscale=1), lengthscale=0.5)",
        "gaussian_embedding(linear(), lengthscale=median)",
    ],
    build: |arguments| {
        let lengthscale = arguments.lengthscale()?;
        if matches!(lengthscale, Lengthscale::PerColumn(_)) {
            return Err(arguments.refuse("gaussian_embedding has one lengthscale, not one per column"));
        }
        bags(EmbeddingForm::Gaussian(lengthscale), arguments)
    },
};
