//! Words of a command line.

use mercer::points::{Missing, Scaling};

use crate::lab::data::Dataset;
use crate::lab::training::Choice;

/// A word as a shell reads it back.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./,=:".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The flags of columns and missing values. A target that is not an input is left out by `--drop`, where the command
/// has no flag for it.
pub fn data_flags(choice: &Choice, set: &Dataset, has_drop: bool) -> String {
    let mut flags = String::new();
    match (&choice.inputs, &choice.target) {
        (Some(names), target) => {
            let kept: Vec<&str> =
                names.iter().filter(|name| Some(*name) != target.as_ref()).map(String::as_str).collect();
            flags.push_str(&format!(" --columns {}", quoted(&kept.join(","))));
        }
        (None, Some(target)) if has_drop => flags.push_str(&format!(" --drop {}", quoted(target))),
        (None, Some(target)) => {
            let others: Vec<&str> = features(set).into_iter().filter(|name| name != target).collect();
            flags.push_str(&format!(" --columns {}", quoted(&others.join(","))));
        }
        (None, None) => {}
    }
    flags.push_str(gaps(choice));
    flags
}

/// The columns that are not the label of the format.
pub fn features(set: &Dataset) -> Vec<&str> {
    (0..set.table.columns().len())
        .filter(|&c| set.table.is_feature(c))
        .map(|c| set.table.columns()[c].name.as_str())
        .collect()
}

/// The flag of missing values.
pub fn gaps(choice: &Choice) -> &'static str {
    match choice.missing {
        Some(Missing::DropRows) => " --missing drop",
        Some(Missing::Mean) => " --missing mean",
        Some(Missing::Zero) => " --missing zero",
        _ => "",
    }
}

/// The flag of scaling of commands on tables.
pub fn table_scale(choice: &Choice) -> &'static str {
    match choice.scaling {
        Scaling::None => "",
        Scaling::Standardize => " --scale standardize",
        Scaling::UnitInterval => " --scale unit",
    }
}

/// The flag of scaling of fits and views.
pub fn fit_scale(choice: &Choice) -> &'static str {
    match choice.scaling {
        Scaling::None => " --scale none",
        Scaling::Standardize => " --scale standard",
        Scaling::UnitInterval => " --scale unit",
    }
}

/// The file that a group of rows is exported to.
pub fn group_file(by: &str, value: &str) -> String {
    let plain = |text: &str| {
        let kept = text.chars().map(|c| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' });
        kept.collect::<String>()
    };
    format!("{}-{}.csv", plain(by), plain(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back_by_a_shell() {
        assert_eq!(quoted("a,b"), "a,b");
        assert_eq!(quoted("2*gaussian()"), "'2*gaussian()'");
        assert_eq!(quoted("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(quoted(""), "''");
        assert_eq!(group_file("a b", "x/y"), "a_b-x_y.csv");
    }
}
