//! Truth, casts and the operators of one operand.
//!
//! A missing variable of the environment is an unknown that still tells what PHP would see in its place:
//! conditions and defaults go by that, values do not.

use std::sync::Arc;

use php_ast::{CastKind, Expr, UnaryPrefixOp};

use super::machine::Machine;
use super::statements::Flow;
use crate::array::PhpArray;
use crate::convert;
use crate::unknown::{Absent, Unknown};
use crate::value::{PhpObject, PhpValue};

impl<'a> Machine<'a> {
    /// The truth of a condition; a missing variable of the environment counts as PHP would see it.
    pub(super) fn test(&self, value: &PhpValue) -> Option<bool> {
        match value {
            // Each stand-in is empty.
            PhpValue::Unknown(why) => why.stand_in().map(|_| false),
            other => convert::to_bool(other),
        }
    }

    /// `isset`, and what `??` asks: `false` is set, so `getenv('X') ?? 'default'` never gives the default.
    pub(super) fn is_set(&self, value: &PhpValue) -> Option<bool> {
        match value {
            PhpValue::Null => Some(false),
            PhpValue::Unknown(why) => {
                why.absence().map(|absent| !matches!(absent, Absent::Null | Absent::Unset))
            }
            _ => Some(true),
        }
    }

    /// The value for a comparison: what a missing variable looks like to PHP.
    pub(super) fn settled(&self, value: PhpValue) -> PhpValue {
        match value {
            PhpValue::Unknown(why) => why.stand_in().unwrap_or(PhpValue::Unknown(why)),
            known => known,
        }
    }

    /// Walks the right side of an undecided `&&` or `||`.
    pub(super) fn perhaps(&mut self, line: u32, why: Unknown, expression: &'a Expr<'a, 'a>) -> PhpValue {
        let mut value = PhpValue::Null;
        self.speculate(line, why, |machine| {
            value = machine.eval(expression);
            Flow::Next
        });
        value
    }

    pub(super) fn cast(&mut self, kind: CastKind, value: PhpValue, line: u32) -> PhpValue {
        if kind == CastKind::Bool
            && let Some(truth) = self.test(&value)
        {
            return PhpValue::Bool(truth);
        }
        if let PhpValue::Unknown(why) = &value {
            // A cast of a missing variable still stands for a missing one: `(string) getenv('X') ?: 'd'`.
            let seen = why.stand_in().and_then(|seen| converted(kind, &seen));
            return PhpValue::Unknown(seen.map_or_else(|| why.used(), |seen| why.become_missing(&seen)));
        }
        self.budget.handle([&value]);
        match converted(kind, &value) {
            Some(result) => self.bounded(result, line),
            None => PhpValue::Unknown(self.reason(&value, line).used()),
        }
    }

    pub(super) fn unary(&mut self, op: UnaryPrefixOp, operand: PhpValue, line: u32) -> PhpValue {
        let result = match op {
            UnaryPrefixOp::BooleanNot => self.test(&operand).map(|truth| PhpValue::Bool(!truth)),
            UnaryPrefixOp::Plus => convert::to_number(&operand).map(PhpValue::from),
            UnaryPrefixOp::Negate => convert::to_number(&operand).map(|number| match number {
                convert::Number::Int(number) => match number.checked_neg() {
                    Some(number) => PhpValue::Int(number),
                    None => PhpValue::Float(-(number as f64)),
                },
                convert::Number::Float(number) => PhpValue::Float(-number),
            }),
            UnaryPrefixOp::BitwiseNot => match &operand {
                PhpValue::Int(number) => Some(PhpValue::Int(!number)),
                _ => None,
            },
            _ => None,
        };
        result.unwrap_or_else(|| PhpValue::Unknown(self.reason(&operand, line).used()))
    }
}

fn converted(kind: CastKind, value: &PhpValue) -> Option<PhpValue> {
    match kind {
        CastKind::Bool => convert::to_bool(value).map(PhpValue::Bool),
        CastKind::Int => convert::to_int(value).map(PhpValue::Int),
        CastKind::Float => convert::to_float(value).map(PhpValue::Float),
        CastKind::String => convert::to_bytes(value).map(PhpValue::from),
        CastKind::Array => match value {
            PhpValue::Unknown(_) | PhpValue::Opaque(_) => None,
            PhpValue::Array(_) => Some(value.clone()),
            PhpValue::Object(object) => Some(PhpValue::from(object.fields.clone())),
            PhpValue::Null => Some(PhpValue::from(PhpArray::new())),
            scalar => Some(PhpValue::from(PhpArray::from_iter([scalar.clone()]))),
        },
        CastKind::Object => {
            let fields = match value {
                PhpValue::Array(array) => (**array).clone(),
                PhpValue::Null => PhpArray::new(),
                PhpValue::Object(_) => return Some(value.clone()),
                _ => return None,
            };
            Some(PhpValue::Object(Arc::new(PhpObject { class: "stdClass".to_owned(), fields })))
        }
        _ => None,
    }
}
