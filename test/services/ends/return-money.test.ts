import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { type Address, checksummed, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { PayerChain } from '../../../src/domain/payments/payer-chain.ts';
import { FEE_NUMBER, FIRST_RETURN_NUMBER } from '../../../src/domain/payments/payment.ts';
import {
  findReturnable,
  nextPlace,
  planReturn,
  type ReturnRequest,
  returnMoney,
} from '../../../src/services/ends/return-money.ts';
import type { StoreReads } from '../../../src/store/port/index.ts';
import { perCase } from '../../support/per-case.ts';
import { seedAddress, seedToken } from '../../support/store.ts';
import { BACK, openEnds, REWARD } from './world.ts';

const ends = perCase(openEnds);
const actor = COMMAND_LINE;

type Change = Partial<Omit<ReturnRequest, 'actor'>>;
const giveBack = ({ id: gigId }: Gig, change: Change = {}, deps = ends.returning) =>
  returnMoney(deps, { gigId, actor, ...change });
const find = ({ id: gigId }: Gig, change: Change = {}) => findReturnable(ends.returning, { gigId, actor, ...change });

/** A cancelled gig whose wallet holds so much. */
async function cancelled(held: bigint, terms: Parameters<typeof ends.create>[0] = {}): Promise<Gig> {
  const gig = await ends.create(terms);
  ends.fund(gig, held);
  await ends.end(gig, 'cancel');
  return gig;
}

/** Another token, of which wallets hold the native asset's part by this. */
async function otherToken(divisor: bigint): Promise<Address> {
  const token = { address: seedAddress(0x1010), symbol: 'POL', name: 'Polygon', chainId: ends.model.chain.id };
  ends.aliases.set(token.address, divisor);
  return (await seedToken(ends.store, token)).address;
}

describe('nothing is returned', () => {
  test('error: of a gig that may start, without a place, to one where it is lost, or from an empty wallet', async () => {
    const [created, homeless] = [await ends.create(), await cancelled(42n, { refundAddress: null })];
    const empty = await cancelled(0n);
    const native = checksummed(NATIVE_TOKEN_ADDRESS);
    for (const [gig, change, message] of [
      [created, {}, `Gig ${created.id} is not started: cancel it first, then all that it holds is returned.`],
      [homeless, {}, `Gig ${homeless.id} does not say where money returns to: name it with --to.`],
      [empty, {}, `The wallet of gig ${empty.id} holds no ETH that could be returned.`],
      [
        empty,
        { to: NATIVE_TOKEN_ADDRESS },
        `${native} is a token, a wallet or contract of this service or no address: money would be lost.`,
      ],
    ] satisfies [Gig, Change, string][]) {
      await expect(giveBack(gig, change)).rejects.toMatchObject({ refusal: { code: 'invalid_request', message } });
    }
    expect(await giveBack(homeless, { to: BACK })).toMatchObject({ recipient: BACK, amount: 42n });
  });

  test.each<[string, 'own' | 'other', 'ETH' | 'POL']>([
    ['a cancelled gig’s own', 'own', 'ETH'],
    ['another', 'other', 'POL'],
    ['a started gig’s own', 'other', 'ETH'],
  ])('error: while the contract of %s token does not tell what the wallet holds', async (_, of, symbol) => {
    const gig = of === 'own' ? await cancelled(42n) : await ends.started();
    const change = of === 'own' ? {} : { tokenAddress: await otherToken(3n) };
    const payer = ends.returning.payers.payer();
    const isSilent = (token: Address) => (token === NATIVE_TOKEN_ADDRESS) === (symbol === 'ETH');
    for (const silence of [[null], []]) {
      const balances: PayerChain['balances'] = async (queries) =>
        queries.flatMap(({ token }) => (isSilent(token) ? silence : [333n]));
      const deps = { ...ends.returning, payers: { payer: () => ({ ...payer, balances }) } };
      const message = `The contract of ${symbol} does not answer with the balance of gig ${gig.id}’s wallet.`;
      await expect(giveBack(gig, change, deps)).rejects.toMatchObject({ refusal: { message } });
    }
  });

  test('security: while the wallet has paid something that cannot be explained', async () => {
    const gig = await cancelled(42n);
    const copy = await ends.bank.copy();
    await giveBack(gig);
    await ends.finish();
    await ends.bank.restore(copy);
    ends.fund(gig, 5n);
    ends.faults.losesLogs = true;
    const message = `Gig ${gig.id}: the wallet has paid something that the ledger does not know yet; try again.`;
    await expect(giveBack(gig)).rejects.toMatchObject({ refusal: { message } });
    ends.faults.losesLogs = false;
    expect(await giveBack(gig)).toMatchObject({ place: 1, amount: 5n });
  });

  test('security: of a started gig whose books are wrong, with all that is known', async () => {
    const gig = await ends.create();
    ends.fund(gig);
    await ends.start(gig);
    await ends.pass(4);
    const message = (why: string) =>
      `Nothing is returned, because the books of gig ${gig.id} are not proved: its funding, seen in block 10, ${why}.`;
    await expect(giveBack(gig)).rejects.toMatchObject({ refusal: { message: message('is not settled yet') } });
    await ends.store.transaction((tx) => tx.markFundingChecked(gig.id));
    await ends.finish();
    ends.fund(gig, -1n);
    await expect(giveBack(gig)).rejects.toThrow('are missing.');
  });

  test('behavior: of another asset where the wallet holds neither', async () => {
    const gig = await ends.started();
    ends.fund(gig, -REWARD);
    const message = `The wallet of gig ${gig.id} holds no POL that could be returned.`;
    const tokenAddress = await otherToken(1n);
    await expect(giveBack(gig, { tokenAddress })).rejects.toMatchObject({ refusal: { message } });
  });
});

describe('a return', () => {
  test('security: is in the audit, and takes nothing that is on its way until its block is settled', async () => {
    const [gig, both] = [await cancelled(42n), await cancelled(42n)];
    const tokenAddress = await otherToken(3n);
    const shared = { kind: 'return', state: 'planned', claimId: null, recipient: BACK };
    expect(await giveBack(both, { tokenAddress })).toMatchObject({ ...shared, amount: 14n, place: 0 });
    expect((await find(both)).amount).toBe(42n);
    const payment = await giveBack(gig);
    expect(payment).toMatchObject({ ...shared, amount: 42n, place: 0, token: gig.token });
    const [entry] = await ends.store.auditEvents({ gigId: gig.id, limit: 1 });
    const detail = { amount: '42', token: gig.token.address, recipient: BACK, payment_id: payment.id };
    expect(entry).toMatchObject({ action: 'gig.return', subjectId: String(gig.id), at: ends.clock() });
    expect(JSON.parse(entry?.detail ?? '')).toEqual(detail);
    ends.fund(gig, 5n);
    for (let blocks = 0; blocks < 8; blocks += 1) {
      expect((await find(gig)).amount).toBe(5n);
      await ends.pass(1);
    }
    // A node that lags shows a block in which the wallet still holds it.
    ends.faults.lag = 6;
    expect((await find(gig)).amount).toBe(5n);
  });

  test('security: is not planned once another one was planned, or has failed, since the wallet was read', async () => {
    const gig = await cancelled(42n);
    const plan = async (found: Awaited<ReturnType<typeof find>>) =>
      await ends.store.transaction((tx) => planReturn(tx, found, { actor, now: ends.clock() }));
    const first = await find(gig);
    const planned = await plan(first);
    const second = await find(gig);
    const message = `A return of gig ${gig.id} has changed meanwhile; try again.`;
    await expect(plan(first)).rejects.toMatchObject({ refusal: { message } });
    await ends.store.transaction((tx) => tx.failPayment(planned.id, { reason: 'no', now: ends.clock() }));
    await expect(plan(second)).rejects.toMatchObject({ refusal: { message } });
    expect(await plan(await find(gig))).toMatchObject({ place: 1, amount: 42n });
  });
});

test.each<{ places: number[]; numbers: bigint[]; next: number }>([
  { places: [], numbers: [], next: 0 },
  { places: [0, 4], numbers: [], next: 5 },
  { places: [], numbers: [FEE_NUMBER, 5n, FIRST_RETURN_NUMBER + 6n], next: 7 },
  { places: [126], numbers: [], next: 127 },
])(
  'security: the place behind the returns that are planned or marked is free ($next)',
  async ({ places, numbers, next }) => {
    const others = [...places.map((place) => ({ kind: 'return', place })), { kind: 'refund', place: 9 }];
    const reads = { otherPaymentsOfGig: async () => others, markedByOthers: async () => numbers };
    expect(await nextPlace(reads as unknown as StoreReads, 7)).toBe(next);
  },
);

test('error: a gig makes no more returns than it has places', async () => {
  const otherPaymentsOfGig = async () => [{ kind: 'return', place: 127 }];
  const reads = { otherPaymentsOfGig, markedByOthers: async () => [] } as unknown as StoreReads;
  const message = 'Gig 7 has made 128 returns; a wallet makes no more.';
  await expect(nextPlace(reads, 7)).rejects.toMatchObject({ refusal: { message } });
});
