//! Function calling over several requests: files, trading, a vehicle and support tickets.

mod lines;

use super::script::{AgentStep, Domain, Facts, Talk, TaskKind, code, number, person};
use crate::rng::Rng;
use AgentStep::{Read, Say, Write};
use lines::{
    ACCOUNT, ASIDES, BOUGHT, CANCEL_ORDER, CAT, DESCRIBED, DISTANCE, DOORS, ENDS, ENGINE, ENOUGH,
    FILED, FILL, FILLED, FOUND, FUEL, GET_TICKET, GREP, LIST_TICKETS, LOGIN, LS, MKDIR, MOVE,
    NEW_TICKET, OPENED, ORDER, PLAN, PWD, QUOTE, QUOTED, RESOLVE, RESOLVED, RUNNING, TAIL, TIRES,
    WATCHLIST, WITHDRAWN,
};

const REFUSALS: &[&str] = &[
    "I don't have a function that does this, so I stop here.",
    "I was not able to complete this request with the tools I have.",
    "That failed and I don't know how to go on.",
];

static KINDS: &[TaskKind] = &[
    TaskKind {
        wants: &[
            "Move <file> into a new folder <new_folder>, then look for <topic> in it and read its last <count> lines.",
            "Tidy <file> away into <new_folder>, find where it mentions <topic>, show its end.",
        ],
        opens: &[
            "Put <file> into a new folder called <new_folder>.",
            "I want <file> in a folder <new_folder>, which doesn't exist yet.",
            "Could you create <new_folder> and move <file> there?",
        ],
        openings: &[&[], &[Say(&PLAN)], &[Read(&PWD)]],
        body: &[
            Read(&LS),
            Write(&MKDIR),
            Write(&MOVE),
            Say(&FILED),
            Read(&GREP),
            Say(&FOUND),
            Read(&TAIL),
            Say(&ENDS),
        ],
        detours: &[Read(&CAT), Read(&PWD)],
        slips: &[("file", "other_file"), ("new_folder", "folder")],
        refusals: REFUSALS,
    },
    TaskKind {
        wants: &[
            "Look up <symbol>, buy <shares> shares at the current price, then cancel that order.",
        ],
        opens: &[
            "What does <symbol> cost right now?",
            "I'm thinking of buying <symbol>. How is it doing?",
            "Check <symbol> for me, and what I have in my account.",
        ],
        openings: &[&[], &[Say(&PLAN)], &[Read(&ACCOUNT)], &[Read(&LOGIN)]],
        body: &[
            Read(&QUOTE),
            Say(&QUOTED),
            Write(&ORDER),
            Say(&BOUGHT),
            Write(&CANCEL_ORDER),
            Say(&WITHDRAWN),
        ],
        detours: &[Read(&ACCOUNT), Read(&WATCHLIST), Read(&LOGIN)],
        slips: &[("symbol", "other_symbol"), ("shares", "other_shares"), ("order", "other_order")],
        refusals: REFUSALS,
    },
    TaskKind {
        wants: &[
            "Check whether the fuel lasts from <city> to <other_city>, add <shares> gallons, then lock the doors and start the engine.",
        ],
        opens: &[
            "I'm driving from <city> to <other_city>. Do I have enough fuel?",
            "Is the tank full enough for <other_city>? I start in <city>.",
        ],
        openings: &[&[], &[Say(&PLAN)], &[Read(&TIRES)]],
        body: &[
            Read(&DISTANCE),
            Read(&FUEL),
            Say(&ENOUGH),
            Write(&FILL),
            Say(&FILLED),
            Write(&DOORS),
            Write(&ENGINE),
            Say(&RUNNING),
        ],
        detours: &[Read(&TIRES)],
        slips: &[("shares", "other_shares")],
        refusals: REFUSALS,
    },
    TaskKind {
        wants: &[
            "Resolve ticket <ticket> with '<resolution>', then open a new one titled '<topic>' with priority <count>.",
        ],
        opens: &[
            "What is the state of ticket <ticket>?",
            "Have a look at ticket <ticket> for me.",
            "Is <ticket> still open?",
        ],
        openings: &[&[], &[Read(&LOGIN)], &[Say(&PLAN)], &[Read(&LIST_TICKETS)]],
        body: &[
            Read(&GET_TICKET),
            Say(&DESCRIBED),
            Write(&RESOLVE),
            Say(&RESOLVED),
            Write(&NEW_TICKET),
            Say(&OPENED),
        ],
        detours: &[Read(&LIST_TICKETS), Read(&LOGIN)],
        slips: &[("ticket", "other_ticket"), ("count", "other_count")],
        refusals: REFUSALS,
    },
    TaskKind {
        wants: &["Find <topic> in <file>, then file a ticket about it with priority <count>."],
        opens: &[
            "Search <file> for <topic>.",
            "There should be a note on <topic> in <file>. Can you find it?",
        ],
        openings: &[&[], &[Read(&PWD)], &[Read(&LS)]],
        body: &[
            Read(&GREP),
            Say(&Talk::new(
                &[
                    "<file> mentions <topic> on line 3.",
                    "Yes, there is one line about <topic>: value <count>.",
                ],
                &[
                    "Open a ticket titled '<topic>' with priority <count>.",
                    "Then file it as a ticket, priority <count>.",
                ],
            )),
            Write(&NEW_TICKET),
            Say(&OPENED),
        ],
        detours: &[Read(&CAT), Read(&TAIL), Read(&LIST_TICKETS)],
        slips: &[("topic", "other_topic"), ("count", "other_count")],
        refusals: REFUSALS,
    },
];

fn facts(rng: &mut Rng) -> Facts {
    const FILES: &[&str] = &[
        "notes.txt",
        "budget.csv",
        "report.md",
        "plan_b.txt",
        "minutes.txt",
        "survey.csv",
        "todo.md",
    ];
    const FOLDERS: &[&str] = &["archive", "drafts", "spring", "shared", "backup", "inbox"];
    const TOPICS: &[&str] =
        &["rent", "invoices", "server room", "travel", "printer", "hiring", "parking"];
    const CITIES: &[&str] = &["Rivermead", "Oakhaven", "Stonebridge", "Silverton", "Crescent Bay"];
    let mut facts = person(rng);
    facts.set_two("file", "other_file", FILES, rng);
    facts.set_two("folder", "new_folder", FOLDERS, rng);
    facts.set_two("topic", "other_topic", TOPICS, rng);
    facts.set_two("city", "other_city", CITIES, rng);
    facts.set_two("symbol", "other_symbol", &["ZETA", "QLMN", "NORV", "ABRX", "TMPO", "HELX"], rng);
    facts.set_two("count", "other_count", &["1", "2", "3", "4", "5"], rng);
    facts.set_two("shares", "other_shares", &["10", "15", "20", "25", "40", "100"], rng);
    facts.set(
        "resolution",
        *rng.pick(&["cable replaced", "duplicate", "fixed in the last update", "restarted"]),
    );
    for key in ["ticket", "other_ticket"] {
        facts.set(key, number(4, rng));
    }
    for key in ["order", "other_order"] {
        facts.set(key, number(5, rng));
    }
    facts.set("account", code(5, rng));
    facts.set("price", format!("{}.{}", 20 + rng.below(300), number(2, rng)));
    facts.set("balance", number(5, rng));
    facts.set("miles", (90 + rng.below(600)).to_string());
    let gallons = 2 + rng.below(9);
    let added = facts.get("shares").and_then(|shares| shares.parse::<usize>().ok()).unwrap_or(0);
    facts.set("gallons", gallons.to_string());
    facts.set("total", (gallons + added).to_string());
    facts
}

pub static DOMAIN: Domain = Domain {
    rules: "Synthetic instructions. You have functions for files, shares, a car, tickets and messages. Do what the user asks by calling them, one call at a time, and use the values exactly as they were given. If a value is missing, ask for it. When all is done, say what you did.",
    greeting: None,
    kinds: KINDS,
    asides: ASIDES,
    tails: &[
        "Let me know if you would like me to do anything else with it.",
        "Nothing else was changed while I did this.",
        "I used the values exactly as you gave them to me.",
        "If that is not what you meant, I can undo it right away.",
        "Everything else in your workspace is as it was before.",
    ],
    transfer: None,
    farewells: &[],
    turns: (4, 16),
    facts,
};
