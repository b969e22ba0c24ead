//! Support vector machines as named texts and arrays.

use ndarray::Array1;

use super::decide::pairs;
use super::evidence::SvmEvidence;
use super::probability::{Calibrator, Isotonic, Sigmoid};
use super::regression::{Function, OneClassFit, SvrFit};
use super::schedule::Scheme;
use super::support::Support;
use super::svc_fit::{BinarySummary, SvcFit};
use crate::error::RecordProblem;
use crate::learn::stopped;
use crate::points::References;
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::{Error, Result, Sample};

impl SvcFit {
    /// The complete record of the fit.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        let paired = self.scheme == Scheme::OneVersusOne;
        record.put_text("scheme", if paired { "one_versus_one" } else { "one_versus_rest" });
        record.put_text("break_ties", self.break_ties);
        record.put_list("classes", &self.names);
        self.support.put_into(&mut record);
        record.put_matrix("dual_coefficients", self.coefficients.view());
        let numbers = |of: fn(&BinarySummary) -> f64| self.binary.iter().map(of).collect::<Vec<f64>>();
        record.put_slice("support_sizes", &self.support_sizes().iter().map(|&n| n as f64).collect::<Vec<f64>>());
        record.put_slice("offsets", &numbers(|m| m.offset));
        record.put_slice("binary_support", &numbers(|m| m.support as f64));
        record.put_slice("binary_bounded", &numbers(|m| m.bounded as f64));
        put_evidence(self.binary.iter().map(|m| m.evidence), &mut record);
        put_calibrators(&self.binary, &mut record);
        record
    }

    /// The fit that [`SvcFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let scheme = match record.text("scheme")? {
            "one_versus_one" => Scheme::OneVersusOne,
            "one_versus_rest" => Scheme::OneVersusRest,
            other => return Err(Error::parameter("scheme", other, "one_versus_one or one_versus_rest")),
        };
        let names = record.list("classes")?;
        let k = names.len();
        require("classes", k as f64, k >= 2, "at least 2")?;
        let columns = if scheme == Scheme::OneVersusOne { k - 1 } else { k };
        let support = Support::take_from(record)?;
        let coefficients = record.take_finite_matrix("dual_coefficients", (support.indices.len(), columns))?;
        let starts = take_starts(record, k, support.indices.len())?;
        let binary = take_binary(record, scheme, k)?;
        let (break_ties, settings) = (record.flag("break_ties")?, Settings::new());
        Ok(Self { scheme, break_ties, names, support, starts, coefficients, binary, settings })
    }
}

fn take_starts(record: &mut Record, classes: usize, total: usize) -> Result<Vec<usize>> {
    let sizes = record.take_counts("support_sizes", classes)?;
    let mut starts = vec![0_usize];
    for size in sizes {
        starts.push(starts.last().copied().unwrap_or(0).saturating_add(size));
    }
    match starts.last() {
        Some(&end) if end == total => Ok(starts),
        _ => Err(Error::shape("sum of the array `support_sizes`", total, format!("{:?}", starts.last()))),
    }
}

fn take_binary(record: &mut Record, scheme: Scheme, classes: usize) -> Result<Vec<BinarySummary>> {
    let sides: Vec<(usize, Option<usize>)> = match scheme {
        Scheme::OneVersusOne => pairs(classes).map(|(a, b)| (a, Some(b))).collect(),
        Scheme::OneVersusRest => (0..classes).map(|c| (c, None)).collect(),
    };
    let m = sides.len();
    let offsets = record.take_finite_vector("offsets", m)?;
    let (support, bounded) = (record.take_counts("binary_support", m)?, record.take_counts("binary_bounded", m)?);
    let evidence = take_evidence(record, m)?;
    let calibrators = take_calibrators(record, m)?;
    let mut calibrators = calibrators.into_iter();
    let one = |(i, (first, second)): (usize, (usize, Option<usize>))| {
        let (offset, support, bounded, evidence) = (offsets[i], support[i], bounded[i], evidence[i]);
        BinarySummary { first, second, offset, support, bounded, calibrator: calibrators.next().flatten(), evidence }
    };
    Ok(sides.into_iter().enumerate().map(one).collect())
}

fn put_calibrators(binary: &[BinarySummary], record: &mut Record) {
    let (mut sigmoids, mut sizes, mut knots, mut values) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for calibrator in binary.iter().filter_map(|m| m.calibrator.as_ref()) {
        match calibrator {
            Calibrator::Sigmoid(sigmoid) => sigmoids.extend([sigmoid.a, sigmoid.b]),
            Calibrator::Isotonic(isotonic) => {
                sizes.push(isotonic.knots.len() as f64);
                knots.extend(&isotonic.knots);
                values.extend(&isotonic.values);
            }
        }
    }
    if sigmoids.len() == 2 * binary.len() {
        record.put_slice("sigmoids", &sigmoids);
    } else if sizes.len() == binary.len() {
        record.put_slice("isotonic_sizes", &sizes);
        record.put_slice("isotonic_knots", &knots);
        record.put_slice("isotonic_values", &values);
    }
}

fn take_calibrators(record: &mut Record, binary: usize) -> Result<Vec<Option<Calibrator>>> {
    if record.has("sigmoids") {
        let numbers = record.take_finite_vector("sigmoids", 2 * binary)?;
        let one = |i: usize| Some(Calibrator::Sigmoid(Sigmoid { a: numbers[2 * i], b: numbers[2 * i + 1] }));
        return Ok((0..binary).map(one).collect());
    }
    if record.has("isotonic_sizes") {
        return take_isotonic(record, binary);
    }
    Ok(vec![None; binary])
}

fn take_isotonic(record: &mut Record, binary: usize) -> Result<Vec<Option<Calibrator>>> {
    let sizes = record.take_counts("isotonic_sizes", binary)?;
    let total = sizes.iter().fold(0_usize, |sum, &size| sum.saturating_add(size));
    let knots = record.take_finite_vector("isotonic_knots", total)?.to_vec();
    let values = record.take_finite_vector("isotonic_values", total)?.to_vec();
    let mut start = 0;
    let mut one = |size: usize| {
        let range = start..start + size;
        start += size;
        let isotonic = Isotonic { knots: knots[range.clone()].to_vec(), values: values[range].to_vec() };
        let ascending = |list: &[f64]| list.windows(2).all(|pair| pair[0] <= pair[1]);
        if ascending(&isotonic.knots) && ascending(&isotonic.values) {
            return Ok(Some(Calibrator::Isotonic(isotonic)));
        }
        Err(Error::record(
            "arrays `isotonic_knots` and `isotonic_values`",
            RecordProblem::Damaged("they must ascend for each pair of classes".into()),
        ))
    };
    sizes.into_iter().map(&mut one).collect()
}

impl Support {
    fn put_into(&self, record: &mut Record) {
        record.put_text("kernel", &self.kernel);
        record.put_count("columns", self.columns());
        record.put_slice("support", &self.indices.iter().map(|&i| i as f64).collect::<Vec<f64>>());
        // The numbers of the support vectors are all that is left of kernel values.
        if !matches!(self.vectors, Sample::References(_)) {
            record.put_points("support_vectors", self.vectors.as_points());
        }
    }

    fn take_from(record: &mut Record) -> Result<Self> {
        let kernel = record.kernel()?;
        let columns = record.count("columns")?;
        let indices = record.take_all_counts("support")?;
        let n = indices.len();
        if kernel.is_precomputed() {
            let vectors = Sample::References(References::some(columns, indices.clone())?);
            return Ok(Self { kept: Default::default(), kernel, indices, vectors });
        }
        let vectors = record.take_points("support_vectors")?;
        let found = vectors.as_points();
        if found.len() != n || found.columns() != columns {
            let found = format!("{} × {}", found.len(), found.columns());
            return Err(Error::shape("array `support_vectors`", format!("{n} × {columns}"), found));
        }
        Ok(Self { kept: Default::default(), kernel, indices, vectors })
    }
}

fn put_evidence(all: impl Iterator<Item = SvmEvidence> + Clone, record: &mut Record) {
    let numbers = |of: fn(SvmEvidence) -> f64| all.clone().map(of).collect::<Vec<f64>>();
    record.put_slice("objective", &numbers(|e| e.objective));
    record.put_slice("gap", &numbers(|e| e.gap));
    record.put_slice("violation", &numbers(|e| e.violation));
    record.put_slice("steps", &numbers(|e| e.steps as f64));
    record.put_text("stopped", stopped::words(all.clone().map(|e| e.stopped)));
}

fn take_evidence(record: &mut Record, count: usize) -> Result<Vec<SvmEvidence>> {
    let mut numbers = |name: &str| record.take_vector(name, count);
    let (objective, gap, violation) = (numbers("objective")?, numbers("gap")?, numbers("violation")?);
    let steps = record.take_counts("steps", count)?;
    let reasons = stopped::read(record.text("stopped")?, count)?;
    let one = |i: usize| SvmEvidence {
        objective: objective[i],
        gap: gap[i],
        violation: violation[i],
        steps: steps[i] as u64,
        stopped: reasons[i],
    };
    Ok((0..count).map(one).collect())
}

impl Function {
    fn put_into(&self, record: &mut Record) {
        self.support.put_into(record);
        record.put_slice("dual_coefficients", &self.coefficients);
        record.put_number("offset", self.offset);
        record.put_slice("fitted", &self.fitted);
        put_evidence(std::iter::once(self.evidence), record);
    }

    fn take_from(record: &mut Record) -> Result<Self> {
        let support = Support::take_from(record)?;
        let coefficients = record.take_finite_vector("dual_coefficients", support.indices.len())?.to_vec();
        let fitted: Array1<f64> = record.take_any_vector("fitted")?;
        let evidence = take_evidence(record, 1)?[0];
        Ok(Self { support, coefficients, offset: record.finite_number("offset")?, fitted: fitted.to_vec(), evidence })
    }
}

impl SvrFit {
    /// The complete record of the fit.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        self.function.put_into(&mut record);
        record.put_number("epsilon", self.epsilon);
        record
    }

    /// The fit that [`SvrFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let (function, epsilon) = (Function::take_from(record)?, record.finite_number("epsilon")?);
        Ok(Self { function, epsilon, settings: Settings::new() })
    }
}

impl OneClassFit {
    /// The complete record of the fit.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        self.function.put_into(&mut record);
        record
    }

    /// The fit that [`OneClassFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        Ok(Self { function: Function::take_from(record)?, settings: Settings::new() })
    }
}
