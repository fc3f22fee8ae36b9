"""Writes a tiny Llama model with random weights and a vocabulary of bytes, for a server that is real
though its words are not. Usage: tiny_model.py FILE.gguf"""

import sys

import gguf
import numpy as np

WIDTH, LAYERS, HEADS, INNER, CONTEXT = 64, 2, 4, 128, 65536
TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}\n{% endfor %}"
    "<|assistant|>"
)


def vocabulary():
    """GPT-2's way to write a byte as a letter, and a few special tokens."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {byte: chr(byte) for byte in plain}
    others = (byte for byte in range(256) if byte not in letters)
    letters.update({byte: chr(256 + index) for index, byte in enumerate(others)})
    words = ["TRUE", "FALSE"]
    special = ["<s>", "</s>"]
    tokens = special + [letters[byte] for byte in range(256)] + words
    kinds = [gguf.TokenType.CONTROL] * len(special) + [gguf.TokenType.NORMAL] * (256 + len(words))
    # Every word needs the merges that make it of its letters.
    merges = ["T R", "TR U", "TRU E", "F A", "FA L", "FAL S", "FALS E"]
    tokens += ["TR", "TRU", "FA", "FAL", "FALS"]
    kinds += [gguf.TokenType.NORMAL] * 5
    return tokens, kinds, merges


def main(path):
    random = np.random.default_rng(7)
    tokens, kinds, merges = vocabulary()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_add_bos_token(True)
    writer.add_chat_template(TEMPLATE)

    def tensor(name, *shape):
        values = random.normal(0, 0.2, shape) if len(shape) > 1 else np.ones(shape)
        writer.add_tensor(name, values.astype(np.float32))

    tensor("token_embd.weight", len(tokens), WIDTH)
    tensor("output_norm.weight", WIDTH)
    tensor("output.weight", len(tokens), WIDTH)
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            tensor(f"blk.{layer}.{name}.weight", WIDTH, WIDTH)
        tensor(f"blk.{layer}.attn_norm.weight", WIDTH)
        tensor(f"blk.{layer}.ffn_norm.weight", WIDTH)
        tensor(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        tensor(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        tensor(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1])
