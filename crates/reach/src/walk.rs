//! Random schedules, for programs whose states are too many.
//!
//! When limits cut the search short, a few hundred random executions often still end in a blocked
//! state that most schedules reach. What they show is as certain as what the search finds, but their
//! traces are not the shortest.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rendez_evidence::{Control, Seen, alive};
use rendez_model::semantics::Move;
use rendez_model::state::State;

use crate::network::Network;
use crate::steps::Fate;

/// Steps of one walk at most.
const LENGTH: usize = 20_000;
/// So many walks are made at most.
const WALKS: usize = 400;

/// Walks at random until the time is over; calls `found` with the moves that lead to something.
pub fn walk(
    network: &mut Network,
    time: Duration,
    control: &Control,
    mut found: impl FnMut(&Network, &[Move], &State, Seen),
) {
    let started = Instant::now();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let start = network.start();
    let tasks = network.tables.tasks();
    for _ in 0..WALKS {
        let mut values = start.clone();
        let mut path: Vec<u32> = Vec::new();
        let stuck = loop {
            if started.elapsed() > time || control.stop.load(Ordering::Relaxed) {
                return;
            }
            if path.len() >= LENGTH {
                break false;
            }
            // A random task that can move, then a random one of its steps.
            let first = random.below(tasks);
            let mut taken = None;
            for task in (0..tasks).map(|k| (first + k) % tasks) {
                let range = match network.tables.known(task, |slot| values[slot]) {
                    Some(range) => range,
                    None => {
                        network.learn(task, &values);
                        network.tables.known(task, |slot| values[slot]).unwrap_or(0..0)
                    }
                };
                if !range.is_empty() {
                    taken = Some(range.start + random.below(range.len()) as u32);
                    break;
                }
            }
            let Some(number) = taken else { break true };
            path.push(number);
            let outcome = network.tables.outcomes[number as usize].clone();
            for seen in network.stories[number as usize].seen.clone() {
                let (moves, state) = so_far(network, &path, &values);
                found(network, &moves, &state, seen);
            }
            if outcome.fate != Fate::Followed {
                break false;
            }
            for (slot, value) in
                &network.tables.changes[outcome.changes.0 as usize..outcome.changes.1 as usize]
            {
                values[*slot as usize] = *value;
            }
        };
        if stuck {
            let (moves, state) = so_far(network, &path, &values);
            if state.tasks.iter().any(|t| alive(t.status)) {
                found(network, &moves, &state, Seen::Blocked);
            }
        }
    }
}

fn so_far(network: &Network, path: &[u32], values: &[u32]) -> (Vec<Move>, State) {
    (network.moves(path), network.slots.state(values.iter().copied()))
}

/// Marsaglia's xorshift: all that is needed here, and the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}
