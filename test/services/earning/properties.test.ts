import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomRuns } from '../../support/extent.ts';
import { DAY } from './gigs.ts';
import {
  bountyHistory,
  type History,
  history,
  type Lived,
  liveThrough,
  raffleHistory,
  roundsHistory,
} from './history.ts';

const RUNS = Number(process.env['EARNING_RUNS'] ?? randomRuns(25));

const LONG = { timeout: 1_800_000 };

/** Checks what holds of every gig: it is over, each account is paid what it earned, once, and the sums add up. */
function checkBooks({ accounts, awarded, reserved, earned, watch, undone, lost }: Lived): void {
  expect(watch?.overAt).not.toBeNull();
  expect(reserved).toBe(0n);
  expect(awarded).toBeLessThanOrEqual(100n);
  let sum = 0n;
  for (const { id, tips, earning, observations } of accounts) {
    expect(earning === null).toBe(observations.length === 0);
    expect(['awarded', 'refused', undefined]).toContain(earning?.state);
    // Nobody who did not take an act back is told so.
    if (!undone.has(id)) expect(earning?.reason).not.toBe('withdrawn');
    if (!lost.has(id)) expect(earning?.reason).not.toBe('account_gone');
    const own = tips.filter((tip) => tip.id === earning?.tipId);
    expect(own.map(({ amount }) => amount)).toEqual(earning?.state === 'awarded' ? [earning.amount] : []);
    sum += earning?.amount ?? 0n;
  }
  expect(earned).toBe(sum);
  expect(accounts.flatMap(({ tips }) => tips).reduce((total, { amount }) => total + amount, 0n)).toBe(awarded);
}

/** Lives through histories, checks the books after each, and what holds besides. */
async function always<H extends History>(
  histories: fc.Arbitrary<H>,
  check: (outcome: Lived, lived: H) => void,
): Promise<void> {
  const lives = fc.asyncProperty(histories, async (lived) => {
    const outcome = await liveThrough(lived);
    checkBooks(outcome);
    check(outcome, lived);
  });
  await fc.assert(lives, { numRuns: RUNS });
}

test(
  'security: whatever happens to a gig, it pays each account once, never more than its reward, and ends',
  LONG,
  async () => {
    await always(history, ({ accounts, awarded }, lived) => {
      for (const { earning } of accounts) expect([null, lived.rule.amount]).toContain(earning?.amount ?? null);
      // Only a reward that is used up leaves somebody without.
      const isUsedUp = accounts.some(({ earning }) => earning?.reason === 'reward_used_up');
      if (isUsedUp) expect(100n - awarded).toBeLessThan(lived.rule.amount);
    });
  },
);

test(
  'security: whatever happens to a gig with rounds, it divides each once, pays each account once, and ends',
  LONG,
  async () => {
    await always(roundsHistory, ({ accounts, last }, lived) => {
      expect(last).toMatchObject({ number: Math.ceil(DAY / lived.rule.roundMs), state: 'over', reserved: 0n });
      for (const { earning } of accounts) expect(earning?.amount ?? 0n).toBeLessThanOrEqual(lived.rule.maxAmount);
    });
  },
);

test(
  'security: whatever happens to a bounty, it pays each account once, never more than its most, and ends',
  LONG,
  async () => {
    await always(bountyHistory, ({ accounts, open, asked }, lived) => {
      expect(open).toBeNull();
      for (const { id, earning } of accounts) {
        // Only who is asked about is decided about.
        if (!asked.has(id)) expect(['awarded', 'verifier_refused']).not.toContain(earning?.reason ?? earning?.state);
        expect(earning?.amount ?? 0n).toBeLessThanOrEqual(lived.rule.maxAmount);
      }
    });
  },
);

test(
  'security: whatever happens to a raffle, it is drawn once among all who are eligible, and ends',
  LONG,
  async () => {
    await always(raffleHistory, ({ accounts, last, draw }, lived) => {
      expect(draw).toMatchObject({ state: 'drawn' });
      const { winners } = lived.rule;
      expect(last).toMatchObject({ number: 1, state: 'over', total: BigInt(winners) });
      const earnings = accounts.flatMap(({ earning }) => (earning === null ? [] : [earning]));
      const drawn = earnings.filter(({ state, reason }) => state === 'awarded' || reason === 'share_too_small');
      const others = earnings.filter(({ reason }) => reason === 'not_drawn');
      expect(draw?.fixed?.entrants).toBe(drawn.length + others.length);
      expect(drawn).toHaveLength(Math.min(winners, drawn.length + others.length));
      const prize = (last?.pool ?? 0n) / BigInt(winners);
      for (const { amount } of drawn) expect(amount).toBe(prize === 0n ? null : prize);
    });
  },
);
