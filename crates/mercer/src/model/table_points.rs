//! From a table to the points of a kernel.

use super::Features;
use crate::points::{Column, ColumnData, Encoded, Encoding, FittedEncoding, PointKind, Table};
use crate::{Error, Kernel, Result, Sample};

/// A table as the points of a kernel, with the rules that made them.
#[derive(Clone, Debug, PartialEq)]
pub struct TablePoints {
    /// The rules, for new tables.
    pub encoding: FittedEncoding,
    /// The columns that were taken, as vectors and objects.
    pub encoded: Encoded,
    /// What the points are.
    pub kind: PointKind,
    /// Columns that were not taken.
    pub unused: Vec<String>,
}

impl TablePoints {
    /// The points of a kernel.
    ///
    /// A kernel that names a column of objects, as in `on([review], spectrum(length=4))`, takes rows
    /// of the table: those columns as the objects it needs, of the others the ones that it uses, as
    /// numbers and indicators. A kernel on objects without names takes the only column, or the only
    /// one that holds such objects. Any other kernel takes vectors.
    ///
    /// Without a kernel, columns of texts are strings: there are more than 8 different values, at
    /// least half of all values are distinct, and at least half have several words. Beside objects,
    /// other texts that are mostly distinct are identifiers, and left out.
    ///
    /// # Errors
    /// As [`Encoding::fit_as`] and [`FittedEncoding::apply`]; [`Error::Column`] for a named column
    /// that is not there; [`Error::WrongPoints`] where no column holds the objects that the kernel
    /// takes, [`Error::Shape`] where several could.
    ///
    /// # Example
    /// ```
    /// use mercer::model::TablePoints;
    /// use mercer::points::{Column, Encoding, PointKind, Table};
    /// let table = Table::from_columns(vec![
    ///     Column::numbers("price", vec![1.0, 2.0]),
    ///     Column::categories("review", [Some("very good"), Some("rather bad")]),
    /// ])?;
    /// let kernel = "on([review], spectrum(length=3))".parse()?;
    /// let points = TablePoints::new(&table, Encoding::default(), Some(&kernel))?;
    /// assert_eq!((points.kind, points.unused.as_slice()), (PointKind::Mixed, &["price".to_owned()][..]));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn new(table: &Table, rules: Encoding, kernel: Option<&Kernel>) -> Result<Self> {
        let Plan { columns, kinds, kind } = match kernel {
            Some(kernel) => Plan::of_kernel(table, kernel)?,
            None => Plan::by_rule(table),
        };
        let taken = table.select(columns.iter().map(String::as_str))?;
        let encoding = rules.fit_as(&taken, &kinds)?;
        let encoded = encoding.apply(&taken)?;
        let kind = kind.unwrap_or_else(|| encoded.kind());
        let unused = table.names().filter(|name| !columns.iter().any(|taken| taken == name)).map(str::to_owned);
        Ok(Self { encoding, kind, unused: unused.collect(), encoded })
    }

    /// How new tables become points: by the rules of the columns; sparse vectors without a rule.
    pub fn features(&self) -> Features {
        match &self.encoded.objects[..] {
            [(_, Sample::Sparse(rows))] if self.kind == PointKind::Sparse => {
                Features::Vectors { dimension: rows.width(), names: None }
            }
            _ => Features::Columns(self.encoding.clone()),
        }
    }

    /// The points, without the rules.
    ///
    /// # Errors
    /// As [`Encoded::into_sample`].
    pub fn into_sample(self) -> Result<Sample> {
        self.encoded.into_sample(self.kind)
    }
}

/// Which columns are taken, and as what.
struct Plan {
    columns: Vec<String>,
    kinds: Vec<(String, PointKind)>,
    /// What the points are, where the columns do not tell.
    kind: Option<PointKind>,
}

impl Plan {
    fn of_kernel(table: &Table, kernel: &Kernel) -> Result<Self> {
        let kinds = kernel.object_columns();
        if !kinds.is_empty() {
            return Self::of_names(table, kernel, kinds);
        }
        match kernel.point_kind().filter(|kind| kind.is_object()) {
            Some(kind) => {
                let column = only_column(table, kernel, kind)?;
                Ok(Self { columns: vec![column.clone()], kinds: vec![(column, kind)], kind: Some(kind) })
            }
            // Identifiers beside objects are no numbers to compute with.
            None if table.columns().iter().any(|column| !is_plain(column)) => Ok(Self::by_rule(table)),
            None => Ok(Self { columns: names(table), kinds: Vec::new(), kind: None }),
        }
    }

    /// For a kernel that names columns of objects.
    fn of_names(table: &Table, kernel: &Kernel, kinds: Vec<(String, PointKind)>) -> Result<Self> {
        let named: Vec<String> =
            kernel.named_columns().into_iter().flat_map(|(names, _)| names).map(str::to_owned).collect();
        for (names, k) in kernel.named_columns() {
            let Some(kind) = k.point_kind().filter(|kind| kind.is_object()) else { continue };
            for name in names {
                check_column(table.column(name)?, k, kind)?;
            }
        }
        let uses_all = !kernel.is_on_names();
        let taken = |column: &&Column| {
            let own = &column.name;
            // The indicator of a category may be named too.
            let is_named = |name: &String| name == own || name.split('=').next() == Some(own);
            named.iter().any(is_named) || (uses_all && is_plain(column))
        };
        let columns = table.columns().iter().filter(taken).map(|column| column.name.clone()).collect();
        Ok(Self { columns, kinds, kind: Some(PointKind::Mixed) })
    }

    fn by_rule(table: &Table) -> Self {
        let texts = || table.columns().iter().filter(|column| is_text(column));
        let kinds: Vec<(String, PointKind)> = texts().map(|column| (column.name.clone(), PointKind::Strings)).collect();
        let has_objects = !kinds.is_empty() || table.columns().iter().any(|column| !is_plain(column));
        if !has_objects {
            return Self { columns: names(table), kinds, kind: None };
        }
        let taken = |column: &&Column| is_text(column) || !is_identifier(column);
        let columns = table.columns().iter().filter(taken).map(|column| column.name.clone()).collect();
        Self { columns, kinds, kind: None }
    }
}

fn names(table: &Table) -> Vec<String> {
    table.names().map(str::to_owned).collect()
}

/// Numbers or categories.
fn is_plain(column: &Column) -> bool {
    matches!(column.data, ColumnData::Numbers(_) | ColumnData::Categories { .. })
}

/// What a column holds.
fn held(column: &Column) -> String {
    match &column.data {
        ColumnData::Numbers(_) => "numbers".into(),
        ColumnData::Categories { .. } => "texts".into(),
        ColumnData::Objects(sample) => sample.as_points().kind().to_string(),
        ColumnData::Groups { .. } => "groups of rows".into(),
    }
}

/// Whether a column can be what a kernel takes.
fn check_column(column: &Column, kernel: &Kernel, kind: PointKind) -> Result<()> {
    let fits = match &column.data {
        ColumnData::Numbers(_) => false,
        ColumnData::Categories { .. } => kind == PointKind::Strings,
        ColumnData::Objects(sample) => sample.as_points().kind() == kind,
        ColumnData::Groups { .. } => matches!(kind, PointKind::Bags | PointKind::Diagrams),
    };
    if fits {
        return Ok(());
    }
    let (what, takes) = (kernel.to_string(), kind.to_string());
    Err(Error::WrongPoints { what, takes, column: Some(column.name.clone()), holds: held(column) })
}

/// The column whose objects a kernel takes.
fn only_column(table: &Table, kernel: &Kernel, kind: PointKind) -> Result<String> {
    let holds = |column: &&Column| match &column.data {
        ColumnData::Objects(sample) => sample.as_points().kind() == kind,
        ColumnData::Groups { .. } => matches!(kind, PointKind::Bags | PointKind::Diagrams),
        _ => false,
    };
    let mut found: Vec<&Column> = table.columns().iter().filter(holds).collect();
    if found.is_empty() && kind == PointKind::Strings {
        // Texts are read as categories.
        let is_text = |column: &&Column| matches!(column.data, ColumnData::Categories { .. });
        found = table.columns().iter().filter(is_text).collect();
    }
    match (&found[..], table.columns()) {
        ([only], _) => Ok(only.name.clone()),
        ([], [only]) => {
            let (what, takes) = (kernel.to_string(), kind.to_string());
            Err(Error::WrongPoints { what, takes, column: Some(only.name.clone()), holds: held(only) })
        }
        ([], columns) if columns.iter().all(|column| matches!(column.data, ColumnData::Numbers(_))) => {
            Err(Error::wrong_points(kernel, kind, PointKind::Vectors))
        }
        ([], columns) => {
            let of = |column: &Column| format!("`{}` {}", column.name, held(column));
            let list = columns.iter().map(of).collect::<Vec<_>>().join(", ");
            Err(Error::wrong_points(kernel, kind, format!("columns of a table: {list}")))
        }
        (several, _) => {
            let expected = format!("1 of {kind}, which {kernel} takes (choose it, or write on([column], …))");
            Err(Error::shape("columns of the table", expected, several.len()))
        }
    }
}

/// Whether the values of a column of categories are texts: mostly distinct, mostly of several words.
fn is_text(column: &Column) -> bool {
    let ColumnData::Categories { levels, .. } = &column.data else { return false };
    let several = levels.iter().filter(|level| level.split_whitespace().nth(1).is_some()).count();
    is_mostly_distinct(column) && 2 * several >= levels.len()
}

/// Whether a column of categories names the rows: its values are all different, or most of them.
fn is_identifier(column: &Column) -> bool {
    let all_distinct = match &column.data {
        ColumnData::Categories { codes, levels } => levels.len() == codes.len(),
        _ => false,
    };
    all_distinct || is_mostly_distinct(column)
}

/// Whether at least half of the values of a column of categories are distinct, and it has more than
/// a few.
fn is_mostly_distinct(column: &Column) -> bool {
    let ColumnData::Categories { codes, levels } = &column.data else { return false };
    let present = codes.iter().flatten().count();
    levels.len() > FEW && 2 * levels.len() >= present
}

/// Levels up to which a column of texts is one of categories, however many rows there are.
const FEW: usize = 8;
