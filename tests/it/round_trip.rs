//! Every model survives the way into a store and back.

use proptest::prelude::*;
use qualm::model::{
    Cell, Head, Message, MessageTokens, Outcome, Role, Span, TokenSeq, ToolCall, Trajectory,
};
use qualm::store::{Extras, Manifest, Store, StoreWriter};

use crate::support::{assert_whole, home};

fn words() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "\\PC{0,12}", Just("\u{1b}]0;x\u{7}\u{202e}\0".to_owned())]
}

prop_compose! {
    fn call()(id in "[a-z0-9]{0,4}", name in "[a-z_]{1,8}", key in words()) -> ToolCall {
        let arguments = serde_json::json!({ key: 1 }).to_string();
        ToolCall { id, name, arguments }
    }
}

prop_compose! {
    fn message()(
        role in prop::sample::select(vec![Role::System, Role::User, Role::Assistant, Role::Tool]),
        content in prop::option::of(words()),
        reasoning in prop::option::of(words()),
        tool_calls in prop::collection::vec(call(), 0..3),
        tool_call_id in prop::option::of("[a-z]{1,3}"),
        flags in any::<[bool; 3]>(),
    ) -> Message {
        let calls = matches!(role, Role::User | Role::Assistant);
        Message {
            role,
            content,
            reasoning,
            tool_calls: if calls { tool_calls } else { Vec::new() },
            tool_call_id,
            error: flags[0],
            scripted: role == Role::Assistant && flags[1],
            for_user: flags[2],
        }
    }
}

prop_compose! {
    fn tokens()(rows in prop::collection::vec((words(), -9.0..=0.0f64, 0..4u8, prop::collection::vec((words(), -9.0..=0.0f64), 0..6)), 0..8)) -> TokenSeq {
        let mut tokens = TokenSeq::default();
        for (text, logprob, span, tops) in rows {
            tokens.push(&text, logprob, Span::from_code(span).expect("a code"));
            for (text, logprob) in tops {
                tokens.push_alternative(&text, logprob);
            }
        }
        tokens
    }
}

prop_compose! {
    fn trajectory()(
        names in (words(), words(), words(), words()),
        messages in prop::collection::vec((message(), prop::option::of(tokens())), 0..7),
        reward in prop::option::of(prop_oneof![Just(1.0), Just(0.0), -1.0..2.0f64]),
        db_match in any::<Option<bool>>(),
        numbers in any::<(Option<u32>, Option<i64>, u32)>(),
        termination in prop::option::of(words()),
    ) -> Trajectory {
        let (dataset, model, condition, task) = names;
        let mut head = Head::new(Cell { dataset, model, condition }, task);
        head.outcome = Outcome { db_match, ..Outcome::from_reward(reward) };
        head.termination = termination;
        head.prompt_tokens = numbers.0.map(u64::from);
        head.origin.trial = numbers.1;
        head.origin.repeat = numbers.2;
        head.cost = reward;
        let (messages, mut tokens): (Vec<_>, Vec<_>) = messages.into_iter().unzip();
        let mut run = Trajectory::new(head, messages, |index| tokens[index].take());
        let of_user = (0..).zip(&run.messages).zip(tokens).filter_map(|((message, said), tokens)| {
            let tokens = tokens.filter(|_| said.role == Role::User)?;
            Some(MessageTokens { message, tokens })
        });
        run.user_tokens = of_user.collect();
        run
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn trajectories_are_read_as_written(runs in prop::collection::vec(trajectory(), 0..6)) {
        let home = home();
        let path = home.path().join("s.qualm");
        let mut writer = StoreWriter::create(&path).expect("free");
        for run in &runs {
            writer.push(run.clone()).expect("pushed");
        }
        writer.flush().expect("flushed");
        // Distinct draws, like those of an import.
        for (draw, entry) in (0..).zip(writer.entries_mut()) {
            entry.head.draw = draw;
        }
        writer.finish(Manifest::new(), &Extras::default()).expect("written");

        let store = Store::open(&path).expect("open");
        let mut entries = store.entries().expect("entries");
        entries.sort_by_key(|entry| entry.id);
        prop_assert_eq!(entries.len(), runs.len());
        let together = store.trajectories(&entries).expect("runs");
        for ((entry, expected), read) in entries.iter().zip(&runs).zip(together) {
            let mut expected = expected.clone();
            expected.head.draw = entry.head.draw;
            prop_assert_eq!(&entry.head, &expected.head);
            prop_assert_eq!(&read, &expected);
            prop_assert_eq!(store.trajectory(entry).expect("one run"), expected);
        }
    }
}

/// Reads runs of different lengths from several row groups, one by one and out of order.
#[test]
fn runs_are_found_across_row_groups() {
    let home = home();
    let path = home.path().join("s.qualm");
    let run = |number: usize| {
        let mut head = Head::new(Cell::new("d", "m"), number.to_string());
        head.origin.source = "f".to_owned();
        let messages =
            (0..number % 7).map(|at| Message::text(Role::Assistant, format!("{number}.{at}")));
        Trajectory::new(head, messages.collect(), |index| {
            number.is_multiple_of(3).then(|| {
                let mut tokens = TokenSeq::default();
                tokens.push(&format!("{number}.{index}"), -0.5, Span::Action);
                tokens
            })
        })
    };
    let mut writer = StoreWriter::create(&path).expect("free");
    (0..450).for_each(|number| writer.push(run(number)).expect("pushed"));
    let manifest = writer.finish(Manifest::new(), &Extras::default()).expect("written");
    assert_eq!(manifest.cells[0].trajectories, 450);
    let store = Store::open(&path).expect("open");
    let entries = store.entries().expect("entries");
    for number in [449, 0, 100, 99, 201, 3, 350] {
        let entry =
            entries.iter().find(|entry| entry.head.task == number.to_string()).expect("there");
        assert_eq!(store.trajectory(entry).expect("read"), run(number), "{number}");
    }
    assert_whole(&path);
}

/// pandas cannot read lists of strings that an Arrow schema calls views.
#[test]
fn tables_have_no_arrow_schema() {
    let fixture = crate::support::imported(&["tau2-logprobs-v0.json"]);
    let tables = std::fs::read_dir(fixture.path()).expect("a folder").flatten();
    let tables = tables
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "parquet"));
    for table in tables {
        let bytes = std::fs::read(table.path()).expect("read");
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{table:?}");
        assert!(!bytes.windows(12).any(|window| window == b"ARROW:schema"), "{table:?}");
    }
}
