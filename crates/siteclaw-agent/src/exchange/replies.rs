//! What comes of a reply: its calls are made, its answer is taken, or it is asked for again.

use siteclaw_core::{Envelope, ToolError, code};

use super::{Closing, Exchange, Failed, Next, SECOND_CHANCES};
use crate::answer::End;
use crate::message::{CallResult, Message};
use crate::provider::{Reply, Shape, Stop};
use crate::repeats::Repeats;
use crate::shaped;
use crate::turn::Calls;
use crate::update::Update;

impl Exchange<'_> {
    /// Does what a reply asks for.
    pub(super) async fn take(&mut self, reply: Reply) -> Result<Next, Failed> {
        if !reply.text.trim().is_empty() {
            self.answer.text.clone_from(&reply.text);
        }
        // What a filter stopped in its middle may not be what was meant.
        if reply.stop == Stop::Declined {
            self.answer.text.clone_from(&reply.text);
            return Ok(Next::Over(End::Declined));
        }
        let shaped = reply.calls.iter().any(|call| call.name == Shape::CALL);
        if let (Some(shape), true) = (self.shape, shaped) {
            return self.take_shaped(shape, reply);
        }
        if !reply.calls.is_empty() {
            return match self.state.closing {
                // It was asked for an answer and calls all the same.
                Some(Closing::Last | Closing::Stuck) => Ok(Next::Over(End::OutOfIterations)),
                Some(Closing::Shape) | None => self.call(reply).await,
            };
        }
        if reply.stop == Stop::Paused {
            if !reply.text.is_empty() || reply.echo.is_some() {
                self.say(Message::Assistant { text: reply.text, calls: Vec::new(), echo: reply.echo });
            }
            return Ok(Next::Turn);
        }
        // What was said beside earlier calls is no answer.
        self.answer.text.clone_from(&reply.text);
        let end = match (reply.stop, self.state.closing) {
            (Stop::Length, _) => End::CutShort,
            (_, Some(Closing::Last)) => End::OutOfIterations,
            _ => End::Answered,
        };
        if reply.text.trim().is_empty() && end == End::Answered {
            self.state.second_chances += 1;
            if self.state.second_chances > SECOND_CHANCES {
                return Err(Failed::Empty);
            }
            self.note("Your last reply was empty. Answer, or make a call.");
            return Ok(Next::Turn);
        }
        let Some(shape) = self.shape else {
            if !reply.text.trim().is_empty() {
                self.say(Message::Assistant { text: reply.text, calls: Vec::new(), echo: reply.echo });
            }
            return Ok(Next::Over(end));
        };
        match shaped::of_text(shape, &reply.text) {
            Ok(value) => {
                self.say(Message::Assistant { text: reply.text, calls: Vec::new(), echo: reply.echo });
                self.state.shaped = Some(value);
                Ok(Next::Over(if end == End::CutShort { End::Answered } else { end }))
            }
            Err(problem) => {
                self.repair(&problem)?;
                self.view.push(Message::Assistant { text: reply.text, calls: Vec::new(), echo: reply.echo });
                self.note(&format!("{problem} Give the whole answer again, in the form that is asked for."));
                Ok(Next::Turn)
            }
        }
    }

    /// Takes the call that gives the answer in its shape.
    fn take_shaped(&mut self, shape: &Shape, reply: Reply) -> Result<Next, Failed> {
        let Reply { text, calls, stop, echo, .. } = reply;
        let given = calls.iter().find(|call| call.name == Shape::CALL).map(|call| call.arguments.clone());
        match shaped::fits(shape, given.unwrap_or_default()) {
            Ok(value) => {
                let text = value.to_string();
                self.answer.text.clone_from(&text);
                self.say(Message::Assistant { text, calls: Vec::new(), echo: None });
                self.state.shaped = Some(value);
                Ok(Next::Over(End::Answered))
            }
            Err(problem) => {
                self.repair(&problem)?;
                // Only what is sent has this step: the conversation that is kept gets the answer alone.
                let calls = Calls::new(calls, self.executor, stop, &Repeats::default());
                let error =
                    ToolError::new(code::INVALID_ARGUMENT, problem).hint("Give the whole answer again.");
                let results = calls.calls.iter().map(|call| {
                    CallResult::new(
                        call.id.as_str(),
                        call.name.as_str(),
                        Envelope::failure(&error, Vec::new()),
                    )
                });
                let results = Message::Results(results.collect());
                self.view.push(Message::Assistant { text, calls: calls.calls, echo });
                self.view.push(results);
                Ok(Next::Turn)
            }
        }
    }

    fn repair(&mut self, problem: &str) -> Result<(), Failed> {
        self.state.repairs += 1;
        if self.state.repairs > shaped::REPAIRS {
            return Err(Failed::Shape(problem.to_owned()));
        }
        (self.listener)(Update::Repairing { attempt: self.state.repairs, problem });
        self.state.closing.get_or_insert(Closing::Shape);
        Ok(())
    }

    /// Makes a reply's calls.
    async fn call(&mut self, reply: Reply) -> Result<Next, Failed> {
        let Reply { text, calls, stop, echo, .. } = reply;
        let calls = Calls::new(calls, self.executor, stop, &self.state.repeats);
        if calls.only_repeats() {
            self.state.closing = Some(Closing::Stuck);
        }
        self.negotiate(calls.running());
        let made = calls.make(self.executor, self.run, &mut self.state.repeats, self.listener).await;
        let mut results = Vec::with_capacity(made.len());
        for (result, called) in made {
            if result.envelope.code() == Some(code::TOOL_NOT_OFFERED) {
                self.offer.widen(&result.name);
            }
            results.push(result);
            self.answer.tools_called.push(called);
        }
        // Both or neither: a call without its result would be refused by every provider.
        self.say(Message::Assistant { text, calls: calls.calls, echo });
        self.say(Message::Results(results));
        Ok(Next::Turn)
    }
}
