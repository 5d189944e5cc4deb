"""Replies made of the vendors' own classes, whole and as streams, with what their own clients read in them.

Writes lines `{"wire", "streamed", "body", "want": {...}}`. The body of a streamed one is its server-sent events; what is wanted
of it is read in what the vendor's own client put together from the same events, where it has a function for that.
"""

import base64
import json
import random
import sys

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
WORDS = ["I press", " the button", "\n", "é€😀", ' "quoted" ', "\\", "{", "data: x", "", "[DONE]", "\u2028", "<tool_call>"]


class Dice(random.Random):
    """What a reply is made of, the same in every run."""

    def text(self):
        return "".join(self.choices(WORDS, k=self.randint(1, 6)))

    def arguments(self):
        return {
            key: self.choice([1, 2.5, -7, 0, True, None, self.text(), [1, [2]], {"in": self.text()}])
            for key in self.sample("xyzé", self.randint(0, 4))
        }

    def calls(self):
        """Id, name and arguments."""
        return [
            (f"call_{self.getrandbits(32):x}", self.choice(["click", "type", "t_é"[:2]]), self.arguments())
            for _ in range(self.choice([0, 0, 1, 1, 2, 5]))
        ]

    def pieces(self, text):
        while text:
            cut = self.randint(1, max(1, len(text)))
            yield text[:cut]
            text = text[cut:]

    def count(self):
        return self.randint(0, 5000)


def wants(text, calls, finish, model, usage, refused=False, checks=()):
    return {
        "text": text,
        "calls": [list(call) for call in calls],
        "finish": finish,
        "model": model,
        "usage": list(usage),
        "refused": refused,
        "checks": list(checks),
    }


def put(wire, streamed, body, want):
    print(json.dumps({"wire": wire, "streamed": streamed, "body": body, "want": want}))


def sse(events, bare, end="", named=False):
    """Models of pydantic as server-sent events."""
    text = ""
    for event in events:
        text += f"event: {event.type}\n" if named else ""
        text += f"data: {event.model_dump_json(by_alias=True, exclude_unset=bare)}\n\n"
    return text + end


def messages(dice):
    from anthropic import types
    from anthropic.lib.streaming._messages import accumulate_event

    content = []
    if dice.random() < 0.4:
        content.append(types.ThinkingBlock(type="thinking", thinking=dice.text(), signature=dice.randbytes(9).hex()))
        if dice.random() < 0.3:
            content.append(types.RedactedThinkingBlock(type="redacted_thinking", data=dice.randbytes(9).hex()))
    for _ in range(dice.choice([0, 1, 1, 2])):
        content.append(types.TextBlock(type="text", text=dice.text(), citations=None))
    for id, name, input in dice.calls():
        content.append(types.ToolUseBlock(type="tool_use", id=id, name=name, input=input))
    has_calls = any(block.type == "tool_use" for block in content)
    ends = {
        "end_turn": "stop",
        "stop_sequence": "stop",
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "refusal": "content_filter",
        "pause_turn": "pause_turn",
    }
    reason = "tool_use" if has_calls else dice.choice(list(ends))
    details = (
        types.RefusalStopDetails(type="refusal", category="cyber", explanation=dice.text())
        if reason == "refusal" and dice.random() < 0.5
        else None
    )
    usage = types.Usage(
        input_tokens=dice.count(),
        output_tokens=dice.count(),
        cache_read_input_tokens=dice.choice([None, dice.count()]),
        cache_creation_input_tokens=dice.choice([None, dice.count()]),
    )
    message = types.Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude-x",
        content=content,
        stop_reason=reason,
        stop_sequence=None,
        stop_details=details,
        usage=usage,
    )

    def want(message):
        text = "".join(block.text for block in message.content if block.type == "text")
        calls = [(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"]
        used = message.usage
        read, written = used.cache_read_input_tokens, used.cache_creation_input_tokens
        counts = (used.input_tokens + (read or 0) + (written or 0), used.output_tokens, read, written)
        return wants(
            text,
            calls,
            {**ends, "tool_use": "tool_calls"}[message.stop_reason],
            message.model,
            counts,
            message.stop_reason == "refusal",
        )

    put("messages", False, message.model_dump_json(by_alias=True, exclude_unset=dice.random() < 0.5), want(message))

    early = usage.model_copy(update={"output_tokens": 1})
    events = [
        types.RawMessageStartEvent(
            type="message_start",
            message=message.model_copy(update={"content": [], "stop_reason": None, "stop_details": None, "usage": early}),
        )
    ]
    for index, block in enumerate(content):

        def delta(**of):
            events.append(types.RawContentBlockDeltaEvent(type="content_block_delta", index=index, delta=of))

        empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}.get(
            block.type, {}
        )
        events.append(
            types.RawContentBlockStartEvent(type="content_block_start", index=index, content_block=block.model_copy(update=empty))
        )
        if block.type == "text":
            for piece in dice.pieces(block.text):
                delta(type="text_delta", text=piece)
        elif block.type == "thinking":
            for piece in dice.pieces(block.thinking):
                delta(type="thinking_delta", thinking=piece)
            delta(type="signature_delta", signature=block.signature)
        elif block.type == "tool_use":
            delta(type="input_json_delta", partial_json="")
            if block.input or dice.random() < 0.5:
                for piece in dice.pieces(json.dumps(block.input, ensure_ascii=dice.random() < 0.5)):
                    delta(type="input_json_delta", partial_json=piece)
        events.append(types.RawContentBlockStopEvent(type="content_block_stop", index=index))
    last = {"output_tokens": usage.output_tokens} if dice.random() < 0.5 else usage.model_dump()
    last = {key: count for key, count in last.items() if key in types.MessageDeltaUsage.model_fields}
    events.append(
        types.RawMessageDeltaEvent(
            type="message_delta", delta={"stop_reason": reason, "stop_sequence": None, "stop_details": details}, usage=last
        )
    )
    events.append(types.RawMessageStopEvent(type="message_stop"))
    snapshot, buffers = None, {}
    for event in events:
        snapshot = accumulate_event(event=event, current_snapshot=snapshot, json_bufs=buffers)
    ping = "event: ping\ndata: {\"type\": \"ping\"}\n\n"
    put("messages", True, dice.choice(["", ping]) + sse(events, True, named=True), want(snapshot))


def chat(dice):
    from openai.lib.streaming.chat._completions import ChatCompletionStreamState
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    calls, text = dice.calls(), dice.choice([None, "", dice.text(), dice.text()])
    reason = "tool_calls" if calls else dice.choice(["stop", "length", "content_filter"])
    refusal = None if calls or text or reason != "stop" else dice.choice([None, dice.text()])
    usage = {
        "prompt_tokens": dice.count(),
        "completion_tokens": dice.count(),
        "total_tokens": 1,
        "prompt_tokens_details": dice.choice([None, {"cached_tokens": dice.count()}]),
    }
    written = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}} for id, name, args in calls
    ]
    head = {"id": "chatcmpl-1", "created": 1, "model": "gpt-x", "system_fingerprint": None}
    message = {
        "role": "assistant",
        "content": text,
        "refusal": refusal,
        "annotations": [],
        **({"tool_calls": written} if written else {}),
    }
    whole = ChatCompletion.model_validate(
        {
            **head,
            "object": "chat.completion",
            "usage": usage,
            "choices": [{"index": 0, "finish_reason": reason, "logprobs": None, "message": message}],
        }
    )

    def want(completion):
        choice = completion.choices[0]
        made = [(c.id, c.function.name, json.loads(c.function.arguments)) for c in choice.message.tool_calls or []]
        used = completion.usage
        details = used.prompt_tokens_details
        counts = (
            used.prompt_tokens,
            used.completion_tokens,
            details and details.cached_tokens,
            details and details.cache_write_tokens,
        )
        refused = bool(choice.message.refusal) or choice.finish_reason == "content_filter"
        return wants(
            choice.message.content or choice.message.refusal or "", made, choice.finish_reason, completion.model, counts, refused
        )

    put("chat", False, whole.model_dump_json(by_alias=True, exclude_unset=dice.random() < 0.5), want(whole))

    def chunk(delta, finish=None, **more):
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]
        chunks.append(ChatCompletionChunk.model_validate({**head, "object": "chat.completion.chunk", "choices": choices, **more}))

    chunks = []
    chunk({"role": "assistant", "content": "" if text is not None else None, "refusal": None})
    for piece in dice.pieces(text or ""):
        chunk({"content": piece})
    for piece in dice.pieces(refusal or ""):
        chunk({"refusal": piece})
    for index, call in enumerate(written):
        chunk({"tool_calls": [{"index": index, **call, "function": {**call["function"], "arguments": ""}}]})
        for piece in dice.pieces(call["function"]["arguments"]):
            chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    chunk({}, reason)
    chunk(None, usage=usage)
    state = ChatCompletionStreamState()
    for one in chunks:
        state.handle_chunk(one)
    put("chat", True, sse(chunks, dice.random() < 0.5, "data: [DONE]\n\n"), want(state.current_completion_snapshot))


def responses(dice):
    from openai.types import responses as types

    output = []
    if dice.random() < 0.4:
        output.append(
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": dice.text()}],
                "encrypted_content": dice.choice([None, dice.randbytes(9).hex()]),
            }
        )
    refusal = dice.text() if dice.random() < 0.15 else ""
    for _ in range(dice.choice([0, 1, 1, 2])):
        part = (
            {"type": "refusal", "refusal": refusal}
            if refusal
            else {"type": "output_text", "text": dice.text(), "annotations": [], "logprobs": []}
        )
        output.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]})
    for id, name, args in [] if refusal else dice.calls():
        output.append(
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": id,
                "name": name,
                "arguments": json.dumps(args),
                "status": "completed",
            }
        )
    if not refusal and dice.random() < 0.2:
        checks = [{"id": "cu_sc_1", "code": "malicious_instructions", "message": dice.text()}] if dice.random() < 0.5 else []
        action = (
            {"action": {"type": "click", "button": "left", "x": 3, "y": 4}}
            if dice.random() < 0.5
            else {"actions": [{"type": "move", "x": 1, "y": 2}, {"type": "screenshot"}]}
        )
        output.append(
            {
                "type": "computer_call",
                "id": "cu_1",
                "call_id": "call_cu",
                "status": "completed",
                "pending_safety_checks": checks,
                **action,
            }
        )
    cut = (
        None
        if any(item["type"] == "function_call" for item in output)
        else dice.choice([None, None, "max_output_tokens", "content_filter"])
    )
    usage = {
        "input_tokens": dice.count(),
        "output_tokens": dice.count(),
        "total_tokens": 1,
        "input_tokens_details": {"cached_tokens": dice.count(), "cache_write_tokens": dice.count()},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    fixed = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-x",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": {"reason": cut} if cut else None,
        "status": "incomplete" if cut else "completed",
    }
    response = types.Response.model_validate({**fixed, "output": output, "usage": usage})
    # The client's own reading of all texts; refusals it leaves to the caller.
    refused = [
        part.refusal for item in response.output if item.type == "message" for part in item.content if part.type == "refusal"
    ]
    bare = dice.random() < 0.5
    calls, checks = [], []
    for item in response.output:
        if item.type == "function_call":
            calls.append((item.call_id, item.name, json.loads(item.arguments)))
        elif item.type == "computer_call":
            done = (
                item.action.model_dump(exclude_unset=bare)
                if item.action
                else [a.model_dump(exclude_unset=bare) for a in item.actions]
            )
            calls.append((item.call_id, "computer", {"action" if item.action else "actions": done}))
            checks += [[item.call_id, check.id, check.code, check.message] for check in item.pending_safety_checks]
    finish = {"max_output_tokens": "length"}.get(cut, cut) or ("tool_calls" if calls else "stop")
    used = response.usage
    counts = (
        used.input_tokens,
        used.output_tokens,
        used.input_tokens_details.cached_tokens,
        used.input_tokens_details.cache_write_tokens,
    )
    want = wants(
        response.output_text + "".join(refused),
        calls,
        finish,
        response.model,
        counts,
        bool(refused) or cut == "content_filter",
        checks,
    )
    put("responses", False, response.model_dump_json(by_alias=True, exclude_unset=bare), want)

    begun = types.Response.model_validate({**fixed, "status": "in_progress", "incomplete_details": None, "output": []})
    events, number = [], iter(range(100000))

    def event(kind, **of):
        events.append(kind.model_validate({"sequence_number": next(number), **of}))

    event(types.ResponseCreatedEvent, type="response.created", response=begun)
    for index, item in enumerate(response.output):
        at = {"output_index": index, "item_id": item.id}
        event(
            types.ResponseOutputItemAddedEvent,
            type="response.output_item.added",
            output_index=index,
            item=item.model_copy(update={"status": "in_progress"}),
        )
        if item.type == "message" and item.content[0].type == "output_text":
            for piece in dice.pieces(item.content[0].text):
                event(
                    types.ResponseTextDeltaEvent,
                    type="response.output_text.delta",
                    content_index=0,
                    delta=piece,
                    logprobs=[],
                    **at,
                )
        if item.type == "function_call":
            for piece in dice.pieces(item.arguments):
                event(
                    types.ResponseFunctionCallArgumentsDeltaEvent,
                    type="response.function_call_arguments.delta",
                    delta=piece,
                    **at,
                )
        event(types.ResponseOutputItemDoneEvent, type="response.output_item.done", output_index=index, item=item)
    last = (types.ResponseIncompleteEvent, "response.incomplete") if cut else (types.ResponseCompletedEvent, "response.completed")
    event(last[0], type=last[1], response=response)
    put("responses", True, sse(events, bare, named=True), want)


def gemini(dice):
    from google.genai import types

    parts = []
    if dice.random() < 0.4:
        parts.append(types.Part(text=dice.text(), thought=True))
    for _ in range(dice.choice([0, 1, 1, 2])):
        parts.append(types.Part(text=dice.text()))
    made = dice.calls()
    for index, (id, name, args) in enumerate(made):
        signed = {"thought_signature": dice.randbytes(9)} if index == 0 else {}
        parts.append(types.Part(function_call=types.FunctionCall(id=id, name=name, args=args), **signed))
    ends = {
        "STOP": "stop",
        "MAX_TOKENS": "length",
        "SAFETY": "content_filter",
        "RECITATION": "content_filter",
        "BLOCKLIST": "content_filter",
        "PROHIBITED_CONTENT": "content_filter",
        "SPII": "content_filter",
    }
    reason = "STOP" if made else dice.choice(["STOP", "STOP", *ends])
    blocked = dice.random() < 0.1
    counts = (dice.count(), dice.count(), dice.choice([None, dice.count()]), dice.choice([None, dice.count()]))
    usage = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=counts[0],
        candidates_token_count=counts[1],
        cached_content_token_count=counts[2],
        thoughts_token_count=counts[3],
        total_token_count=9,
    )
    used = (counts[0], counts[1] + (counts[3] or 0), counts[2], None)

    def response(parts, reason, **more):
        candidate = types.Candidate(content=types.Content(role="model", parts=parts), finish_reason=reason, index=0)
        return types.GenerateContentResponse(candidates=[candidate], model_version="gemini-x", response_id="r", **more)

    def text_of(response):
        return response.model_dump_json(by_alias=True, exclude_none=True)

    if blocked:
        feedback = types.GenerateContentResponsePromptFeedback(block_reason="SAFETY", block_reason_message=dice.text())
        whole = types.GenerateContentResponse(prompt_feedback=feedback, usage_metadata=usage, model_version="gemini-x")
        want = wants("", [], "content_filter", "gemini-x", used, True)
        put("gemini", False, text_of(whole), want)
        put("gemini", True, f"data: {text_of(whole)}\r\n\r\n", want)
        return
    whole = response(parts, reason, usage_metadata=usage)
    calls = [(call.id, call.name, call.args) for call in whole.function_calls or []]
    text = "".join(part.text for part in whole.parts or [] if part.text is not None and not part.thought)
    assert text == (whole.text or ""), "the client reads another text"
    finish = "tool_calls" if calls else ends[reason]
    want = wants(text, calls, finish, "gemini-x", used, finish == "content_filter")
    put("gemini", False, text_of(whole), want)

    chunks = []
    for part in parts:
        if part.text is None:
            chunks.append(response([part], None))
        else:
            chunks += [response([types.Part(text=piece, thought=part.thought)], None) for piece in dice.pieces(part.text)]
    chunks.append(response([types.Part(text="")] if dice.random() < 0.5 else [], reason, usage_metadata=usage))
    put("gemini", True, "".join(f"data: {text_of(chunk)}\r\n\r\n" for chunk in chunks), want)


def main():
    for seed in range(ROUNDS):
        for make in (chat, messages, responses, gemini):
            make(Dice(seed))


if __name__ == "__main__":
    main()
