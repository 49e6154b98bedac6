import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { drawnTime, LATE_MS, SLOT_MS } from '../../../src/domain/earning/holding/entry.ts';
import { UNKNOWN_PATIENCE_MS } from '../../../src/domain/earning/holding/holding.ts';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import { readStoredRules } from '../../../src/domain/earning/terms/rules-json.ts';
import { earningSentence, toldBy } from '../../../src/domain/earning/words/earning-words.ts';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { prepareJoin } from '../../../src/services/earning/acts/join.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openTestStore, type TestDatabase } from '../../support/database.ts';
import { seedAddress } from '../../support/store.ts';
import { CROWD_ACCOUNT, CROWD_POST, type Crowd, createCrowd } from './crowd.ts';
import { createEngine, type Engine, type SetClock } from './engine.ts';
import { DAY, type EarnedGig, END, HOUR, MINUTE, openGig, SECRET, START } from './gigs.ts';
import { createHolders, HELD, type Holders, holdRule, join, linkWallet, withAddresses } from './holders.ts';

let clock: SetClock;
let store: Store;
let database: TestDatabase;
let crowd: Crowd;
let holders: Holders;
let addresses: Map<string, readonly Address[]>;
let engine: Engine;

const newEngine = (platform: 'farcaster' | 'twitter' = 'farcaster') =>
  createEngine({ store, clock, reader: withAddresses(crowd, addresses), chain: holders, platform });

beforeEach(async () => {
  clock = { now: START };
  ({ store, database } = await openTestStore());
  crowd = createCrowd(clock);
  holders = createHolders(clock);
  addresses = new Map();
  engine = newEngine();
});
afterEach(async () => {
  await store.close();
  await database.remove();
});

/** A gig of a day for 100, of which who holds 100 for an hour gets 40, unless said otherwise. */
function openHold(rule: Rule = holdRule(), more: Partial<EarnedGig> = {}): Promise<Gig> {
  const gates = { minAccountAgeDays: 7, minLetters: 0, ...more.gates };
  const terms = { gigType: 'hold', target: CROWD_ACCOUNT, rewardAmount: 100n, holdMs: 2 * HOUR, rule } as const;
  return openGig(store, { ...terms, ...more, gates });
}

const own = (id: string) => seedAddress(Number(id));

async function enter(gig: Gig, ...ids: readonly string[]): Promise<void> {
  await engine.until(clock.now + MINUTE);
  for (const id of ids) expect(await join(store, clock, gig, id)).toBe('entered');
  await engine.until(clock.now + 2 * MINUTE);
}

async function outcome({ id: gigId }: Gig) {
  const earnings = await store.earnings({ gigId, limit: 100 });
  return Object.fromEntries(
    earnings.map(({ platformUserId, state, reason, amount }) => [platformUserId, amount ?? reason ?? state]),
  );
}

async function why(gig: Gig, id: string): Promise<string> {
  const { platform } = gig;
  const earning = await store.earning(gig.id, { platform, platformUserId: id });
  const rules = readStoredRules((await store.earningRules(gig.id))?.rules ?? '');
  const context = { ...toldBy(rules), isOwn: true, now: clock.now, amountText: (amount: bigint) => `${amount} wei` };
  return earningSentence(earning, context);
}

async function factsOf(gig: Gig, id: string) {
  const earning = await store.earning(gig.id, { platform: gig.platform, platformUserId: id });
  return earning?.facts?.holding;
}

const entryOf = (gig: Gig, id: string) => store.entry(gig.id, { platform: gig.platform, platformUserId: id });

describe('an account that enters', () => {
  test('behavior: is paid when it holds enough at its entry and in the block that was drawn', async () => {
    const gig = await openHold();
    holders.set(own('11'), 120n);
    await enter(gig, '11');
    const entered = await entryOf(gig, '11');
    expect(entered).toMatchObject({ state: 'entered', addresses: [own('11')], entry: { amount: 120n } });
    const slot = Math.ceil(((entered?.enteredAt ?? 0) + HOUR) / SLOT_MS) * SLOT_MS;
    expect(entered?.slot).toBe(slot);
    expect(await why(gig, '11')).toMatch(/^Entered\. Keep holding: your balance is looked at again by /);
    await engine.until(START + 4 * HOUR);
    // The block follows from the secret and from a block that did not exist at the entry.
    const begun = holders.at(slot);
    const notBefore = drawnTime({ secret: SECRET, gigId: gig.id, slot }, begun);
    const drawn = holders.at(notBefore);
    expect(await store.entryDraw(gig.id, slot)).toMatchObject({ begunHash: begun.hash, notBefore });
    expect([notBefore > slot, notBefore < slot + SLOT_MS]).toEqual([true, true]);
    expect(await factsOf(gig, '11')).toEqual({
      token: HELD,
      needed: '100',
      entry: { amount: '120', block: String(entered?.entry?.number), hash: entered?.entry?.hash },
      last: { amount: '120', block: String(drawn.number), hash: drawn.hash },
    });
    expect(await outcome(gig)).toEqual({ 11: 40n });
    expect(await why(gig, '11')).toBe('Awarded 40 wei.');
  });

  test('behavior: has the balances of all its own addresses summed', async () => {
    addresses.set('11', [own('11'), own('811')]);
    const gig = await openHold();
    holders.set(own('11'), 60n);
    holders.set(own('811'), 40n);
    await enter(gig, '11');
    await engine.until(START + 4 * HOUR);
    expect(await outcome(gig)).toEqual({ 11: 40n });
  });

  test('behavior: is refused at once when it holds too little, and may enter again with enough', async () => {
    const gig = await openHold();
    holders.set(own('11'), 99n);
    await enter(gig, '11');
    expect(await outcome(gig)).toEqual({ 11: 'too_little_held' });
    const { number } = (await entryOf(gig, '11'))?.entry ?? {};
    const told = `Not eligible: your addresses held 99 DEGEN in block ${number}; this gig requires 100 DEGEN.`;
    expect(await why(gig, '11')).toBe(told);
    holders.set(own('11'), 100n);
    await enter(gig, '11');
    expect(await join(store, clock, gig, '11')).toBe('known');
    await engine.until(START + 5 * HOUR);
    expect(await outcome(gig)).toEqual({ 11: 40n });
  });

  test('behavior: earns nothing when it has sold before the drawn block', async () => {
    const gig = await openHold();
    holders.set(own('11'), 100n);
    await enter(gig, '11');
    await engine.until(START + HOUR);
    holders.set(own('11'), 1n);
    await engine.until(START + 4 * HOUR);
    const { block } = (await factsOf(gig, '11'))?.last ?? {};
    const told = `Not eligible: your addresses held 1 DEGEN after the hours in block ${block}; this gig requires 100 DEGEN.`;
    expect([await outcome(gig), await why(gig, '11')]).toEqual([{ 11: 'too_little_held' }, told]);
  });

  test('behavior: is refused by the other gates as in every gig, and its balance is read no more', async () => {
    const gig = await openHold();
    holders.set(own('14'), 100n);
    await enter(gig, '14');
    expect(await outcome(gig)).toEqual({ 14: 'score_too_low' });
    const calls = holders.calls();
    await engine.until(END + 4 * HOUR);
    expect(holders.calls()).toBe(calls);
    expect(await store.watch(gig.id)).toMatchObject({ overAt: expect.any(Number) });
  });

  test('error: comes too late after the end, and too early before the start', async () => {
    const gig = await openHold(undefined, { startTime: START + HOUR });
    expect(await join(store, clock, gig, '11')).toBe('not_live');
    clock.now = END + 2 * HOUR;
    expect(await join(store, clock, gig, '11')).toBe('not_live');
    expect(await store.earnings({ gigId: gig.id, limit: 9 })).toEqual([]);
  });

  test('security: gains no rank by what its post says of its time', async () => {
    const gig = await openHold();
    await engine.until(START + HOUR);
    const account = { platform: 'farcaster', platformUserId: '11', username: null };
    const deps = { store, clock: () => clock.now };
    const joined = await prepareJoin(deps, { gigId: gig.id, account, way: 'post', at: START + MINUTE });
    if (joined.kind !== 'entered') throw new Error(joined.kind);
    await store.transaction((tx) => joined.commit(tx));
    expect((await store.earning(gig.id, account))?.rankedAt).toBe(START + HOUR);
  });

  test('error: nobody enters a gig that is earned by acts, nor one of another platform', async () => {
    const like = await openGig(store, { target: CROWD_POST });
    const gig = await openHold();
    expect(await join(store, clock, like, '11')).toBe('not_entered');
    expect(await join(store, clock, gig, '11', 'twitter')).toBe('elsewhere');
  });
});

describe('addresses', () => {
  test('security: one of two accounts counts for the first that entered with it', async () => {
    for (const id of ['11', '12']) addresses.set(id, [own('900')]);
    const gig = await openHold();
    holders.set(own('900'), 100n);
    await enter(gig, '11', '12');
    const number = (await entryOf(gig, '12'))?.entry?.number;
    const told = `Not eligible: your addresses, without 1 that counts for another account, held 0 DEGEN in block ${number}; this gig requires 100 DEGEN.`;
    expect(await why(gig, '12')).toBe(told);
    expect(await factsOf(gig, '12')).toMatchObject({ entry: { amount: '0' }, counted: 1 });
    await engine.until(START + 4 * HOUR);
    expect(await outcome(gig)).toEqual({ 11: 40n, 12: 'too_little_held' });
  });

  test('security: one that an account adds after its entry does not count', async () => {
    const gig = await openHold();
    holders.set(own('11'), 100n);
    await enter(gig, '11');
    holders.set(own('11'), 0n);
    holders.set(own('901'), 100n);
    addresses.set('11', [own('11'), own('901')]);
    await engine.until(START + 4 * HOUR);
    expect(await factsOf(gig, '11')).toMatchObject({ last: { amount: '0' } });
    expect(await outcome(gig)).toEqual({ 11: 'too_little_held' });
  });

  test('security: what moves between accounts of one half hour counts for one of them', async () => {
    const gig = await openHold();
    holders.set(own('11'), 100n);
    await enter(gig, '11');
    holders.set(own('11'), 0n);
    holders.set(own('12'), 100n);
    await enter(gig, '12');
    const slots = await Promise.all(['11', '12'].map(async (id) => (await entryOf(gig, id))?.slot));
    expect(slots[0]).toBe(slots[1]);
    await engine.until(START + 4 * HOUR);
    expect(await outcome(gig)).toEqual({ 11: 'too_little_held', 12: 40n });
    const blocks = await Promise.all(['11', '12'].map(async (id) => (await factsOf(gig, id))?.last?.block));
    expect(blocks[0]).toBe(blocks[1]);
  });
});

describe('a token that does not tell', () => {
  test.each(['lies', 'rebases', 'reverts'] as const)(
    'behavior: %s after the start: its accounts are held and asked about again, and told so',
    async (oddity) => {
      const gig = await openHold();
      holders.set(own('11'), 100n);
      holders.turn(oddity);
      await enter(gig, '11');
      expect(await why(gig, '11')).toBe('DEGEN does not tell balances now, so it is asked again.');
      expect(await factsOf(gig, '11')).toEqual({ token: HELD, needed: '100', isUnknown: true });
      await engine.until(clock.now + 2 * HOUR);
      expect(await outcome(gig)).toEqual({ 11: 'held' });
      holders.turn(null);
      await engine.until(clock.now + 4 * HOUR);
      expect(await outcome(gig)).toEqual({ 11: 40n });
    },
  );

  test('behavior: of one address alone delays that account alone', async () => {
    const gig = await openHold();
    for (const id of ['11', '12']) holders.set(own(id), 100n);
    holders.hush(own('11'));
    await enter(gig, '11', '12');
    await engine.until(START + 4 * HOUR);
    // With an amount for each an account with an earlier rank keeps its own.
    expect(await outcome(gig)).toEqual({ 11: 'held', 12: 40n });
  });

  test('behavior: in the drawn block is asked in one that is drawn later', async () => {
    const gig = await openHold();
    holders.set(own('11'), 100n);
    await enter(gig, '11');
    const slot = (await entryOf(gig, '11'))?.slot ?? 0;
    holders.turn('reverts');
    await engine.until(slot + SLOT_MS);
    const moved = await entryOf(gig, '11');
    expect([moved?.state, (moved?.slot ?? 0) > slot]).toEqual(['entered', true]);
    holders.turn(null);
    await engine.until(clock.now + 4 * HOUR);
    expect(await outcome(gig)).toEqual({ 11: 40n });
  });

  test('behavior: for a week leaves its accounts without a decision, so that the gig can end', async () => {
    const gig = await openHold();
    holders.turn('reverts');
    await enter(gig, '11');
    await engine.until(clock.now + UNKNOWN_PATIENCE_MS + DAY);
    expect(await outcome(gig)).toEqual({ 11: 'not_decided' });
    expect(await store.watch(gig.id)).toMatchObject({ overAt: expect.any(Number) });
  });
});

describe('a chain', () => {
  const silent = new AdapterError({ retry: 'safe', reason: 'server_error', message: 'missing trie node' });

  test('behavior: that has replaced the block of an entry has the account enter anew', async () => {
    const gig = await openHold();
    holders.set(own('11'), 100n);
    await enter(gig, '11');
    const first = await entryOf(gig, '11');
    holders.replace(first?.entry?.number ?? 0n);
    await engine.until((first?.slot ?? 0) + SLOT_MS + MINUTE);
    const again = await entryOf(gig, '11');
    expect(again?.entry?.hash).not.toBe(first?.entry?.hash);
    expect((again?.slot ?? 0) > (first?.slot ?? 0)).toBe(true);
    await engine.until(clock.now + 4 * HOUR);
    expect(await outcome(gig)).toEqual({ 11: 40n });
  });

  test('behavior: that does not answer has everybody wait, and decides nothing', async () => {
    const gig = await openHold();
    holders.set(own('11'), 100n);
    holders.failHoldings(silent, 1_000);
    await enter(gig, '11');
    await engine.until(clock.now + 2 * HOUR);
    expect([await outcome(gig), (await entryOf(gig, '11'))?.state]).toEqual([{ 11: 'held' }, 'joined']);
    holders.recoverHoldings();
    await engine.until(clock.now + 5 * HOUR);
    expect(await outcome(gig)).toEqual({ 11: 40n });
  });

  test('behavior: whose nodes have forgotten the drawn block is asked in another one', async () => {
    const gig = await openHold();
    holders.set(own('11'), 100n);
    await enter(gig, '11');
    const slot = (await entryOf(gig, '11'))?.slot ?? 0;
    holders.failHoldings(silent, 1_000);
    await engine.until(slot + SLOT_MS + 2 * LATE_MS);
    expect((await entryOf(gig, '11'))?.slot).toBeGreaterThan(slot);
    holders.recoverHoldings();
    await engine.until(clock.now + 4 * HOUR);
    expect(await outcome(gig)).toEqual({ 11: 40n });
  });
});

describe('the reward', () => {
  test.each([
    [
      { type: 'split', roundMs: 6 * HOUR, maxAmount: 100n },
      { 11: 12n, 12: 12n, 13: 'too_little_held' },
    ],
    [
      { type: 'weighted', by: 'score', roundMs: DAY, maxAmount: 100n },
      { 11: 50n, 12: 50n, 13: 'too_little_held' },
    ],
    [
      { type: 'raffle', winners: 2 },
      { 11: 50n, 12: 50n, 13: 'too_little_held' },
    ],
  ] as const)('behavior: is paid to who held it by %o', async (pays, expected) => {
    const gig = await openHold(holdRule(pays));
    for (const id of ['11', '12']) holders.set(own(id), 100n);
    await enter(gig, '11', '12', '13');
    await engine.until(END + 5 * HOUR);
    expect(await outcome(gig)).toEqual(expected);
    expect(await store.watch(gig.id)).toMatchObject({ overAt: expect.any(Number) });
  });
});

describe('on X', () => {
  const gates = { minScore: 0, minAccountAgeDays: 0, minFollowers: 0, spamLabel: 'any' } as const;

  test('security: the linked wallet counts, if its link was valid before the window', async () => {
    engine = newEngine('twitter');
    await linkWallet(store, '11', { wallet: own('11'), validFrom: START - HOUR });
    await linkWallet(store, '12', { wallet: own('12'), validFrom: START + MINUTE });
    const gig = await openHold(undefined, { platform: 'twitter', gates });
    for (const id of ['11', '12']) holders.set(own(id), 100n);
    await enter(gig, '11', '12');
    await engine.until(START + 4 * HOUR);
    expect(await outcome(gig)).toEqual({ 11: 40n, 12: 'no_verified_address' });
  });
});

describe('the gate of another rule', () => {
  const gates = { minHolding: { token: HELD, amount: 100n } };
  const openLiked = () => openGig(store, { target: CROWD_POST, rewardAmount: 100n, each: 40n, holdMs: HOUR, gates });

  test('behavior: reads what an account holds at the decision, in one block for all', async () => {
    const gig = await openLiked();
    holders.set(own('11'), 100n);
    for (const id of ['11', '12']) crowd.act('like', id);
    await engine.until(START + HOUR / 2);
    holders.set(own('12'), 99n);
    await engine.until(START + 3 * HOUR);
    expect(await outcome(gig)).toEqual({ 11: 40n, 12: 'too_little_held' });
    const facts = await factsOf(gig, '12');
    expect(facts).toMatchObject({ token: HELD, needed: '100', last: { amount: '99' } });
    expect((await factsOf(gig, '11'))?.last?.block).toBe(facts?.last?.block);
    const told = `Not eligible: your addresses held 99 DEGEN in block ${facts?.last?.block}; this gig requires 100 DEGEN.`;
    expect(await why(gig, '12')).toBe(told);
  });

  test('behavior: waits for a token that does not tell, a week at most', async () => {
    const gig = await openLiked();
    holders.set(own('11'), 100n);
    holders.turn('lies');
    crowd.act('like', '11');
    await engine.until(START + 4 * HOUR);
    expect(await why(gig, '11')).toBe('DEGEN does not tell balances now, so it is asked again.');
    holders.turn(null);
    await engine.until(START + 8 * HOUR);
    expect(await outcome(gig)).toEqual({ 11: 40n });
    holders.turn('reverts');
    crowd.act('like', '12');
    await engine.until(clock.now + UNKNOWN_PATIENCE_MS + DAY);
    expect(await outcome(gig)).toEqual({ 11: 40n, 12: 'not_decided' });
  });
});
