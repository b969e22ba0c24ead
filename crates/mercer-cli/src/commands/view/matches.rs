//! `mercer match`: rows of one table matched with rows of another, in a space learned for both.

use mercer::io::{load_model, save_model};
use mercer::learner::{FitInput, Learner};
use mercer::model::{Features, Inputs, Model, TablePoints};
use mercer::points::{Column, ColumnData, Encoding, Scaling, Table};
use mercer::view::coupled::{CoupledFit, Matches};
use mercer::{Kernel, Sample};
use ndarray::Array2;
use std::path::Path;

use super::{check_output, embedding, facts, push_files, write};
use crate::arguments::{FitScale, MatchArguments, MatchWords};
use crate::data::{self, named, shown};
use crate::failure::Failure;
use crate::numbers::{digits, grouped, short};
use crate::plot::{Curve, CurvePlot, Figure, Mark, Tile, TilePlot};
use crate::report::{Block, Report, Table as ReportTable};
use crate::session::Session;

/// Matches that are shown.
const SHOWN: usize = 8;
/// Bars of the picture of distances.
const BARS: usize = 30;

/// A table taken apart.
struct Side {
    name: String,
    sample: Sample,
    inputs: Inputs,
    ids: Option<Vec<String>>,
    labels: Option<Vec<String>>,
    /// The columns of numbers as they are in the file, where all inputs are numbers: images.
    pixels: Option<Array2<f64>>,
}

/// Queries whose images are drawn, and matches of each.
const QUERIES: usize = 6;
const IMAGES: usize = 5;

/// Fits or loads, matches, writes and reports.
pub fn matches(arguments: &MatchArguments, session: &Session) -> Result<Report, Failure> {
    let words = &arguments.words;
    check_output(words.output.as_deref())?;
    if words.images.len() > 2 {
        return Err(Failure::request("--images: expected one size, or one of LOW and one of HIGH"));
    }
    let (model, low, high) = match &words.using {
        Some(path) => loaded(path, words, session)?,
        None => fitted(arguments, session)?,
    };
    if let Some(path) = &words.model {
        save_model(path, &model.clone().with_note("command", "mercer match"))?;
    }
    let fit: &CoupledFit =
        model.fit().ok_or_else(|| Failure::request("--using: the model is not a coupled embedding"))?;
    let found = fit.matches(&low.sample, &high.sample, words.matches, &session.compute)?;
    write(words.output.as_deref(), columns(&low, &high, &found))?;
    let mut report = summary(&model, &low, &high, &found);
    push_files(&mut report, words.output.as_deref(), words.model.as_deref());
    if session.common.plot.is_some() || session.common.report.is_some() {
        report.figures.extend(images(words, &low, &high, &found, &fit_space(fit, &low, &high, session)?)?);
        report.figures.push(distances(&found));
    }
    Ok(report)
}

/// The plan of the fit, without running it.
pub fn explain(words: &MatchArguments, session: &Session) -> Result<Report, Failure> {
    if let Some(path) = &words.words.using {
        let message = format!("--using {}: a fitted model has no plan; leave it out", shown(path));
        return Err(Failure::request(message));
    }
    let request = Request::read(words, session)?;
    let compute = session.compute.clone().with_speed(session.speed());
    let plan = request.learner.plan(&request.input().size(), &compute)?;
    let (low, high) = (&request.low, &request.high);
    let fields = [("low", low.described()), ("high", high.described())];
    let mut report = embedding::plan_of("match", request.title, &plan, fields);
    report.json["low"] = low.sample.len().into();
    report.json["high"] = high.sample.len().into();
    Ok(report)
}

/// What a fit takes: the learner with its data.
struct Request {
    title: &'static str,
    learner: Box<dyn Learner>,
    low: Side,
    high: Side,
    /// Numbers for the groups of both sides.
    codes: Option<(Vec<usize>, Vec<usize>)>,
}

impl Request {
    fn read(arguments: &MatchArguments, session: &Session) -> Result<Self, Failure> {
        let MatchArguments { entry, settings, words } = arguments;
        let kernel = |name: &str| settings.text(name).ok().map(str::to_owned);
        let low = Side::read(&words.low, kernel("kernel_low").as_deref(), words, session)?;
        let high = Side::read(&words.high, kernel("kernel_high").as_deref(), words, session)?;
        let mut settings = settings.clone();
        for (name, side) in [("kernel_low", &low), ("kernel_high", &high)] {
            let points = side.sample.as_points();
            match kernel(name) {
                Some(text) => {
                    let names = side.inputs.coordinate_names().unwrap_or_default();
                    settings.insert(name, &data::with_names(&text.parse()?, points.kind(), &names)?);
                }
                None if points.kind().is_object() => settings.insert(name, &Kernel::default_of(points)?),
                None => {}
            }
        }
        if !settings.has("components") {
            settings.insert("components", low.sample.len().min(high.sample.len()).clamp(1, 30));
        }
        let codes = codes(low.groups(), high.groups());
        if !settings.has("affinity") {
            settings.insert("affinity", if codes.is_some() { "class" } else { "pairs" });
        }
        Ok(Self { title: entry.title, learner: entry.build(&settings)?, low, high, codes })
    }

    fn input(&self) -> FitInput<'_> {
        let mut input = FitInput::views(vec![self.low.sample.as_points(), self.high.sample.as_points()]);
        if let Some((of_low, of_high)) = &self.codes {
            input.labels = vec![of_low, of_high];
        }
        input
    }
}

fn fitted(arguments: &MatchArguments, session: &Session) -> Result<(Model, Side, Side), Failure> {
    let request = Request::read(arguments, session)?;
    let fit = session.anytime(|compute| request.learner.fit(&request.input(), compute))?;
    let Request { low, high, .. } = request;
    let model = Model::of_views(fit, vec![low.inputs.clone(), high.inputs.clone()])?;
    Ok((model, low, high))
}

fn loaded(path: &Path, words: &MatchWords, session: &Session) -> Result<(Model, Side, Side), Failure> {
    let model = load_model(path, &session.compute)?;
    if model.fit::<CoupledFit>().is_none() {
        let kind = model.fitted().kind();
        return Err(Failure::request(format!("--using {}: it is a model of kind {kind}", path.display())));
    }
    let side = |view: usize, path: &Path| -> Result<Side, Failure> {
        let table = data::read_table(path, session)?;
        let (ids, labels) =
            (texts(&table, words.id.as_deref(), "--id")?, texts(&table, words.label.as_deref(), "--label")?);
        let (sample, _, _) = model.encode(view, &table).map_err(|e| named(e, path))?;
        let inputs = model.views()[view].clone();
        let pixels = inputs.column_names().and_then(|names| table.select(names).ok()).and_then(|t| pixels(&t));
        Ok(Side { name: shown(path), sample, inputs, ids, labels, pixels })
    };
    let (low, high) = (side(0, &words.low)?, side(1, &words.high)?);
    Ok((model, low, high))
}

impl Side {
    fn read(path: &Path, kernel: Option<&str>, words: &MatchWords, session: &Session) -> Result<Self, Failure> {
        let table = data::read_table(path, session)?;
        let (ids, labels) =
            (texts(&table, words.id.as_deref(), "--id")?, texts(&table, words.label.as_deref(), "--label")?);
        let unused: Vec<String> = [&words.id, &words.label].into_iter().flatten().cloned().collect();
        let features = data::without_label(table.drop_columns(unused.iter().map(String::as_str))?)?;
        let rules = Encoding {
            missing: words.missing.map(Into::into).unwrap_or_default(),
            scaling: match words.scale {
                Some(FitScale::Standard) => Scaling::Standardize,
                Some(FitScale::Unit) => Scaling::UnitInterval,
                Some(FitScale::None) => Scaling::None,
                None if kernel.is_some() => Scaling::None,
                None => Scaling::Standardize,
            },
        };
        let kernel: Option<Kernel> = kernel.map(str::parse).transpose()?;
        let points = TablePoints::new(&features, rules, kernel.as_ref()).map_err(|e| named(e, path))?;
        let TablePoints { encoding, encoded, kind, unused: more } = points;
        if encoded.kept_rows.len() < table.rows() {
            return Err(Failure::request(format!(
                "{}: rows with missing values cannot be matched; use --missing mean or zero",
                shown(path)
            )));
        }
        let unused = unused.into_iter().chain(more).collect();
        let pixels = pixels(&features);
        let inputs = Inputs { features: Features::Columns(encoding), targets: Vec::new(), unused };
        Ok(Self { name: shown(path), sample: encoded.into_sample(kind)?, inputs, ids, labels, pixels })
    }

    /// The groups of the rows: by label, or by name.
    fn groups(&self) -> Option<&[String]> {
        self.labels.as_deref().or(self.ids.as_deref())
    }

    /// The file and its rows, for a report.
    fn described(&self) -> String {
        format!("{}: {} rows", self.name, grouped(self.sample.len() as u64))
    }

    fn id(&self, row: usize) -> String {
        self.ids.as_ref().map_or_else(|| row.to_string(), |ids| ids[row].clone())
    }
}

fn texts(table: &Table, column: Option<&str>, flag: &str) -> Result<Option<Vec<String>>, Failure> {
    let Some(name) = column else { return Ok(None) };
    let column = table.column(name).map_err(|e| Failure::request(format!("{flag}: {e}")))?;
    let cell = |row| super::super::predict_write::cell(&column.data, row);
    Ok(Some((0..table.rows()).map(cell).collect()))
}

/// The columns of a table of numbers only.
fn pixels(table: &Table) -> Option<Array2<f64>> {
    let column = |column: &Column| match &column.data {
        ColumnData::Numbers(values) => Some(values.clone()),
        _ => None,
    };
    let columns: Vec<Vec<f64>> = table.columns().iter().map(column).collect::<Option<_>>()?;
    Some(Array2::from_shape_fn((table.rows(), columns.len()), |(i, j)| columns[j][i]))
}

/// Numbers for the groups of both sides.
fn codes(low: Option<&[String]>, high: Option<&[String]>) -> Option<(Vec<usize>, Vec<usize>)> {
    let (low, high) = (low?, high?);
    let mut names: Vec<&String> = low.iter().chain(high).collect();
    names.sort();
    names.dedup();
    let code = |text: &String| names.binary_search(&text).unwrap_or(0);
    Some((low.iter().map(code).collect(), high.iter().map(code).collect()))
}

/// `row`, `match`, `distance`: a line for every match, the nearest first.
fn columns(low: &Side, high: &Side, found: &Matches) -> Vec<Column> {
    let pairs: Vec<(usize, usize, f64)> =
        found.indices.indexed_iter().map(|((row, at), &hit)| (row, hit, found.distances[[row, at]])).collect();
    let named = |name: &str, side: &Side, at: fn(&(usize, usize, f64)) -> usize| match &side.ids {
        None => Column::numbers(name, pairs.iter().map(|pair| at(pair) as f64).collect()),
        Some(ids) => Column::categories(name, pairs.iter().map(|pair| Some(ids[at(pair)].as_str()))),
    };
    vec![
        named("row", low, |pair| pair.0),
        named("match", high, |pair| pair.1),
        Column::numbers("distance", pairs.iter().map(|pair| pair.2).collect()),
    ]
}

/// The share of rows whose nearest match is of the same group.
fn right(low: &Side, high: &Side, found: &Matches) -> Option<f64> {
    let (own, other) = (low.groups()?, high.groups()?);
    let hits = (0..own.len()).filter(|&row| other[found.indices[[row, 0]]] == own[row]).count();
    Some(hits as f64 / own.len().max(1) as f64)
}

fn summary(model: &Model, low: &Side, high: &Side, found: &Matches) -> Report {
    let title = "Matches by coupled embedding";
    let mut report = Report::new(title);
    let mut fields = vec![("low".to_owned(), low.described()), ("high".to_owned(), high.described())];
    fields.extend(facts::fields(model.fitted()));
    let right = right(low, high, found);
    fields.extend(right.map(|share| ("nearest match is right".to_owned(), format!("{} %", short(100.0 * share)))));
    report.heading(title).fields(fields);
    let mut table = ReportTable::new(&["row", "match", "distance"], &[2]);
    for row in 0..found.indices.nrows().min(SHOWN) {
        let hit = found.indices[[row, 0]];
        table.push([low.id(row), high.id(hit), short(found.distances[[row, 0]])]);
    }
    report.heading("First rows").push(Block::Table(table));
    report.json = serde_json::json!({
        "command": "match",
        "kind": "coupled",
        "low": low.sample.len(),
        "high": high.sample.len(),
        "right": right,
        "eigenvalues": facts::json_of(model.fitted()).get("eigenvalues"),
        "matches": found.indices.column(0).to_vec(),
    });
    report
}

/// The nearest matches of the rows that are drawn: more of them than were requested, where there are.
fn fit_space(fit: &CoupledFit, low: &Side, high: &Side, session: &Session) -> Result<Matches, Failure> {
    let few = low.sample.taken(&queries(low));
    let count = IMAGES.min(high.sample.len());
    Ok(fit.matches(&few, &high.sample, count, &session.compute)?)
}

/// The rows that are drawn: evenly spaced ones.
fn queries(low: &Side) -> Vec<usize> {
    let (n, count) = (low.sample.len(), QUERIES.min(low.sample.len()));
    (0..count).map(|i| i * n / count.max(1)).collect()
}

/// The size of the images of a side: that of `--images`, or square ones; none if rows are no images.
fn image_size(words: &MatchWords, side: &Side, view: usize) -> Result<Option<(usize, usize)>, Failure> {
    let given = words.images.get(view).or(words.images.first());
    let Some(pixels) = &side.pixels else {
        return match given {
            Some(_) => Err(Failure::request(format!("--images: {} has columns that are no numbers", side.name))),
            None => Ok(None),
        };
    };
    let d = pixels.ncols();
    match given {
        Some(&(width, height)) if width * height == d => Ok(Some((width, height))),
        Some((width, height)) => Err(Failure::request(format!(
            "--images: {width} × {height} are {} pixels, but {} has {d} columns",
            width * height,
            side.name
        ))),
        None => {
            let root = d.isqrt();
            Ok((root >= 3 && root * root == d).then_some((root, root)))
        }
    }
}

/// Queries beside their nearest matches, where the rows of both tables are images.
fn images(
    words: &MatchWords,
    low: &Side,
    high: &Side,
    found: &Matches,
    nearest: &Matches,
) -> Result<Option<Figure>, Failure> {
    let (Some(of_low), Some(of_high)) = (image_size(words, low, 0)?, image_size(words, high, 1)?) else {
        return Ok(None);
    };
    let (Some(queried), Some(matched)) = (&low.pixels, &high.pixels) else { return Ok(None) };
    let image = |pixels: &Array2<f64>, row: usize, (width, height): (usize, usize)| {
        Array2::from_shape_fn((height, width), |(i, j)| pixels[[row, i * width + j]])
    };
    let named = |side: &Side, row: usize| side.groups().map_or_else(|| format!("row {row}"), |of| of[row].clone());
    let row = |(at, query): (usize, usize)| {
        let first = Tile { values: image(queried, query, of_low), caption: named(low, query), right: None };
        let hits = (0..nearest.indices.ncols()).map(|k| {
            let hit = nearest.indices[[at, k]];
            Tile {
                values: image(matched, hit, of_high),
                caption: format!("{} ({})", named(high, hit), digits(nearest.distances[[at, k]], 2)),
                right: low.groups().zip(high.groups()).map(|(own, other)| own[query] == other[hit]),
            }
        });
        [first].into_iter().chain(hits).collect()
    };
    let rows = queries(low).into_iter().enumerate().map(row).collect();
    let heads = ["query".to_owned()].into_iter();
    let heads = heads.chain((1..=nearest.indices.ncols()).map(|k| format!("match {k}"))).collect();
    let all = right(low, high, found).map_or(String::new(), |share| format!(": {} % right", digits(100.0 * share, 3)));
    Ok(Some(Figure::Tiles(TilePlot { title: format!("Queries with their nearest matches{all}"), heads, rows })))
}

/// How many rows have which distance from their nearest match.
fn distances(found: &Matches) -> Figure {
    let values: Vec<f64> = found.distances.column(0).to_vec();
    let largest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let mut counts = vec![0_usize; BARS];
    values.iter().for_each(|v| counts[((v / largest * BARS as f64) as usize).min(BARS - 1)] += 1);
    let points = counts.iter().enumerate().map(|(at, count)| (at as f64 + 1.0, *count as f64)).collect();
    Figure::Curves(vec![CurvePlot {
        title: "Distances from the nearest match".into(),
        x: format!("distance in thirtieths of {}", short(largest)),
        y: "rows".into(),
        curves: vec![Curve { label: String::new(), points, mark: Mark::Bars }],
    }])
}
