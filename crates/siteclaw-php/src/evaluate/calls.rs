//! Calls: the functions that configurations use, user functions, Bedrock's `Config`.

use php_ast::{ArgKind, Expr, ExprKind, FunctionCallExpr, StaticMethodCallExpr};

use super::budget::MAX_CALL_DEPTH;
use super::functions;
use super::machine::Machine;
use super::scope::{Frame, Function, Scope};
use super::statements::Flow;
use crate::unknown::{Absent, Cause};
use crate::value::PhpValue;

impl<'a> Machine<'a> {
    pub(super) fn call(&mut self, call: &'a FunctionCallExpr<'a, 'a>, line: u32) -> PhpValue {
        let ExprKind::Name(name) = &call.name.kind else {
            return self.unknown(Cause::Construct("a computed call"), line);
        };
        let name = name.parts_slice().last().copied().unwrap_or_default();
        let lower = name.to_ascii_lowercase();
        let Some(arguments) = self.arguments(&call.args) else {
            return self.unknown(Cause::Call(name.to_owned()), line);
        };
        let result = match lower.as_str() {
            "define" => {
                if let (Some(name), Some(value)) =
                    (arguments.first().and_then(PhpValue::as_str), arguments.get(1))
                {
                    self.define(name, value.clone(), line);
                }
                Some(PhpValue::Bool(true))
            }
            "defined" => arguments.first().and_then(PhpValue::as_str).map(|name| self.defined(name, line)),
            "constant" => arguments.first().and_then(PhpValue::as_str).map(|name| {
                let found = super::constants::value(name)
                    .or_else(|| self.config.constants.get(name).map(|located| located.value.clone()));
                found.unwrap_or_else(|| self.unknown(Cause::Constant(name.to_owned()), line))
            }),
            "function_exists" => arguments.first().and_then(PhpValue::as_str).and_then(|name| {
                let name = name.to_ascii_lowercase();
                match self.functions.contains_key(&name) || functions::is_known(&name) {
                    true => Some(PhpValue::Bool(true)),
                    // The official image's own helper, which its file is about to declare.
                    false => (name == "getenv_docker").then_some(PhpValue::Bool(false)),
                }
            }),
            "extension_loaded" => arguments.first().and_then(PhpValue::as_str).and_then(|name| {
                // A site that reads its database has the driver; of other extensions nothing is known.
                let driver = ["pdo", "pdo_mysql", "pdo_pgsql", "pdo_sqlite", "mysqli", "json", "mbstring"];
                driver.iter().any(|known| known.eq_ignore_ascii_case(name)).then_some(PhpValue::Bool(true))
            }),
            "parse_str" | "extract" | "preg_match" | "preg_match_all" | "settype" | "sscanf"
            | "array_push" | "array_pop" | "array_shift" | "array_unshift" | "array_splice" | "sort"
            | "rsort" | "usort" | "ksort" | "krsort" | "uksort" | "asort" | "arsort" | "array_walk" => {
                self.lose_arguments(call, name, line);
                None
            }
            _ => match self.environment_call(&lower, &arguments, line) {
                Some(value) => Some(value),
                None => match self.file_call(&lower, &arguments, line) {
                    Some(value) => Some(value),
                    None => return self.plain_call(name, &lower, &arguments, line),
                },
            },
        };
        result.unwrap_or_else(|| self.unresolved_call(name, &arguments, line))
    }

    /// A function of values alone, or one that the files declare.
    fn plain_call(&mut self, name: &str, lower: &str, arguments: &[PhpValue], line: u32) -> PhpValue {
        if functions::is_known(lower) {
            if !self.budget.handle(arguments) {
                return self.unknown(Cause::TooMuchWork, line);
            }
            let missing = arguments.iter().filter_map(PhpValue::unknown).find(|why| why.stand_in().is_some());
            let Some(missing) = missing else {
                return match functions::apply(lower, arguments) {
                    Some(value) => self.bounded(value, line),
                    None => self.unresolved_call(name, arguments, line),
                };
            };
            let settled: Vec<PhpValue> = arguments.iter().map(|value| self.settled(value.clone())).collect();
            return match functions::apply(lower, &settled) {
                Some(value) if functions::takes_absent(lower) => self.bounded(value, line),
                // A missing variable stays one behind trim() and the like: `trim(getenv('X')) ?: 'd'`.
                Some(value) => PhpValue::Unknown(missing.become_missing(&value)),
                None => PhpValue::Unknown(missing.used()),
            };
        }
        match self.functions.get(lower).cloned() {
            Some(function) => self.user_call(&function, arguments, line),
            None => self.unknown(Cause::Call(name.to_owned()), line),
        }
    }

    fn unresolved_call(&self, name: &str, arguments: &[PhpValue], line: u32) -> PhpValue {
        match arguments.iter().find_map(PhpValue::unknown) {
            Some(why) => PhpValue::Unknown(why.used()),
            None => self.unknown(Cause::Call(name.to_owned()), line),
        }
    }

    fn defined(&self, name: &str, line: u32) -> PhpValue {
        if super::constants::value(name).is_some() {
            return PhpValue::Bool(true);
        }
        match self.config.constants.get(name).map(|located| &located.value) {
            Some(PhpValue::Unknown(why)) if matches!(why.cause(), Cause::Condition(_)) => {
                self.unknown(why.cause().clone(), line)
            }
            Some(_) => PhpValue::Bool(true),
            None => PhpValue::Bool(false),
        }
    }

    /// The variables that a function changes through references are unknown afterwards.
    fn lose_arguments(&mut self, call: &'a FunctionCallExpr<'a, 'a>, name: &str, line: u32) {
        for arg in call.args.iter() {
            if let ArgKind::Value(target) = &arg.kind
                && matches!(target.kind, ExprKind::Variable(_) | ExprKind::ArrayAccess(_))
            {
                let unknown = self.unknown(Cause::Call(name.to_owned()), line);
                self.assign(target, super::assign::Written::new(unknown, line));
            }
        }
    }

    fn user_call(&mut self, function: &Function<'a>, arguments: &[PhpValue], line: u32) -> PhpValue {
        let declaration = function.declaration;
        let name = declaration.name.as_str().unwrap_or("…");
        let plain = declaration.params.iter().all(|param| !param.by_ref && !param.variadic);
        if !plain || self.scopes.len() > MAX_CALL_DEPTH {
            return self.unknown(Cause::Call(name.to_owned()), line);
        }
        let mut scope = Scope::default();
        for (position, param) in declaration.params.iter().enumerate() {
            let value = match (arguments.get(position), &param.default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => self.eval(default),
                (None, None) => self.unknown(Cause::Call(name.to_owned()), line),
            };
            if let Some(name) = param.name.as_str() {
                scope.variables.insert(name.to_owned(), self.located(value, line));
            }
        }
        let caller = std::mem::replace(&mut self.file, function.file.clone());
        self.scopes.push(scope);
        let value = self.frame(|machine| machine.block(&declaration.body.stmts));
        let finished = self.scopes.pop();
        self.file = caller;
        for name in finished.iter().flat_map(|scope| &scope.globals) {
            let value = finished.as_ref().and_then(|scope| scope.variables.get(name)).cloned();
            if let (Some(value), Some(outer)) = (value, self.scopes.first_mut()) {
                outer.variables.insert(name.clone(), value);
            }
        }
        value.map_or(PhpValue::Null, |(value, _)| value)
    }

    /// Runs a file's or function's body; gives the returned value and its line.
    pub(super) fn frame(&mut self, walk: impl FnOnce(&mut Self) -> Flow) -> Option<(PhpValue, u32)> {
        let base = self.speculations.len();
        self.frames.push(Frame { base, nested: 0, may_return: None });
        let flow = walk(self);
        let frame = self.frames.pop();
        self.end_speculations(frame.as_ref().map_or(base, |frame| frame.base));
        if let Some(outcome) = frame.and_then(|frame| frame.may_return) {
            let line = outcome.line();
            return Some((PhpValue::Unknown(outcome), line));
        }
        match flow {
            Flow::Return(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn static_call(&mut self, call: &'a StaticMethodCallExpr<'a, 'a>, line: u32) -> PhpValue {
        let class = self.class_name(call.class).unwrap_or_default();
        let short = class.rsplit('\\').next().unwrap_or_default().to_ascii_lowercase();
        let method = call.method.name_str().unwrap_or("…");
        let Some(arguments) = self.arguments(&call.args) else {
            return self.unknown(Cause::Call(format!("{class}::{method}")), line);
        };
        let result = match (short.as_str(), method.to_ascii_lowercase().as_str()) {
            ("config", "define") => self.pend(&arguments, line),
            ("config", "get") => arguments
                .first()
                .and_then(PhpValue::as_str)
                .and_then(|name| self.pending.get(name).map(|located| located.value.clone())),
            ("config", "remove") => {
                if let Some(name) = arguments.first().and_then(PhpValue::as_str)
                    && self.doubt(name).is_none()
                {
                    self.pending.remove(name);
                }
                Some(PhpValue::Null)
            }
            ("config", "apply") => {
                self.budget.spend(u32::try_from(self.pending.len()).unwrap_or(u32::MAX));
                let pending: Vec<_> =
                    self.pending.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
                for (name, located) in pending {
                    // Where it was written says more than where it is applied.
                    match self.doubt(&name) {
                        Some(_) => self.define(&name, located.value, line),
                        None => {
                            self.config.constants.entry(name).or_insert(located);
                        }
                    }
                }
                Some(PhpValue::Null)
            }
            ("env", "get") => {
                self.file
                    .env_package
                    .set(self.file.env_package.get() || class.eq_ignore_ascii_case("Env\\Env"));
                self.environment_call("env", &arguments, line)
            }
            ("str", "slug") => functions::slug(&arguments),
            _ => None,
        };
        match result {
            Some(value) => value,
            None => {
                let unknown = arguments.iter().find_map(PhpValue::unknown).filter(|_| short == "str");
                match unknown {
                    Some(why) => PhpValue::Unknown(why.used()),
                    None => self.unknown(Cause::Call(format!("{class}::{method}")), line),
                }
            }
        }
    }

    /// `Config::define()`: the last definition wins.
    fn pend(&mut self, arguments: &[PhpValue], line: u32) -> Option<PhpValue> {
        let name = arguments.first().and_then(PhpValue::as_str)?;
        let value = arguments.get(1)?.clone();
        let value = match (self.doubt(name), self.pending.contains_key(name)) {
            (None, _) => value,
            (Some((_, true)), true) => return Some(PhpValue::Null),
            (Some((outcome, _)), _) => PhpValue::Unknown(outcome),
        };
        let located = self.located(value, line);
        self.pending.insert(name.to_owned(), located);
        Some(PhpValue::Null)
    }

    /// `eval`: only of the text that the official image takes from its environment.
    pub(super) fn eval_code(&mut self, code: &'a Expr<'a, 'a>, line: u32) -> PhpValue {
        let trusted = match &code.kind {
            ExprKind::Variable(name) => {
                self.scopes.last().is_some_and(|scope| scope.extra.iter().any(|known| known == name.as_str()))
            }
            _ => self.is_config_extra(code),
        };
        if trusted {
            let text = self.eval(code);
            if let Some(text) = text.as_str() {
                return self.run_extra(text, line);
            }
        }
        let why = self.why(Cause::Construct("eval"), line);
        self.unread.push(crate::config::Unresolved { name: "eval".to_owned(), why: why.clone() });
        PhpValue::Unknown(why)
    }

    /// Whether an expression is `getenv_docker('WORDPRESS_CONFIG_EXTRA', …)`.
    pub(super) fn is_config_extra(&self, expression: &'a Expr<'a, 'a>) -> bool {
        let ExprKind::FunctionCall(call) = &expression.kind else { return false };
        let ExprKind::Name(name) = &call.name.kind else { return false };
        let helper = name.parts_slice().last().is_some_and(|name| name.eq_ignore_ascii_case("getenv_docker"));
        let argument = call.args.first().and_then(|arg| arg.value());
        let extra = argument.is_some_and(|argument| match &argument.kind {
            ExprKind::String(text) => text.as_bytes() == b"WORDPRESS_CONFIG_EXTRA",
            _ => false,
        });
        helper && extra
    }

    pub(super) fn absent_variable(&self, name: &str, absent: Absent, line: u32) -> PhpValue {
        self.absent(Cause::Environment(name.to_owned()), line, absent)
    }
}
