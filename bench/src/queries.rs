//! Tools on large tables, beside their own statements through the bare driver.
//!
//! The statements are not written down here: the server's query log says what a call sent, and the peer sends
//! exactly that, prepared, on one connection, and drops the rows undecoded.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siteclaw::{
    Caller, CapabilityPolicy, CountingIds, Executor, Masker, Outcome, Registry, Run, Surface, SystemClock,
    ToolCall,
};
use siteclaw_site::{AttachOptions, Site};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Row};

use crate::contents::Shop;
use crate::error::{BenchError, Context};
use crate::figure::Figures;
use crate::samples::Samples;

const WARM_UP: usize = 3;
const CALLS: usize = 40;

/// A call with a small page and with the largest one.
struct Case {
    what: &'static str,
    tool: &'static str,
    small: Value,
    large: Value,
}

pub(crate) async fn measure(figures: &mut Figures, shop: &Shop) -> Result<(), BenchError> {
    let door = Door::open(shop)?;
    let mut watcher = shop.connect().await?;
    let mut bare = shop.connect().await?;
    let cases = [
        Case {
            what: "wp_query: latest of 100,000 posts",
            tool: "wp_query",
            small: json!({"posts_per_page": 10}),
            large: json!({"posts_per_page": 50}),
        },
        Case {
            what: "wc_stock: out of stock, 50,000 products",
            tool: "wc_stock",
            small: json!({"filter": "outofstock", "limit": 10}),
            large: json!({"filter": "outofstock", "limit": 50}),
        },
    ];
    for Case { what, tool, small, large } in cases {
        for _ in 0..WARM_UP {
            door.call(tool, &small).await?;
            door.call(tool, &large).await?;
        }
        let sent = sent_by(&mut watcher, shop, tool, &small).await?;
        let (mut ours, mut peer) = (Samples::default(), Samples::default());
        for round in 0..WARM_UP + CALLS {
            let took = door.call(tool, &small).await?;
            let bare_took = replay(&mut bare, &sent).await?;
            if round >= WARM_UP {
                ours.add(took);
                peer.add(bare_took);
            }
        }
        figures.time(what, "its SQL, bare driver", ours.median(), peer.median(), Some(1.3));
        let sent_for_large = sent_by(&mut watcher, shop, tool, &large).await?;
        let count = |sent: &[String]| u32::try_from(sent.len()).unwrap_or(u32::MAX);
        let what = format!("{tool}: statements, page of 50");
        figures.statements(what, "a page of 10", count(&sent_for_large), count(&sent));
    }
    Ok(())
}

/// The site's tools behind the door.
struct Door {
    executor: Executor,
    run: Run,
}

impl Door {
    fn open(shop: &Shop) -> Result<Self, BenchError> {
        let doing = || "attaching to the large shop".to_owned();
        let masker = Arc::new(Masker::new([7; 32]));
        let learner = Arc::clone(&masker);
        let options = AttachOptions {
            on_secrets: Some(Arc::new(move |secrets| learner.learn(secrets))),
            ..AttachOptions::default()
        };
        let site = Site::attach(shop.folder(), options).context(doing)?;
        let mut registry = Registry::builder();
        for entry in site.tools().context(doing)? {
            registry = registry.entry(entry).context(doing)?;
        }
        let registry = registry.build(&[]).context(doing)?;
        let executor = Executor::builder(
            registry,
            Arc::new(CapabilityPolicy),
            masker,
            Arc::new(SystemClock),
            Arc::new(CountingIds::default()),
        );
        let run = Run::builder("bench", Caller::console(Surface::Library, false)).build();
        Ok(Self { executor: executor.build(), run })
    }

    async fn call(&self, tool: &str, arguments: &Value) -> Result<Duration, BenchError> {
        let call = ToolCall::new(tool, arguments.clone());
        let began = Instant::now();
        let outcome: Outcome = black_box(self.executor.call(&self.run, call).await);
        let took = began.elapsed();
        if outcome.envelope.is_success() {
            return Ok(took);
        }
        Err(BenchError::new(format!("calling {tool}"), outcome.envelope.to_value()))
    }
}

/// What one call makes the server run, by the server's own log.
///
/// The log shows the values of a prepared statement only where it was on when the statement was prepared, so a
/// new connection makes the call twice, and the second counts.
async fn sent_by(
    watcher: &mut MySqlConnection,
    shop: &Shop,
    tool: &str,
    arguments: &Value,
) -> Result<Vec<String>, BenchError> {
    let doing = || "reading the server's query log".to_owned();
    let start = "SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = ON";
    sqlx::raw_sql(start).execute(&mut *watcher).await.context(doing)?;
    let door = Door::open(shop)?;
    let mut called = door.call(tool, arguments).await;
    sqlx::raw_sql("TRUNCATE TABLE mysql.general_log").execute(&mut *watcher).await.context(doing)?;
    if called.is_ok() {
        called = door.call(tool, arguments).await;
    }
    sqlx::raw_sql("SET GLOBAL general_log = OFF").execute(&mut *watcher).await.context(doing)?;
    called?;
    // The log has no index and keeps the order in which it was written.
    let log = "SELECT CONVERT(argument USING utf8mb4) AS statement FROM mysql.general_log \
               WHERE thread_id <> CONNECTION_ID() AND command_type IN ('Execute', 'Query')";
    let rows = sqlx::query(log).fetch_all(watcher).await.context(doing)?;
    let sent = rows.iter().map(|row| row.try_get("statement")).collect::<Result<Vec<String>, _>>();
    let sent = sent.context(doing)?;
    if sent.is_empty() {
        return Err(BenchError::new(doing(), format!("{tool} sent nothing")));
    }
    Ok(sent)
}

async fn replay(bare: &mut MySqlConnection, statements: &[String]) -> Result<Duration, BenchError> {
    let began = Instant::now();
    for statement in statements {
        let rows = sqlx::query(AssertSqlSafe(statement.as_str())).fetch_all(&mut *bare).await;
        black_box(rows.context(|| format!("sending {statement}"))?);
    }
    Ok(began.elapsed())
}
