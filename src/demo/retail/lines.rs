//! The tools of the shop, and what is said there.

use crate::demo::script::{Talk, Tool};

pub static BY_EMAIL: Tool =
    Tool::new("find_user_by_email", r#"{"email": "<email>"}"#, r#"{"user_id": "<user>"}"#)
        .fails("no account with this email");
pub static BY_NAME: Tool = Tool::new(
    "find_user_by_name_zip",
    r#"{"first": "<first>", "last": "<last>", "zip": "<zip>"}"#,
    r#"{"user_id": "<user>"}"#,
)
.fails("no account with this name and zip");
pub static USER: Tool = Tool::new(
    "get_user_details",
    r#"{"user_id": "<user>"}"#,
    r#"{"user_id": "<user>", "name": "<first> <last>", "zip": "<zip>", "orders": ["<order>", "<other_order>"], "payment_methods": ["<payment>", "<other_payment>"]}"#,
);
pub static ORDER: Tool = Tool::new(
    "get_order_details",
    r#"{"order_id": "<order>"}"#,
    r#"{"order_id": "<order>", "items": [{"item_id": "<item>", "name": "<product>", "option": "<option>", "price": <price>}, {"item_id": "<other_item>", "name": "<other_product>", "price": 24}], "address": "<street>", "payment": "<payment>"}"#,
)
.again("order")
.fails("order not found, ids start with #");
pub static PRODUCT: Tool = Tool::new(
    "get_product_details",
    r#"{"product": "<product>"}"#,
    r#"{"product": "<product>", "variants": [{"item_id": "<item>", "option": "<option>", "price": <price>}, {"item_id": "<new_item>", "option": "<new_option>", "price": <new_price>, "available": true}]}"#,
)
.again("product");
pub static TYPES: Tool = Tool::new(
    "list_product_types",
    "{}",
    r#"["<product>", "<other_product>", "umbrella", "wall clock", "yoga mat"]"#,
);
pub static CALCULATE: Tool = Tool::new(
    "calculate",
    r#"{"expression": "<new_price> - <price>"}"#,
    r#"{"result": <difference>}"#,
);
pub static CANCEL: Tool = Tool::new(
    "cancel_pending_order",
    r#"{"order_id": "<order>", "reason": "<reason>"}"#,
    r#"{"order_id": "<order>", "status": "cancelled"}"#,
)
.fails("order is no longer pending");
pub static ITEMS: Tool = Tool::new(
    "modify_pending_order_items",
    r#"{"order_id": "<order>", "item_ids": ["<item>"], "new_item_ids": ["<new_item>"], "payment_method": "<payment>"}"#,
    r#"{"order_id": "<order>", "items": ["<new_item>"], "charged": <difference>}"#,
)
.fails("payment method not found");
pub static ADDRESS: Tool = Tool::new(
    "modify_pending_order_address",
    r#"{"order_id": "<order>", "street": "<new_street>", "zip": "<zip>"}"#,
    r#"{"order_id": "<order>", "address": "<new_street>"}"#,
);
pub static PAYMENT: Tool = Tool::new(
    "modify_pending_order_payment",
    r#"{"order_id": "<order>", "payment_method": "<other_payment>"}"#,
    r#"{"order_id": "<order>", "payment": "<other_payment>"}"#,
);
pub static RETURN: Tool = Tool::new(
    "return_delivered_items",
    r#"{"order_id": "<order>", "item_ids": ["<item>"], "payment_method": "<payment>"}"#,
    r#"{"order_id": "<order>", "returned": ["<item>"], "refund": <price>}"#,
)
.fails("item is not part of the order");
pub static EXCHANGE: Tool = Tool::new(
    "exchange_delivered_items",
    r#"{"order_id": "<order>", "item_ids": ["<item>"], "new_item_ids": ["<new_item>"], "payment_method": "<payment>"}"#,
    r#"{"order_id": "<order>", "status": "exchange requested", "charged": <difference>}"#,
)
.fails("new item is not available");
pub static TRANSFER: Tool = Tool::new(
    "transfer_to_human",
    r#"{"summary": "<first> <last> needs help with order <order>."}"#,
    r#"{"status": "transferred"}"#,
);

pub static IDENTIFY: Talk = Talk::new(
    &[
        "I'd be glad to help. Please tell me the email of your account, or your name and zip code.",
        "Sure. To find your account, what is your email address?",
        "First I have to verify who you are. Which email did you order with?",
    ],
    &[
        "It's <email>.",
        "<email>, or <first> <last>, zip <zip>.",
        "I'm <first> <last> in <zip>, mail <email>.",
    ],
);
pub static CONFIRM_RETURN: Talk = Talk::new(
    &[
        "You would return the <product> (<option>) of order <order> and get $<price> back to <payment>. Is that right?",
        "The <product> in <order> can go back. The refund of $<price> goes to <payment>. Do you confirm?",
    ],
    &["Yes, that's right.", "Yes, just the <product>.", "I confirm."],
);
pub static RETURNED: Talk = Talk::new(
    &[
        "The return of the <product> is registered; you'll get a label at <email>.",
        "Done. Send the <product> back within 14 days and $<price> is refunded to <payment>.",
    ],
    &["Thank you.", "Good, I have nothing else.", "Alright."],
)
.report();
pub static RETURNED_MORE: Talk = Talk::new(
    &["The <product> can be sent back now; the label is in your mail. Anything else?"],
    &[
        "Yes, ship order <order> to <new_street> if anything of it is still to come.",
        "One more thing: my address is <new_street> now, please put that on the order.",
    ],
);
pub static CONFIRM_EXCHANGE: Talk = Talk::new(
    &[
        "I can exchange the <product> (<option>) for <new_option>, item <new_item>, for $<difference> more on <payment>. Shall I?",
        "The <new_option> version is in stock. The difference is $<difference>, charged to <payment>. Do you agree?",
    ],
    &["Yes, go ahead.", "Yes, <new_option> please.", "Agreed."],
);
pub static EXCHANGED: Talk = Talk::new(
    &[
        "The exchange for <new_option> is requested; the new <product> ships when yours is back.",
        "All done: <product> in <new_option>, $<difference> on <payment>.",
    ],
    &["Great.", "Thanks, that's it.", "Finally."],
)
.report();
pub static CONFIRM_CANCEL: Talk = Talk::new(
    &[
        "Order <order> is still pending. I'd cancel it because it was <reason>, and refund $<price>. OK?",
        "Do you want order <order> with the <product> cancelled entirely?",
    ],
    &["Yes please.", "Yes, it was <reason>.", "Right."],
);
pub static CANCELLED: Talk = Talk::new(
    &[
        "Order <order> is cancelled and $<price> will be refunded.",
        "I've cancelled <order>. The money is back in about a week.",
    ],
    &["Perfect, thanks.", "Okay."],
)
.report();
pub static CONFIRM_ADDRESS: Talk = Talk::new(
    &[
        "So order <order> should go to <new_street>, zip <zip>. Correct?",
        "I'll change the delivery of <order> from <street> to <new_street>. Yes?",
    ],
    &["Correct.", "Yes, <new_street>."],
);
pub static MOVED: Talk = Talk::new(
    &["The address of <order> is now <new_street>.", "Updated: <order> ships to <new_street>."],
    &["Thanks a lot.", "That's everything."],
)
.report();
pub static CONFIRM_ITEMS: Talk = Talk::new(
    &[
        "Changing the <product> in <order> from <option> to <new_option> costs $<difference>. This can be done once only. Shall I?",
    ],
    &["Yes.", "Yes, change it to <new_option>.", "Do it, on <payment>."],
);
pub static MODIFIED: Talk = Talk::new(
    &[
        "Your order <order> now has the <product> in <new_option>.",
        "Changed. $<difference> was charged to <payment>.",
    ],
    &["Lovely, thanks.", "Good."],
)
.report();
pub static CONFIRM_PAYMENT: Talk = Talk::new(
    &["I'll move the payment of <order> from <payment> to <other_payment>. Do you agree?"],
    &["Yes, that card.", "Yes, use <other_payment>."],
);
pub static PAID: Talk = Talk::new(
    &["Order <order> is now paid with <other_payment>."],
    &["Thanks.", "Great, that's all."],
)
.report();
pub static CLOSE: Talk = Talk::new(
    &[
        "You're welcome, <first>. Have a nice day!",
        "Glad to help. Thank you for shopping with us.",
        "Thanks for reaching out. Take care!",
    ],
    &[],
);
pub static ASIDES: &[Talk] = &[
    Talk::new(
        &["<ok> Which of your orders is it about?", "Could you tell me the order number, please?"],
        &["It's <order>.", "<order>, I think. The one with the <product>."],
    ),
    Talk::new(
        &["Is the <product> still in its original packing?"],
        &["Yes, it is.", "Yes, I only opened it."],
    ),
    Talk::new(
        &["<ok> I see the <product>. Are there other items you want to change?"],
        &["No, only that.", "Just the <product>."],
    ),
    Talk::new(
        &["Which payment method would you like me to use, <payment> or <other_payment>?"],
        &["As before, please.", "You choose what fits.", "Whatever I told you."],
    ),
    Talk::new(
        &["Do you still live at <street>?"],
        &["That's what the account says, yes.", "As far as this order goes, yes."],
    ),
    Talk::new(
        &[
            "<ok> Give me a second, the order is loading.",
            "I'm checking the order, one moment please.",
        ],
        &["No problem.", "Okay."],
    ),
];
