//! `mercer embed pca --stream`, `mercer cluster --stream`: views of files that are longer than
//! memory, through features.

use std::io;
use std::path::Path;

use mercer::Error;
use mercer::io::{
    Checkpoint, ChunkedFile, FileRules, ReadOptions, Resumed, Roles, SurveyedFile, atomic_write, save_model,
};
use mercer::learner::{FitSize, LearnerEntry};
use mercer::model::{self, AnyFit, Model};
use mercer::points::{Encoding, Scaling, Table};
use mercer::settings::Settings;
use ndarray::ArrayView2;
use serde_json::json;

use super::super::fit::streamed::{CHECKPOINTS, FEWEST_BYTES, Size, remove, sample, too_long, width};
use super::super::fit::{Goal, Split};
use super::super::predict_streamed::write_rows;
use super::super::predict_write::{Layout, layout};
use super::{facts, pictures, push_files, transform};
use crate::arguments::{ClusterArguments, ViewArguments, ViewData, ViewStreamWords};
use crate::data::{is_standard_input, named, shown};
use crate::failure::Failure;
use crate::numbers::grouped;
use crate::report::Report;
use crate::session::Session;

/// Settings of landmarks, and of frequencies.
const OF_NYSTROM: [&str; 2] = ["feature_tolerance", "rank"];
const OF_FOURIER: [&str; 2] = ["form", "sampling"];
/// Settings of landmarks of a fit of all rows at once, which are those of the features.
const OF_LANDMARKS: [&str; 2] = ["landmarks", "selection"];

/// A view that is to be streamed.
pub struct Request<'w> {
    command: String,
    entry: &'static LearnerEntry,
    settings: Settings,
    data: &'w ViewData,
    weights: Option<&'w str>,
    words: &'w ViewStreamWords,
    novelty: bool,
    reason: String,
}

/// The request of `mercer embed`, if it is to be streamed.
pub fn of_view<'w>(words: &'w ViewArguments, session: &Session) -> Result<Option<Request<'w>>, Failure> {
    let Some(stream) = &words.stream else { return Ok(None) };
    let command = format!("embed {}", words.entry.name);
    let given = (words.entry, words.settings.clone(), &words.streamed);
    Request::new(command, given, &words.data, None, stream, session)
        .map(|request| request.map(|request| Request { novelty: words.novelty, ..request }))
}

/// The request of `mercer cluster`, if it is to be streamed.
pub fn of_clusters<'w>(words: &'w ClusterArguments, session: &Session) -> Result<Option<Request<'w>>, Failure> {
    if words.entry.streamed.is_none() && !words.stream.stream {
        return Ok(None);
    }
    let settings = words.settings.clone().with_some("clusters", words.clusters);
    let given = (words.entry, settings, &words.streamed);
    Request::new("cluster".into(), given, &words.data, words.weights.as_deref(), &words.stream, session)
}

impl<'w> Request<'w> {
    fn new(
        command: String,
        (whole, given, chosen): (&LearnerEntry, Settings, &Settings),
        data: &'w ViewData,
        weights: Option<&'w str>,
        words: &'w ViewStreamWords,
        session: &Session,
    ) -> Result<Option<Self>, Failure> {
        let requested = words.stream || words.checkpoint.is_some();
        let reason = if requested { Some("requested".to_owned()) } else { too_long(&data.data, session) };
        let Some(reason) = reason else {
            return match chosen.iter().next() {
                None => Ok(None),
                Some((name, _)) => Err(Failure::request(format!(
                    "--{}: only a streamed fit is on features; add --stream",
                    name.replace('_', "-")
                ))),
            };
        };
        let missing = || Failure::request(format!("--stream: {} needs all rows at once", whole.title.to_lowercase()));
        let entry = whole.streamed.and_then(model::learner).ok_or_else(missing)?;
        if is_standard_input(&data.data) {
            return Err(Failure::request("--stream: standard input can be read only once: give a file"));
        }
        let is_alien = |name: &&str| entry.parameter(name).is_none() && !OF_LANDMARKS.contains(name);
        if let Some(alien) = given.iter().map(|(name, _)| name).find(is_alien) {
            let flag = alien.replace('_', "-");
            return Err(Failure::request(format!("--{flag}: a streamed fit works on features and has no such choice")));
        }
        if data.objects.bag.is_some() {
            return Err(Failure::request("--bag: the rows of a bag are needed at once; a streamed fit has none"));
        }
        if let Some(path) = &data.output
            && !matches!(layout(path)?, Layout::Csv | Layout::Tsv)
        {
            let name = path.display();
            return Err(Failure::request(format!("--stream: --output {name}: the name must end in .csv or .tsv")));
        }
        let settings = streamed_settings(entry, &given, chosen)?;
        Ok(Some(Self { command, entry, settings, data, weights, words, novelty: false, reason }))
    }

    /// Fits, writes, draws and reports.
    pub fn run(&self, session: &Session) -> Result<Report, Failure> {
        let file = self.look(session)?;
        let settings = self.with_columns(&file)?;
        let checkpoint = self.words.checkpoint.as_ref().map(|path| Checkpoint {
            path: path.clone(),
            every: (file.file().size() / CHECKPOINTS).max(FEWEST_BYTES),
            resume: self.words.resume,
        });
        let fitted =
            session.anytime(|compute| file.fit_view(self.entry.name, &settings, checkpoint.as_ref(), compute))?;
        let model = fitted.model.with_note("command", format!("mercer {}", self.command));
        if let Some(path) = &self.data.model {
            save_model(path, &model)?;
        }
        if let Some(checkpoint) = &checkpoint {
            remove(&checkpoint.path)?;
        }
        if let Some(path) = &self.data.output {
            self.write(path, &model, &file, session)?;
        }
        self.report(&model, &file, fitted.resumed_at, session)
    }

    /// The plan, without running it; the rows are counted.
    pub fn explain(&self, session: &Session) -> Result<Report, Failure> {
        let file = self.look(session)?;
        let learner = self.entry.build(&self.with_columns(&file)?)?;
        let compute = session.compute.clone().with_speed(session.speed());
        let views = vec![mercer::points::Size::of_vectors(file.rows(), file.encoding().dimension())];
        let plan = learner.plan(&FitSize { views, outputs: 0, classes: 0 }, &compute)?;
        let mut report = super::super::test::plan_of(self.entry.title, file.rows(), &self.reason, &plan, session);
        report.json["command"] = format!("explain {}", self.command).into();
        Ok(report)
    }

    /// The file, all rows of which were looked at.
    fn look(&self, session: &Session) -> Result<SurveyedFile, Failure> {
        let path = &self.data.data;
        let options = ReadOptions { format: session.common.format, ..ReadOptions::default() };
        let file = ChunkedFile::open(path, &options, &session.compute)?;
        let header = file.header();
        let split = Split::new(Goal::Nothing, &self.data.as_fit(), self.weights, &header)?;
        let name = |c: &usize| header.columns()[*c].name.clone();
        let roles = Roles {
            inputs: split.features.iter().map(name).collect(),
            targets: Vec::new(),
            weights: split.weights.as_ref().map(name),
        };
        let default = if self.settings.has("kernel") { Scaling::None } else { Scaling::Standardize };
        let size = Size { columns: width(&header, &split.features), outputs: 1 };
        let rules = FileRules {
            encoding: Encoding {
                missing: self.data.missing.map(Into::into).unwrap_or_default(),
                scaling: self.data.as_fit().scaling(default),
            },
            leave_out: self.data.missing.is_some(),
            sample: sample(self.settings.count("feature_count")?, size, header.columns().len(), session),
            roles,
        };
        SurveyedFile::of_points(file, rules, &session.compute).map_err(|e| named(e, path))
    }

    /// The settings with names of columns in the kernel replaced by their numbers.
    fn with_columns(&self, file: &SurveyedFile) -> Result<Settings, Failure> {
        let mut settings = self.settings.clone();
        if settings.has("kernel") {
            let kernel = settings.kernel("kernel")?.with_column_names(&file.encoding().output_names())?;
            settings.insert("kernel", &kernel);
        }
        Ok(settings)
    }

    /// Scores or clusters of all rows, chunk by chunk.
    fn write(&self, path: &Path, model: &Model, file: &SurveyedFile, session: &Session) -> Result<(), Failure> {
        let layout = layout(path)?;
        let columns = file.file().header().columns().len().max(1) as u64;
        let rows = (session.compute.memory() / 16 / (64 * columns)).clamp(1, 1 << 16) as usize;
        let mut failure = None;
        let written = atomic_write(path, |out| {
            let mut first = true;
            let mut step = |out: &mut (dyn io::Write + Send)| -> Result<(), Failure> {
                for chunk in file.file().chunks(0, rows)? {
                    let chunk = chunk?;
                    session.compute.report("writing", chunk.position, file.file().size());
                    let place = (self.data.data.as_path(), chunk.first_row);
                    let found = transform::of_table(model, 0, &chunk.table, self.novelty, place, &session.compute)?;
                    let table = Table::from_columns(found)?;
                    write_rows(layout, &table, first, out).map_err(Failure::Output)?;
                    first = false;
                }
                Ok(())
            };
            failure = step(out).err();
            if failure.is_some() { Err(io::Error::other("the output stopped")) } else { Ok(()) }
        });
        match failure {
            Some(Failure::Output(source)) => Err(Error::File { path: path.to_owned(), source }.into()),
            Some(other) => Err(other),
            None => Ok(written?),
        }
    }

    fn report(
        &self,
        model: &Model,
        file: &SurveyedFile,
        resumed_at: Option<Resumed>,
        session: &Session,
    ) -> Result<Report, Failure> {
        let fitted = model.fitted();
        let title = fitted.entry().title;
        let name = shown(&self.data.data);
        let names = file.encoding().output_names();
        let mut report = Report::new(title);
        let mut fields = vec![
            ("data".to_owned(), format!("{name}: {} rows", grouped(file.rows() as u64))),
            ("inputs".to_owned(), format!("{}", names.len())),
            ("streamed".to_owned(), self.reason.clone()),
        ];
        fields.extend(resumed_at.map(|at| match at {
            Resumed::Row(row) => ("resumed".to_owned(), format!("from row {}", grouped(row as u64))),
            Resumed::Passes(passes) => ("resumed".to_owned(), format!("after {passes} passes")),
        }));
        fields.extend(facts::fields(fitted).into_iter().filter(|(name, _)| name != "rows"));
        report.heading(title).fields(fields);
        if file.dropped() > 0 {
            report.text(format!("{} rows with missing values were dropped.", grouped(file.dropped() as u64)));
        }
        report.json = serde_json::Value::Object(facts::json_of(fitted));
        report.json["command"] = self.command.clone().into();
        report.json["kind"] = fitted.kind().into();
        report.json["data"] = name.into();
        report.json["rows"] = file.rows().into();
        report.json["streamed"] = self.reason.clone().into();
        report.json["sample"] = file.sample_points().nrows().into();
        report.json["resumed_at"] = json!(if let Some(Resumed::Row(row)) = resumed_at { Some(row) } else { None });
        report.json["resumed_after_passes"] =
            json!(if let Some(Resumed::Passes(passes)) = resumed_at { Some(passes) } else { None });
        push_files(&mut report, self.data.output.as_deref(), self.data.model.as_deref());
        if session.common.plot.is_some() || session.common.report.is_some() {
            report.figures = self.figures(model, file.sample_points(), session)?;
            report.text("The picture shows a sample of the rows.".to_owned());
        }
        Ok(report)
    }

    fn figures(
        &self,
        model: &Model,
        x: ArrayView2<f64>,
        session: &Session,
    ) -> Result<Vec<crate::plot::Figure>, Failure> {
        let fit: AnyFit = model.clone().into_fitted();
        if self.command == "cluster" {
            let labels: Vec<usize> =
                fit.predict(x.into(), &session.compute)?.column(0).iter().map(|&c| c as usize).collect();
            return Ok(pictures::clusters(&fit, x.into(), &labels, &session.compute)?);
        }
        let z = fit.transform(0, x.into(), &session.compute)?;
        Ok(pictures::embedding(&*fit, &[z.view()], None))
    }
}

/// The settings of a learner on features from those of the one on the kernel matrix.
fn streamed_settings(entry: &'static LearnerEntry, given: &Settings, chosen: &Settings) -> Result<Settings, Failure> {
    let mut settings = Settings::new();
    for (name, value) in given.iter().filter(|(name, _)| *name != "landmarks" && entry.parameter(name).is_some()) {
        settings.insert(name, value.clone());
    }
    if let (Some(count), false) = (given.optional_count("landmarks")?, chosen.has("feature_count")) {
        settings.insert("feature_count", count);
    }
    chosen.iter().for_each(|(name, value)| settings.insert(name, value.clone()));
    let fourier = chosen.optional_text("features")? == Some("fourier");
    if let (Some(selection), false) = (given.optional_text("selection")?, fourier) {
        settings.insert("landmarks", selection);
    }
    let alien = if fourier { OF_NYSTROM } else { OF_FOURIER };
    if let Some(name) = alien.iter().find(|name| chosen.has(name)) {
        let (flag, other) = (name.replace('_', "-"), if fourier { "nystrom" } else { "fourier" });
        return Err(Failure::request(format!("--{flag}: it goes with --features {other} only")));
    }
    // As many as the declaration has: the sample of the rows depends on them.
    let count = entry.complete(&settings)?.count("feature_count")?;
    settings.insert("feature_count", count);
    Ok(settings)
}
