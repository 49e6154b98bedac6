import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Store } from '../../../src/store/port/index.ts';
import { HOUR, SECRET } from '../../services/earning/gigs.ts';
import { liveThrough, readAccounts, readSums, stopsOf } from './lives.ts';
import type { Stop } from './order.ts';

/** More than are awarded at once. */
const WINNERS = 205;

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const bytes = (hex: string) => Buffer.from(hex.replace(/^0x/, ''), 'hex');

/** Who wins by what is public after the draw, by code of this test alone. */
function drawAgain(
  ids: readonly string[],
  { head, root, blockHash }: { head: string; root: string; blockHash: string },
): string[] {
  const lines = ids.map((id) => `farcaster:${id}`).toSorted();
  expect(sha256(Buffer.from([head, ...lines].map((line) => `${line}\n`).join(''))).toString('hex')).toBe(root);
  const seed = sha256(bytes(SECRET), bytes(blockHash), bytes(root));
  const tickets = lines.map((line) => [sha256(seed, Buffer.from(line)).toString('hex'), line] as const);
  const lowest = tickets.toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, WINNERS);
  return lowest.map(([, line]) => line.replace('farcaster:', '')).toSorted();
}

async function read(store: Store, gigId: number) {
  const draw = await store.draw(gigId);
  const accounts = await readAccounts(store, gigId);
  const idsOf = (pattern: RegExp) =>
    accounts.filter((each) => pattern.test(each)).map((each) => each.split(' ')[0] ?? '');
  const entrants = idsOf(/ (awarded|not_drawn) /);
  const gig = await store.gig(gigId);
  const head = `${gigId} ${gig?.token.chainId} ${WINNERS} ${new Date(draw?.fixed?.notBefore ?? 0).toISOString()}`;
  const again = drawAgain(entrants, { head, root: draw?.fixed?.root ?? '', blockHash: draw?.lot?.block.hash ?? '' });
  expect(idsOf(/ awarded /)).toEqual(again);
  const told = Object.entries(Object.groupBy(accounts, (each) => each.replace(/^\d+ /, '')));
  const counts = told.map(([what, all]) => `${all?.length} ${what}`).toSorted();
  return { draw, counts, sums: await readSums(store, gigId) };
}

/** 250 like a cast, one takes it back, every seventh has a low score, and 205 win. */
async function live(stop: Stop | null) {
  const rule = { type: 'raffle', winners: WINNERS } as const;
  const between = async (store: Store, gigId: number) => await store.draw(gigId);
  const terms = { play: 'raffle', rule, rewardAmount: 1_000_000n, duration: HOUR, holdMs: HOUR / 2 } as const;
  return await liveThrough(terms, { stop, read, between });
}

test('security: a kill -9 amid a raffle draws it once, by what was on disk, and pays each winner once', {
  timeout: 1_800_000,
}, async () => {
  const calm = await live(null);
  const { draw: _, ...told } = calm.outcome;
  expect(told).toEqual({
    counts: ['1 withdrawn ', '205 awarded own 4878', '36 score_too_low ', '8 not_drawn '],
    sums: [999_990n, 999_990n, 0n],
  });
  // The closing, the fixing, the draw and both batches of awards are among them.
  expect(calm.life.turns.length).toBeGreaterThan(5);
  for (const stop of stopsOf(calm.life)) {
    const { signal, left, outcome } = await live(stop);
    const { draw, ...rest } = outcome;
    expect({ stop, signal, ...rest }).toEqual({ stop, signal: 'SIGKILL', ...told });
    // What the dead one has fixed, and what it has drawn, is what the next one goes on with.
    if (left?.fixed != null) expect({ stop, fixed: draw?.fixed }).toEqual({ stop, fixed: left.fixed });
    if (left?.lot != null) expect({ stop, lot: draw?.lot }).toEqual({ stop, lot: left.lot });
  }
});
