//! Words and numbers in messages and texts: the nearest known name, and numbers that read back
//! exactly.

/// The known name closest to `word`, if one is close enough to be meant.
pub(crate) fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let allowed = (word.chars().count() / 3).max(2);
    names
        .into_iter()
        .map(|name| (distance(&word.to_lowercase(), &name.to_lowercase()), name))
        .filter(|&(distance, name)| distance <= allowed || (word.len() >= 3 && name.starts_with(word)))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// Edit distance with swaps of neighbors (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
    for (i, row) in table.iter_mut().enumerate() {
        row[0] = i;
    }
    table[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replace = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(table[i - 2][j - 2] + 1);
            }
            table[i][j] = best;
        }
    }
    table[a.len()][b.len()]
}

/// A number printed so that it reads back exactly: `2`, `0.5`, `1e300`.
pub(crate) fn number_text(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value:.0}") } else { format!("{value:?}") }
}

/// A list of numbers: `[1, 0.5]`.
pub(crate) fn list_text(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(|&v| number_text(v)).collect::<Vec<_>>().join(", "))
}

/// A text in quotation marks that reads back exactly.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str(r"\n"),
            '\r' => quoted.push_str(r"\r"),
            '\t' => quoted.push_str(r"\t"),
            control if control.is_control() => quoted.push_str(&format!(r"\u{{{:x}}}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A number of things, in words.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_names_find_their_neighbor() {
        let names = ["gaussian", "laplacian", "linear", "sinc"];
        assert_eq!(nearest("gausian", names), Some("gaussian"));
        assert_eq!(nearest("guassian", names), Some("gaussian"));
        assert_eq!(nearest("lapl", names), Some("laplacian"));
        assert_eq!(nearest("xyzzy", names), None);
    }

    #[test]
    fn columns_are_found_whatever_their_case() {
        let names = ["sepal_length", "sepal_width", "Target"];
        assert_eq!(nearest("sepal_lenght", names), Some("sepal_length"));
        assert_eq!(nearest("target", names), Some("Target"));
        assert_eq!(nearest("ozone", names), None);
    }

    #[test]
    fn distances_count_edits_and_swaps() {
        assert_eq!(distance("abc", "acb"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
