//! The query language of entity lists, the journal, watches and assertions.
//!
//! ```text
//! class:actor with:velocity not with:frozen health.health < 10
//! ```
//!
//! | term | holds for an entity |
//! |---|---|
//! | *nothing at all* | always |
//! | `type:oak` `class:tree` | of this type, of this class; `type:""` of none |
//! | `with:velocity` `without:velocity` | that has, that lacks the component |
//! | `id:42v3` `id:42` `id:#17` | with this id, in this slot, with this creation number |
//! | `static` `dead` | that is static, that is dead |
//! | `changed:5t` | of which anything was written in the last 5 ticks |
//! | `oak` `"oak tree"` | whose type or id holds this text; `#17` is `id:#17` |
//! | `health.health < 10` | for which the comparison is true |
//! | `body.solid` | whose field is not 0, not empty, not none |
//!
//! Comparisons are `<` `<=` `=` `!=` `>=` `>` (also `==` `≤` `≥` `≠`) between numbers, texts and fields, with
//! `+` `-` `*` `/` (also `−` `×` `÷`), a leading minus and parentheses. Texts and entities know `=` and `!=` only.
//! A word beside a number field may be `true` or `false`, beside a colour `#rrggbb` or `#rrggbbaa`, beside an
//! entity `#17` or `none`. Numbers are doubles: integers above 2^53 are rounded before they are compared.
//!
//! Terms that follow each other must all hold; `and` says the same. `or` binds weaker than that, `not` stronger,
//! comparisons strongest; parentheses group.
//!
//! - **A comparison that reads a component the entity lacks is false**, whatever the operator; `not` of it is
//!   therefore true. Only a field that is not a number is unequal to itself.
//! - **Case**: the words of the language are lower case. Types, classes, components and fields are written as the
//!   scene writes them (a fault suggests the right spelling). Bare words ignore case. Texts are compared exactly.
//! - **Quotes**: `"…"` holds names and texts with blanks or signs, with `\"` and `\\` for the two characters
//!   themselves: `type:"oak tree"`, `"my part".field`. A quoted word is never a word of the language.
//! - **Minus**: a hyphen inside a word belongs to it (`oak-tree`), so a minus stands between blanks.
//!
//! Assertions compare totals over entities, and join the comparisons with `and`, `or`, `not` and parentheses:
//!
//! | total | is |
//! |---|---|
//! | `count(q)` `count()` | how many entities match, how many there are |
//! | `sum` `avg` `min` `max` `(component.field where q)` | of the entities that match and have the field; `where q` may be left out |
//! | `none(q)` | true if no entity matches |
//! | `all(q : expression)` | true if the expression holds for every entity that matches |
//!
//! ```text
//! text ─ token ─▶ tokens ─ parse, term ─▶ tree ─┬ compile ──▶ Filter ───▶ evaluate: does it match a Subject?
//!                                      Names ──┴ aggregate ▶ Assertion ▶ Tally: does it hold for them all?
//! ```

mod aggregate;
mod compile;
mod complete;
mod evaluate;
mod names;
mod needs;
mod parse;
mod term;
mod token;
mod tree;

pub use aggregate::{Assertion, Outcome, Tally, Total};
pub use compile::Filter;
pub use complete::{Candidate, CandidateKind, Completion, Language, complete};
pub use evaluate::{Subject, SubjectValue};
pub use names::Names;
pub use token::FilterFault;

#[cfg(test)]
mod fixture;
