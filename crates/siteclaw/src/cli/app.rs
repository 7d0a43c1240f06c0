//! One engine for one command: configuration, site, tools and door.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use siteclaw_core::{
    Caller, CapabilityPolicy, Clock, Executor, FixedClock, Ids, Masker, Observer, Registry, Run, Surface,
    SystemClock,
};
use siteclaw_site::detect::Detectors;
use siteclaw_site::{AttachOptions, Site, SiteError};
use siteclaw_tools::{CORE_TOOLS, CoreParts, core_tools};

use super::args::Global;
use super::config::Config;
use super::exit::{Exit, Failure};
use super::gate::TerminalGate;
use super::state::State;
use super::workspace;

/// Everything a command works with.
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) state: State,
    pub(crate) site: Option<Site>,
    pub(crate) executor: Executor,
    pub(crate) clock: Arc<dyn Clock>,
    /// The columns for an answer, if they are limited.
    pub(crate) width: Option<usize>,
}

/// Ids that no other process makes: the time and random bits.
struct RandomIds;

impl Ids for RandomIds {
    fn next(&self, kind: &str) -> String {
        let mut bytes = [0; 8];
        // Without random bytes the clock alone keeps ids apart well enough.
        let _ = getrandom::fill(&mut bytes);
        let millis = Timestamp::now().as_millisecond();
        let random: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{kind}_{millis:x}{random}")
    }
}

impl App {
    /// Builds the engine. A named folder that is no site is an error; without one there may be no site.
    pub(crate) fn start(global: &Global, observers: Vec<Arc<dyn Observer>>) -> Result<Self, Failure> {
        let config = Config::load(global.config.as_deref())?;
        Self::with(global, config, State::locate(), clock()?, observers)
    }

    /// As [`start`](Self::start), with configuration, state and clock from elsewhere.
    pub(crate) fn with(
        global: &Global,
        config: Config,
        state: State,
        clock: Arc<dyn Clock>,
        observers: Vec<Arc<dyn Observer>>,
    ) -> Result<Self, Failure> {
        let key_state = state.clone();
        let masker = Arc::new(Masker::lazy(move || key_state.masking_key()));
        let site = attach(global, &config, &masker)?;
        let root = site.as_ref().map(|site| site.root().to_owned());
        let parts = CoreParts {
            roots: workspace::roots(global, &config, &state, site.as_ref())?,
            settings: config.tool_settings(root.as_deref())?,
            masker: Arc::clone(&masker),
            platforms: Arc::new(Detectors),
        };
        let registry = registry(site.as_ref(), &parts, &config, root.as_deref())?;
        let mut builder = Executor::builder(
            registry,
            Arc::new(CapabilityPolicy),
            masker,
            Arc::clone(&clock),
            Arc::new(RandomIds),
        );
        for observer in observers {
            builder = builder.observer(observer);
        }
        Ok(Self {
            config,
            state,
            site,
            executor: builder.build(),
            clock,
            width: super::printer::columns(global.json),
        })
    }

    /// A run of the person at the console.
    pub(crate) fn run(&self, surface: Surface) -> Run {
        let caller = Caller::console(surface, TerminalGate::is_possible());
        let builder = Run::builder(self.executor.new_id("run"), caller).gate(Arc::new(TerminalGate));
        if surface == Surface::Cli { builder.never_tainted().build() } else { builder.build() }
    }

    /// The site, or the reason why there is none.
    pub(crate) fn site(&self) -> Result<&Site, Failure> {
        self.site.as_ref().ok_or_else(no_site)
    }
}

fn no_site() -> Failure {
    match std::env::current_dir() {
        Ok(here) => match Site::attach(&here, AttachOptions::default()) {
            Err(error) => Failure::usage(error),
            Ok(_) => Failure::usage("The site appeared just now; run the command again."),
        },
        Err(error) => Failure::usage(format!("The working folder cannot be read: {error}.")),
    }
}

fn attach(global: &Global, config: &Config, masker: &Arc<Masker>) -> Result<Option<Site>, Failure> {
    let named = global.site.is_some();
    let start: PathBuf = match &global.site {
        Some(path) => path.clone(),
        None => match std::env::current_dir() {
            Ok(path) => path,
            Err(_) => return Ok(None),
        },
    };
    let learner = Arc::clone(masker);
    let options = AttachOptions {
        process_env: Some(Arc::new(|name| std::env::var(name).ok())),
        on_secrets: Some(Arc::new(move |secrets| learner.learn(secrets))),
        ..AttachOptions::default()
    };
    // Which part of the file holds is known once the root is.
    let configure = |root: &Path, options: &mut AttachOptions| config.apply(Some(root), options);
    match Site::attach_with(&start, options, configure) {
        Ok(site) => Ok(Some(site)),
        Err(SiteError::NotFound(_)) if !named => Ok(None),
        Err(error) => Err(Failure::usage(error)),
    }
}

/// The site's tools, and the core tools that the site has no tool of its own for.
fn registry(
    site: Option<&Site>,
    parts: &CoreParts,
    config: &Config,
    root: Option<&Path>,
) -> Result<Registry, Failure> {
    let mut builder = Registry::builder();
    let mut absent = CORE_TOOLS.to_vec();
    if let Some(site) = site {
        for entry in site.tools().map_err(Failure::usage)? {
            builder = builder.entry(entry).map_err(Failure::usage)?;
        }
        for (name, members) in site.groups() {
            builder = builder.group(name, members);
        }
        absent.extend(site.known_names());
    }
    for entry in core_tools(parts).map_err(Failure::usage)? {
        builder = builder.entry(entry).map_err(Failure::usage)?;
    }
    for (names, place) in config.deny(root) {
        builder = builder.deny(names, &place).map_err(Failure::usage)?;
    }
    builder.build(&absent).map_err(Failure::usage)
}

/// The machine's clock, or the moment that `SITECLAW_NOW` fixes.
pub(crate) fn clock() -> Result<Arc<dyn Clock>, Failure> {
    match std::env::var("SITECLAW_NOW") {
        Ok(text) if !text.trim().is_empty() => {
            let moment = parse_moment(text.trim()).ok_or_else(|| {
                Failure::new(
                    Exit::Usage,
                    "SITECLAW_NOW is no moment; write it like 2026-11-30T12:00:00Z or 2026-11-30.",
                )
            })?;
            Ok(Arc::new(FixedClock(moment)))
        }
        _ => Ok(Arc::new(SystemClock)),
    }
}

/// A moment with its zone, or a day, which stands for its noon in UTC.
fn parse_moment(text: &str) -> Option<Timestamp> {
    text.parse().ok().or_else(|| {
        let day: jiff::civil::Date = text.parse().ok()?;
        jiff::tz::TimeZone::UTC.to_timestamp(day.at(12, 0, 0, 0)).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_with_their_zone() {
        let utc = |text: &str| parse_moment(text).map(|moment| moment.to_string());
        assert_eq!(utc("2026-11-30T12:00:00+02:00").as_deref(), Some("2026-11-30T10:00:00Z"));
        assert_eq!(utc("2026-11-30").as_deref(), Some("2026-11-30T12:00:00Z"));
        assert_eq!(utc("tomorrow"), None);
    }
}
