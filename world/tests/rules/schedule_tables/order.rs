//! Ordering by access: systems in; the order they are brought in, the circles in it, and how they run and publish then.

use super::held::Row;

#[track_caller]
fn check(
    systems: &'static str,
    order: &'static str,
    circles: &'static [&'static str],
    batches: &'static str,
    waits: &'static str,
    publishes: &'static str,
) {
    Row { systems, order: Some((order, circles)), batches, waits, publishes }.check();
}

#[test]
fn a_writer_runs_after_the_readers_of_what_it_writes() {
    check("a w:place\n b r:place", "b a", &[], "b | a", "b a: read/write", "");
    check("a w:place\n b q:place", "b a", &[], "b | a", "b a: read/write", "");
    check("a w:place\n b q:speed,?place", "b a", &[], "b | a", "b a: read/write", "");
    check("a w:place\n b q:speed,!place", "b a", &[], "b | a", "b a: read/write", "");
    check(
        "a w:health r:speed\n b w:speed r:place\n c r:health",
        "c a b",
        &[],
        "c | a | b",
        "c a: read/write\n a b: read/write",
        "",
    );
}

#[test]
fn additions_and_removals_are_writes_and_creations_are_none() {
    check("a +:place\n b q:place", "b a", &[], "b | a", "b a: read/write", "");
    check("a -:place\n b r:place", "b a", &[], "b | a", "b a: read/write", "");
    check("a c:place\n b q:place", "a b", &[], "a | b", "a b: creation seen", "");
}

#[test]
fn whom_no_reader_of_what_it_writes_waits_for_stays_where_it_is() {
    check("a w:place\n b w:speed\n c w:health", "a b c", &[], "a b c", "", "");
    check("a w:place\n b w:place", "a b", &[], "a | b", "a b: write/write", "");
    // One that writes what it reads is no reader of it: one sentence says all.
    check("a w:place\n b w:place r:place", "a b", &[], "a | b", "a b: write/write", "");
}

#[test]
fn one_takes_the_first_place_that_its_readers_leave() {
    check(
        "a w:place\n b w:speed\n c r:place\n d w:health",
        "b c a d",
        &[],
        "b c d | a",
        "c a: read/write",
        "",
    );
}

#[test]
fn creations_and_kills_are_published_in_the_order_by_access() {
    check("a c:place w:health\n b c:speed r:health", "b a", &[], "b | a", "b a: read/write", "");
    check("a w:place\n b r:place\n c kills", "b a c", &[], "b c | a", "b a: read/write", "b c, a c");
}

#[test]
fn a_circle_is_broken_at_the_lowest_score_and_of_equals_at_the_first() {
    check(
        "a r:place w:speed\n b r:speed w:place",
        "a b",
        &["`a`, `b` wait for each other in a circle; `a` begins, although what it writes is read by `b`"],
        "a | b",
        "a b: write/read, read/write",
        "",
    );
    // Two that are written count more than one.
    check(
        "a r:place w:speed,health\n b r:speed w:place",
        "b a",
        &["`a`, `b` wait for each other in a circle; `b` begins, although what it writes is read by `a`"],
        "b | a",
        "b a: write/read, read/write",
        "",
    );
    // One that is created counts more than one that is written.
    check(
        "a r:place w:speed c:health\n b r:speed w:place,health",
        "b a",
        &["`a`, `b` wait for each other in a circle; `b` begins, although what it writes is read by `a`"],
        "b | a",
        "b a: write/read, read/write",
        "",
    );
    // Two that wait for it count more than one.
    check(
        "a r:place w:speed\n b r:speed w:health\n c r:health,speed w:place",
        "b a c",
        &[
            "`a`, `b`, `c` wait for each other in a circle; `b` begins, although what it writes is read by `c`",
            "`a`, `c` wait for each other in a circle; `a` begins, although what it writes is read by `c`",
        ],
        "b | a | c",
        "b a: read/write\n b c: write/read\n a c: write/read, read/write",
        "",
    );
}
