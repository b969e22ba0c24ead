//! A look at all rows before the fit: scales, a sample, a fingerprint.

use std::collections::HashSet;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::super::{Chunk, ChunkedFile};
use super::classes::{ClassColumn, ClassSurvey};
use super::digest::TableDigest;
use super::part::{Part, Roles, TargetKind};
use crate::model::Inputs;
use crate::points::{Encoding, EncodingSurvey, FittedEncoding, Reservoir};
use crate::{Compute, Error, Result};

/// How the rows of a file become points and targets.
#[derive(Clone, Debug, PartialEq)]
pub struct FileRules {
    /// What the columns are.
    pub roles: Roles,
    /// How inputs become vectors.
    pub encoding: Encoding,
    /// Rows without a target or a weight are left out; otherwise they are refused.
    pub leave_out: bool,
    /// At most this many rows are drawn from the seed, for medians, landmarks and choices.
    pub sample: usize,
}

/// A file whose rows have all been looked at once: the encoding is fitted, a sample is drawn.
///
/// # Example
/// ```
/// use mercer::features::{FeatureSpec, Nystrom};
/// use mercer::io::{ChunkedFile, FileRules, ReadOptions, Roles, SurveyedFile};
/// use mercer::points::Encoding;
/// use mercer::{Compute, learn::StreamedRidge};
/// let compute = Compute::new();
/// let path = std::env::temp_dir().join("mercer-doctest-streamed.csv");
/// let rows: String = (0..3000).map(|i| format!("{},{}\n", i as f64 * 1e-3, (i as f64 * 1e-3).sin())).collect();
/// std::fs::write(&path, format!("x,y\n{rows}")).unwrap();
/// let roles = Roles { inputs: vec!["x".into()], targets: vec!["y".into()], weights: None };
/// let rules = FileRules { roles, encoding: Encoding::default(), leave_out: false, sample: 500 };
/// let file = SurveyedFile::new(ChunkedFile::open(&path, &ReadOptions::default(), &compute)?, rules, &compute)?;
/// let spec = StreamedRidge::new(FeatureSpec::Nystrom(Nystrom::new("gaussian()".parse()?, 20)), 1e-6);
/// let model = file.fit(&spec, None, &compute)?.model;
/// mercer::assert_close!(model.predict(ndarray::array![[1.0]].view(), &compute)?[[0, 0]], 1.0_f64.sin(), abs = 1e-4);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
pub struct SurveyedFile {
    pub(super) file: ChunkedFile,
    pub(super) rules: FileRules,
    pub(super) encoding: FittedEncoding,
    pub(super) fingerprint: String,
    rows: usize,
    /// At the beginning of every chunk: its first row in the file, and the rows that counted before.
    marks: Vec<(usize, usize)>,
    pub(super) classes: Option<ClassColumn>,
    without_target: usize,
    dropped: usize,
    filled: usize,
    x: Array2<f64>,
    y: Array2<f64>,
    weights: Option<Array1<f64>>,
}

impl SurveyedFile {
    /// Looks at all rows.
    ///
    /// # Errors
    /// [`Error::Column`] or [`Error::TooFew`] for columns that are not there, have two roles or
    /// hold the wrong kind, and when no row is left; [`Error::Value`] with the row of the file for
    /// missing and infinite values that no rule takes care of; as the reader of the file.
    pub fn new(file: ChunkedFile, rules: FileRules, compute: &Compute) -> Result<Self> {
        Self::look(file, rules, TargetKind::Values, compute)
    }

    /// Looks at all rows of a file whose only target holds classes: numbers or categories. Targets
    /// are then the numbers of the classes, in the order of [`SurveyedFile::classes`].
    ///
    /// # Errors
    /// As [`SurveyedFile::new`]; [`Error::TooFew`] for a single class.
    pub fn of_classes(file: ChunkedFile, rules: FileRules, compute: &Compute) -> Result<Self> {
        Self::look(file, rules, TargetKind::Classes, compute)
    }

    /// Looks at all rows of a file that has no targets: points, and weights where there are any.
    ///
    /// # Errors
    /// As [`SurveyedFile::new`]; [`Error::TooFew`] where targets are named.
    pub fn of_points(file: ChunkedFile, rules: FileRules, compute: &Compute) -> Result<Self> {
        Self::look(file, rules, TargetKind::None, compute)
    }

    /// Looks at all rows of two files with the same columns: means, scales and levels are those of
    /// both together.
    ///
    /// # Errors
    /// As [`SurveyedFile::of_points`]; [`Error::Column`] for a column of the first file that the
    /// second does not have, or that holds something else there.
    pub fn of_samples(files: [ChunkedFile; 2], rules: &FileRules, compute: &Compute) -> Result<[Self; 2]> {
        let mut encoding = EncodingSurvey::new(rules.encoding);
        let mut look = |file| Look::new(file, rules.clone(), TargetKind::None, &mut encoding, compute);
        let [first, second] = files;
        let (first, second) = (look(first)?, look(second)?);
        let encoding = encoding.finish()?;
        Ok([first.finish(&encoding)?, second.finish(&encoding)?])
    }

    fn look(file: ChunkedFile, rules: FileRules, targets: TargetKind, compute: &Compute) -> Result<Self> {
        let mut encoding = EncodingSurvey::new(rules.encoding);
        Look::new(file, rules, targets, &mut encoding, compute)?.finish(&encoding.finish()?)
    }

    /// The rows that count.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Where to read on for row `row` of those that count: a row of the file, and how many that
    /// count come before it.
    pub(super) fn mark(&self, row: usize) -> (usize, usize) {
        let at = self.marks.partition_point(|mark| mark.1 <= row);
        at.checked_sub(1).map_or((0, 0), |at| self.marks[at])
    }

    /// Rows that were left out because they have no target or weight.
    pub fn without_target(&self) -> usize {
        self.without_target
    }

    /// Rows that were left out because an input is missing.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Missing inputs that are filled.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// How inputs become vectors.
    pub fn encoding(&self) -> &FittedEncoding {
        &self.encoding
    }

    /// The points of the sample.
    pub fn sample_points(&self) -> ArrayView2<'_, f64> {
        self.x.view()
    }

    /// The targets of the sample.
    pub fn sample_targets(&self) -> ArrayView2<'_, f64> {
        self.y.view()
    }

    /// The weights of the sample, where there are any.
    pub fn sample_weights(&self) -> Option<ArrayView1<'_, f64>> {
        self.weights.as_ref().map(|w| w.view())
    }

    /// The names of the classes, where the target holds some.
    pub fn classes(&self) -> Option<&[String]> {
        self.classes.as_ref().map(|classes| &classes.names[..])
    }

    /// The file.
    pub fn file(&self) -> &ChunkedFile {
        &self.file
    }

    /// What a model of this file expects of new tables.
    pub fn inputs(&self) -> Inputs {
        let Roles { inputs, targets, .. } = &self.rules.roles;
        let mut expected = Inputs::columns(self.encoding.clone(), targets.clone());
        let used: HashSet<&str> = inputs.iter().chain(targets).map(String::as_str).collect();
        expected.unused = self.file.header().names().filter(|name| !used.contains(name)).map(str::to_owned).collect();
        expected
    }
}

/// What a look at all rows of a file finds, but for the encoding, which may be that of several.
struct Look {
    file: ChunkedFile,
    rules: FileRules,
    fingerprint: String,
    rows: usize,
    marks: Vec<(usize, usize)>,
    classes: Option<ClassSurvey>,
    sample: Reservoir,
    seen: usize,
    with_target: usize,
    filled: usize,
}

impl Look {
    fn new(
        file: ChunkedFile,
        rules: FileRules,
        targets: TargetKind,
        encoding: &mut EncodingSurvey,
        compute: &Compute,
    ) -> Result<Self> {
        let header = file.header();
        rules.roles.check(&header, targets)?;
        let mut classes = (targets == TargetKind::Classes).then(ClassSurvey::default);
        let mut sample = Reservoir::new(rules.sample, compute.seed());
        let mut digest = TableDigest::default();
        let before = encoding.rows();
        let (mut seen, mut with_target, mut filled) = (0, 0, 0);
        let mut marks = Vec::new();
        for chunk in file.chunks(0, height(&file, compute))? {
            let chunk = chunk?;
            let part = Part::new(&chunk, &rules.roles, rules.leave_out)?;
            let kept = encoding.rows();
            marks.push((chunk.first_row, kept - before));
            encoding.update(&part.inputs).map_err(|e| part.in_file(e))?;
            if let Some(classes) = &mut classes {
                classes.update(&part.y)?;
            }
            let missing =
                |column: &crate::points::Column| (0..part.rows.len()).filter(|&i| column.data.is_missing(i)).count();
            if encoding.rows() - kept == part.rows.len() {
                filled += part.inputs.columns().iter().map(missing).sum::<usize>();
            }
            sample.update(&complete(&chunk, &part)?)?;
            digest.update(&chunk);
            seen += chunk.table.rows();
            with_target += part.rows.len();
            compute.report("looking at the rows", chunk.position, file.size());
        }
        let rows = encoding.rows() - before;
        if rows == 0 {
            return Err(Error::too_few("a fit", "rows", 1, 0));
        }
        let fingerprint = digest.finish(&header);
        Ok(Self { file, rules, fingerprint, rows, marks, classes, sample, seen, with_target, filled })
    }

    /// The file with the rules of its columns.
    fn finish(self, encoding: &FittedEncoding) -> Result<SurveyedFile> {
        let Self { file, rules, fingerprint, rows, marks, classes, sample, seen, with_target, filled } = self;
        let whole = Chunk { table: sample.table()?, first_row: 0, position: 0 };
        let part = Part::new(&whole, &rules.roles, rules.leave_out)?;
        let encoded = encoding.apply(&part.inputs)?;
        let pick = |w: &Array1<f64>| encoded.kept_rows.iter().map(|&i| w[i]).collect();
        let classes = classes.map(|classes| classes.finish(&file.header(), &rules.roles.targets[0])).transpose()?;
        let y = part.y.select(ndarray::Axis(0), &encoded.kept_rows);
        Ok(SurveyedFile {
            x: encoded.matrix,
            y: classes.as_ref().map_or(Ok(y.clone()), |classes| classes.numbers(&y))?,
            weights: part.weights.as_ref().map(pick),
            without_target: seen - with_target,
            dropped: with_target - rows,
            filled,
            file,
            rules,
            encoding: encoding.clone(),
            fingerprint,
            rows,
            marks,
            classes,
        })
    }
}

/// The rows of the chunk that count for the sample: those of the part, with all their columns.
fn complete(chunk: &Chunk, part: &Part) -> Result<crate::points::Table> {
    if part.rows.len() == chunk.table.rows() {
        return Ok(chunk.table.clone());
    }
    chunk.table.select_rows(&part.rows)
}

/// The rows of a chunk: some for every thousand bytes of memory, and never very many.
pub(super) fn height(file: &ChunkedFile, compute: &Compute) -> usize {
    let bytes = (compute.memory() / 128).clamp(1 << 16, 4 << 20);
    let row = 16 * file.header().columns().len().max(1) as u64;
    (bytes / row).clamp(16, 1 << 16) as usize
}
