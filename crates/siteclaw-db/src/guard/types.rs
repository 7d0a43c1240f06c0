//! Types, collations and date fields that a query may name.
//!
//! Types are on a list because some do work of their own: PostgreSQL's `regclass` looks names up, and a
//! row type is as good as a table's name.

use sqlparser::ast::{
    ArrayElemTypeDef, DataType, DateTimeField, ExtractSyntax, Ident, ObjectName, ObjectNamePart, TypeModifier,
};

use super::names::{self, parts, shown};
use super::refusal::Refusal;
use crate::{Engine, Schema};

/// PostgreSQL types that the grammar does not know by name.
const POSTGRES_TYPES: &[&str] = &[
    "citext",
    "inet",
    "cidr",
    "macaddr",
    "money",
    "ltree",
    "hstore",
    "jsonpath",
    "int4range",
    "int8range",
    "numrange",
    "daterange",
    "tsrange",
    "tstzrange",
    "timetz",
    "timestamptz",
    "int2",
    "int4",
    "int8",
    "float4",
    "float8",
    "bpchar",
    "bool",
];
const MYSQL_TYPES: &[&str] = &["year", "nchar", "fixed", "real"];

/// Checks a type; one that is not on the list may be one that a column of the site has, such as an
/// enumeration, and is quoted then.
pub(super) fn settle_type(schema: &Schema, data_type: &mut DataType) -> Result<(), Refusal> {
    let engine = schema.engine;
    match data_type {
        DataType::Array(ArrayElemTypeDef::SquareBracket(of, _)) if engine == Engine::Postgres => {
            settle_type(schema, of)
        }
        DataType::Custom(name, modifiers) if engine == Engine::Postgres && modifiers.is_empty() => {
            match parts(name)?.as_slice() {
                [ident] if is_of_site(schema, &names::read(engine, ident)?) => {
                    *name = names::quoted(engine, &names::read(engine, ident)?).into();
                    Ok(())
                }
                _ => check_type(engine, data_type),
            }
        }
        _ => check_type(engine, data_type),
    }
}

fn is_of_site(schema: &Schema, name: &str) -> bool {
    let bare = |data_type: &str| data_type.trim_end_matches("[]").trim_matches('"') == name;
    let looks_up = name.starts_with("reg") || name.starts_with("pg_");
    !looks_up
        && !POSTGRES_TYPES.contains(&name)
        && schema.tables.values().flat_map(|table| &table.columns).any(|column| bare(&column.data_type))
}

/// Refuses a type that is not on the list.
fn check_type(engine: Engine, data_type: &DataType) -> Result<(), Refusal> {
    use DataType as T;
    let refused = || {
        let text = data_type.to_string();
        Err(Refusal::clause(&format!("The type {}", shown(&text))))
    };
    match data_type {
        T::Character(_)
        | T::Char(_)
        | T::CharacterVarying(_)
        | T::CharVarying(_)
        | T::Varchar(_)
        | T::Nvarchar(_)
        | T::Uuid
        | T::Binary(_)
        | T::Varbinary(_)
        | T::Blob(_)
        | T::Numeric(_)
        | T::Decimal(_)
        | T::DecimalUnsigned(_)
        | T::Dec(_)
        | T::Float(_)
        | T::FloatUnsigned(_)
        | T::TinyInt(_)
        | T::TinyIntUnsigned(_)
        | T::Int2(_)
        | T::SmallInt(_)
        | T::SmallIntUnsigned(_)
        | T::MediumInt(_)
        | T::MediumIntUnsigned(_)
        | T::Int(_)
        | T::Int4(_)
        | T::Int8(_)
        | T::Integer(_)
        | T::IntUnsigned(_)
        | T::IntegerUnsigned(_)
        | T::BigInt(_)
        | T::BigIntUnsigned(_)
        | T::Signed
        | T::SignedInteger
        | T::Unsigned
        | T::UnsignedInteger
        | T::Float4
        | T::Real
        | T::Float8
        | T::Double(_)
        | T::DoublePrecision
        | T::Bool
        | T::Boolean
        | T::Date
        | T::Time(..)
        | T::Datetime(_)
        | T::Timestamp(..)
        | T::Interval { .. }
        | T::JSON
        | T::JSONB
        | T::Text
        | T::Bytea
        | T::Bit(_)
        | T::BitVarying(_)
        | T::VarBit(_)
        | T::TsVector
        | T::TsQuery
        | T::GeometricType(_) => Ok(()),
        T::Array(ArrayElemTypeDef::SquareBracket(of, _)) if engine == Engine::Postgres => {
            check_type(engine, of)
        }
        T::Unspecified if engine == Engine::Sqlite => Ok(()),
        T::Custom(name, modifiers) => match single(name) {
            Some(ident) if is_custom(engine, ident) && modifiers.iter().all(is_number) => Ok(()),
            _ => refused(),
        },
        _ => refused(),
    }
}

fn single(name: &ObjectName) -> Option<&Ident> {
    match name.0.as_slice() {
        [ObjectNamePart::Identifier(ident)] if ident.quote_style.is_none() => Some(ident),
        _ => None,
    }
}

fn is_custom(engine: Engine, ident: &Ident) -> bool {
    let name = ident.value.to_ascii_lowercase();
    match engine {
        Engine::Postgres => POSTGRES_TYPES.contains(&name.as_str()),
        Engine::MySql => MYSQL_TYPES.contains(&name.as_str()),
        // SQLite reads only the affinity out of a type's name.
        Engine::Sqlite => is_word(&name),
    }
}

fn is_number(modifier: &TypeModifier) -> bool {
    matches!(modifier, TypeModifier::Number(digits, false) if digits.chars().all(|c| c.is_ascii_digit()))
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Refuses a collation or character set with an odd name.
pub(super) fn check_collation(engine: Engine, name: &ObjectName) -> Result<(), Refusal> {
    let fits = |ident: &Ident| {
        let plain =
            ident.value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '@'));
        match ident.quote_style {
            None => is_word(&ident.value),
            Some(mark) => plain && engine != Engine::MySql && mark == '"',
        }
    };
    match parts(name)?.as_slice() {
        [ident] if fits(ident) => Ok(()),
        [schema, ident] if engine == Engine::Postgres && schema.value == "pg_catalog" && fits(ident) => {
            Ok(())
        }
        _ => Err(Refusal::clause("This collation")),
    }
}

/// Refuses fields that are not plain words.
pub(super) fn check_field(field: &DateTimeField) -> Result<(), Refusal> {
    match field {
        DateTimeField::Custom(_) | DateTimeField::Week(Some(_)) => {
            Err(Refusal::clause("This part of a date"))
        }
        _ => Ok(()),
    }
}

/// Refuses `EXTRACT(part, date)`, which none of the three servers has.
pub(super) fn check_extract(syntax: &ExtractSyntax) -> Result<(), Refusal> {
    match syntax {
        ExtractSyntax::From => Ok(()),
        ExtractSyntax::Comma => Err(Refusal::clause("EXTRACT with a comma")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlparser::dialect::{MySqlDialect, PostgreSqlDialect, SQLiteDialect};
    use sqlparser::parser::Parser;

    fn allowed(engine: Engine, text: &str) -> bool {
        let data_type = match engine {
            Engine::MySql => Parser::new(&MySqlDialect {}).try_with_sql(text).unwrap().parse_data_type(),
            Engine::Postgres => {
                Parser::new(&PostgreSqlDialect {}).try_with_sql(text).unwrap().parse_data_type()
            }
            Engine::Sqlite => Parser::new(&SQLiteDialect {}).try_with_sql(text).unwrap().parse_data_type(),
        };
        check_type(engine, &data_type.unwrap()).is_ok()
    }

    #[test]
    fn types_that_hold_values_are_allowed() {
        for text in [
            "text",
            "int[]",
            "numeric(10,2)",
            "timestamptz",
            "jsonb",
            "citext",
            "uuid",
            "varchar(20)[]",
            "interval",
            "tsvector",
        ] {
            assert!(allowed(Engine::Postgres, text), "{text}");
        }
        for text in [
            "CHAR",
            "UNSIGNED",
            "DECIMAL(10,2)",
            "SIGNED",
            "DATE",
            "DATETIME(3)",
            "JSON",
            "BINARY",
            "YEAR",
            "DOUBLE",
        ] {
            assert!(allowed(Engine::MySql, text), "{text}");
        }
        for text in ["TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", "WHATEVER"] {
            assert!(allowed(Engine::Sqlite, text), "{text}");
        }
    }

    #[test]
    fn types_that_look_things_up_or_stand_for_rows_are_refused() {
        for text in ["regclass", "regproc", "regclass[]", "users", "public.users", "\"text\"", "name", "xml"]
        {
            assert!(!allowed(Engine::Postgres, text), "{text}");
        }
    }
}
