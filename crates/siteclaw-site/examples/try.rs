use siteclaw_core::*;
use siteclaw_site::*;
use std::sync::Arc;
#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    let dir = args.next().unwrap();
    let mut options = AttachOptions::default();
    let masker = Arc::new(Masker::new([1; 32]));
    let m = masker.clone();
    options.on_secrets = Some(Arc::new(move |s| m.learn(s)));
    if let Ok(e) = std::env::var("ENVFILE") {
        options.env_file = Some(e.into());
    }
    let site = match Site::attach(std::path::Path::new(&dir), options) {
        Ok(s) => s,
        Err(e) => {
            println!("{e}");
            return;
        }
    };
    println!("{}", serde_json::to_string_pretty(&site.summary()).unwrap());
    for c in site.checkup().await {
        println!("{:?} {} {} {:?}", c.verdict, c.name, c.message, c.fix);
    }
    let mut b = Registry::builder();
    for e in site.tools().unwrap() {
        b = b.entry(e).unwrap();
    }
    let ex = Executor::builder(
        b.build(&[]).unwrap(),
        Arc::new(CapabilityPolicy),
        masker,
        Arc::new(SystemClock),
        Arc::new(CountingIds::default()),
    )
    .build();
    let run = Run::builder("r", Caller::console(Surface::Cli, true)).build();
    while let (Some(tool), Some(a)) = (args.next(), args.next()) {
        let t = std::time::Instant::now();
        let o = ex.call(&run, ToolCall::new(tool, serde_json::from_str(&a).unwrap())).await;
        println!("{}\n{:?}", serde_json::to_string_pretty(&o.envelope.to_value()).unwrap(), t.elapsed());
    }
}
