//! One message answered: the provider is asked, its calls are made, their results are handed back, and so on.
//!
//! Nothing that happens in a turn loses what was done before it: a call that cannot be made is answered with why, a
//! reply that cannot be read is asked for again, and when a limit is near the model is asked for an answer without
//! further calls.

mod heard;
mod replies;

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use siteclaw_core::router::Routed;
use siteclaw_core::{Entry, Executor, Run};

use crate::answer::{Answer, End};
use crate::conversation::Conversation;
use crate::error::AgentError;
use crate::message::Message;
use crate::offering::Offering;
use crate::prices::{Cost, Prices};
use crate::provider::{Choice, Delta, Live, Provider, ProviderError, Reply, Shape, Turn};
use crate::repeats::Repeats;
use crate::room::{self, Meter};
use crate::update::{Listener, Update};
use heard::Heard;

/// How often an empty reply, or a call that the provider itself could not read, is asked for again.
const SECOND_CHANCES: u32 = 2;
/// How often a conversation that the provider finds too long is shortened.
const SQUEEZES: u32 = 3;
/// The least characters that a result is given.
const LEAST_RESULT: usize = 1_000;
/// The most tokens that are kept free for an answer.
const MOST_RESERVE: usize = 8_000;

/// What one message is answered with and by.
pub(crate) struct Exchange<'a> {
    pub(crate) executor: &'a Executor,
    pub(crate) provider: &'a dyn Provider,
    pub(crate) run: &'a Run,
    pub(crate) listener: Listener<'a>,
    pub(crate) conversation: &'a mut Conversation,
    pub(crate) available: &'a [Arc<Entry>],
    pub(crate) routed: &'a Routed,
    pub(crate) offer: Offering<'a>,
    pub(crate) shape: Option<&'a Shape>,
    pub(crate) iterations: u32,
    /// The most tokens of all turns together.
    pub(crate) most_tokens: Option<u64>,
    pub(crate) prices: &'a Prices,
    /// What is sent: the conversation, shortened where it has to be.
    pub(crate) view: Vec<Message>,
    pub(crate) answer: Answer,
    pub(crate) state: State,
}

/// What an exchange learns on its way.
#[derive(Debug, Default)]
pub(crate) struct State {
    repeats: Repeats,
    meter: Meter,
    squeezes: u32,
    second_chances: u32,
    repairs: u32,
    /// Why the next turn may make no calls.
    closing: Option<Closing>,
    shaped: Option<Value>,
    /// The price of some turn is not known.
    unpriced: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closing {
    /// The limit of iterations is reached.
    Last,
    /// It repeats what fails.
    Stuck,
    /// The answer has to be given in its shape.
    Shape,
}

/// What became of a question to the provider.
enum Asked {
    Reply(Box<Reply>),
    Failed(ProviderError),
    Cancelled,
}

/// Whether the exchange goes on.
enum Next {
    Turn,
    Over(End),
}

impl Exchange<'_> {
    /// Answers. In a shape, the value is in the second part.
    pub(crate) async fn go(mut self) -> Result<(Answer, Option<Value>), AgentError> {
        let ended = self.turns().await;
        self.conversation.settle();
        let Self { mut answer, state, listener, .. } = self;
        match ended {
            Ok(end) => {
                answer.end = end;
                listener(Update::Ended(&answer));
                Ok((answer, state.shaped))
            }
            Err(error) => Err(match error {
                Failed::Provider(source) => AgentError::Provider { source, done: Box::new(answer) },
                Failed::Empty => AgentError::EmptyReply { done: Box::new(answer) },
                Failed::Shape(problem) => AgentError::Unshaped { problem, done: Box::new(answer) },
            }),
        }
    }

    async fn turns(&mut self) -> Result<End, Failed> {
        for iteration in 1..=self.iterations {
            if self.run.cancel().is_cancelled() {
                return Ok(End::Cancelled);
            }
            if self.iterations > 1 && iteration == self.iterations {
                self.state.closing.get_or_insert(Closing::Last);
            }
            let room = self.make_room(None);
            if self
                .most_tokens
                .is_some_and(|most| self.answer.usage.total().saturating_add(room as u64) > most)
            {
                return Ok(End::OutOfTokens);
            }
            self.answer.iterations = iteration;
            let reply = match self.ask(iteration, room).await {
                Asked::Cancelled => return Ok(End::Cancelled),
                Asked::Failed(error) => {
                    self.recover(error)?;
                    continue;
                }
                Asked::Reply(reply) => *reply,
            };
            match self.take(reply).await? {
                Next::Turn => {}
                Next::Over(end) => return Ok(end),
            }
        }
        Ok(End::OutOfIterations)
    }

    /// Shortens what is sent until it fits; `to` asks for so many tokens, whatever the provider says of itself.
    /// Returns the tokens that the request is taken for.
    fn make_room(&mut self, to: Option<usize>) -> usize {
        let described = room::described(&self.offer.tools);
        let estimate = |view: &[Message], meter: Meter| meter.tokens(room::chars(view) + described);
        let meter = self.state.meter;
        let before = estimate(&self.view, meter);
        let context = self.provider.context();
        let most = context.saturating_sub((context / 4).min(MOST_RESERVE));
        if to.is_none() && before <= most {
            return before;
        }
        // Well below the limit, so that the provider's cache is not lost with every turn.
        let target = to.unwrap_or(most / 5 * 4);
        let chars = meter.chars(target).saturating_sub(described);
        if !room::shorten(&mut self.view, chars) {
            return before;
        }
        let after = estimate(&self.view, meter);
        (self.listener)(Update::Shortened { before, after });
        after
    }

    async fn ask(&mut self, iteration: u32, tokens: usize) -> Asked {
        (self.listener)(Update::Asking { iteration, tools: self.offer.tools.len(), tokens });
        let began = Instant::now();
        let heard = Heard::default();
        let listener = self.listener;
        let pass = |delta: Delta<'_>| heard.pass(delta, began, listener);
        let turn = Turn {
            messages: &self.view,
            tools: &self.offer.tools,
            available: self.available,
            routed: self.routed,
            choice: match self.state.closing {
                None => Choice::Free,
                Some(Closing::Shape) => Choice::Shaped,
                Some(_) if self.shape.is_some() => Choice::Shaped,
                Some(_) => Choice::Nothing,
            },
            shape: self.shape,
            live: Live::to(&pass),
        };
        let reply = tokio::select! {
            biased;
            () = self.run.cancel().cancelled() => None,
            reply = self.provider.complete(turn) => Some(reply),
        };
        let (said, first_word) = heard.finish();
        match reply {
            Some(Ok(reply)) => {
                if said.is_empty() && !reply.text.is_empty() {
                    listener(Update::Text(&reply.text));
                }
                let cost = self.account(&reply);
                let (provider, model) = (&self.answer.provider, &self.answer.model);
                listener(Update::Replied {
                    iteration,
                    provider,
                    model,
                    usage: reply.usage,
                    cost,
                    sent: reply.sent.as_ref(),
                    stop: reply.stop,
                    calls: reply.calls.len(),
                    duration: began.elapsed(),
                    first_word,
                });
                Asked::Reply(Box::new(reply))
            }
            // What was heard of a reply that never came to its end is kept.
            Some(Err(error)) => {
                self.keep(said);
                Asked::Failed(error)
            }
            None => {
                self.keep(said);
                Asked::Cancelled
            }
        }
    }

    fn keep(&mut self, said: String) {
        if !said.trim().is_empty() {
            self.answer.text = said;
        }
    }

    /// Adds up what a reply cost, and returns its part where the price is known.
    fn account(&mut self, reply: &Reply) -> Option<Cost> {
        self.answer.usage.add(reply.usage);
        if let Some(served) = &reply.served_by {
            self.answer.provider.clone_from(&served.provider);
            self.answer.model.clone_from(&served.model);
        }
        self.answer.thinking.push_str(&reply.thinking);
        let read = reply
            .usage
            .input_tokens
            .saturating_add(reply.usage.cache_read_tokens)
            .saturating_add(reply.usage.cache_write_tokens);
        let sent = room::chars(&self.view) + room::described(&self.offer.tools);
        self.state.meter.learn(sent, read);
        let cost = self.prices.cost(&self.answer.provider, &self.answer.model, reply.usage);
        self.state.unpriced |= cost.is_none();
        let sum = self.answer.cost.unwrap_or_default().plus(cost.unwrap_or_default());
        self.answer.cost = (!self.state.unpriced).then_some(sum);
        cost
    }

    /// Makes another turn possible after a failure, or gives the failure back.
    fn recover(&mut self, error: ProviderError) -> Result<(), Failed> {
        match error {
            ProviderError::TooLong(_) if self.state.squeezes < SQUEEZES => {
                self.state.squeezes += 1;
                let described = room::described(&self.offer.tools);
                let present = self.state.meter.tokens(room::chars(&self.view) + described);
                let shorter = self.make_room(Some(present / 2));
                if shorter < present { Ok(()) } else { Err(Failed::Provider(error)) }
            }
            ProviderError::BadCall(_) if self.state.second_chances < SECOND_CHANCES => {
                self.state.second_chances += 1;
                self.note(
                    "Your last call could not be read. Call only tools that are listed, with arguments that fit \
                     their schema, or answer in plain text.",
                );
                Ok(())
            }
            other => Err(Failed::Provider(other)),
        }
    }

    /// Says something to the model; it is not part of the conversation that is kept.
    fn note(&mut self, text: &str) {
        self.view.push(Message::Note(text.to_owned()));
    }

    fn say(&mut self, message: Message) {
        (self.listener)(Update::Said(&message));
        self.conversation.push(message.clone());
        self.view.push(message);
    }

    /// Gives each of so many results its part of the room that is left, before they are made.
    fn negotiate(&self, calls: usize) {
        let context = self.provider.context();
        let described = room::described(&self.offer.tools);
        let used = self.state.meter.tokens(room::chars(&self.view) + described);
        let left = context.saturating_sub(used + (context / 4).min(MOST_RESERVE));
        let each = self.state.meter.chars(left) / calls.max(1);
        self.run.set_budget(each.max(LEAST_RESULT).min(self.offer.budget()));
    }
}

/// Why there is no answer.
enum Failed {
    Provider(ProviderError),
    Empty,
    Shape(String),
}
