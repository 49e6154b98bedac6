import { expect, test } from 'vitest';
import { liveThrough, readAccounts, readSums, STEP } from './lives.ts';
import type { Stop } from './order.ts';

/** Five reply to a cast; the second tip uses the reward up. */
async function live(stop: Stop | null) {
  const terms = { play: 'replies', gigType: 'reply', rewardAmount: 100n, each: 40n } as const;
  return await liveThrough(terms, {
    stop,
    read: async (store, gigId) => ({
      accounts: await readAccounts(store, gigId),
      sums: await readSums(store, gigId),
    }),
  });
}

test('security: a kill -9 at any commit of an earning run changes nothing of how the gig ends', {
  timeout: 900_000,
}, async () => {
  const calm = await live(null);
  expect(calm.outcome).toEqual({
    accounts: ['11 awarded own 40', '12 withdrawn ', '13 awarded own 40', '14 score_too_low ', '15 reward_used_up '],
    sums: [80n, 80n, 0n],
  });
  expect(calm.life.commits).toBeGreaterThan(50);
  for (let commit = 1; commit <= calm.life.commits; commit += STEP) {
    const when = commit % 2 === 0 ? 'before' : 'after';
    const { signal, outcome } = await live({ commit, when });
    expect({ commit, signal, ...outcome }).toEqual({ commit, signal: 'SIGKILL', ...calm.outcome });
  }
});
