//! Operators that a query may use: all that compute, none that assign or run an operator by its schema.

use sqlparser::ast::{BinaryOperator, UnaryOperator};

use super::names::shown;
use super::refusal::Refusal;
use crate::Engine;

/// PostgreSQL operators that the grammar knows only as signs: distance, trigram likeness, adjacency.
const POSTGRES_SIGNS: &[&str] =
    &["<->", "<#>", "<=>", "<%", "%>", "<<%", "%>>", "<->>", "<<->", "-|-", "@@@", "||/"];

/// Refuses an operator between two operands that is not on the list.
pub(super) fn check_binary(engine: Engine, operator: &BinaryOperator) -> Result<(), Refusal> {
    use BinaryOperator as B;
    let allowed = match operator {
        B::Plus
        | B::Minus
        | B::Multiply
        | B::Divide
        | B::Modulo
        | B::StringConcat
        | B::Gt
        | B::Lt
        | B::GtEq
        | B::LtEq
        | B::Eq
        | B::NotEq
        | B::And
        | B::Or
        | B::BitwiseOr
        | B::BitwiseAnd
        | B::Arrow
        | B::LongArrow
        | B::PGBitwiseShiftLeft
        | B::PGBitwiseShiftRight => true,
        B::Spaceship | B::Xor | B::MyIntegerDivide => engine == Engine::MySql,
        B::BitwiseXor | B::PGOverlap => engine != Engine::Sqlite,
        B::Regexp => engine != Engine::Postgres,
        B::Match | B::Glob | B::Is | B::IsNot => engine == Engine::Sqlite,
        B::PGBitwiseXor
        | B::PGExp
        | B::PGRegexMatch
        | B::PGRegexIMatch
        | B::PGRegexNotMatch
        | B::PGRegexNotIMatch
        | B::PGLikeMatch
        | B::PGILikeMatch
        | B::PGNotLikeMatch
        | B::PGNotILikeMatch
        | B::PGStartsWith
        | B::HashArrow
        | B::HashLongArrow
        | B::AtAt
        | B::AtArrow
        | B::ArrowAt
        | B::HashMinus
        | B::AtQuestion
        | B::Question
        | B::QuestionAnd
        | B::QuestionPipe
        | B::Overlaps
        | B::LtDashGt
        | B::AndLt
        | B::AndGt => engine == Engine::Postgres,
        B::Custom(sign) => engine == Engine::Postgres && POSTGRES_SIGNS.contains(&sign.as_str()),
        _ => false,
    };
    if allowed { Ok(()) } else { Err(refused(&operator.to_string())) }
}

/// Refuses an operator before (or after) one operand that is not on the list.
pub(super) fn check_unary(engine: Engine, operator: &UnaryOperator) -> Result<(), Refusal> {
    use UnaryOperator as U;
    let allowed = match operator {
        U::Plus | U::Minus | U::Not | U::BitwiseNot => true,
        U::BangNot => engine == Engine::MySql,
        U::PGAbs | U::PGCubeRoot | U::PGSquareRoot | U::PGPostfixFactorial | U::PGPrefixFactorial => {
            engine == Engine::Postgres
        }
        _ => false,
    };
    if allowed { Ok(()) } else { Err(refused(&operator.to_string())) }
}

fn refused(sign: &str) -> Refusal {
    Refusal::clause(&format!("The operator {}", shown(sign)))
}
