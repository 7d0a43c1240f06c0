//! The tool-facing form of a [`DbError`].

use siteclaw_core::{Code, ToolError, code};

use super::DbError;

const UNKNOWN_TABLE: Code = Code::new("SQL_UNKNOWN_TABLE");
const UNKNOWN_COLUMN: Code = Code::new("SQL_UNKNOWN_COLUMN");
const SYNTAX: Code = Code::new("SQL_SYNTAX");
const READ_ONLY: Code = Code::new("SQL_READ_ONLY");
const FORBIDDEN: Code = Code::new("SQL_FORBIDDEN");
const BAD_PARAMETERS: Code = Code::new("SQL_BAD_PARAMETERS");
const TOO_LARGE: Code = Code::new("VALUE_TOO_LARGE");
const BUSY: Code = Code::new("DATABASE_BUSY");

impl DbError {
    /// The stable code under which a tool reports this.
    pub fn code(&self) -> Code {
        match self {
            Self::Unreachable { .. }
            | Self::LoginRefused { .. }
            | Self::AuthPluginUnsupported { .. }
            | Self::TlsFailed { .. }
            | Self::UnknownDatabase { .. }
            | Self::TooManyConnections { .. }
            | Self::ServerTooOld { .. }
            | Self::ConnectionLost { .. }
            | Self::FileMissing { .. }
            | Self::FileUnreadable { .. }
            | Self::NotADatabase { .. } => code::DATABASE_UNAVAILABLE,
            Self::TimedOut { .. } => code::TIMEOUT,
            Self::Busy { .. } => BUSY,
            Self::TableMissing { .. } => UNKNOWN_TABLE,
            Self::ColumnMissing { .. } => UNKNOWN_COLUMN,
            Self::PermissionDenied { .. } => FORBIDDEN,
            Self::SyntaxNear { .. } => SYNTAX,
            Self::ReadOnly { .. } => READ_ONLY,
            Self::BadParameters { .. } => BAD_PARAMETERS,
            Self::TooLarge { .. } => TOO_LARGE,
            Self::BadStatement { .. } | Self::BadValue { .. } | Self::Other { .. } => code::SQL_FAILED,
        }
    }
}

impl From<DbError> for ToolError {
    fn from(error: DbError) -> Self {
        let mut tool = Self::new(error.code(), error.to_string());
        if let Some(hint) = error.hint() {
            tool = tool.hint(hint);
        }
        if error.retryable() {
            tool = tool.retryable();
        }
        match &error {
            DbError::TableMissing { table, .. } => tool = tool.with("table", table.as_str()),
            DbError::ColumnMissing { column, .. } => tool = tool.with("column", column.as_str()),
            _ => {}
        }
        tool.source(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_column_tells_the_model_and_keeps_the_cause_for_the_operator() {
        let cause = std::io::Error::other("1054 (42S22): Unknown column 'titel' in 'field list'");
        let error = DbError::ColumnMissing { column: "titel".into(), source: Some(cause.into()) };
        let tool = ToolError::from(error);
        assert_eq!(tool.code().as_str(), "SQL_UNKNOWN_COLUMN");
        assert_eq!(tool.message(), "There is no column `titel`.");
        assert_eq!(tool.context().get("column"), Some(&"titel".into()));
        assert!(!tool.is_retryable());
        assert!(tool.cause_chain().unwrap().ends_with("Unknown column 'titel' in 'field list'"));
    }

    #[test]
    fn only_passing_troubles_are_retryable() {
        let busy = ToolError::from(DbError::Busy { what: "a lock", source: None });
        assert_eq!((busy.code().as_str(), busy.is_retryable()), ("DATABASE_BUSY", true));
        let slow = ToolError::from(DbError::TimedOut { limit: std::time::Duration::from_secs(20) });
        assert_eq!((slow.code(), slow.is_retryable()), (code::TIMEOUT, false));
        assert_eq!(slow.message(), "The statement ran longer than 20 s and was stopped.");
        let refused = DbError::LoginRefused { user: "shop".into(), address: "db:3306".into(), source: None };
        assert_eq!(ToolError::from(refused).code(), code::DATABASE_UNAVAILABLE);
    }
}
