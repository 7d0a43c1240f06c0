//! Statements that may or may not run.
//!
//! A branch under an undecided condition is walked all the same, to learn which names it would set: a
//! name that is known keeps its value, another becomes unknown. In a loop without a fixed list nothing
//! is kept, since what it assigns is surely not what stood there before.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::machine::Machine;
use super::statements::Flow;
use crate::config::Undecided;
use crate::unknown::{Cause, Unknown};

pub(super) struct Speculation {
    /// What the names become.
    pub(super) outcome: Unknown,
    /// Whether known names keep their value.
    pub(super) keeps: bool,
    /// What the condition depends on.
    why: Unknown,
    names: BTreeSet<String>,
}

const MAX_NAMES: usize = 100;
/// Beyond this many, one more doubt changes nothing: each of them already covers what follows.
const MAX_OPEN: usize = 500;
const MAX_RECORDS: usize = 200;

impl Machine<'_> {
    /// Walks statements under a condition that `why` keeps from being decided.
    pub(super) fn speculate(&mut self, line: u32, why: Unknown, walk: impl FnOnce(&mut Self) -> Flow) {
        let outcome = self.why(Cause::Condition(line), line);
        self.walk_doubtfully(Speculation { outcome, keeps: true, why, names: BTreeSet::new() }, walk);
    }

    /// Walks the body of a loop once; what it assigns is unknown afterwards.
    pub(super) fn walk_loop(&mut self, line: u32, walk: impl FnOnce(&mut Self) -> Flow) {
        let outcome = self.why(Cause::Construct("a loop"), line);
        let why = outcome.clone();
        self.walk_doubtfully(Speculation { outcome, keeps: false, why, names: BTreeSet::new() }, walk);
    }

    fn walk_doubtfully(&mut self, speculation: Speculation, walk: impl FnOnce(&mut Self) -> Flow) {
        let base = self.speculations.len();
        let (outcome, why) = (speculation.outcome.clone(), speculation.why.clone());
        self.speculations.push(speculation);
        let flow = walk(self);
        self.end_speculations(base);
        if matches!(flow, Flow::Next) {
            return;
        }
        // The branch may leave the file, function or loop: what follows in the frame is in doubt, too.
        if self.speculations.len() < MAX_OPEN {
            let rest = Speculation { outcome: outcome.clone(), keeps: true, why, names: BTreeSet::new() };
            self.speculations.push(rest);
        }
        if let (Flow::Return(_), Some(frame)) = (flow, self.frames.last_mut()) {
            frame.may_return.get_or_insert(outcome);
        }
    }

    /// Closes speculations down to `base` and lists those that matter.
    pub(super) fn end_speculations(&mut self, base: usize) {
        while self.speculations.len() > base {
            let Some(done) = self.speculations.pop() else { return };
            if done.names.is_empty() || self.config.undecided.len() >= MAX_RECORDS {
                continue;
            }
            let names: Vec<String> = done.names.into_iter().collect();
            let (file, line) = (Arc::from(done.outcome.file()), done.outcome.line());
            match self.config.undecided.iter_mut().find(|record| record.line == line && record.file == file) {
                Some(record) => {
                    let known: BTreeSet<String> = record.names.drain(..).chain(names).collect();
                    record.names = known.into_iter().take(MAX_NAMES).collect();
                }
                None => self.config.undecided.push(Undecided { file, line, why: done.why, names }),
            }
        }
    }

    pub(super) fn is_speculating(&self) -> bool {
        !self.speculations.is_empty()
    }

    /// What an assignment to `name` comes to when it may not happen: the value to store when there is
    /// none, and whether a known one stays. Nothing when the assignment is certain.
    pub(super) fn doubt(&mut self, name: &str) -> Option<(Unknown, bool)> {
        let certain_loss = self.speculations.iter().find(|speculation| !speculation.keeps);
        let outcome = match (certain_loss, self.speculations.last()) {
            (Some(lost), _) => (lost.outcome.clone(), false),
            (None, Some(last)) => (last.outcome.clone(), true),
            (None, None) => return None,
        };
        if let Some(last) = self.speculations.last_mut()
            && last.names.len() < MAX_NAMES
        {
            last.names.insert(name.to_owned());
        }
        Some(outcome)
    }
}
