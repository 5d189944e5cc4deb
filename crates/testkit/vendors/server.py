"""llama.cpp's own server with a model of no wit: random weights, a byte a token, made here in a moment.

`server.py FOLDER` writes the model and its eyes to FOLDER, serves them on a free port of this machine, says `{"url": ...}` and
ends when its standard input does. What the server logs goes to standard error.

A reply is random but of the form that the server's own grammar enforces: with a required tool, a call with valid arguments. It
shows that a server which nobody here wrote takes what is sent and sends what is understood; it shows nothing of a model.
"""

import json
import sys

import gguf
import numpy as np
import xllamacpp

WIDTH, LAYERS, HEADS, INNER = 64, 2, 4, 128
CONTEXT = 32768
# All bytes, and one token that begins a call: letter by letter it would hardly ever be written.
BYTES, FIRST, CALL = 256, 3, "<tool_call>\n"
TOKENS = FIRST + BYTES + 1
# Of a picture come 4 tokens: 64 pixels in patches of 8, of which 4x4 are one.
PICTURE, PATCH = 64, 8

# The notation of Qwen, which the server knows how to read and to enforce.
TEMPLATE = """\
{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}

{% endif %}# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>{% for tool in tools %}
{{ tool | tojson }}{% endfor %}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
{% elif messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'user' or message.role == 'assistant' %}<|im_start|>{{ message.role }}
{{ message.content or '' }}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% elif message.role == 'tool' %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


class Weights:
    """Random weights, the same in every run."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def __call__(self, *shape):
        return self.random.normal(0, 0.3, shape).astype(np.float32)


def write_model(path):
    weights = Weights(1)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("no wit")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(TOKENS)

    kinds = gguf.TokenType
    writer.add_tokenizer_model("llama")
    writer.add_token_list(["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(BYTES)] + [CALL])
    writer.add_token_scores([0.0] * TOKENS)
    writer.add_token_types([kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL] + [kinds.BYTE] * BYTES + [kinds.USER_DEFINED])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(False)
    # Else a blank that nobody sent stands before every text.
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)

    # One direction that is always there, for how likely a token is wherever the grammar allows it: letters somewhat, what ends
    # a text or a number more, the end of all most.
    tokens, likely = weights(TOKENS, WIDTH), weights(TOKENS, WIDTH)
    tokens[:, 0], likely[:, 0] = 4.0, -2.0
    likely[FIRST + 0x20 : FIRST + 0x7F, 0] = 0.0
    likely[[FIRST + ord(end) for end in ",}"], 0] = 0.3
    likely[FIRST + ord("<"), 0] = 0.6
    likely[[FIRST + ord(odd) for odd in "eE-"], 0] = -0.5
    likely[[FIRST + ord('"'), TOKENS - 1], 0] = 1.0
    likely[2, 0] = 4.0
    writer.add_tensor("token_embd.weight", tokens)
    writer.add_tensor("output.weight", likely)
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, dtype=np.float32))
    for layer in range(LAYERS):
        of = f"blk.{layer}"
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{of}.{norm}.weight", np.ones(WIDTH, dtype=np.float32))
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            writer.add_tensor(f"{of}.{part}.weight", weights(WIDTH, WIDTH) / 4)
        for part in ("ffn_gate", "ffn_up"):
            writer.add_tensor(f"{of}.{part}.weight", weights(INNER, WIDTH) / 4)
        writer.add_tensor(f"{of}.ffn_down.weight", weights(WIDTH, INNER) / 4)
    finish(writer)


def write_eyes(path):
    weights = Weights(2)
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_type(gguf.GGUFType.MMPROJ)
    writer.add_clip_has_vision_encoder(True)
    writer.add_clip_projector_type(gguf.VisionProjectorType.GEMMA3)
    writer.add_vision_projection_dim(WIDTH)
    writer.add_vision_image_size(PICTURE)
    writer.add_vision_patch_size(PATCH)
    writer.add_vision_embedding_length(WIDTH)
    writer.add_vision_feed_forward_length(INNER)
    writer.add_vision_block_count(1)
    writer.add_vision_head_count(HEADS)
    writer.add_vision_attention_layernorm_eps(1e-6)
    writer.add_vision_image_mean([0.5, 0.5, 0.5])
    writer.add_vision_image_std([0.5, 0.5, 0.5])
    writer.add_vision_use_gelu(True)

    def norm(name):
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, dtype=np.float32))
        writer.add_tensor(f"{name}.bias", np.zeros(WIDTH, dtype=np.float32))

    def linear(name, to, of):
        writer.add_tensor(f"{name}.weight", weights(to, of))
        writer.add_tensor(f"{name}.bias", np.zeros(to, dtype=np.float32))

    writer.add_tensor("v.patch_embd.weight", weights(WIDTH, 3, PATCH, PATCH))
    writer.add_tensor("v.patch_embd.bias", np.zeros(WIDTH, dtype=np.float32))
    writer.add_tensor("v.position_embd.weight", weights((PICTURE // PATCH) ** 2, WIDTH))
    norm("v.blk.0.ln1")
    norm("v.blk.0.ln2")
    for part in ("attn_q", "attn_k", "attn_v", "attn_out"):
        linear(f"v.blk.0.{part}", WIDTH, WIDTH)
    linear("v.blk.0.ffn_up", INNER, WIDTH)
    linear("v.blk.0.ffn_down", WIDTH, INNER)
    norm("v.post_ln")
    writer.add_tensor("mm.input_projection.weight", weights(WIDTH, WIDTH))
    writer.add_tensor("mm.soft_emb_norm.weight", np.ones(WIDTH, dtype=np.float32))
    finish(writer)


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    folder = sys.argv[1]
    model, eyes = f"{folder}/no-wit.gguf", f"{folder}/no-wit-eyes.gguf"
    write_model(model)
    write_eyes(eyes)
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = "no-wit"
    params.mmproj.path = eyes
    params.mmproj_use_gpu = False
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.warmup = False
    params.use_jinja = True
    # Two would wait for each other, spinning, which on a busy machine takes a hundred times as long.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.sampling.seed = 7
    server = xllamacpp.Server(params)
    print(json.dumps({"url": server.listening_address}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
