//! What the page is told when a request cannot be served.

use mercer::Error;
use serde_json::{Value, json};

/// A request that cannot be served: a status of HTTP, a message for people, and where it went wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The status of HTTP.
    pub status: u16,
    /// What is wrong, and what would be right.
    pub message: String,
    /// The position in the text of a kernel, counted in characters from 0.
    pub position: Option<usize>,
    /// The nearest known name, for a misspelled one.
    pub suggestion: Option<String>,
}

impl Refusal {
    /// The request is wrong.
    pub fn request(message: impl Into<String>) -> Self {
        Self::with_status(400, message)
    }

    /// What was asked for is not there.
    pub fn missing(message: impl Into<String>) -> Self {
        Self::with_status(404, message)
    }

    /// Too large.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self::with_status(413, message)
    }

    /// Too much at once.
    pub fn busy(message: impl Into<String>) -> Self {
        Self::with_status(429, message)
    }

    fn with_status(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), position: None, suggestion: None }
    }

    /// The body of the answer.
    pub fn json(&self) -> Value {
        json!({ "error": { "message": self.message, "position": self.position, "suggestion": self.suggestion } })
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match error {
            Error::Syntax(syntax) => Self {
                status: 400,
                message: syntax.message.clone(),
                position: Some(syntax.position),
                suggestion: syntax.suggestion.clone(),
            },
            Error::Memory { .. } => Self::with_status(413, error.to_string()),
            Error::Canceled => Self::with_status(409, "stopped before there was a result"),
            other => Self::with_status(400, other.to_string()),
        }
    }
}

/// What a handler gives.
pub type Answer = Result<Value, Refusal>;
