import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY } from './gigs.ts';
import { bountyHistory, history, liveThrough, raffleHistory, roundsHistory } from './history.ts';

const RUNS = Number(process.env['EARNING_RUNS'] ?? 25);

test('security: whatever happens to a gig, it pays each account once, never more than its reward, and ends', {
  timeout: 1_800_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (lived) => {
      const { accounts, awarded, earned, watch, undone, lost } = await liveThrough(lived);
      expect(watch?.overAt).not.toBeNull();
      expect(awarded).toBeLessThanOrEqual(100n);
      let sum = 0n;
      for (const { id, tips, earning, observations } of accounts) {
        expect(earning === null).toBe(observations.length === 0);
        expect(['awarded', 'refused', undefined]).toContain(earning?.state);
        // Nobody who did not take an act back is told so.
        if (!undone.has(id)) expect(earning?.reason).not.toBe('withdrawn');
        if (!lost.has(id)) expect(earning?.reason).not.toBe('account_gone');
        const own = tips.filter((tip) => tip.id === earning?.tipId);
        expect(own.map(({ amount }) => amount)).toEqual(earning?.state === 'awarded' ? [lived.rule.amount] : []);
        sum += earning?.amount ?? 0n;
      }
      expect(earned).toBe(sum);
      expect(accounts.flatMap(({ tips }) => tips).reduce((total, { amount }) => total + amount, 0n)).toBe(awarded);
      // Only a reward that is used up leaves somebody without.
      const isUsedUp = accounts.some(({ earning }) => earning?.reason === 'reward_used_up');
      if (isUsedUp) expect(100n - awarded).toBeLessThan(lived.rule.amount);
    }),
    { numRuns: RUNS },
  );
});

test('security: whatever happens to a gig with rounds, it divides each once, pays each account once, and ends', {
  timeout: 1_800_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(roundsHistory, async (lived) => {
      const { accounts, awarded, reserved, last, earned, watch, undone, lost } = await liveThrough(lived);
      expect(watch?.overAt).not.toBeNull();
      expect(reserved).toBe(0n);
      expect(awarded).toBeLessThanOrEqual(100n);
      expect(last).toMatchObject({ number: Math.ceil(DAY / lived.rule.roundMs), state: 'over', reserved: 0n });
      let sum = 0n;
      for (const { id, tips, earning, observations } of accounts) {
        expect(earning === null).toBe(observations.length === 0);
        expect(['awarded', 'refused', undefined]).toContain(earning?.state);
        if (!undone.has(id)) expect(earning?.reason).not.toBe('withdrawn');
        if (!lost.has(id)) expect(earning?.reason).not.toBe('account_gone');
        const own = tips.filter((tip) => tip.id === earning?.tipId);
        expect(own.map(({ amount }) => amount)).toEqual(earning?.state === 'awarded' ? [earning.amount] : []);
        expect(earning?.amount ?? 0n).toBeLessThanOrEqual(lived.rule.maxAmount);
        sum += earning?.amount ?? 0n;
      }
      expect(earned).toBe(sum);
      expect(accounts.flatMap(({ tips }) => tips).reduce((total, { amount }) => total + amount, 0n)).toBe(awarded);
    }),
    { numRuns: RUNS },
  );
});

test('security: whatever happens to a bounty, it pays each account once, never more than its most, and ends', {
  timeout: 1_800_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(bountyHistory, async (lived) => {
      const { accounts, awarded, reserved, earned, watch, open, asked, undone, lost } = await liveThrough(lived);
      expect(watch?.overAt).not.toBeNull();
      expect(open).toBeNull();
      expect(reserved).toBe(0n);
      expect(awarded).toBeLessThanOrEqual(100n);
      let sum = 0n;
      for (const { id, tips, earning, observations } of accounts) {
        expect(earning === null).toBe(observations.length === 0);
        expect(['awarded', 'refused', undefined]).toContain(earning?.state);
        if (!undone.has(id)) expect(earning?.reason).not.toBe('withdrawn');
        if (!lost.has(id)) expect(earning?.reason).not.toBe('account_gone');
        // Only who was asked about is decided about.
        if (!asked.has(id)) expect(['awarded', 'verifier_refused']).not.toContain(earning?.reason ?? earning?.state);
        const own = tips.filter((tip) => tip.id === earning?.tipId);
        expect(own.map(({ amount }) => amount)).toEqual(earning?.state === 'awarded' ? [earning.amount] : []);
        expect(earning?.amount ?? 0n).toBeLessThanOrEqual(lived.rule.maxAmount);
        sum += earning?.amount ?? 0n;
      }
      expect(earned).toBe(sum);
      expect(accounts.flatMap(({ tips }) => tips).reduce((total, { amount }) => total + amount, 0n)).toBe(awarded);
    }),
    { numRuns: RUNS },
  );
});

test('security: whatever happens to a raffle, it is drawn once among all who are eligible, and ends', {
  timeout: 1_800_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(raffleHistory, async (lived) => {
      const { accounts, awarded, reserved, last, earned, watch, draw } = await liveThrough(lived);
      expect(watch?.overAt).not.toBeNull();
      expect(reserved).toBe(0n);
      expect(awarded).toBeLessThanOrEqual(100n);
      expect(draw).toMatchObject({ state: 'drawn' });
      const { winners } = lived.rule;
      expect(last).toMatchObject({ number: 1, state: 'over', total: BigInt(winners) });
      const earnings = accounts.flatMap(({ earning }) => (earning === null ? [] : [earning]));
      expect(earnings.every(({ state }) => state === 'awarded' || state === 'refused')).toBe(true);
      const drawn = earnings.filter(({ state, reason }) => state === 'awarded' || reason === 'share_too_small');
      const others = earnings.filter(({ reason }) => reason === 'not_drawn');
      expect(draw?.fixed?.entrants).toBe(drawn.length + others.length);
      expect(drawn).toHaveLength(Math.min(winners, drawn.length + others.length));
      const prize = (last?.pool ?? 0n) / BigInt(winners);
      for (const { amount } of drawn) expect(amount).toBe(prize === 0n ? null : prize);
      expect(earned).toBe(drawn.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n));
      expect(accounts.flatMap(({ tips }) => tips).reduce((total, { amount }) => total + amount, 0n)).toBe(awarded);
    }),
    { numRuns: RUNS },
  );
});
