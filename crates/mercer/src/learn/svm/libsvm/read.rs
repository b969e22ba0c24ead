//! From the text to a model.

use ndarray::Array2;

use super::super::decide::pairs;
use super::super::evidence::SvmEvidence;
use super::super::probability::{Calibrator, Sigmoid};
use super::super::regression::{Function, OneClassFit, SvrFit};
use super::super::schedule::Scheme;
use super::super::support::Support;
use super::super::svc_fit::{BinarySummary, SvcFit};
use super::LibsvmModel;
use super::header::{Header, format_error};
use super::kernel;
use crate::points::References;
use crate::settings::Settings;
use crate::solve::Stopped;
use crate::{Result, Sample};

/// The support vectors as they stand in the file.
struct Vectors<'t> {
    /// Coefficients of each, one after the other.
    coefficients: Vec<f64>,
    /// Line, and coordinates.
    points: Vec<(u64, Vec<(usize, &'t str)>)>,
}

pub(super) fn parse(text: &str, columns: Option<usize>) -> Result<LibsvmModel> {
    let mut lines = (1..).zip(text.lines());
    let header = Header::read(&mut lines)?;
    let kind = header.word("svm_type")?;
    let classifier = matches!(kind, "c_svc" | "nu_svc");
    if !classifier && !matches!(kind, "epsilon_svr" | "nu_svr" | "one_class") {
        return Err(header.wrong("svm_type", &format!("`{kind}` is none of LIBSVM's machines")));
    }
    let classes: usize = header.number("nr_class")?;
    if classes < 2 {
        return Err(header.wrong("nr_class", "a model has at least 2 classes (2 also for a regression)"));
    }
    let width = classes - 1;
    let vectors = Vectors::read(lines, width)?;
    let total: usize = header.number("total_sv")?;
    if vectors.points.len() != total {
        let found = vectors.points.len();
        return Err(format_error(None, &format!("expected {total} support vectors, found {found}")));
    }
    let support = vectors.support(&header, columns)?;
    if classifier {
        return Ok(LibsvmModel::Classifier(read_classifier(&header, classes, support, vectors.coefficients)?));
    }
    if width != 1 {
        return Err(header.wrong("nr_class", "a machine with one output has 2 here"));
    }
    let offset = -header.numbers("rho", 1)?[0];
    let function =
        Function { support, coefficients: vectors.coefficients, offset, fitted: Vec::new(), evidence: UNKNOWN };
    let settings = Settings::new();
    Ok(match kind {
        "one_class" => LibsvmModel::OneClass(OneClassFit { function, settings }),
        _ => LibsvmModel::Regression(SvrFit { function, epsilon: 0.0, settings }),
    })
}

/// A file does not store how the model was found.
const UNKNOWN: SvmEvidence =
    SvmEvidence { objective: f64::NAN, gap: f64::NAN, violation: f64::NAN, steps: 0, stopped: Stopped::Converged };

impl<'t> Vectors<'t> {
    /// Reads lines of `width` coefficients and of coordinates.
    fn read(lines: impl Iterator<Item = (u64, &'t str)>, width: usize) -> Result<Self> {
        let mut vectors = Self { coefficients: Vec::new(), points: Vec::new() };
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let mut words = line.split_whitespace();
            for _ in 0..width {
                let word = words.next().unwrap_or("");
                let found = word.parse::<f64>().ok().filter(|c| c.is_finite());
                let wrong = || format_error(Some(number), &format!("`{word}` is not a coefficient"));
                vectors.coefficients.push(found.ok_or_else(wrong)?);
            }
            let coordinate = |word: &'t str| {
                let parts = word.split_once(':').and_then(|(position, value)| Some((position.parse().ok()?, value)));
                parts.ok_or_else(|| format_error(Some(number), &format!("`{word}` is not `place:value`")))
            };
            vectors.points.push((number, words.map(coordinate).collect::<Result<_>>()?));
        }
        Ok(vectors)
    }

    fn support(&self, header: &Header<'_>, columns: Option<usize>) -> Result<Support> {
        let kernel = kernel::read(header)?;
        if kernel.is_precomputed() {
            let indices = self.points.iter().map(serial_number).collect::<Result<Vec<usize>>>()?;
            let columns = self.columns(columns, indices.iter().max().map_or(0, |i| i + 1))?;
            let vectors = Sample::References(References::some(columns, indices.clone())?);
            return Ok(Support { kept: Default::default(), kernel, vectors, indices });
        }
        let largest = self.points.iter().flat_map(|(_, point)| point.iter().map(|c| c.0)).max().unwrap_or(0);
        let columns = self.columns(columns, largest)?;
        let mut vectors = Array2::zeros((self.points.len(), columns));
        for ((line, point), mut row) in self.points.iter().zip(vectors.rows_mut()) {
            for &(position, value) in point {
                let number = value.parse::<f64>().ok().filter(|v| v.is_finite() && position > 0);
                let wrong = || format_error(Some(*line), &format!("`{position}:{value}` is not a coordinate"));
                row[position.wrapping_sub(1).min(columns - 1)] = number.ok_or_else(wrong)?;
            }
        }
        Ok(Support {
            kept: Default::default(),
            kernel,
            indices: (0..self.points.len()).collect(),
            vectors: vectors.into(),
        })
    }

    /// How many columns there are.
    fn columns(&self, requested: Option<usize>, least: usize) -> Result<usize> {
        match requested {
            Some(requested) if requested < least => {
                Err(format_error(None, &format!("the model has {least} columns, more than the {requested} asked for")))
            }
            _ => Ok(requested.unwrap_or(least.max(1))),
        }
    }
}

/// The row of a support vector of a precomputed kernel: `0:row`, counted from 1.
fn serial_number((line, point): &(u64, Vec<(usize, &str)>)) -> Result<usize> {
    let found = match point[..] {
        [(0, value)] => value.parse::<f64>().ok().filter(|v| v.fract() == 0.0 && *v >= 1.0 && *v < 1e15),
        _ => None,
    };
    found.map(|v| v as usize - 1).ok_or_else(|| {
        format_error(Some(*line), "a support vector of a precomputed kernel is `0:row`, with rows counted from 1")
    })
}

fn read_classifier(header: &Header<'_>, classes: usize, support: Support, coefficients: Vec<f64>) -> Result<SvcFit> {
    let binary = classes * (classes - 1) / 2;
    let offsets = header.numbers("rho", binary)?;
    let sizes = header.numbers("nr_sv", classes)?;
    let mut starts = vec![0];
    for size in sizes {
        starts.push(starts[starts.len() - 1] + size as usize);
    }
    let n = support.indices.len();
    if starts[classes] != n {
        return Err(header.wrong("nr_sv", &format!("the classes have {} support vectors of {n}", starts[classes])));
    }
    let coefficients = Array2::from_shape_vec((n, classes - 1), coefficients)
        .map_err(|e| format_error(None, &format!("the coefficients: {e}")))?;
    let sigmoids = header
        .has("probA")
        .then(|| -> Result<_> { Ok((header.numbers("probA", binary)?, header.numbers("probB", binary)?)) });
    let sigmoids = sigmoids.transpose()?;
    let summary = |(at, (first, second)): (usize, (usize, usize))| {
        let column = |class: usize, other: usize| {
            let rows = starts[class]..starts[class + 1];
            rows.filter(|&row| coefficients[[row, other]] != 0.0).count()
        };
        BinarySummary {
            first,
            second: Some(second),
            offset: -offsets[at],
            support: column(first, second - 1) + column(second, first),
            bounded: 0,
            calibrator: sigmoids.as_ref().map(|(a, b)| Calibrator::Sigmoid(Sigmoid { a: a[at], b: b[at] })),
            evidence: UNKNOWN,
        }
    };
    let binary = pairs(classes).enumerate().map(summary).collect();
    let names = header.numbers("label", classes)?.iter().map(f64::to_string).collect();
    let (scheme, settings) = (Scheme::OneVersusOne, Settings::new());
    Ok(SvcFit { scheme, break_ties: false, names, support, starts, coefficients, binary, settings })
}
