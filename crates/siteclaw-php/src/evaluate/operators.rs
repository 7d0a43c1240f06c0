//! Binary operators.
//!
//! A chain of operators is a tree that leans to the left, as deep as the chain is long; it is walked in
//! a loop, so that a hundred thousand concatenations need no stack.

use std::cmp::Ordering;

use php_ast::{BinaryExpr, BinaryOp, Expr, ExprKind};

use super::budget::MAX_STRING;
use super::machine::Machine;
use crate::array::PhpArray;
use crate::convert::{self, Number};
use crate::unknown::Cause;
use crate::value::PhpValue;

impl<'a> Machine<'a> {
    pub(super) fn binary(&mut self, expression: &'a Expr<'a, 'a>, line: u32) -> PhpValue {
        let mut chain: Vec<&'a BinaryExpr<'a, 'a>> = Vec::new();
        let mut left = expression;
        while let ExprKind::Binary(binary) = &left.kind {
            chain.push(binary);
            left = binary.left;
        }
        let mut value = self.eval(left);
        while let Some(binary) = chain.pop() {
            if !self.budget.spend(1) {
                return self.unknown(Cause::TooMuchWork, line);
            }
            if binary.op == BinaryOp::Concat {
                value = self.concatenation(value, binary.right, &mut chain, line);
            } else {
                value = self.binary_step(binary, value, line);
            }
        }
        value
    }

    /// A run of `.`, joined in one buffer.
    fn concatenation(
        &mut self,
        first: PhpValue,
        second: &'a Expr<'a, 'a>,
        chain: &mut Vec<&'a BinaryExpr<'a, 'a>>,
        line: u32,
    ) -> PhpValue {
        let mut failed = None;
        let mut text = match convert::to_bytes(&first) {
            Some(bytes) => bytes,
            None => {
                failed = Some(self.reason(&first, line).used());
                Vec::new()
            }
        };
        let mut next = Some(second);
        while let Some(operand) = next {
            let value = self.eval(operand);
            if failed.is_none() {
                match convert::to_bytes(&value) {
                    Some(bytes) if text.len() + bytes.len() <= MAX_STRING => text.extend(bytes),
                    Some(_) => failed = Some(self.why(Cause::TooLarge, line)),
                    None => failed = Some(self.reason(&value, line).used()),
                }
            }
            next = None;
            if let Some(binary) = chain.last()
                && binary.op == BinaryOp::Concat
            {
                next = Some(binary.right);
                chain.pop();
            }
        }
        match failed {
            Some(why) => PhpValue::Unknown(why),
            None => self.bounded(PhpValue::from(text), line),
        }
    }

    fn binary_step(&mut self, binary: &'a BinaryExpr<'a, 'a>, left: PhpValue, line: u32) -> PhpValue {
        let decides = match binary.op {
            BinaryOp::BooleanAnd | BinaryOp::LogicalAnd => Some(false),
            BinaryOp::BooleanOr | BinaryOp::LogicalOr => Some(true),
            _ => None,
        };
        let Some(decides) = decides else {
            let right = self.eval(binary.right);
            return self.operate(binary.op, left, right, line);
        };
        match self.test(&left) {
            Some(truth) if truth == decides => PhpValue::Bool(decides),
            Some(_) => {
                let right = self.eval(binary.right);
                match self.test(&right) {
                    Some(truth) => PhpValue::Bool(truth),
                    None => PhpValue::Unknown(self.reason(&right, line).used()),
                }
            }
            None => {
                let why = self.reason(&left, line);
                let right = self.perhaps(line, why.clone(), binary.right);
                match self.test(&right) {
                    Some(truth) if truth == decides => PhpValue::Bool(decides),
                    _ => PhpValue::Unknown(why.used()),
                }
            }
        }
    }

    /// An operator on two values.
    pub(super) fn operate(&mut self, op: BinaryOp, left: PhpValue, right: PhpValue, line: u32) -> PhpValue {
        if !self.budget.handle([&left, &right]) {
            return self.unknown(Cause::TooMuchWork, line);
        }
        let result = match op {
            BinaryOp::Concat => match (convert::to_bytes(&left), convert::to_bytes(&right)) {
                (Some(mut text), Some(more)) => {
                    text.extend(more);
                    return self.bounded(PhpValue::from(text), line);
                }
                _ => None,
            },
            BinaryOp::Equal => self.compared(&left, &right, convert::loosely_equal),
            BinaryOp::NotEqual => {
                self.compared(&left, &right, |a, b| convert::loosely_equal(a, b).map(|same| !same))
            }
            BinaryOp::Identical => self.compared(&left, &right, convert::identical),
            BinaryOp::NotIdentical => {
                self.compared(&left, &right, |a, b| convert::identical(a, b).map(|same| !same))
            }
            BinaryOp::Less => self.ordered(&left, &right, |order| order == Ordering::Less),
            BinaryOp::Greater => self.ordered(&left, &right, |order| order == Ordering::Greater),
            BinaryOp::LessOrEqual => self.ordered(&left, &right, |order| order != Ordering::Greater),
            BinaryOp::GreaterOrEqual => self.ordered(&left, &right, |order| order != Ordering::Less),
            BinaryOp::Spaceship => {
                convert::compare(&self.settled(left.clone()), &self.settled(right.clone()))
                    .map(|order| PhpValue::Int(order as i64))
            }
            BinaryOp::LogicalXor => match (self.test(&left), self.test(&right)) {
                (Some(a), Some(b)) => Some(PhpValue::Bool(a != b)),
                _ => None,
            },
            BinaryOp::Add if matches!((&left, &right), (PhpValue::Array(_), PhpValue::Array(_))) => {
                union(&left, &right)
            }
            _ => arithmetic(op, &left, &right),
        };
        match result {
            Some(value) => self.bounded(value, line),
            None => {
                let culprit = if matches!(left, PhpValue::Unknown(_)) { &left } else { &right };
                match culprit {
                    PhpValue::Unknown(why) => PhpValue::Unknown(why.used()),
                    _ => self.unknown(Cause::Construct("this operation"), line),
                }
            }
        }
    }

    fn compared(
        &self,
        left: &PhpValue,
        right: &PhpValue,
        compare: impl Fn(&PhpValue, &PhpValue) -> Option<bool>,
    ) -> Option<PhpValue> {
        let (left, right) = (self.settled(left.clone()), self.settled(right.clone()));
        if left.unknown().is_some() || right.unknown().is_some() {
            return None;
        }
        compare(&left, &right).map(PhpValue::Bool)
    }

    fn ordered(
        &self,
        left: &PhpValue,
        right: &PhpValue,
        holds: impl Fn(Ordering) -> bool,
    ) -> Option<PhpValue> {
        self.compared(left, right, |a, b| convert::compare(a, b).map(&holds))
    }
}

/// `+` of arrays: the left side's entries win.
fn union(left: &PhpValue, right: &PhpValue) -> Option<PhpValue> {
    let mut array = left.as_array()?.clone();
    let added = right.as_array()?;
    for (key, value) in added.iter() {
        // An open left side may hold the key already.
        if array.open().is_none() && array.get_key(key).is_none() {
            array.set(key.clone(), value.clone());
        }
    }
    if let Some(why) = added.open() {
        array.set_open(why.clone());
    }
    Some(PhpValue::from(array))
}

fn arithmetic(op: BinaryOp, left: &PhpValue, right: &PhpValue) -> Option<PhpValue> {
    let bitwise = matches!(op, BinaryOp::BitwiseAnd | BinaryOp::BitwiseOr | BinaryOp::BitwiseXor);
    if bitwise && matches!((left, right), (PhpValue::Str(_), PhpValue::Str(_))) {
        // On two strings PHP works byte by byte.
        return None;
    }
    let (left, right) = (convert::to_number(left)?, convert::to_number(right)?);
    let float = |apply: fn(f64, f64) -> f64| Some(PhpValue::Float(apply(left.as_float(), right.as_float())));
    if let (Number::Int(a), Number::Int(b)) = (left, right) {
        let exact = match op {
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            BinaryOp::Mul => a.checked_mul(b),
            BinaryOp::Div if b == 0 => return None,
            BinaryOp::Div => a.checked_div(b).filter(|quotient| quotient.checked_mul(b) == Some(a)),
            BinaryOp::Mod => return a.checked_rem(b).map(PhpValue::Int),
            BinaryOp::Pow => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
            BinaryOp::BitwiseAnd => Some(a & b),
            BinaryOp::BitwiseOr => Some(a | b),
            BinaryOp::BitwiseXor => Some(a ^ b),
            BinaryOp::ShiftLeft => Some(shift(b).map_or(0, |b| a << b)).filter(|_| b >= 0),
            BinaryOp::ShiftRight => {
                Some(shift(b).map_or(if a < 0 { -1 } else { 0 }, |b| a >> b)).filter(|_| b >= 0)
            }
            _ => return None,
        };
        if let Some(number) = exact {
            return Some(PhpValue::Int(number));
        }
    }
    match op {
        BinaryOp::Add => float(|a, b| a + b),
        BinaryOp::Sub => float(|a, b| a - b),
        BinaryOp::Mul => float(|a, b| a * b),
        BinaryOp::Div if right.as_float() != 0.0 => float(|a, b| a / b),
        BinaryOp::Pow => float(f64::powf),
        _ => None,
    }
}

fn shift(by: i64) -> Option<u32> {
    u32::try_from(by).ok().filter(|by| *by < 64)
}

/// A merge as by `array_merge()`; nothing when an argument is no array.
pub(super) fn merged(arguments: &[PhpValue]) -> Option<PhpValue> {
    let mut merged = PhpArray::new();
    for argument in arguments {
        match super::expressions::append_all(&mut merged, argument) {
            Ok(()) => {}
            Err(Some(why)) => {
                // What cannot be read may replace any string key that came before it.
                merged = PhpArray::new();
                merged.set_open(why);
            }
            Err(None) => return None,
        }
    }
    Some(PhpValue::from(merged))
}
