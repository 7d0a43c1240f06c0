//! Assignments, definitions and what undoes them.

use std::sync::Arc;

use php_ast::{AssignExpr, AssignOp, Expr, ExprKind, UnaryPostfixOp, UnaryPrefixOp};

use super::budget::{MAX_VALUE_DEPTH, fits};
use super::machine::Machine;
use super::places::{Place, Root, mentions, remove, shared_objects, store};
use crate::config::Unresolved;
use crate::convert::{self, Number};
use crate::unknown::Cause;
use crate::value::{PhpObject, PhpValue};

/// Variables that PHP shows in every scope.
const SUPERGLOBALS: &[&str] =
    &["_SERVER", "_ENV", "_GET", "_POST", "_COOKIE", "_REQUEST", "_FILES", "_SESSION", "GLOBALS"];

/// A value on its way to a place.
pub(super) struct Written {
    value: PhpValue,
    line: u32,
}

impl Written {
    pub(super) fn new(value: PhpValue, line: u32) -> Self {
        Self { value, line }
    }
}

impl<'a> Machine<'a> {
    pub(super) fn assignment(&mut self, assign: &'a AssignExpr<'a, 'a>, line: u32) -> PhpValue {
        if assign.by_ref {
            // Two names for one value: what is written through either is not followed.
            let unknown = self.unknown(Cause::Construct("a reference"), line);
            self.assign(assign.value, Written::new(unknown.clone(), line));
            self.assign(assign.target, Written::new(unknown.clone(), line));
            return unknown;
        }
        let value = match assign.op {
            AssignOp::Assign => self.eval(assign.value),
            AssignOp::Coalesce => {
                let current = self.eval(assign.target);
                match self.is_set(&current) {
                    Some(true) => return current,
                    Some(false) => self.eval(assign.value),
                    None => self.unknown(Cause::Condition(line), line),
                }
            }
            op => {
                let current = self.eval(assign.target);
                let operand = self.eval(assign.value);
                match binary_of(op) {
                    Some(op) => self.operate(op, current, operand, line),
                    None => self.unknown(Cause::Construct("this assignment"), line),
                }
            }
        };
        if let ExprKind::Variable(name) = &assign.target.kind {
            let extra = self.is_config_extra(assign.value);
            if let Some(scope) = self.scopes.last_mut() {
                scope.extra.retain(|known| known != name.as_str());
                if extra {
                    scope.extra.push(name.as_str().to_owned());
                }
            }
        }
        self.assign(assign.target, Written::new(value.clone(), line));
        value
    }

    /// Writes to a place, or to each place of a list.
    pub(super) fn assign(&mut self, target: &'a Expr<'a, 'a>, written: Written) {
        let line = written.line;
        if let ExprKind::Array(elements) = &target.kind {
            for (position, element) in elements.iter().enumerate() {
                let inner = element.value();
                if matches!(inner.kind, ExprKind::Omit) {
                    continue;
                }
                let key = match &element.key {
                    Some(key) => self.eval(key),
                    None => PhpValue::Int(i64::try_from(position).unwrap_or(i64::MAX)),
                };
                let value = self.element(&written.value, &key, line);
                if self.enter() {
                    self.assign(inner, Written::new(value, line));
                    self.leave_expression();
                }
            }
            return;
        }
        match self.place(target) {
            Some(place) => self.write(&place, written),
            None if matches!(target.kind, ExprKind::VariableVariable(_)) => {
                let why = self.why(Cause::Construct("a variable whose name is computed"), line);
                self.unread.push(Unresolved { name: "$$…".to_owned(), why });
            }
            None => {}
        }
    }

    fn write(&mut self, place: &Place, written: Written) {
        let Written { mut value, line } = written;
        if usize::from(value.depth()) + place.steps.len() > usize::from(MAX_VALUE_DEPTH) {
            value = self.unknown(Cause::TooLarge, line);
        }
        let doubt = self.doubt(&place.name());
        let mut copied = 0;
        let file = self.file.path.clone();
        let mut located = self.take(&place.root);
        let exists = located.is_some();
        let (mut slot, origin) = match located.take() {
            Some(located) => (located.value, Some((located.file, located.line))),
            None => (PhpValue::Null, None),
        };
        let shared = shared_objects(&slot, &place.steps);
        store(&mut slot, exists, &place.steps, value, doubt.as_ref(), &mut copied);
        if !shared.is_empty() && doubt.is_none() {
            self.lose_aliases(&shared, line);
        }
        if !fits(&slot) {
            slot = self.unknown(Cause::TooLarge, line);
        }
        let kept = doubt.is_some_and(|(_, keeps)| keeps);
        let (file, line) = origin.filter(|_| kept).unwrap_or((file, line));
        self.put(&place.root, crate::config::Located { value: slot, file, line });
        self.budget.spend(copied);
    }

    /// An object has one identity under all its names; here each name has a copy. When one is written
    /// through, the others are unknown.
    fn lose_aliases(&mut self, shared: &[Arc<PhpObject>], line: u32) {
        let why = self.why(Cause::Construct("an object with two names"), line);
        let mut work = 0u32;
        for located in self.scopes.iter_mut().flat_map(|scope| scope.variables.values_mut()) {
            work = work.saturating_add(located.value.nodes());
            if mentions(&located.value, shared) {
                located.value = PhpValue::Unknown(why.clone());
            }
        }
        self.budget.spend(work);
    }

    pub(super) fn set_variable(&mut self, name: &str, value: PhpValue, line: u32) {
        let place = Place { root: Root::Variable(name.to_owned()), steps: Vec::new() };
        self.write(&place, Written { value, line });
    }

    fn take(&mut self, root: &Root) -> Option<crate::config::Located> {
        match root {
            Root::Variable(name) => self.variables_of(name)?.remove(name),
            Root::Member(class, name) => self.class_mut(class)?.properties.remove(name),
        }
    }

    fn put(&mut self, root: &Root, located: crate::config::Located) {
        match root {
            Root::Variable(name) => {
                if let Some(variables) = self.variables_of(name) {
                    variables.insert(name.clone(), located);
                }
            }
            Root::Member(class, name) => {
                if let Some(class) = self.class_mut(class) {
                    class.properties.insert(name.clone(), located);
                }
            }
        }
    }

    /// The scope that a variable lives in.
    pub(super) fn variables_of(
        &mut self,
        name: &str,
    ) -> Option<&mut std::collections::HashMap<String, crate::config::Located>> {
        let scope =
            if SUPERGLOBALS.contains(&name) { self.scopes.first_mut() } else { self.scopes.last_mut() };
        scope.map(|scope| &mut scope.variables)
    }

    pub(super) fn unset(&mut self, target: &'a Expr<'a, 'a>) {
        let Some(place) = self.place(target) else { return };
        if self.doubt(&place.name()).is_some() {
            return;
        }
        if let Some(mut located) = self.take(&place.root)
            && !place.steps.is_empty()
        {
            self.budget.handle([&located.value]);
            remove(&mut located.value, &place.steps);
            self.put(&place.root, located);
        }
    }

    /// `global $name` in a function: the call works on the file level's value and gives it back.
    pub(super) fn tie_global(&mut self, name: &str) {
        if self.scopes.len() < 2 {
            return;
        }
        let value = self.scopes.first().and_then(|scope| scope.variables.get(name)).cloned();
        if let Some(scope) = self.scopes.last_mut() {
            scope.globals.push(name.to_owned());
            if let Some(value) = value {
                scope.variables.insert(name.to_owned(), value);
            }
        }
    }

    /// Defines a constant; PHP keeps the first definition.
    pub(super) fn define(&mut self, name: &str, value: PhpValue, line: u32) {
        let doubt = self.doubt(name);
        if self.config.constants.contains_key(name) || super::constants::value(name).is_some() {
            return;
        }
        let value = match doubt {
            Some((outcome, _)) => PhpValue::Unknown(outcome),
            None => value,
        };
        let located = self.located(value, line);
        self.config.constants.insert(name.to_owned(), located);
    }

    /// `++` and `--`.
    pub(super) fn step(&mut self, target: &'a Expr<'a, 'a>, delta: i64, line: u32) -> (PhpValue, PhpValue) {
        let before = self.eval(target);
        let after = match (&before, convert::to_number(&before)) {
            (PhpValue::Unknown(why), _) => PhpValue::Unknown(why.used()),
            (_, Some(Number::Int(number))) => match number.checked_add(delta) {
                Some(number) => PhpValue::Int(number),
                None => PhpValue::Float(number as f64 + delta as f64),
            },
            (_, Some(Number::Float(number))) => PhpValue::Float(number + delta as f64),
            _ => self.unknown(Cause::Construct("an increment of text"), line),
        };
        self.assign(target, Written::new(after.clone(), line));
        (before, after)
    }
}

pub(super) fn prefix_delta(op: UnaryPrefixOp) -> Option<i64> {
    match op {
        UnaryPrefixOp::PreIncrement => Some(1),
        UnaryPrefixOp::PreDecrement => Some(-1),
        _ => None,
    }
}

pub(super) fn postfix_delta(op: UnaryPostfixOp) -> i64 {
    match op {
        UnaryPostfixOp::PostDecrement => -1,
        _ => 1,
    }
}

fn binary_of(op: AssignOp) -> Option<php_ast::BinaryOp> {
    use php_ast::BinaryOp;
    Some(match op {
        AssignOp::Plus => BinaryOp::Add,
        AssignOp::Minus => BinaryOp::Sub,
        AssignOp::Mul => BinaryOp::Mul,
        AssignOp::Div => BinaryOp::Div,
        AssignOp::Mod => BinaryOp::Mod,
        AssignOp::Pow => BinaryOp::Pow,
        AssignOp::Concat => BinaryOp::Concat,
        AssignOp::BitwiseAnd => BinaryOp::BitwiseAnd,
        AssignOp::BitwiseOr => BinaryOp::BitwiseOr,
        AssignOp::BitwiseXor => BinaryOp::BitwiseXor,
        AssignOp::ShiftLeft => BinaryOp::ShiftLeft,
        AssignOp::ShiftRight => BinaryOp::ShiftRight,
        _ => return None,
    })
}
