import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../../src/domain/errors.ts';
import { EVENT_TYPES } from '../../../src/domain/events/event.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { prepareEnd } from '../../../src/services/ends/end-gig.ts';
import { startFundedGigs } from '../../../src/services/gigs/start-funded.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { createTestDatabase } from '../../support/database.ts';
import { firstOf } from '../../support/first-of.ts';
import { perCase } from '../../support/per-case.ts';
import { run } from '../../support/process.ts';
import { runTwice } from '../../support/run-twice.ts';
import { type GigSeed, SEEDED_AT, seedGig } from '../../support/store.ts';
import { fault } from '../fakes.ts';
import { createWorld } from '../world.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** 100 and a fee of 5, at 18 decimals. */
const REQUIRED = 105n * 10n ** 18n;

let attempts = 0;
const world = perCase(createWorld);

const seed = (terms: GigSeed = {}) => seedGig(world.store, { start: 'when_funded', ...terms });
async function seedFunded() {
  const gig = await seed();
  world.ledger.fund(gig.walletAddress, REQUIRED);
  return gig;
}

function deps(store: Store = world.store) {
  const newId = () => `attempt-${++attempts}`;
  const { chains, payers, treasury, clock } = world.reading;
  return { store, chains, payers, treasury, clock, log: world.answering.log, newId, randomBytes };
}

const look = (store?: Store) => startFundedGigs(deps(store));
const stateOf = async (id: number) => (await world.store.gig(id))?.status;

async function events(): Promise<string[]> {
  const now = world.clock();
  await world.store.transaction((tx) => tx.releaseEvents({ holder: 'a', now, until: now + 1, limit: 100 }));
  const filter = { after: 0, client: null, types: EVENT_TYPES, gigId: null, limit: 100 };
  return (await world.store.eventsAfter(filter)).map(({ type, gigId }) => `${type} ${gigId}`);
}

describe('a gig that starts when it is funded', () => {
  test('behavior: starts once its wallet holds exactly what it needs, by the job, and is told of', async () => {
    const gig = await seed({ startTime: SEEDED_AT });
    await look();
    expect(await stateOf(gig.id)).toBe('created');
    world.ledger.fund(gig.walletAddress, REQUIRED);
    world.advance(MINUTE);
    await look();
    await look();
    expect(await world.store.gig(gig.id)).toMatchObject({ status: 'live', startUntil: null, startTime: world.clock() });
    expect(await world.store.gigTransactions(gig.id)).toHaveLength(1);
    const trail = await world.store.auditEvents({ limit: 10, gigId: gig.id });
    expect(trail).toMatchObject([{ action: 'gig.start', actor: 'job', actorName: 'start funded gigs' }]);
    expect(await events()).toEqual([`gig.funded ${gig.id}`, `gig.started ${gig.id}`]);
  });

  test.each([
    ['a base unit too little', REQUIRED - 1n],
    ['a base unit too much', REQUIRED + 1n],
  ])('error: does not start with %s', async (_, held) => {
    const gig = await seed();
    world.ledger.fund(gig.walletAddress, held);
    await look();
    expect(await world.store.gig(gig.id)).toEqual(gig);
  });

  test('security: one that waits for a request, or is cancelled, does not start by itself', async () => {
    const asked = await seedGig(world.store);
    const cancelled = await seed();
    await carryOut(deps(), prepareEnd({ gigId: cancelled.id, ending: 'cancel', actor: COMMAND_LINE, holder: 'end' }));
    for (const { walletAddress } of [asked, cancelled]) world.ledger.fund(walletAddress, REQUIRED);
    await look();
    expect([await stateOf(asked.id), await stateOf(cancelled.id)]).toEqual(['created', 'created']);
    expect(world.ledger.reads()).toBe(0);
  });

  test('behavior: where none waits nothing is written', async () => {
    const transaction = () => Promise.reject(new Error('a transaction'));
    await look({ ...world.store, transaction });
    await seedGig(world.store);
    await look({ ...world.store, transaction });
  });

  test('behavior: gigs beyond the first page start, too', async () => {
    for (let each = 0; each < 101; each += 1) await seed();
    const last = await seedFunded();
    await look();
    expect(await stateOf(last.id)).toBe('live');
  });

  test('error: a chain that does not answer keeps no reason, and is asked with the next look', async () => {
    const gig = await seedFunded();
    world.ledger.fail(fault('timeout', 'safe'));
    await look();
    // The balances are read, and then the check under the lock fails.
    world.ledger.during(async () => undefined);
    world.ledger.during(async () => world.ledger.fail(fault('timeout', 'safe')));
    await look();
    expect(await world.store.gig(gig.id)).toEqual(gig);
    expect(world.lines.at(-1)).toMatchObject({ msg: 'cannot read whether a gig is funded', gigId: gig.id });
    await look();
    expect(await stateOf(gig.id)).toBe('live');
  });

  test('error: a refusal is kept as its reason and tried every ten minutes', async () => {
    const gig = await seedFunded();
    const refuse = async () => {
      throw new DomainError({ code: 'wallets_off' });
    };
    world.ledger.during(async () => undefined);
    world.ledger.during(refuse);
    await look();
    expect(await world.store.gig(gig.id)).toMatchObject({ status: 'created', startRefusal: 'wallets_off' });
    const msg = 'funded gig cannot be started yet';
    expect(world.lines.at(-1)).toMatchObject({ msg, gigId: gig.id, code: 'wallets_off' });
    expect(await events()).toEqual([`gig.funded ${gig.id}`]);
    world.advance(10 * MINUTE - 1);
    await look();
    expect(await stateOf(gig.id)).toBe('created');
    world.advance(1);
    await look();
    expect(await world.store.gig(gig.id)).toMatchObject({ status: 'live', startRefusal: null });
    expect(await events()).toEqual([`gig.funded ${gig.id}`, `gig.started ${gig.id}`]);
  });

  test('behavior: a clock that is set back does not put the next try off', async () => {
    const gig = await seedFunded();
    await world.store.transaction((tx) => tx.refuseStart(gig.id, { code: 'wallets_off', tryAt: world.clock() + DAY }));
    await look();
    expect(await stateOf(gig.id)).toBe('live');
  });

  test('behavior: its wallet is looked at for 30 days, and again after a change of its terms', async () => {
    const gig = await seed();
    world.advance(30 * DAY - 1);
    await look();
    expect(world.ledger.reads()).toBe(1);
    world.advance(1);
    world.ledger.fund(gig.walletAddress, REQUIRED);
    await look();
    expect(await world.store.gig(gig.id)).toMatchObject({ status: 'created', start: 'when_funded', startUntil: null });
    expect(world.ledger.reads()).toBe(1);
    expect(await world.store.auditEvents({ limit: 1 })).toMatchObject([{ action: 'gig.start_expire', actor: 'job' }]);
    const { token, ...terms } = gig;
    const change = { terms: { ...terms, tokenId: token.id }, now: world.clock() };
    expect(await world.store.transaction((tx) => tx.changeTerms(gig.id, change))).toBe(true);
    await look();
    expect(await stateOf(gig.id)).toBe('live');
  });
});

describe('a start by itself', () => {
  async function expectOneStart(store: Store, { id }: Gig): Promise<void> {
    expect(await store.gigTransactions(id)).toHaveLength(1);
    const starts = (await store.auditEvents({ limit: 10 })).filter(({ action }) => action === 'gig.start');
    expect(starts).toHaveLength(1);
  }

  test('security: happens once where two instances look at the same time', async () => {
    const database = await createTestDatabase();
    const stores = [await database.open(), await database.open()];
    const store = firstOf(stores);
    const gig = await seedGig(store, { start: 'when_funded' });
    world.ledger.fund(gig.walletAddress, REQUIRED);
    await Promise.all([...stores, ...stores].map((each) => look(each)));
    expect(await store.gig(gig.id)).toMatchObject({ status: 'live' });
    await expectOneStart(store, gig);
    for (const each of stores) await each.close();
    await database.remove();
  });

  test('security: happens once when every transaction runs twice', async () => {
    const gig = await seedFunded();
    await look(runTwice(world.store));
    expect(await world.store.gigTransactions(gig.id)).toHaveLength(1);
  });

  test.each([0, 1, 2])(
    'security: happens once though the process is killed after %i transactions',
    async (transactions) => {
      const database = await createTestDatabase();
      const before = await database.open();
      const gig = await seedGig(before, { start: 'when_funded' });
      await before.close();
      const args = [database.url, String(SEEDED_AT + MINUTE), String(transactions)];
      expect(await run('test/support/start-child.ts', { args }).ended).toBe('SIGKILL');
      const store = await database.open();
      world.ledger.fund(gig.walletAddress, REQUIRED);
      world.advance(3 * MINUTE);
      await look(store);
      expect(await store.gig(gig.id)).toMatchObject({ status: 'live', startRefusal: null });
      await expectOneStart(store, gig);
      await store.close();
      await database.remove();
    },
  );
});
