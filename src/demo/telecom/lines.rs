//! The tools of phone support, and what is said there.

use crate::demo::script::{Talk, Tool};

pub static BY_PHONE: Tool = Tool::new(
    "get_customer_by_phone",
    r#"{"phone": "<phone>"}"#,
    r#"{"customer_id": "<customer>", "name": "<first> <last>", "lines": ["<line>", "<other_line>"]}"#,
)
.fails("no customer with this number");
pub static BY_ID: Tool = Tool::new(
    "get_customer_by_id",
    r#"{"customer_id": "<customer>"}"#,
    r#"{"customer_id": "<customer>", "name": "<first> <last>", "plan": "<plan>"}"#,
);
pub static LINE: Tool = Tool::new(
    "get_line_details",
    r#"{"line_id": "<line>"}"#,
    r#"{"line_id": "<line>", "phone": "<phone>", "plan": "<plan>", "status": "active", "roaming": false, "data_limit_gb": <limit>}"#,
)
.again("line")
.fails("line not found");
pub static USAGE: Tool = Tool::new(
    "get_data_usage",
    r#"{"customer_id": "<customer>", "line_id": "<line>"}"#,
    r#"{"line_id": "<line>", "used_gb": <used>, "limit_gb": <limit>}"#,
)
.again("line");
pub static BILLS: Tool = Tool::new(
    "list_bills",
    r#"{"customer_id": "<customer>"}"#,
    r#"[{"bill_id": "<bill>", "status": "overdue", "total": <amount>}, {"bill_id": "<other_bill>", "status": "paid", "total": 41}]"#,
);
pub static BILL: Tool = Tool::new(
    "get_bill_details",
    r#"{"bill_id": "<bill>"}"#,
    r#"{"bill_id": "<bill>", "due": "May 2", "total": <amount>, "status": "overdue"}"#,
)
.again("bill")
.fails("bill not found");
pub static NETWORK: Tool = Tool::new(
    "check_network_status",
    r#"{"area": "<zip>"}"#,
    r#"{"area": "<zip>", "outages": []}"#,
);
pub static ROAMING: Tool = Tool::new(
    "enable_roaming",
    r#"{"customer_id": "<customer>", "line_id": "<line>"}"#,
    r#"{"line_id": "<line>", "roaming": true}"#,
)
.fails("line does not belong to the customer");
pub static REFUEL: Tool = Tool::new(
    "refuel_data",
    r#"{"line_id": "<line>", "gigabytes": <refuel>}"#,
    r#"{"line_id": "<line>", "added_gb": <refuel>, "charged": <cost>}"#,
);
pub static REQUEST: Tool = Tool::new(
    "send_payment_request",
    r#"{"customer_id": "<customer>", "bill_id": "<bill>"}"#,
    r#"{"bill_id": "<bill>", "status": "awaiting payment"}"#,
)
.fails("another request is open");
pub static RESUME: Tool = Tool::new(
    "resume_line",
    r#"{"customer_id": "<customer>", "line_id": "<line>"}"#,
    r#"{"line_id": "<line>", "status": "active"}"#,
)
.fails("line has an unpaid bill");
pub static PROFILE: Tool = Tool::new(
    "reset_line_profile",
    r#"{"line_id": "<line>", "profile": "<profile>"}"#,
    r#"{"line_id": "<line>", "profile": "<profile>"}"#,
);
pub static TRANSFER: Tool = Tool::new(
    "transfer_to_human",
    r#"{"summary": "<first> <last> still has trouble with line <line>."}"#,
    r#"{"status": "transferred"}"#,
);

pub static IDENTIFY: Talk = Talk::new(
    &[
        "I can help with that. What phone number is it about?",
        "Sorry to hear that. Please give me the phone number of the line.",
        "Let's sort this out. Which number are you having trouble with?",
    ],
    &["It's <phone>.", "<phone>, in the name of <last>.", "My number is <phone>."],
);
pub static STATUS_BAR: Talk = Talk::new(
    &[
        "Could you look at the status bar of your phone and tell me what it shows?",
        "<ok> Please check the top of your screen: is there a signal?",
    ],
    &["It says <bar>.", "I see: <bar>.", "The bar shows <bar>. Is that bad?"],
)
.on_device("check_status_bar", r#"{"status_bar": "<bar>"}"#);
pub static AIRPLANE: Talk = Talk::new(
    &[
        "Airplane mode seems to be on. Please switch it off.",
        "Please turn airplane mode off and wait a few seconds.",
    ],
    &["Okay, it's off now.", "Done. There are two bars now.", "I switched it off."],
)
.on_device("toggle_airplane_mode", r#"{"airplane_mode": "off"}"#);
pub static RESEAT: Talk = Talk::new(
    &["Please take the SIM card out and put it back in.", "Next, could you reseat the SIM?"],
    &["That was fiddly, but it's back in.", "Done, SIM is in."],
)
.on_device("reseat_sim", r#"{"sim": "ready"}"#);
pub static PHONE_ROAMING: Talk = Talk::new(
    &[
        "Please switch on data roaming in your phone's settings too.",
        "On the phone itself, roaming must be on as well. Could you turn it on?",
    ],
    &["It's on.", "Okay, I found the switch.", "Done."],
)
.on_device("toggle_roaming", r#"{"data_roaming": "on"}"#);
pub static SPEED: Talk = Talk::new(
    &["Could you run a speed test and tell me the result?", "Please run a speed test now."],
    &["It says <speed>.", "The result is <speed>.", "<speed>. Is that good?"],
)
.on_device("run_speed_test", r#"{"result": "<speed>"}"#);
pub static SAVER: Talk = Talk::new(
    &[
        "Data saver slows things down. Please turn it off.",
        "Is data saver on? If so, switch it off please.",
    ],
    &["It was on. Off now.", "Switched it off."],
)
.on_device("toggle_data_saver", r#"{"data_saver": "off"}"#);
pub static MODE: Talk = Talk::new(
    &["Please set the preferred network to <mode>.", "In the network settings, choose <mode>."],
    &["Set to <mode>.", "Okay, it's <mode> now."],
)
.on_device("set_network_mode", r#"{"mode": "<mode>"}"#);
pub static REBOOT: Talk = Talk::new(
    &["Please restart the phone so that the new settings load.", "Now reboot the phone, please."],
    &["It's up again.", "Restarted."],
)
.on_device("reboot_phone", r#"{"rebooted": true}"#);
pub static PAY: Talk = Talk::new(
    &[
        "You should have a payment request for $<amount> now. Please accept it.",
        "I've sent the bill <bill> over $<amount> to your phone. Can you pay it?",
    ],
    &["Paid.", "I paid the $<amount>.", "Okay, that went through."],
)
.on_device("make_payment", r#"{"paid": <amount>}"#);
pub static OFFER_DATA: Talk = Talk::new(
    &[
        "You have used <used> of <limit> GB. I can add <refuel> GB for $<cost>. Would you like that?",
        "Your data is used up. <refuel> GB more cost $<cost>; shall I add them?",
    ],
    &["Yes, add <refuel> GB.", "Fine, yes."],
);
pub static BILL_TALK: Talk = Talk::new(
    &[
        "Line <line> was suspended because bill <bill> over $<amount> is overdue. Would you like to pay it now?",
    ],
    &["Oh. Yes, I'd like to pay.", "Yes, I forgot about that one."],
);
pub static ROAM_TALK: Talk = Talk::new(
    &[
        "Roaming is not enabled for line <line>. It's free on your plan; shall I enable it?",
        "I can turn on roaming for <phone>. Okay?",
    ],
    &["Yes please.", "Sure, turn it on."],
);
pub static WORKS: Talk = Talk::new(
    &[
        "That should do it for line <line>. Does it work now?",
        "Everything is set for <phone>. Can you try again?",
    ],
    &["Yes, it works now!", "It does. Finally.", "Looks good."],
)
.report();
pub static CLOSE: Talk = Talk::new(
    &[
        "Glad it works, <first>. Goodbye!",
        "You're welcome. Have a good day.",
        "Thank you for calling. Take care!",
    ],
    &[],
);
pub static ASIDES: &[Talk] = &[
    Talk::new(
        &["<ok> Have you restarted the phone since the problem began?"],
        &["No, not yet.", "I did, it didn't help."],
    ),
    Talk::new(
        &["Since when has it been like this?"],
        &["Since this morning.", "For two days or so."],
    ),
    Talk::new(
        &["Are you at home or travelling at the moment?"],
        &["I'm travelling.", "Not at home, no."],
    ),
    Talk::new(
        &[
            "<ok> Thanks for your patience, I'm checking the account.",
            "One moment, I'm looking at your account.",
        ],
        &["Alright.", "I'm here."],
    ),
    Talk::new(
        &["Is it the same with other apps?"],
        &["Yes, with all of them.", "Everything, yes."],
    ),
    Talk::new(
        &["Is there another phone nearby that works?"],
        &["My neighbour's works fine.", "I can't tell."],
    ),
];
