//! From a model to the text.

use std::fmt::Write;

use ndarray::ArrayView1;

use crate::Sample;

use super::super::probability::Calibrator;
use super::super::regression::Function;
use super::super::schedule::Scheme;
use super::super::support::Support;
use super::super::svc_fit::SvcFit;
use super::{LibsvmModel, kernel};
use crate::{Error, Result};

pub(super) fn text(model: &LibsvmModel) -> Result<String> {
    match model {
        LibsvmModel::Classifier(fit) => classifier(fit),
        LibsvmModel::Regression(fit) => function("epsilon_svr", &fit.function),
        LibsvmModel::OneClass(fit) => function("one_class", &fit.function),
    }
}

fn classifier(fit: &SvcFit) -> Result<String> {
    if fit.scheme != Scheme::OneVersusOne {
        return Err(Error::unsupported(
            "LIBSVM file",
            "classes against the rest",
            "its classifiers are pairs of classes",
            "fit pairs of classes",
        ));
    }
    let labels = fit.names.iter().map(|name| label(name)).collect::<Result<Vec<i32>>>()?;
    let mut text = format!("svm_type c_svc\n{}", kernel::write(fit.kernel())?);
    line(&mut text, "nr_class", [labels.len()]);
    line(&mut text, "total_sv", [fit.support().len()]);
    line(&mut text, "rho", fit.binary.iter().map(|m| 0.0 - m.offset));
    line(&mut text, "label", labels);
    if fit.is_calibrated() {
        let sigmoid = |calibrator: &Option<Calibrator>| match calibrator {
            Some(Calibrator::Sigmoid(sigmoid)) => Ok(*sigmoid),
            _ => Err(Error::unsupported(
                "LIBSVM file",
                "isotonic probabilities",
                "its probabilities are sigmoids",
                "fit with sigmoids",
            )),
        };
        let found = fit.binary.iter().map(|m| sigmoid(&m.calibrator)).collect::<Result<Vec<_>>>()?;
        line(&mut text, "probA", found.iter().map(|s| s.a));
        line(&mut text, "probB", found.iter().map(|s| s.b));
    }
    line(&mut text, "nr_sv", fit.support_sizes());
    text.push_str("SV\n");
    for (at, row) in fit.coefficients.rows().into_iter().enumerate() {
        vector(&mut text, row, &fit.support, at);
    }
    Ok(text)
}

fn function(kind: &str, function: &Function) -> Result<String> {
    let mut text = format!("svm_type {kind}\n{}", kernel::write(&function.support.kernel)?);
    line(&mut text, "nr_class", [2]);
    line(&mut text, "total_sv", [function.coefficients.len()]);
    line(&mut text, "rho", [0.0 - function.offset]);
    text.push_str("SV\n");
    for at in 0..function.coefficients.len() {
        vector(&mut text, ArrayView1::from(&function.coefficients[at..=at]), &function.support, at);
    }
    Ok(text)
}

/// LIBSVM's labels are integers.
fn label(name: &str) -> Result<i32> {
    let number = name.parse::<f64>().ok().filter(|v| v.fract() == 0.0 && v.abs() <= f64::from(i32::MAX));
    number.map(|v| v as i32).ok_or_else(|| {
        Error::unsupported(
            "LIBSVM file",
            format!("the class `{name}`"),
            "its classes are whole numbers",
            "code the classes as numbers",
        )
    })
}

fn line(text: &mut String, name: &str, values: impl IntoIterator<Item = impl std::fmt::Display>) {
    text.push_str(name);
    values.into_iter().for_each(|value| put(text, format_args!(" {value}")));
    text.push('\n');
}

/// Coefficients and coordinates of a support vector.
fn vector(text: &mut String, coefficients: ArrayView1<'_, f64>, support: &Support, at: usize) {
    let words: Vec<String> = coefficients.iter().map(f64::to_string).collect();
    text.push_str(&words.join(" "));
    match &support.vectors {
        Sample::Vectors(vectors) => {
            for (position, value) in (1..).zip(vectors.row(at)).filter(|(_, v)| **v != 0.0) {
                put(text, format_args!(" {position}:{value}"));
            }
        }
        Sample::Sparse(vectors) => {
            let (columns, values) = vectors.row(at);
            for (column, value) in columns.iter().zip(values) {
                put(text, format_args!(" {}:{value}", u64::from(*column) + 1));
            }
        }
        _ => put(text, format_args!(" 0:{}", support.indices[at] + 1)),
    }
    text.push('\n');
}

fn put(text: &mut String, words: std::fmt::Arguments<'_>) {
    text.write_fmt(words).expect("writing to a string does not fail");
}
