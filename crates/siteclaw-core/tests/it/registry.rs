//! Names, replacement, deny lists and who sees what.

use serde_json::json;
use siteclaw_core::{
    Caller, CapabilityPolicy, Dialect, Eligibility, Registry, RegistryError, Surface, ToolSpec, tool_fn,
};

use crate::engine::{ok, reader};

fn three() -> siteclaw_core::RegistryBuilder {
    Registry::builder()
        .tool(reader("file_read", |_, _| async { ok(1) }))
        .and_then(|tools| tools.tool(reader("file_write", |_, _| async { ok(1) })))
        .and_then(|tools| tools.tool(reader("db_query", |_, _| async { ok(1) })))
        .unwrap()
}

#[test]
fn a_second_tool_of_a_name_must_say_that_it_replaces() {
    let error = three().tool(reader("db_query", |_, _| async { ok(2) })).unwrap_err();
    assert_eq!(error, RegistryError::Duplicate("db_query".to_owned()));
    let mut other = reader("db_query", |_, _| async { ok(2) });
    other.spec = ToolSpec::new("db_query", "The platform's own.");
    let registry = three().replace(other).unwrap().build(&[]).unwrap();
    assert_eq!(registry.get("db_query").unwrap().spec().description(), "The platform's own.");
    assert_eq!(registry.names().collect::<Vec<_>>(), ["file_read", "file_write", "db_query"]);
    let error = three().replace(reader("other", |_, _| async { ok(2) })).unwrap_err();
    assert_eq!(error, RegistryError::NothingToReplace("other".to_owned()));
}

#[test]
fn names_are_snake_case_and_a_capability_is_a_must() {
    for name in ["", "File", "file-read", "1st", "datei_öffnen", "a b"] {
        let error = Registry::builder().tool(reader(name, |_, _| async { ok(1) })).unwrap_err();
        assert!(matches!(error, RegistryError::InvalidName(_)), "{name}");
    }
    let mut open = reader("open", |_, _| async { ok(1) });
    open.spec = open.spec.capabilities(vec![]);
    assert_eq!(Registry::builder().tool(open).unwrap_err(), RegistryError::NoCapability("open".to_owned()));
}

#[test]
fn deny_lists_take_names_and_groups_and_refuse_typos() {
    let groups = || three().group("group:writes", &["file_write", "file_edit"]);
    let registry = groups().deny(&["group:writes", "db_query"], "[tools] deny").unwrap();
    assert_eq!(registry.build(&["file_edit"]).unwrap().names().collect::<Vec<_>>(), ["file_read"]);
    let error = groups().deny(&["file_wirte"], "[tools] deny").unwrap_err();
    assert_eq!(
        error.to_string(),
        "'file_wirte' in [tools] deny names no tool and no group. Did you mean 'file_write'?"
    );
    let error = groups().deny(&["group:write"], "--deny").unwrap_err();
    assert!(error.to_string().contains("Did you mean 'group:writes'"), "{error}");
    let error = three().group("group:x", &["db_qurey"]).build(&[]).unwrap_err();
    assert!(error.to_string().contains("the group 'group:x'"), "{error}");
}

#[test]
fn eligibility_is_worked_out_for_each_caller() {
    let mut open = reader("adapter", |_, _| async { ok(1) });
    open.spec = open.spec.capability("phpclaw_use_chat").eligibility(Eligibility::Everyone);
    let registry = three().tool(open).unwrap().build(&[]).unwrap();
    let seen = |caller: &Caller| {
        let entries = registry.eligible(&CapabilityPolicy, caller);
        entries.iter().map(|entry| entry.spec().name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(seen(&Caller::console(Surface::Cli, false)).len(), 4);
    assert_eq!(seen(&Caller::site_user("eve", Vec::<String>::new(), Surface::Web)), ["adapter"]);
}

#[test]
fn lean_descriptions_keep_the_schema() {
    let mut long = reader("long", |_, _| async { ok(1) });
    long.spec = ToolSpec::new("long", "First line.\nSecond line.");
    let registry = Registry::builder().tool(long).unwrap().build(&[]).unwrap();
    let entry = registry.get("long").unwrap();
    let lean = entry.describe(Dialect::Native, true);
    assert_eq!(lean["description"], json!("First line."));
    assert_eq!(lean["input_schema"], entry.describe(Dialect::Native, false)["input_schema"]);
}

/// A schema written by hand, with a mistake.
#[derive(Clone, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Misspelt {
    #[schemars(extend("type" = "strin"))]
    text: String,
}

/// Refused when it is registered, whatever the build: the first call would be too late.
#[test]
fn a_tool_whose_input_or_output_has_no_valid_schema_is_refused() {
    let spec = |name| ToolSpec::new(name, "Reads.").capability("read");
    let takes = tool_fn(spec("takes"), |_, _: Misspelt| async { Ok(1) });
    let gives =
        tool_fn(spec("gives"), |_, _: crate::engine::Text| async { Ok(Misspelt { text: String::new() }) });
    for error in [Registry::builder().tool(takes).unwrap_err(), Registry::builder().tool(gives).unwrap_err()]
    {
        let text = error.to_string();
        assert!(matches!(error, RegistryError::Schema { .. }), "{text}");
        assert!(
            text.contains(r#""strin" cannot stand at"#) && text.contains("properties.text.type"),
            "{text}"
        );
    }
}
