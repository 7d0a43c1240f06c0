use std::borrow::Cow;

use proptest::prelude::*;

use super::*;

/// A tool as a test describes it.
#[derive(Clone)]
struct Made {
    name: &'static str,
    description: &'static str,
    routing: Routing,
    schema_chars: usize,
}

fn list(text: &'static str) -> Vec<Cow<'static, str>> {
    if text.is_empty() { Vec::new() } else { text.split(", ").map(Cow::Borrowed).collect() }
}

fn made(name: &'static str, domains: &'static str, tags: &'static str, intents: &'static str) -> Made {
    let routing =
        Routing { domains: list(domains), tags: list(tags), intents: list(intents), examples: vec![] };
    Made { name, description: "", routing, schema_chars: 400 }
}

fn views(tools: &[Made]) -> Vec<RouterTool<'_>> {
    tools
        .iter()
        .map(|tool| RouterTool {
            name: tool.name,
            description: tool.description,
            routing: &tool.routing,
            schema_chars: tool.schema_chars,
            pinned: false,
        })
        .collect()
}

fn request(message: &str, budget: usize) -> Request<'_> {
    Request { budget: Budget::Count(budget), ..Request::new("", "", message) }
}

fn offered(tools: &[Made], request: Request<'_>) -> Vec<String> {
    route(&request, &views(tools)).offered
}

fn score(routed: &Routed, name: &str) -> f64 {
    routed.ranked.iter().find(|scored| scored.name == name).unwrap().score
}

fn reason(routed: &Routed, name: &str) -> Reason {
    routed.ranked.iter().find(|scored| scored.name == name).unwrap().reason
}

/// The tools of a shop, the most wanted ones not first.
fn shop() -> Vec<Made> {
    vec![
        made("wp_query", "content", "post, page, article, draft, published", "list posts, find pages"),
        made("wp_users", "users, accounts", "user, editor, administrator, role", "list users, find account"),
        made("wp_option", "settings, configuration", "option, setting, siteurl", "read option, show setting"),
        made("db_query", "database, data", "sql, select, table", "run sql, query the database"),
        made("wp_plugins", "plugins, extensions", "plugin, active, installed", "list plugins"),
        made("wp_taxonomy", "taxonomy, content", "term, category, tag", "list taxonomies, list categories"),
        made(
            "wp_comments",
            "comments, engagement",
            "comment, reply, spam",
            "list comments, find pending comments",
        ),
        made("wc_get_orders", "commerce, orders", "order, purchase, refund", "list orders, show purchases"),
        made("wc_stock", "commerce, inventory", "stock, inventory, low", "check stock, what is running low"),
    ]
}

#[test]
fn within_the_budget_nothing_is_filtered_and_the_order_of_registration_stays() {
    let tools = shop();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let routed = route(&request("check the stock", 9), &views(&tools));
    assert_eq!(routed.offered, names);
    assert!(routed.ranked.iter().all(|scored| scored.reason == Reason::Fits && scored.offered));
    // The ranking is worked out all the same.
    assert_eq!(routed.ranked[0].name, "wc_stock");
}

#[test]
fn an_unlimited_budget_returns_the_list_as_it_is() {
    let tools = shop();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let unlimited = Request { budget: Budget::Unlimited, ..Request::new("ollama", "llama3", "stock") };
    let unlimited = Request { request_tokens: TokenBudget::Unlimited, ..unlimited };
    let routed = route(&unlimited, &views(&tools));
    assert_eq!((routed.offered, routed.budget), (names.iter().map(|&name| name.to_owned()).collect(), None));
}

#[test]
fn a_relevant_tool_is_chosen_although_it_was_registered_last() {
    assert_eq!(offered(&shop(), request("what is running low?", 1)), ["wc_stock"]);
}

#[test]
fn categories_in_the_message_find_category_in_the_tool() {
    let tools = [made("a_none", "", "", ""), made("b_terms", "", "category", ""), made("c_none", "", "", "")];
    assert_eq!(offered(&tools, request("my categories", 1)), ["b_terms"]);
}

#[test]
fn an_unrelated_message_fills_the_budget_by_name() {
    assert_eq!(offered(&shop(), request("zzz", 3)), ["db_query", "wc_get_orders", "wc_stock"]);
}

#[test]
fn an_intent_beats_a_description_and_a_domain_beats_a_tag() {
    let mut described = made("a_described", "", "", "");
    described.description = "Refunds. Refund a refund.";
    let tools = [described, made("b_intent", "", "", "refund"), made("c_other", "", "", "")];
    assert_eq!(offered(&tools, request("refund", 1)), ["b_intent"]);

    let tools =
        [made("a_tag", "", "refund", ""), made("b_domain", "refund", "", ""), made("c_other", "", "", "")];
    let routed = route(&request("refund", 1), &views(&tools));
    assert_eq!(routed.offered, ["b_domain"]);
    // Two of three tools carry the word.
    let rarity = 1.5_f64.ln();
    assert!((score(&routed, "b_domain") - 8.0 * rarity).abs() < 1e-9);
    assert!((score(&routed, "a_tag") - 4.0 * rarity).abs() < 1e-9);
}

#[test]
fn an_example_counts_twice_the_name() {
    let mut example = made("z_example", "", "", "");
    example.routing.examples = list("refund");
    let tools = [made("refund", "", "", ""), example, made("c_other", "", "", "")];
    assert_eq!(offered(&tools, request("refund", 1)), ["z_example"]);
}

#[test]
fn a_mention_beats_every_score() {
    let routed = route(
        &request("use ShellTool to list orders", 1),
        &views(&[
            made("wc_get_orders", "orders", "order", "list orders"),
            made("shell_exec", "", "", ""),
            made("wp_query", "", "", ""),
        ]),
    );
    assert_eq!(routed.offered, ["shell_exec"]);
    assert_eq!(reason(&routed, "shell_exec"), Reason::Pinned);
    assert_eq!(reason(&routed, "wc_get_orders"), Reason::OverBudget);
}

#[test]
fn pinned_tools_stay_even_beyond_the_budget_and_take_its_slots() {
    let tools = [
        made("file_read", "", "", ""),
        made("file_write", "", "", ""),
        made("file_edit", "", "", ""),
        made("wc_get_orders", "", "", "list orders"),
    ];
    assert_eq!(
        offered(&tools, request("using FileTool list orders", 2)),
        ["file_edit", "file_read", "file_write"]
    );
    assert_eq!(offered(&tools, request("with file_edit list orders", 2)), ["file_edit", "wc_get_orders"]);
}

#[test]
fn load_skill_is_pinned_in_every_turn() {
    let mut tools = shop();
    tools.push(made("load_skill", "", "", ""));
    assert_eq!(offered(&tools, request("list orders", 2)), ["load_skill", "wc_get_orders"]);
}

#[test]
fn pinned_tools_are_not_counted_where_rarity_is_worked_out() {
    // Two ranked tools are left, so every word weighs 1: 16 + 8 + 4 + 1 for orders, 16 for list, and 1 for
    // the second half of the mention, which is a word of its own.
    let routed = route(
        &request("with db_query list orders", 1),
        &views(&[
            made("db_query", "", "", ""),
            made("wc_get_orders", "orders", "order", "list orders"),
            made("wp_query", "", "", "list posts"),
        ]),
    );
    assert_eq!(score(&routed, "wc_get_orders"), 45.0);
    assert_eq!(score(&routed, "wp_query"), 17.0);
}

#[test]
fn equal_scores_are_ordered_by_name() {
    let tools = [made("c", "", "", "list"), made("a", "", "", "list"), made("b", "", "", "list")];
    let routed = route(&request("list", 2), &views(&tools));
    assert_eq!(routed.offered, ["a", "b"]);
    assert_eq!(routed.ranked.iter().map(|scored| scored.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn tools_of_every_turn_use_no_slots_and_no_place_in_the_count() {
    let tools = shop();
    let always = ["DB_QUERY".to_owned(), "wp_option".to_owned(), "no_such_tool".to_owned()];
    let with_two = Request { always_include: &always, ..request("list orders", 1) };
    let routed = route(&with_two, &views(&tools));
    assert_eq!(routed.offered, ["db_query", "wc_get_orders", "wp_option"]);
    assert_eq!(reason(&routed, "db_query"), Reason::Always);
    // Seven tools are left to count: a budget of seven filters nothing.
    let within = Request { always_include: &always, ..request("list orders", 7) };
    assert_eq!(offered(&tools, within), tools.iter().map(|tool| tool.name).collect::<Vec<_>>());
    // A tool of every turn that the message names takes no slot either.
    let named = Request { always_include: &always, ..request("with db_query list orders", 1) };
    assert_eq!(offered(&tools, named), ["db_query", "wc_get_orders", "wp_option"]);
}

#[test]
fn the_same_selection_serialises_to_the_same_bytes_for_two_messages() {
    let tools = shop();
    let first = offered(&tools, request("list orders and check stock", 2));
    let second = offered(&tools, request("check stock, then show purchases", 2));
    assert_eq!(first, ["wc_get_orders", "wc_stock"]);
    assert_eq!(serde_json::to_string(&first).unwrap(), serde_json::to_string(&second).unwrap());
}

#[test]
fn the_minimal_profile_leaves_out_what_scores_below_a_fifth_of_the_best() {
    // Of six ranked tools each word has one carrier: the intent gives 16 ln 6, the tag 4 ln 6 (a quarter),
    // the description ln 6 (a sixteenth).
    let mut described = made("d_described", "", "", "");
    described.description = "Gamma.";
    let tools = [
        made("a_intent", "", "", "alpha"),
        made("b_tag", "", "beta", ""),
        described,
        made("e", "", "", ""),
        made("f", "", "", ""),
        made("g", "", "", ""),
    ];
    let minimal = |message| Request::new("ollama", "llama3", message);
    let routed = route(&minimal("alpha beta gamma"), &views(&tools));
    assert_eq!(routed.offered, ["a_intent", "b_tag"]);
    assert_eq!(reason(&routed, "d_described"), Reason::BelowFloor);
    assert_eq!((routed.budget, routed.budget_source), (Some(5), BudgetSource::Profile));
    // A part of 0 drops nothing, and nothing is dropped where nothing matches.
    let without = Request { floor: 0.0, ..minimal("alpha beta gamma") };
    assert_eq!(offered(&tools, without), ["a_intent", "b_tag", "d_described", "e", "f"]);
    assert_eq!(offered(&tools, minimal("zzz")), ["a_intent", "b_tag", "d_described", "e", "f"]);
    // Other profiles have no such floor.
    let full = route(&request("alpha beta gamma", 5), &views(&tools));
    assert_eq!(full.offered, ["a_intent", "b_tag", "d_described", "e", "f"]);
}

#[test]
fn a_score_of_exactly_the_floor_stays() {
    let tools = [made("a_intent", "", "", "alpha"), made("b_domain", "beta", "", ""), made("c", "", "", "")];
    let half =
        Request { budget: Budget::Count(2), floor: 0.5, ..Request::new("groq", "llama3", "alpha beta") };
    assert_eq!(offered(&tools, half), ["a_intent", "b_domain"]);
}

#[test]
fn the_last_of_the_ranking_is_dropped_until_the_request_fits() {
    let tools = shop();
    // Three tools of 400 characters as a list: 1204 characters, 301 tokens. Two: 803 and 201. One: 402 and 101.
    let sized = |tokens| Request {
        request_tokens: TokenBudget::Count(tokens),
        fixed_tokens: 10,
        history_tokens: 5,
        ..request("list orders and check stock of posts", 3)
    };
    let whole = route(&sized(316), &views(&tools));
    assert_eq!((whole.tokens, whole.offered.len()), (316, 3));
    let ranking: Vec<String> = whole.ranked.iter().map(|scored| scored.name.clone()).collect();
    let two = route(&sized(315), &views(&tools));
    assert_eq!((two.tokens, two.offered.len()), (216, 2));
    assert_eq!(reason(&two, &ranking[2]), Reason::OverTokens);
    assert!(two.offered.contains(&ranking[0]) && two.offered.contains(&ranking[1]));
    // One routed tool stays, however little room there is.
    let one = route(&sized(0), &views(&tools));
    assert_eq!(one.offered, [ranking[0].clone()]);
    assert_eq!(one.tokens, 116);
}

#[test]
fn without_a_ranking_the_last_registered_goes_first_even_if_the_message_names_it() {
    let tools = shop();
    let tight = Request { request_tokens: TokenBudget::Count(201), ..request("with wc_stock", 9) };
    let routed = route(&tight, &views(&tools));
    assert_eq!(routed.offered, ["wp_query", "wp_users"]);
    assert_eq!(reason(&routed, "wc_stock"), Reason::OverTokens);
    // What is left is sorted by name.
    let mut reversed = tools;
    reversed.reverse();
    let tight = Request { request_tokens: TokenBudget::Count(301), ..request("stock", 9) };
    assert_eq!(offered(&reversed, tight), ["wc_get_orders", "wc_stock", "wp_comments"]);
}

#[test]
fn tools_of_every_turn_are_never_dropped() {
    let tools = shop();
    let always = ["wp_users".to_owned(), "wp_option".to_owned()];
    let tight = Request {
        always_include: &always,
        request_tokens: TokenBudget::Count(1),
        ..request("list orders and check stock", 2)
    };
    let routed = route(&tight, &views(&tools));
    assert_eq!(routed.offered.len(), 3);
    assert!(
        routed.offered.contains(&"wp_users".to_owned()) && routed.offered.contains(&"wp_option".to_owned())
    );
}

#[test]
fn a_profile_brings_its_tokens() {
    let mut tools = shop();
    tools.iter_mut().for_each(|tool| tool.schema_chars = 4_000);
    // Standard: eight tools, 6,000 tokens. A list of five is 20,006 characters, 5,002 tokens; of six 6,002.
    let routed = route(&Request::new("groq", "llama-3.3-70b", "zzz"), &views(&tools));
    assert_eq!((routed.token_budget, routed.offered.len(), routed.tokens), (Some(6_000), 5, 5_002));
    let lifted = Request { request_tokens: TokenBudget::Unlimited, ..Request::new("groq", "70b", "zzz") };
    assert_eq!(offered(&tools, lifted).len(), 8);
}

#[test]
fn confidence_is_the_best_score_against_full_marks() {
    let two = [made("wc_get_orders", "orders", "order", "list orders"), made("wp_query", "", "", "")];
    // order: 16 + 8 + 4 + 1; with list 16 more than full marks.
    assert_eq!(route(&request("orders", 1), &views(&two)).confidence, 0.9063);
    assert_eq!(route(&request("list orders", 1), &views(&two)).confidence, 1.0);
    assert_eq!(route(&request("zzz", 1), &views(&two)).confidence, 0.0);
    assert_eq!(route(&request("", 1), &[]).confidence, 0.0);
}

#[test]
fn a_score_says_where_its_words_were_found() {
    let routed = route(&request("orders of editors", 1), &views(&shop()));
    let orders = routed.ranked.iter().find(|scored| scored.name == "wc_get_orders").unwrap();
    let found: Vec<(Signal, &[String])> =
        orders.signals.iter().map(|signal| (signal.signal, signal.words.as_slice())).collect();
    let word = ["order".to_owned()];
    assert_eq!(
        found,
        [
            (Signal::Intents, word.as_slice()),
            (Signal::Domains, word.as_slice()),
            (Signal::Tags, word.as_slice()),
            (Signal::Name, word.as_slice()),
        ]
    );
    let json = serde_json::to_value(orders).unwrap();
    assert_eq!(json["signals"][0]["signal"], "intents");
    assert_eq!(json["reason"], "ranked within the budget");
    let explained = serde_json::to_value(&routed).unwrap();
    assert_eq!((&explained["profile"], &explained["budget"]), (&"full".into(), &1.into()));
    assert_eq!(explained["tools"][0]["name"], routed.ranked[0].name.as_str());
}

#[test]
fn registered_tools_are_measured_as_the_provider_would_be_told_of_them() {
    #[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let spec = crate::ToolSpec::new("server_time", "Returns the time.\nIn full: the clock of the server.")
        .tags(&["clock"])
        .intents(&["tell time"]);
    let tool = crate::tool_fn(spec, |_, _: Nothing| async { Ok::<_, crate::ToolError>(1) });
    let entry = Entry::new(tool).unwrap();
    let native = RouterTool::of(&entry, Dialect::Native, true);
    assert_eq!(native.description, "Returns the time.");
    let written = r#"{"name":"server_time","description":"Returns the time.","input_schema":"#;
    assert_eq!(native.schema_chars, written.len() + entry.input_schema().to_string().len() + 1);
    let function = RouterTool::of(&entry, Dialect::Function, false);
    assert!(function.description.ends_with("the server."));
    assert!(function.schema_chars > native.schema_chars);
    let routed = route(&request("tell me the time", 1), &[native, RouterTool { name: "other", ..function }]);
    assert_eq!(routed.offered, ["server_time"]);
}

fn words_of_tools() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "list", "orders", "stock", "posts", "wp_query", "use", "FileTool", "the", "users", "sql", "low",
            "zzz",
        ]),
        0..8,
    )
    .prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn the_order_of_registration_decides_nothing_that_was_ranked(
        message in words_of_tools(),
        order in Just((0..9_usize).collect::<Vec<_>>()).prop_shuffle(),
        budget in 1_usize..9,
        tokens in prop::option::of(0_usize..1_000),
        minimal in any::<bool>(),
    ) {
        let tools = shop();
        let shuffled: Vec<Made> = order.iter().map(|&place| tools[place].clone()).collect();
        let request = Request {
            profile: if minimal { Profile::Minimal } else { Profile::Full },
            request_tokens: tokens.map_or(TokenBudget::Unlimited, TokenBudget::Count),
            ..request(&message, budget)
        };
        let first = serde_json::to_string(&route(&request, &views(&tools))).unwrap();
        let second = serde_json::to_string(&route(&request, &views(&shuffled))).unwrap();
        prop_assert_eq!(first, second);
    }

    #[test]
    fn any_text_gives_finite_scores_and_a_selection_within_bounds(
        message in any::<String>(),
        name in "[a-z_]{1,12}",
        description in any::<String>(),
        budget in 0_usize..6,
        tokens in 0_usize..2_000,
        floor in 0.0..1.0_f64,
    ) {
        let mut tools = shop();
        let name: &'static str = Box::leak(name.into_boxed_str());
        tools.push(Made { description: Box::leak(description.into_boxed_str()), ..made(name, "", "", "") });
        let request = Request {
            floor,
            profile: Profile::Minimal,
            request_tokens: TokenBudget::Count(tokens),
            ..request(&message, budget)
        };
        let routed = route(&request, &views(&tools));
        prop_assert!(routed.ranked.iter().all(|scored| scored.score.is_finite() && scored.score >= 0.0));
        prop_assert!(!routed.offered.is_empty());
        let pinned = routed.ranked.iter().filter(|scored| scored.pinned).count();
        prop_assert!(routed.offered.len() <= routed.budget.unwrap().max(pinned));
        prop_assert!(routed.tokens <= tokens || routed.offered.len() == 1);
        prop_assert!((0.0..=1.0).contains(&routed.confidence));
    }
}
