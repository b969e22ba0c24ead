//! Escaping of control characters: names of files and columns may contain terminal commands.

use std::borrow::Cow;

/// Whether a terminal takes the character for a command, or shows the text around it in another
/// order: control characters but for line breaks and tabs, line separators, marks of direction.
pub fn is_command(c: char) -> bool {
    let shown = matches!(c, '\n' | '\t');
    let direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && !shown) || direction || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The text with such characters written out: `\u{1b}[31m`.
pub fn clean(text: &str) -> Cow<'_, str> {
    escaped(text, is_command)
}

/// The same for text that must stay in one line.
pub fn clean_line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_command(c) || matches!(c, '\n' | '\t'))
}

fn escaped(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_bad(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_written_out_and_everything_else_stays() {
        let plain = "k(x, y) = ⟨x, y⟩\n\tℓ = 1, Ω, 日本, é";
        assert!(matches!(clean(plain), Cow::Borrowed(text) if text == plain));
        assert_eq!(
            clean("a\u{1b}[31mb\rc\u{9b}2J\u{7}\u{202e}\u{7f}"),
            "a\\u{1b}[31mb\\rc\\u{9b}2J\\u{7}\\u{202e}\\u{7f}"
        );
        assert_eq!(clean_line("two\nlines"), "two\\nlines");
    }
}
