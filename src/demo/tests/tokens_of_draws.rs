//! The tokens of references and samples.

use super::*;

#[test]
fn every_token_has_five_alternatives_and_a_greedy_one_is_the_likeliest() {
    for run in make(Some(10)).iter().flat_map(|cell| &cell.trajectories) {
        for turn in &run.turns {
            let tokens = turn.tokens.as_ref().expect("all turns have tokens");
            let message = &run.messages[turn.message as usize];
            assert_eq!(tokens.text(), tokens::turn_text(message));
            for index in 0..tokens.len() {
                let token = tokens.get(index);
                let top: Vec<_> = tokens.alternatives(index).collect();
                let rank = top.iter().position(|other| other.text == token.text);
                let rank = rank.expect("recorded");
                assert!(rank == 0 || run.head.draw > 0, "{top:?}");
                assert_eq!((top.len(), top[rank].logprob), (5, token.logprob), "{top:?}");
                assert!(top.is_sorted_by(|one, next| one.logprob >= next.logprob), "{top:?}");
                let same = top.iter().filter(|other| other.text == token.text).count();
                assert_eq!(same, 1, "{top:?}");
                assert!(top.iter().map(|other| other.logprob.exp()).sum::<f64>() < 1.0 + 1e-6);
            }
        }
    }
}

#[test]
fn samples_are_about_as_sure_as_their_reference() {
    let lnsp = |run: &Trajectory| -> f64 {
        let tokens = run.turns.iter().filter_map(|turn| turn.tokens.as_ref());
        let scores = tokens.filter_map(|tokens| turn_scores(tokens, Spans::Action));
        Aggregator::Mean
            .apply(&scores.map(|scores| scores.lnsp).collect::<Vec<_>>())
            .expect("turns")
    };
    for cell in make(Some(10)) {
        let mut below = 0.0;
        for runs in cell.trajectories.chunks(DRAWS) {
            for sample in &runs[1..] {
                let difference = lnsp(&runs[0]) - lnsp(sample);
                assert!(difference.abs() < 0.1, "{} {difference}", sample.head.task);
                below += difference / (cell.tasks.len() * plan::SAMPLES) as f64;
            }
        }
        assert!((0.0..0.03).contains(&below), "{} {below}", cell.cell);
    }
}
