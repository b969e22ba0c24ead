//! Fits with a weighted sum of kernels as named texts and arrays: those of the learner, and the
//! weights beside them.

use super::fit::{MultipleOneClassFit, MultipleRidgeFit, MultipleSvcFit};
use super::search::WeightEvidence;
use super::weights::{KernelWeights, WeightNote, weighted};
use crate::learn::RidgeFit;
use crate::learn::stopped;
use crate::learn::svm::{OneClassFit, SvcFit};
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::{Error, Kernel, Result};

impl KernelWeights {
    fn put_into(&self, shares: &[f64], record: &mut Record) {
        let texts: Vec<String> = self.kernels.iter().map(Kernel::to_string).collect();
        record.put_list("kernels", &texts);
        record.put_slice("kernel_weights", &self.weights);
        record.put_slice("normalized_weights", &self.beta);
        record.put_slice("shares", shares);
        record.put_number("weight_scale", self.scale);
        record.put_optional_number("alignment", self.alignment);
        let constant: Vec<f64> = self.notes.iter().filter_map(constant).map(|at| at as f64).collect();
        record.put_slice("constant_kernels", &constant);
        if let Some(evidence) = self.evidence {
            record.put_number("weight_objective", evidence.objective);
            record.put_number("weight_gap", evidence.gap);
            record.put_count("weight_iterations", evidence.iterations);
            record.put_text("weight_stopped", stopped::word(evidence.stopped));
        }
    }

    /// The weights and the shares that belong to a fit with this kernel.
    fn take_from(kernel: &Kernel, record: &mut Record) -> Result<(Self, Vec<f64>)> {
        let kernels = record.list("kernels")?.iter().map(|text| text.parse()).collect::<Result<Vec<Kernel>>>()?;
        let count = kernels.len();
        require("kernels", count as f64, count > 0, "at least 1")?;
        let mut numbers = |name: &str| -> Result<Vec<f64>> {
            let values = record.take_finite_vector(name, count)?.to_vec();
            match values.iter().find(|v| **v < 0.0) {
                Some(value) => Err(Error::parameter(name, value, "at least 0")),
                None => Ok(values),
            }
        };
        let (weights, beta) = (numbers("kernel_weights")?, numbers("normalized_weights")?);
        let shares = numbers("shares")?;
        let scale = record.finite_number("weight_scale")?;
        require("weight_scale", scale, scale > 0.0, "above 0")?;
        let found = weighted(&kernels, &weights, scale)?;
        if found != *kernel {
            return Err(Error::mismatch("the kernel", kernel.short(), found.short(), "the file is damaged"));
        }
        let notes: Vec<WeightNote> =
            record.take_all_counts("constant_kernels")?.into_iter().map(WeightNote::Constant).collect();
        if let Some(wrong) = notes.iter().filter_map(constant).find(|at| *at >= count) {
            return Err(Error::parameter("constant_kernels", wrong, ..count));
        }
        let evidence = if record.has("weight_gap") { Some(take_evidence(record)?) } else { None };
        let alignment = record.optional_number("alignment")?;
        let kernel = kernel.clone();
        Ok((Self { kernels, weights, beta, scale, kernel, evidence, alignment, storage: None, notes }, shares))
    }
}

fn constant(note: &WeightNote) -> Option<usize> {
    let WeightNote::Constant(at) = note;
    Some(*at)
}

fn take_evidence(record: &Record) -> Result<WeightEvidence> {
    Ok(WeightEvidence {
        objective: record.finite_number("weight_objective")?,
        gap: record.finite_number("weight_gap")?,
        iterations: record.count("weight_iterations")?,
        stopped: stopped::read(record.text("weight_stopped")?, 1)?[0],
    })
}

macro_rules! recorded {
    ($fit:ident, $inner:ident) => {
        impl $fit {
            /// The complete record of the fit.
            pub(crate) fn to_record(&self) -> Record {
                let mut record = self.fit.to_record();
                self.weights.put_into(&self.shares, &mut record);
                record
            }

            /// The fit that `to_record` wrote.
            pub(crate) fn from_record(record: &mut Record, settings: Settings) -> Result<Self> {
                let fit = $inner::from_record(record)?;
                let (weights, shares) = KernelWeights::take_from(fit.kernel(), record)?;
                Ok(Self { weights, shares, fit, settings })
            }
        }
    };
}

recorded!(MultipleRidgeFit, RidgeFit);
recorded!(MultipleSvcFit, SvcFit);
recorded!(MultipleOneClassFit, OneClassFit);
