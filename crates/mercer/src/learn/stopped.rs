//! The reason why a solver stopped, as stored in files.

use crate::solve::Stopped;
use crate::{Error, Result};

/// The word for a reason.
pub(super) fn word(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Converged => "converged",
        Stopped::StepLimit => "step_limit",
        Stopped::Canceled => "canceled",
        Stopped::Stalled => "stalled",
    }
}

/// The words for several reasons, with commas.
pub(super) fn words(all: impl Iterator<Item = Stopped>) -> String {
    all.map(word).collect::<Vec<_>>().join(",")
}

/// The reasons that [`words`] wrote.
pub(super) fn read(text: &str, count: usize) -> Result<Vec<Stopped>> {
    let known = [Stopped::Converged, Stopped::StepLimit, Stopped::Canceled, Stopped::Stalled];
    let one = |name: &str| {
        let found = known.iter().copied().find(|&s| word(s) == name);
        found.ok_or_else(|| Error::parameter("stopped", name, "a reason that this version knows"))
    };
    let reasons: Vec<Stopped> = text.split(',').map(one).collect::<Result<_>>()?;
    if reasons.len() == count { Ok(reasons) } else { Err(Error::shape("reasons in `stopped`", count, reasons.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_come_back() {
        let all = [Stopped::Stalled, Stopped::Converged, Stopped::StepLimit, Stopped::Canceled];
        assert_eq!(read(&words(all.into_iter()), 4).unwrap(), all);
        assert!(read("converged", 2).is_err() && read("tired", 1).is_err());
    }
}
