import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { payoutOf, type Rule } from '../../../src/domain/earning/rules/index.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { WatchedGig } from '../../../src/services/earning/context.ts';
import { drawWay } from '../../../src/services/earning/ways/draw.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { createTestDatabase, openTestStore, type TestDatabase } from '../../support/database.ts';
import { seedAddress, seedTips } from '../../support/store.ts';
import { fault } from '../fakes.ts';
import { createBlocks } from './blocks.ts';
import { CROWD_POST, type Crowd, createCrowd } from './crowd.ts';
import { createEngine, type Engine, type SetClock } from './engine.ts';
import { DAY, END, HOUR, learnPayment, MINUTE, openGig, SECRET, START } from './gigs.ts';

/** When the entrants can be fixed: the hold of the last act is over, and what is seen does not count any more. */
const CLOSES = END + HOUR;

let clock: SetClock;
let store: Store;
let crowd: Crowd;
let blocks: ReturnType<typeof createBlocks>;
let engine: Engine;
let database: TestDatabase;

const newEngine = (of = store) => createEngine({ store: of, clock, reader: crowd.reader, chain: blocks });

beforeEach(async () => {
  clock = { now: START };
  ({ store, database } = await openTestStore());
  crowd = createCrowd(clock);
  blocks = createBlocks(clock);
  engine = newEngine();
});
afterEach(async () => {
  await store.close();
  await database.remove();
});

function raffle(winners: number, rewardAmount = 100n): Promise<Gig> {
  const rule: Rule = { type: 'raffle', winners };
  return openGig(store, { gigType: 'like', target: CROWD_POST, rule, rewardAmount, holdMs: HOUR });
}

/** These accounts like the post in the last hour, so that the last hold ends as late as it can. */
async function act(ids: readonly string[]): Promise<void> {
  await engine.until(END - MINUTE);
  for (const id of ids) crowd.act('like', id);
}

/** Lets time pass until the entrants are fixed; the answer is the draw. */
async function fix({ id }: Gig) {
  await engine.until(CLOSES - MINUTE);
  for (let steps = 0; (await store.draw(id))?.state !== 'fixed'; steps += 1) {
    if (steps > 200) throw new Error('the entrants are not fixed');
    await engine.until(clock.now + MINUTE / 2);
  }
  const draw = await store.draw(id);
  if (draw?.fixed == null) throw new Error('the entrants are not fixed');
  return { ...draw, fixed: draw.fixed };
}

/** A raffle in which these act, up to the moment at which its entrants are fixed. */
async function fixedRaffle(ids: readonly string[], winners: number, rewardAmount?: bigint) {
  const gig = await raffle(winners, rewardAmount);
  await act(ids);
  return { gig, ...(await fix(gig)) };
}

const sha256 = (...parts: readonly (Buffer | string)[]) =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest('hex');
const unhex = (text: string) => Buffer.from(text, 'hex');

/** What the draw must come to, by the words of its description. */
function expected(
  gig: Gig,
  ids: readonly string[],
  { winners, notBefore = 0 }: { winners: number; notBefore: number | undefined },
) {
  const lines = ids.map((id) => `farcaster:${id}`).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const head = `${gig.id} ${gig.token.chainId} ${winners} ${new Date(notBefore).toISOString()}`;
  const root = sha256([head, ...lines].map((line) => `${line}\n`).join(''));
  const { hash } = blocks.at(notBefore);
  const seed = sha256(unhex(SECRET), unhex(hash.slice(2)), unhex(root));
  const tickets = lines.map((line) => ({ line, ticket: sha256(unhex(seed), line) }));
  const won = tickets.toSorted((a, b) => (a.ticket < b.ticket ? -1 : 1)).slice(0, winners);
  return { root, seed, won };
}

async function outcome({ id: gigId }: Gig) {
  const earnings = await store.earnings({ gigId, limit: 1_000 });
  return Object.fromEntries(
    earnings.map(({ platformUserId, state, reason, amount }) => [platformUserId, amount ?? reason ?? state]),
  );
}

test('behavior: the drawn get equal parts of what is left, the others are told so', async () => {
  const gig = await raffle(2, 101n);
  const ids = ['9', '10', '11', '12', '100'];
  await act([...ids, '14']);
  const { fixed } = await fix(gig);
  const told = expected(gig, ids, { winners: 2, notBefore: fixed.notBefore });
  expect(fixed).toMatchObject({ entrants: 5, root: told.root, rootVersion: 2, notBefore: fixed.fixedAt + MINUTE });
  expect(fixed.fixedAt).toBeGreaterThanOrEqual(CLOSES);
  expect(new Set(Object.values(await outcome(gig)))).toEqual(new Set(['eligible', 'score_too_low']));
  await engine.until(clock.now + 5 * MINUTE);
  const draw = await store.draw(gig.id);
  expect(draw).toMatchObject({ state: 'drawn', lot: { seed: told.seed, block: blocks.at(fixed.notBefore) } });
  const winners = await store.drawWinners(gig.id);
  const drawn = winners.map(({ platformUserId, ticket }) => ({ line: `farcaster:${platformUserId}`, ticket }));
  expect(drawn).toEqual(told.won);
  const won = new Set(winners.map(({ platformUserId }) => platformUserId));
  const others = ids.map((id) => [id, won.has(id) ? 50n : 'not_drawn']);
  expect(await outcome(gig)).toEqual({ ...Object.fromEntries(others), 14: 'score_too_low' });
  expect(await store.watch(gig.id)).toMatchObject({ overAt: expect.any(Number) });
  expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 100n, reservedAmount: 0n });
});

test('behavior: with fewer entrants than winners each gets no more than with enough of them', async () => {
  const { gig } = await fixedRaffle(['11', '12'], 10);
  await engine.until(clock.now + 5 * MINUTE);
  expect(await outcome(gig)).toEqual({ 11: 10n, 12: 10n });
  expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 20n, reservedAmount: 0n });
});

test('behavior: a raffle without entrants ends with a draw that nobody wins', async () => {
  const gig = await raffle(2);
  const { fixed } = await fix(gig);
  const { root } = expected(gig, [], { winners: 2, notBefore: fixed.notBefore });
  expect(fixed).toMatchObject({ entrants: 0, root });
  await engine.until(clock.now + 5 * MINUTE);
  expect(await store.drawWinners(gig.id)).toEqual([]);
  expect(await store.watch(gig.id)).toMatchObject({ overAt: expect.any(Number) });
});

test('behavior: tips by request between the fixing and the draw are not divided', async () => {
  const { gig } = await fixedRaffle(['11', '12', '13', '15'], 3);
  await seedTips(store, gig, [{ platform: 'farcaster', platformUserId: '99', amount: 70n }]);
  await engine.until(clock.now + 5 * MINUTE);
  expect(Object.values(await outcome(gig)).filter((amount) => amount === 10n)).toHaveLength(3);
  expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 100n, reservedAmount: 0n });
});

test('behavior: winners of less than a base unit are told that their share is too small', async () => {
  const { gig } = await fixedRaffle(['11', '12', '13', '15'], 3, 2n);
  await engine.until(clock.now + 5 * MINUTE);
  expect(Object.values(await outcome(gig)).toSorted()).toEqual(['not_drawn', ...Array(3).fill('share_too_small')]);
  expect(await store.watch(gig.id)).toMatchObject({ overAt: expect.any(Number) });
});

test('error: a chain that does not answer, or stands still, delays the draw; nothing is decided', async () => {
  const { gig, fixed } = await fixedRaffle(['11', '12'], 1);
  blocks.stop();
  await engine.until(clock.now + DAY);
  expect(await store.draw(gig.id)).toMatchObject({ state: 'fixed', lot: null });
  expect(Object.values(await outcome(gig))).toEqual(['eligible', 'eligible']);
  // Each pause is longer than the one before, up to half an hour.
  expect(blocks.asked()).toBeLessThan(120);
  expect(JSON.stringify(engine.lines)).toContain('no settled block has the time of the draw');
  const said = engine.lines.flatMap(({ msg }) => (String(msg).includes('does not answer') ? [msg] : []));
  expect(new Set(said)).toEqual(new Set(['watched gig waits: its chain does not answer']));
  blocks.goOn();
  blocks.fail(fault('unreachable', 'safe'), 3);
  await engine.until(clock.now + 3 * HOUR);
  expect(await store.draw(gig.id)).toMatchObject({ state: 'drawn', lot: { block: blocks.at(fixed.notBefore) } });
  expect(JSON.stringify(engine.lines)).not.toContain(SECRET);
});

test('security: the block that decides does not exist when the entrants are fixed by a clock behind the chain', async () => {
  const gig = await raffle(1);
  await act(['11', '12']);
  blocks.runAhead(5 * MINUTE);
  const { fixed } = await fix(gig);
  // The newest block of that moment is at most one interval of blocks older than the chain's time.
  expect(fixed.notBefore).toBeGreaterThan(fixed.fixedAt + 6 * MINUTE - 2_000);
  expect(fixed.notBefore).toBeLessThanOrEqual(fixed.fixedAt + 6 * MINUTE);
  await engine.until(clock.now + 10 * MINUTE);
  const { root } = expected(gig, ['11', '12'], { winners: 1, notBefore: fixed.notBefore });
  const lot = { block: blocks.at(fixed.notBefore) };
  expect(await store.draw(gig.id)).toMatchObject({ state: 'drawn', fixed: { root }, lot });
});

test('security: nothing is fixed while the chain is more than ten minutes ahead of the clock', async () => {
  const gig = await raffle(1);
  await act(['11', '12']);
  blocks.runAhead(11 * MINUTE);
  await engine.until(CLOSES + HOUR);
  expect(await store.draw(gig.id)).toMatchObject({ state: 'closed', fixed: null });
  expect(JSON.stringify(engine.lines)).toMatch(/its newest block is 6\d\d s ahead of the clock, so no draw is fixed/);
  blocks.runAhead(0);
  await engine.until(clock.now + HOUR);
  expect(await store.draw(gig.id)).toMatchObject({ state: 'drawn' });
});

test('error: nothing is fixed by a clock that has jumped more than a day ahead of the chain', async () => {
  const gig = await raffle(1);
  await act(['11', '12']);
  blocks.runAhead(-25 * HOUR);
  await engine.until(CLOSES + HOUR);
  expect(await store.draw(gig.id)).toMatchObject({ state: 'closed', fixed: null });
  expect(JSON.stringify(engine.lines)).toMatch(/its newest block is 900\d\d s behind the clock, so no draw is fixed/);
  // A chain that makes no blocks while nobody uses it is behind, too.
  blocks.runAhead(-23 * HOUR);
  await engine.until(clock.now + HOUR);
  expect(await store.draw(gig.id)).toMatchObject({ state: 'fixed' });
});

test('security: a root that took too long is not shown, and the draw is fixed anew by a later block', async () => {
  const gig = await raffle(1);
  await act(['11', '12']);
  let reads = 0;
  const entrants: Store['entrants'] = async (...query) => {
    reads += 1;
    // The clock is set back while the first root is computed, and the second takes longer than is allowed.
    if (reads === 1) clock.now -= 1_000;
    if (reads === 2) clock.now += 21_000;
    if (reads === 3) clock.now += 20_000;
    return await store.entrants(...query);
  };
  engine = newEngine({ ...store, entrants });
  const { fixed } = await fix(gig);
  expect(reads).toBe(3);
  expect(fixed.notBefore).toBe(fixed.fixedAt + MINUTE);
  expect(engine.lines.filter((line) => JSON.stringify(line).includes('was not fixed within 20 s'))).toHaveLength(2);
});

test('security: a database that is put back to a time after the fixing draws the same winners', async () => {
  const { gig } = await fixedRaffle(['11', '12', '13', '15', '16'], 2);
  await store.close();
  const copied = await createTestDatabase(await database.copy());
  store = await database.open();
  engine = newEngine();
  await engine.until(clock.now + 5 * MINUTE);
  const restored = await copied.open();
  expect(await restored.draw(gig.id)).toMatchObject({ state: 'fixed' });
  clock.now += DAY;
  await newEngine(restored).until(clock.now + HOUR);
  expect(await restored.drawWinners(gig.id)).toEqual(await store.drawWinners(gig.id));
  const [again, first] = await Promise.all([restored.draw(gig.id), store.draw(gig.id)]);
  expect(again?.lot).toEqual({ ...first?.lot, drawnAt: again?.lot?.drawnAt });
  await restored.close();
  await copied.remove();
});

test('security: two processes that fix and draw at once come to one draw', async () => {
  const gig = await raffle(2);
  const ids = ['11', '12', '13', '15'];
  await act(ids);
  const other = newEngine();
  for (let passes = 0; passes < 60; passes += 1) {
    await Promise.all([engine.step(), other.step(), engine.step(), other.step()]);
    // A lease that has ended is taken over by the other one while its work goes on.
    const early = engine.step();
    clock.now += 3 * MINUTE;
    await Promise.all([early, other.work(), engine.work()]);
  }
  const draw = await store.draw(gig.id);
  const { won } = expected(gig, ids, { winners: 2, notBefore: draw?.fixed?.notBefore });
  const winners = await store.drawWinners(gig.id);
  expect(winners.map(({ ticket }) => ticket)).toEqual(won.map(({ ticket }) => ticket));
  expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 100n, reservedAmount: 0n });
});

test('security: a step of a draw that is taken too early closes nothing and refuses no entrant', async () => {
  const gig = await raffle(1);
  await act(['11', '12']);
  const payout = payoutOf({ type: 'raffle', winners: 1 });
  if (payout.by !== 'draw') throw new Error('a raffle is drawn');
  const take = (kind: 'close_draw' | 'refuse_others') =>
    // Of a watched gig a draw reads no more.
    drawWay(payout).take(engine.deps, { gig } as WatchedGig, { kind });
  await engine.until(END);
  expect(Object.values(await outcome(gig))).toEqual(['held', 'held']);
  await take('close_draw');
  expect(await store.draw(gig.id)).toMatchObject({ state: 'open' });
  await fix(gig);
  for (const kind of ['close_draw', 'refuse_others'] as const) await take(kind);
  expect(await store.draw(gig.id)).toMatchObject({ state: 'fixed' });
  expect(Object.values(await outcome(gig))).toEqual(['eligible', 'eligible']);
});

test('security: nobody enters a draw that is closed, and nobody leaves it', async () => {
  const { gig } = await fixedRaffle(['11', '12'], 1);
  const { fixed } = (await store.draw(gig.id)) ?? {};
  const theirs = await store.earning(gig.id, { platform: 'farcaster', platformUserId: '11' });
  if (theirs === null) throw new Error('no earning');
  const leaving = { from: 'eligible', to: 'held', reason: null, part: null, addresses: [], textHash: null } as const;
  const leave = store.transaction((tx) => tx.decideEarning({ ...theirs, ...leaving }, clock.now));
  await expect(leave).rejects.toThrow('an entrant of a draw stays until the draw');
  // Told after the entrants were fixed, as if the clock had been set back.
  clock.now = END - HOUR;
  await store.transaction((tx) => tx.endWaits({ now: clock.now, leaseMs: 2 * MINUTE }));
  crowd.act('like', '16', END - 2 * HOUR);
  await engine.until(CLOSES + DAY);
  expect((await store.draw(gig.id))?.fixed).toEqual(fixed);
  const after = await outcome(gig);
  expect(after[16] ?? 'after_end').toBe('after_end');
  expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 100n });
});

test('security: an entrant that the gig turns out to have paid is not drawn, and what it was paid is not given again', async () => {
  const gig = await raffle(1);
  crowd.act('like', '1');
  await act(['2']);
  await engine.until(CLOSES - MINUTE);
  expect(await outcome(gig)).toMatchObject({ 1: 'eligible' });
  await learnPayment(store, gig, { recipient: seedAddress(1), amount: 40n, now: clock.now });
  await engine.until(END + 2 * DAY);
  expect(await outcome(gig)).toEqual({ 1: 'same_address', 2: 60n });
});
