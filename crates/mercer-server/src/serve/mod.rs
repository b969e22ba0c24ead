//! The prediction server.
