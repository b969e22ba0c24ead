//! `mercer embed fourier|binning|nystrom`: explicit features of the rows of a file.

use std::path::Path;

use mercer::features::{
    ErrorDecay, FeatureMap, MeasuredError, Nystrom, RandomBinning, RandomFourier, binning_bound, fourier_bound,
    measured_error,
};
use mercer::io::{Format, NpyNumber, RowLayout, save_model, write_npy, write_table_csv};
use mercer::learner::Fitted;
use mercer::model::{Inputs, Model};
use mercer::points::{Column, Table};
use mercer::view::{FeatureFit, FeatureView};
use mercer::{Kernel, Sample};
use ndarray::{Array2, ArrayView2};
use serde_json::{Value, json};

use super::{embed_features, view};
use crate::arguments::{BinningArguments, EmbedCommand, EmbedData, FourierArguments, NystromArguments};
use crate::data::{self, EncodedData};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, json_list, json_rows, short};
use crate::plot::{Curve, CurvePlot, Figure, Mark};
use crate::report::Report;
use crate::session::Session;

/// Rows on which the error is measured. They are 45 000 pairs.
const MEASURED: usize = 300;
/// Numbers that are part of the JSON object. Some 2 MB of text.
const IN_JSON: usize = 100_000;
/// The error whose probability is reported.
const EPSILON: f64 = 0.1;
/// Draws of every point of the picture of errors.
const DRAWS: usize = 10;

/// The kernel where none is given.
const DEFAULT: &str = "gaussian(lengthscale=median)";
/// The same for random grids, which a Gaussian kernel does not have.
const DEFAULT_BINNING: &str = "laplacian(lengthscale=median, norm=l1)";

/// Computes, writes and reports the features.
pub fn embed(command: &EmbedCommand, session: &Session) -> Result<Report, Failure> {
    match command {
        EmbedCommand::Fourier(words) => fourier(words, session),
        EmbedCommand::Binning(words) => binning(words, session),
        EmbedCommand::Nystrom(words) => nystrom(words, session),
        EmbedCommand::Features(words) => embed_features::embed(words, session),
        EmbedCommand::View(words) => view::embed(words, session),
    }
}

/// The points and the kernel on their columns.
struct Request {
    kernel: Kernel,
    x: Sample,
    inputs: Inputs,
}

impl Request {
    /// The points as rows of a matrix.
    fn vectors(&self) -> mercer::Result<ArrayView2<'_, f64>> {
        self.x.as_points().vectors()
    }

    /// The points, whatever the kernel takes.
    fn read(words: &EmbedData, session: &Session) -> Result<Self, Failure> {
        let kernel: Kernel = words.kernel.as_deref().unwrap_or(DEFAULT).parse()?;
        let rows = data::rows_by_size(words.options.has_rules(), Some(&kernel));
        Self::read_as(rows, kernel, words, session)
    }

    /// The points with all their zeros, for features that look at every column.
    fn read_dense(words: &EmbedData, default: &str, session: &Session) -> Result<Self, Failure> {
        let kernel = words.kernel.as_deref().unwrap_or(default).parse()?;
        Self::read_as(RowLayout::Dense, kernel, words, session)
    }

    fn read_as(rows: RowLayout, kernel: Kernel, words: &EmbedData, session: &Session) -> Result<Self, Failure> {
        words.output.as_deref().map(layout).transpose()?;
        let data = EncodedData::read_as(rows, &words.data, &kernel, &words.options, session)?;
        let kernel = data::with_names(&kernel, data.kind, &data.names)?;
        Ok(Self { kernel, x: data.sample, inputs: data.inputs })
    }

    /// The features, in a file where one is named for them.
    fn fit(&self, view: &FeatureView, words: &EmbedData, session: &Session) -> Result<FeatureFit, Failure> {
        let fit = view.fit(&self.x, &session.compute)?;
        if let Some(path) = &words.model {
            let command = format!("mercer embed {}", fit.entry().name);
            save_model(path, &Model::new(fit.clone(), self.inputs.clone())?.with_note("command", command))?;
        }
        Ok(fit)
    }
}

fn fourier(words: &FourierArguments, session: &Session) -> Result<Report, Failure> {
    let request = Request::read_dense(&words.data, DEFAULT, session)?;
    let (form, sampling) = (words.kind.into(), words.sampling.into());
    let spec = RandomFourier { kernel: request.kernel.clone(), components: words.components, form, sampling };
    let fit = request.fit(&FeatureView::Fourier(spec.clone()), &words.data, session)?;
    let Some(map) = fit.fourier() else { return Err(Failure::request("the features are no Fourier features")) };
    let frequencies = map.frequencies().nrows();
    let bound = fourier_bound(frequencies, EPSILON, form);
    let extra = vec![("frequencies".into(), grouped(frequencies as u64)), chance(bound)];
    let mut facts = json!({ "frequencies": frequencies, "bound": number(bound), "bound_epsilon": EPSILON });
    let drawn = session.common.plot.is_some() || session.common.report.is_some();
    let decay = if drawn { Some(decay(&spec, request.vectors()?, frequencies, session)?) } else { None };
    if let Some(decay) = &decay {
        facts["decay"] = json!({
            "frequencies": decay.frequencies,
            "errors": json_list(decay.errors.iter()),
            "scale": number(decay.scale),
        });
    }
    let summary = FeatureSummary { name: "fourier", title: "Random Fourier features", extra, facts };
    let mut report = dense(summary, map, request.vectors()?, &words.data, session)?;
    report.figures.extend(decay.map(|decay| draw(&decay, map.kernel())));
    Ok(report)
}

/// The errors around the number of frequencies requested, from a sixteenth to four times.
fn decay(
    spec: &RandomFourier,
    x: ArrayView2<f64>,
    frequencies: usize,
    session: &Session,
) -> Result<ErrorDecay, Failure> {
    let mut counts: Vec<usize> =
        (-4..=2).map(|power| (frequencies as f64 * 2.0_f64.powi(power)).round() as usize).collect();
    counts.retain(|count| *count > 0);
    counts.dedup();
    Ok(spec.error_decay(x, &counts, DRAWS, MEASURED, &session.compute)?)
}

/// The errors and the line `c/√D`, both by decimal logarithms.
fn draw(decay: &ErrorDecay, kernel: &Kernel) -> Figure {
    let position = |count: usize| (count as f64).log10();
    let measured = decay.frequencies.iter().zip(&decay.errors).map(|(&d, e)| (position(d), e.log10())).collect();
    let line = decay.frequencies.iter().map(|&d| (position(d), decay.line(d).log10())).collect();
    let curves = vec![
        Curve { label: format!("{}/√D", short(decay.scale)), points: line, mark: Mark::Line },
        Curve { label: "measured".into(), points: measured, mark: Mark::Dots },
    ];
    let title = format!("Error against the number of frequencies: {kernel}");
    Figure::Curves(vec![CurvePlot {
        title,
        x: "log₁₀ D".into(),
        y: "log₁₀ of the root mean square error".into(),
        curves,
    }])
}

fn nystrom(words: &NystromArguments, session: &Session) -> Result<Report, Failure> {
    let request = Request::read(&words.data, session)?;
    let landmarks = words.landmarks.into();
    let plain = Nystrom::new(request.kernel.clone(), words.components);
    let spec = Nystrom { landmarks, tolerance: words.tolerance, rank: words.rank, ..plain };
    let fit = request.fit(&FeatureView::Nystrom(spec), &words.data, session)?;
    let Some(map) = fit.nystrom() else { return Err(Failure::request("the features have no landmarks")) };
    let share = map.trace_error() / map.trace();
    let missed = format!("{} of {} ({} %)", short(map.trace_error()), short(map.trace()), short(100.0 * share));
    let extra = vec![("landmarks".into(), grouped(map.landmarks().len() as u64)), ("trace missed".into(), missed)];
    let facts = json!({
        "landmarks": map.landmarks().len(),
        "trace": number(map.trace()),
        "trace_error": number(map.trace_error()),
    });
    let summary = FeatureSummary { name: "nystrom", title: "Nyström features", extra, facts };
    let z = map.transform(&request.x, &session.compute)?;
    let error = map.measured_error(&request.x, MEASURED, &session.compute)?;
    described(summary, map.kernel(), z, error, &words.data)
}

/// The report of one kind of features.
struct FeatureSummary {
    name: &'static str,
    title: &'static str,
    extra: Vec<(String, String)>,
    facts: Value,
}

fn chance(bound: f64) -> (String, String) {
    ("error ≥ 0.1".into(), format!("with probability at most {} at one pair, relative to k(x, x)", short(bound)))
}

/// Transforms, writes, and measures the error.
fn dense(
    summary: FeatureSummary,
    map: &dyn FeatureMap,
    x: ArrayView2<f64>,
    words: &EmbedData,
    session: &Session,
) -> Result<Report, Failure> {
    let z = map.transform(x, &session.compute)?;
    let error = measured_error(map, x, MEASURED, &session.compute)?;
    described(summary, map.kernel(), z, error, words)
}

/// Writes features, and reports them with their error.
fn described(
    summary: FeatureSummary,
    kernel: &Kernel,
    z: Array2<f64>,
    error: MeasuredError,
    words: &EmbedData,
) -> Result<Report, Failure> {
    write(words.output.as_deref(), z.view(), "z")?;
    let measured = format!(
        "at most {}, root mean square {} over the pairs of {} rows",
        short(error.largest),
        short(error.root_mean_square),
        error.points
    );
    let mut fields = vec![("kernel".to_string(), kernel.short()), shape(z.dim())];
    fields.extend(summary.extra);
    fields.push(("error".into(), measured));
    let mut facts = summary.facts;
    facts["error"] = json!({
        "rows": error.points,
        "largest": number(error.largest),
        "root_mean_square": number(error.root_mean_square),
        "mean": number(error.mean),
        "relative": number(error.relative),
    });
    Ok(report(summary.name, summary.title, kernel, fields, facts, z.view(), words))
}

fn binning(words: &BinningArguments, session: &Session) -> Result<Report, Failure> {
    let request = Request::read_dense(&words.data, DEFAULT_BINNING, session)?;
    let spec = RandomBinning { kernel: request.kernel.clone(), grids: words.components, buckets: words.buckets };
    let fit = request.fit(&FeatureView::Binning(spec), &words.data, session)?;
    let Some(map) = fit.binning() else { return Err(Failure::request("the features have no grids")) };
    let cells = map.transform(request.vectors()?, &session.compute)?;
    let numbers = cells.cells().mapv(f64::from);
    write(words.data.output.as_deref(), numbers.view(), "cell")?;
    let bound = binning_bound(words.components, EPSILON);
    let fields = vec![
        ("kernel".to_string(), map.kernel().short()),
        shape(numbers.dim()),
        (
            "columns".into(),
            format!("{} ({} for each grid)", grouped(map.components() as u64), grouped(words.buckets as u64)),
        ),
        chance(bound),
    ];
    let facts = json!({
        "grids": words.components,
        "columns": map.components(),
        "values": cells.values().to_vec(),
        "bound": number(bound),
        "bound_epsilon": EPSILON,
    });
    Ok(report("binning", "Random binning features", map.kernel(), fields, facts, numbers.view(), &words.data))
}

fn shape((rows, columns): (usize, usize)) -> (String, String) {
    ("shape".into(), format!("{} × {}", grouped(rows as u64), grouped(columns as u64)))
}

fn report(
    name: &str,
    title: &str,
    kernel: &Kernel,
    mut fields: Vec<(String, String)>,
    facts: Value,
    values: ArrayView2<f64>,
    words: &EmbedData,
) -> Report {
    let mut report = Report::new(format!("{title} of {}", kernel.short()));
    fields.extend(words.output.as_ref().map(|path| ("written to".into(), path.display().to_string())));
    fields.extend(words.model.as_ref().map(|path| ("model".into(), path.display().to_string())));
    report.heading(title).fields(fields);
    report.json = facts;
    report.json["command"] = format!("embed {name}").into();
    report.json["kernel"] = kernel.to_string().into();
    report.json["rows"] = values.nrows().into();
    report.json["components"] = values.ncols().into();
    report.json["model"] = words.model.as_ref().map(|path| path.display().to_string()).into();
    report.json["output"] = words.output.as_ref().map(|path| path.display().to_string()).into();
    if words.output.is_none() && values.len() <= IN_JSON {
        report.json["features"] = json_rows(values);
    }
    report
}

/// By file extension.
fn layout(path: &Path) -> Result<Format, Failure> {
    match Format::from_path(path) {
        Ok(format @ (Format::Csv | Format::Npy)) => Ok(format),
        _ => Err(Failure::request(format!("--output {}: the name must end in .npy or .csv", path.display()))),
    }
}

fn write(path: Option<&Path>, values: ArrayView2<f64>, name: &str) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    if layout(path)? == Format::Npy {
        return Ok(write_npy(path, values, NpyNumber::Double)?);
    }
    let column =
        |(j, values): (usize, ndarray::ArrayView1<f64>)| Column::numbers(format!("{name}{j}"), values.to_vec());
    let table = Table::from_columns(values.columns().into_iter().enumerate().map(column).collect())?;
    Ok(write_table_csv(path, &table)?)
}
