"""Holds request bodies against the types that the vendors publish for their own clients.

Reads lines of a wire's name, a tab and a body, and writes a line `{"line": n, "why": ...}` for each body that is not of its type,
then `{"checked": n}`. The types are those of the packages in requirements.txt; nothing of an API is written down here but
which of Google's types stands where in a body, as its client has no type for the whole.

Stricter than the clients are: unknown keys, numbers in quotes and unknown words of an enumeration are errors at every depth,
and what a client takes besides JSON (objects of its own, names in Python's spelling) is not taken.
"""

import json
import sys
import warnings

from pydantic import ConfigDict, TypeAdapter
from pydantic_core import SchemaValidator, ValidationError
from typing_extensions import Required, TypedDict, is_typeddict

# Some objects are declared open: they are closed here too, which pydantic remarks.
warnings.simplefilter("ignore")


class Closing:
    """Makes a schema of pydantic's strict: objects closed, lists read to their end, no objects of a client's own."""

    def __init__(self, schema, replies_too):
        # Anthropic's client takes its own replies back as they are; those types are open, so only the written ones count.
        self.replies_too = replies_too
        self.definitions = {d["ref"]: d for d in schema.get("definitions", [])}
        self.schema = self.close(schema)

    def close(self, schema):
        if isinstance(schema, (list, tuple)):
            return type(schema)(self.close(part) for part in schema)
        if not isinstance(schema, dict):
            return schema
        made = {key: part if key in ("metadata", "serialization") else self.close(part) for key, part in schema.items()}
        kind = schema.get("type")
        if kind == "generator":
            # Else nothing in it would be looked at.
            made["type"] = "list"
        elif kind in ("typed-dict", "model-fields"):
            made["extra_behavior"] = "forbid"
            made.pop("extras_schema", None)
        elif kind in ("model", "function-before"):
            # Its fields alone: the class would be asked as it is, with its own leniency.
            made = {**made["schema"], **({"ref": schema["ref"]} if "ref" in schema else {})}
        elif kind == "enum":
            # The class would make a member of any word.
            made = {"type": "literal", "expected": [member.value for member in schema["members"]]}
        elif kind in ("str", "int", "float", "bool"):
            made["strict"] = True
        elif kind == "union":
            written = [c for c in schema["choices"] if self.replies_too or not self.is_reply(c)]
            # Within a reply all are.
            made["choices"] = self.close(written or schema["choices"])
        return made

    def is_reply(self, choice):
        choice = choice[0] if isinstance(choice, tuple) else choice
        if choice.get("type") == "definition-ref":
            choice = self.definitions.get(choice["schema_ref"], {})
        if choice.get("type") == "union":
            return all(self.is_reply(inner) for inner in choice["choices"])
        return choice.get("type") == "model"


def validator(of, replies_too=False):
    # One dictionary has a config of its own, which is closed below as all are.
    own = replies_too or is_typeddict(of)
    config = None if own else ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    made = Closing(TypeAdapter(of, config=config).core_schema, replies_too)
    return SchemaValidator(made.schema)


def chat():
    from openai.types.chat.completion_create_params import CompletionCreateParams

    return validator(CompletionCreateParams)


def responses():
    from openai.types.responses.response_create_params import ResponseCreateParams

    return validator(ResponseCreateParams)


def messages():
    from anthropic.types.message_create_params import MessageCreateParams

    return validator(MessageCreateParams)


def messages_count():
    from anthropic.types.message_count_tokens_params import MessageCountTokensParams

    return validator(MessageCountTokensParams)


def messages_beta():
    from anthropic.types.beta.message_create_params import MessageCreateParams

    return validator(MessageCreateParams)


def gemini():
    from google.genai import types

    class Body(TypedDict, total=False):
        contents: Required[list[types.Content]]
        systemInstruction: types.Content
        tools: list[types.Tool]
        toolConfig: types.ToolConfig
        generationConfig: types.GenerationConfig

    return validator(Body, replies_too=True)


WIRES = {
    "chat": chat,
    "responses": responses,
    "messages": messages,
    "messages-beta": messages_beta,
    "messages-count": messages_count,
    "gemini": gemini,
}


def why(error):
    """Where and what. A union complains of each of its choices: those of another `type` or `role` are not meant."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    others = [e["loc"][:-1] for e in found if e["type"] == "literal_error" and e["loc"][-1] in ("type", "role")]
    meant = [e for e in found if not any(e["loc"][: len(other)] == other for other in others)] or found
    told = {f"{place(e['loc'])}: {e['msg']}": None for e in meant}
    # What a stream needs is no news of a body that asks for none.
    return "; ".join([t for t in told if t != "stream: Field required"][:4] or told)


def place(loc):
    """The way through the body alone, without the names of types on it."""
    return "/".join(str(step) for step in loc if isinstance(step, int) or step[:1].islower() and "[" not in step)


def main():
    made = {}
    checked = 0
    for number, line in enumerate(sys.stdin):
        wire, body = line.split("\t", 1)
        if wire not in made:
            made[wire] = WIRES[wire]()
        try:
            made[wire].validate_json(body)
        except ValidationError as error:
            print(json.dumps({"line": number, "why": why(error)}))
        checked += 1
    print(json.dumps({"checked": checked}))


if __name__ == "__main__":
    main()
