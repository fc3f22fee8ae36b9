//! A web shop: orders, returns, exchanges and addresses.

mod lines;

use super::script::{AgentStep, Domain, Facts, TaskKind, number, person};
use crate::rng::Rng;
use AgentStep::{Read, Say, Write};
use lines::{
    ADDRESS, ASIDES, BY_EMAIL, BY_NAME, CALCULATE, CANCEL, CANCELLED, CLOSE, CONFIRM_ADDRESS,
    CONFIRM_CANCEL, CONFIRM_EXCHANGE, CONFIRM_ITEMS, CONFIRM_PAYMENT, CONFIRM_RETURN, EXCHANGE,
    EXCHANGED, IDENTIFY, ITEMS, MODIFIED, MOVED, ORDER, PAID, PAYMENT, PRODUCT, RETURN, RETURNED,
    RETURNED_MORE, TRANSFER, TYPES, USER,
};

const OPENINGS: &[&[AgentStep]] = &[
    &[Say(&IDENTIFY), Read(&BY_EMAIL)],
    &[Read(&BY_EMAIL)],
    &[Read(&BY_NAME)],
    &[Say(&IDENTIFY), Read(&BY_NAME)],
];
const SLIP_ITEM: (&str, &str) = ("item", "other_item");
const SLIP_NEW: (&str, &str) = ("new_item", "wrong_item");
const SLIP_ORDER: (&str, &str) = ("order", "other_order");

static KINDS: &[TaskKind] = &[
    TaskKind {
        wants: &[
            "You are <first> <last>, zip <zip>. Return the <product> of order <order>, refund to <payment>. Keep the <other_product>.",
            "You are <first> <last> (<email>). The <product> from <order> disappoints you; send it back and nothing else.",
        ],
        opens: &[
            "<hi> I want to return a <product>. <mood>",
            "<hi> the <product> I got isn't what I expected. My mail is <email>. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&USER),
            Read(&ORDER),
            Say(&CONFIRM_RETURN),
            Write(&RETURN),
            Say(&RETURNED),
            Say(&CLOSE),
        ],
        detours: &[Read(&PRODUCT), Read(&CALCULATE), Read(&TYPES)],
        slips: &[SLIP_ITEM, SLIP_ORDER, ("payment", "other_payment")],
        refusals: &[
            "I'm sorry, this item can't be returned.",
            "The return period is over, so I can't take the <product> back.",
        ],
    },
    TaskKind {
        wants: &[
            "You are <first> <last>, zip <zip>. Exchange the <product> of <order> for <new_option>. If that is not possible, do nothing.",
        ],
        opens: &[
            "<hi> my <product> came in <option> but I need <new_option>. <mood>",
            "<hi> can I exchange something from order <order>? <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&USER),
            Read(&ORDER),
            Read(&PRODUCT),
            Read(&CALCULATE),
            Say(&CONFIRM_EXCHANGE),
            Write(&EXCHANGE),
            Say(&EXCHANGED),
            Say(&CLOSE),
        ],
        detours: &[Read(&TYPES)],
        slips: &[SLIP_NEW, SLIP_ITEM],
        refusals: &["The <new_option> version seems to be sold out, so I can't exchange it."],
    },
    TaskKind {
        wants: &[
            "You are <first> <last> (<email>). Cancel <order>, which was <reason>. You have a second order <other_order> that must stay.",
        ],
        opens: &[
            "<hi> please cancel my order with the <product>. <mood>",
            "<hi> I made a mistake with order <order>. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&USER),
            Read(&ORDER),
            Say(&CONFIRM_CANCEL),
            Write(&CANCEL),
            Say(&CANCELLED),
            Say(&CLOSE),
        ],
        detours: &[Read(&CALCULATE), Read(&PRODUCT)],
        slips: &[SLIP_ORDER, ("reason", "other_reason")],
        refusals: &["Order <order> has already left the warehouse, I can't cancel it."],
    },
    TaskKind {
        wants: &["You are <first> <last>, zip <zip>. You moved: deliver <order> to <new_street>."],
        opens: &[
            "<hi> I've moved and my order must go to <new_street>. <mood>",
            "<hi> the delivery address of my <product> is wrong. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&USER),
            Read(&ORDER),
            Say(&CONFIRM_ADDRESS),
            Write(&ADDRESS),
            Say(&MOVED),
            Say(&CLOSE),
        ],
        detours: &[Read(&PRODUCT), Read(&TYPES), Read(&CALCULATE)],
        slips: &[SLIP_ORDER, ("new_street", "wrong_street")],
        refusals: &["I can't change the address of this order any more."],
    },
    TaskKind {
        wants: &[
            "You are <first> <last> (<email>). Order <order> is pending; you want the <product> in <new_option>, difference on <payment>.",
        ],
        opens: &[
            "<hi> I ordered a <product> in <option> and would rather have <new_option>. <mood>",
            "<hi> I'd like to change an item of an order that hasn't shipped. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&USER),
            Read(&ORDER),
            Read(&PRODUCT),
            Say(&CONFIRM_ITEMS),
            Write(&ITEMS),
            Say(&MODIFIED),
            Say(&CLOSE),
        ],
        detours: &[Read(&TYPES), Read(&CALCULATE)],
        slips: &[SLIP_NEW, ("payment", "other_payment"), SLIP_ITEM],
        refusals: &["I'm sorry, <new_option> isn't available for this <product>."],
    },
    TaskKind {
        wants: &[
            "You are <first> <last> (<email>). Return the <product> of <order>, then have the rest of it sent to <new_street>.",
        ],
        opens: &[
            "<hi> two things about order <order>, and the first is a return. <mood>",
            "<hi> I'd like to send back my <product>, among other things. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&USER),
            Read(&ORDER),
            Say(&CONFIRM_RETURN),
            Write(&RETURN),
            Say(&RETURNED_MORE),
            Say(&CONFIRM_ADDRESS),
            Write(&ADDRESS),
            Say(&MOVED),
            Say(&CLOSE),
        ],
        detours: &[Read(&PRODUCT), Read(&CALCULATE)],
        slips: &[SLIP_ITEM, ("new_street", "wrong_street")],
        refusals: &["The return is fine, but I can't do the other part."],
    },
    TaskKind {
        wants: &[
            "You are <first> <last>, zip <zip>. Pay <order> with <other_payment> in place of <payment>.",
        ],
        opens: &[
            "<hi> I used the wrong card for my <product>. <mood>",
            "<hi> can order <order> be paid another way? <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&USER),
            Read(&ORDER),
            Say(&CONFIRM_PAYMENT),
            Write(&PAYMENT),
            Say(&PAID),
            Say(&CLOSE),
        ],
        detours: &[Read(&CALCULATE), Read(&PRODUCT), Read(&TYPES)],
        slips: &[SLIP_ORDER],
        refusals: &["The payment of a placed order can't be changed, I'm sorry."],
    },
];

fn facts(rng: &mut Rng) -> Facts {
    const PRODUCTS: &[&str] = &[
        "desk lamp",
        "backpack",
        "kettle",
        "keyboard",
        "rain jacket",
        "headset",
        "bookshelf",
        "tea set",
    ];
    const OPTIONS: &[&str] = &["black", "white", "olive", "navy", "large", "small", "oak"];
    const STREETS: &[&str] = &[
        "18 Alder Row",
        "402 Quarry Lane",
        "7 Harbour Steps",
        "55 Mill Court",
        "231 Birch Avenue",
    ];
    let mut facts = person(rng);
    facts.set_two("product", "other_product", PRODUCTS, rng);
    facts.set_two("option", "new_option", OPTIONS, rng);
    facts.set_two("street", "new_street", STREETS, rng);
    facts.set("wrong_street", "81 Alder Row");
    facts.set_two("reason", "other_reason", &["ordered by mistake", "no longer needed"], rng);
    for key in ["order", "other_order"] {
        facts.set(key, format!("#W{}", number(6, rng)));
    }
    for key in ["item", "other_item", "new_item", "wrong_item"] {
        facts.set(key, number(7, rng));
    }
    facts.set("payment", format!("paypal_{}", number(4, rng)));
    facts.set("other_payment", format!("credit_card_{}", number(4, rng)));
    let (price, more) = (25 + rng.below(160), 3 + rng.below(40));
    facts.set("price", price.to_string());
    facts.set("new_price", (price + more).to_string());
    facts.set("difference", more.to_string());
    facts
}

pub static DOMAIN: Domain = Domain {
    rules: concat!(
        "Synthetic policy of a shop's assistant.\n",
        "\n",
        "- Find the user by email, or by name and postcode, before you look at an order.\n",
        "- A pending order may be cancelled or changed once. A delivered order may be returned or exchanged once.\n",
        "- An exchange is for another variant of the same product. A refund goes to the original payment method or to a gift card.\n",
        "- List all items of a change before you make it, and wait for a yes.\n",
        "- Hand over to a person only if no rule covers the request.",
    ),
    greeting: Some("Hello, you are talking to the shop's assistant. How can I help?"),
    kinds: KINDS,
    asides: ASIDES,
    tails: &[
        "You will get a confirmation at <email> within a few minutes.",
        "Your other order <other_order> is not affected by this.",
        "Please note that this can only be done once for each order.",
        "If you change your mind, tell me before we go on and I will leave everything as it is.",
        "Refunds to a card take five to seven business days to show up.",
        "I can see the <product> on your account, so there is no need for a receipt.",
    ],
    transfer: Some(&TRANSFER),
    farewells: &["Bye.", "Thank you, goodbye!", "That was everything.", "See you."],
    turns: (6, 18),
    facts,
};
