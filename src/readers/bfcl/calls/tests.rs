//! Expected values are those of Python: `ast.parse(text, mode="eval")`, `ast.literal_eval` of every
//! argument and `json.dumps(value, separators=(",", ":"), ensure_ascii=False)`.

use proptest::prelude::*;

use super::*;

/// The calls of a text, written `name{"argument":value}`.
fn written(text: &str) -> Option<Vec<String>> {
    let calls = calls(text)?.into_iter();
    Some(calls.map(|call| format!("{}{}", call.name, call.arguments)).collect())
}

fn one(text: &str) -> String {
    written(text).unwrap_or_else(|| panic!("no call: {text}")).join(" ")
}

#[test]
fn calls_stand_in_a_list_or_alone() {
    let two = ["a{}".to_owned(), "b.c{\"x\":1}".to_owned()];
    for text in [
        "[a(), b.c(x=1)]",
        "a(), b.c(x=1)",
        "```\n[a( ),\n b . c( x = 1 ,),]\n```",
        "[a(),b.c(x=1)",
    ] {
        assert_eq!(written(text).as_deref(), Some(&two[..]), "{text}");
    }
}

#[test]
fn what_is_no_call_is_none() {
    for text in [
        "",
        "[]",
        "``",
        "No function matches.",
        "[cat]",
        "[cat, sort]",
        "[ls]()",
        "[a()], [b()]",
        "[a()]\n[b()]",
        "f(x=1, x=2)",
        "f(x=1, 2)",
        "f(x=",
        "f(x=1",
        "f(a b)",
        "f(*a)",
        "f(x==1)",
        "f(x='a)",
        "f(x='a\nb')",
        "f(x=007)",
        "f(x=1__0)",
        "f(x={1: 2, 3})",
        "f(x=lambda: 1)",
        "f() and more",
    ] {
        assert_eq!(written(text), None, "{text}");
    }
}

#[test]
fn literals_become_json() {
    assert_eq!(one("f('a', 2, b=True)"), r#"f{"0":"a","1":2,"b":true}"#);
    assert_eq!(
        one(r#"f(a=[1, -2.5, +3, 1_000], b={"k": None, 'l': (1, 2), 3: False}, c={1, 2})"#),
        r#"f{"a":[1,-2.5,3,1000],"b":{"k":null,"l":[1,2],"3":false},"c":[1,2]}"#
    );
    assert_eq!(
        one("f(a=0x1F, b=.5, c=5., d=1e3, e=1E-5, g=(1), h=(1,), i=(), j={})"),
        r#"f{"a":31,"b":0.5,"c":5.0,"d":1e3,"e":1E-5,"g":1,"h":[1],"i":[],"j":{}}"#
    );
    assert_eq!(one("f(a=1e999, b=00)"), r#"f{"a":"1e999","b":0}"#);
}

#[test]
fn strings_are_read_as_python_does() {
    assert_eq!(one(r#"f(a='it\'s', b="a\tb\\", c='\x41\u00e9\101')"#), {
        r#"f{"a":"it's","b":"a\tb\\","c":"AéA"}"#
    });
    assert_eq!(one("f(a='x' \"y\", b=r'\\n', c='\\q', d='''a\n'b''')"), {
        r#"f{"a":"xy","b":"\\n","c":"\\q","d":"a\n'b"}"#
    });
    assert_eq!(one("f(a='a\\\nb', b='\\ud800', c=u'ü')"), r#"f{"a":"ab","b":"�","c":"ü"}"#);
    assert_eq!(one("f(a=\"f(x=1), g()\")"), r#"f{"a":"f(x=1), g()"}"#);
}

#[test]
fn expressions_are_kept_as_text() {
    assert_eq!(one("f(a=2 * (3+x), b=g(y=1)[0].z, c=name, d=-x)"), {
        r#"f{"a":"2 * (3+x)","b":"g(y=1)[0].z","c":"name","d":"-x"}"#
    });
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| format!("f(a={}{})", "[".repeat(depth), "]".repeat(depth));
    assert!(calls(&nested(60)).is_some());
    for text in [nested(100_000), format!("f(a={}1", "-".repeat(100_000))] {
        assert!(calls(&text).is_none());
    }
    assert!(calls(&format!("f{}", "(f".repeat(100_000))).is_none());
}

proptest! {
    #[test]
    fn no_text_panics_and_arguments_are_json(text in "[\\[\\](){}'\"a-c0-9.,=:+*_\\\\ \nrbfxuU`é-]{0,60}") {
        for call in calls(&text).unwrap_or_default() {
            let arguments: Result<serde_json::Value, _> = serde_json::from_str(&call.arguments);
            prop_assert!(arguments.is_ok_and(|value| value.is_object()), "{}", call.arguments);
        }
    }

    #[test]
    fn any_text_comes_back_from_a_string(text in any::<String>()) {
        let quoted = serde_json::Value::from(text.as_str()).to_string();
        // JSON writes characters beyond ASCII as they are, and its other escapes are Python's.
        let call = calls(&format!("f(a={quoted})")).expect("a call").remove(0);
        let value: serde_json::Value = serde_json::from_str(&call.arguments).expect("JSON");
        prop_assert_eq!(value["a"].as_str(), Some(text.as_str()));
    }
}
