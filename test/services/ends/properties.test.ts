import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomRuns } from '../../support/extent.ts';
import { type Ended, type Happening, life, live, OTHERS } from './lives.ts';

const RUNS = Number(process.env['ENDS_RUNS'] ?? randomRuns(12));
const SEED = Number(process.env['ENDS_SEED'] ?? 42);

const FUNDED: readonly Happening[] = [
  { kind: 'fund', gig: 0, isExact: true },
  { kind: 'fund', gig: 1, isExact: true },
  { kind: 'start', gig: 0 },
];

/**
 * Every unit is at one who earned it, where money returns to, or at the treasury, and nobody has more than was earned. The
 * ledger's sums are those of its rows.
 */
function checkMoney({ gigs, awards, least, open }: Ended): void {
  expect(least).toBe(0n);
  expect(open).toBe(0);
  for (const { id, given, held, paid, kept, summed } of gigs) {
    expect(held).toBe(0n);
    expect(kept).toEqual(summed);
    expect(Object.values(paid).reduce((sum, amount) => sum + amount, 0n)).toBe(given);
    for (const [to, amount] of Object.entries(paid)) {
      if (OTHERS.some((other) => other === to)) continue;
      const earned = awards.filter((award) => award.gigId === id && award.to === to);
      const most = earned.reduce((sum, award) => sum + award.amount, 0n);
      // Each award is a power of two of its own: a second payment of one would leave a bit that is nobody's.
      expect(amount & ~most).toBe(0n);
    }
    expect(paid[OTHERS[0] ?? '0x'] ?? 0n).toBeLessThanOrEqual(50n);
  }
}

test('security: whatever happens to gigs, their ledger and their chain, every unit ends where it belongs, once', {
  timeout: 1_800_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(life, async (happenings) => checkMoney(await live([...FUNDED, ...happenings]))),
    { numRuns: RUNS, seed: SEED },
  );
});
