//! Phone support: the agent sees the account, the user holds the phone.

mod lines;

use super::script::{AgentStep, Domain, Facts, TaskKind, number, person};
use crate::rng::Rng;
use AgentStep::{Read, Say, Write};
use lines::{
    AIRPLANE, ASIDES, BILL, BILL_TALK, BILLS, BY_ID, BY_PHONE, CLOSE, IDENTIFY, LINE, MODE,
    NETWORK, OFFER_DATA, PAY, PHONE_ROAMING, PROFILE, REBOOT, REFUEL, REQUEST, RESEAT, RESUME,
    ROAM_TALK, ROAMING, SAVER, SPEED, STATUS_BAR, TRANSFER, USAGE, WORKS,
};

const OPENINGS: &[&[AgentStep]] =
    &[&[Say(&IDENTIFY), Read(&BY_PHONE)], &[Read(&BY_PHONE)], &[Read(&NETWORK), Read(&BY_PHONE)]];
const SLIP_LINE: (&str, &str) = ("line", "other_line");
const STUCK: &[&str] = &[
    "I'm afraid I can't fix this from here. Please visit one of our shops.",
    "I've tried everything I can for <phone>. I'm sorry that it still doesn't work.",
];

static KINDS: &[TaskKind] = &[
    TaskKind {
        wants: &[
            "You are <first> <last>, number <phone>. You are abroad and have no mobile data. Your phone's own roaming switch is off too.",
        ],
        opens: &[
            "<hi> I just landed abroad and my internet doesn't work. <mood>",
            "<hi> no data since I crossed the border, number <phone>. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&LINE),
            Say(&STATUS_BAR),
            Say(&ROAM_TALK),
            Write(&ROAMING),
            Say(&PHONE_ROAMING),
            Say(&SPEED),
            Say(&WORKS),
            Say(&CLOSE),
        ],
        detours: &[Read(&USAGE), Read(&BY_ID), Read(&NETWORK)],
        slips: &[SLIP_LINE],
        refusals: STUCK,
    },
    TaskKind {
        wants: &[
            "You are <first> <last>, number <phone>. Your data is very slow. You would pay for up to <refuel> GB more.",
        ],
        opens: &[
            "<hi> pages take forever to load on my phone. <mood>",
            "<hi> my mobile internet has become useless. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Say(&SPEED),
            Read(&LINE),
            Read(&USAGE),
            Say(&SAVER),
            Say(&OFFER_DATA),
            Write(&REFUEL),
            Say(&WORKS),
            Say(&CLOSE),
        ],
        detours: &[Read(&BILLS), Read(&BY_ID), Read(&NETWORK)],
        slips: &[("refuel", "other_refuel"), SLIP_LINE],
        refusals: STUCK,
    },
    TaskKind {
        wants: &[
            "You are <first> <last>, number <phone>. The phone says No Service. You do what the agent asks, one thing at a time.",
        ],
        opens: &[
            "<hi> my phone has no service at all. <mood>",
            "<hi> I can't call anybody from <phone>. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&LINE),
            Say(&STATUS_BAR),
            Say(&AIRPLANE),
            Say(&RESEAT),
            Read(&NETWORK),
            Write(&PROFILE),
            Say(&REBOOT),
            Say(&WORKS),
            Say(&CLOSE),
        ],
        detours: &[Read(&BILLS), Read(&USAGE), Read(&BY_ID)],
        slips: &[SLIP_LINE, ("profile", "other_profile")],
        refusals: STUCK,
    },
    TaskKind {
        wants: &[
            "You are <first> <last>, number <phone>. Your line is suspended over a bill of $<amount>. You pay when asked.",
        ],
        opens: &[
            "<hi> my line has been cut off and I don't know why. <mood>",
            "<hi> calls from <phone> don't go out any more. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&LINE),
            Read(&BILLS),
            Read(&BILL),
            Say(&BILL_TALK),
            Write(&REQUEST),
            Say(&PAY),
            Write(&RESUME),
            Say(&REBOOT),
            Say(&WORKS),
            Say(&CLOSE),
        ],
        detours: &[Read(&BY_ID), Read(&USAGE)],
        slips: &[("bill", "other_bill"), SLIP_LINE],
        refusals: STUCK,
    },
    TaskKind {
        wants: &[
            "You are <first> <last>, number <phone>. Picture messages don't send; text messages do.",
        ],
        opens: &[
            "<hi> I can't send pictures any more. <mood>",
            "<hi> picture messages fail on my phone, <phone>. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&LINE),
            Say(&STATUS_BAR),
            Say(&MODE),
            Read(&USAGE),
            Write(&PROFILE),
            Say(&REBOOT),
            Say(&WORKS),
            Say(&CLOSE),
        ],
        detours: &[Read(&NETWORK), Read(&BY_ID), Read(&BILLS)],
        slips: &[("profile", "other_profile"), SLIP_LINE],
        refusals: STUCK,
    },
    TaskKind {
        wants: &[
            "You are <first> <last>, number <phone>. On holiday: you need roaming and <refuel> GB of extra data.",
        ],
        opens: &[
            "<hi> I'm abroad, nothing loads, and I think I've used up my data as well. <mood>",
            "<hi> two problems with <phone>: no roaming and no data left. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&LINE),
            Read(&USAGE),
            Say(&ROAM_TALK),
            Write(&ROAMING),
            Say(&PHONE_ROAMING),
            Say(&OFFER_DATA),
            Write(&REFUEL),
            Say(&SPEED),
            Say(&WORKS),
            Say(&CLOSE),
        ],
        detours: &[Read(&NETWORK), Read(&BILLS)],
        slips: &[("refuel", "other_refuel"), SLIP_LINE],
        refusals: STUCK,
    },
];

fn facts(rng: &mut Rng) -> Facts {
    let mut facts = person(rng);
    facts.set("phone", format!("555-{}-{}", number(3, rng), number(4, rng)));
    facts.set("customer", format!("C{}", number(4, rng)));
    for key in ["line", "other_line"] {
        facts.set(key, format!("L{}", number(4, rng)));
    }
    for key in ["bill", "other_bill"] {
        facts.set(key, format!("B{}", number(5, rng)));
    }
    facts.set("plan", *rng.pick(&["Basic 5", "Family 20", "Travel 10", "Max 40"]));
    let limit = 5 + rng.below(16);
    facts.set("limit", limit.to_string());
    facts.set("used", format!("{limit}.{}", 1 + rng.below(9)));
    facts.set("amount", (30 + rng.below(90)).to_string());
    facts.set_two("refuel", "other_refuel", &["1", "2", "3", "5"], rng);
    facts.set("cost", (4 + rng.below(14)).to_string());
    facts.set_two("profile", "other_profile", &["standard", "mms", "data-only"], rng);
    facts.set_two("mode", "other_mode", &["4G/5G", "4G only", "automatic"], rng);
    facts.set(
        "bar",
        *rng.pick(&["No Service", "one bar, no data", "an airplane symbol", "3G, no data"]),
    );
    facts.set("speed", *rng.pick(&["0.4 Mbps", "2 Mbps", "no connection", "38 Mbps"]));
    facts
}

pub static DOMAIN: Domain = Domain {
    rules: concat!(
        "Synthetic policy of a mobile provider's technical support.\n",
        "\n",
        "- Find the line of the user before you look at its plan, its usage or its bills.\n",
        "- Check the account first, and then the device with the user, one step at a time.\n",
        "- A suspended line may be resumed once its bills are paid. Data may be refuelled at the price of the plan.\n",
        "- The user sees the phone and you do not: ask what it shows.\n",
        "- Hand over to a person only if all steps have failed.",
    ),
    greeting: Some("Hello, technical support here. What seems to be the problem?"),
    kinds: KINDS,
    asides: ASIDES,
    tails: &[
        "This usually takes less than a minute, and nothing on your phone will be lost.",
        "Please tell me what you see on the screen when you are done.",
        "Your plan is <plan>, so there is no extra charge for this step.",
        "If nothing changes after that, we will try the next thing together.",
        "Please stay on the line while the settings are loaded to your phone.",
        "I can see line <line> on your account, so you do not have to look up anything.",
    ],
    transfer: Some(&TRANSFER),
    farewells: &[
        "Thanks, bye!",
        "Goodbye.",
        "Bye, and thanks for staying with me.",
        "That's it then.",
    ],
    turns: (7, 20),
    facts,
};
