//! From the start of a process to its list of tools, beside the barest server on the same SDK.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::client::{self, Client};
use crate::error::BenchError;
use crate::figure::Figures;
use crate::samples::Samples;

const RUNS: usize = 30;

pub(crate) fn measure(
    figures: &mut Figures,
    siteclaw: &Path,
    bare: &Path,
    site: &Path,
) -> Result<(), BenchError> {
    let arguments = ["--site".as_ref(), site, "mcp".as_ref()];
    let (mut ours, mut peer) = (Samples::default(), Samples::default());
    for round in 0..=RUNS {
        let (took, tools) = timed(siteclaw, &arguments)?;
        if tools < 2 {
            return Err(BenchError::new("asking for the tools", "the demo shop offers none"));
        }
        let (bare_took, _) = timed(bare, &[])?;
        // The first round brings both files into the page cache.
        if round > 0 {
            ours.add(took);
            peer.add(bare_took);
        }
    }
    figures.time("start: to tools/list over stdio", "a bare server", ours.median(), peer.median(), Some(2.0));
    Ok(())
}

fn timed(program: &Path, arguments: &[&Path]) -> Result<(Duration, usize), BenchError> {
    let began = Instant::now();
    let mut client = Client::spawn(program, arguments)?;
    let line = client.list_tools()?;
    let took = began.elapsed();
    Ok((took, client::tools(&line)?))
}
