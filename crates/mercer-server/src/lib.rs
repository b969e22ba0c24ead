//! The HTTP side of Mercer.
//!
//! - [`http`]: a listener for pages and programs on this computer. It binds to loopback unless a
//!   token is given, checks `Host`, `Origin`, content types and tokens, limits sizes, rows, times,
//!   jobs and connections, and logs one JSON line per request.
//! - [`serve`]: the prediction server on top of it.
//!
//! No mathematics: predictions and tests come from the library `mercer`.

pub mod http;
pub mod lab;
pub mod serve;
