//! What a call of a tool costs beside a direct call of the same function.

use std::hint::black_box;
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use siteclaw::{Caller, CapabilityPolicy, Claw, Ctx, Surface, ToolCall, ToolError, ToolSpec, tool_fn};

use crate::error::{BenchError, Context};
use crate::figure::Figures;
use crate::samples::Samples;

const WARM_UP: usize = 20_000;
const CALLS: usize = 200_000;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// A number.
    #[schemars(range(min = 1, max = 50))]
    number: u64,
    /// A text.
    #[schemars(length(max = 100))]
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The number.
    number: u64,
    /// The text.
    text: String,
}

fn echo(input: Input) -> Output {
    Output { number: input.number, text: input.text }
}

pub(crate) async fn measure(figures: &mut Figures) -> Result<(), BenchError> {
    let doing = || "building the engine".to_owned();
    let tool =
        tool_fn(ToolSpec::new("echo", "Gives back what it was given."), |_: Ctx, input: Input| async move {
            Ok::<_, ToolError>(echo(input))
        });
    let claw = Claw::builder(CapabilityPolicy).tool(tool).context(doing)?.build().context(doing)?;
    let run = claw.run(Caller::console(Surface::Library, false)).build();
    let arguments = json!({"number": 7, "text": "hello"});
    let input = Input { number: 7, text: "hello".into() };

    let (mut ours, mut peer) = (Samples::default(), Samples::default());
    for round in 0..WARM_UP + CALLS {
        let call = ToolCall::new("echo", arguments.clone());
        let began = Instant::now();
        let outcome = black_box(claw.executor().call(&run, call).await);
        let took = began.elapsed();
        if !outcome.envelope.is_success() {
            return Err(BenchError::new("calling the no-op tool", outcome.envelope.to_value()));
        }
        let direct = input.clone();
        let began = Instant::now();
        black_box(echo(black_box(direct)));
        let direct = began.elapsed();
        if round >= WARM_UP {
            ours.add(took);
            peer.add(direct);
        }
    }
    for percent in [50, 99] {
        let what = format!("door: no-op tool, p{percent}");
        figures.time(what, "a direct call", ours.percentile(percent), peer.percentile(percent), None);
    }
    Ok(())
}
