//! `mercer explain fit …`: the plan of a fit before it runs.

use mercer::Points;
use mercer::compute::{human_bytes, human_seconds};
use mercer::learn::ridge::RidgePlan;
use mercer::learn::svm::SvmPlan;
use mercer::learn::{GaussianProcess, LogisticRegression, Ridge};
use mercer::learner::{FitInput, FitSize, Learner, Plan, Targets};
use mercer::select::{Choices, FoldSearch, ProcessSearch, RidgeFinals, Search};
use serde_json::{Map, Value, json};

use super::ridge::Specification;
use super::{
    Training, auto, choice, folds, gp, learner, logistic, one_class, ridge, smooth, sparse, spline, streamed, svm, svr,
};
use crate::arguments::{FitCommand, FoldWords, GpArguments, RidgeArguments};
use crate::data;
use crate::failure::Failure;
use crate::numbers::{grouped, json as number};
use crate::report::{Block, Report, Truth};
use crate::session::Session;

/// One stage of the work.
struct Stage {
    name: &'static str,
    what: String,
    bytes: u64,
    flops: f64,
    /// The plan of a ridge regression, which has more to report.
    plan: Option<RidgePlan>,
    /// Why it does not fit, where it does not.
    refusal: Option<String>,
}

impl Stage {
    fn new(name: &'static str, plan: Plan) -> Self {
        let approximation = plan.approximation.map_or(String::new(), |text| format!("; an approximation: {text}"));
        let what = format!("{}; {}{approximation}", plan.solver, plan.reason);
        Self { name, what, bytes: plan.bytes, flops: plan.flops, plan: None, refusal: None }
    }
}

/// Reads the data and reports the plan of the fit.
pub fn explain(command: &FitCommand, session: &Session) -> Result<Report, Failure> {
    if let Some((words, reason)) = streamed::requested(command, session) {
        return streamed::explain(words, reason, session);
    }
    let compute = &session.compute;
    let (training, stages) = match command {
        FitCommand::Ridge(words) => {
            let training = ridge::read(words, session)?;
            let stages = ridge_stages(words, &training, session)?;
            (training, stages)
        }
        FitCommand::Gp(words) => {
            let training = gp::read(words, session)?;
            let stages = gp_stages(words, &training, session)?;
            (training, stages)
        }
        FitCommand::Spline(words) => {
            let training = spline::read(words, session)?;
            let plan = spline::specification(words).plan(&size(&training), compute)?;
            (training, vec![Stage::new("fit", plan)])
        }
        FitCommand::Smooth(words) => {
            let training = smooth::read(words, session)?;
            let plan = smooth::specification(words, &training)?.plan(&size(&training), compute)?;
            (training, vec![Stage::new("fit", plan)])
        }
        FitCommand::Svm(words) => {
            let training = svm::read(words, session)?;
            let spec = svm::specification(words, &training, "gaussian()".parse()?)?;
            let (n, d) = (training.rows(), training.columns());
            let cs = if words.nu.is_some() { Choices::fixed(vec![1.0]) } else { folds::cs(words.c, &words.cs) };
            let search = (cs, "C", folds::MANY_ROWS);
            let mut stages = fold_stages(&words.svm.kernel, &words.folds, search, &training, session)?;
            stages.push(svm_stage(&spec.plan(n, d, training.classes()?.count(), compute)));
            (training, stages)
        }
        FitCommand::Svr(words) => {
            let training = svr::read(words, session)?;
            let (n, d) = (training.rows(), training.columns());
            let search = (folds::cs(words.c, &words.cs), "C", folds::FEW_ROWS);
            let mut stages = fold_stages(&words.svm.kernel, &words.folds, search, &training, session)?;
            let spec = svr::specification(words, "gaussian()".parse()?, 1.0);
            stages.push(svm_stage(&spec.plan(n, d, compute)));
            (training, stages)
        }
        FitCommand::OneClass(words) => {
            let training = one_class::read(words, session)?;
            let (n, d) = (training.rows(), training.columns());
            let plan = one_class::specification(words, &training)?.plan(n, d, compute);
            (training, vec![svm_stage(&plan)])
        }
        FitCommand::Logistic(words) => {
            let training = logistic::read(words, session)?;
            let spec = logistic::specification(words, &training, "gaussian()".parse()?, 1.0)?;
            let search = (folds::lambdas(words.lambda, &words.lambdas), "lambda", folds::FEW_ROWS);
            let mut stages = fold_stages(&words.kernel, &words.folds, search, &training, session)?;
            stages.push(logistic_stage(&spec, &training, session)?);
            (training, stages)
        }
        FitCommand::Learner(words) => {
            let training = learner::read(words, session)?;
            let built = words.entry.build(&learner::settings(words, &training)?)?;
            let plan = built.plan(&learner::input(words, &training)?.size(), compute)?;
            (training, vec![Stage::new("fit", plan)])
        }
        FitCommand::Auto(words) => {
            // Standard input can be read only once: both kinds of target are told apart afterwards.
            let training = auto::read(words, session)?;
            if training.classes.is_some() {
                let (n, d) = (training.rows(), training.columns());
                let search = (folds::cs(None, &[]), "C", folds::MANY_ROWS);
                let mut stages = fold_stages("auto", &auto::fold_words(words), search, &training, session)?;
                let spec = mercer::learn::Svc::new("gaussian()".parse()?, 1.0);
                stages.push(svm_stage(&spec.plan(n, d, training.classes()?.count(), compute)));
                return summary(&training, &stages, session);
            }
            let stages = auto_stages(&auto::search(words), &training, session)?;
            (training, stages)
        }
    };
    summary(&training, &stages, session)
}

/// The sizes of the data.
fn size(training: &Training) -> FitSize {
    FitInput::points(training.points()).with_targets(Targets::Values(training.y.view())).size()
}

fn auto_stages(search: &Search, training: &Training, session: &Session) -> Result<Vec<Stage>, Failure> {
    let rows = choice::rows(training, search.sample_size(training.rows()), session);
    let diagnostics = search.has_diagnostics(training.rows());
    let spec = Ridge { intercept: true, diagnostics, ..Ridge::new("gaussian()".parse()?, 1.0) };
    let candidates = search.ridge_search(training.points(), &rows, &session.compute)?;
    let mut stages = vec![Stage::new("choice", candidates.plan(training.points(), &rows, &session.compute)?)];
    if search.is_compared(training.rows()) {
        let plan = RidgeFinals::plan(training.rows(), &session.compute);
        stages.extend(plan.map(|plan| Stage::new("comparison", plan)));
    }
    stages.push(ridge_stage(&spec, training, session)?);
    Ok(stages)
}

fn ridge_stages(words: &RidgeArguments, training: &Training, session: &Session) -> Result<Vec<Stage>, Failure> {
    match ridge::specification(words, training)? {
        Specification::Fixed(spec) => Ok(vec![ridge_stage(&spec, training, session)?]),
        Specification::Search(search) => {
            let rows = choice::rows(training, words.sample, session);
            let spec = ridge::regression(words, search.kernels[0].clone(), 1.0);
            let search = ridge::with_lengthscales(search, words, training, &rows, &session.compute)?;
            let choice = Stage::new("choice", search.plan(training.points(), &rows, &session.compute)?);
            Ok(vec![choice, ridge_stage(&spec, training, session)?])
        }
    }
}

/// The folds of a choice, where there is one.
fn fold_stages(
    kernel: &str,
    words: &FoldWords,
    (parameters, parameter, default_rows): (Choices, &'static str, usize),
    training: &Training,
    session: &Session,
) -> Result<Vec<Stage>, Failure> {
    let rows = choice::rows(training, words.sample.unwrap_or(default_rows), session);
    let search: FoldSearch = folds::search(kernel, words, (parameters, parameter), training, &rows, &session.compute)?;
    if search.combinations() == 1 {
        return Ok(Vec::new());
    }
    let size = training.points().size().with_rows(rows.len());
    Ok(vec![Stage::new("choice", search.plan(size, &session.compute))])
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

fn ridge_stage(spec: &Ridge, training: &Training, session: &Session) -> Result<Stage, Failure> {
    let (n, d) = (training.rows(), training.columns());
    Ok(match spec.plan(n, d, training.y.ncols(), &session.compute) {
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
    })
}

fn gp_stages(words: &GpArguments, training: &Training, session: &Session) -> Result<Vec<Stage>, Failure> {
    let (compute, all) = (&session.compute, size(training));
    let processes = gp::processes(words, training)?;
    if let Some(centers) = words.centers {
        let plan = |process: GaussianProcess| sparse::sparse(process, centers, words).plan(&all, compute);
        let plans = processes.into_iter().map(plan).collect::<mercer::Result<Vec<_>>>()?;
        return Ok(plans.into_iter().map(|plan| Stage::new("fit", plan)).collect());
    }
    let fixed = processes.first().map(|process| GaussianProcess { optimize: false, ..process.clone() });
    let mut stages = Vec::new();
    if !words.no_optimize {
        let rows = training.sample(words.sample, session);
        stages.push(Stage::new("choice", ProcessSearch { processes }.plan(training.points(), &rows, compute)?));
    }
    if let Some(fixed) = fixed {
        stages.push(Stage::new("fit", fixed.plan_on(training.points(), compute)?));
    }
    Ok(stages)
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
    if let Points::Sparse(rows) = training.points() {
        let dense = human_bytes((rows.len() as u64).saturating_mul(rows.width() as u64).saturating_mul(8));
        report.text(format!(
            "A dense table would take {dense}: rows of a LIBSVM file are sparse vectors where it takes more than eight times \
             their memory, or is over the memory limit. Words that name columns, --scale and --missing make them dense."
        ));
    }
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
    match training.points() {
        Points::Vectors(x) => format!("in {} columns", x.ncols()),
        Points::Sparse(rows) => data::sparse_text(rows),
        points => points.kind().to_string(),
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
