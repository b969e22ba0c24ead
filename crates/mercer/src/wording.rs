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

/// The longest number that is shown with all its digits: those of a double with a sign, a point and
/// leading zeros.
const LONG_NUMBER: usize = 25;

/// A value in a message: numbers of hundreds of digits in scientific notation.
pub(crate) fn value_text(value: impl std::fmt::Display) -> String {
    let text = value.to_string();
    match text.parse::<f64>() {
        Ok(number) if text.len() > LONG_NUMBER => format!("{number:e}"),
        _ => text,
    }
}

/// The given number of significant digits, without trailing zeros; very large and very small numbers
/// in scientific notation.
///
/// # Example
/// ```
/// use mercer::wording::digits;
/// assert_eq!([digits(10.0, 3), digits(0.012345, 3), digits(1e-9, 3)], ["10", "0.0123", "1e-9"]);
/// ```
pub fn digits(x: f64, significant: usize) -> String {
    let size = x.abs();
    if x == 0.0 {
        return "0".into();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    if !(1e-4..1e7).contains(&size) {
        let text = format!("{x:.*e}", significant.saturating_sub(1));
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trim_zeros(mantissa));
    }
    let decimals = (significant as i32 - 1 - size.log10().floor() as i32).max(0) as usize;
    trim_zeros(&format!("{x:.decimals$}")).to_owned()
}

fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
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

/// Characters of a list beyond which it is shortened.
const LONG_LIST: usize = 200;
/// Items of a long list that are shown.
const SHOWN: usize = 3;

/// A text for people: of long lists in brackets the first items, and how many there are. A kernel with
/// the vocabulary of many texts has one of some 100 kB.
pub(crate) fn shortened(text: impl Into<String>) -> String {
    let text = text.into();
    if text.len() <= LONG_LIST {
        return text;
    }
    let (mut short, mut rest) = (String::new(), text.as_str());
    while let Some(start) = rest.find('[') {
        let list = List::read(&rest[start..]);
        short.push_str(&rest[..start]);
        match list {
            Some(list) if list.length > LONG_LIST && list.items > SHOWN => {
                short.push_str(&format!("{}, … {} in all]", &rest[start..start + list.shown], list.items));
                rest = &rest[start + list.length..];
            }
            Some(list) => {
                short.push_str(&rest[start..start + list.length]);
                rest = &rest[start + list.length..];
            }
            None => {
                short.push('[');
                rest = &rest[start + 1..];
            }
        }
    }
    short + rest
}

/// A list at the start of a text, in bytes.
struct List {
    length: usize,
    /// Up to the end of the first few items.
    shown: usize,
    items: usize,
}

impl List {
    /// The list that a text begins with; `None` where it has no end.
    fn read(text: &str) -> Option<Self> {
        let (mut depth, mut quoted, mut escaped) = (0, false, false);
        let (mut shown, mut items) = (0, 1);
        for (at, character) in text.char_indices() {
            match character {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                _ if quoted => {}
                '[' => depth += 1,
                ']' if depth == 1 => return Some(Self { length: at + 1, shown, items }),
                ']' => depth -= 1,
                ',' if depth == 1 => {
                    if items == SHOWN {
                        shown = at;
                    }
                    items += 1;
                }
                _ => {}
            }
        }
        None
    }
}

/// A number of things, in words.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_many_digits_are_short() {
        assert_eq!(value_text(-1e100), "-1e100");
        assert_eq!(value_text(f64::MIN_POSITIVE), "2.2250738585072014e-308");
        assert_eq!(
            [value_text(0.1), value_text(-1e15), value_text("a text of more than twenty-five")],
            ["0.1", "-1000000000000000", "a text of more than twenty-five"]
        );
    }

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

    #[test]
    fn long_lists_are_shortened() {
        let words: Vec<String> = (0..500).map(|i| quoted(&format!("w,]{i}"))).collect();
        let numbers = vec!["1"; 500].join(", ");
        let text = format!("2*words(words=[{}], counts=[{numbers}]) + on([0, 1], linear())", words.join(", "));
        let short = "2*words(words=[\"w,]0\", \"w,]1\", \"w,]2\", … 500 in all], counts=[1, 1, 1, … 500 in all]) + on([0, 1], linear())";
        assert_eq!(shortened(text.as_str()), short);
        // Nothing is lost of what is short, or no list at all.
        let points = format!("induced(linear(), at=[{}])", vec!["[0, 1]"; 100].join(", "));
        assert_eq!(shortened(points), "induced(linear(), at=[[0, 1], [0, 1], [0, 1], … 100 in all])");
        for text in [format!("[{}", "1, ".repeat(300)), "x".repeat(1000), format!("] [1] {}", "y".repeat(300))] {
            assert_eq!(shortened(text.as_str()), text);
        }
    }
}
