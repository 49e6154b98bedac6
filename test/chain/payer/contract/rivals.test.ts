import type { Hex } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AnvilProcess } from '../../../../sandbox/anvil.ts';
import { encodePayMany } from '../../../../src/chain/payer/contract/calls.ts';
import { PAYER_CONTRACTS } from '../../../../src/chain/payer/contract/contracts.ts';
import { freshAccount, freshAddress, startAnvil } from '../../../support/anvil.ts';
import type { Gig, Outcome } from '../../../support/tip-payer.ts';
import { openScene, type Scene } from './setup.ts';

let node: AnvilProcess;
let stage: Scene['stage'];
let token: Scene['token'];
let fundedGig: Scene['fundedGig'];
let tip: Scene['tip'];

// A node of its own: blocks are mined by hand, and taken back.
beforeAll(async () => {
  node = await startAnvil();
  ({ stage, token, fundedGig, tip } = await openScene(node.url));
  return node.stop;
});

/** Mines all of these in one block, in the order in which they are sent. */
async function inOneBlock(broadcasts: readonly (() => Promise<Hex>)[]): Promise<Outcome[]> {
  await stage.test.setAutomine(false);
  const hashes: Hex[] = [];
  for (const broadcast of broadcasts) hashes.push(await broadcast());
  await stage.test.mine({ blocks: 1 });
  await stage.test.setAutomine(true);
  const outcomes = await Promise.all(hashes.map((hash) => stage.outcome(hash)));
  expect(new Set(outcomes.map(({ receipt }) => receipt.blockNumber)).size).toBe(1);
  return outcomes;
}

/** Replaces the newest blocks by as many empty ones. */
async function reorganize(depth: number): Promise<void> {
  // viem's types do not know the method.
  await stage.public.request({ method: 'anvil_reorg' as never, params: [depth, []] as never });
}

describe('rivals', () => {
  test('security: of three payments with one number in one block one is made', async () => {
    const [gig, one, other] = [await fundedGig(), freshAddress(), freshAddress()];
    const [rival, third] = [await freshAccount(node.url), await freshAccount(node.url)];
    const [first, second] = [await stage.signed(gig, [tip(0n, one)]), await stage.signed(gig, [tip(0n, other)])];
    const outcomes = await inOneBlock([
      () => stage.broadcast({ to: gig.wallet, data: first }),
      () => stage.broadcast({ to: gig.wallet, data: second, from: rival }),
      () => stage.broadcast({ to: gig.wallet, data: first, from: third }),
    ]);
    expect(outcomes.filter(({ succeeded }) => succeeded)).toHaveLength(1);
    expect(outcomes.flatMap(({ paid }) => paid)).toHaveLength(1);
    expect((await token.balance(one)) + (await token.balance(other))).toBe(10n);
  });

  test('security: two batches of one block that share a wallet pay it once, and the others all', async () => {
    const [shared, left, right, to] = [await fundedGig(), await fundedGig(), await fundedGig(), freshAddress()];
    const rival = await freshAccount(node.url);
    const call = async (gig: Gig) => {
      return { wallet: gig.wallet, gasLimit: 200_000n, data: await stage.signed(gig, [tip(0n, to)]) };
    };
    const batch = PAYER_CONTRACTS.payBatch.address;
    const one = encodePayMany([await call(shared), await call(left)]);
    const other = encodePayMany([await call(right), await call(shared)]);
    const outcomes = await inOneBlock([
      () => stage.broadcast({ to: batch, data: one }),
      () => stage.broadcast({ to: batch, data: other, from: rival }),
    ]);
    expect(outcomes.every(({ succeeded }) => succeeded)).toBe(true);
    const wallets = outcomes.flatMap(({ paid }) => paid.map(({ wallet }) => wallet));
    expect(wallets.toSorted()).toEqual([shared.wallet, left.wallet, right.wallet].toSorted());
    expect(await token.balance(to)).toBe(30n);
  });

  test('security: a front-runner with too little gas changes nothing', async () => {
    const [gig, to, stranger] = [await fundedGig(), freshAddress(), await freshAccount(node.url)];
    const data = await stage.signed(gig, [tip(0n, to), tip(1n, to)]);
    const [hasty, own] = await inOneBlock([
      () => stage.broadcast({ to: gig.wallet, data, from: stranger, gas: 75_000n }),
      () => stage.broadcast({ to: gig.wallet, data }),
    ]);
    expect([hasty?.succeeded, own?.succeeded]).toEqual([false, true]);
    expect(await token.balance(to)).toBe(20n);
  });

  test('security: a front-runner with enough gas pays in our place, once', async () => {
    const [gig, to, stranger] = [await fundedGig(), freshAddress(), await freshAccount(node.url)];
    const data = await stage.signed(gig, [tip(0n, to)]);
    const [fast, own] = await inOneBlock([
      () => stage.broadcast({ to: gig.wallet, data, from: stranger }),
      () => stage.broadcast({ to: gig.wallet, data }),
    ]);
    expect([fast?.paid.length, own?.succeeded]).toEqual([1, false]);
    expect(await token.balance(to)).toBe(10n);
  });
});

describe('a reorganisation', () => {
  test.each([1, 6, 64])(
    'security: of %d blocks takes mark and transfer back together; then it is paid again, once',
    async (depth) => {
      const [gig, to] = [await fundedGig(), freshAddress()];
      await stage.test.mine({ blocks: 1 });
      const data = await stage.signed(gig, [tip(3n, to)]);
      expect((await stage.send({ to: gig.wallet, data })).succeeded).toBe(true);
      if (depth > 1) await stage.test.mine({ blocks: depth - 1 });
      await reorganize(depth);
      expect([await stage.marks(gig.wallet), await token.balance(to)]).toEqual([0n, 0n]);

      expect((await stage.send({ to: gig.wallet, data })).paid).toHaveLength(1);
      expect((await stage.send({ to: gig.wallet, data })).succeeded).toBe(false);
      expect([await stage.marks(gig.wallet), await token.balance(to)]).toEqual([8n, 10n]);
    },
  );

  test('security: may pay a number to another recipient, and then to nobody else', async () => {
    const [gig, one, other] = [await fundedGig(), freshAddress(), freshAddress()];
    await stage.test.mine({ blocks: 1 });
    const [first, second] = [await stage.signed(gig, [tip(0n, one)]), await stage.signed(gig, [tip(0n, other)])];
    await stage.send({ to: gig.wallet, data: first });
    await stage.test.mine({ blocks: 5 });
    await reorganize(6);
    expect((await stage.send({ to: gig.wallet, data: second })).paid.map(({ to }) => to)).toEqual([other]);
    expect((await stage.send({ to: gig.wallet, data: first })).succeeded).toBe(false);
    expect([await token.balance(one), await token.balance(other)]).toEqual([0n, 10n]);
  });

  test('security: that takes back only the second of two payments keeps the mark of the first', async () => {
    const [gig, to] = [await fundedGig(), freshAddress()];
    const [first, second] = [await stage.signed(gig, [tip(0n, to)]), await stage.signed(gig, [tip(1n, to)])];
    await stage.send({ to: gig.wallet, data: first });
    await stage.send({ to: gig.wallet, data: second });
    await reorganize(1);
    expect(await stage.marks(gig.wallet)).toBe(1n);
    expect((await stage.send({ to: gig.wallet, data: first })).succeeded).toBe(false);
    expect((await stage.send({ to: gig.wallet, data: second })).succeeded).toBe(true);
    expect(await token.balance(to)).toBe(20n);
  });
});
