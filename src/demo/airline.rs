//! Air travel: bookings, changes, cancellations and delays.

mod lines;

use super::script::{AgentStep, Domain, Facts, TaskKind, code, number, person};
use crate::rng::Rng;
use AgentStep::{Read, Say, Write};
use lines::{
    AIRPORTS, ASIDES, BAG_DONE, BAG_OFFER, BAGS, BOOK, BOOK_OFFER, BOOKED, CABIN, CABIN_DONE,
    CABIN_OFFER, CALCULATE, CANCEL, CANCELLED, CHANGE, CHANGED, CHANGED_BAG, CLOSE, CONFIRM_CANCEL,
    CREDIT, CREDITED, DELAY, IDENTIFY, NAME_CHECK, NAME_DONE, OFFER, ONESTOP, PASSENGERS, REASON,
    RESERVATION, SEARCH, STATUS, TRANSFER, USER,
};

const OPENINGS: &[&[AgentStep]] =
    &[&[Say(&IDENTIFY), Read(&USER)], &[Read(&USER)], &[Read(&RESERVATION), Read(&USER)]];
const SLIP_BOOKING: (&str, &str) = ("reservation", "other_reservation");
const SLIP_PAYMENT: (&str, &str) = ("payment", "other_payment");
const SLIP_FLIGHT: (&str, &str) = ("new_flight", "other_flight");

static KINDS: &[TaskKind] = &[
    TaskKind {
        wants: &[
            "You are <first> <last> (<user>). You fell ill and want to cancel reservation <reservation> with a full refund. You bought insurance and mention it only when asked.",
            "You are <first> <last>, user <user>. Cancel the trip <reservation> to <destination>; leave <other_reservation> alone.",
        ],
        opens: &[
            "<hi> I need to cancel my flight to <destination> on <date>. <mood>",
            "<hi> I can't make my trip <reservation> and want my money back. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&RESERVATION),
            Say(&REASON),
            Say(&CONFIRM_CANCEL),
            Write(&CANCEL),
            Say(&CANCELLED),
            Say(&CLOSE),
        ],
        detours: &[Read(&STATUS), Read(&CALCULATE), Read(&AIRPORTS)],
        slips: &[SLIP_BOOKING],
        refusals: &[
            "I'm sorry, this fare can't be cancelled and I'm unable to refund it.",
            "Unfortunately I can't cancel <reservation> for you.",
        ],
    },
    TaskKind {
        wants: &[
            "You are <first> <last> (<user>). Move <reservation> to <new_date>, morning flight, same cabin, paid with <payment>.",
            "You are <user>. Your conference moved: fly <origin>-<destination> on <new_date> instead of <date>. You accept up to $<new_price>.",
        ],
        opens: &[
            "<hi> I'd like to move my flight from <date> to <new_date>. <mood>",
            "<hi> Is it possible to change reservation <reservation> to another day? <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&RESERVATION),
            Read(&SEARCH),
            Read(&CALCULATE),
            Say(&OFFER),
            Write(&CHANGE),
            Say(&CHANGED),
            Say(&CLOSE),
        ],
        detours: &[Read(&ONESTOP), Read(&STATUS), Read(&AIRPORTS)],
        slips: &[SLIP_FLIGHT, SLIP_PAYMENT, SLIP_BOOKING, ("new_date", "other_new_date")],
        refusals: &[
            "I'm afraid your ticket can't be changed.",
            "I couldn't find a seat on <new_date>, so I leave the booking as it is.",
        ],
    },
    TaskKind {
        wants: &[
            "You are <first> <last> (<user>). Move <reservation> to <new_date> and have <bags> checked bags in total afterwards. Ask for the bags only once the flight is changed.",
        ],
        opens: &[
            "<hi> I want to fly a few days later with reservation <reservation>. <mood>",
            "<hi> my plans for <destination> have shifted to <new_date>. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&RESERVATION),
            Read(&SEARCH),
            Say(&OFFER),
            Write(&CHANGE),
            Say(&CHANGED_BAG),
            Say(&BAG_OFFER),
            Write(&BAGS),
            Say(&BAG_DONE),
            Say(&CLOSE),
        ],
        detours: &[Read(&CALCULATE), Read(&ONESTOP), Read(&STATUS)],
        slips: &[SLIP_FLIGHT, ("bags", "other_bags"), SLIP_PAYMENT],
        refusals: &[
            "I changed what I could, but I can't do the rest of it.",
            "I'm sorry, this part isn't possible on your fare.",
        ],
    },
    TaskKind {
        wants: &[
            "You are <first> <last> (<user>). Upgrade <reservation> to <new_cabin>, pay with <payment>, never with <other_payment>.",
        ],
        opens: &[
            "<hi> I'd like to sit in <new_cabin> on my flight to <destination>. <mood>",
            "<hi> can you upgrade reservation <reservation>? <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&RESERVATION),
            Read(&STATUS),
            Read(&CALCULATE),
            Say(&CABIN_OFFER),
            Write(&CABIN),
            Say(&CABIN_DONE),
            Say(&CLOSE),
        ],
        detours: &[Read(&SEARCH), Read(&AIRPORTS)],
        slips: &[SLIP_PAYMENT, ("new_cabin", "other_cabin"), SLIP_BOOKING],
        refusals: &[
            "<new_cabin> is full on that flight, I'm sorry.",
            "I can't change the cabin of this fare.",
        ],
    },
    TaskKind {
        wants: &[
            "You are <first> <last> (<user>). Your ticket <reservation> shows your old last name; it must read <new_last>.",
        ],
        opens: &[
            "<hi> my last name is wrong on the ticket to <destination>. <mood>",
            "<hi> I got married and reservation <reservation> still has my old name. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&RESERVATION),
            Say(&NAME_CHECK),
            Write(&PASSENGERS),
            Say(&NAME_DONE),
            Say(&CLOSE),
        ],
        detours: &[Read(&STATUS), Read(&AIRPORTS), Read(&SEARCH)],
        slips: &[SLIP_BOOKING, ("new_last", "misspelt")],
        refusals: &["Names can't be changed after booking, I'm sorry."],
    },
    TaskKind {
        wants: &[
            "You are <first> <last> (<user>). Flight <flight> was <status> on <date>. You want compensation and accept $<credit>.",
        ],
        opens: &[
            "<hi> my flight <flight> on <date> was a disaster and I want to be compensated. <mood>",
            "<hi> we waited for hours for <flight>. What do I get for that? <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&RESERVATION),
            Read(&STATUS),
            Say(&DELAY),
            Write(&CREDIT),
            Say(&CREDITED),
            Say(&CLOSE),
        ],
        detours: &[Read(&CALCULATE), Read(&SEARCH)],
        slips: &[("credit", "other_credit")],
        refusals: &["I'm sorry for the delay, but your ticket doesn't qualify for compensation."],
    },
    TaskKind {
        wants: &[
            "You are <first> <last> (<user>). Book the morning flight <origin>-<destination> on <new_date> in <cabin>, paid with <payment>.",
        ],
        opens: &[
            "<hi> I need a flight from <origin> to <destination> on <new_date>. <mood>",
            "<hi> please book me to <destination> for <new_date>. <mood>",
        ],
        openings: OPENINGS,
        body: &[
            Read(&SEARCH),
            Read(&ONESTOP),
            Say(&BOOK_OFFER),
            Write(&BOOK),
            Say(&BOOKED),
            Say(&CLOSE),
        ],
        detours: &[Read(&AIRPORTS), Read(&STATUS), Read(&CALCULATE)],
        slips: &[SLIP_FLIGHT, SLIP_PAYMENT, ("new_date", "other_new_date")],
        refusals: &["There is nothing suitable on <new_date>, so I didn't book anything."],
    },
];

fn facts(rng: &mut Rng) -> Facts {
    const PLACES: &[&str] = &["LIS", "ARN", "YVR", "SEA", "DUB", "NCE", "BER", "AUS", "PRG", "KEF"];
    const DATES: &[&str] =
        &["June 3", "June 9", "June 14", "June 21", "July 2", "July 8", "July 17"];
    let mut facts = person(rng);
    facts.set_two("origin", "destination", PLACES, rng);
    facts.set("via", *rng.pick(&["AMS", "MUC", "DEN"]));
    facts.set_two("date", "new_date", DATES, rng);
    facts.set("other_new_date", *rng.pick(&["August 1", "August 12", "May 30"]));
    for key in ["reservation", "other_reservation", "booked"] {
        facts.set(key, code(6, rng));
    }
    for key in ["flight", "new_flight", "other_flight"] {
        facts.set(key, format!("QL{}", number(3, rng)));
    }
    facts.set_two("tier", "other_tier", &["regular", "silver", "gold"], rng);
    facts.set("payment", format!("credit_card_{}", number(4, rng)));
    facts.set("other_payment", format!("gift_card_{}", number(4, rng)));
    facts.set_two("cabin", "other_cabin", &["economy", "basic economy"], rng);
    facts.set("new_cabin", *rng.pick(&["business", "premium economy"]));
    facts.set("status", *rng.pick(&["delayed by 4 hours", "cancelled", "diverted"]));
    facts.set_two("bags", "other_bags", &["2", "3", "4"], rng);
    facts.set_two("credit", "other_credit", &["50", "100", "150", "200"], rng);
    facts.set_two("new_last", "misspelt", &["Harrow", "Harow", "Hallow", "Haroway"], rng);
    let (price, more) = (120 + rng.below(400), 15 + rng.below(180));
    facts.set("price", price.to_string());
    facts.set("new_price", (price + more).to_string());
    facts.set("difference", more.to_string());
    facts
}

pub static DOMAIN: Domain = Domain {
    rules: concat!(
        "Synthetic policy of an airline's service desk.\n",
        "\n",
        "- Find out who the user is before you look at a reservation.\n",
        "- A reservation may be cancelled within a day of booking, with insurance, or if the airline cancelled the flight.\n",
        "- Flights may be changed to the same route. The price difference is charged to a payment method of the user.\n",
        "- Bags may be added, and none removed. Names of passengers may be corrected, and passengers not exchanged.\n",
        "- Say what you are about to change and what it costs, and wait for a yes.\n",
        "- Hand over to a person only if no rule covers the request.",
    ),
    greeting: Some("Hello, this is the airline's service desk. What can I do for you?"),
    kinds: KINDS,
    asides: ASIDES,
    tails: &[
        "Your booking reference <reservation> stays valid in the meantime.",
        "Please have your travel documents for <destination> at hand.",
        "The fare rules of your ticket allow this until the day before departure.",
        "If you would rather keep everything as it was, just tell me and nothing will be changed.",
        "As a <tier> member you can also do this in the app at any time.",
        "You will receive an email with all the details within a few minutes.",
    ],
    transfer: Some(&TRANSFER),
    farewells: &["Bye!", "Thanks, that is all.", "Goodbye.", "Have a good day."],
    turns: (6, 18),
    facts,
};
