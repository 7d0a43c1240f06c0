//! Places that can be written: a root and the keys that lead from it.

use std::sync::Arc;

use php_ast::{Expr, ExprKind};

use super::budget::MAX_VALUE_DEPTH;
use super::machine::Machine;
use crate::array::PhpArray;
use crate::convert;
use crate::unknown::Unknown;
use crate::value::{PhpKey, PhpObject, PhpValue};

pub(super) enum Root {
    Variable(String),
    /// A property of the object under construction, or a static one: class key and name.
    Member(String, String),
}

pub(super) enum Step {
    Key(PhpKey),
    Append,
    Field(PhpKey),
    /// A key that cannot be known.
    Anywhere(Unknown),
}

pub(super) struct Place {
    pub(super) root: Root,
    pub(super) steps: Vec<Step>,
}

impl Place {
    /// The name that findings show.
    pub(super) fn name(&self) -> String {
        match &self.root {
            Root::Variable(name) => format!("${name}"),
            Root::Member(class, name) => format!("{class}::${name}"),
        }
    }
}

impl<'a> Machine<'a> {
    /// The place that an expression names; nothing when it is none or its root cannot be known.
    pub(super) fn place(&mut self, expression: &'a Expr<'a, 'a>) -> Option<Place> {
        let mut steps = Vec::new();
        let mut expression = expression;
        let root = loop {
            if steps.len() > usize::from(MAX_VALUE_DEPTH) {
                return None;
            }
            match &expression.kind {
                ExprKind::Parenthesized(inner) => expression = inner,
                ExprKind::ArrayAccess(access) => {
                    let step = match access.index {
                        None => Step::Append,
                        Some(index) => {
                            let line = self.file.line(index.span);
                            let value = self.eval(index);
                            match key_of(&value) {
                                Some(key) => Step::Key(key),
                                None => Step::Anywhere(self.reason(&value, line)),
                            }
                        }
                    };
                    steps.push(step);
                    expression = access.array;
                }
                ExprKind::PropertyAccess(access) => {
                    let name = self.member_name(access.property)?;
                    if let (ExprKind::Variable(object), Some(class)) = (&access.object.kind, self.this())
                        && object.as_str() == "this"
                    {
                        break Root::Member(class, name);
                    }
                    steps.push(Step::Field(PhpKey::from(name.as_str())));
                    expression = access.object;
                }
                ExprKind::StaticPropertyAccess(access) => {
                    let class = self.class_key(access.class)?;
                    break Root::Member(class, access.member.name_str()?.to_owned());
                }
                ExprKind::Variable(name) if name.as_str() == "GLOBALS" => match steps.pop()? {
                    Step::Key(key) => break Root::Variable(key.to_text()),
                    _ => return None,
                },
                ExprKind::Variable(name) => break Root::Variable(name.as_str().to_owned()),
                ExprKind::VariableVariable(inner) => {
                    let name = self.eval(inner);
                    break Root::Variable(name.as_str()?.to_owned());
                }
                _ => return None,
            }
        };
        steps.reverse();
        Some(Place { root, steps })
    }

    fn this(&self) -> Option<String> {
        self.scopes.last().and_then(|scope| scope.this.clone())
    }

    /// The name of a member: an identifier, or an expression that gives one.
    pub(super) fn member_name(&mut self, member: &'a Expr<'a, 'a>) -> Option<String> {
        match &member.kind {
            ExprKind::Identifier(name) => Some(name.as_str().to_owned()),
            ExprKind::Name(name) => Some(name.join_parts().into_owned()),
            _ => self.eval(member).to_text(),
        }
    }
}

/// The array key that PHP makes of a value.
pub(super) fn key_of(value: &PhpValue) -> Option<PhpKey> {
    match value {
        PhpValue::Str(text) => Some(PhpKey::from_bytes(text.as_bytes())),
        PhpValue::Int(number) => Some(PhpKey::Int(*number)),
        PhpValue::Bool(_) | PhpValue::Float(_) => convert::to_int(value).map(PhpKey::Int),
        PhpValue::Null => Some(PhpKey::from("")),
        _ => None,
    }
}

/// Writes a value where the steps lead, making arrays on the way as PHP does. With a doubt, a place that
/// has a value keeps it (when the doubt says so) and another gets the doubt. `copied` counts entries that
/// had to be copied because their array is shared.
pub(super) fn store(
    slot: &mut PhpValue,
    exists: bool,
    steps: &[Step],
    value: PhpValue,
    doubt: Option<&(Unknown, bool)>,
    copied: &mut u32,
) {
    let Some((step, rest)) = steps.split_first() else {
        match doubt {
            None => *slot = value,
            Some((_, true)) if exists => {}
            Some((outcome, _)) => *slot = PhpValue::Unknown(outcome.clone()),
        }
        return;
    };
    match (&*slot, step) {
        (PhpValue::Null, Step::Field(_)) => {
            let object = PhpObject { class: "stdClass".to_owned(), fields: PhpArray::new() };
            *slot = PhpValue::Object(Arc::new(object));
        }
        (PhpValue::Null | PhpValue::Bool(false), _) => *slot = PhpValue::from(PhpArray::new()),
        (PhpValue::Unknown(why), Step::Key(_) | Step::Append | Step::Anywhere(_)) => {
            let mut array = PhpArray::new();
            array.set_open(why.used());
            *slot = PhpValue::from(array);
        }
        _ => {}
    }
    let fields = match slot {
        PhpValue::Array(array) => {
            if Arc::strong_count(array) > 1 {
                *copied = copied.saturating_add(u32::try_from(array.len()).unwrap_or(u32::MAX));
            }
            Arc::make_mut(array)
        }
        PhpValue::Object(object) => &mut Arc::make_mut(object).fields,
        _ => return,
    };
    let key = match step {
        Step::Key(key) | Step::Field(key) => key.clone(),
        Step::Anywhere(why) => return fields.set_open(why.clone()),
        Step::Append => match doubt {
            // The key that it would get is open: so are all that follow.
            Some((outcome, _)) => return fields.set_open(outcome.clone()),
            None if fields.open().is_some() => return,
            None => fields.next_key(),
        },
    };
    let exists = fields.get_key(&key).is_some();
    fields.update(key, |slot| store(slot, exists, rest, value, doubt, copied));
}

/// Objects that a write through the steps would change and that other names may hold.
pub(super) fn shared_objects(slot: &PhpValue, steps: &[Step]) -> Vec<Arc<PhpObject>> {
    let mut shared = Vec::new();
    let mut slot = Some(slot);
    for step in steps {
        let (Some(value), Step::Key(key) | Step::Field(key)) = (slot, step) else { break };
        if let PhpValue::Object(object) = value
            && Arc::strong_count(object) > 1
        {
            shared.push(Arc::clone(object));
        }
        slot = match value {
            PhpValue::Array(array) => array.get_key(key),
            PhpValue::Object(object) => object.fields.get_key(key),
            _ => None,
        };
    }
    shared
}

/// Whether a value holds one of these objects.
pub(super) fn mentions(value: &PhpValue, objects: &[Arc<PhpObject>]) -> bool {
    match value {
        PhpValue::Object(object) => {
            objects.iter().any(|shared| Arc::ptr_eq(shared, object))
                || object.fields.values().any(|value| mentions(value, objects))
        }
        PhpValue::Array(array) => array.values().any(|value| mentions(value, objects)),
        _ => false,
    }
}

/// Removes the entry where the steps lead.
pub(super) fn remove(slot: &mut PhpValue, steps: &[Step]) {
    let Some((step, rest)) = steps.split_first() else { return };
    let fields = match slot {
        PhpValue::Array(array) => Arc::make_mut(array),
        PhpValue::Object(object) => &mut Arc::make_mut(object).fields,
        _ => return,
    };
    match step {
        Step::Key(key) | Step::Field(key) if rest.is_empty() => {
            fields.remove(key);
        }
        Step::Key(key) | Step::Field(key) if fields.get_key(key).is_some() => {
            fields.update(key.clone(), |slot| remove(slot, rest));
        }
        Step::Anywhere(why) => fields.set_open(why.clone()),
        _ => {}
    }
}
