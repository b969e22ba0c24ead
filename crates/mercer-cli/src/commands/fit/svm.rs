//! `mercer fit svm`.

use mercer::learn::svm::{Penalty, Scheme, Svc, SvcFit, SvmEvidence};
use mercer::model::Model;
use mercer::points::Scaling;
use mercer::select::{Choices, FoldSearch, HeldOutSvc, Measure};
use mercer::solve::{DualOptions, Stopped};
use mercer::{Compute, Kernel, Points, Result};
use serde_json::{Map, Value, json};

use super::choice::Choice;
use super::folds::{self, Part};
use super::training::Goal;
use super::{ClassQuality, Outcome, Training, choice};
use crate::arguments::{SvmArguments, SvmWords, explicit_kernel};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, json_rows, short};
use crate::report::Table;
use crate::session::Session;

/// Support vectors that are listed; programs get all of them.
const LISTED: usize = 10;

/// Runs the command.
pub fn fit(words: &SvmArguments, session: &Session) -> Result<Outcome, Failure> {
    let training = read(words, session)?;
    let rows = choice::rows(&training, words.folds.sample.unwrap_or(folds::MANY_ROWS), session);
    let parameters = match words.nu {
        Some(nu) => (Choices::fixed(vec![nu]), "nu"),
        None => (folds::cs(words.c, &words.cs), "C"),
    };
    let search = folds::search(&words.svm.kernel, &words.folds, parameters, &training, &rows, &session.compute)?;
    let base = specification(words, &training, "gaussian()".parse()?)?;
    if let Some((kernel, parameter)) = folds::only(&search) {
        let svc = Svc { kernel, penalty: penalty(words, parameter), ..base };
        return outcome("svm", &svc, training, None, session);
    }
    let (chosen, choice) = choose(&base, &search, words, &training, &rows, session)?;
    let svc = Svc { kernel: chosen.kernel, penalty: penalty(words, chosen.parameter), ..base };
    outcome("svm", &svc, training, Some(choice), session)
}

/// The data, scaled where the kernel is chosen.
pub fn read(words: &SvmArguments, session: &Session) -> Result<Training, Failure> {
    let weights = words.svm.weights.as_deref();
    let kernel = explicit_kernel(&words.svm.kernel);
    Training::read_for(Goal::Classes, &words.training, weights, kernel, scaling(&words.svm.kernel), session)
}

/// Columns are scaled where the kernel is chosen.
pub fn scaling(kernel: &str) -> Scaling {
    scaling_of(explicit_kernel(kernel))
}

/// The scaling of columns for a kernel that may be given.
pub fn scaling_of(kernel: Option<&str>) -> Scaling {
    if kernel.is_some() { Scaling::None } else { Scaling::Standardize }
}

/// The specification from the arguments, with this kernel.
pub fn specification(words: &SvmArguments, training: &Training, kernel: Kernel) -> Result<Svc, Failure> {
    Ok(Svc {
        class_weights: folds::class_weights(&words.class_weight, training.classes()?)?,
        scheme: if words.one_versus_rest { Scheme::OneVersusRest } else { Scheme::OneVersusOne },
        break_ties: words.break_ties,
        calibration: words.proba.map(|word| word.calibration(words.calibration_folds)),
        offset: !words.no_offset,
        solver: solver(&words.svm),
        indefinite: words.svm.allow_indefinite,
        ..Svc::new(kernel, 1.0)
    })
}

/// The solver from the arguments.
pub fn solver(words: &SvmWords) -> DualOptions {
    let plain = DualOptions::default();
    let working_set = words.working_set.map_or(plain.working_set, |size| usize::try_from(size).unwrap_or(usize::MAX));
    DualOptions { tolerance: words.tol, max_steps: words.max_iter, working_set }
}

fn penalty(words: &SvmArguments, parameter: f64) -> Penalty {
    if words.nu.is_some() { Penalty::Nu(parameter) } else { Penalty::C(parameter) }
}

/// The best kernel and C (or ν) by the errors of folds.
fn choose(
    base: &Svc,
    search: &FoldSearch,
    words: &SvmArguments,
    training: &Training,
    rows: &[usize],
    session: &Session,
) -> Result<(folds::Chosen, Choice), Failure> {
    let part = Part::of(training, rows);
    let classes = part.classes(training.classes()?)?;
    let spec = Svc { penalty: penalty(words, words.nu.unwrap_or(1.0)), ..base.clone() };
    let held = HeldOutSvc { spec, x: part.x.as_points(), classes: &classes, weights: part.weights() };
    folds::choose("svc", search, &held, (&part, training.rows()), (Measure::WrongClasses, search.parameter), session)
}

/// The support vector machine on all rows with its report.
pub fn outcome(
    learner: &'static str,
    svc: &Svc,
    training: Training,
    choice: Option<Choice>,
    session: &Session,
) -> Result<Outcome, Failure> {
    let compute = &session.compute;
    let weights = training.weights.as_ref().map(|w| w.view());
    let classes = training.classes()?;
    let fit = session.anytime(|compute| svc.fit(training.points(), classes, weights, compute))?;
    let mut remarks = notes(fit.evidence(), svc.indefinite);
    if fit.support().len() == training.rows() {
        remarks.push("Every row is a support vector: a larger C or another lengthscale may fit better.".into());
    }
    let (facts, json) = (facts(svc, &fit), json_of(svc, &fit));
    let tables = vec![listed(&fit, &training)];
    let model = Model::new(fit, training.inputs.clone())?.with_note("command", format!("mercer fit {learner}"));
    let class_quality = Some(quality(&model, &training, compute)?);
    let (quality, figures) = (Vec::new(), Vec::new());
    Ok(Outcome { learner, training, model, quality, class_quality, facts, json, choice, figures, tables, remarks })
}

/// How good a model of classes is on the data of its fit.
pub fn quality(model: &Model, training: &Training, compute: &Compute) -> Result<ClassQuality, Failure> {
    let (x, classes) = (training.points(), training.classes()?);
    let predicted = model.predict_classes(x, compute)?;
    let decisions = model.decision_values(x, compute)?;
    let probabilities = model.has_probabilities().then(|| model.probabilities(x, compute)).transpose()?;
    let p = probabilities.as_ref().map(|p| p.view());
    Ok(ClassQuality::new(classes.names(), classes.of(), &predicted, decisions.view(), p))
}

/// Remarks on a solution of the dual solver.
pub fn notes(evidence: SvmEvidence, indefinite: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if !evidence.converged() {
        notes.push(format!(
            "The solver did not converge ({}, {} steps): the objective is within {} of the optimum, the optimality conditions \
             are violated by {}. Raise --max-iter, --budget-time or --tol, or scale the columns.",
            reason(evidence.stopped),
            evidence.steps,
            short(evidence.gap),
            short(evidence.violation)
        ));
    }
    if indefinite {
        notes.push(
            "An indefinite kernel was allowed: where it is one, the answer is a stationary point as in LIBSVM, and the gap is \
             no bound."
                .into(),
        );
    }
    notes
}

/// Why a solver stopped, in words.
pub fn reason(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Converged => "converged",
        Stopped::StepLimit => "step limit",
        Stopped::Canceled => "interrupted",
        Stopped::Stalled => "stalled",
    }
}

/// The evidence of machines, for people.
pub fn evidence_facts(evidence: SvmEvidence) -> Vec<(&'static str, String)> {
    vec![
        ("dual objective", short(evidence.objective)),
        ("duality gap", format!("{} (KKT violation {})", short(evidence.gap), short(evidence.violation))),
        ("steps", format!("{}, {}", grouped(evidence.steps), reason(evidence.stopped))),
    ]
}

/// The evidence of machines, for programs.
pub fn evidence_json(evidence: SvmEvidence) -> [(&'static str, Value); 5] {
    [
        ("dual_objective", number(evidence.objective)),
        ("duality_gap", number(evidence.gap)),
        ("kkt_violation", number(evidence.violation)),
        ("steps", json!(evidence.steps)),
        ("stopped", json!(reason(evidence.stopped))),
    ]
}

fn facts(svc: &Svc, fit: &SvcFit) -> Vec<(&'static str, String)> {
    let sizes: Vec<String> = fit.names().iter().zip(fit.support_sizes()).map(|(n, s)| format!("{n}: {s}")).collect();
    let bounded: usize = fit.binary().iter().map(|m| m.bounded).sum();
    let mut facts = vec![
        ("kernel", fit.kernel().short()),
        match svc.penalty {
            Penalty::C(c) => ("C", short(c)),
            Penalty::Nu(nu) => ("ν", short(nu)),
        },
        ("binary SVMs", format!("{} of {} classes", fit.binary().len(), fit.names().len())),
        ("support vectors", format!("{} ({}), {bounded} at their bound", fit.support().len(), sizes.join(", "))),
    ];
    facts.extend(evidence_facts(fit.evidence()));
    facts
}

fn json_of(svc: &Svc, fit: &SvcFit) -> Map<String, Value> {
    let (c, nu) = match svc.penalty {
        Penalty::C(c) => (number(c), Value::Null),
        Penalty::Nu(nu) => (Value::Null, number(nu)),
    };
    let pairs = [
        ("kernel", json!(fit.kernel().to_string())),
        ("C", c),
        ("nu", nu),
        ("binary_svms", json!(fit.binary().len())),
        ("offsets", fit.binary().iter().map(|m| number(m.offset)).collect()),
        ("support", json!(fit.support())),
        ("support_sizes", json!(fit.support_sizes())),
        ("dual_coefficients", json_rows(fit.dual_coefficients())),
        ("probabilities", json!(fit.is_calibrated())),
    ];
    pairs.into_iter().chain(evidence_json(fit.evidence())).map(|(k, v)| (k.to_owned(), v)).collect()
}

/// The support vectors with the largest coefficients.
fn listed(fit: &SvcFit, training: &Training) -> (String, Table) {
    let sizes = |row: ndarray::ArrayView1<f64>| row.iter().map(|c| c.abs()).fold(0.0, f64::max);
    let coefficients = fit.dual_coefficients();
    let largest = (0..fit.support().len()).map(|i| (i, sizes(coefficients.row(i)))).collect();
    let class = |row: usize| training.classes.as_ref().map_or(String::new(), |c| c.names()[c.of()[row]].clone());
    support_table(fit.support(), fit.support_vectors(), largest, Some(&class), training)
}

/// A table of the support vectors with the largest coefficients.
pub fn support_table(
    support: &[usize],
    vectors: Points<'_>,
    mut sizes: Vec<(usize, f64)>,
    class: Option<&dyn Fn(usize) -> String>,
    training: &Training,
) -> (String, Table) {
    sizes.sort_by(|a, b| b.1.total_cmp(&a.1));
    let numbers = vectors.vectors().ok();
    let shown = numbers.map_or(0, |x| x.ncols().min(4));
    let mut head = vec!["row"];
    head.extend(class.map(|_| "class"));
    head.push("largest |α|");
    head.extend(training.coordinates.iter().take(shown).map(String::as_str));
    head.extend(numbers.is_none().then_some("point"));
    let right: Vec<usize> = (0..head.len()).filter(|&j| !["class", "point"].contains(&head[j])).collect();
    let mut table = Table::new(&head, &right);
    for (i, size) in sizes.iter().take(LISTED) {
        let mut cells = vec![support[*i].to_string()];
        cells.extend(class.map(|class| class(support[*i])));
        cells.push(short(*size));
        cells.extend(numbers.into_iter().flat_map(|x| (0..shown).map(move |j| short(x[[*i, j]]))));
        cells.extend(vectors.describe(*i));
        table.push(cells);
    }
    let title = match support.len() {
        n if n > LISTED => format!("Support vectors: the {LISTED} largest of {}", grouped(n as u64)),
        _ => "Support vectors".into(),
    };
    (title, table)
}
