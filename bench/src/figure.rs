//! Figures, and the two ways to print them.

use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;
use serde_json::json;

/// One figure of ours beside that of a peer.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    what: String,
    peer_is: String,
    unit: Unit,
    ours: f64,
    peer: f64,
    ratio: Option<f64>,
    difference: f64,
    /// The largest ratio that was aimed for.
    goal: Option<f64>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Nanoseconds,
    Kibibytes,
    Statements,
}

/// All figures of a run, in the order in which they were taken.
#[derive(Debug, Default)]
pub(crate) struct Figures(Vec<Figure>);

impl Figures {
    pub(crate) fn time(
        &mut self,
        what: impl Into<String>,
        peer_is: &str,
        ours: Duration,
        peer: Duration,
        goal: Option<f64>,
    ) {
        let nanoseconds = |time: Duration| time.as_secs_f64() * 1e9;
        self.add(what, peer_is, Unit::Nanoseconds, nanoseconds(ours), nanoseconds(peer), goal);
    }

    pub(crate) fn memory(
        &mut self,
        what: impl Into<String>,
        peer_is: &str,
        ours: u32,
        peer: u32,
        goal: Option<f64>,
    ) {
        self.add(what, peer_is, Unit::Kibibytes, f64::from(ours), f64::from(peer), goal);
    }

    pub(crate) fn statements(&mut self, what: impl Into<String>, peer_is: &str, ours: u32, peer: u32) {
        self.add(what, peer_is, Unit::Statements, f64::from(ours), f64::from(peer), Some(1.0));
    }

    fn add(
        &mut self,
        what: impl Into<String>,
        peer_is: &str,
        unit: Unit,
        ours: f64,
        peer: f64,
        goal: Option<f64>,
    ) {
        self.0.push(Figure {
            what: what.into(),
            peer_is: peer_is.to_owned(),
            unit,
            ours,
            peer,
            ratio: (peer > 0.0).then(|| ours / peer),
            difference: ours - peer,
            goal,
        });
    }

    /// One JSON document.
    pub(crate) fn json(&self) -> String {
        format!("{:#}\n", json!({"figures": self.0}))
    }

    /// Aligned columns.
    pub(crate) fn table(&self) -> String {
        let mut lines = vec![["what", "ours", "peer", "ratio", "goal", "peer is"].map(str::to_owned)];
        lines.extend(self.0.iter().map(|figure| {
            [
                figure.what.clone(),
                shown(figure.ours, figure.unit),
                shown(figure.peer, figure.unit),
                figure.ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
                figure.goal.map_or_else(|| "-".to_owned(), |goal| format!("{goal:.2}")),
                figure.peer_is.clone(),
            ]
        }));
        let mut widths = [0; 6];
        for line in &lines {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let [what, ours, peer, ratio, goal, _] = widths;
        let mut table = String::new();
        for [a, b, c, d, e, f] in &lines {
            // Writing to a text cannot fail.
            let _ = writeln!(table, "{a:what$}  {b:>ours$}  {c:>peer$}  {d:>ratio$}  {e:>goal$}  {f}");
        }
        table
    }
}

fn shown(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Nanoseconds if value < 1e3 => format!("{value:.0} ns"),
        Unit::Nanoseconds if value < 1e6 => format!("{:.2} µs", value / 1e3),
        Unit::Nanoseconds => format!("{:.2} ms", value / 1e6),
        Unit::Kibibytes => format!("{:.1} MiB", value / 1024.0),
        Unit::Statements => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_units_fit_the_size() {
        let mut figures = Figures::default();
        figures.time("a", "b", Duration::from_nanos(1500), Duration::from_nanos(500), None);
        figures.memory("memory", "another", 2048, 1024, Some(2.0));
        figures.statements("statements", "ten", 6, 0);
        assert_eq!(
            figures.table(),
            "what           ours     peer  ratio  goal  peer is\n\
             a           1.50 µs   500 ns   3.00     -  b\n\
             memory      2.0 MiB  1.0 MiB   2.00  2.00  another\n\
             statements        6        0      -  1.00  ten\n"
        );
    }

    #[test]
    fn the_document_has_plain_numbers() {
        let mut figures = Figures::default();
        figures.time("a", "b", Duration::from_nanos(1500), Duration::from_nanos(500), Some(2.0));
        let document: serde_json::Value = serde_json::from_str(&figures.json()).unwrap();
        let figure = &document["figures"][0];
        assert_eq!(figure["unit"], "nanoseconds");
        assert_eq!((figure["ours"].as_f64(), figure["difference"].as_f64()), (Some(1500.0), Some(1000.0)));
        assert_eq!((figure["ratio"].as_f64(), figure["goal"].as_f64()), (Some(3.0), Some(2.0)));
    }
}
