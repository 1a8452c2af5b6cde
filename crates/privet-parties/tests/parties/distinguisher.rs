//! What a party sees must not depend on inputs that lead to the same result: views of two inputs are compared bit by bit.
//!
//! A view is the messages that a party receives, and two kinds of features that follow from them: relations between blocks (which 8-byte and
//! 32-byte blocks are equal, wherever they stand, and which of two neighbours is larger), and what a protocol's curious party computes with its
//! own keys (where in the other's list the common items stand). Relations find what no bit by itself shows: an order that was kept, a mask that
//! was used twice.
//!
//! Per bit of the first bytes of every message and of every feature, the shares of ones in two samples are compared. False alarms: a bit whose
//! share is the same is more than 7 standard deviations off in fewer than one of 3·10^11 comparisons (with the half count of both samples as
//! variance); with at most 1.5·10^5 bits, fewer than one of 10^6 comparisons of two samples fails without a reason. Broken protocols must be found, one for
//! each kind of evidence, so the test can fail.

mod curious;
mod protocols;
mod views;
