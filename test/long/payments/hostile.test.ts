import { setTimeout as wait } from 'node:timers/promises';
import { parseEther, parseGwei } from 'viem';
import { expect, test } from 'vitest';
import { FEES_MS } from '../../../src/chain/evm/fees.ts';
import { type Payment, TANK_IS_LOW } from '../../../src/domain/payments/payment.ts';
import { openWorld, type World } from './world.ts';

const HOSTILE = 80;
const TOKENS = 20;
const BUDGET = 1_500_000n;

async function payment(world: World, { id }: Payment): Promise<Payment> {
  const found = await world.store.payment(id);
  if (found === null) throw new Error(`there is no payment ${id}`);
  return found;
}

/** Gas of every transaction that the gas tank has in the chain. */
async function gasOfTank({ stage, tank }: World): Promise<bigint> {
  let gas = 0n;
  for (let number = await stage.public.getBlockNumber(); number > 0n; number -= 1n) {
    const { transactions } = await stage.public.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { hash, from } of transactions) {
      if (from.toLowerCase() !== tank) continue;
      gas += (await stage.public.getTransactionReceipt({ hash })).gasUsed;
    }
  }
  return gas;
}

test('security: eighty claims of hostile tokens cost at most their client’s budget, and others are paid meanwhile', async () => {
  const world = await openWorld();
  const { store, claim, gig, hostile, good, arePaid } = world;
  const bad: Payment[] = [];
  const ways = ['BurnOnChain', 'RevertOnChain', 'Burn', 'RevertBomb'] as const;
  for (let count = 0; count < TOKENS; count += 1) {
    const token = await hostile(ways[count % ways.length] ?? 'Burn');
    const own = await gig(token, 'mallory');
    for (let fid = 0; fid < HOSTILE / TOKENS; fid += 1)
      bad.push(...(await claim(`${1_000 + count * 10 + fid}`, [own])));
  }
  expect(bad).toHaveLength(HOSTILE);
  const honestGig = await gig(await good(), 'alice');
  const honest: Payment[] = [];
  for (let fid = 0; fid < 5; fid += 1) honest.push(...(await claim(`${9_000 + fid}`, [honestGig])));

  const policy = { clientGasPerDay: BUDGET };
  await world.payUntil(() => arePaid(honest), policy);
  // Until nobody is tried any more: each hostile payment has failed, or waits for longer than a test takes.
  const isOver = async () => {
    const found = await Promise.all(bad.map((one) => payment(world, one)));
    const isWaiting = ({ dueAt, reason }: Payment) => reason !== null && dueAt > Date.now() + 20_000;
    return found.every((one) => one.state === 'failed' || (one.state === 'planned' && isWaiting(one)));
  };
  await world.payUntil(isOver, policy);
  honest.push(...(await claim('9999', [honestGig])));
  await world.payUntil(() => arePaid(honest), policy);

  const spentOnHonest = (await Promise.all(honest.map((one) => payment(world, one)))).reduce(
    (sum, { gasUsed }) => sum + gasUsed,
    0n,
  );
  const wasted = (await gasOfTank(world)) - spentOnHonest;
  expect(wasted).toBeGreaterThan(0n);
  expect(wasted).toBeLessThanOrEqual(BUDGET);
  expect((await store.gasOfClient('mallory', 0)).claims).toBeGreaterThanOrEqual(wasted);
  const ends = await Promise.all(bad.map((one) => payment(world, one)));
  expect(ends.filter(({ state }) => state === 'confirmed')).toEqual([]);
  expect(ends.map(({ reason }) => reason)).toContain('the client’s daily gas budget is used up');
});

test('security: an account with tips in hostile tokens is paid by honest gigs at once', async () => {
  const world = await openWorld();
  const { claim, gig, hostile, good, native, arePaid } = world;
  const poisoned = [];
  for (const way of ['BurnOnChain', 'RevertOnChain', 'Burn', 'False'] as const)
    poisoned.push(await gig(await hostile(way)));
  const honest = [await gig(await good()), await gig(native)];
  const planned = await claim('1001', [...poisoned, ...honest]);
  const paidByHonest = planned.filter(({ gigId }) => honest.some(({ id }) => id === gigId));
  expect(paidByHonest).toHaveLength(2);
  await world.payUntil(() => arePaid(paidByHonest));
  // All of them were in the first transaction, or in none.
  const [first, second] = await Promise.all(paidByHonest.map((one) => payment(world, one)));
  expect(first?.hash).toBe(second?.hash);
  expect(await world.stage.public.getTransactionCount({ address: world.tank })).toBe(1);

  const again = (await claim('1001', honest)).filter(({ gigId }) => honest.some(({ id }) => id === gigId));
  expect(again).toHaveLength(2);
  await world.payUntil(() => arePaid(again));
});

test('behavior: a spike of fees passes by itself, and nothing is sent at its price afterwards', async () => {
  const world = await openWorld();
  const { claim, gig, good, arePaid, stage, store, payer } = world;
  const own = await gig(await good());
  await stage.test.setAutomine(false);
  const before = await claim('1001', [own]);
  await world.payUntil(async () => (await store.paymentDepths()).sent === 1);
  // The next block takes nothing of the old price.
  const { baseFeePerGas } = await stage.public.getBlock();
  const base = baseFeePerGas ?? 1n;
  await stage.test.setNextBlockBaseFeePerGas({ baseFeePerGas: base * 100n });
  await stage.test.mine({ blocks: 1 });
  expect(await arePaid(before)).toBe(false);

  // While it lasts, what is under way is paid at the price of now, within the chain's cap.
  await stage.test.setAutomine(true);
  await stage.test.setNextBlockBaseFeePerGas({ baseFeePerGas: base * 100n });
  await world.payUntil(() => arePaid(before));

  await stage.test.setNextBlockBaseFeePerGas({ baseFeePerGas: base });
  await stage.test.mine({ blocks: 1 });
  // The fees of the last look at the chain are used a moment longer.
  await wait(FEES_MS);
  const [after] = await claim('1002', [own]);
  if (after === undefined) throw new Error('nothing was planned');
  await world.payUntil(() => arePaid([after]));
  const { hash } = await payment(world, after);
  const { maxFeePerGas } = await stage.public.getTransaction({ hash: hash ?? '0x' });
  expect(maxFeePerGas).toBeLessThan(base * 10n);
  expect(payer.chain.maxFeePerGas).toBeGreaterThan(parseGwei('100'));
});

test('behavior: with an empty gas tank payments wait, say so, and go on by themselves when it is filled', async () => {
  const world = await openWorld();
  const { claim, gig, good, native, arePaid, stage, store, tank } = world;
  const planned = await claim('1001', [await gig(await good()), await gig(native)]);
  await stage.test.setBalance({ address: tank, value: 0n });
  await world.payUntil(async () => {
    const found = await Promise.all(planned.map((one) => payment(world, one)));
    return found.every(({ state, reason }) => state === 'planned' && reason === TANK_IS_LOW);
  });
  expect(await store.openTankTransactions(stage.public.chain.id)).toEqual([]);
  await stage.test.setBalance({ address: tank, value: parseEther('1') });
  await world.payUntil(() => arePaid(planned));
  for (const one of planned) expect((await payment(world, one)).failures).toBe(0);
});
