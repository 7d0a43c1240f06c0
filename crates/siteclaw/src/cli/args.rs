//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Ask a website questions and get work done, through typed and guarded tools.
#[derive(Debug, Parser)]
#[command(name = "siteclaw", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Global {
    /// The site's folder; by default the nearest parent folder that is a site
    #[arg(long, global = true, value_name = "DIR", env = "SITECLAW_SITE")]
    pub(crate) site: Option<PathBuf>,
    /// The folder in which files are made and changed; by default one in the state folder
    #[arg(long, global = true, value_name = "DIR", env = "SITECLAW_WORKSPACE")]
    pub(crate) workspace: Option<PathBuf>,
    /// The configuration file; by default siteclaw/siteclaw.toml in the XDG configuration folder
    #[arg(long, global = true, value_name = "FILE", env = "SITECLAW_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Who answers: anthropic, openai, groq, gemini, mistral, deepseek, ollama, custom or offline
    #[arg(long, global = true, value_name = "NAME", env = "SITECLAW_PROVIDER")]
    pub(crate) provider: Option<String>,
    /// The model's id; by default the provider's usual one
    #[arg(long, global = true, value_name = "ID", env = "SITECLAW_MODEL")]
    pub(crate) model: Option<String>,
    /// Print one JSON document on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say more on standard error; twice or three times for more still
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask once, in your own words
    Send {
        /// The question
        #[arg(required = true, num_args = 1..)]
        message: Vec<String>,
        /// Show exactly what would be sent to the model's provider, and send nothing
        #[arg(long)]
        dry_run: bool,
        /// Add what happens to this file, a JSON document a line, secrets replaced
        #[arg(long, value_name = "FILE")]
        log: Option<PathBuf>,
    },
    /// Show which tools a model would see for a message, and why
    Explain {
        /// The message
        #[arg(required = true, num_args = 1..)]
        message: Vec<String>,
    },
    /// List the tools, or show one with its arguments
    Tools {
        /// A tool to show whole
        name: Option<String>,
    },
    /// Call one tool, without a model
    Call {
        /// The tool's name
        tool: String,
        /// One JSON object, or key=value pairs; '-' reads the object from standard input
        #[arg(value_name = "JSON | KEY=VALUE", num_args = 0..)]
        arguments: Vec<String>,
    },
    /// Serve the tools to an MCP client on standard input and output
    Mcp,
    /// Show what was detected, without secrets
    Site,
    /// Check everything and say what to fix
    Doctor,
    /// Make a demo shop on SQLite and ask it three questions
    Demo {
        /// The folder to make it in
        #[arg(default_value = "siteclaw-demo")]
        dir: PathBuf,
        /// Make it anew, even if it is there
        #[arg(long)]
        fresh: bool,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}
