//! Errors in the text of a kernel.

/// Where the kernel text went wrong, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The whole text.
    pub text: String,
    /// Position of the offending character, counted in characters from 0.
    pub position: usize,
    /// What is wrong and what was expected.
    pub message: String,
    /// The nearest known name, for a misspelled one.
    pub suggestion: Option<String>,
}

impl SyntaxError {
    /// The message, the text, and a caret under the character.
    pub fn render(&self) -> String {
        let hint = self.suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean `{s}`?"));
        format!("{}{hint}\n  {}\n  {}^", self.message, self.text.replace(['\n', '\t'], " "), " ".repeat(self.position))
    }
}
