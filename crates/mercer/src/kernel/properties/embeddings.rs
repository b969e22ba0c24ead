//! Kernels on bags and graphs, from what is known of the kernel on their instances and vertices.

use super::{Derived, Property};
use crate::kernel::EmbeddingForm;

const PSD: Property = Property::PositiveSemidefinite;
const NSD: Property = Property::NegativeSemidefinite;

impl Derived {
    /// `⟨μ, ν⟩`, `‖μ − ν‖²` or a Gaussian kernel of it. A bag stands for its empirical measure, so
    /// that a characteristic kernel tells any two apart that differ in it.
    pub(super) fn embedded(&mut self, form: &EmbeddingForm, k: &Self) {
        self.continuous = k.continuous;
        let missing = format!("{} is not known to be PSD", k.text);
        match form {
            EmbeddingForm::Mean => {
                (self.diagonal, self.magnitude) = ((f64::NEG_INFINITY, k.magnitude), k.magnitude);
                self.carry_proof(PSD, k, "the inner product of mean embeddings");
                self.carry_proof(Property::Bounded, k, "a mean of values of a bounded kernel");
                self.separates = k.is(Property::Characteristic);
            }
            EmbeddingForm::SquaredDistance => {
                (self.diagonal, self.magnitude) = ((0.0, 0.0), 4.0 * k.magnitude);
                if k.is(PSD) {
                    self.prove(NSD, "a squared distance in a Hilbert space", &[k.get(PSD)]);
                } else {
                    self.open(NSD, &missing);
                }
                self.open(PSD, "its diagonal is 0");
                self.carry_proof(Property::Bounded, k, "four values of a bounded kernel");
                self.separates = k.is(Property::Characteristic);
            }
            EmbeddingForm::Gaussian(_) => {
                (self.diagonal, self.magnitude, self.positive) = ((1.0, 1.0), 1.0, true);
                self.open(PSD, &missing);
                if k.is(PSD) {
                    self.prove(PSD, "Schoenberg on the squared distance of mean embeddings", &[k.get(PSD)]);
                }
            }
        }
    }

    /// Sums of `k(i, i′) k(j, j′)` over the paths of two graphs, from `i` to `j` and from `i′` to `j′`.
    pub(super) fn node_paths(&mut self, k: &Self) {
        self.continuous = k.continuous;
        self.carry_proof(PSD, k, "a sum over pairs of paths of products of PSD kernels on their ends and lengths");
        self.open(Property::Bounded, "graphs can have any number of paths");
    }
}
