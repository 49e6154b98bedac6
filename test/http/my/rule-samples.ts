const BOUNTY = { gig_type: 'custom_bounty', url: '', how_to_earn: 'Draw a bird.' };
const LIST = { rule: 'manual', gig_type: 'other', url: '', how_to_earn: 'Whoever helped.' };
/** What is filled in for each rule, its sentence, and what the reward comes to. */
export const GIVEN: Readonly<
  Record<string, { fields: Record<string, string>; criteria: RegExp | null; sum: string | null }>
> = {
  fixed: {
    fields: { 'rule.fixed.amount': '0.02' },
    criteria: /^Each account that likes the cast gets 0\.02 ETH, first come, until the reward is used up; it needs/,
    sum: 'It pays 25 accounts.',
  },
  split: {
    fields: { 'rule.split.round_hours': '12', 'rule.split.max_amount': '0.01' },
    criteria:
      /^Every 12 hours the accounts that .* share a part of the reward equally, at most 0\.01 ETH each; each needs/,
    sum: 'It divides 0.035714285714285714 ETH in each of 14 rounds.',
  },
  weighted: {
    fields: { 'rule.weighted.by': 'score', 'gates.min_score': '0.8', hold_hours: '24' },
    criteria: /share a part of the reward by score, at most 0\.05 ETH each; each needs a score of at least 0\.8,/,
    sum: 'It divides 0.071428571428571428 ETH in each of 7 rounds.',
  },
  raffle: {
    fields: { 'rule.raffle.winners': '3', 'gates.verified_address': 'false', 'gates.spam_label': 'any' },
    criteria: /^After the end 3 of the accounts that like the cast are drawn and get 1\/3 each of what is left/,
    sum: 'Each winner gets 0.166666666666666666 ETH.',
  },
  verifier: {
    fields: BOUNTY,
    criteria: /^For each account that submits its work the verifier decides what it gets, at most 0\.5 ETH;/,
    sum: null,
  },
  hold: {
    fields: {
      gig_type: 'hold',
      url: '',
      'rule.hold.amount': '5',
      'rule.hold.hours': '24',
      'rule.hold.pays.type': 'raffle',
      'rule.hold.pays.winners': '2',
      // What was typed for another way of paying does not count.
      'rule.hold.pays.amount': '0.3',
    },
    criteria: /^After the end 2 of the accounts that enter and hold 5 \S+ for 24 hours are drawn and get 1\/2 each/,
    sum: 'Each winner gets 0.25 ETH.',
  },
  manual: { fields: LIST, criteria: null, sum: null },
};
