//! A tool over what a site holds, in three modes: what can be asked, counts, rows.
//!
//! [`Listing`] is what such a tool states of its own; [`Listed`] makes a tool of it. Which arguments a mode
//! does not use is worked out from the names of the filters, and what schema mode says from the arguments'
//! own schema, so neither can fall behind.

use std::borrow::Cow;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use siteclaw_core::{
    Ctx, Eligibility, Paging, Planned, Reply, Tool, ToolError, ToolSpec, Warning, schema_of,
};
use siteclaw_db::Statement;

use super::WordPress;
use super::columns::{Columns, INVALID_COLUMNS};
use super::condition::as_i64;
use super::modes::{Given, INVALID_ORDER, INVALID_ORDERBY, Mode, Row, schema_reply};
use super::site::Snapshot;

/// The capability that the tools ask for.
pub(crate) const CAPABILITY: &str = "phpclaw_use_chat";

/// What every tool of the site states alike: who may call it, and that it is tried once more.
pub(crate) fn stated(
    name: impl Into<Cow<'static, str>>,
    description: impl Into<Cow<'static, str>>,
) -> ToolSpec {
    ToolSpec::new(name, description).capability(CAPABILITY).eligibility(Eligibility::Everyone).retries(1)
}

/// What a listing states of its own.
pub(crate) trait Listing: Sized + Send + Sync + 'static {
    /// The arguments: [`Modes`] flattened, the filters, `orderby` and `order`, and the pages flattened.
    type Input: DeserializeOwned + Serialize + JsonSchema + Send + 'static;
    /// The filters, the order and the page, checked.
    type Checked: TryFrom<Self::Input, Error = ToolError> + Send + Sync + 'static;
    /// The arguments that choose a page.
    type Pages: Pages;
    /// The data of a page of rows.
    type Rows: Serialize + JsonSchema + Send + 'static;
    /// The data of counts.
    type Counts: Serialize + JsonSchema + Send + 'static;

    /// Which data the tool reads, such as `wordpress.comments`.
    const AREA: &'static str;
    /// The columns.
    const COLUMNS: Columns;
    /// Arguments that narrow the rows, and the counts too.
    const FILTERS: &'static [&'static str];
    /// Filters that mean nothing to the counts, which tell apart what these would choose.
    const ROW_FILTERS: &'static [&'static str] = &[];
    /// What a model reads about the argument `aggregate`.
    const COUNTED: &'static str = "Count instead of listing.";
    /// Whether `order` means nothing without `orderby`, because rows then have an order of their own.
    const ORDER_NEEDS_ORDERBY: bool = false;

    /// Name, texts and words, begun with [`stated`].
    fn spec() -> ToolSpec;

    /// Facts for schema mode that the arguments' schema does not say.
    fn facts() -> Value {
        json!({})
    }

    /// Where the rows come from, for `meta.source`.
    fn source(snapshot: &Snapshot) -> &'static str {
        snapshot.source()
    }

    /// Rows or counts, begun with [`Plan::rows`] or [`Plan::counts`].
    fn answer(
        ctx: &Ctx,
        snapshot: &Arc<Snapshot>,
        plan: &Plan<Self>,
    ) -> impl Future<Output = Result<Reply<Answer<Self>>, ToolError>> + Send;
}

/// The data that a listing returns, by mode.
#[derive(Serialize)]
#[serde(untagged, bound = "")]
pub(crate) enum Answer<L: Listing> {
    /// Rows.
    Query(L::Rows),
    /// Counts.
    Aggregate(L::Counts),
    /// What the tool can return.
    Schema(Row),
}

impl<L: Listing> JsonSchema for Answer<L> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Answer".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (rows, counts) = (generator.subschema_for::<L::Rows>(), generator.subschema_for::<L::Counts>());
        json_schema!({
            "anyOf": [rows, counts, {"description": "What the tool can return.", "type": "object",
                                     "additionalProperties": true}]
        })
    }
}

/// The arguments that all listings have.
#[derive(Deserialize, Serialize)]
#[serde(bound = "")]
pub(crate) struct Modes<L> {
    columns: Option<Vec<String>>,
    #[serde(default)]
    schema: bool,
    #[serde(default)]
    aggregate: bool,
    #[serde(skip)]
    listing: PhantomData<fn() -> L>,
}

impl<L> Modes<L> {
    /// Whether only the tool's own description is asked for.
    pub(crate) const fn is_schema(&self) -> bool {
        self.schema
    }

    /// Whether counts are asked for.
    pub(crate) const fn is_aggregate(&self) -> bool {
        self.aggregate
    }
}

impl<L: Listing> JsonSchema for Modes<L> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Modes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "columns": {"description": L::COLUMNS.description(), "type": "array", "items": {"type": "string"}},
                "schema": {"description": "Show what can be asked, without looking.", "type": "boolean"},
                "aggregate": {"description": L::COUNTED, "type": "boolean"},
            }
        })
    }
}

/// Arguments that choose a page of rows.
pub(crate) trait Pages {
    /// What schema mode says of them: `pagination` and `limits`.
    fn facts() -> Value;
}

/// A page that starts at a row.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Page<const USUAL: u64, const MOST: u64> {
    #[schemars(description = format!("Rows to return. Default {USUAL}."), range(min = 1, max = MOST))]
    limit: Option<u64>,
    /// Rows to pass over. Default 0.
    #[schemars(range(min = 0, max = 10_000))]
    offset: Option<u64>,
}

impl<const USUAL: u64, const MOST: u64> Pages for Page<USUAL, MOST> {
    fn facts() -> Value {
        json!({"pagination": {"type": "offset"},
               "limits": {"limit": {"minimum": 1, "maximum": MOST, "default": USUAL}}})
    }
}

impl<const USUAL: u64, const MOST: u64> Page<USUAL, MOST> {
    /// The most rows of the page.
    pub(crate) fn limit(&self) -> u64 {
        self.limit.unwrap_or(USUAL)
    }

    /// Rows before the page.
    pub(crate) fn offset(&self) -> u64 {
        self.offset.unwrap_or(0)
    }

    /// Binds the marks of `LIMIT ? OFFSET ?`.
    pub(crate) fn bind(&self, statement: Statement) -> Statement {
        statement.bind(as_i64(self.limit())).bind(as_i64(self.offset()))
    }

    /// The paging of a list that was counted; the door works the rest out.
    pub(crate) fn of(&self, total: i64) -> Paging {
        let total = u64::try_from(total).ok();
        Paging::Offset { offset: self.offset(), limit: self.limit(), total, has_more: false }
    }
}

/// What a call of a listing will do.
pub(crate) struct Plan<L: Listing> {
    /// Rows or counts.
    pub(crate) mode: Mode,
    /// The columns of the rows.
    pub(crate) columns: Vec<&'static str>,
    /// The tool's own arguments.
    pub(crate) own: L::Checked,
    unused: Vec<Warning>,
}

impl<L: Listing> Plan<L> {
    /// Whether the rows have this column.
    pub(crate) fn wants(&self, column: &str) -> bool {
        self.columns.contains(&column)
    }

    /// The columns among these that the rows have.
    pub(crate) fn wanted(&self, among: &[&str]) -> Vec<&'static str> {
        self.columns.iter().filter(|column| among.contains(column)).copied().collect()
    }

    /// An answer of rows; the tool declares its list.
    pub(crate) fn rows(&self, rows: L::Rows) -> Reply<Answer<L>> {
        let reply = Reply::new(Answer::Query(rows)).mode("query");
        L::COLUMNS.marked(reply.meta("columns_returned", json!(self.columns)), &self.columns)
    }

    /// An answer of counts.
    pub(crate) fn counts(&self, counts: L::Counts) -> Reply<Answer<L>> {
        Reply::new(Answer::Aggregate(counts)).mode("aggregate")
    }
}

/// The tool that a listing makes.
pub(crate) struct Listed<L> {
    site: WordPress,
    listing: PhantomData<fn() -> L>,
}

impl<L> Listed<L> {
    pub(crate) fn new(site: WordPress) -> Self {
        Self { site, listing: PhantomData }
    }
}

impl<L: Listing> Tool for Listed<L> {
    type Input = L::Input;
    type Plan = Plan<L>;
    type Output = Answer<L>;

    fn spec(&self) -> ToolSpec {
        L::spec()
            .field_code("columns", INVALID_COLUMNS)
            .field_code("orderby", INVALID_ORDERBY)
            .field_code("order", INVALID_ORDER)
    }

    async fn plan(&self, _: &Ctx, input: L::Input) -> Result<Planned<Plan<L>, Answer<L>>, ToolError> {
        let given = Given::of(&input);
        let mode = Mode::of(given.has("schema"), given.has("aggregate"))?;
        let columns = L::COLUMNS.select(given.texts("columns").as_deref())?;
        let unused = unused::<L>(mode, &given);
        let own = L::Checked::try_from(input)?;
        if mode == Mode::Schema {
            return Ok(Planned::Done(schema_reply(page::<L>(), unused).map(Answer::Schema)));
        }
        Ok(Planned::run(Plan { mode, columns, own, unused }))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan<L>) -> Result<Reply<Answer<L>>, ToolError> {
        let snapshot = self.site.for_call(ctx).await?;
        let reply = L::answer(ctx, &snapshot, plan).await?;
        Ok(reply.meta("source", L::source(&snapshot)).warnings(plan.unused.clone()))
    }
}

/// One warning for each argument that is given and means nothing in the mode.
fn unused<L: Listing>(mode: Mode, given: &Given) -> Vec<Warning> {
    let narrows = |name: &str| L::FILTERS.contains(&name) && !L::ROW_FILTERS.contains(&name);
    match mode {
        Mode::Schema => given.ignored("schema", |name| name != "schema"),
        Mode::Aggregate => given.ignored("aggregate", |name| name != "aggregate" && !narrows(name)),
        Mode::Query if L::ORDER_NEEDS_ORDERBY && !given.has("orderby") => {
            given.ignored("an unsorted", |name| name == "order")
        }
        Mode::Query => Vec::new(),
    }
}

/// The data of schema mode.
fn page<L: Listing>() -> Row {
    let mut page = L::COLUMNS.page();
    let arguments = schema_of::<L::Input>().unwrap_or_default();
    let (platform, _) = L::AREA.split_once('.').unwrap_or((L::AREA, ""));
    let mut add = |facts: Value| {
        if let Value::Object(facts) = facts {
            page.extend(facts);
        }
    };
    add(
        json!({"modes": ["schema", "aggregate", "query"], "risk": "read", "idempotent": true, "filters": L::FILTERS}),
    );
    if let Some(fields) = arguments.pointer("/properties/orderby/enum") {
        add(json!({"sortable_fields": fields}));
    }
    add(L::Pages::facts());
    add(L::facts());
    add(json!({
        "phpclaw_capability": format!("{}.read", L::AREA),
        format!("{platform}_capability"): CAPABILITY,
    }));
    page
}
