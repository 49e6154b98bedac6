import fc from 'fast-check';
import { expect, test } from 'vitest';
import { history, liveThrough } from './history.ts';

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
        expect(own.map(({ amount }) => amount)).toEqual(earning?.state === 'awarded' ? [lived.each] : []);
        sum += earning?.amount ?? 0n;
      }
      expect(earned).toBe(sum);
      expect(accounts.flatMap(({ tips }) => tips).reduce((total, { amount }) => total + amount, 0n)).toBe(awarded);
      // Only a reward that is used up leaves somebody without.
      const isUsedUp = accounts.some(({ earning }) => earning?.reason === 'reward_used_up');
      if (isUsedUp) expect(100n - awarded).toBeLessThan(lived.each);
    }),
    { numRuns: RUNS },
  );
});
