//! `mercer explain fit …`: the plan of a fit before it runs.

use mercer::compute::{human_bytes, human_seconds};
use mercer::learn::ridge::RidgePlan;
use mercer::learn::svm::SvmPlan;
use mercer::learn::{LogisticRegression, Ridge};
use mercer::select::{FinalsPlan, RidgeFinals};
use serde_json::{Map, Value, json};

use super::ridge::Specification;
use super::{
    Training, auto, choice, folds, gp, learner, logistic, one_class, ridge, smooth, spline, streamed, svm, svr,
};
use crate::arguments::{FitCommand, FoldWords, GpArguments, RidgeArguments, explicit_kernel};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::report::{Block, Report, Truth};
use crate::session::Session;

/// Candidates of a choice among kernels, about.
const CANDIDATES: f64 = 18.0;
/// Steps of an optimization of likelihoods, about.
const STEPS: f64 = 25.0;

/// One stage of the work.
struct Stage {
    name: &'static str,
    what: String,
    bytes: u64,
    flops: f64,
    /// The plan of the library, if it makes one.
    plan: Option<RidgePlan>,
    /// Why it does not fit, where it does not.
    refusal: Option<String>,
}

/// Reads the data and reports the plan of the fit.
pub fn explain(command: &FitCommand, session: &Session) -> Result<Report, Failure> {
    if let Some((words, reason)) = streamed::requested(command, session) {
        return streamed::explain(words, reason, session);
    }
    let (training, stages) = match command {
        FitCommand::Ridge(words) => {
            let training = ridge::read(words, session)?;
            let stages = ridge_stages(words, &training, session)?;
            (training, stages)
        }
        FitCommand::Gp(words) => {
            let training = gp::read(words, session)?;
            let stages = gp_stages(words, &training, session);
            (training, stages)
        }
        FitCommand::Spline(words) => {
            let training = spline::read(words, session)?;
            let stages = vec![spline_stage(training.rows(), words.order)];
            (training, stages)
        }
        FitCommand::Smooth(words) => {
            let training = smooth::read(words, session)?;
            let stages = vec![smooth_stage(&training)];
            (training, stages)
        }
        FitCommand::Svm(words) => {
            let training = svm::read(words, session)?;
            let spec = svm::specification(words, &training, "gaussian()".parse()?)?;
            let (n, d) = (training.rows(), training.columns());
            let plan = spec.plan(n, d, training.classes()?.count(), &session.compute);
            let parameters = if words.nu.is_some() { 1 } else { folds::cs(words.c, &words.cs).values.len() };
            let (kernel, rows) = (&words.svm.kernel, folds::MANY_ROWS);
            let mut stages = fold_stages(kernel, &words.folds, parameters, rows, &training, session);
            stages.push(svm_stage(&plan));
            (training, stages)
        }
        FitCommand::Svr(words) => {
            let training = svr::read(words, session)?;
            let (n, d) = (training.rows(), training.columns());
            let parameters = folds::cs(words.c, &words.cs).values.len();
            let (kernel, rows) = (&words.svm.kernel, folds::FEW_ROWS);
            let mut stages = fold_stages(kernel, &words.folds, parameters, rows, &training, session);
            let spec = svr::specification(words, "gaussian()".parse()?, 1.0);
            stages.push(svm_stage(&spec.plan(n, d, &session.compute)));
            (training, stages)
        }
        FitCommand::OneClass(words) => {
            let training = one_class::read(words, session)?;
            let (n, d) = (training.rows(), training.columns());
            let plan = one_class::specification(words, &training)?.plan(n, d, &session.compute);
            (training, vec![svm_stage(&plan)])
        }
        FitCommand::Logistic(words) => {
            let training = logistic::read(words, session)?;
            let spec = logistic::specification(words, &training, "gaussian()".parse()?, 1.0)?;
            let parameters = folds::lambdas(words.lambda, &words.lambdas).values.len();
            let rows = folds::FEW_ROWS;
            let mut stages = fold_stages(&words.kernel, &words.folds, parameters, rows, &training, session);
            stages.push(logistic_stage(&spec, &training, session)?);
            (training, stages)
        }
        FitCommand::Learner(words) => {
            let training = learner::read(words, session)?;
            let built = words.entry.build(&learner::settings(words, &training)?)?;
            let plan = built.plan(&learner::input(words, &training)?.size(), &session.compute)?;
            let what = format!("{}; {}", plan.solver, plan.reason);
            let stage = Stage { name: "fit", what, bytes: plan.bytes, flops: plan.flops, plan: None, refusal: None };
            (training, vec![stage])
        }
        FitCommand::Auto(words) => {
            // Standard input can be read only once: both kinds of target are told apart afterwards.
            let training = auto::read(words, session)?;
            if training.classes.is_some() {
                let (n, d) = (training.rows(), training.columns());
                let rows = folds::MANY_ROWS;
                let mut stages = fold_stages("auto", &auto::fold_words(words), 8, rows, &training, session);
                let spec = mercer::learn::Svc::new("gaussian()".parse()?, 1.0);
                stages.push(svm_stage(&spec.plan(n, d, training.classes()?.count(), &session.compute)));
                return summary(&training, &stages, session);
            }
            let search = auto::search(words);
            let rows = choice::rows(&training, search.sample_size(training.rows()), session).len();
            let diagnostics = search.has_diagnostics(training.rows());
            let spec = Ridge { intercept: true, diagnostics, ..Ridge::new("gaussian()".parse()?, 1.0) };
            let mut stages = vec![choice_stage(rows, 2.0 * CANDIDATES)];
            if search.is_compared(training.rows()) {
                stages.extend(RidgeFinals::plan(training.rows(), &session.compute).map(comparison_stage));
            }
            stages.extend(ridge_stage(&spec, &training, session)?);
            (training, stages)
        }
    };
    summary(&training, &stages, session)
}

fn ridge_stages(words: &RidgeArguments, training: &Training, session: &Session) -> Result<Vec<Stage>, Failure> {
    match ridge::specification(words, training)? {
        Specification::Fixed(spec) => Ok(ridge_stage(&spec, training, session)?.into_iter().collect()),
        Specification::Search(search) => {
            let rows = choice::rows(training, words.sample, session).len();
            let kernels = search.kernels.len() as f64;
            let lengths = if words.explicit_kernel().is_some() { words.lengthscales.len().max(1) as f64 } else { 9.0 };
            let mut stages = vec![choice_stage(rows, kernels * lengths)];
            let (solver, centers, intercept) = (words.solver.into(), ridge::centers(words), search.intercept);
            let spec = Ridge { solver, centers, intercept, ..Ridge::new(search.kernels[0].clone(), 1.0) };
            stages.extend(ridge_stage(&spec, training, session)?);
            Ok(stages)
        }
    }
}

/// The folds of a choice, where there is one.
fn fold_stages(
    kernel: &str,
    words: &FoldWords,
    parameters: usize,
    default_rows: usize,
    training: &Training,
    session: &Session,
) -> Vec<Stage> {
    let lengths = match (words.lengthscales.len(), explicit_kernel(kernel)) {
        (0, None) if training.has_objects() => training.object_kernels().map_or(1, |kernels| kernels.len()),
        (0, None) => 6,
        (0, Some(_)) => 1,
        (several, _) => several,
    };
    if lengths * parameters == 1 {
        return Vec::new();
    }
    let rows = choice::rows(training, words.sample.unwrap_or(default_rows), session).len();
    let (n, d) = (rows as f64, training.columns() as f64);
    vec![Stage {
        name: "choice",
        what: format!(
            "{} folds of {} rows for {lengths} kernels, each along {parameters} parameters",
            words.cv,
            grouped(rows as u64)
        ),
        bytes: 8 * (rows as u64).pow(2),
        flops: words.cv as f64 * lengths as f64 * n * n * (2.0 * d + 20.0 + 50.0 * parameters as f64),
        plan: None,
        refusal: None,
    }]
}

fn svm_stage(plan: &SvmPlan) -> Stage {
    Stage { name: "fit", what: plan.to_string(), bytes: plan.bytes, flops: plan.flops, plan: None, refusal: None }
}

fn logistic_stage(spec: &LogisticRegression, training: &Training, session: &Session) -> Result<Stage, Failure> {
    let (n, d) = (training.rows(), training.columns());
    let plan = spec.plan(n, d, training.classes()?.count(), &session.compute)?;
    let approximation = plan.approximation().map_or(String::new(), |text| format!("; an approximation: {text}"));
    let what = format!("{}: {}{approximation}", plan.solver, plan.reason);
    Ok(Stage { name: "fit", what, bytes: plan.bytes, flops: plan.flops, plan: None, refusal: None })
}

fn comparison_stage(plan: FinalsPlan) -> Stage {
    let rounds: Vec<String> =
        plan.rounds.iter().map(|(fits, rows)| format!("{fits} fits on {} rows", grouped(*rows as u64))).collect();
    Stage {
        name: "comparison",
        what: format!("of the best candidates, at most {}, scored on others", rounds.join(" and ")),
        bytes: plan.bytes,
        flops: plan.flops,
        plan: None,
        refusal: None,
    }
}

fn choice_stage(rows: usize, candidates: f64) -> Stage {
    let n = rows as f64;
    Stage {
        name: "choice",
        what: format!(
            "one eigendecomposition of {} rows for each of about {candidates} candidates",
            grouped(rows as u64)
        ),
        bytes: 40 * (rows as u64).pow(2),
        flops: 5.0 * n.powi(3) * candidates,
        plan: None,
        refusal: None,
    }
}

fn ridge_stage(spec: &Ridge, training: &Training, session: &Session) -> Result<Option<Stage>, Failure> {
    let (n, d) = (training.rows(), training.columns());
    let stage = match spec.plan(n, d, training.y.ncols(), &session.compute) {
        Ok(plan) => Stage {
            name: "fit",
            what: format!(
                "{}: {}{}",
                plan.solver,
                plan.reason,
                plan.approximation().map_or(String::new(), |text| format!("; an approximation: {text}"))
            ),
            bytes: plan.bytes,
            flops: plan.flops,
            plan: Some(plan),
            refusal: None,
        },
        Err(ref error @ mercer::Error::Memory { ref what, needed, .. }) => Stage {
            name: "fit",
            what: what.clone(),
            bytes: needed,
            flops: f64::NAN,
            plan: None,
            refusal: Some(error.to_string()),
        },
        Err(other) => return Err(other.into()),
    };
    Ok(Some(stage))
}

fn gp_stages(words: &GpArguments, training: &Training, session: &Session) -> Vec<Stage> {
    let n = training.rows() as u64;
    let rows = training.sample(words.sample, session).len() as u64;
    if let Some(m) = words.centers {
        return vec![sparse_stage(n, m as u64, words)];
    }
    let mut stages = Vec::new();
    if !words.no_optimize {
        let kernels = if words.explicit_kernel().is_some() { 1.0 } else { 3.0 };
        let runs = kernels * (words.restarts + 1) as f64;
        stages.push(Stage {
            name: "choice",
            what: format!("about {} steps of the optimization on {} rows", short(runs * STEPS), grouped(rows)),
            bytes: 32 * rows * rows,
            flops: runs * STEPS * (rows as f64).powi(3),
            plan: None,
            refusal: None,
        });
    }
    stages.push(Stage {
        name: "fit",
        what: "Cholesky, and the leave-one-out density".into(),
        bytes: 8 * n * n,
        flops: (n as f64).powi(3),
        plan: None,
        refusal: None,
    });
    stages
}

fn sparse_stage(rows: u64, centers: u64, words: &GpArguments) -> Stage {
    let kernels = if words.explicit_kernel().is_some() { 1.0 } else { 3.0 };
    let runs = if words.no_optimize { 1.0 } else { kernels * STEPS * (words.restarts + 1) as f64 };
    Stage {
        name: "fit",
        what: format!("{} inducing points, about {} passes over the data", grouped(centers), short(runs)),
        bytes: (8 * centers * rows).max(8 * centers * (6 * centers + 5 * 1024)),
        flops: runs * 6.0 * rows as f64 * (centers as f64).powi(2),
        plan: None,
        refusal: None,
    }
}

fn spline_stage(rows: usize, order: usize) -> Stage {
    let m = order as f64;
    Stage {
        name: "fit",
        what: "about 20 passes along the line".into(),
        bytes: (rows * 8 * (12 + 6 * order + 6 * order * order)) as u64,
        flops: 20.0 * rows as f64 * 30.0 * m.powi(3),
        plan: None,
        refusal: None,
    }
}

fn smooth_stage(training: &Training) -> Stage {
    let (n, d) = (training.rows(), training.columns());
    Stage {
        name: "fit",
        what: "about 40 bandwidths, every pair of rows for each (fewer with compact weights on a line)".into(),
        bytes: (n * (d + 8) * 8) as u64,
        flops: 40.0 * (n as f64).powi(2) * (d as f64 + 20.0),
        plan: None,
        refusal: None,
    }
}

fn summary(training: &Training, stages: &[Stage], session: &Session) -> Result<Report, Failure> {
    let limit = session.compute.memory();
    let speed = session.speed();
    let mut report = Report::new("Plan of a fit");
    let n = training.rows();
    report.heading("Plan of the fit").fields([
        ("points", format!("{} {}, {} targets", grouped(n as u64), shown_kind(training), training.targets.len())),
        ("threads", session.compute.threads().to_string()),
        ("memory limit", human_bytes(limit)),
        ("speed here", format!("about {:.1} GFlop/s, measured", speed / 1e9)),
    ]);
    push_default_kernels(&mut report, training)?;
    for stage in stages {
        report.heading(format!("Stage: {}", stage.name)).fields([
            ("work", stage.what.clone()),
            ("memory", human_bytes(stage.bytes)),
            ("operations", if stage.flops.is_finite() { format!("about {:.1e}", stage.flops) } else { "—".into() }),
            ("time", human_seconds(stage.flops / speed)),
        ]);
        let fits = stage.refusal.is_none() && stage.bytes <= limit;
        let text = match &stage.refusal {
            Some(refusal) => refusal.clone(),
            None if fits => "fits into the memory limit".into(),
            None => "does not fit into the memory limit".into(),
        };
        report.push(Block::Verdict(Truth::from_option(Some(fits)), text));
    }
    report.json = json_of(training, stages, speed, session);
    Ok(report)
}

/// What the points are.
fn shown_kind(training: &Training) -> String {
    match training.vectors() {
        Some(x) => format!("in {} columns", x.ncols()),
        None => training.points().kind().to_string(),
    }
}

/// The kernels that are tried where none is named, for points that are not vectors, and the rule.
fn push_default_kernels(report: &mut Report, training: &Training) -> mercer::Result<()> {
    if !training.has_objects() {
        return Ok(());
    }
    let kernels: Vec<String> = training.object_kernels()?.iter().map(ToString::to_string).collect();
    let kind = training.points().kind();
    report.fields([(format!("kernels for {kind} without --kernel"), kernels.join(" | "))]);
    if kind == mercer::points::PointKind::Mixed {
        report.text(TABLE_RULE);
    }
    Ok(())
}

/// How the kernel of a table is made.
const TABLE_RULE: &str = "The sum of one kernel per column of texts or other objects, and one on all columns of numbers; \
     texts that are mostly distinct and have several words are compared by their substrings, other texts are categories.";

fn json_of(training: &Training, stages: &[Stage], speed: f64, session: &Session) -> Value {
    let limit = session.compute.memory();
    let stage = |s: &Stage| {
        let mut value: Map<String, Value> = [
            ("stage", json!(s.name)),
            ("work", json!(s.what)),
            ("bytes", json!(s.bytes)),
            ("flops", number(s.flops)),
            ("seconds", number(s.flops / speed)),
            ("fits", json!(s.refusal.is_none() && s.bytes <= limit)),
        ]
        .into_iter()
        .map(|(k, v)| (k.to_owned(), v))
        .collect();
        value.insert("plan".into(), s.plan.as_ref().map_or(Value::Null, ridge::plan_json));
        Value::Object(value)
    };
    let last = stages.last();
    json!({
        "command": "explain fit",
        "rows": training.rows(),
        "columns": training.columns(),
        "targets": training.targets,
        "memory_limit": limit,
        "threads": session.compute.threads(),
        "flops_per_second": number(speed),
        "solver": last.and_then(|s| s.plan.as_ref()).map(|p| p.solver.to_string()),
        "bytes": last.map(|s| s.bytes),
        "flops": last.map_or(Value::Null, |s| number(s.flops)),
        "seconds": number(stages.iter().map(|s| s.flops / speed).sum()),
        "fits": stages.iter().all(|s| s.refusal.is_none() && s.bytes <= limit),
        "stages": stages.iter().map(stage).collect::<Vec<_>>(),
    })
}
