"""Makes shop.json.gz: results of an invented agent in a bicycle shop, in the form of tau2-bench.

50 tasks with three trials each. The agent changes or cancels an order. Sometimes it takes the wrong
order, and on average it is less sure of its words then. Run it with: python make.py
"""

import gzip
import json
import math
import random

RANDOM = random.Random(11)
ITEMS = ["a bell", "a red saddle", "two tyres", "a lamp", "a helmet", "a lock"]
NAMES = ["Ada Berg", "Ben Okoro", "Cleo Martin", "Dina Haddad", "Emil Novak", "Fay Lindqvist"]


def tokens(text, doubt):
    """Log-probabilities as a server records them: half-words, with one alternative each."""
    parts = []
    for word in text.split(" "):
        lead = " " if parts else ""
        half = (len(word) + 1) // 2 if len(word) > 6 else len(word)
        parts.append(lead + word[:half])
        if word[half:]:
            parts.append(word[half:])
    content = []
    for part in parts:
        chance = min(0.999, max(0.05, 1 - doubt * RANDOM.expovariate(1)))
        other = (1 - chance) * 0.7
        content.append({"token": part, "logprob": round(math.log(chance), 4), "top_logprobs": [
            {"token": part, "logprob": round(math.log(chance), 4)},
            {"token": part + "s", "logprob": round(math.log(other), 4)}]})
    return {"content": content}


def agent(text, doubt, call=None):
    """A turn of the agent: words, or one call."""
    name, arguments = call or (None, None)
    said = json.dumps({"name": name, "arguments": arguments}) if call else text
    calls = [{"id": f"call_{RANDOM.randrange(10**6):06}", "name": name, "arguments": arguments}] if call else None
    # As text-action agents record it: the call is what the model wrote.
    return {"role": "assistant", "content": said if call else text, "tool_calls": calls,
            "raw_data": {"logprobs": tokens(said, doubt)}}


def tool(turn, content):
    """What a call returned."""
    return {"role": "tool", "id": turn["tool_calls"][0]["id"], "content": json.dumps(content)}


def user(text):
    return {"role": "user", "content": text}


def simulation(task, trial):
    name, item = NAMES[task % len(NAMES)], ITEMS[task // 9]
    right, wrong = f"#B{1000 + 37 * task}", f"#B{1019 + 37 * task}"
    cancels = task % 3 == 0
    hard = task % 10 in (1, 4, 5, 8)
    fails = RANDOM.random() < (0.75 if hard else 0.12)
    doubt = RANDOM.uniform(0.03, 0.11) + (0.02 if hard else 0) + (0.02 if fails else 0)
    order = wrong if fails else right
    wish = "cancel the order" if cancels else "change the address of the order"
    messages = [{"role": "assistant", "content": "Hi! How can I help you?"},
                user(f"Hello, this is {name}. Please {wish} with {item}.")]
    if RANDOM.random() < 0.5:
        messages += [agent("Gladly. What is your e-mail address?", doubt / 2),
                     user(f"{name.split()[0].lower()}@example.com")]
    look = agent("", doubt / 2, ("find_orders", {"customer": name}))
    messages += [look, tool(look, [right, wrong])]
    if RANDOM.random() < (0.6 if fails else 0.8):
        read = agent("", doubt, ("get_order", {"order": order}))
        messages += [read, tool(read, {"order": order, "items": [item if order == right else "a pump"]})]
    action = "cancel_order" if cancels else "change_address"
    if fails and RANDOM.random() < 0.3:
        messages.append(agent(f"I am sorry, I cannot {wish}.", 1.9 * doubt))
    else:
        act = agent("", (1.9 if fails else 1.5) * doubt, (action, {"order": order}))
        messages += [act, tool(act, {"order": order, "status": "done"}),
                     agent(f"Done: order {order} is {'cancelled' if cancels else 'changed'}.", doubt)]
    messages.append(user("Thank you."))
    return {"id": f"{task}-{trial}", "task_id": str(task), "trial": trial, "termination_reason": "user_stop",
            "reward_info": {"reward": 0.0 if fails else 1.0}, "messages": messages}


def main():
    results = {
        "info": {"num_trials": 3,
                 "agent_info": {"implementation": "llm_agent", "llm": "acme/owl-7b", "llm_args": {"temperature": 0.7}},
                 "environment_info": {"domain_name": "shop", "policy": "Never change an order that the customer did not name."}},
        "tasks": [],
        "simulations": [simulation(task, trial) for task in range(50) for trial in range(3)],
    }
    text = json.dumps(results, separators=(",", ":"))
    with open("shop.json.gz", "wb") as file:
        file.write(gzip.compress(text.encode(), mtime=0))


main()
