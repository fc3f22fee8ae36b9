//! All draws of a task at once: the prefix tree of their actions. Draws that begin the same way
//! share a branch up to where they diverge.

use std::cmp::Reverse;
use std::ops::Range;

/// A draw with its actions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeDraw {
    /// Its number; 0 is the reference.
    pub draw: u32,
    /// Whether it solved the task.
    pub success: Option<bool>,
    /// The types of its actions, in order.
    pub actions: Vec<String>,
}

/// Draws that do the same up to the end of this branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The branch that it leaves; none of the first one.
    pub parent: Option<usize>,
    /// The branches that leave it, those of most draws first, then those of the first draw.
    pub children: Vec<usize>,
    /// Indices of its draws.
    pub draws: Vec<usize>,
    /// Which actions of its draws it consists of; none where draws end while others go on.
    pub actions: Range<usize>,
    /// How many of its draws solved the task.
    pub solved: usize,
    /// How many of its draws were graded.
    pub graded: usize,
}

impl Branch {
    /// The share of its graded draws that solved the task.
    pub fn share(&self) -> Option<f64> {
        (self.graded > 0).then(|| self.solved as f64 / self.graded as f64)
    }
}

/// The prefix tree of some draws. A chain of actions without a fork is one branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawTree {
    /// The draws.
    pub draws: Vec<TreeDraw>,
    /// The branches, each before those that leave it.
    pub branches: Vec<Branch>,
    /// Whether no draw is the reference.
    pub is_pooled: bool,
}

/// A line of the tree: a branch, or one action of an unfolded branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeLine {
    /// The branch.
    pub branch: usize,
    /// Which action of its draws; none for the line of the whole branch.
    pub action: Option<usize>,
    /// The lines that lead to it from the branches that it leaves.
    pub guides: String,
}

/// Two draws to compare, and the action at which they part, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreePair {
    /// The draws' numbers, the reference first.
    pub draws: [u32; 2],
    /// The first action that they do not share.
    pub action: usize,
}

impl DrawTree {
    /// Builds the tree.
    pub fn new(draws: Vec<TreeDraw>) -> Self {
        let mut tree = Self { branches: Vec::new(), draws, is_pooled: false };
        let all: Vec<usize> = (0..tree.draws.len()).collect();
        let mut left: Vec<(Option<usize>, Vec<usize>, usize)> = Vec::new();
        left.extend((!all.is_empty()).then_some((None, all, 0)));
        // The branch added last is built first, so that branches stand before those that leave them.
        while let Some((parent, draws, from)) = left.pop() {
            let end = tree.common_end(&draws, from);
            let index = tree.branches.len();
            let parts = tree.parted(&draws, end);
            let labels = || draws.iter().filter_map(|draw| tree.draws[*draw].success);
            let (graded, solved) = (labels().count(), labels().filter(|solved| *solved).count());
            let actions = from..end;
            let children = Vec::new();
            tree.branches.push(Branch { parent, children, draws, actions, solved, graded });
            if let Some(parent) = parent {
                tree.branches[parent].children.push(index);
            }
            left.extend(parts.into_iter().rev().map(|part| (Some(index), part, end)));
        }
        tree
    }

    /// How far some draws do the same, from an action on.
    fn common_end(&self, draws: &[usize], from: usize) -> usize {
        let first = &self.draws[draws[0]].actions;
        let same = |end: &usize| {
            let action = first.get(*end);
            let mut others = draws[1..].iter();
            action.is_some() && others.all(|other| self.draws[*other].actions.get(*end) == action)
        };
        (from..=first.len()).find(|end| !same(end)).unwrap_or(first.len())
    }

    /// The draws by what they do next, those of most draws first; none where all of them end.
    fn parted(&self, draws: &[usize], end: usize) -> Vec<Vec<usize>> {
        let mut parts: Vec<(Option<&String>, Vec<usize>)> = Vec::new();
        for draw in draws {
            let action = self.draws[*draw].actions.get(end);
            match parts.iter_mut().find(|(known, _)| *known == action) {
                Some((_, part)) => part.push(*draw),
                None => parts.push((action, vec![*draw])),
            }
        }
        if parts.iter().all(|(action, _)| action.is_none()) {
            return Vec::new();
        }
        let mut parts: Vec<Vec<usize>> = parts.into_iter().map(|(_, part)| part).collect();
        parts.sort_by_key(|part| (Reverse(part.len()), part[0]));
        parts
    }

    /// The names of a branch's actions.
    pub fn names(&self, branch: usize) -> &[String] {
        let Branch { draws, actions, .. } = &self.branches[branch];
        &self.draws[draws[0]].actions[actions.clone()]
    }

    /// How many different ways there are from beginning to end.
    pub fn ways(&self) -> usize {
        self.branches.iter().filter(|branch| branch.children.is_empty()).count()
    }

    /// The lines of the tree, with the actions of some branches one by one.
    pub fn lines(&self, is_unfolded: impl Fn(usize) -> bool) -> Vec<TreeLine> {
        let mut lines = Vec::new();
        // What stands before the lines of the branches that leave a branch.
        let mut before: Vec<String> = Vec::with_capacity(self.branches.len());
        for (index, branch) in self.branches.iter().enumerate() {
            let (guides, below) = match branch.parent {
                None => (String::new(), String::new()),
                Some(parent) => {
                    let is_last = self.branches[parent].children.last() == Some(&index);
                    let (mark, bar) = if is_last { ("└ ", "  ") } else { ("├ ", "│ ") };
                    (format!("{}{mark}", before[parent]), format!("{}{bar}", before[parent]))
                }
            };
            lines.push(TreeLine { branch: index, action: None, guides });
            if is_unfolded(index) && branch.actions.len() > 1 {
                let bar = if branch.children.is_empty() { "  " } else { "│ " };
                let guides = format!("{below}{bar}");
                let line = |action| TreeLine {
                    branch: index,
                    action: Some(action),
                    guides: guides.clone(),
                };
                lines.extend(branch.actions.clone().map(line));
            }
            before.push(below);
        }
        lines
    }

    /// A run of a branch and one of another: of the one given, else of the largest other branch that
    /// leaves the same one. None where there is no other.
    pub fn pair(&self, branch: usize, other: Option<usize>) -> Option<TreePair> {
        let other = other.filter(|other| *other != branch);
        let sibling = || {
            let siblings = &self.branches[self.branches[branch].parent?].children;
            siblings.iter().copied().find(|sibling| *sibling != branch)
        };
        let other = other.or_else(sibling)?;
        let [here, there] = [branch, other].map(|branch| &self.branches[branch].draws);
        // One branch may lead to the other: then a run that leaves before it is shown.
        let first =
            |of: &[usize], but: &[usize]| of.iter().copied().find(|draw| !but.contains(draw));
        let this = first(here, there).or(here.first().copied())?;
        let that = first(there, here).or_else(|| first(there, &[this]))?;
        let [a, b] = [this, that].map(|draw| &self.draws[draw].actions);
        let action = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let (this, that) = (self.draws[this].draw, self.draws[that].draw);
        let draws = if this == 0 { [this, that] } else { [that, this] };
        Some(TreePair { draws, action })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn draws(runs: &[&str]) -> Vec<TreeDraw> {
        let draw = |(index, run): (usize, &&str)| TreeDraw {
            draw: index as u32,
            success: match run.chars().last() {
                Some('+') => Some(true),
                Some('-') => Some(false),
                _ => None,
            },
            actions: run.trim_end_matches(['+', '-']).chars().map(String::from).collect(),
        };
        runs.iter().enumerate().map(draw).collect()
    }

    fn shown(runs: &[&str]) -> Vec<String> {
        let tree = DrawTree::new(draws(runs));
        let line = |line: &TreeLine| {
            let branch = &tree.branches[line.branch];
            let (names, draws) = (tree.names(line.branch).concat(), branch.draws.len());
            format!("{}{names} {draws} {}/{}", line.guides, branch.solved, branch.graded)
        };
        tree.lines(|_| false).iter().map(line).collect()
    }

    #[test]
    fn equal_beginnings_share_a_branch() {
        assert_eq!(
            shown(&["abcd+", "abxy-", "abxz", "ab-", "abxy+"]),
            ["ab 5 2/4", "├ x 3 1/2", "│ ├ y 2 1/2", "│ └ z 1 0/0", "├ cd 1 1/1", "└  1 0/1"]
        );
        assert_eq!(shown(&["abc+"]), ["abc 1 1/1"]);
        assert_eq!(shown(&["", ""]), [" 2 0/0"], "runs without actions");
        assert_eq!(shown(&["a", "b", ""]), [" 3 0/0", "├ a 1 0/0", "├ b 1 0/0", "└  1 0/0"]);
        assert_eq!(shown(&[]), [""; 0]);
    }

    #[test]
    fn unfolded_branches_list_their_actions() {
        let tree = DrawTree::new(draws(&["abcd", "abxy"]));
        let lines = tree.lines(|branch| branch < 2);
        let shown: Vec<(String, Option<usize>)> =
            lines.into_iter().map(|line| (line.guides, line.action)).collect();
        let line = |guides: &str, action| (guides.to_owned(), action);
        assert_eq!(
            shown,
            [
                line("", None),
                line("│ ", Some(0)),
                line("│ ", Some(1)),
                line("├ ", None),
                line("│   ", Some(2)),
                line("│   ", Some(3)),
                line("└ ", None)
            ]
        );
    }

    #[test]
    fn a_branch_is_compared_with_the_largest_beside_it() {
        let tree = DrawTree::new(draws(&["abcd", "abxy", "abxz", "abx"]));
        // ab › x (1, 2, 3) › y, z, end; ab › cd (0)
        let pair = |draws, action| Some(TreePair { draws, action });
        assert_eq!(tree.pair(0, None), None, "nothing is beside the first");
        assert_eq!(tree.pair(1, None), pair([0, 1], 2), "the reference first");
        assert_eq!(tree.pair(2, None), pair([2, 1], 3));
        assert_eq!(tree.pair(3, None), pair([1, 2], 3));
        assert_eq!(tree.pair(4, Some(5)), pair([0, 3], 2), "the marked one");
        assert_eq!(tree.pair(2, Some(1)), pair([2, 1], 3), "one that leaves the marked branch");
        assert_eq!(tree.pair(1, Some(2)), pair([1, 2], 3));
        assert_eq!(DrawTree::new(draws(&["a"])).pair(0, Some(0)), None);
    }

    #[test]
    fn every_draw_is_the_way_from_the_beginning_to_its_end() {
        let mut rng = Rng::new(3, 0);
        for _ in 0..100 {
            let runs: Vec<TreeDraw> = (0..rng.below(12))
                .map(|draw| TreeDraw {
                    draw: draw as u32,
                    success: [None, Some(true), Some(false)][rng.below(3)],
                    actions: (0..rng.below(8)).map(|_| ["a", "b"][rng.below(2)].into()).collect(),
                })
                .collect();
            let tree = DrawTree::new(runs.clone());
            let mut found = 0;
            for (index, branch) in tree.branches.iter().enumerate() {
                assert!(branch.parent.is_none_or(|parent| parent < index));
                assert_ne!(branch.children.len(), 1, "a chain is one branch");
                if !branch.children.is_empty() {
                    continue;
                }
                let mut names: Vec<String> = Vec::new();
                let mut at = Some(index);
                while let Some(branch) = at {
                    names.splice(0..0, tree.names(branch).iter().cloned());
                    at = tree.branches[branch].parent;
                }
                found += branch.draws.len();
                assert!(branch.draws.iter().all(|draw| runs[*draw].actions == names));
            }
            assert_eq!(found, runs.len());
        }
    }
}
