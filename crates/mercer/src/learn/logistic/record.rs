//! A logistic regression as named texts and arrays.

use super::{LogisticFit, LogisticLeaveOneOut};
use crate::Result;
use crate::function::Function;
use crate::learn::machine::{LossEvidence, LossPlan, LossSolver};
use crate::learn::observations::check_penalty;
use crate::record::{Record, require};
use crate::settings::Settings;

impl LogisticFit {
    /// The complete record of the fit.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_number("lambda", self.lambda);
        self.functions.put_into(&mut record);
        record.put_matrix("fitted", self.fitted.view());
        LossEvidence::put_all(&[self.evidence], &mut record);
        self.plan.put_into(&mut record);
        if let Some(without) = &self.leave_one_out {
            record.put_vector("loo_decisions", without.decisions.view());
            record.put_number("loo_log_loss", without.log_loss);
            record.put_number("loo_error", without.error);
        }
        record
    }

    /// The fit that [`LogisticFit::to_record`] wrote. One function is two classes; several are one
    /// class each.
    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let lambda = record.number("lambda")?;
        check_penalty(lambda)?;
        let functions = Function::take_from(record)?;
        let (n, count) = functions.weights().dim();
        require("functions", count as f64, count != 2, "1 for two classes, or one per class for more")?;
        let plan = LossPlan::take_from(record)?;
        // On centers there are fewer points in the model than rows in the data.
        let fitted = match plan.solver {
            LossSolver::Centers => record.take_leading_matrix("fitted")?,
            _ => record.take_matrix("fitted", (n, count))?,
        };
        require("columns of `fitted`", fitted.ncols() as f64, fitted.ncols() == count, "one per function")?;
        let evidence = LossEvidence::take_all(record, 1)?[0];
        let leave_one_out = if record.has("loo_decisions") { Some(take_without(record, n)?) } else { None };
        let classes = if count == 1 { 2 } else { count };
        let settings = Settings::new();
        Ok(Self { lambda, classes, functions, fitted, evidence, leave_one_out, plan, settings })
    }
}

fn take_without(record: &mut Record, n: usize) -> Result<LogisticLeaveOneOut> {
    let decisions = record.take_vector("loo_decisions", n)?;
    Ok(LogisticLeaveOneOut { decisions, log_loss: record.number("loo_log_loss")?, error: record.number("loo_error")? })
}
