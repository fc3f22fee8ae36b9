"""Exports an NLI classifier or a sentence encoder to a folder that qualm reads, and checks the export.

    pip install torch transformers sentence-transformers onnx onnxruntime
    python export.py nli microsoft/deberta-large-mnli deberta-large-mnli
    python export.py encoder sentence-transformers/all-MiniLM-L6-v2 all-MiniLM-L6-v2

The model may also be a folder. The export is compared with the original on a few texts; a difference above
1e-4 (logits) or 1e-5 (embeddings) is an error, and the folder is then not to be used.
"""

import argparse
import inspect
import json
import pathlib
import sys

import numpy as np
import onnxruntime
import tokenizers
import torch
import transformers

PAIRS = [
    ("Your flight is cancelled and the refund is on its way.", "I could not cancel your flight."),
    ("The order was changed.", "The order was changed to the blue one, and $12.50 were refunded."),
    ("Grüße! Ça va, 你好?", "No."),
    ("word " * 700, "another one " * 700),
]


class Wrapped(torch.nn.Module):
    """Takes the inputs by position and returns one tensor, which is what an export needs."""

    def __init__(self, model, names, output):
        super().__init__()
        self.model, self.names, self.output = model, names, output

    def forward(self, *inputs):
        return getattr(self.model(**dict(zip(self.names, inputs))), self.output)


def write_model(model, tokenizer, output, path):
    """Writes `model.onnx` with a free batch size and length."""
    # Kernels that an export cannot trace have a plain twin.
    model.config._attn_implementation = "eager"
    taken = inspect.signature(model.forward).parameters
    names = [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in tokenizer.model_input_names and name in taken]
    sample = tokenizer(["a b c", "d"], ["e f", "g h i j"], padding=True, return_tensors="pt")
    inputs = tuple(sample[name] for name in names)
    axes = {name: {0: "batch", 1: "length"} for name in names}
    axes[output] = {0: "batch"} if output == "logits" else {0: "batch", 1: "length"}
    # An export leaves everything in the mode that the outermost module was in.
    torch.onnx.export(
        Wrapped(model, names, output).eval(), inputs, str(path), input_names=names, output_names=[output],
        dynamic_axes=axes, opset_version=17, dynamo=False,
    )


def write_settings(model, tokenizer, limit, out):
    """Writes `config.json` and `tokenizer.json`; the latter cuts texts at the model's limit."""
    (out / "config.json").write_text(json.dumps(model.config.to_dict(), indent=1, sort_keys=True))
    backend = tokenizer.backend_tokenizer
    backend.no_padding()
    backend.enable_truncation(limit, strategy="longest_first")
    (out / "tokenizer.json").write_text(backend.to_str())


def length_limit(model, tokenizer):
    """The most tokens that the model takes."""
    known = [tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", 512) or 512]
    if model.config.model_type in ("roberta", "xlm-roberta", "camembert"):
        known[1] -= model.config.pad_token_id + 1
    return int(min(known))


def repair_pairs(model, tokenizer):
    """DeBERTa was trained with one [SEP] between two texts; transformers 5 puts two there."""
    if model.config.model_type != "deberta":
        return
    between = tokenizer("a", "b")["input_ids"].count(tokenizer.sep_token_id)
    if between != 2:
        cls, sep = tokenizer.cls_token, tokenizer.sep_token
        tokenizer.backend_tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
            single=f"{cls} $A {sep}", pair=f"{cls} $A {sep} $B:1 {sep}:1",
            special_tokens=[(cls, tokenizer.cls_token_id), (sep, tokenizer.sep_token_id)],
        )
        print(f"the tokenizer ends pairs with {between} separators; the export has 2, as the model was trained")


def run(session, batch):
    names = [one.name for one in session.get_inputs()]
    return session.run(None, {name: batch[name].numpy() for name in names})[0]


def load_session(out):
    return onnxruntime.InferenceSession(str(out / "model.onnx"), providers=["CPUExecutionProvider"])


def export_nli(name, out):
    tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(name, dtype=torch.float32)
    limit = length_limit(model, tokenizer)
    repair_pairs(model, tokenizer)
    write_model(model, tokenizer, "logits", out / "model.onnx")
    write_settings(model, tokenizer, limit, out)
    session, worst = load_session(out), 0.0
    for pair in PAIRS:
        batch = tokenizer(*pair, truncation=True, max_length=limit, return_tensors="pt")
        with torch.no_grad():
            expected = model(**batch).logits.numpy()
        worst = max(worst, float(np.abs(run(session, batch) - expected).max()))
    ids = tokenizer("a", "b")["input_ids"]
    print("tokens of the pair (a, b):", tokenizer.convert_ids_to_tokens(ids))
    print("labels:", model.config.id2label)
    return worst, 1e-4


def export_encoder(name, out):
    import sentence_transformers

    original = sentence_transformers.SentenceTransformer(name, device="cpu")
    original.max_seq_length = original.max_seq_length or 256
    first = original[0]
    model, tokenizer = getattr(first, "model", None) or first.auto_model, first.tokenizer
    write_model(model, tokenizer, "last_hidden_state", out / "model.onnx")
    write_settings(model, tokenizer, original.max_seq_length, out)
    limit = {"max_seq_length": original.max_seq_length}
    (out / "sentence_bert_config.json").write_text(json.dumps(limit))
    session, worst = load_session(out), 0.0
    for text in [text for pair in PAIRS for text in pair]:
        batch = tokenizer(text, truncation=True, max_length=original.max_seq_length, return_tensors="pt")
        hidden = run(session, batch)[0]
        mean = hidden.mean(axis=0)
        found = mean / np.linalg.norm(mean)
        expected = original.encode(text, normalize_embeddings=True)
        worst = max(worst, float(np.abs(found - expected).max()))
    print("size of an embedding:", len(expected), "limit:", original.max_seq_length)
    return worst, 1e-5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["nli", "encoder"])
    parser.add_argument("model", help="a name on the Hugging Face hub, or a folder")
    parser.add_argument("out", type=pathlib.Path, help="the folder to write")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    worst, most = {"nli": export_nli, "encoder": export_encoder}[args.kind](args.model, args.out)
    print(f"largest difference to the original: {worst:.2e}")
    if worst > most:
        sys.exit(f"{args.out}: the export differs by more than {most:g}; do not use it")
    print(f"{args.out}: ready; `qualm models check {args.out}` reads it")


if __name__ == "__main__":
    main()
