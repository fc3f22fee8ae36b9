"""Makes the random-weight models of `tests/data/models`, and what transformers and sentence-transformers say.

    pip install torch transformers sentence-transformers onnx onnxruntime
    python tests/models/fixtures.py tests/data/models              # the fixtures of the tests
    python tests/models/fixtures.py --base bert OUT                # one model of base size, to measure speed

Every folder has `model.onnx`, `tokenizer.json` and `config.json`, as `docs/models/export.py` writes them, and
`expected.json`: token ids, and logits or embeddings, of the original model and tokenizer.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import numpy as np
import onnx
import tokenizers
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "docs/models"))
import export  # noqa: E402

TEXT = [
    "your flight is cancelled and the refund of 120 dollars is on its way",
    "i could not cancel the order because it was already sent",
    "the user wants to change the reservation to another day",
    "done: the new phone plan starts tomorrow, is there anything else?",
    "Ça coûte 5 €, naïve façade, Grüße aus Köln, 你好",
]
PAIRS = [
    ("Your flight is cancelled.", "I could not cancel the flight."),
    ("The order was already sent", "the refund of 120 dollars is on its way, is there anything else?"),
    ("Grüße aus Köln — naïve?", "no"),
    ("the [MASK] plan starts  tomorrow\n", "\tdone: 5 €"),
    ("your flight is cancelled and " * 30, "the order"),
    ("the order", "the user wants to change the reservation " * 30),
    ("your refund is on its way " * 30, "the new phone plan starts tomorrow " * 31),
    ("你好", "🙂 ok"),
]
# Shorter than the texts above, so that pairs are cut.
LIMIT = 48


def train(tokenizer, trainer):
    tokenizer.train_from_iterator(TEXT * 3, trainer)
    return tokenizer


def pair_template(tokenizer, single, pair, specials):
    ids = [(name, tokenizer.token_to_id(name)) for name in specials]
    return processors.TemplateProcessing(single=single, pair=pair, special_tokens=ids)


def word_pieces():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    train(tokenizer, trainers.WordPieceTrainer(vocab_size=220, special_tokens=specials, show_progress=False))
    tokenizer.post_processor = pair_template(
        tokenizer, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", ["[CLS]", "[SEP]"])
    return tokenizer, dict(pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]")


def byte_pairs(names, single, pair):
    pad, unk, cls, sep, mask = names
    tokenizer = Tokenizer(models.BPE(unk_token=unk))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320, special_tokens=list(names), show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    train(tokenizer, trainer)
    tokenizer.post_processor = pair_template(tokenizer, single, pair, [cls, sep])
    return tokenizer, dict(pad_token=pad, unk_token=unk, cls_token=cls, sep_token=sep, mask_token=mask)


def pieces():
    names = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Strip(left=False, right=True)])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    train(tokenizer, trainers.UnigramTrainer(
        vocab_size=220, special_tokens=list(names), unk_token="[UNK]", show_progress=False))
    tokenizer.post_processor = pair_template(
        tokenizer, "[CLS]:0 $A:0 [SEP]:0", "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", ["[CLS]", "[SEP]"])
    return tokenizer, dict(pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]")


CLASSIC = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# microsoft/deberta-large-mnli was trained with one [SEP] between the sentences.
DEBERTA = lambda: byte_pairs(CLASSIC, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
MODERN = lambda: byte_pairs(CLASSIC, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]")
ROBERTA = lambda: byte_pairs(("<pad>", "<unk>", "<s>", "</s>", "<mask>"), "<s> $A </s>", "<s> $A </s> </s> $B </s>")

SIZE = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, initializer_range=0.4)
BASE = dict(hidden_size=768, num_hidden_layers=12, num_attention_heads=12, intermediate_size=3072)
RELATIVE = dict(relative_attention=True, pos_att_type=["c2p", "p2c"], position_biased_input=False)

# Name, tokenizer, class of the model, class of its settings, further settings.
FAMILIES = {
    "bert": (word_pieces, transformers.BertConfig, dict()),
    "roberta": (ROBERTA, transformers.RobertaConfig, dict(type_vocab_size=1)),
    "deberta-v1": (DEBERTA, transformers.DebertaConfig, dict(type_vocab_size=0, max_relative_positions=-1, **RELATIVE)),
    "deberta-v3": (pieces, transformers.DebertaV2Config, dict(
        type_vocab_size=0, max_relative_positions=-1, position_buckets=16, norm_rel_ebd="layer_norm",
        share_att_key=True, **RELATIVE)),
    "modernbert": (MODERN, transformers.ModernBertConfig, dict(
        local_attention=8, global_attn_every_n_layers=2, reference_compile=False, initializer_cutoff_factor=2.0)),
}
# Each has its labels in another order.
ORDERS = {
    "bert": ["contradiction", "entailment", "neutral"],
    "roberta": ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"],
    "deberta-v1": ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"],
    "deberta-v3": ["entailment", "neutral", "contradiction"],
    "modernbert": ["entailment", "not_entailment", "contradiction"],
}


def wrapped(tokenizer, names, limit):
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=limit,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"], **names)


def settings(family, tokenizer, names, size, limit):
    make, config, more = FAMILIES[family]
    ids = {f"{name}_id": tokenizer.token_to_id(token) for name, token in names.items() if name in ("pad_token",)}
    positions = limit + (2 if family == "roberta" else 0)
    special = dict(bos_token_id=2, eos_token_id=3, cls_token_id=2, sep_token_id=3) if family == "modernbert" else {}
    labels = {"id2label": dict(enumerate(ORDERS[family]))}
    return config(vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=positions, **size, **more, **ids, **special, **labels)


def shrink(path):
    """Gives everything inside a graph a short name: of a small model, names are most of the file."""
    model = onnx.load(path)
    graph, short = model.graph, {}
    kept = {one.name for one in [*graph.input, *graph.output]} | {""}
    name = lambda long: long if long in kept else short.setdefault(long, f"t{len(short)}")
    for node in graph.node:
        node.name = node.doc_string = ""
        inputs, outputs = [[name(one) for one in names] for names in (node.input, node.output)]
        del node.input[:], node.output[:]
        node.input.extend(inputs)
        node.output.extend(outputs)
        assert not any(one.type == onnx.AttributeProto.GRAPH for one in node.attribute), "graphs inside nodes"
    for one in graph.initializer:
        one.name = name(one.name)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def classifier(family, size, limit, out):
    """A classifier with random weights, and its logits for the pairs."""
    tokenizer, names = FAMILIES[family][0]()
    fast = wrapped(tokenizer, names, limit)
    torch.manual_seed(15)
    model = transformers.AutoModelForSequenceClassification.from_config(settings(family, tokenizer, names, size, limit))
    model.eval()
    if size is SIZE:
        with torch.no_grad():
            for parameter in model.parameters():
                # Biases and norms begin at 0 and 1, where an error in them would not show.
                if parameter.dim() == 1:
                    parameter.add_(torch.randn_like(parameter) * 0.2)
    out.mkdir(parents=True, exist_ok=True)
    if family == "modernbert":
        fast.model_input_names = ["input_ids", "attention_mask"]
    export.write_model(model, fast, "logits", out / "model.onnx")
    if size is SIZE:
        shrink(out / "model.onnx")
    export.write_settings(model, fast, limit, out)
    rows = []
    for a, b in PAIRS + [(b, a) for a, b in PAIRS]:
        batch = fast(a, b, truncation=True, max_length=limit, return_tensors="pt")
        with torch.no_grad():
            logits = model(**batch).logits[0].tolist()
        rows.append({"a": a, "b": b, "ids": batch["input_ids"][0].tolist(), "logits": logits})
    return {"pairs": rows}


def encoder(out):
    """A sentence encoder with random weights, and its embeddings."""
    import sentence_transformers

    tokenizer, names = word_pieces()
    # As all-MiniLM-L6-v2 has it: these are not the model's limits.
    tokenizer.enable_truncation(12)
    tokenizer.enable_padding(length=12, pad_id=0, pad_token="[PAD]")
    torch.manual_seed(16)
    config = settings("bert", tokenizer, names, SIZE, 64)
    model = transformers.BertModel(config)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        wrapped(tokenizer, names, 64).save_pretrained(folder)
        parts = sentence_transformers.sentence_transformer.modules
        first = parts.Transformer(folder, max_seq_length=LIMIT)
        pooling = parts.Pooling(config.hidden_size, pooling_mode="mean")
        original = sentence_transformers.SentenceTransformer(modules=[first, pooling], device="cpu")
    out.mkdir(parents=True, exist_ok=True)
    fast = first.tokenizer
    export.write_model(model, fast, "last_hidden_state", out / "model.onnx")
    shrink(out / "model.onnx")
    export.write_settings(model, fast, 64, out)
    # What the published folder has in its tokenizer.
    backend = fast.backend_tokenizer
    backend.enable_truncation(12)
    backend.enable_padding(length=12, pad_id=0, pad_token="[PAD]")
    (out / "tokenizer.json").write_text(backend.to_str())
    (out / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": LIMIT, "do_lower_case": False}))
    texts = [text for pair in PAIRS for text in pair]
    embeddings = original.encode(texts, normalize_embeddings=True)
    rows = [{"text": text, "embedding": row.tolist()} for text, row in zip(texts, embeddings)]
    return {"texts": rows, "conversation": CONVERSATION, "drift": drifts(original)}


# Who says what; the agent's turns are its calls and its messages.
CONVERSATION = [
    ["system", "the policy is never embedded"],
    ["user", "Your flight is cancelled."],
    ["call", "cancel {\"id\": 5}"],
    ["tool", "done: 5 €"],
    ["assistant", "the refund of 120 dollars is on its way, is there anything else?"],
    ["user", "no"],
    ["assistant", "I could not cancel the flight."],
]


def drifts(model):
    """Both drifts of every turn of the conversation, by the embeddings alone."""
    vector = lambda text: model.encode(text, normalize_embeddings=True).astype(np.float64)
    distance = lambda a, b: 1 - float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    question, rows = vector(CONVERSATION[1][1]), []
    for index, (role, text) in enumerate(CONVERSATION):
        if role in ("call", "assistant"):
            so_far = np.mean([vector(text) for _, text in CONVERSATION[1 : index + 1]], axis=0)
            after = CONVERSATION[index + 1 :]
            seen = distance(vector(text), vector(after[0][1])) if after else 0.0
            rows.append([distance(so_far, question), seen])
    return rows


def one_row_a_line(expected):
    """JSON with a line for every row of every list."""
    lines = lambda rows: ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return "{" + ",\n".join(f'"{key}": [\n{lines(rows)}\n]' for key, rows in expected.items()) + "}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--base", choices=list(FAMILIES), help="one classifier of base size")
    args = parser.parse_args()
    if args.base:
        expected = classifier(args.base, BASE, 512, args.out)
        (args.out / "expected.json").write_text(json.dumps(expected))
        return
    for family in FAMILIES:
        expected = classifier(family, SIZE, LIMIT, args.out / family)
        (args.out / family / "expected.json").write_text(one_row_a_line(expected))
    expected = encoder(args.out / "encoder")
    (args.out / "encoder/expected.json").write_text(one_row_a_line(expected))
    versions = [f"{module.__name__} {module.__version__}" for module in (torch, transformers, tokenizers)]
    print("made with", ", ".join(versions))


if __name__ == "__main__":
    main()
