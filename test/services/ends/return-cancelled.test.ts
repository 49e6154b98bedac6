import { expect, test } from 'vitest';
import { AdapterError, invalidRequest } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { PayerChain } from '../../../src/domain/payments/payer-chain.ts';
import type { ReturnJobContext } from '../../../src/services/ends/context.ts';
import { createReturnJob } from '../../../src/services/ends/return-cancelled.ts';
import { perCase } from '../../support/per-case.ts';
import { keepSteps } from '../fakes.ts';
import { BACK, DAY, openEnds } from './world.ts';

const ends = perCase(openEnds);

async function cancelled(held: bigint): Promise<Gig> {
  const gig = await ends.create();
  ends.fund(gig, held);
  await ends.end(gig, 'cancel');
  return gig;
}

/** The job, the gigs whose wallets it has asked about each by itself, and the chains whose sender it has woken. */
function openJob({ payer = {}, ...change }: Partial<ReturnJobContext> & { payer?: Partial<PayerChain> } = {}) {
  const [asked, woken]: [number[], number[]] = [[], []];
  const { heldSteps, lines } = keepSteps(ends.clock);
  const answers = { learnPaid: async () => false };
  const changed = { ...ends.returning.payers.payer(), ...payer };
  const job = createReturnJob({
    ...ends.returning,
    payers: { payer: () => changed },
    heldSteps,
    log: ends.bank.deps.log,
    wake: (chainId) => woken.push(chainId),
    learnPaid: ({ id }) => {
      asked.push(id);
      return answers.learnPaid();
    },
    ...change,
  });
  return { job, asked, woken, answers, heldSteps, lines };
}

const fault = (retry: 'safe' | 'never') => new AdapterError({ retry, reason: 'bad_response', message: 'it is odd' });

test('behavior: what a cancelled gig holds is returned once, and the sender of its chain is woken', async () => {
  const [empty, holding] = [await cancelled(0n), await cancelled(42n)];
  const { job, asked, woken, heldSteps } = openJob();
  await job();
  expect([asked, woken]).toEqual([[holding.id], [holding.token.chainId]]);
  expect(await ends.store.payments({ limit: 9 })).toMatchObject([
    { kind: 'return', gigId: holding.id, amount: 42n, recipient: BACK },
  ]);
  const [entry] = await ends.store.auditEvents({ gigId: holding.id, limit: 1 });
  expect(entry).toMatchObject({ action: 'gig.return', actor: 'job', actorName: 'refund' });
  ends.advance(DAY);
  await job();
  expect(asked).toEqual([holding.id]);
  expect(heldSteps.list()).toEqual([]);
  expect((await ends.gigOf(empty.id)).cancelledAt).not.toBeNull();
});

test.each<[string, Error, object]>([
  ['its chain tells', fault('safe'), { why: 'unknown', detail: 'it is odd' }],
  ['nothing is in doubt', invalidRequest('look first'), { why: 'refused', detail: 'look first' }],
])('error: a return waits until %s, after pauses that grow, and says why', async (_, error, wait) => {
  const gig = await cancelled(42n);
  const { job, asked, woken, answers, heldSteps } = openJob();
  answers.learnPaid = () => Promise.reject(error);
  await job();
  const held = { step: 'return', gigId: gig.id, since: ends.clock(), ...wait };
  for (const ms of [30_000, 60_000]) {
    const before = asked.length;
    ends.advance(ms - 1);
    await job();
    expect(asked).toHaveLength(before);
    ends.advance(1);
    await job();
    expect(asked).toHaveLength(before + 1);
    expect(heldSteps.list()).toEqual([held]);
  }
  answers.learnPaid = async () => false;
  ends.advance(120_000);
  await job();
  expect(heldSteps.list()).toEqual([]);
  expect(woken).toEqual([gig.token.chainId]);
});

test('behavior: what an operator returns meanwhile waits no more', async () => {
  const gig = await cancelled(42n);
  const { job, answers, heldSteps } = openJob();
  answers.learnPaid = () => Promise.reject(fault('safe'));
  await job();
  expect(heldSteps.list()).toHaveLength(1);
  await ends.returnAll(gig);
  await job();
  expect(heldSteps.list()).toEqual([]);
});

test('error: gigs are tried one by one where the questions may be at fault, and not where the chain is away', async () => {
  const gigs = [await cancelled(0n), await cancelled(42n)];
  const answer: { error: Error } = { error: fault('safe') };
  const { job, asked } = openJob({ payer: { balances: () => Promise.reject(answer.error) } });
  await job();
  expect(asked).toEqual([]);
  answer.error = fault('never');
  ends.advance(30_000);
  await job();
  expect(asked).toEqual(gigs.map(({ id }) => id));
  answer.error = new TypeError('ours');
  ends.advance(60_000);
  await expect(job()).rejects.toThrow('ours');
});

test('error: a fault of ours in a return is none of the chain', async () => {
  await cancelled(42n);
  const { job, answers, heldSteps } = openJob();
  answers.learnPaid = () => Promise.reject(new TypeError('ours'));
  await expect(job()).rejects.toThrow('ours');
  expect(heldSteps.list()).toEqual([]);
});

test('security: a wallet is looked at alone that holds something, has paid, or whose token does not tell', async () => {
  const gigs = [await cancelled(0n), await cancelled(0n), await cancelled(0n), await cancelled(0n)];
  const shown: [bigint | null, boolean][] = [
    [0n, false],
    [0n, true],
    [null, false],
    [1n, false],
  ];
  const of = <T>(wallets: readonly T[], pick: (shown: [bigint | null, boolean]) => bigint | null | boolean) =>
    // The first question is about all of them.
    wallets.length === gigs.length ? shown.map(pick) : wallets.map(() => 0n);
  const { job, asked } = openJob({
    payer: {
      balances: async (queries) => of(queries, ([held]) => held) as (bigint | null)[],
      delegated: async (wallets) => of(wallets, ([, isUsed]) => isUsed) as boolean[],
    },
  });
  await job();
  expect(asked).toEqual(gigs.slice(1).map(({ id }) => id));
});

test('behavior: gigs that were cancelled in the last 30 days are read page after page', async () => {
  const pages = [Array.from({ length: 100 }, (_, each) => each + 1_000), [1_100]];
  const queries: object[] = [];
  const gigsToReturn = async (query: object) => {
    queries.push(query);
    return pages.shift() ?? [];
  };
  await openJob({ store: Object.assign(Object.create(ends.store), { gigsToReturn }) }).job();
  const since = ends.clock() - 30 * DAY;
  expect(queries).toEqual([0, 1_099].map((after) => ({ since, after, limit: 100 })));
});
