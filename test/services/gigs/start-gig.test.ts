import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { commitmentOf } from '../../../src/domain/earning/payouts/draw.ts';
import { storeRules } from '../../../src/domain/earning/terms/rules-json.ts';
import { EVENT_TYPES } from '../../../src/domain/events/event.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { prepareStart, type StartGigRequest, startGig } from '../../../src/services/gigs/start-gig.ts';
import { SAMPLE_RULES, SAMPLE_TARGET } from '../../support/earning.ts';
import { perCase } from '../../support/per-case.ts';
import { type GigSeed, seedAddress, seedGig, seedToken } from '../../support/store.ts';
import { fault } from '../fakes.ts';
import { createWorld, HOUR } from '../world.ts';

const DAY = 24 * HOUR;
/** 100 and a fee of 5, at 18 decimals. */
const REQUIRED = 105_000_000_000_000_000_000n;

const IN_PROGRESS = { refusal: { code: 'gig_in_progress' } };

let holders = 0;
const world = perCase(createWorld);

const seed = (terms: GigSeed = {}) => seedGig(world.store, terms);
async function seedFunded(terms: GigSeed = {}): Promise<Gig> {
  const gig = await seed(terms);
  world.ledger.fund(gig.walletAddress, REQUIRED);
  return gig;
}
const deps = () => {
  const { store, ledger, clock } = world;
  return { store, chains: ledger.chains, payers: null, treasury: null, clock, randomBytes };
};

function start(gig: Pick<Gig, 'id'>, request: Partial<StartGigRequest> = {}) {
  holders += 1;
  return startGig(deps(), { gigId: gig.id, holder: `holder-${holders}`, actor: COMMAND_LINE, ...request });
}

function prepare(gig: Pick<Gig, 'id'>) {
  return prepareStart(deps(), { gigId: gig.id, holder: 'prepared', actor: COMMAND_LINE });
}

/** What programs are told. */
async function queuedEvents() {
  const now = world.clock();
  await world.store.transaction((tx) => tx.releaseEvents({ holder: 'a', now, until: now + 1, limit: 100 }));
  return await world.store.eventsAfter({ after: 0, client: null, types: EVENT_TYPES, gigId: null, limit: 100 });
}

async function expectUntouched(gig: Gig): Promise<void> {
  expect(await world.store.gig(gig.id)).toEqual(gig);
  expect(await world.store.gigTransactions(gig.id)).toEqual([]);
}

describe('a funded gig', () => {
  test('behavior: it goes live, in production, with one gig transaction', async () => {
    const gig = await seedFunded({ startTime: world.clock() + HOUR });
    const started = await start(gig);
    const expected = { ...gig, status: 'live', production: true, transactionId: 1, wentLiveAt: world.clock() };
    expect(started).toEqual(expected);
    expect(await world.store.gig(gig.id)).toEqual(expected);
    expect(await world.store.gigTransactions(gig.id)).toEqual([
      {
        gigId: gig.id,
        tokenId: gig.token.id,
        chainId: 8453,
        amount: 100_000_000_000_000_000_000n,
        commissionAmount: 5_000_000_000_000_000_000n,
        blockNumber: 1_234n,
        checkBlock: 1_234n,
      },
    ]);
  });

  test.for([
    [1, null],
    [2, 1_234n],
    [3, 1_234n],
  ] as const)(
    'security: with %i confirmations its funding is checked again at block %s',
    async ([confirmations, checkBlock]) => {
      const gig = await seedFunded();
      const reader = world.ledger.chains.reader(gig.token.chainId);
      const chain = { ...reader.chain, confirmations };
      const chains = { ...world.ledger.chains, reader: () => ({ ...reader, chain }) };
      await startGig({ ...deps(), chains }, { gigId: gig.id, holder: 'holder', actor: COMMAND_LINE });
      expect(await world.store.gigTransactions(gig.id)).toMatchObject([{ blockNumber: 1_234n, checkBlock }]);
    },
  );

  test.each([
    ['raffle', { type: 'raffle', winners: 1 }, true],
    ['fixed', { type: 'fixed', amount: 1n }, false],
  ] as const)(
    'security: with the rule %s it is watched, and has a draw only when winners are drawn',
    async (_, rule, isDrawn) => {
      const gig = await seedFunded({ gigType: 'like' });
      const kept = { given: null, rules: storeRules({ ...SAMPLE_RULES, rule }), target: SAMPLE_TARGET };
      await world.store.transaction((tx) => tx.storeEarningRules(gig.id, kept));
      const { startTime } = await start(gig);
      expect(await world.store.watch(gig.id)).toMatchObject({ target: SAMPLE_TARGET, nextAt: startTime });
      const draw = await world.store.draw(gig.id);
      expect(draw !== null).toBe(isDrawn);
      if (draw !== null) expect(draw.commitment).toBe(commitmentOf(draw.secret));
      if (draw !== null) expect(draw.secret).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  test.each([
    ['with its fee', seedAddress(0xfee), 5_000_000_000_000_000_000n, 1],
    ['without a treasury', null, 5_000_000_000_000_000_000n, 0],
    ['without a fee', seedAddress(0xfee), 0n, 0],
  ] as const)(
    'behavior: %s it plans what the treasury gets, and is told and recorded',
    async (_, treasury, feeAmount, fees) => {
      const gig = await seed({ feeAmount });
      world.ledger.fund(gig.walletAddress, gig.rewardAmount + feeAmount);
      await startGig({ ...deps(), treasury }, { gigId: gig.id, holder: 'holder', actor: COMMAND_LINE });
      const fee = { kind: 'fee', state: 'planned', chainId: 8453, gigId: gig.id, claimId: null, token: gig.token };
      const planned = { ...fee, recipient: treasury, amount: feeAmount, dueAt: world.clock() };
      expect(await world.store.payments({ limit: 9 })).toMatchObject(Array.from({ length: fees }, () => planned));
      const [event] = await world.store.auditEvents({ limit: 1 });
      expect(event).toMatchObject({ action: 'gig.start', gigId: gig.id, actorName: 'command line' });
      expect(JSON.parse(event?.detail ?? '')).toEqual({
        amount: '100000000000000000000',
        fee: String(feeAmount),
        block: '1234',
      });
      const [told] = await queuedEvents();
      expect(told).toMatchObject({ type: 'gig.funded', gigId: gig.id, at: world.clock() });
    },
  );

  test('behavior: a start that has passed moves to now, and the end with it', async () => {
    const gig = await seedFunded({ startTime: world.clock() - 10 * DAY, duration: 3 * DAY });
    // The chain takes its time: what counts is when the gig goes live.
    world.ledger.during(async () => world.advance(5_000));
    const now = world.clock() + 5_000;
    await start(gig);
    expect(await world.store.gig(gig.id)).toMatchObject({ startTime: now, endTime: now + 3 * DAY, duration: 3 * DAY });
  });

  test('behavior: a prepared start changes nothing until it is committed, and says how the gig is then', async () => {
    const gig = await seedFunded();
    const { started, commit } = await prepare(gig);
    expect(await world.store.gig(gig.id)).toMatchObject({ status: 'created' });
    const { transactionId: _, ...live } = await world.store.transaction((tx) => commit(tx, world.clock()));
    expect(started).toMatchObject(live);
    expect(await world.store.gig(gig.id)).toMatchObject({ status: 'live' });
  });

  test('error: when what is committed with it fails, nothing of the start is left, and the lock is given back', async () => {
    const gig = await seedFunded();
    const { commit, abandon } = await prepare(gig);
    const together = world.store.transaction(async (tx) => {
      await commit(tx, world.clock());
      throw new Error('not now');
    });
    await expect(together).rejects.toThrow('not now');
    await expect(start(gig)).rejects.toMatchObject(IN_PROGRESS);
    await abandon();
    await expectUntouched(gig);
    expect(await start(gig)).toMatchObject({ status: 'live' });
  });
});

describe('a gig that cannot start', () => {
  test('error: there is no such gig', async () => {
    await expect(start({ id: 99 })).rejects.toMatchObject({ refusal: { code: 'gig_not_found', gigId: 99 } });
    expect(world.ledger.reads()).toBe(0);
  });

  test('error: it is live already, and the chain is not asked', async () => {
    const gig = await seed({ live: true });
    await expect(start(gig)).rejects.toMatchObject({ refusal: { code: 'gig_already_live', gigId: gig.id } });
    expect(world.ledger.reads()).toBe(0);
  });

  test.each([
    ['nothing', 0n],
    ['one base unit too little', REQUIRED - 1n],
    ['one base unit too much', REQUIRED + 1n],
    ['the reward without the fee', 100_000_000_000_000_000_000n],
  ])('error: its wallet holds %s', async (_, held) => {
    const gig = await seed();
    const { id: gigId, walletAddress } = gig;
    world.ledger.fund(walletAddress, held);
    const where = { token: { symbol: 'DEGEN' }, chain: { key: 'base', id: 8453 }, walletAddress };
    await expect(start(gig)).rejects.toMatchObject({
      refusal: { code: 'gig_not_funded', gigId, funding: { expected: REQUIRED, actual: held, ...where } },
    });
    await expectUntouched(gig);
    world.ledger.fund(gig.walletAddress, REQUIRED);
    expect(await start(gig)).toMatchObject({ status: 'live' });
  });

  test('error: the chain does not answer, and the lock is free again', async () => {
    const gig = await seedFunded();
    world.ledger.fail(fault('timeout', 'safe'));
    await expect(start(gig)).rejects.toMatchObject({ name: 'AdapterError', reason: 'timeout' });
    await expectUntouched(gig);
    expect(await start(gig)).toMatchObject({ status: 'live' });
  });

  test('error: its chain is not enabled here', async () => {
    const { id: tokenId } = await seedToken(world.store, { chainId: 10 });
    const gig = await seed({ tokenId });
    await expect(start(gig)).rejects.toMatchObject({ name: 'AdapterError', retry: 'never' });
    await expectUntouched(gig);
  });
});

describe('several starts', () => {
  test('behavior: of twenty at once exactly one succeeds', async () => {
    const gig = await seedFunded();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => start(gig)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason.refusal.code] : []));
    expect(codes.every((code) => code === 'gig_in_progress' || code === 'gig_already_live')).toBe(true);
    expect(await world.store.gigTransactions(gig.id)).toHaveLength(1);
  });

  test('error: while one waits for the chain another is told so, and does not free its lock', async () => {
    const gig = await seedFunded();
    const refusals: unknown[] = [];
    world.ledger.during(async () => {
      for (let each = 0; each < 2; each += 1) refusals.push(await start(gig).catch((error: unknown) => error));
    });
    expect(await start(gig)).toMatchObject({ status: 'live' });
    for (const refusal of refusals) expect(refusal).toMatchObject(IN_PROGRESS);
    expect(world.ledger.reads()).toBe(1);
  });

  test('behavior: different gigs do not wait for each other', async () => {
    const gigs = [await seedFunded(), await seedFunded(), await seedFunded()];
    const started = await Promise.all(gigs.map((gig) => start(gig)));
    expect(started.map(({ status }) => status)).toEqual(['live', 'live', 'live']);
  });

  test('behavior: the lock of a crashed start ends after sixty seconds', async () => {
    const gig = await seedFunded();
    const now = world.clock();
    await world.store.transaction((tx) => tx.lockGig(gig.id, { holder: 'crashed', now, until: now + 60_000 }));
    world.advance(59_999);
    await expect(start(gig)).rejects.toMatchObject(IN_PROGRESS);
    world.advance(1);
    expect(await start(gig)).toMatchObject({ status: 'live' });
  });

  test('behavior: the same holder comes back after a crash and goes on at once', async () => {
    const gig = await seedFunded();
    const now = world.clock();
    await world.store.transaction((tx) => tx.lockGig(gig.id, { holder: 'mention:1', now, until: now + 60_000 }));
    await expect(start(gig, { holder: 'mention:1' })).resolves.toMatchObject({ status: 'live' });
  });

  test('security: a start whose lock ended while the chain was slow leaves the next one alone', async () => {
    const gig = await seedFunded();
    world.ledger.during(async () => {
      world.advance(60_000);
      // Another one took the lock over and is still at it.
      const now = world.clock();
      await world.store.transaction((tx) => tx.lockGig(gig.id, { holder: 'second', now, until: now + 60_000 }));
    });
    await expect(start(gig, { holder: 'first' })).rejects.toMatchObject(IN_PROGRESS);
    await expectUntouched(gig);
    await expect(start(gig, { holder: 'third' })).rejects.toMatchObject(IN_PROGRESS);
    await expect(start(gig, { holder: 'second' })).resolves.toMatchObject({ status: 'live' });
    expect(await world.store.gigTransactions(gig.id)).toHaveLength(1);
  });

  test('behavior: a start that was overtaken says that the gig is live', async () => {
    const gig = await seedFunded();
    world.ledger.during(async () => {
      world.advance(60_000);
      await start(gig);
    });
    await expect(start(gig)).rejects.toMatchObject({ refusal: { code: 'gig_already_live' } });
    expect(await world.store.gigTransactions(gig.id)).toHaveLength(1);
  });
});

test('security: an owner who is removed while the chain is asked starts nothing', async () => {
  const account = { platform: 'farcaster', platformUserId: '1001' } as const;
  const gig = await seedFunded({ owners: [account] });
  const actor = { kind: 'account', ...account, requestId: null } as const;
  world.ledger.during(async () => {
    await world.store.transaction((tx) => tx.removeGigOwner(gig.id, account));
  });
  await expect(start(gig, { actor })).rejects.toMatchObject({ refusal: { code: 'not_gig_owner' } });
  await expectUntouched(gig);
});

test('error: a lock that cannot be given back is told, and ends with its lease', async () => {
  const gig = await seed();
  let transactions = 0;
  const store: typeof world.store = {
    ...world.store,
    transaction: (run) => {
      transactions += 1;
      return transactions === 2 ? Promise.reject(new Error('disk is full')) : world.store.transaction(run);
    },
  };
  await expect(
    startGig({ ...deps(), store }, { gigId: gig.id, holder: 'holder', actor: COMMAND_LINE }),
  ).rejects.toMatchObject({
    message: `gig ${gig.id}: its start lock could not be given back; it ends with its lease`,
    cause: { message: 'disk is full' },
  });
  world.ledger.fund(gig.walletAddress, REQUIRED);
  await expect(start(gig)).rejects.toMatchObject(IN_PROGRESS);
  world.advance(60_000);
  expect(await start(gig)).toMatchObject({ status: 'live' });
});

test('security: a balance that was compared with other terms starts nothing', async () => {
  const gig = await seedFunded();
  // The terms as the second look finds them, as though somebody had changed them under the lock.
  const changed: Gig = { ...gig, rewardAmount: gig.rewardAmount + 1n };
  let looks = 0;
  const store: typeof world.store = {
    ...world.store,
    transaction: (run) =>
      world.store.transaction((tx) => {
        const gigAtLook = async (id: number) => {
          looks += 1;
          return looks === 2 ? changed : await tx.gig(id);
        };
        return run(Object.assign(Object.create(tx) as typeof tx, { gig: gigAtLook }));
      }),
  };
  const request = { gigId: gig.id, holder: 'holder', actor: COMMAND_LINE };
  await expect(startGig({ ...deps(), store }, request)).rejects.toMatchObject(IN_PROGRESS);
  await expectUntouched(gig);
  expect(await start(gig)).toMatchObject({ status: 'live' });
});
