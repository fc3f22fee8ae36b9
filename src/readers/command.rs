//! Actions that are text: shell commands, alone or in a fenced block of a message.

use std::ops::Range;

use crate::model::ToolCall;

/// The name of a command that says nothing about itself.
const SHELL: &str = "bash";

/// Words before a command that set its variables or its rights.
fn is_prefix(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    let is_variable = name.is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    is_variable || word == "sudo"
}

/// What a command is called: the program of its first line that is no comment, without its path.
pub(super) fn name(command: &str) -> &str {
    let mut lines = command.lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
    let ends = |c: char| c.is_whitespace() || ";|&<>()".contains(c);
    let mut words = line.split(ends).filter(|word| !word.is_empty());
    let word = words.find(|word| !is_prefix(word)).unwrap_or_default();
    let program = word.rsplit('/').next().unwrap_or_default();
    if program.is_empty() { SHELL } else { program }
}

/// A command as the call of a tool.
pub(super) fn call(tool: &str, command: &str, id: Option<String>) -> ToolCall {
    let arguments = serde_json::json!({ "command": command });
    ToolCall { id: id.unwrap_or_default(), name: tool.to_owned(), arguments: arguments.to_string() }
}

/// The fenced blocks of a text whose language is one of these: the range of each with its fences, and
/// of what is inside.
pub(super) fn blocks(text: &str, languages: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    const FENCE: &str = "```";
    let mut blocks = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(FENCE).map(|at| from + at) {
        let head = start + FENCE.len();
        let Some(break_at) = text[head..].find('\n').map(|at| head + at) else { break };
        let Some(close) = text[break_at..].find("\n```").map(|at| break_at + at) else { break };
        let end = close + 1 + FENCE.len();
        if languages.contains(&text[head..break_at].trim()) {
            let inside = (break_at + 1).min(close)..close;
            blocks.push((start..end, inside));
        }
        from = end;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_called_after_its_program() {
        for (command, expected) in [
            ("edit 1:1\nprint()\nend_of_edit\n", "edit"),
            ("  open \"a.py\"", "open"),
            ("cd /x && python y.py", "cd"),
            ("# look first\n\nls -l | head", "ls"),
            ("LC_ALL=C sudo /usr/bin/python3 -c 'x=1'", "python3"),
            ("(ls;pwd)", "ls"),
            ("./run.sh", "run.sh"),
            ("submit", "submit"),
            ("", "bash"),
            ("# nothing", "bash"),
            ("/", "bash"),
        ] {
            assert_eq!(name(command), expected, "{command}");
        }
    }

    #[test]
    fn blocks_are_found_by_their_language() {
        let text = "Look:\n```bash\nls\n```\nand\n```python\nx\n```\n```bash\n```\n```bash\nno end";
        let found = blocks(text, &["bash"]);
        let parts: Vec<_> = found
            .iter()
            .map(|(whole, inside)| (&text[whole.clone()], &text[inside.clone()]))
            .collect();
        assert_eq!(parts, [("```bash\nls\n```", "ls"), ("```bash\n```", "")]);
        assert!(blocks("```bash", &["bash"]).is_empty());
    }
}
