import { parseEther, recoverTransactionAddress, zeroAddress } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { DELEGATION_CODE } from '../../../src/chain/payer/contract/contracts.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import type { PayerChain } from '../../../src/domain/payments/payer-chain.ts';
import { freshAddress } from '../../support/anvil.ts';
import { deployHostile, deployHostileToken } from '../../support/payer-contracts.ts';
import { lower } from '../../support/tip-payer.ts';
import { openTokenPayments, type TokenPayments } from '../../support/token-payments.ts';

let payments: TokenPayments;
let token: TokenPayments['token'];
let fundedGig: TokenPayments['fundedGig'];
beforeAll(async () => {
  payments = await openTokenPayments();
  ({ token, fundedGig } = payments);
});

/** One after the other, because one account mints for all. */
async function fundedGigs(count: number) {
  const gigs: Awaited<ReturnType<typeof fundedGig>>[] = [];
  while (gigs.length < count) gigs.push(await fundedGig());
  return gigs;
}

function tip(number: bigint, to = freshAddress(), amount = 10n) {
  return { token: token.address, to, amount, numbers: [number] };
}

async function sign(calls: Parameters<PayerChain['sign']>[0]['calls']) {
  return await payments.payer.sign({ calls, nonce: 0, fees: await payments.payer.fees() });
}

async function codeOf(wallet: Address) {
  return await payments.stage.public.getCode({ address: wallet });
}

async function delegateElsewhere(gigId: number) {
  const { stage, wallets } = payments;
  const account = wallets.gigAccount(gigId);
  const address = await deployHostile(stage, 'OtherDelegate');
  const signed = await account.signAuthorization?.({ contractAddress: address, chainId: 31337, nonce: 0 });
  if (signed?.yParity === undefined) throw new Error('no authorization');
  const { r, s, yParity } = signed;
  const delegations = [{ address, chainId: 31337, nonce: 0, r, s, yParity }];
  await stage.send({ to: zeroAddress, data: '0x', delegations });
}

describe('one wallet', () => {
  test('behavior: pays first with its authorization, then without, and the tank alone pays for it', async () => {
    const { payer, call, pay, stage, tank } = payments;
    const { gigId, wallet } = await fundedGig();
    const to = freshAddress();
    const before = await stage.public.getBalance({ address: tank });

    const first = await pay(call(gigId, tip(0n, to)));
    expect(first).toMatchObject({ succeeded: true, failed: [] });
    const { hash, blockNumber } = first;
    expect(first.paid).toEqual([{ wallet, ...tip(0n, to), hash, blockNumber }]);
    expect(await codeOf(wallet)).toBe(DELEGATION_CODE);
    const sent = await stage.public.getTransaction({ hash });
    expect([sent.type, sent.to && lower(sent.to)]).toEqual(['eip7702', wallet]);

    const second = await pay(call(gigId, tip(1n, to, 25n)));
    expect(second.paid).toMatchObject([{ amount: 25n, numbers: [1n] }]);
    expect((await stage.public.getTransaction({ hash: second.hash })).type).toBe('eip1559');

    expect(await token.balance(to)).toBe(35n);
    expect(await stage.public.getBalance({ address: tank })).toBe(before - first.cost - second.cost);
    expect(await stage.public.getBalance({ address: wallet })).toBe(0n);
    expect(await payer.marks([{ wallet, word: 0n }], second.blockNumber)).toEqual([3n]);
  });

  test('behavior: pays what it holds of the native asset, to the last unit', async () => {
    const { call, pay, stage } = payments;
    const { gigId, wallet } = await fundedGig(0n);
    await stage.test.setBalance({ address: wallet, value: 7n });
    const to = freshAddress();
    const { paid } = await pay(call(gigId, { token: NATIVE_TOKEN_ADDRESS, to, amount: 7n, numbers: [3n, 5n] }));
    expect(paid).toMatchObject([{ token: NATIVE_TOKEN_ADDRESS, amount: 7n, numbers: [3n, 5n] }]);
    expect(await stage.public.getBalance({ address: wallet })).toBe(0n);
    expect(await stage.public.getBalance({ address: to })).toBe(7n);
  });

  test('behavior: makes several payments in one call, each with an event of its own', async () => {
    const { payer, call, pay } = payments;
    const { gigId, wallet } = await fundedGig();
    const [to, treasury] = [freshAddress(), freshAddress()];
    const fee = { token: token.address, to: treasury, amount: 3n, numbers: [2n ** 255n] };
    const { paid, blockNumber } = await pay(call(gigId, tip(255n, to), tip(256n, to, 20n), fee));
    expect(paid.map(({ amount, numbers }) => [amount, numbers])).toEqual([
      [10n, [255n]],
      [20n, [256n]],
      [3n, [2n ** 255n]],
    ]);
    const words = [0n, 1n, 2n ** 247n, 2n].map((word) => ({ wallet, word }));
    expect(await payer.marks(words, blockNumber)).toEqual([2n ** 255n, 1n, 1n, 0n]);
  });

  test('security: a second payment of a number is refused, and reverts if it is sent all the same', async () => {
    const { payer, call, pay, payBlindly } = payments;
    const { gigId } = await fundedGig();
    await pay(call(gigId, tip(4n)));
    const again = call(gigId, tip(4n));
    await expect(payer.simulate(again)).rejects.toMatchObject({
      name: 'PaymentRefused',
      message: 'the wallet has paid these numbers before: 4',
      isBare: false,
      isPaid: true,
    });
    expect(await payBlindly(200_000n, again)).toMatchObject({ succeeded: false, paid: [], failed: [] });
  });

  test('error: numbers of two words in one payment, or none, are a defect of the caller', async () => {
    const { payer, call } = payments;
    const to = freshAddress();
    const payment = { token: token.address, to, amount: 1n };
    await expect(payer.simulate(call(1, { ...payment, numbers: [1n, 300n] }))).rejects.toThrow(RangeError);
    await expect(payer.simulate(call(1, { ...payment, numbers: [] }))).rejects.toThrow(RangeError);
    await expect(payer.simulate(call(1))).rejects.toThrow(RangeError);
  });
});

describe('several wallets', () => {
  test('behavior: pay in one transaction, those that delegate and those that do not yet', async () => {
    const { call, pay, stage } = payments;
    const old = await fundedGig();
    const gigs = [old, ...(await fundedGigs(2))];
    await pay(call(old.gigId, tip(0n)));
    const to = freshAddress();
    const calls = gigs.map(({ gigId }) => call(gigId, tip(1n, to)));
    const gasOf = async (gas = 150_000n) => (await sign(calls.map((each) => ({ ...each, gas })))).gas;
    // EIP-150 keeps 1/64 of what is left at each call.
    expect((await gasOf(1_260_000n)) - (await gasOf(630_000n))).toBeGreaterThan(3n * 639_000n);
    const gasBefore = await gasOf();
    const { succeeded, paid, failed, hash } = await pay(...calls);
    expect([succeeded, failed]).toEqual([true, []]);
    expect(paid.map(({ wallet }) => wallet)).toEqual(gigs.map(({ wallet }) => wallet));
    expect(await token.balance(to)).toBe(30n);
    const { authorizationList } = await stage.public.getTransaction({ hash });
    expect(authorizationList).toHaveLength(2);
    // An authorization costs 12,500 and more.
    expect(gasBefore - (await gasOf())).toBeGreaterThan(25_000n);
  });

  test('error: one that fails takes no other with it, and says why', async () => {
    const { call, payBlindly } = payments;
    const [good, poor, last] = [await fundedGig(), await fundedGig(0n), await fundedGig()];
    const to = freshAddress();
    const outcome = await payBlindly(150_000n, ...[good, poor, last].map(({ gigId }) => call(gigId, tip(0n, to))));
    expect(outcome.succeeded).toBe(true);
    expect(outcome.paid.map(({ wallet }) => wallet)).toEqual([good.wallet, last.wallet]);
    expect(outcome.failed).toEqual([
      { wallet: poor.wallet, reason: `the transfer of token ${token.address} would fail: balance too low` },
    ]);
    // Its authorization was spent with the others'.
    expect(await codeOf(poor.wallet)).toBe(DELEGATION_CODE);
  });

  test('security: that use up all their gas leave enough for the last one', async () => {
    const { call, payBlindly, stage } = payments;
    const burner = await deployHostileToken(stage, 'Burn');
    const gigs = await fundedGigs(8);
    const to = freshAddress();
    const calls = gigs.map(({ gigId }, index) =>
      call(gigId, { ...tip(0n, to), token: index < 7 ? burner.address : token.address }),
    );
    const { succeeded, paid, failed } = await payBlindly(130_000n, ...calls);
    expect([succeeded, paid.length, failed.length]).toEqual([true, 1, 7]);
  });

  test('behavior: a hundred fit into the gas that EIP-7825 allows', async () => {
    const { call, payer, payBlindly, stage } = payments;
    const gigs = await fundedGigs(100);
    const calls = gigs.map(({ gigId }) => call(gigId, tip(0n)));
    const { paid, hash } = await payBlindly(payer.chain.batchGas / 100n, ...calls);
    expect(paid).toHaveLength(100);
    expect((await stage.public.getTransaction({ hash })).gas).toBeLessThan(2n ** 24n);
  });

  test('error: the same wallet twice, and none, are a defect of the caller', async () => {
    const { call, payBlindly } = payments;
    const { gigId } = await fundedGig();
    const twice = [call(gigId, tip(0n)), call(gigId, tip(1n))];
    await expect(payBlindly(100_000n, ...twice)).rejects.toThrow(RangeError);
    await expect(payBlindly(100_000n)).rejects.toThrow(RangeError);
  });
});

describe('a signature', () => {
  test('security: is for the wallets of the gigs alone', async () => {
    const { gigId } = await fundedGig();
    const strange = { ...payments.call(gigId, tip(0n)), wallet: freshAddress(), gas: 100_000n };
    await expect(sign([strange])).rejects.toThrow(/cannot sign/);
  });

  test('security: is refused for a wallet that delegates to other code', async () => {
    const { call, payer } = payments;
    const { gigId, wallet } = await fundedGig();
    await delegateElsewhere(gigId);
    const odd = call(gigId, tip(0n));
    await expect(payer.simulate(odd)).rejects.toMatchObject({
      name: 'PaymentRefused',
      message: 'the wallet delegates to other code',
    });
    await expect(sign([{ ...odd, gas: 100_000n }])).rejects.toMatchObject({
      name: 'AdapterError',
      retry: 'never',
      message: `chain anvil: wallet ${wallet} of gig ${gigId} delegates to other code`,
    });
  });

  test('behavior: comes from the gas tank, with the nonce, the fees and the gas that were asked for', async () => {
    const { call, payer, tank, stage } = payments;
    const { gigId, wallet } = await fundedGig();
    const calls = [{ ...call(gigId, tip(0n)), gas: 123_456n }];
    const fees = { maxFeePerGas: 7n, maxPriorityFeePerGas: 2n };
    const { raw, gas } = await payer.sign({ calls, nonce: 77, fees });
    expect(gas).toBe(123_456n);
    // viem demands the type that the text has.
    expect(lower(await recoverTransactionAddress({ serializedTransaction: raw as `0x04${string}` }))).toBe(tank);
    expect(await codeOf(tank)).toBeUndefined();
    expect(await stage.public.getTransactionCount({ address: wallet })).toBe(0);
  });
});

test('behavior: the tank shows its balance and how many nonces are spent', async () => {
  const { call, pay, payer, stage, tank } = payments;
  const { spentNonces } = await payer.tank();
  await pay(call((await fundedGig()).gigId, tip(0n)));
  await stage.test.setBalance({ address: tank, value: parseEther('50') });
  expect(await payer.tank()).toEqual({
    balance: parseEther('50'),
    spentNonces: spentNonces + 1,
    settledNonces: spentNonces + 1,
  });
});
