//! What a person reads.

use insta::assert_snapshot;
use siteclaw_agent::Agent;

use super::shop::{executor, offline, run};

async fn text(message: &str) -> String {
    offline().send(&run(), message).await.unwrap().text
}

#[tokio::test]
async fn rows_are_a_table_after_what_was_asked() {
    assert_snapshot!(text("what is running low?").await, @r"
    No language model was used. Asked of wc_stock: filter = lowstock.

    id  name                                      sku   stock_qty
    --  ----------------------------------------  ----  ---------
    31  Blue shirt, long sleeves, organic cotto…  SH-L          2
     7  Mug                                                     1
    ");
}

#[tokio::test]
async fn totals_are_lines() {
    assert_snapshot!(text("how many posts are there").await, @r"
    No language model was used. Asked of wp_query: aggregate = yes, post_type = post.

    stats:
      total: 42
      by_status:
        publish: 40
        draft: 2
      sticky: 0
    ");
}

#[tokio::test]
async fn a_long_list_is_cut_and_says_so() {
    assert_snapshot!(text("list old posts").await, @r"
    No language model was used. Not used: “old”. The answer may be wider than the question.
    Asked of wp_query: post_type = post.

    id  title    status
    --  -------  -------
     1  Post 1   publish
     2  Post 2   publish
     3  Post 3   publish
     4  Post 4   publish
     5  Post 5   publish
     6  Post 6   publish
     7  Post 7   publish
     8  Post 8   publish
     9  Post 9   publish
    10  Post 10  publish
    11  Post 11  publish
    12  Post 12  publish
    13  Post 13  publish
    14  Post 14  publish
    15  Post 15  publish
    16  Post 16  publish
    17  Post 17  publish
    18  Post 18  publish
    19  Post 19  publish
    20  Post 20  publish
    … 3 more
    ");
}

#[tokio::test]
async fn a_failure_is_its_message_and_its_hint() {
    assert_snapshot!(text("show customer 99").await, @r"
    No language model was used. Asked of wc_get_customer: customer_id = 99.

    Failed: No customer has the id 99. (NOT_FOUND)
    Hint: List users with the role customer first.
    ");
}

#[tokio::test]
async fn what_is_missing_is_asked_for() {
    assert_snapshot!(text("show customer details").await, @r"
    No language model was used. The tool wc_get_customer fits the message but needs an argument that it does not give:
      customer_id: a whole number of at least 1. Id of the customer's account.
    Ask for example: show customer 12
    ");
}

#[tokio::test]
async fn what_no_tool_fits_is_answered_with_what_can_be_asked() {
    assert_snapshot!(text("tell me a joke").await, @r"
    No language model was used, and no tool fits the words of the message.
    Ask about: accounts, analytics, catalog, comments, commerce, configuration, content, customers, data, database, diagnostics, engagement, extensions, inventory, orders, plugins, settings, system, users.
    For example: latest published posts; show customer 12; what is the site url.
    ");
}

#[tokio::test]
async fn without_tools_it_says_so() {
    let registry = siteclaw_core::Registry::builder().build(&[]).unwrap();
    let provider = siteclaw_agent::Offline::new(super::shop::clock());
    let agent = Agent::builder(executor(registry), std::sync::Arc::new(provider)).build();
    assert_snapshot!(agent.send(&run(), "list posts").await.unwrap().text, @"No language model was used, and there is no tool that could answer.");
}
