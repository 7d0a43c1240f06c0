//! Where `getenv()` and its kin get their answers.
//!
//! A configuration asks for variables of the site's PHP process, which is not this one. So the answers
//! come from layers that the caller chooses, first match wins: usually an explicit env file, then the
//! variables of our own process, then the site's `.env`. The process layer never gives the product's own
//! settings or a provider's or cloud's credentials: a hostile configuration could otherwise pull them
//! into a value that a tool shows.
//!
//! ```
//! use std::collections::BTreeMap;
//! use siteclaw_php::{Environment, LayeredEnvironment};
//!
//! let file = BTreeMap::from([("DB_NAME".to_owned(), "shop".to_owned())]);
//! let environment = LayeredEnvironment::new()
//!     .with_values(file)
//!     .with_process(|name| Some(format!("process {name}")));
//! assert_eq!(environment.get("DB_NAME").as_deref(), Some("shop"));
//! assert_eq!(environment.get("DB_HOST").as_deref(), Some("process DB_HOST"));
//! assert_eq!(environment.get("OPENAI_API_KEY"), None);
//! ```

use std::collections::BTreeMap;
use std::fmt;

/// Answers lookups of environment variables.
pub trait Environment: Sync {
    /// The variable's value; an empty string is a value, too.
    fn get(&self, name: &str) -> Option<String>;
}

impl Environment for BTreeMap<String, String> {
    fn get(&self, name: &str) -> Option<String> {
        BTreeMap::get(self, name).cloned()
    }
}

/// Layers of variables, asked in the order in which they were added.
#[derive(Default)]
pub struct LayeredEnvironment<'a> {
    layers: Vec<Layer<'a>>,
}

enum Layer<'a> {
    Values(BTreeMap<String, String>),
    Process(Box<Lookup<'a>>),
}

type Lookup<'a> = dyn Fn(&str) -> Option<String> + Send + Sync + 'a;

impl<'a> LayeredEnvironment<'a> {
    /// An environment without variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a layer of values that belong to the site: nothing is hidden of it.
    #[must_use]
    pub fn with_values(mut self, values: BTreeMap<String, String>) -> Self {
        self.layers.push(Layer::Values(values));
        self
    }

    /// Adds the variables of our own process, less those that [`is_reserved`].
    #[must_use]
    pub fn with_process(mut self, lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'a) -> Self {
        self.layers.push(Layer::Process(Box::new(lookup)));
        self
    }
}

impl Environment for LayeredEnvironment<'_> {
    fn get(&self, name: &str) -> Option<String> {
        self.layers.iter().find_map(|layer| match layer {
            Layer::Values(values) => values.get(name).cloned(),
            Layer::Process(_) if is_reserved(name) => None,
            Layer::Process(lookup) => lookup(name),
        })
    }
}

/// Names only: values may be passwords.
impl fmt::Debug for LayeredEnvironment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layers = self.layers.iter().map(|layer| match layer {
            Layer::Values(values) => values.keys().map(String::as_str).collect(),
            Layer::Process(_) => vec!["(process)"],
        });
        f.debug_list().entries(layers).finish()
    }
}

/// First words of variable names that belong to the product, to a model provider, a cloud or a code host.
const RESERVED: &[&str] = &[
    "SITECLAW",
    "ANTHROPIC",
    "CLAUDE",
    "OPENAI",
    "GROQ",
    "GEMINI",
    "MISTRAL",
    "DEEPSEEK",
    "OLLAMA",
    "OPENROUTER",
    "COHERE",
    "XAI",
    "PERPLEXITY",
    "TOGETHER",
    "FIREWORKS",
    "CEREBRAS",
    "REPLICATE",
    "HUGGINGFACE",
    "HUGGINGFACEHUB",
    "HF",
    "VOYAGE",
    "AWS",
    "AZURE",
    "GOOGLE",
    "GCP",
    "GCLOUD",
    "CLOUDSDK",
    "DIGITALOCEAN",
    "HCLOUD",
    "CLOUDFLARE",
    "ALIBABA",
    "IBMCLOUD",
    "OCI",
    "VAULT",
    "GITHUB",
    "GH",
    "GITLAB",
    "CARGO",
    "NPM",
    "SSH",
    "KUBECONFIG",
    "KUBERNETES",
];

/// Whether a variable of our own process is kept from configurations: the product's settings, and
/// credentials of model providers, clouds and code hosts. The case of the name does not matter.
///
/// Names that sound like a credential are kept back too, unless they begin like a site's own settings
/// (`WORDPRESS_DB_PASSWORD`, `DB_PASSWORD`): a configuration is written by others, and could name any
/// variable as its database user and send it to any host.
pub fn is_reserved(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let first = upper.split('_').next().unwrap_or(&upper);
    if RESERVED.contains(&first) || CLIENT_SECRETS.contains(&upper.as_str()) {
        return true;
    }
    CREDENTIAL_WORDS.iter().any(|word| upper.contains(word)) && !SITE_PREFIXES.contains(&first)
}

/// What the clients of databases read for themselves.
const CLIENT_SECRETS: [&str; 3] = ["MYSQL_PWD", "PGPASSWORD", "REDISCLI_AUTH"];

/// Parts of names that hold credentials.
const CREDENTIAL_WORDS: [&str; 9] =
    ["TOKEN", "SECRET", "KEY", "PASS", "PWD", "CREDENTIAL", "AUTH", "COOKIE", "WEBHOOK"];

/// First words of variables that belong to a site.
const SITE_PREFIXES: [&str; 22] = [
    "WORDPRESS",
    "WP",
    "DB",
    "DATABASE",
    "MYSQL",
    "MARIADB",
    "POSTGRES",
    "POSTGRESQL",
    "PG",
    "JOOMLA",
    "DRUPAL",
    "MAGENTO",
    "MAGE",
    "PS",
    "PRESTASHOP",
    "OPENCART",
    "APP",
    "LARAVEL",
    "SYMFONY",
    "SECURE",
    "LOGGED",
    "NONCE",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_layer_with_the_name_answers() {
        let layer = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let environment = LayeredEnvironment::new()
            .with_values(layer(&[("A", ""), ("B", "file")]))
            .with_process(|name| (name != "C").then(|| "process".to_owned()))
            .with_values(layer(&[("A", "dotenv"), ("C", "dotenv"), ("AWS_SECRET_ACCESS_KEY", "site")]));
        assert_eq!(environment.get("A").as_deref(), Some(""));
        assert_eq!(environment.get("B").as_deref(), Some("file"));
        assert_eq!(environment.get("C").as_deref(), Some("dotenv"));
        // The site's own file may hold such a name; only our process is closed to it.
        assert_eq!(environment.get("AWS_SECRET_ACCESS_KEY").as_deref(), Some("site"));
    }

    #[test]
    fn what_sounds_like_a_credential_is_the_sites_only_under_a_sites_name() {
        for name in [
            "SLACK_BOT_TOKEN",
            "HUGGING_FACE_HUB_TOKEN",
            "CF_API_TOKEN",
            "HEROKU_API_KEY",
            "NODE_AUTH_TOKEN",
            "CI_JOB_TOKEN",
            "STRIPE_SECRET",
            "TWILIO_AUTH",
            "MYSQL_PWD",
            "PGPASSWORD",
            "DOCKER_PASSWORD",
        ] {
            assert!(is_reserved(name), "{name}");
        }
        for name in [
            "WORDPRESS_DB_PASSWORD",
            "WORDPRESS_AUTH_KEY",
            "WORDPRESS_DB_PASSWORD_FILE",
            "DB_PASSWORD",
            "MYSQL_PASSWORD",
            "MYSQL_ROOT_PASSWORD",
            "POSTGRES_PASSWORD",
            "APP_KEY",
            "AUTH_KEY_FILE_NAME_X",
            "DATABASE_URL",
            "WP_HOME",
            "HOME",
            "SECURE_AUTH_KEY",
            "NONCE_SALT",
        ] {
            assert_eq!(is_reserved(name), name == "AUTH_KEY_FILE_NAME_X", "{name}");
        }
    }

    #[test]
    fn credentials_of_the_process_stay_hidden() {
        for name in [
            "SITECLAW_CONFIG",
            "siteclaw_config",
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "GEMINI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "AZURE_CLIENT_SECRET",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "HF_TOKEN",
            "GH_TOKEN",
        ] {
            assert!(is_reserved(name), "{name}");
        }
        for name in ["DB_PASSWORD", "WORDPRESS_DB_HOST", "MYSQL_PASSWORD", "RDS_HOSTNAME", "GHOST", "XAIDB"] {
            assert!(!is_reserved(name), "{name}");
        }
    }

    #[test]
    fn debug_shows_names_only() {
        let values = BTreeMap::from([("DB_PASSWORD".to_owned(), "hunter2".to_owned())]);
        let shown = format!("{:?}", LayeredEnvironment::new().with_values(values));
        assert!(shown.contains("DB_PASSWORD") && !shown.contains("hunter2"), "{shown}");
    }
}
