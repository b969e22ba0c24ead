//! A smoothing spline as named texts and arrays.

use ndarray::Array1;

use super::SplineFit;
use super::data::SplineData;
use super::search::Chosen;
use crate::error::RecordProblem;
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::solve::chain::{Node, States};
use crate::{Error, Result};

impl SplineFit {
    /// The complete record of the fit.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_count("order", self.order);
        record.put_text("periodic", self.periodic);
        record.put_number("scaled_lambda", self.scaled_lambda);
        record.put_count("passes", self.chosen.passes);
        record.put_text("at_limit", self.chosen.at_limit);
        for (name, value) in self.scalars() {
            record.put_number(name, value);
        }
        record.put_optional_number("variance", self.variance);
        record.put_vector("fitted", self.fitted.view());
        record.put_vector("residuals", self.residuals.view());
        record.put_vector("leverages", self.leverages.view());
        self.data.put_into(&mut record);
        self.states.put_into(&mut record);
        record
    }

    fn scalars(&self) -> [(&'static str, f64); 5] {
        [
            ("degrees_of_freedom", self.degrees_of_freedom),
            ("gcv", self.gcv),
            ("reml", self.reml),
            ("residual_sum", self.residual_sum),
            ("loo_score", self.loo_score),
        ]
    }

    /// The fit that [`SplineFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let order = record.count("order")?;
        require("order", order as f64, (1..=3).contains(&order), "1, 2 or 3")?;
        let scaled_lambda = record.finite_number("scaled_lambda")?;
        require("scaled_lambda", scaled_lambda, scaled_lambda > 0.0, "positive")?;
        let periodic = record.flag("periodic")?;
        let data = SplineData::take_from(record, periodic)?;
        let states = States::take_from(record, data.nodes.len(), order)?;
        let fitted = record.take_any_vector("fitted")?;
        let n = fitted.len();
        Ok(Self {
            order,
            periodic,
            data,
            states,
            scaled_lambda,
            chosen: Chosen {
                lambda: scaled_lambda,
                passes: record.count("passes")?,
                at_limit: record.flag("at_limit")?,
            },
            degrees_of_freedom: record.number("degrees_of_freedom")?,
            gcv: record.number("gcv")?,
            reml: record.number("reml")?,
            residual_sum: record.number("residual_sum")?,
            variance: record.optional_number("variance")?,
            fitted,
            residuals: record.take_vector("residuals", n)?,
            leverages: record.take_vector("leverages", n)?,
            loo_score: record.number("loo_score")?,
            settings: Settings::new(),
        })
    }
}

impl SplineData {
    /// Which observation belongs to which node matters only while the spline is fitted, and is left
    /// out.
    fn put_into(&self, record: &mut Record) {
        let column = |value: fn(&Node) -> f64| self.nodes.iter().map(value).collect::<Array1<f64>>();
        record.put_vector("node_positions", column(|n| n.t).view());
        record.put_vector("node_values", column(|n| n.y).view());
        record.put_vector("node_weights", column(|n| n.weight).view());
        record.put_number("origin", self.origin);
        record.put_number("scale", self.scale);
        record.put_number("center", self.center);
        record.put_number("within", self.within);
        record.put_count("count", self.count);
    }

    fn take_from(record: &mut Record, periodic: bool) -> Result<Self> {
        let positions = record.take_any_vector("node_positions")?;
        let u = positions.len();
        let ascending = positions.iter().zip(positions.iter().skip(1)).all(|(a, b)| a < b);
        let finite = positions.iter().all(|t| t.is_finite());
        let closes = !periodic || u == 0 || positions[u - 1] - positions[0] < 1.0;
        if u == 0 || !ascending || !finite || !closes {
            return Err(Error::record(
                "array `node_positions`",
                RecordProblem::Damaged("it must hold finite numbers that ascend, over at most one period".into()),
            ));
        }
        let values = record.take_finite_vector("node_values", u)?;
        let weights = record.take_finite_vector("node_weights", u)?;
        let scale = record.finite_number("scale")?;
        require("scale", scale, scale > 0.0, "positive")?;
        let node = |i: usize| Node { t: positions[i], y: values[i], weight: weights[i] };
        Ok(Self {
            nodes: (0..u).map(node).collect(),
            node_of: Vec::new(),
            origin: record.finite_number("origin")?,
            scale,
            center: record.finite_number("center")?,
            within: record.finite_number("within")?,
            count: record.count("count")?,
        })
    }
}

impl States {
    fn put_into(&self, record: &mut Record) {
        record.put_slice("state_mean", &self.mean);
        record.put_slice("state_covariance", &self.covariance);
        record.put_slice("state_cross", &self.cross);
        record.put_slice("state_step", &self.step);
    }

    fn take_from(record: &mut Record, nodes: usize, order: usize) -> Result<Self> {
        let (vector, matrix) = (nodes * order, nodes * order * order);
        Ok(Self {
            mean: record.take_finite_vector("state_mean", vector)?.to_vec(),
            covariance: record.take_finite_vector("state_covariance", matrix)?.to_vec(),
            cross: record.take_finite_vector("state_cross", matrix)?.to_vec(),
            step: record.take_finite_vector("state_step", vector)?.to_vec(),
        })
    }
}
