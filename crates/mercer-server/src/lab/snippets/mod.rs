//! The command line and the Python code that do what a panel shows.

mod fits;
mod python;
mod words;

use mercer::Kernel;
use serde_json::{Value, json};

use super::compare::{Question, Request as CompareRequest};
use super::data::{Dataset, Store};
use super::refusal::Refusal;
use super::training::{Choice, Training};
use super::view::{Method, Request as ViewRequest};
use words::{data_flags, quoted, table_scale};

pub use fits::fit;

/// The snippet of the panel of data.
pub fn data(set: &Dataset) -> Value {
    json!({ "command": format!("mercer data describe {}", quoted(&set.file)), "python": python::described(set) })
}

/// The snippet of the panel of kernels.
pub fn kernel(text: &str, choice: Option<&Choice>, store: &Store) -> Result<Value, Refusal> {
    let mut command = format!("mercer kernel explain {}\nmercer kernel check {}", quoted(text), quoted(text));
    let mut python =
        format!("import mercer\n\nk = mercer.Kernel({})\nprint(k.proof())\nprint(k.check())\n", python::text(text));
    if let Some(choice) = choice {
        let set = store.get(&choice.id)?;
        let flags = format!("{}{}", data_flags(choice, &set, false), table_scale(choice));
        command.push_str(&format!(
            "\nmercer kernel gram {} {}{flags} --plot gram.png",
            quoted(text),
            quoted(&set.file)
        ));
        python.push_str(&format!("\n{}K = k(X)\n", python::read(choice, &set, false)));
    }
    Ok(json!({ "command": command, "python": python }))
}

/// The snippet of the panel of comparisons.
pub fn compare(request: &CompareRequest, store: &Store) -> Result<Value, Refusal> {
    let flags = |choice: &Choice| -> Result<String, Refusal> {
        let set = store.get(&choice.id)?;
        Ok(format!("{}{}", data_flags(choice, &set, false), table_scale(choice)))
    };
    let options = format!(" --permutations {} --level {}", request.permutations, request.level);
    let python_options = format!("permutations={}, level={}, random_state=0", request.permutations, request.level);
    let kernel = request.kernel.as_ref().map(ToString::to_string);
    match &request.question {
        Question::TwoSample(sides) => {
            let (a, b) = (store.get(&sides.first.id)?, store.get(&sides.second)?);
            let kernel = kernel.unwrap_or_else(|| default_kernel(&a));
            let (first, second) = match &sides.groups {
                None => (a.file.clone(), b.file.clone()),
                Some((by, one, other)) => (words::group_file(by, one), words::group_file(by, other)),
            };
            let mut choice = sides.first.clone();
            if let (Some((by, ..)), None) = (&sides.groups, &choice.inputs) {
                let names = a.table.clone().features();
                choice.inputs = Some(names.names().filter(|name| name != by).map(str::to_owned).collect());
            }
            let command = format!(
                "mercer test two-sample {} {} --kernel {}{}{options}",
                quoted(&first),
                quoted(&second),
                quoted(&kernel),
                flags(&choice)?
            );
            let body = python::two_samples(&choice, &a, &b, sides.groups.as_ref());
            let call = format!(
                "mercer.two_sample_test(A, B, kernel={}, method=\"permutation\", {python_options})",
                python::text(&kernel)
            );
            Ok(json!({ "command": command, "python": format!("{body}print({call})\n") }))
        }
        Question::Independence(sets) => {
            let set = store.get(&sets.data.id)?;
            let kernel = kernel.unwrap_or_else(|| "auto".into());
            let choice = Choice { inputs: None, target: None, ..sets.data.clone() };
            let command = format!(
                "mercer test independence {} --x {} --y {} --kernel {}{}{options}",
                quoted(&set.file),
                quoted(&sets.x.join(",")),
                quoted(&sets.y.join(",")),
                quoted(&kernel),
                flags(&choice)?
            );
            let both = |names: &[String]| Choice { inputs: Some(names.to_vec()), ..choice.clone() };
            let x = python::read(&both(&sets.x), &set, false);
            let y = python::columns(&both(&sets.y), "Y", &set);
            let call = format!(
                "mercer.independence_test(X, Y, kernel_x={0}, kernel_y={0}, {python_options})",
                python::text(&kernel)
            );
            Ok(json!({ "command": command, "python": format!("import mercer\n{x}{y}print({call})\n") }))
        }
    }
}

fn default_kernel(set: &Dataset) -> String {
    // What `Kernel::default_of` gives for rows of numbers; objects have a kernel of their own.
    let kind = set.table.columns().iter().find_map(|column| match &column.data {
        mercer::points::ColumnData::Objects(sample) => Some(sample.as_points().kind()),
        _ => None,
    });
    let kernel = Kernel::default_for(kind.unwrap_or(mercer::points::PointKind::Vectors));
    kernel.map_or_else(|_| "auto".into(), |kernel| kernel.to_string())
}

/// The snippet of the panel of views.
pub fn view(request: &ViewRequest, training: &Training, kernel: &Kernel) -> Value {
    let set = &training.set;
    let kernel = request.kernel.as_ref().unwrap_or(kernel).to_string();
    let flags = format!("{}{}", data_flags(&request.choice, set, true), words::fit_scale(&request.choice));
    let count = request.clusters.map_or_else(|| "auto".to_owned(), |k| k.to_string());
    let command = match request.method {
        Method::Components => format!(
            "mercer embed pca {} --kernel {}{flags} --components 4 -o scores.csv",
            quoted(&set.file),
            quoted(&kernel)
        ),
        method => {
            let spectral = if method == Method::Spectral { " --spectral" } else { "" };
            format!(
                "mercer cluster {} -k {count} --kernel {}{flags}{spectral} -o clusters.csv",
                quoted(&set.file),
                quoted(&kernel)
            )
        }
    };
    let read = python::read(&request.choice, set, false);
    let kernel = python::text(&kernel);
    let count = request.clusters.map_or_else(|| "\"auto\"".to_owned(), |k| k.to_string());
    let body = match request.method {
        Method::Components => format!("scores = mercer.KernelPCA(n_components=4, kernel={kernel}).fit_transform(X)\n"),
        Method::Means => {
            format!(
                "labels = mercer.KernelKMeans(n_clusters={count}, kernel={kernel}, random_state=0).fit(X).labels_\n"
            )
        }
        Method::Spectral => format!(
            "labels = mercer.SpectralClustering(n_clusters={count}, kernel={kernel}, random_state=0).fit(X).labels_\n"
        ),
    };
    json!({ "command": command, "python": format!("import mercer\n{read}{body}") })
}
