//! Classes: their constants, the defaults of their properties, and what a constructor assigns.

use php_ast::{
    ClassDecl, ClassMemberKind, Expr, ExprKind, Name, NameKind, PropertyAccessExpr, StaticAccessExpr,
};

use super::machine::Machine;
use super::scope::Scope;
use crate::config::Class;
use crate::unknown::Cause;
use crate::value::PhpValue;

impl<'a> Machine<'a> {
    pub(super) fn class(&mut self, declaration: &'a ClassDecl<'a, 'a>, line: u32) {
        let Some(name) = declaration.name.and_then(|name| name.as_str()) else { return };
        let key = name.to_ascii_lowercase();
        if self.config.classes.contains_key(&key) || !self.budget.spend(1) {
            return;
        }
        let parent = declaration.extends.as_ref().and_then(|name| name.parts_slice().last().copied());
        let mut class = match parent.and_then(|parent| self.config.classes.get(&parent.to_ascii_lowercase()))
        {
            Some(parent) => parent.clone(),
            None => Class::default(),
        };
        class.name = name.to_owned();
        class.parent = parent.map(str::to_owned);
        let inherited = u32::try_from(class.properties.len() + class.constants.len()).unwrap_or(u32::MAX);
        self.budget.spend(inherited);
        let doubt = self.doubt(name).map(|(outcome, _)| PhpValue::Unknown(outcome));
        self.config.classes.insert(key.clone(), class);
        self.class_stack.push(key.clone());
        for member in declaration.body.members.iter() {
            let line = self.file.line(member.span);
            let (name, value, constant) = match &member.kind {
                ClassMemberKind::ClassConst(constant) => {
                    (constant.name.as_str(), Some(&constant.value), true)
                }
                ClassMemberKind::Property(property) => {
                    (property.name.as_str(), property.default.as_ref(), false)
                }
                _ => continue,
            };
            let Some(name) = name else { continue };
            let value = match &doubt {
                Some(outcome) => outcome.clone(),
                None => value.map_or(PhpValue::Null, |value| self.eval(value)),
            };
            let located = self.located(value, line);
            if let Some(class) = self.class_mut(&key) {
                let members = if constant { &mut class.constants } else { &mut class.properties };
                members.insert(name.to_owned(), located);
            }
        }
        self.construct(declaration, &key, line);
        self.class_stack.pop();
    }

    /// Walks the constructor: `$this->x = …` replaces a property's default.
    fn construct(&mut self, declaration: &'a ClassDecl<'a, 'a>, key: &str, line: u32) {
        let Some(method) = Self::method(declaration, "__construct") else { return };
        let Some(body) = method.body else { return };
        let mut scope = Scope { this: Some(key.to_owned()), ..Scope::default() };
        for param in method.params.iter() {
            let value = match &param.default {
                Some(default) => self.eval(default),
                None => self.unknown(Cause::Construct("a constructor's argument"), line),
            };
            if let Some(name) = param.name.as_str() {
                scope.variables.insert(name.to_owned(), self.located(value, line));
            }
        }
        self.scopes.push(scope);
        self.frame(|machine| machine.block(&body.stmts));
        self.scopes.pop();
    }

    /// The full name of a class that an expression names, resolved by imports and namespace.
    pub(super) fn class_name(&mut self, class: &'a Expr<'a, 'a>) -> Option<String> {
        match &class.kind {
            ExprKind::Name(name) => Some(self.resolve(name)),
            ExprKind::Identifier(name) => Some(name.as_str().to_owned()),
            _ => None,
        }
    }

    fn resolve(&self, name: &Name<'a, 'a>) -> String {
        let text = name.join_parts().into_owned();
        if name.kind() == NameKind::FullyQualified {
            return text;
        }
        let (first, rest) = match text.split_once('\\') {
            Some((first, rest)) => (first, Some(rest)),
            None => (text.as_str(), None),
        };
        if let Some(full) = self.file.imports.borrow().get(&first.to_ascii_lowercase()) {
            return match rest {
                Some(rest) => format!("{full}\\{rest}"),
                None => full.clone(),
            };
        }
        let namespace = self.file.namespace.borrow();
        match namespace.is_empty() || matches!(first, "self" | "static" | "parent") {
            true => text,
            false => format!("{namespace}\\{text}"),
        }
    }

    /// The key under which a class was read, when it was.
    pub(super) fn class_key(&mut self, class: &'a Expr<'a, 'a>) -> Option<String> {
        let name = self.class_name(class)?;
        let short = name.rsplit('\\').next().unwrap_or_default().to_ascii_lowercase();
        let current = self.class_stack.last();
        let key = match short.as_str() {
            "self" | "static" => current?.clone(),
            "parent" => self.config.classes.get(current?)?.parent.as_ref()?.to_ascii_lowercase(),
            _ => short,
        };
        self.config.classes.contains_key(&key).then_some(key)
    }

    pub(super) fn class_constant(&mut self, access: &'a StaticAccessExpr<'a, 'a>, line: u32) -> PhpValue {
        let name = self.class_name(access.class).unwrap_or_default();
        let member = access.member.name_str().unwrap_or_default();
        if member.eq_ignore_ascii_case("class") && !matches!(name.as_str(), "" | "self" | "static" | "parent")
        {
            return PhpValue::from(name);
        }
        if let Some(key) = self.class_key(access.class)
            && let Some(located) = self.config.classes.get(&key).and_then(|class| class.constants.get(member))
        {
            return located.value.clone();
        }
        let short = name.rsplit('\\').next().unwrap_or_default().to_ascii_lowercase();
        let pdo = matches!(short.as_str(), "pdo" | "mysql").then(|| super::constants::pdo(member)).flatten();
        match pdo {
            Some(number) => PhpValue::Int(number),
            None => self.unknown(Cause::Constant(format!("{name}::{member}")), line),
        }
    }

    pub(super) fn static_property(&mut self, access: &'a StaticAccessExpr<'a, 'a>, line: u32) -> PhpValue {
        let member = access.member.name_str().unwrap_or_default();
        let key = self.class_key(access.class);
        let found =
            key.and_then(|key| self.config.classes.get(&key)).and_then(|class| class.properties.get(member));
        match found {
            Some(located) => located.value.clone(),
            None => self.unknown(Cause::Construct("a static property"), line),
        }
    }

    pub(super) fn property(&mut self, expression: &'a Expr<'a, 'a>, line: u32) -> PhpValue {
        let (ExprKind::PropertyAccess(access) | ExprKind::NullsafePropertyAccess(access)) = &expression.kind
        else {
            return self.unknown(Cause::Construct("this expression"), line);
        };
        let PropertyAccessExpr { object, property } = access;
        let Some(name) = self.member_name(property) else {
            return self.unknown(Cause::Construct("a computed property"), line);
        };
        if let ExprKind::Variable(variable) = &object.kind
            && variable.as_str() == "this"
        {
            let class = self.scopes.last().and_then(|scope| scope.this.as_ref());
            let class = class.and_then(|key| self.config.classes.get(key));
            return match class.and_then(|class| class.properties.get(&name)) {
                Some(located) => located.value.clone(),
                None => self.unknown(Cause::Construct("a property"), line),
            };
        }
        match self.eval(object) {
            PhpValue::Object(object) => match (object.fields.get(&name), object.fields.open()) {
                (Some(value), _) => value.clone(),
                (None, Some(why)) => PhpValue::Unknown(why.clone()),
                (None, None) => PhpValue::Null,
            },
            PhpValue::Unknown(why) => PhpValue::Unknown(why.element()),
            _ => PhpValue::Null,
        }
    }
}
