//! Statements, top to bottom.

use php_ast::{
    ClassMemberKind, Expr, ExprKind, ForeachStmt, IfStmt, NamespaceBody, Stmt, StmtKind, SwitchStmt, UseDecl,
    UseKind,
};

use super::assign::Written;
use super::machine::Machine;
use super::scope::Function;
use crate::convert;
use crate::unknown::{Cause, Unknown};
use crate::value::{PhpKey, PhpValue};

/// How a statement ends.
pub(super) enum Flow {
    Next,
    Return((PhpValue, u32)),
    Break(u32),
    Continue(u32),
    /// `exit`, `throw` or `__halt_compiler` outside any branch.
    End,
}

impl<'a> Machine<'a> {
    pub(super) fn block(&mut self, statements: &'a [Stmt<'a, 'a>]) -> Flow {
        for statement in statements {
            let flow = self.statement(statement);
            if self.stopped || !matches!(flow, Flow::Next) {
                return flow;
            }
        }
        Flow::Next
    }

    fn statement(&mut self, statement: &'a Stmt<'a, 'a>) -> Flow {
        if self.stopped || !self.budget.spend(1) {
            return Flow::End;
        }
        let line = self.file.line(statement.span);
        match &statement.kind {
            StmtKind::Expression(expression) => return self.expression_statement(expression),
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) => (self.eval(value), self.file.line(value.span)),
                    None => (PhpValue::Null, line),
                };
                return Flow::Return(value);
            }
            StmtKind::Block(block) => return self.block(&block.stmts),
            StmtKind::If(branches) => return self.nested(|machine| machine.if_statement(branches)),
            StmtKind::Foreach(each) => return self.nested(|machine| machine.foreach(each, line)),
            StmtKind::Switch(switch) => return self.nested(|machine| machine.switch(switch, line)),
            StmtKind::While(repeat) => self.walk_loop(line, |machine| {
                machine.eval(&repeat.condition);
                machine.statement(repeat.body).within_loop()
            }),
            StmtKind::DoWhile(repeat) => self.walk_loop(line, |machine| {
                let flow = machine.statement(repeat.body).within_loop();
                machine.eval(&repeat.condition);
                flow
            }),
            StmtKind::For(repeat) => self.walk_loop(line, |machine| {
                for expression in repeat.init.iter().chain(&*repeat.condition).chain(&*repeat.update) {
                    machine.eval(expression);
                }
                machine.statement(repeat.body).within_loop()
            }),
            StmtKind::TryCatch(attempt) => {
                // A configuration that is in use does not throw: the catch blocks are not looked at.
                let flow = self.nested(|machine| machine.block(&attempt.body.stmts));
                if !matches!(flow, Flow::Next) {
                    return flow;
                }
                return attempt.finally.map_or(Flow::Next, |block| self.block(&block.stmts));
            }
            StmtKind::Declare(declare) => {
                return declare.body.map_or(Flow::Next, |body| self.statement(body));
            }
            StmtKind::Namespace(namespace) => {
                let name = namespace.name.as_ref().map(|name| name.join_parts().into_owned());
                *self.file.namespace.borrow_mut() = name.unwrap_or_default();
                if let NamespaceBody::Braced(block) = &namespace.body {
                    return self.block(&block.stmts);
                }
            }
            StmtKind::Use(imports) => self.import(imports),
            StmtKind::Const(items) => {
                for item in items.iter() {
                    let line = self.file.line(item.span);
                    let value = self.eval(&item.value);
                    if let Some(name) = item.name.as_str() {
                        self.define(name, value, line);
                    }
                }
            }
            StmtKind::Function(declaration) => self.declare(declaration),
            StmtKind::Class(declaration) => self.class(declaration, line),
            StmtKind::Unset(targets) => {
                for target in targets.iter() {
                    self.unset(target);
                }
            }
            StmtKind::Global(names) => {
                for name in names.iter().filter_map(Expr::name_str) {
                    self.tie_global(name);
                }
            }
            StmtKind::StaticVar(variables) => {
                for variable in variables.iter() {
                    let why = self.unknown(Cause::Construct("a static variable"), line);
                    if let Some(name) = variable.name.as_str() {
                        self.set_variable(name, why, line);
                    }
                }
            }
            StmtKind::Break(levels) => return Flow::Break(self.levels(*levels)),
            StmtKind::Continue(levels) => return Flow::Continue(self.levels(*levels)),
            StmtKind::Throw(_) | StmtKind::HaltCompiler(_) => return self.leave(),
            _ => {}
        }
        Flow::Next
    }

    fn expression_statement(&mut self, expression: &'a Expr<'a, 'a>) -> Flow {
        if matches!(expression.kind, ExprKind::Exit(_) | ExprKind::Throw(_)) {
            return self.leave();
        }
        self.eval(expression);
        Flow::Next
    }

    /// `exit` and `throw`. Inside a branch they guard against a request that is not ours
    /// (`if (!defined('ABSPATH')) exit;`), so the configuration goes on; outside one nothing follows.
    fn leave(&mut self) -> Flow {
        match self.frames.last() {
            Some(frame) if frame.nested > 0 => Flow::Next,
            _ => Flow::End,
        }
    }

    fn nested(&mut self, walk: impl FnOnce(&mut Self) -> Flow) -> Flow {
        if let Some(frame) = self.frames.last_mut() {
            frame.nested += 1;
        }
        let flow = walk(self);
        if let Some(frame) = self.frames.last_mut() {
            frame.nested -= 1;
        }
        flow
    }

    fn if_statement(&mut self, branches: &'a IfStmt<'a, 'a>) -> Flow {
        let first = std::iter::once((&branches.condition, branches.then_branch));
        let rest = branches.elseif_branches.iter().map(|branch| (&branch.condition, &branch.body));
        let mut undecided: Option<(u32, Unknown)> = None;
        for (condition, body) in first.chain(rest) {
            let value = match &undecided {
                None => self.eval(condition),
                // Whether this condition is reached is open: look at it without keeping what it sets.
                Some((line, why)) => {
                    let (line, why) = (*line, why.clone());
                    let mut value = PhpValue::Null;
                    self.speculate(line, why, |machine| {
                        value = machine.eval(condition);
                        Flow::Next
                    });
                    value
                }
            };
            match (self.test(&value), &undecided) {
                (Some(false), _) => {}
                (Some(true), None) => return self.statement(body),
                (Some(true), Some((line, why))) => {
                    let (line, why) = (*line, why.clone());
                    self.speculate(line, why, |machine| machine.statement(body));
                    return Flow::Next;
                }
                (None, _) => {
                    let line = self.file.line(condition.span);
                    let why = self.reason(&value, line);
                    self.speculate(line, why.clone(), |machine| machine.statement(body));
                    undecided.get_or_insert((line, why));
                }
            }
        }
        match (branches.else_branch, undecided) {
            (None, _) => Flow::Next,
            (Some(body), None) => self.statement(body),
            (Some(body), Some((line, why))) => {
                self.speculate(line, why, |machine| machine.statement(body));
                Flow::Next
            }
        }
    }

    fn foreach(&mut self, each: &'a ForeachStmt<'a, 'a>, line: u32) -> Flow {
        let subject = self.eval(&each.expr);
        if !self.budget.handle([&subject]) {
            return Flow::End;
        }
        let entries: Vec<(PhpKey, PhpValue)> = match &subject {
            PhpValue::Array(array) if array.open().is_none() && !each.by_ref => {
                array.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
            }
            PhpValue::Array(array) if array.open().is_none() && array.is_empty() => Vec::new(),
            PhpValue::Unknown(why) if why.stand_in().is_some() => Vec::new(),
            PhpValue::Null | PhpValue::Bool(_) | PhpValue::Int(_) | PhpValue::Float(_) | PhpValue::Str(_) => {
                Vec::new()
            }
            _ => {
                if each.by_ref {
                    let unknown = self.unknown(Cause::Construct("a loop over references"), line);
                    self.assign(&each.expr, Written::new(unknown, line));
                }
                let why = self.reason(&subject, line);
                let element = PhpValue::Unknown(why.used());
                self.speculate(line, why, |machine| {
                    for target in each.key.iter().chain(std::iter::once(&each.value)) {
                        machine.assign(target, Written::new(element.clone(), line));
                    }
                    machine.statement(each.body).within_loop()
                });
                return Flow::Next;
            }
        };
        for (key, value) in entries {
            if !self.budget.spend(1) {
                return Flow::End;
            }
            if let Some(target) = &each.key {
                self.assign(target, Written::new(key_value(key), line));
            }
            self.assign(&each.value, Written::new(value, line));
            match self.statement(each.body) {
                Flow::Next | Flow::Continue(1) => {}
                Flow::Break(1) => break,
                Flow::Break(levels) => return Flow::Break(levels - 1),
                Flow::Continue(levels) => return Flow::Continue(levels - 1),
                leave => return leave,
            }
            if self.stopped {
                break;
            }
        }
        Flow::Next
    }

    fn switch(&mut self, switch: &'a SwitchStmt<'a, 'a>, line: u32) -> Flow {
        let subject = self.eval(&switch.expr);
        let subject = self.settled(subject);
        let mut start = None;
        for (position, case) in switch.body.cases.iter().enumerate() {
            let Some(expression) = &case.value else { continue };
            let candidate = self.eval(expression);
            if !self.budget.handle([&subject, &candidate]) {
                return Flow::End;
            }
            match convert::loosely_equal(&subject, &candidate) {
                Some(true) => {
                    start = Some(position);
                    break;
                }
                Some(false) => {}
                None => {
                    let why = self.reason(&subject, line);
                    for case in switch.body.cases.iter() {
                        self.speculate(line, why.clone(), |machine| machine.block(&case.body).within_loop());
                    }
                    return Flow::Next;
                }
            }
        }
        let default = || switch.body.cases.iter().position(|case| case.value.is_none());
        let Some(start) = start.or_else(default) else { return Flow::Next };
        for case in switch.body.cases.iter().skip(start) {
            match self.block(&case.body) {
                Flow::Next => {}
                Flow::Break(1) | Flow::Continue(1) => return Flow::Next,
                Flow::Break(levels) => return Flow::Break(levels - 1),
                Flow::Continue(levels) => return Flow::Continue(levels - 1),
                leave => return leave,
            }
        }
        Flow::Next
    }

    fn levels(&mut self, levels: Option<&'a Expr<'a, 'a>>) -> u32 {
        match levels.map(|levels| &levels.kind) {
            Some(ExprKind::Int(number)) => u32::try_from(*number).unwrap_or(1).max(1),
            _ => 1,
        }
    }

    fn import(&mut self, imports: &'a UseDecl<'a, 'a>) {
        for item in imports.uses.iter() {
            let name = item.name.join_parts().into_owned();
            if item.kind.unwrap_or(imports.kind) != UseKind::Normal {
                if name.eq_ignore_ascii_case("Env\\env") {
                    self.file.env_package.set(true);
                }
                continue;
            }
            let alias = item.alias.and_then(|alias| alias.as_str()).or(name.rsplit('\\').next());
            let alias = alias.unwrap_or_default().to_ascii_lowercase();
            self.file.imports.borrow_mut().insert(alias, name);
        }
    }

    pub(super) fn declare(&mut self, declaration: &'a php_ast::FunctionDecl<'a, 'a>) {
        if let Some(name) = declaration.name.as_str() {
            let function = Function { declaration, file: self.file.clone() };
            self.functions.entry(name.to_ascii_lowercase()).or_insert(function);
        }
    }

    /// What keeps a value from being known.
    pub(super) fn reason(&self, value: &PhpValue, line: u32) -> Unknown {
        match value {
            PhpValue::Unknown(why) => why.clone(),
            PhpValue::Array(array) => match array.open() {
                Some(why) => why.clone(),
                None => self.why(Cause::Construct("this comparison"), line),
            },
            _ => self.why(Cause::Construct("this comparison"), line),
        }
    }

    /// Members of a class body that are methods by that name.
    pub(super) fn method(
        declaration: &'a php_ast::ClassDecl<'a, 'a>,
        name: &str,
    ) -> Option<&'a php_ast::MethodDecl<'a, 'a>> {
        declaration.body.members.iter().find_map(|member| match &member.kind {
            ClassMemberKind::Method(method)
                if method.name.as_str().is_some_and(|own| own.eq_ignore_ascii_case(name)) =>
            {
                Some(method)
            }
            _ => None,
        })
    }
}

impl Flow {
    /// The flow outside a loop or switch whose body ended like this.
    fn within_loop(self) -> Self {
        match self {
            Self::Break(1) | Self::Continue(1) => Self::Next,
            Self::Break(levels) => Self::Break(levels - 1),
            Self::Continue(levels) => Self::Continue(levels - 1),
            other => other,
        }
    }
}

pub(super) fn key_value(key: PhpKey) -> PhpValue {
    match key {
        PhpKey::Int(number) => PhpValue::Int(number),
        PhpKey::Str(text) => PhpValue::Str(text),
    }
}
