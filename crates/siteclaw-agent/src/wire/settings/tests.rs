use super::*;
use crate::provider::Provider;

/// Who is chosen, as `provider model address key`.
fn chosen(wishes: Wishes<'_>, section: &ProviderSection, env: &[(&str, &str)]) -> Result<String, SetupError> {
    let env = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    Ok(match choose(wishes, section, &env)? {
        Chosen::Offline => "offline".to_owned(),
        Chosen::Remote(remote, key) => {
            let key = key.map_or_else(|| "-".to_owned(), |key| key.expose().to_owned());
            format!("{} {} {} {key}", remote.name(), remote.model(), remote.endpoint.base())
        }
    })
}

fn env_alone(env: &[(&str, &str)]) -> String {
    chosen(Wishes::default(), &ProviderSection::default(), env).unwrap()
}

const ALL_KEYS: [(&str, &str); 7] = [
    ("DEEPSEEK_API_KEY", "d"),
    ("MISTRAL_API_KEY", "m"),
    ("GEMINI_API_KEY", "g"),
    ("GROQ_API_KEY", "q"),
    ("OPENAI_API_KEY", "o"),
    ("ANTHROPIC_API_KEY", "a"),
    ("OLLAMA_HOST", "10.0.0.7"),
];

#[test]
fn the_first_key_in_the_documented_order_decides() {
    let mut left = ALL_KEYS.to_vec();
    let expected = [
        ("ANTHROPIC_API_KEY", "anthropic claude-haiku-4-5-20251001 https://api.anthropic.com a"),
        ("OPENAI_API_KEY", "openai gpt-4o-mini https://api.openai.com/v1 o"),
        ("GROQ_API_KEY", "groq llama-3.1-8b-instant https://api.groq.com/openai/v1 q"),
        ("GEMINI_API_KEY", "gemini gemini-3.5-flash-lite https://generativelanguage.googleapis.com g"),
        ("MISTRAL_API_KEY", "mistral mistral-small-latest https://api.mistral.ai/v1 m"),
        ("DEEPSEEK_API_KEY", "deepseek deepseek-flash https://api.deepseek.com/v1 d"),
        ("OLLAMA_HOST", "ollama qwen2.5:7b http://10.0.0.7:11434 -"),
    ];
    for (variable, wanted) in expected {
        assert_eq!(env_alone(&left), wanted);
        left.retain(|(name, _)| *name != variable);
    }
    assert_eq!(env_alone(&[]), "offline");
    assert_eq!(env_alone(&[("ANTHROPIC_API_KEY", " ")]), "offline");
}

#[test]
fn a_wish_is_stronger_than_the_configuration_and_that_than_keys() {
    let section = ProviderSection {
        name: Some("mistral".to_owned()),
        model: Some("mistral-large-latest".to_owned()),
        ..ProviderSection::default()
    };
    let ask = |wishes| chosen(wishes, &section, &ALL_KEYS).unwrap();
    assert_eq!(ask(Wishes::default()), "mistral mistral-large-latest https://api.mistral.ai/v1 m");
    let wish = |provider, model| Wishes { provider, model, ..Wishes::default() };
    // The configured model is another provider's.
    assert_eq!(ask(wish(Some("groq"), None)), "groq llama-3.1-8b-instant https://api.groq.com/openai/v1 q");
    assert_eq!(ask(wish(None, Some("x"))), "mistral x https://api.mistral.ai/v1 m");
    assert_eq!(ask(wish(Some("offline"), None)), "offline");
}

#[test]
fn a_key_goes_to_the_address_it_belongs_to() {
    let section = |name: Option<&str>, base_url: Option<&str>, key_env: Option<&str>| ProviderSection {
        name: name.map(str::to_owned),
        model: Some("m".to_owned()),
        base_url: base_url.map(str::to_owned),
        key_env: key_env.map(str::to_owned),
        ..ProviderSection::default()
    };
    let env = [
        ("OPENAI_API_KEY", "o"),
        ("PROXY_KEY", "p"),
        ("SITECLAW_PROVIDER_KEY", "s"),
        ("OPENAI_BASE_URL", "https://own.example/v1"),
    ];
    let ask = |section| chosen(Wishes::default(), &section, &env).unwrap();
    assert_eq!(ask(section(Some("openai"), None, None)), "openai m https://api.openai.com/v1 o");
    assert_eq!(
        ask(section(Some("openai"), Some("https://p.example"), None)),
        "openai m https://p.example/v1 -"
    );
    assert_eq!(
        ask(section(Some("openai"), Some("https://p.example"), Some("PROXY_KEY"))),
        "openai m https://p.example/v1 p"
    );
    assert_eq!(ask(section(Some("custom"), None, None)), "custom m https://own.example/v1 s");
    assert_eq!(ask(section(None, Some("https://h:1/x"), None)), "custom m https://h:1/x s");
    let none = [("OPENAI_API_KEY", "o")];
    let custom = section(None, Some("http://127.0.0.1:8000"), None);
    assert_eq!(chosen(Wishes::default(), &custom, &none).unwrap(), "custom m http://127.0.0.1:8000/v1 -");
}

#[test]
fn others_stand_behind_the_one_that_is_configured_and_behind_no_wish() {
    let fallback = |name: &str| Fallback { name: Some(name.to_owned()), ..Fallback::default() };
    let section = ProviderSection {
        name: Some("anthropic".to_owned()),
        max_tokens: Some(7),
        fallback: vec![fallback("groq"), fallback("offline")],
        ..ProviderSection::default()
    };
    let env = |name: &str| name.ends_with("_API_KEY").then(|| format!("key of {name}"));
    let names = |wish: Option<&str>, section: &ProviderSection| {
        let wishes = Wishes { provider: wish, ..Wishes::default() };
        let all = choose_all(wishes, section, &env)?;
        let name = |chosen: &Chosen| match chosen {
            Chosen::Offline => "offline".to_owned(),
            Chosen::Remote(remote, key) => {
                format!("{} {:?}", remote.name(), key.as_ref().map(Secret::expose))
            }
        };
        Ok::<_, SetupError>(all.iter().map(name).collect::<Vec<String>>())
    };
    let all =
        ["anthropic Some(\"key of ANTHROPIC_API_KEY\")", "groq Some(\"key of GROQ_API_KEY\")", "offline"];
    assert_eq!(names(None, &section).unwrap(), all);
    assert_eq!(names(Some("anthropic"), &section).unwrap(), all);
    assert_eq!(names(Some("ollama"), &section).unwrap(), ["ollama None"]);
    assert_eq!(names(Some("offline"), &section).unwrap(), ["offline"]);
    let nameless = ProviderSection { fallback: vec![Fallback::default()], ..section };
    assert_eq!(names(None, &nameless), Err(SetupError::NamelessFallback));
}

#[test]
fn what_is_missing_is_named() {
    let section = ProviderSection::default();
    let wish = |provider, model| Wishes { provider: Some(provider), model, ..Wishes::default() };
    let error = |wishes| chosen(wishes, &section, &[]).unwrap_err().to_string();
    assert_eq!(
        error(wish("anthropic", None)),
        "the provider 'anthropic' needs a key; put it into the variable ANTHROPIC_API_KEY"
    );
    assert_eq!(error(wish("antropic", None)), "there is no provider 'antropic'. Did you mean 'anthropic'?");
    assert_eq!(
        error(wish("xyz", None)),
        "there is no provider 'xyz'. There are anthropic, openai, groq, gemini, mistral, deepseek, ollama, custom, \
         offline."
    );
    assert!(error(wish("custom", Some("m"))).contains("OPENAI_BASE_URL"));
    assert!(error(Wishes { model: Some("gpt-5"), ..Wishes::default() }).contains("'gpt-5' needs a provider"));
    let custom = ProviderSection { base_url: Some("https://h".to_owned()), ..section.clone() };
    assert_eq!(chosen(Wishes::default(), &custom, &[]), Err(SetupError::NoModel));
    let odd = Wishes { model: Some("a b"), ..wish("ollama", None) };
    assert_eq!(chosen(odd, &section, &[]), Err(SetupError::Model("a b".to_owned())));
    // Who only wants to see what would be sent needs no key.
    let look = Wishes { without_key: true, ..wish("openai", None) };
    assert_eq!(chosen(look, &section, &[]).unwrap(), "openai gpt-4o-mini https://api.openai.com/v1 -");
}

#[test]
fn the_address_of_ollama_is_where_its_server_listens() {
    for (host, address) in [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        (":8000", "http://127.0.0.1:8000"),
        ("[::]:8000", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("http://gpu.lan", "http://gpu.lan:80"),
        ("https://gpu.lan/", "https://gpu.lan:443"),
        ("https://gpu.lan:1/ollama", "https://gpu.lan:1/ollama"),
    ] {
        assert_eq!(ollama_address(host), address, "{host}");
    }
}
