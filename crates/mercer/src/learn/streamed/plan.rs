//! What a streamed ridge regression will run, and what it will take.

use super::StreamedRidge;
use crate::Compute;
use crate::features::FeatureSpec;
use crate::learner::Plan;

/// Passes of conjugate gradients over a file, about.
const PASSES: f64 = 20.0;
/// Operations of a feature beside those on the coordinates: a cosine, or a kernel value.
const PER_FEATURE: f64 = 20.0;

impl StreamedRidge {
    /// The one pass over this many rows that makes the statistics of the features.
    pub fn plan_pass(&self, rows: usize, columns: usize, outputs: usize, compute: &Compute) -> Plan {
        let p = self.features.components() as f64;
        let map = match self.features {
            FeatureSpec::Fourier(_) => p * (columns as f64 + PER_FEATURE),
            FeatureSpec::Nystrom(_) => p * (2.0 * columns as f64 + PER_FEATURE + 2.0 * p),
        };
        let solver = format!("{p} {} of every row, and their squares", self.named());
        let plan = Plan::new(solver, self.bytes(columns, outputs), rows as f64 * (map + p * p), "one pass", compute);
        Plan { approximation: Some(format!("{p} features instead of the kernel")), ..plan }
    }

    /// The systems that are solved to choose λ; none where there is one λ.
    pub fn plan_choice(&self, compute: &Compute) -> Option<Plan> {
        let (p, count) = (self.features.components(), self.lambdas.len());
        let systems = self.folds * count;
        let solver = format!("{systems} systems of {p} equations: {count} λ, {} folds", self.folds);
        let flops = systems as f64 * (p as f64).powi(3) / 3.0;
        (count > 1).then(|| Plan::new(solver, 8 * (p * p) as u64, flops, "the statistics suffice", compute))
    }

    /// Several passes of conjugate gradients over this many rows, at most `most`, with the
    /// statistics of a sample as preconditioner.
    pub fn plan_passes(&self, (rows, columns): (usize, usize), sample: usize, most: usize, compute: &Compute) -> Plan {
        let count = self.features.components();
        let p = count as f64;
        let solver = format!("{count} {} by conjugate gradients, about {PASSES} passes (at most {most})", self.named());
        let flops = PASSES * rows as f64 * p * (2.0 * columns as f64 + PER_FEATURE + 4.0) + p.powi(3) / 3.0;
        let bytes = 8 * count as u64 * (3 * count + sample + super::spec::BLOCK) as u64;
        Plan::new(solver, bytes, flops, "the squares of one pass would take longer", compute)
    }

    fn named(&self) -> &'static str {
        match self.features {
            FeatureSpec::Fourier(_) => "random Fourier features",
            FeatureSpec::Nystrom(_) => "Nyström features",
        }
    }
}
