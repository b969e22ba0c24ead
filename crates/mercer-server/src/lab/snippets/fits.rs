//! The snippet of a fit: the command and the class with the settings that were used.

use mercer::settings::{Setting, Settings};
use serde_json::{Value, json};

use super::python;
use super::words::{fit_scale, gaps, quoted};
use crate::lab::fit::{FittedModel, Request};

/// How a learner is called from outside.
struct Names {
    learner: &'static str,
    command: &'static str,
    class: Option<&'static str>,
    /// Parameter, flag, argument of Python. A flag that begins with `!` is set where the value is false.
    parameters: &'static [(&'static str, &'static str, &'static str)],
}

const NAMES: [Names; 8] = [
    Names {
        learner: "ridge",
        command: "ridge",
        class: Some("KernelRidge"),
        parameters: &[
            ("kernel", "--kernel", "kernel"),
            ("lambda", "--lambda", "alpha"),
            ("intercept", "--intercept", "fit_intercept"),
        ],
    },
    Names {
        learner: "gaussian_process",
        command: "gp",
        class: Some("GaussianProcessRegressor"),
        parameters: &[
            ("kernel", "--kernel", "kernel"),
            ("noise", "--noise", "noise"),
            ("optimize", "!--no-optimize", "optimize"),
            ("restarts", "--restarts", "n_restarts_optimizer"),
        ],
    },
    Names {
        learner: "spline",
        command: "spline",
        class: Some("SmoothingSpline"),
        parameters: &[
            ("lambda", "--lambda", "lam"),
            ("degrees_of_freedom", "--df", "df"),
            ("order", "--order", "order"),
            ("period", "--period", "period"),
        ],
    },
    Names {
        learner: "local",
        command: "smooth",
        class: Some("NadarayaWatson"),
        parameters: &[("bandwidth", "--bandwidth", "bandwidth"), ("weights", "--window", "weights")],
    },
    Names {
        learner: "logistic",
        command: "logistic",
        class: Some("KernelLogisticRegression"),
        parameters: &[
            ("kernel", "--kernel", "kernel"),
            ("lambda", "--lambda", "alpha"),
            ("intercept", "!--no-intercept", "fit_intercept"),
        ],
    },
    Names {
        learner: "svc",
        command: "svm",
        class: Some("SVC"),
        parameters: &[("kernel", "--kernel", "kernel"), ("C", "-C", "C"), ("calibration", "--proba", "calibration")],
    },
    Names {
        learner: "svr",
        command: "svr",
        class: Some("SVR"),
        parameters: &[("kernel", "--kernel", "kernel"), ("C", "-C", "C"), ("epsilon", "--epsilon", "epsilon")],
    },
    Names {
        learner: "one_class",
        command: "one-class",
        class: Some("OneClassSVM"),
        parameters: &[("kernel", "--kernel", "kernel"), ("nu", "--nu", "nu")],
    },
];

/// The command and the code of the model that was fitted; a search has its own lines before.
pub fn fit(request: &Request, fitted: &FittedModel, settings: &Settings) -> Value {
    // Defaults of the lab are told, as the command would search for what is not given.
    let own = fitted.model.fitted().settings();
    let settings = if own.is_empty() { settings } else { own };
    let names = NAMES.iter().find(|names| names.learner == request.entry.name);
    let (command, python) = match names {
        Some(names) => (known_command(names, request, fitted, settings), known_class(names, request, fitted, settings)),
        None => (own_command(request, fitted), own_class(request, fitted)),
    };
    json!({ "command": command, "python": python })
}

fn data_words(request: &Request, fitted: &FittedModel) -> String {
    let set = &fitted.training.set;
    let mut words = quoted(&set.file);
    if let Some(target) = &request.choice.target {
        if request.entry.goal.has_targets() {
            words.push_str(&format!(" --target {}", quoted(target)));
        } else if request.choice.inputs.is_none() {
            words.push_str(&format!(" --drop {}", quoted(target)));
        }
    }
    if let Some(names) = &request.choice.inputs {
        let kept: Vec<&str> =
            names.iter().filter(|name| Some(*name) != request.choice.target.as_ref()).map(String::as_str).collect();
        words.push_str(&format!(" --columns {}", quoted(&kept.join(","))));
    }
    words.push_str(fit_scale(&request.choice));
    words.push_str(gaps(&request.choice));
    words
}

/// The settings that differ from the defaults, and those that choose the model.
fn used<'s>(request: &Request, settings: &'s Settings, name: &str) -> Option<&'s Setting> {
    let value = settings.get(name)?;
    let always = matches!(name, "kernel" | "lambda" | "C" | "noise" | "nu" | "epsilon");
    let default = request.entry.parameter(name).and_then(|p| p.default);
    (always || default != Some(value.to_string().as_str())).then_some(value)
}

/// The kernel as it was written, where the page gave one: numbers of columns stand for their names only inside.
fn written(request: &Request, name: &str, value: &Setting) -> String {
    let own = request.settings.text(name).ok().filter(|_| name == "kernel" && request.search.is_none());
    own.map_or_else(|| value.to_string(), str::to_owned)
}

fn known_command(names: &Names, request: &Request, fitted: &FittedModel, settings: &Settings) -> String {
    let mut command = format!("mercer fit {} {}", names.command, data_words(request, fitted));
    for (parameter, flag, _) in names.parameters {
        let Some(value) = used(request, settings, parameter) else { continue };
        match (value, flag.strip_prefix('!')) {
            (Setting::Flag(false), Some(flag)) => command.push_str(&format!(" {flag}")),
            (Setting::Flag(true), None) => command.push_str(&format!(" {flag}")),
            (Setting::Flag(_), _) => {}
            (value, _) => command.push_str(&format!(" {flag} {}", quoted(&written(request, parameter, value)))),
        }
    }
    if names.learner == "gaussian_process" && request.choice.scale_target {
        command.push_str(" --target-scale standard");
    }
    command.push_str(" -o model.safetensors");
    if let Some(search) = searched(names, request, fitted) {
        command = format!("# the search\n{search}\n# the model that it chose\n{command}");
    }
    command
}

fn searched(names: &Names, request: &Request, fitted: &FittedModel) -> Option<String> {
    let plan = request.search.as_ref()?;
    let flag = match names.learner {
        "ridge" | "logistic" => "--lambdas",
        _ => "--cs",
    };
    let mut command = format!("mercer fit {} {}", names.command, data_words(request, fitted));
    if let Ok(kernel) = request.settings.text("kernel") {
        command.push_str(&format!(" --kernel {}", quoted(kernel)));
    }
    let list = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    if let Some(values) = &plan.lengthscales {
        command.push_str(&format!(" --lengthscales {}", list(values)));
    }
    if let Some(values) = &plan.penalties {
        command.push_str(&format!(" {flag} {}", list(values)));
    }
    if names.learner == "ridge" && request.settings.flag("intercept").unwrap_or(false) {
        command.push_str(" --intercept");
    }
    Some(command)
}

fn known_class(names: &Names, request: &Request, fitted: &FittedModel, settings: &Settings) -> String {
    let read = python::read(&request.choice, &fitted.training.set, request.entry.goal.has_targets());
    let mut arguments = Vec::new();
    for (parameter, _, argument) in names.parameters {
        let Some(value) = used(request, settings, parameter) else { continue };
        match value {
            Setting::Flag(flag) => arguments.push(format!("{argument}={}", if *flag { "True" } else { "False" })),
            Setting::Number(number) => arguments.push(format!("{argument}={number}")),
            other => arguments.push(format!("{argument}={}", python::text(&written(request, parameter, other)))),
        }
    }
    let local_linear = names.learner == "local"
        && settings.get("degree").is_some_and(|degree| degree.to_string().starts_with(['1', 'l']));
    let class = if local_linear { "LocalLinear" } else { names.class.unwrap_or(names.command) };
    if class == "GaussianProcessRegressor" && request.choice.scale_target {
        arguments.push("normalize_y=True".into());
    }
    if class == "SVC" && arguments.iter().any(|a| a.starts_with("calibration")) {
        arguments.push("probability=True".into());
    }
    let targets = if request.entry.goal.has_targets() { "X, y" } else { "X" };
    format!("import mercer\n{read}model = mercer.{class}({}).fit({targets})\n", arguments.join(", "))
}

/// Learners of the catalogue: their flags are their parameters.
fn own_command(request: &Request, fitted: &FittedModel) -> String {
    if matches!(request.entry.name, "sparse_gaussian_process") {
        let mut command = format!("mercer fit gp {}", data_words(request, fitted));
        for (name, flag) in [("kernel", "--kernel"), ("noise", "--noise"), ("inducing_count", "--centers")] {
            let default = request.entry.parameter(name).and_then(|p| p.default).unwrap_or_default();
            let value = request.settings.get(name).map_or_else(|| default.to_owned(), ToString::to_string);
            command.push_str(&format!(" {flag} {}", quoted(&value)));
        }
        return format!("{command} -o model.safetensors");
    }
    let mut command = format!("mercer fit {} {}", request.entry.name.replace('_', "-"), data_words(request, fitted));
    for (name, value) in request.settings.iter() {
        let flag = name.replace('_', "-");
        match value {
            Setting::Flag(true) => command.push_str(&format!(" --{flag}")),
            Setting::Flag(false) => {
                let positive = request.entry.parameter(name).is_some_and(|p| p.default == Some("true"));
                command.push_str(&if positive { format!(" --no-{flag}") } else { String::new() });
            }
            Setting::Texts(texts) => {
                texts.iter().for_each(|text| command.push_str(&format!(" --{flag} {}", quoted(text))))
            }
            Setting::Numbers(values) => {
                let list = values.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
                command.push_str(&format!(" --{flag} {}", quoted(&list)));
            }
            other => command.push_str(&format!(" --{flag} {}", quoted(&other.to_string()))),
        }
    }
    format!("{command} -o model.safetensors")
}

fn own_class(request: &Request, fitted: &FittedModel) -> String {
    let read = python::read(&request.choice, &fitted.training.set, request.entry.goal.has_targets());
    let path = "model.safetensors";
    format!(
        "# fit by the command above, then:\nimport mercer\n{read}model = mercer.load({})\nprint(model.predict(X))\n",
        python::text(path)
    )
}
