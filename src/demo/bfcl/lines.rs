//! The tools of the small APIs, and what is said there.

use crate::demo::script::{Talk, Tool};

pub static LS: Tool =
    Tool::new("ls", r#"{"all": true}"#, r#"{"entries": ["<file>", "<other_file>", "<folder>"]}"#);
pub static PWD: Tool = Tool::new("pwd", "{}", r#"{"path": "/home/<first>/<folder>"}"#);
pub static CAT: Tool = Tool::new(
    "cat",
    r#"{"file": "<file>"}"#,
    r#"{"content": "<topic>: draft <count>, see <other_file>"}"#,
)
.again("file")
.fails("no such file");
pub static GREP: Tool = Tool::new(
    "grep",
    r#"{"file": "<file>", "pattern": "<topic>"}"#,
    r#"{"matches": ["line 3: <topic> <count>"]}"#,
)
.again("file");
pub static MKDIR: Tool =
    Tool::new("mkdir", r#"{"name": "<new_folder>"}"#, r#"{"created": "<new_folder>"}"#);
pub static MOVE: Tool = Tool::new(
    "mv",
    r#"{"source": "<file>", "destination": "<new_folder>"}"#,
    r#"{"moved": "<new_folder>/<file>"}"#,
)
.fails("destination is not a folder");
pub static TAIL: Tool = Tool::new(
    "tail",
    r#"{"file": "<file>", "lines": <count>}"#,
    r#"{"lines": ["<topic> total <price>"]}"#,
);
pub static QUOTE: Tool = Tool::new(
    "get_stock_info",
    r#"{"symbol": "<symbol>"}"#,
    r#"{"symbol": "<symbol>", "price": <price>, "change": -0.8}"#,
)
.again("symbol")
.fails("unknown symbol");
pub static ACCOUNT: Tool =
    Tool::new("get_account_info", "{}", r#"{"account": "<account>", "balance": <balance>}"#);
pub static WATCHLIST: Tool =
    Tool::new("get_watchlist", "{}", r#"{"watchlist": ["<symbol>", "<other_symbol>"]}"#);
pub static ORDER: Tool = Tool::new(
    "place_order",
    r#"{"type": "Buy", "symbol": "<symbol>", "price": <price>, "amount": <shares>}"#,
    r#"{"order_id": <order>, "status": "Pending"}"#,
)
.fails("market is closed");
pub static CANCEL_ORDER: Tool = Tool::new(
    "cancel_order",
    r#"{"order_id": <order>}"#,
    r#"{"order_id": <order>, "status": "Cancelled"}"#,
);
pub static FUEL: Tool = Tool::new("get_fuel_level", "{}", r#"{"fuel_gallons": <gallons>}"#);
pub static DISTANCE: Tool = Tool::new(
    "estimate_distance",
    r#"{"from": "<city>", "to": "<other_city>"}"#,
    r#"{"miles": <miles>}"#,
);
pub static FILL: Tool =
    Tool::new("fill_fuel_tank", r#"{"gallons": <shares>}"#, r#"{"fuel_gallons": <total>}"#);
pub static DOORS: Tool = Tool::new("lock_doors", r#"{"unlock": false}"#, r#"{"doors": "locked"}"#);
pub static ENGINE: Tool =
    Tool::new("start_engine", r#"{"mode": "START"}"#, r#"{"engine": "running"}"#)
        .fails("doors are not locked");
pub static TIRES: Tool =
    Tool::new("check_tire_pressure", "{}", r#"{"front": 32, "rear": 31, "ok": true}"#);
pub static GET_TICKET: Tool = Tool::new(
    "get_ticket",
    r#"{"ticket_id": <ticket>}"#,
    r#"{"ticket_id": <ticket>, "title": "<topic>", "priority": 2, "status": "open"}"#,
)
.again("ticket")
.fails("ticket not found");
pub static LIST_TICKETS: Tool = Tool::new(
    "list_tickets",
    r#"{"status": "open"}"#,
    r#"{"tickets": [<ticket>, <other_ticket>]}"#,
);
pub static NEW_TICKET: Tool = Tool::new(
    "create_ticket",
    r#"{"title": "<topic>", "priority": <count>}"#,
    r#"{"ticket_id": <ticket>, "status": "open"}"#,
);
pub static RESOLVE: Tool = Tool::new(
    "resolve_ticket",
    r#"{"ticket_id": <ticket>, "resolution": "<resolution>"}"#,
    r#"{"ticket_id": <ticket>, "status": "resolved"}"#,
)
.fails("ticket is already closed");
pub static LOGIN: Tool = Tool::new("login", r#"{"username": "<user>"}"#, r#"{"logged_in": true}"#);

pub static PLAN: Talk = Talk::new(
    &[
        "<ok> I'll take it step by step. Is there anything I should leave untouched?",
        "Just to be sure: may I make changes right away?",
    ],
    &["No, go ahead.", "Yes, do it.", "Nothing special, just start."],
);
pub static FILED: Talk = Talk::new(
    &["I created <new_folder> and moved <file> into it.", "Done: <file> now lies in <new_folder>."],
    &[
        "Now find the lines about <topic> in <file>.",
        "Good. Does <file> mention <topic> anywhere?",
        "Fine. Show me where <topic> comes up in it.",
    ],
)
.report();
pub static FOUND: Talk = Talk::new(
    &[
        "There is one match, on line 3: <topic> <count>.",
        "<file> mentions <topic> once, with the value <count>.",
    ],
    &["And the last <count> lines of it?", "Show me its end as well."],
);
pub static ENDS: Talk = Talk::new(
    &[
        "The file ends with the total for <topic>: <price>.",
        "Its last lines give <price> as the total.",
    ],
    &[],
)
.report();
pub static QUOTED: Talk = Talk::new(
    &[
        "<symbol> trades at $<price>, down 0.8 today. Your balance is $<balance>.",
        "The price of <symbol> is $<price>.",
    ],
    &["Buy <shares> shares of it at that price.", "Alright, get me <shares> of them."],
);
pub static BOUGHT: Talk = Talk::new(
    &[
        "I placed order <order> for <shares> shares of <symbol> at $<price>.",
        "Your order <order> is pending: <shares> x <symbol>.",
    ],
    &["On second thought, cancel that order.", "Hmm, I changed my mind. Please cancel it."],
)
.report();
pub static WITHDRAWN: Talk =
    Talk::new(&["Order <order> is cancelled.", "Done, <order> won't be executed."], &[]).report();
pub static ENOUGH: Talk = Talk::new(
    &[
        "It is <miles> miles to <other_city>, and you have <gallons> gallons. That may not be enough.",
        "You'd need more fuel: <miles> miles with <gallons> gallons in the tank.",
    ],
    &[
        "Then add <shares> gallons.",
        "Okay, fill in <shares> more gallons.",
        "Add <shares> gallons and check the tires.",
    ],
);
pub static FILLED: Talk = Talk::new(
    &["The tank now holds <total> gallons.", "I added <shares> gallons, <total> in total."],
    &["Lock the doors and start the engine.", "Great, get it ready to drive."],
)
.report();
pub static RUNNING: Talk = Talk::new(
    &[
        "Doors are locked and the engine is running. Safe trip to <other_city>!",
        "Ready to go: doors locked, engine on.",
    ],
    &[],
)
.report();
pub static DESCRIBED: Talk = Talk::new(
    &[
        "Ticket <ticket>, '<topic>', is open with priority 2.",
        "<ticket> is still open. Its title is '<topic>'.",
    ],
    &["Close it with the note '<resolution>'.", "It's solved, the resolution is '<resolution>'."],
);
pub static RESOLVED: Talk = Talk::new(
    &["Ticket <ticket> is resolved: <resolution>."],
    &[
        "Please open a new one titled '<topic>' with priority <count>.",
        "It came back. Open another one, '<topic>', priority <count>.",
    ],
)
.report();
pub static OPENED: Talk = Talk::new(
    &[
        "I opened a ticket titled '<topic>' with priority <count>.",
        "The new ticket is filed under <ticket>.",
    ],
    &[],
)
.report();
pub static ASIDES: &[Talk] = &[
    Talk::new(
        &["Do you want me to keep a log of what I change?"],
        &["No.", "That won't be necessary."],
    ),
    Talk::new(&["Is this meant for the account of <user>?"], &["Yes, mine.", "Yes."]),
    Talk::new(&["<ok> I'm working on it.", "Working on it, one moment."], &["Okay.", "Good."]),
    Talk::new(
        &["<ok> I have what I need; shall I continue?", "That worked. Should I go on?"],
        &["Yes.", "Go on.", "Please do."],
    ),
    Talk::new(
        &["Could you be more specific?", "I need one more detail: which one do you mean?"],
        &["The one I named.", "You have everything already."],
    ),
    Talk::new(
        &["Should I show you the result before I go on?"],
        &["Not needed.", "No, just do it."],
    ),
    Talk::new(
        &["Shall I use the default settings for this?"],
        &["Yes, defaults are fine.", "Sure."],
    ),
];
