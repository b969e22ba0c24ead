//! Fits of general losses as named texts and arrays.

use ndarray::{Array2, ArrayView1};

use super::{KernelMachineFit, LossEvidence, LossPlan, LossSolver, QuantileCurvesFit};
use crate::function::Function;
use crate::learn::observations::check_penalty;
use crate::learn::{FROM_FILE, Loss, stopped};
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::{Error, Result};

/// The solvers by the names that files have for them.
const SOLVERS: [(LossSolver, &str); 5] = [
    (LossSolver::Auto, "auto"),
    (LossSolver::Newton, "newton"),
    (LossSolver::NewtonConjugateGradients, "newton_conjugate_gradients"),
    (LossSolver::Dual, "dual"),
    (LossSolver::Centers, "centers"),
];

impl LossEvidence {
    pub(in crate::learn) fn put_all(all: &[Self], record: &mut Record) {
        let mut put = |name: &str, of: fn(&Self) -> f64| {
            record.put_slice(name, &all.iter().map(of).collect::<Vec<f64>>());
        };
        put("objective", |e| e.objective);
        put("dual_objective", |e| e.dual_objective);
        put("gap", |e| e.gap);
        put("loss_sum", |e| e.loss);
        put("squared_norm", |e| e.squared_norm);
        put("violation", |e| e.violation);
        put("iterations", |e| e.iterations as f64);
        record.put_text("stopped", stopped::words(all.iter().map(|e| e.stopped)));
    }

    pub(in crate::learn) fn take_all(record: &mut Record, count: usize) -> Result<Vec<Self>> {
        let mut take = |name: &str| record.take_vector(name, count);
        let (objective, dual, gap) = (take("objective")?, take("dual_objective")?, take("gap")?);
        let (loss, norm, violation) = (take("loss_sum")?, take("squared_norm")?, take("violation")?);
        let iterations = record.take_counts("iterations", count)?;
        let reasons = stopped::read(record.text("stopped")?, count)?;
        let one = |i: usize| Self {
            objective: objective[i],
            dual_objective: dual[i],
            gap: gap[i],
            loss: loss[i],
            squared_norm: norm[i],
            violation: violation[i],
            iterations: iterations[i] as u64,
            stopped: reasons[i],
        };
        Ok((0..count).map(one).collect())
    }
}

impl LossPlan {
    /// What the solution depends on, and nothing about the run.
    pub(in crate::learn) fn put_into(&self, record: &mut Record) {
        let name = SOLVERS.iter().find(|(solver, _)| *solver == self.solver).map_or("auto", |(_, name)| name);
        record.put_text("plan_solver", name);
        record.put_count("plan_rank", self.rank);
        record.put_count("plan_centers", self.centers);
    }

    pub(in crate::learn) fn take_from(record: &Record) -> Result<Self> {
        let name = record.text("plan_solver")?;
        let unknown = || Error::parameter("plan_solver", name, "a solver that this version knows");
        let (solver, _) = SOLVERS.iter().find(|(_, known)| *known == name).ok_or_else(unknown)?;
        Ok(Self {
            solver: *solver,
            bytes: 0,
            flops: 0.0,
            rank: record.count("plan_rank")?,
            stored: false,
            centers: if record.has("plan_centers") { record.count("plan_centers")? } else { 0 },
            seconds: None,
            reason: FROM_FILE.into(),
        })
    }
}

impl KernelMachineFit {
    /// The complete record of the fit.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("loss", self.loss);
        record.put_number("lambda", self.lambda);
        self.functions.put_into(&mut record);
        record.put_vector("fitted", self.fitted.view());
        LossEvidence::put_all(&[self.evidence], &mut record);
        self.plan.put_into(&mut record);
        record
    }

    /// The fit that [`KernelMachineFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let (loss, lambda) = (record.text("loss")?.parse()?, record.number("lambda")?);
        check_penalty(lambda)?;
        let functions = Function::take_from(record)?;
        require("functions", functions.weights().ncols() as f64, functions.weights().ncols() == 1, "1 for this kind")?;
        let plan = LossPlan::take_from(record)?;
        // On centers there are fewer points in the model than rows in the data.
        let fitted = match plan.solver {
            LossSolver::Centers => record.take_any_vector("fitted")?,
            _ => record.take_vector("fitted", functions.weights().nrows())?,
        };
        let evidence = LossEvidence::take_all(record, 1)?[0];
        Ok(Self { loss, lambda, functions, fitted, evidence, plan, settings: Settings::new() })
    }
}

impl QuantileCurvesFit {
    /// The complete record of the fit: the curves side by side, on points that they share.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_slice("levels", self.levels());
        let Some(first) = self.fits().first() else { return record };
        record.put_number("lambda", first.lambda);
        let columns = |of: fn(&KernelMachineFit) -> ArrayView1<'_, f64>| {
            Array2::from_shape_fn((of(first).len(), self.fits().len()), |(i, j)| of(&self.fits()[j])[i])
        };
        let constants = self.fits().iter().map(KernelMachineFit::intercept).collect();
        first.functions.with(columns(KernelMachineFit::dual_coefficients), constants).put_into(&mut record);
        record.put_matrix("fitted", columns(KernelMachineFit::fitted).view());
        LossEvidence::put_all(&self.fits().iter().map(|f| f.evidence).collect::<Vec<_>>(), &mut record);
        first.plan.put_into(&mut record);
        record
    }

    /// The fit that [`QuantileCurvesFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let lambda = record.number("lambda")?;
        check_penalty(lambda)?;
        let together = Function::take_from(record)?;
        let (n, curves) = together.weights().dim();
        let levels = record.take_finite_vector("levels", curves)?.to_vec();
        let fitted = record.take_matrix("fitted", (n, curves))?;
        let evidence = LossEvidence::take_all(record, curves)?;
        let plan = LossPlan::take_from(record)?;
        let one = |j: usize| KernelMachineFit {
            loss: Loss::Quantile { level: levels[j] },
            lambda,
            functions: together.column(j),
            fitted: fitted.column(j).to_owned(),
            evidence: evidence[j],
            plan: plan.clone(),
            settings: Settings::new(),
        };
        let fits = (0..curves).map(one).collect();
        Self::from_parts(levels, fits)
    }
}
