//! The tools of the service desk, and what is said there.

use crate::demo::script::{Talk, Tool};

pub static USER: Tool = Tool::new(
    "get_user_details",
    r#"{"user_id": "<user>"}"#,
    r#"{"user_id": "<user>", "name": "<first> <last>", "tier": "<tier>", "reservations": ["<reservation>", "<other_reservation>"], "payment_methods": ["<payment>", "<other_payment>"]}"#,
)
.fails("user not found");
pub static RESERVATION: Tool = Tool::new(
    "get_reservation_details",
    r#"{"reservation_id": "<reservation>"}"#,
    r#"{"reservation_id": "<reservation>", "origin": "<origin>", "destination": "<destination>", "date": "<date>", "flight": "<flight>", "cabin": "<cabin>", "passengers": ["<first> <last>"], "checked_bags": 1, "total": <price>, "insurance": "yes"}"#,
)
.again("reservation")
.fails("reservation not found");
pub static SEARCH: Tool = Tool::new(
    "search_direct_flights",
    r#"{"origin": "<origin>", "destination": "<destination>", "date": "<new_date>"}"#,
    r#"[{"flight": "<new_flight>", "departs": "09:40", "seats": {"economy": 11, "business": 3}, "price": <new_price>}, {"flight": "<other_flight>", "departs": "17:15", "seats": {"economy": 4, "business": 0}, "price": <price>}]"#,
)
.again("new_date");
pub static ONESTOP: Tool = Tool::new(
    "search_onestop_flights",
    r#"{"origin": "<origin>", "destination": "<destination>", "date": "<new_date>"}"#,
    r#"[{"flights": ["<flight>", "<other_flight>"], "via": "<via>", "price": <new_price>}]"#,
);
pub static STATUS: Tool = Tool::new(
    "get_flight_status",
    r#"{"flight": "<flight>", "date": "<date>"}"#,
    r#"{"flight": "<flight>", "date": "<date>", "status": "<status>"}"#,
)
.again("flight");
pub static AIRPORTS: Tool = Tool::new(
    "list_airports",
    "{}",
    r#"["<origin>", "<destination>", "<via>", "OSL", "TRD", "GVA"]"#,
);
pub static CALCULATE: Tool = Tool::new(
    "calculate",
    r#"{"expression": "<new_price> - <price>"}"#,
    r#"{"result": <difference>}"#,
);
pub static CANCEL: Tool = Tool::new(
    "cancel_reservation",
    r#"{"reservation_id": "<reservation>"}"#,
    r#"{"reservation_id": "<reservation>", "status": "cancelled", "refund": <price>}"#,
)
.fails("reservation is not eligible");
pub static CHANGE: Tool = Tool::new(
    "update_reservation_flights",
    r#"{"reservation_id": "<reservation>", "cabin": "<cabin>", "flights": [{"flight": "<new_flight>", "date": "<new_date>"}], "payment_id": "<payment>"}"#,
    r#"{"reservation_id": "<reservation>", "flight": "<new_flight>", "date": "<new_date>", "charged": <difference>}"#,
)
.fails("payment method not on file");
pub static CABIN: Tool = Tool::new(
    "update_reservation_cabin",
    r#"{"reservation_id": "<reservation>", "cabin": "<new_cabin>", "payment_id": "<payment>"}"#,
    r#"{"reservation_id": "<reservation>", "cabin": "<new_cabin>", "charged": <difference>}"#,
)
.fails("no seats left in that cabin");
pub static BAGS: Tool = Tool::new(
    "update_reservation_baggages",
    r#"{"reservation_id": "<reservation>", "total_bags": <bags>, "payment_id": "<payment>"}"#,
    r#"{"reservation_id": "<reservation>", "checked_bags": <bags>, "charged": 50}"#,
);
pub static PASSENGERS: Tool = Tool::new(
    "update_reservation_passengers",
    r#"{"reservation_id": "<reservation>", "passengers": [{"first": "<first>", "last": "<new_last>"}]}"#,
    r#"{"reservation_id": "<reservation>", "passengers": ["<first> <new_last>"]}"#,
);
pub static BOOK: Tool = Tool::new(
    "book_reservation",
    r#"{"user_id": "<user>", "flight": "<new_flight>", "date": "<new_date>", "cabin": "<cabin>", "payment_id": "<payment>"}"#,
    r#"{"reservation_id": "<booked>", "flight": "<new_flight>", "total": <new_price>}"#,
);
pub static CREDIT: Tool = Tool::new(
    "issue_travel_credit",
    r#"{"user_id": "<user>", "amount": <credit>}"#,
    r#"{"user_id": "<user>", "credit": "TC-<booked>", "amount": <credit>}"#,
);
pub static TRANSFER: Tool = Tool::new(
    "transfer_to_human",
    r#"{"summary": "<first> <last> asks about reservation <reservation>."}"#,
    r#"{"status": "transferred"}"#,
);

pub static IDENTIFY: Talk = Talk::new(
    &[
        "I can help with that. Could you give me your user ID so I can find your booking?",
        "Happy to look into it. What is your user ID?",
        "Before I look at the booking I need to know who you are: please tell me your user ID.",
    ],
    &["It's <user>.", "Sure, <user>.", "My ID is <user>, and the booking should be <reservation>."],
);
pub static REASON: Talk = Talk::new(
    &[
        "<ok> May I ask why you would like to cancel? It decides what we can refund.",
        "<ok> What is the reason for the cancellation: a change of plans, or something else?",
    ],
    &[
        "I've fallen ill and can't fly.",
        "A change of plans, but I did buy the insurance.",
        "The meeting I was flying to was called off.",
    ],
);
pub static CONFIRM_CANCEL: Talk = Talk::new(
    &[
        "Reservation <reservation> from <origin> to <destination> on <date> is insured, so $<price> would go back to <payment>. Shall I cancel it?",
        "I found <reservation>, <origin>-<destination> on <date>. Cancelling refunds $<price>. Do you want me to go ahead (yes/no)?",
    ],
    &["Yes, please cancel it.", "Yes, go ahead.", "Yes. All of it."],
);
pub static CANCELLED: Talk = Talk::new(
    &[
        "Reservation <reservation> is cancelled. The refund of $<price> takes 5 to 7 days. Is there anything else?",
        "Done: <reservation> has been cancelled and $<price> is on its way back to you.",
    ],
    &["That's all I needed.", "Great, nothing else.", "Good. That was quick."],
)
.report();
pub static OFFER: Talk = Talk::new(
    &[
        "On <new_date> there is <new_flight> at 09:40 for $<new_price>, which is $<difference> more than you paid. Would you like it, charged to <payment>?",
        "I see two options on <new_date>: <new_flight> in the morning and <other_flight> at 17:15. <new_flight> costs $<difference> extra. Which one should I take?",
    ],
    &[
        "<new_flight> please, on <payment>.",
        "The morning one. Use <payment>.",
        "Yes, <new_flight> works for me.",
    ],
);
pub static CHANGED: Talk = Talk::new(
    &[
        "You are now on <new_flight> on <new_date>, reservation <reservation>. $<difference> was charged to <payment>.",
        "The change is made: <new_flight>, <new_date>, same cabin. Your reference stays <reservation>.",
    ],
    &["Perfect.", "Thanks, that's what I wanted.", "Okay, noted."],
)
.report();
pub static CHANGED_BAG: Talk = Talk::new(
    &["You are booked on <new_flight> on <new_date>. Is there anything else I can do for you?"],
    &[
        "Yes: please add bags so that I have <bags> in total.",
        "One more thing, I need <bags> checked bags on it.",
    ],
);
pub static CABIN_OFFER: Talk = Talk::new(
    &[
        "Moving <reservation> from <cabin> to <new_cabin> costs $<difference>. Shall I charge <payment>?",
        "There are seats in <new_cabin>. The difference is $<difference>; do you agree to pay it with <payment>?",
    ],
    &["Yes, do it.", "That's fine, charge <payment>.", "Yes. I want to sleep on that flight."],
);
pub static CABIN_DONE: Talk = Talk::new(
    &[
        "Your cabin on <reservation> is now <new_cabin>, and $<difference> was charged.",
        "All set: <new_cabin> on <flight>, <date>.",
    ],
    &["Lovely.", "Thanks, nothing more from me."],
)
.report();
pub static BAG_OFFER: Talk = Talk::new(
    &[
        "That makes <bags> checked bags on <reservation>; the extra ones cost $50 with your tier. Charge <payment>?",
    ],
    &["Yes.", "Fine, yes, to <payment>."],
);
pub static BAG_DONE: Talk = Talk::new(
    &[
        "Reservation <reservation> now has <bags> checked bags.",
        "I've updated the baggage: <bags> pieces on <reservation>.",
    ],
    &["Great, thank you.", "That was all."],
)
.report();
pub static NAME_CHECK: Talk = Talk::new(
    &[
        "I can correct the last name on <reservation> to <new_last>. The rest stays as it is. Do you confirm?",
    ],
    &["Yes, it's spelled <new_last>.", "I confirm, <new_last> as in my passport."],
);
pub static NAME_DONE: Talk = Talk::new(
    &[
        "The passenger on <reservation> is now <first> <new_last>.",
        "Corrected. The ticket reads <first> <new_last>.",
    ],
    &["What a relief.", "Thank you."],
)
.report();
pub static DELAY: Talk = Talk::new(
    &[
        "I'm sorry about <flight>. It was <status> on <date>, so I can offer a travel credit of $<credit>. Is that acceptable?",
    ],
    &["I suppose so, yes.", "Yes, I'll take the credit.", "It ruined my day, but yes."],
);
pub static CREDITED: Talk = Talk::new(
    &[
        "I've issued a travel credit of $<credit> to your account.",
        "The credit of $<credit> is there now, valid for a year.",
    ],
    &["Alright then.", "Okay, thanks."],
)
.report();
pub static BOOK_OFFER: Talk = Talk::new(
    &[
        "<new_flight> on <new_date> in <cabin> is $<new_price>. Should I book it for you and charge <payment>?",
    ],
    &["Yes, book it.", "Yes, with <payment>, no insurance."],
);
pub static BOOKED: Talk = Talk::new(
    &["Your booking reference is <booked>: <new_flight>, <origin> to <destination>, <new_date>."],
    &["Got it, <booked>. Thanks.", "Wonderful."],
)
.report();
pub static CLOSE: Talk = Talk::new(
    &[
        "You're welcome, <first>. Have a pleasant flight!",
        "Thank you for flying with us.",
        "Glad I could help. Goodbye!",
    ],
    &[],
);
pub static ASIDES: &[Talk] = &[
    Talk::new(
        &[
            "<ok> Give me a moment to check the fare rules.",
            "One moment, I'm checking the rules of your fare.",
        ],
        &["Okay.", "Sure, go on.", "Take your time."],
    ),
    Talk::new(
        &[
            "Could you confirm that the date is <date>?",
            "I'm looking at the booking now. It is for <date>, right?",
        ],
        &["Yes, <date>.", "Right, <date>."],
    ),
    Talk::new(
        &[
            "To be sure I have the right trip: is it <origin> to <destination>?",
            "You are flying from <origin> to <destination>, correct?",
        ],
        &["Yes, that one.", "Correct."],
    ),
    Talk::new(
        &["Is reservation <reservation> the only one this is about?"],
        &["Yes, only that.", "Yes. Leave the other one alone."],
    ),
    Talk::new(
        &["Would a different day suit you as well?"],
        &["No, I've told you what I need.", "I'd rather not."],
    ),
    Talk::new(&["Are you travelling alone on this booking?"], &["Yes, just me.", "Yes, alone."]),
];
