//! Expressions.

use std::sync::Arc;

use php_ast::{Arg, ArgKind, ArrayElement, Expr, ExprKind, MagicConstKind, MatchExpr, Name, StringPart};

use super::assign::{postfix_delta, prefix_delta};
use super::budget::MAX_EXPRESSION_DEPTH;
use super::machine::Machine;
use super::places::key_of;
use crate::array::PhpArray;
use crate::convert;
use crate::unknown::{Absent, Cause, Unknown};
use crate::value::{PhpObject, PhpValue};

impl<'a> Machine<'a> {
    /// Goes one expression deeper; false when that would be too deep or too much.
    pub(super) fn enter(&mut self) -> bool {
        if self.expression_depth >= MAX_EXPRESSION_DEPTH || !self.budget.spend(1) {
            return false;
        }
        self.expression_depth += 1;
        true
    }

    pub(super) fn leave_expression(&mut self) {
        self.expression_depth -= 1;
    }

    pub(super) fn eval(&mut self, expression: &'a Expr<'a, 'a>) -> PhpValue {
        if !self.enter() {
            let cause = if self.budget.is_spent() { Cause::TooMuchWork } else { Cause::TooLarge };
            return self.unknown(cause, self.file.line(expression.span));
        }
        let value = self.eval_inner(expression);
        self.leave_expression();
        value
    }

    fn eval_inner(&mut self, expression: &'a Expr<'a, 'a>) -> PhpValue {
        let line = self.file.line(expression.span);
        match &expression.kind {
            ExprKind::Int(number) => PhpValue::Int(*number),
            ExprKind::Float(number) => PhpValue::Float(*number),
            ExprKind::Bool(flag) => PhpValue::Bool(*flag),
            ExprKind::Null => PhpValue::Null,
            ExprKind::String(text) => {
                let bytes = self.file.bytes(text);
                self.bounded(PhpValue::from(bytes), line)
            }
            ExprKind::Nowdoc { value, .. } => {
                let bytes = self.file.unescape(value.as_bytes());
                self.bounded(PhpValue::from(bytes), line)
            }
            ExprKind::InterpolatedString(parts) => self.interpolated(parts, line),
            ExprKind::Heredoc { parts, .. } => {
                let file = self.file.clone();
                let source = file.slice(expression.span);
                match source.contains("\\\"") {
                    false => self.interpolated(parts, line),
                    true => self.heredoc_with_quotes(source, line).unwrap_or_else(|| {
                        self.unknown(Cause::Construct("an escaped quote in a heredoc"), line)
                    }),
                }
            }
            ExprKind::Variable(name) => self.variable(name.as_str(), line),
            ExprKind::VariableVariable(inner) => match self.eval(inner).to_text() {
                Some(name) => self.variable(&name, line),
                None => self.unknown(Cause::Construct("a variable whose name is computed"), line),
            },
            ExprKind::Name(name) => self.constant(name, line),
            ExprKind::Assign(assign) => self.assignment(assign, line),
            ExprKind::Binary(_) => self.binary(expression, line),
            ExprKind::UnaryPrefix(unary) => match prefix_delta(unary.op) {
                Some(delta) => self.step(unary.operand, delta, line).1,
                None => {
                    let operand = self.eval(unary.operand);
                    self.unary(unary.op, operand, line)
                }
            },
            ExprKind::UnaryPostfix(unary) => self.step(unary.operand, postfix_delta(unary.op), line).0,
            ExprKind::Ternary(ternary) => {
                let condition = self.eval(ternary.condition);
                match (self.test(&condition), ternary.then_expr) {
                    (Some(true), Some(then)) => self.eval(then),
                    (Some(true), None) => condition,
                    (Some(false), _) => self.eval(ternary.else_expr),
                    (None, _) => PhpValue::Unknown(self.reason(&condition, line).used()),
                }
            }
            ExprKind::NullCoalesce(coalesce) => {
                let left = self.eval(coalesce.left);
                match self.is_set(&left) {
                    Some(true) => left,
                    Some(false) => self.eval(coalesce.right),
                    None => PhpValue::Unknown(self.reason(&left, line).used()),
                }
            }
            ExprKind::FunctionCall(call) => self.call(call, line),
            ExprKind::Array(elements) => self.array(elements, line),
            ExprKind::ArrayAccess(access) => self.array_access(access, line),
            ExprKind::Parenthesized(inner) | ExprKind::ErrorSuppress(inner) | ExprKind::Print(inner) => {
                self.eval(inner)
            }
            ExprKind::Cast(kind, inner) => {
                let value = self.eval(inner);
                self.cast(*kind, value, line)
            }
            ExprKind::Isset(tested) => {
                let mut all = Some(true);
                for expression in tested.iter() {
                    let value = self.eval(expression);
                    match self.is_set(&value) {
                        Some(false) => return PhpValue::Bool(false),
                        Some(true) => {}
                        None => all = None,
                    }
                }
                all.map_or_else(|| self.unknown(Cause::Construct("this isset()"), line), PhpValue::Bool)
            }
            ExprKind::Empty(inner) => {
                let value = self.eval(inner);
                match self.is_set(&value) {
                    Some(false) => PhpValue::Bool(true),
                    _ => match self.test(&value) {
                        Some(truth) => PhpValue::Bool(!truth),
                        None => PhpValue::Unknown(self.reason(&value, line).used()),
                    },
                }
            }
            ExprKind::Include(kind, path) => self.include(*kind, path, line),
            ExprKind::Eval(code) => self.eval_code(code, line),
            ExprKind::MagicConst(kind) => self.magic(*kind, line),
            ExprKind::New(new) => match self.class_name(new.class) {
                Some(name) if name.eq_ignore_ascii_case("stdClass") => {
                    let object = PhpObject { class: "stdClass".to_owned(), fields: PhpArray::new() };
                    PhpValue::Object(Arc::new(object))
                }
                _ => self.unknown(Cause::Construct("an object"), line),
            },
            ExprKind::PropertyAccess(_) | ExprKind::NullsafePropertyAccess(_) => {
                self.property(expression, line)
            }
            ExprKind::StaticPropertyAccess(access) => self.static_property(access, line),
            ExprKind::ClassConstAccess(access) => self.class_constant(access, line),
            ExprKind::StaticMethodCall(call) => self.static_call(call, line),
            ExprKind::MethodCall(call) | ExprKind::NullsafeMethodCall(call) => {
                let name = call.method.name_str().unwrap_or("…").to_owned();
                self.unknown(Cause::Call(name), line)
            }
            ExprKind::Match(choice) => self.choose(choice, line),
            ExprKind::Exit(_) | ExprKind::Throw(_) => self.unknown(Cause::Construct("exit"), line),
            ExprKind::Closure(_) | ExprKind::ArrowFunction(_) | ExprKind::CallableCreate(_) => {
                self.unknown(Cause::Construct("a closure"), line)
            }
            ExprKind::ShellExec(_) => self.unknown(Cause::Construct("a shell command"), line),
            _ => self.unknown(Cause::Construct("this expression"), line),
        }
    }

    pub(super) fn interpolated(&mut self, parts: &'a [StringPart<'a, 'a>], line: u32) -> PhpValue {
        let mut text = Vec::new();
        for part in parts {
            match part {
                StringPart::Literal(literal) => text.extend(self.file.bytes(literal)),
                StringPart::Expr(expression) => {
                    let value = self.eval(expression);
                    match convert::to_bytes(&value) {
                        Some(bytes) => text.extend(bytes),
                        None => return PhpValue::Unknown(self.reason(&value, line).used()),
                    }
                }
                _ => return self.unknown(Cause::Construct("this expression"), line),
            }
            if text.len() > super::budget::MAX_STRING {
                return self.unknown(Cause::TooLarge, line);
            }
        }
        self.bounded(PhpValue::from(text), line)
    }

    fn variable(&mut self, name: &str, line: u32) -> PhpValue {
        if let Some(located) = self.variables_of(name).and_then(|variables| variables.get(name)) {
            return located.value.clone();
        }
        match name {
            "_GET" | "_POST" | "_COOKIE" | "_REQUEST" | "_FILES" | "_SESSION" | "_SERVER" => {
                self.absent(Cause::Request(format!("${name}")), line, Absent::Unset)
            }
            _ => self.absent(Cause::Variable(name.to_owned()), line, Absent::Unset),
        }
    }

    fn constant(&mut self, name: &Name<'a, 'a>, line: u32) -> PhpValue {
        let last = name.parts_slice().last().copied().unwrap_or_default();
        if let Some(value) = super::constants::value(last) {
            return value;
        }
        match self.config.constants.get(last) {
            Some(located) => located.value.clone(),
            None => self.unknown(Cause::Constant(last.to_owned()), line),
        }
    }

    fn array(&mut self, elements: &'a [ArrayElement<'a, 'a>], line: u32) -> PhpValue {
        let mut array = PhpArray::new();
        for element in elements {
            let value = self.eval(element.value());
            if element.is_spread() {
                self.budget.handle([&value]);
                if let Err(why) = append_all(&mut array, &value) {
                    // What cannot be read may replace any key that came before it.
                    array = PhpArray::new();
                    array.set_open(why.unwrap_or_else(|| self.why(Cause::Construct("a spread"), line)));
                }
                continue;
            }
            if element.is_by_ref() {
                return self.unknown(Cause::Construct("a reference"), line);
            }
            match &element.key {
                None if array.open().is_some() => {}
                None => array.push(value),
                Some(key) => {
                    let key = self.eval(key);
                    match key_of(&key) {
                        Some(key) => array.set(key, value),
                        None => array.set_open(self.reason(&key, line).used()),
                    }
                }
            }
        }
        self.bounded(PhpValue::from(array), line)
    }

    fn array_access(&mut self, access: &'a php_ast::ArrayAccessExpr<'a, 'a>, line: u32) -> PhpValue {
        let Some(index) = access.index else {
            return self.unknown(Cause::Construct("this expression"), line);
        };
        if let ExprKind::Variable(name) = &access.array.kind
            && matches!(
                name.as_str(),
                "_SERVER" | "_ENV" | "GLOBALS" | "_GET" | "_POST" | "_COOKIE" | "_REQUEST"
            )
        {
            let key = self.eval(index);
            return self.superglobal(name.as_str(), &key, line);
        }
        let base = self.eval(access.array);
        let key = self.eval(index);
        self.element(&base, &key, line)
    }

    /// `base[key]`
    pub(super) fn element(&self, base: &PhpValue, key: &PhpValue, line: u32) -> PhpValue {
        let Some(key) = key_of(key) else {
            return PhpValue::Unknown(self.reason(key, line).used());
        };
        match base {
            PhpValue::Array(array) => match (array.get_key(&key), array.open()) {
                (Some(value), _) => value.clone(),
                (None, Some(why)) => PhpValue::Unknown(why.used()),
                (None, None) => PhpValue::Null,
            },
            PhpValue::Str(text) => {
                let crate::PhpKey::Int(position) = key else {
                    return self.unknown(Cause::Construct("a string offset"), line);
                };
                let position = match position {
                    0.. => usize::try_from(position).ok(),
                    _ => usize::try_from(position.unsigned_abs())
                        .ok()
                        .and_then(|back| text.len().checked_sub(back)),
                };
                match position.and_then(|position| text.as_bytes().get(position)) {
                    Some(byte) => PhpValue::from(vec![*byte]),
                    None => self.unknown(Cause::Construct("a string offset"), line),
                }
            }
            PhpValue::Unknown(why) => PhpValue::Unknown(why.element()),
            PhpValue::Object(_) | PhpValue::Opaque(_) => {
                self.unknown(Cause::Construct("an object as array"), line)
            }
            _ => PhpValue::Null,
        }
    }

    fn choose(&mut self, choice: &'a MatchExpr<'a, 'a>, line: u32) -> PhpValue {
        let subject = self.eval(choice.subject);
        let subject = self.settled(subject);
        let mut default = None;
        for arm in choice.arms.iter() {
            let Some(conditions) = &arm.conditions else {
                default = Some(&arm.body);
                continue;
            };
            for condition in conditions.iter() {
                let candidate = self.eval(condition);
                let candidate = self.settled(candidate);
                if !self.budget.handle([&subject, &candidate]) {
                    return self.unknown(Cause::TooMuchWork, line);
                }
                match convert::identical(&subject, &candidate) {
                    Some(true) => return self.eval(&arm.body),
                    Some(false) => {}
                    None => return PhpValue::Unknown(self.reason(&subject, line).used()),
                }
            }
        }
        match default {
            Some(body) => self.eval(body),
            None => self.unknown(Cause::Construct("a match without a matching arm"), line),
        }
    }

    fn magic(&mut self, kind: MagicConstKind, line: u32) -> PhpValue {
        match kind {
            MagicConstKind::Dir => PhpValue::from(self.file.folder.to_string_lossy().into_owned()),
            MagicConstKind::File => PhpValue::from(self.file.path.to_string_lossy().into_owned()),
            MagicConstKind::Line => PhpValue::Int(i64::from(line)),
            MagicConstKind::Namespace => PhpValue::from(self.file.namespace.borrow().clone()),
            MagicConstKind::Class => {
                match self.class_stack.last().and_then(|key| self.config.classes.get(key)) {
                    Some(class) => PhpValue::from(class.name.as_str()),
                    None => PhpValue::from(""),
                }
            }
            _ => self.unknown(Cause::Construct("this constant"), line),
        }
    }

    /// The arguments of a call; `None` when there are named ones or placeholders.
    pub(super) fn arguments(&mut self, args: &'a [Arg<'a, 'a>]) -> Option<Vec<PhpValue>> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            match &arg.kind {
                ArgKind::Value(value) if arg.name.is_none() => values.push(self.eval(value)),
                ArgKind::Spread(spread) => match self.eval(spread) {
                    PhpValue::Array(array) if array.is_list() && array.open().is_none() => {
                        values.extend(array.values().cloned());
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
        Some(values)
    }
}

/// Adds the entries of a spread or merged value: integer keys are renumbered, string keys replaced. The
/// error is why entries may be missing.
pub(super) fn append_all(array: &mut PhpArray, value: &PhpValue) -> Result<(), Option<Unknown>> {
    let PhpValue::Array(added) = value else {
        return Err(value.unknown().map(Unknown::used));
    };
    for (key, value) in added.iter() {
        match key {
            crate::PhpKey::Int(_) if array.open().is_some() => {}
            crate::PhpKey::Int(_) => array.push(value.clone()),
            key => array.set(key.clone(), value.clone()),
        }
    }
    match added.open() {
        Some(why) => Err(Some(why.clone())),
        None => Ok(()),
    }
}
