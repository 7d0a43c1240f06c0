//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{ToolError, Warning, code};

use crate::wordpress::modes::Given;

/// Arguments of `wc_shipping`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only the zone with this id; 0 for places that no zone covers.
    #[schemars(range(min = 0))]
    zone_id: Option<i64>,
    /// Only the zone that serves this country, as two capital letters.
    #[schemars(regex(pattern = "^[A-Z]{2}$"))]
    country: Option<String>,
    /// State of the country, by its code.
    #[schemars(length(min = 1, max = 20))]
    state: Option<String>,
    /// Postcode in the country.
    #[schemars(length(min = 1, max = 20))]
    postcode: Option<String>,
    /// Add costs and conditions of the methods.
    #[serde(default)]
    include_settings: bool,
    /// Show what can be asked, without asking the database.
    #[serde(default)]
    schema: bool,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) schema: bool,
    pub(super) zone_id: Option<i64>,
    pub(super) place: Option<Place>,
    pub(super) settings: bool,
    pub(super) unused: Vec<Warning>,
}

/// A place that something is sent to.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) country: String,
    pub(super) state: String,
    pub(super) postcode: String,
}

impl Plan {
    pub(super) fn of(input: Input) -> Result<Self, ToolError> {
        let unused = if input.schema {
            Given::of(&input).ignored("schema", |name| name != "schema")
        } else {
            Vec::new()
        };
        if input.zone_id.is_some() && input.country.is_some() {
            return Err(ToolError::new(code::CONFLICTING_MODES, "zone_id and country exclude each other."));
        }
        let named = input.state.is_some() || input.postcode.is_some();
        let place = match input.country {
            None if named && !input.schema => {
                return Err(ToolError::new(code::INVALID_ARGUMENT, "state and postcode ask for a country.")
                    .hint("Give country as two capital letters, such as DE."));
            }
            None => None,
            Some(country) => Some(Place {
                country,
                state: input.state.unwrap_or_default(),
                postcode: input.postcode.unwrap_or_default(),
            }),
        };
        Ok(Self {
            schema: input.schema,
            zone_id: input.zone_id,
            place,
            settings: input.include_settings,
            unused,
        })
    }
}
