//! A loop of one's own: any model's tool calls through the door, with one's own callers and typed context.

use std::io::Write;

use serde_json::{Value, json};
use siteclaw::{
    Caller, CapabilityPolicy, Claw, Ctx, Dialect, Surface, ToolCall, ToolError, ToolSpec, code, tool_fn,
};

/// What this program knows of the request; tools get it by its type.
struct Shop(&'static str);

#[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
struct Input {
    /// The order's number.
    order: u64,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Output {
    text: String,
}

async fn find_order(ctx: Ctx, input: Input) -> Result<Output, ToolError> {
    let shop = ctx.extension::<Shop>().ok_or_else(|| ToolError::new(code::INTERNAL, "There is no shop."))?;
    Ok(Output { text: format!("Order {} of shop {} is packed.", input.order, shop.0) })
}

/// Stands for a model: it is shown the schemas and asks for calls.
fn model(tools: &[Value]) -> Vec<ToolCall> {
    let call = |tool: &Value| ToolCall::new(tool["name"].as_str().unwrap_or_default(), json!({"order": 7}));
    tools.iter().map(call).collect()
}

/// Runs the loop for two users and tells what each was answered.
pub async fn run() -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let spec = ToolSpec::new("find_order", "Tells where an order is.").capability("view_orders");
    let claw = Claw::builder(CapabilityPolicy).tool(tool_fn(spec, find_order))?.build()?;
    let door = claw.executor();
    let schemas: Vec<Value> =
        door.registry().entries().iter().map(|entry| entry.describe(Dialect::Native, false)).collect();
    let mut lines = vec![format!("offered: {}", schemas[0]["name"].as_str().unwrap_or_default())];
    for (login, rights) in [("anna", vec!["view_orders"]), ("bert", vec![])] {
        let caller = Caller::site_user(login, rights, Surface::Library);
        let run = claw.run(caller).extension(Shop("north")).build();
        for call in model(&schemas) {
            let envelope = door.call(&run, call).await.envelope.to_value();
            let text = envelope["data"]["text"].as_str().or(envelope["error"]["message"].as_str());
            lines.push(format!("{login}: {}", text.unwrap_or_default()));
        }
    }
    Ok(lines)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(writeln!(std::io::stdout(), "{}", run().await?.join("\n"))?)
}
