//! Kernel k-means: clusters around means in ℋ.
