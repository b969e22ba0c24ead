//! `mercer test two-sample|independence … --stream`: tests of files that are longer than memory.

use std::path::Path;

use mercer::Kernel;
use mercer::compute::{human_bytes, human_seconds};
use mercer::hypothesis::{StreamedIndependence, StreamedTwoSample};
use mercer::io::{Checkpoint, ChunkedFile, FileRules, ReadOptions, Resumed, Roles, StreamedTest, SurveyedFile};
use mercer::learner::Plan;
use mercer::points::Table;
use serde_json::{Map, Value, json};

use super::super::fit::streamed::{CHECKPOINTS, FEWEST_BYTES, Size, remove, sample, too_long, width};
use super::pictures;
use super::read::rules;
use super::summary::{facts, json_of, verdict};
use crate::arguments::{
    IndependenceArguments, IndependenceWord, PictureWord, TestCommand, TestOptions, TestStreamWords,
    TwoSampleArguments, TwoSampleWord,
};
use crate::data::{choose, expand, is_standard_input, named, without_label};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::report::{Block, Report, Truth};
use crate::session::Session;

/// A test that is to be streamed.
pub struct Request<'w> {
    words: Words<'w>,
    stream: &'w TestStreamWords,
    options: &'w TestOptions,
    reason: String,
}

enum Words<'w> {
    TwoSample(&'w TwoSampleArguments),
    Independence(&'w IndependenceArguments),
}

/// What a streamed test found, for the report.
struct Found {
    test: StreamedTest,
    hypothesis: String,
    rows: Vec<usize>,
    columns: Vec<Vec<String>>,
    dropped: usize,
    filled: usize,
}

impl<'w> Request<'w> {
    /// The request, if the test is to be streamed.
    pub fn of(command: &'w TestCommand, session: &Session) -> Result<Option<Self>, Failure> {
        let (words, stream, options, paths) = match command {
            TestCommand::TwoSample(words) => {
                (Words::TwoSample(words), &words.stream, &words.options, vec![&words.first, &words.second])
            }
            TestCommand::Independence(words) => {
                (Words::Independence(words), &words.stream, &words.options, vec![&words.data])
            }
            _ => return Ok(None),
        };
        let requested = stream.stream || stream.checkpoint.is_some();
        let reason = match requested {
            true => Some("requested".to_owned()),
            false => paths.iter().find_map(|path| too_long(path, session)),
        };
        let Some(reason) = reason else { return Ok(None) };
        if paths.iter().any(|path| is_standard_input(path)) {
            return Err(Failure::request("--stream: standard input can be read only once: give a file"));
        }
        let request = Self { words, stream, options, reason };
        request.check()?;
        Ok(Some(request))
    }

    /// Refuses what needs all rows at once.
    fn check(&self) -> Result<(), Failure> {
        let refused = |flag: &str, why: &str| Err(Failure::request(format!("{flag}: a streamed test {why}")));
        if self.options.by.is_some() {
            return refused("--by", "reads all rows as one group");
        }
        if self.options.objects.is_given() {
            return refused("--bag, --labels", "takes columns of numbers and categories of its file");
        }
        let (features, wild) = match &self.words {
            Words::TwoSample(words) => {
                if words.picture == PictureWord::Witness {
                    return refused("--picture witness", "keeps no rows to draw it from");
                }
                (matches!(words.method, None | Some(TwoSampleWord::Features)), words.wild)
            }
            Words::Independence(words) => {
                (matches!(words.method, IndependenceWord::Permutation | IndependenceWord::Features), words.wild)
            }
        };
        if !features || wild {
            return refused("--method, --wild", "has one method: features, with the limit of their null distribution");
        }
        Ok(())
    }

    /// Tests, draws and reports.
    pub fn run(&self, session: &Session) -> Result<Report, Failure> {
        let found = match &self.words {
            Words::TwoSample(words) => self.two_samples(words, session)?,
            Words::Independence(words) => self.independence(words, session)?,
        };
        if let Some(path) = &self.stream.checkpoint {
            remove(path)?;
        }
        Ok(self.report(&found))
    }

    fn samples(&self, words: &TwoSampleArguments, session: &Session) -> Result<[SurveyedFile; 2], Failure> {
        let paths = (words.first.as_path(), words.second.as_path());
        let files = [open(paths.0, session)?, open(paths.1, session)?];
        let headers = [files[0].header(), files[1].header()];
        let tested = |header: &Table| -> Result<Vec<String>, Failure> {
            let chosen = without_label(choose(header.clone(), &words.columns)?)?;
            Ok(chosen.names().map(str::to_owned).collect())
        };
        let (inputs, others) = (tested(&headers[0])?, tested(&headers[1])?);
        super::pool::check_lists(&inputs, &others, paths)?;
        let rules = self.rules(inputs, words.components, &headers[0], session)?;
        SurveyedFile::of_samples(files, &rules, &session.compute).map_err(|e| named(e, paths.0))
    }

    fn two_sample(&self, words: &TwoSampleArguments, names: &[String]) -> Result<StreamedTwoSample, Failure> {
        Ok(StreamedTwoSample {
            kernel: kernel("--kernel", &words.kernel, names)?,
            components: words.components,
            draws: self.options.permutations,
            level: self.options.level,
        })
    }

    fn two_samples(&self, words: &TwoSampleArguments, session: &Session) -> Result<Found, Failure> {
        let [first, second] = self.samples(words, session)?;
        let names = first.encoding().output_names();
        let spec = self.two_sample(words, &names)?;
        let checkpoint = self.checkpoint(first.file().size() + second.file().size());
        let test = first.test_two_samples(&second, &spec, checkpoint.as_ref(), &session.compute)?;
        Ok(Found {
            test,
            hypothesis: "both files have the same distribution".to_owned(),
            rows: vec![first.rows(), second.rows()],
            columns: vec![names.clone(), names],
            dropped: first.dropped() + second.dropped(),
            filled: first.filled() + second.filled(),
        })
    }

    /// The file, and how many coordinates the first variable has.
    fn variables(&self, words: &IndependenceArguments, session: &Session) -> Result<(SurveyedFile, usize), Failure> {
        let file = open(&words.data, session)?;
        let header = file.header();
        let names = |flag: &str, columns: &[String]| -> Result<Vec<String>, Failure> {
            let list = columns.iter().flat_map(|column| expand(&header, column.trim()));
            let found = list.map(|name| header.column(&name).map(|column| column.name.clone()));
            found.collect::<Result<_, _>>().map_err(|e| Failure::request(format!("{flag}: {e}")))
        };
        let (x, y) = (names("--x", &words.x)?, names("--y", &words.y)?);
        let inputs: Vec<String> = x.iter().chain(&y).cloned().collect();
        let rules = self.rules(inputs, 2 * words.components, &header, session)?;
        let file = SurveyedFile::of_points(file, rules, &session.compute).map_err(|e| named(e, &words.data))?;
        let columns = file.encoding().columns().iter().take(x.len()).map(|column| column.width()).sum();
        Ok((file, columns))
    }

    fn independence(&self, words: &IndependenceArguments, session: &Session) -> Result<Found, Failure> {
        let (file, columns) = self.variables(words, session)?;
        let names = file.encoding().output_names();
        let (of_x, of_y) = (names[..columns].to_vec(), names[columns..].to_vec());
        let second = words.kernel_y.as_ref().map_or(("--kernel", &words.kernel), |text| ("--kernel-y", text));
        let spec = StreamedIndependence {
            kernel_x: kernel("--kernel", &words.kernel, &of_x)?,
            kernel_y: kernel(second.0, second.1, &of_y)?,
            components: words.components,
            draws: self.options.permutations,
            level: self.options.level,
        };
        let checkpoint = self.checkpoint(file.file().size());
        let test = file.test_independence(&spec, columns, checkpoint.as_ref(), &session.compute)?;
        Ok(Found {
            test,
            hypothesis: format!("{} and {} are independent", of_x.join(", "), of_y.join(", ")),
            rows: vec![file.rows()],
            columns: vec![of_x, of_y],
            dropped: file.dropped(),
            filled: file.filled(),
        })
    }

    /// The plan, without running it; the rows are counted.
    pub fn explain(&self, session: &Session) -> Result<Report, Failure> {
        let compute = session.compute.clone().with_speed(session.speed());
        let (title, rows, plan) = match &self.words {
            Words::TwoSample(words) => {
                let [first, second] = self.samples(words, session)?;
                let rows = first.rows() + second.rows();
                let names = first.encoding().output_names();
                ("Two-sample test", rows, self.two_sample(words, &names)?.plan(rows, names.len(), &compute))
            }
            Words::Independence(words) => {
                let (file, _) = self.variables(words, session)?;
                let spec = StreamedIndependence { components: words.components, ..StreamedIndependence::default() };
                ("Independence test", file.rows(), spec.plan(file.rows(), file.encoding().dimension(), &compute))
            }
        };
        Ok(plan_of(title, rows, &self.reason, &plan, session))
    }

    fn rules(
        &self,
        inputs: Vec<String>,
        features: usize,
        header: &Table,
        session: &Session,
    ) -> Result<FileRules, Failure> {
        let positions = inputs.iter().map(|name| header.find(name.as_str())).collect::<Result<Vec<_>, _>>()?;
        let size = Size { columns: width(header, &positions), outputs: 1 };
        Ok(FileRules {
            encoding: rules(self.options),
            leave_out: self.options.missing.is_some(),
            sample: sample(features, size, header.columns().len(), session),
            roles: Roles { inputs, targets: Vec::new(), weights: None },
        })
    }

    fn checkpoint(&self, size: u64) -> Option<Checkpoint> {
        let path = self.stream.checkpoint.as_ref()?;
        let every = (size / CHECKPOINTS).max(FEWEST_BYTES);
        Some(Checkpoint { path: path.clone(), every, resume: self.stream.resume })
    }

    fn report(&self, found: &Found) -> Report {
        let (title, command) = match self.words {
            Words::TwoSample(_) => ("Two-sample test", "test two-sample"),
            Words::Independence(_) => ("Independence test", "test independence"),
        };
        let outcome = &found.test.outcome;
        let mut report = Report::new(format!("{title}: {}", found.hypothesis));
        report.heading(title).push(verdict(outcome));
        let rows: Vec<String> = found.rows.iter().map(|rows| grouped(*rows as u64)).collect();
        let mut fields = vec![
            ("hypothesis", found.hypothesis.clone()),
            ("rows", rows.join(" and ")),
            ("streamed", self.reason.clone()),
        ];
        let resumed = match found.test.resumed_at {
            Some(Resumed::Row(row)) => Some(row),
            _ => None,
        };
        fields.extend(resumed.map(|row| ("resumed", format!("from row {}", grouped(row as u64)))));
        fields.extend(facts(outcome));
        report.fields(fields);
        let mut remarks = super::read::remarks(found.dropped, found.filled);
        remarks.push(
            "The p-value is that of the limit of many rows; no rows were permuted, as they are read once.".to_owned(),
        );
        remarks.iter().for_each(|remark| {
            report.text(remark.clone());
        });
        let mut json = Map::new();
        json.insert("command".into(), command.into());
        json.insert("hypothesis".into(), found.hypothesis.clone().into());
        json.extend(json_of(outcome));
        json.insert("rows".into(), json!(found.rows));
        json.insert("columns".into(), json!(found.columns));
        json.insert("streamed".into(), self.reason.clone().into());
        json.insert("resumed_at".into(), json!(resumed));
        json.insert("remarks".into(), remarks.into());
        report.json = Value::Object(json);
        report.figures.extend(pictures::null(outcome, title));
        report
    }
}

/// A plan as a report.
pub fn plan_of(title: &str, rows: usize, reason: &str, plan: &Plan, session: &Session) -> Report {
    let limit = session.compute.memory();
    let mut report = Report::new(format!("Plan: {title}"));
    let mut fields = vec![
        ("rows", grouped(rows as u64)),
        ("streamed", reason.to_owned()),
        ("how", format!("{}; {}", plan.solver, plan.reason)),
        ("memory", human_bytes(plan.bytes)),
        ("work", format!("about {} floating-point operations", short(plan.flops))),
    ];
    fields.extend(plan.seconds.map(|seconds| ("time", human_seconds(seconds))));
    fields.extend(plan.approximation.clone().map(|text| ("approximation", text)));
    fields.push(("memory limit", human_bytes(limit)));
    report.heading(format!("Plan: {title}")).fields(fields);
    let fits = plan.bytes <= limit;
    let verdict = if fits { "it fits into the memory limit" } else { "it is over the memory limit" };
    report.push(Block::Verdict(Truth::from_option(Some(fits)), verdict.into()));
    report.json = json!({
        "rows": rows,
        "streamed": reason,
        "solver": plan.solver,
        "bytes": plan.bytes,
        "flops": number(plan.flops),
        "seconds": plan.seconds.map_or(Value::Null, number),
        "reason": plan.reason,
        "approximation": plan.approximation,
        "fits": fits,
    });
    report
}

fn open(path: &Path, session: &Session) -> Result<ChunkedFile, Failure> {
    let options = ReadOptions { format: session.common.format, ..ReadOptions::default() };
    Ok(ChunkedFile::open(path, &options, &session.compute)?)
}

/// The kernel of a flag, or none for `auto`.
fn kernel(flag: &str, text: &str, names: &[String]) -> Result<Option<Kernel>, Failure> {
    if text == "auto" {
        return Ok(None);
    }
    let parsed = text.parse::<Kernel>().and_then(|kernel| kernel.with_column_names(names));
    parsed.map(Some).map_err(|e| Failure::request(format!("{flag}: {e}")))
}
