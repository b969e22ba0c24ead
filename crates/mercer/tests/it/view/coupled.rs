//! Coupled kernel embedding: two modes of the same objects in one space.
