//! Several owners, one result: protocols that compute over records no owner shows to another.
#![forbid(unsafe_code)]
