//! What threads share without locks, tried in every order that threads can run in.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p vivarium-world --release --lib loom`

use crate::component::{ListItem, Lists};
use crate::id::EntityId;
use crate::memory::{Claims, ReservedIds, Slots};
use crate::random::{SharedStream, Stream};
use crate::sync::{AtomicUsize, Ordering};
use crate::system::{AtMember, Ended, Gathered, Room};
use ::loom::thread;
use std::sync::Arc;

fn all_different<T: Ord + Copy>(mut all: Vec<T>) -> bool {
    all.sort_unstable();
    all.windows(2).all(|pair| pair[0] != pair[1])
}

#[test]
fn a_lookup_beside_a_removal_finds_the_row_or_nothing_and_never_the_successor() {
    ::loom::model(|| {
        let mut slots = Slots::default();
        let old = slots.reserve();
        slots.bind(old, 7);
        let table = slots.table().clone();
        let run = thread::spawn(move || [table.row(old), table.row(old)]);
        slots.release(old);
        let new = slots.reserve();
        assert_eq!(new.slot(), old.slot());
        slots.bind(new, 9);
        let [first, second] = run.join().unwrap();
        assert!([None, Some(7)].contains(&first) && [None, Some(7)].contains(&second));
        assert!(first.is_some() || second.is_none(), "what is gone stays gone");
        assert_eq!((slots.row(old), slots.row(new)), (None, Some(9)));
    });
}

#[test]
fn a_lookup_goes_on_in_the_table_of_its_run_while_the_world_grows_a_longer_one() {
    ::loom::model(|| {
        let mut slots = Slots::default();
        let id = slots.reserve();
        slots.bind(id, 7);
        let table = slots.table().clone();
        let run = thread::spawn(move || table.row(id));
        slots.bind(EntityId::new(64, 1), 8);
        assert_eq!(run.join().unwrap(), Some(7));
        assert_eq!((slots.row(id), slots.row(EntityId::new(64, 1))), (Some(7), Some(8)));
    });
}

#[test]
fn ids_reserved_by_runs_and_the_world_at_once_are_all_different() {
    ::loom::model(|| {
        let mut slots = Slots::default();
        let take = |mut ids: ReservedIds| thread::spawn(move || [ids.take(), ids.take()]);
        let runs = [take(slots.lend(1)), take(slots.lend(0))];
        let mut all = vec![slots.reserve(), slots.reserve()];
        runs.into_iter().for_each(|run| all.extend(run.join().unwrap()));
        assert!(all_different(all.iter().map(|id| id.bits()).collect()));
    });
}

#[test]
fn each_part_is_claimed_by_one_thread() {
    ::loom::model(|| {
        let claims = Arc::new(Claims::new(3));
        let take = |claims: Arc<Claims>| {
            thread::spawn(move || std::iter::from_fn(|| claims.claim()).collect::<Vec<_>>())
        };
        let threads = [take(claims.clone()), take(claims.clone())];
        let mut all: Vec<usize> = std::iter::from_fn(|| claims.claim()).collect();
        threads.into_iter().for_each(|thread| all.extend(thread.join().unwrap()));
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2]);
    });
}

#[test]
fn no_position_of_the_shared_stream_is_drawn_twice() {
    ::loom::model(|| {
        let shared = Arc::new(SharedStream::new(5));
        let draw = |shared: Arc<SharedStream>| thread::spawn(move || shared.uint32());
        let threads = [draw(shared.clone()), draw(shared.clone())];
        let pair = shared.next();
        let mut drawn = threads.map(|thread| thread.join().unwrap());
        drawn.sort_unstable();
        let mut alone = Stream::new(5);
        let words = [0; 4].map(|_| alone.uint32());
        // The pair lies before, between or behind the two words.
        let possible = [0, 1, 2].map(|at: usize| {
            let mut stream = Stream::new(5);
            (0..at).for_each(|_| _ = stream.uint32());
            let mut others: Vec<u32> =
                (0..4).filter(|k| !(at..at + 2).contains(k)).map(|k| words[k]).collect();
            others.sort_unstable();
            (stream.next(), others)
        });
        assert!(possible.contains(&(pair, drawn.to_vec())));
        assert_eq!(shared.state().position, 4);
    });
}

#[test]
fn lists_made_at_once_have_different_numbers() {
    ::loom::model(|| {
        let lists = Arc::new(Lists::default());
        let make =
            |lists: Arc<Lists>, n: u64| thread::spawn(move || lists.create([ListItem::Uint(n)]).unwrap());
        let threads = [make(lists.clone(), 1), make(lists.clone(), 2)];
        let made = threads.map(|thread| thread.join().unwrap());
        assert_ne!(made[0], made[1]);
        let items = made.map(|list| lists.get(list, 0).unwrap());
        assert_eq!(items, [ListItem::Uint(1), ListItem::Uint(2)]);
    });
}

/// Whoever claims a tile writes its rows and asks for effects. The rows are read and written without any order of their
/// own: a thread that is not ordered after another may find what was there before.
#[test]
fn each_tile_is_done_by_one_thread_and_all_it_wrote_is_seen_by_whoever_takes_the_job_back() {
    const TILES: usize = 3;
    ::loom::model(|| {
        let claims = Arc::new(Claims::new(TILES));
        let rows: Arc<Vec<AtomicUsize>> = Arc::new((0..TILES).map(|_| AtomicUsize::new(0)).collect());
        let done = Arc::new(Gathered::new());
        let work = {
            let (claims, rows, done) = (claims.clone(), rows.clone(), done.clone());
            move || {
                while let Some(tile) = claims.claim() {
                    let before = rows[tile].load(Ordering::Relaxed);
                    rows[tile].store(before + tile + 1, Ordering::Relaxed);
                    done.put((tile, before));
                }
            }
        };
        let helper = thread::spawn(work.clone());
        work();
        drop(work);
        helper.join().unwrap();
        let rows: Vec<usize> = rows.iter().map(|row| row.load(Ordering::Relaxed)).collect();
        assert_eq!(rows, [1, 2, 3], "all of it is seen");
        let done = Arc::into_inner(done).unwrap().in_order(|&(tile, _)| tile);
        assert_eq!(done, [(0, 0), (1, 0), (2, 0)], "none is lost, none is done twice");
    });
}

#[test]
fn whether_threads_together_ask_for_too_much_does_not_depend_on_who_asks_first() {
    ::loom::model(|| {
        let room = Arc::new(Room::new(3));
        // Each part asks for two, as far as it has room.
        let ask = |room: Arc<Room>| {
            thread::spawn(move || {
                let here = room.left();
                room.take(here.min(2));
                here < 2
            })
        };
        let threads = [ask(room.clone()), ask(room.clone())];
        let cut_short = threads.map(|thread| thread.join().unwrap());
        let (left, too_much) = Arc::into_inner(room).unwrap().close();
        assert_eq!(left, 0);
        assert!(too_much || cut_short.contains(&true), "four are more than three");
        assert_ne!(too_much, cut_short.contains(&true));
    });
}

#[test]
fn why_a_run_ended_is_known_to_whoever_takes_it_back_whoever_looked_meanwhile() {
    ::loom::model(|| {
        let ended = Arc::new(Ended::new(2));
        let panics = {
            let ended = ended.clone();
            thread::spawn(move || ended.end(1, "it fell"))
        };
        let goes_on = !ended.is_over(1);
        assert!(!ended.is_over(0), "the other run goes on");
        panics.join().unwrap();
        assert!(ended.is_over(1), "what is over stays over, whether it went on meanwhile ({goes_on}) or not");
        assert_eq!(Arc::into_inner(ended).unwrap().close(), [None, Some("it fell")]);
    });
}

#[test]
fn whoever_looks_which_run_a_thread_is_at_finds_one_of_the_job_or_none() {
    ::loom::model(|| {
        let at_member = Arc::new(AtMember::new(2));
        let work = |at_member: Arc<AtMember>, thread: usize| {
            thread::spawn(move || {
                at_member.begin(thread, 0);
                at_member.begin(thread, 1);
                at_member.end(thread);
            })
        };
        let threads = [work(at_member.clone(), 0), work(at_member.clone(), 1)];
        let seen = at_member.runs();
        assert!([&[][..], &[0], &[1], &[0, 1]].contains(&seen.as_slice()), "{seen:?}");
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(at_member.runs(), [0_usize; 0]);
    });
}
