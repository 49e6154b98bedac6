import { numberToHex } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { type BatchCall, decodeFailedCount, encodePayMany } from '../../../../src/chain/payer/contract/calls.ts';
import { PAYER_CONTRACTS } from '../../../../src/chain/payer/contract/contracts.ts';
import { decodeRevert } from '../../../../src/chain/payer/contract/reverts.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../../src/domain/gigs/token.ts';
import { bitOf } from '../../../../src/domain/payments/payment-numbers.ts';
import { freshAccount, freshAddress, fundNative } from '../../../support/anvil.ts';
import { deployHostileToken, deployRecipient, type TokenWay } from '../../../support/payer-contracts.ts';
import { type Gig, gigOf } from '../../../support/tip-payer.ts';
import { delegationTo, deployOtherDelegate, openScene, refusalOf, type Scene } from './setup.ts';

const LIMIT = 200_000n;
const BATCH = PAYER_CONTRACTS.payBatch.address;

let stage: Scene['stage'];
let token: Scene['token'];
let fundedGig: Scene['fundedGig'];

beforeAll(async () => {
  ({ stage, token, fundedGig } = await openScene());
});

/** A call that pays number 0 of a gig. */
async function callOf(gig: Gig, to: Address, asset: Address = token.address): Promise<BatchCall> {
  const payment = { token: asset, to, amount: 10n, ...bitOf(0n) };
  return { wallet: gig.wallet, gasLimit: LIMIT, data: await stage.signed(gig, [payment]) };
}

async function callsOf(gigs: readonly Gig[], to: Address): Promise<BatchCall[]> {
  return await Promise.all(gigs.map((gig) => callOf(gig, to)));
}

describe('a batch', () => {
  test('behavior: pays from many wallets in one transaction', async () => {
    const [to, gigs] = [freshAddress(), [await fundedGig(), await fundedGig(), await fundedGig()]];
    const { paid, failed } = await stage.payMany(await callsOf(gigs, to));
    expect(paid.map(({ wallet }) => wallet)).toEqual(gigs.map(({ wallet }) => wallet));
    expect(failed).toEqual([]);
    expect(await token.balance(to)).toBe(30n);
  });

  test('behavior: delegates the wallets that pay for the first time', async () => {
    const [to, gigs] = [freshAddress(), [gigOf(), gigOf()]];
    for (const { wallet } of gigs) await token.mint(wallet, 10n);
    const calls = await callsOf(gigs, to);
    const delegations = await Promise.all(gigs.map((gig) => stage.delegation(gig)));
    expect((await stage.payMany(calls, { delegations })).paid).toHaveLength(2);
    expect(await token.balance(to)).toBe(20n);
  });

  test('behavior: of nothing does nothing', async () => {
    expect(await stage.payMany([])).toMatchObject({ succeeded: true, paid: [], failed: [] });
  });

  test('security: each that fails is named with its reason, and the others are paid', async () => {
    const to = freshAddress();
    const ways: TokenWay[] = ['Burn', 'False', 'RevertBomb', 'Bare', 'Reason'];
    const calls: BatchCall[] = [await callOf(await fundedGig(), to)];
    for (const way of ways) {
      const bad = await deployHostileToken(stage, way);
      const call = await callOf(await fundedGig(bad), to, bad.address);
      // A megabyte of answer costs its maker two million.
      calls.push(way === 'RevertBomb' ? { ...call, gasLimit: 3_000_000n } : call);
    }
    const empty = await stage.delegated();
    calls.push(await callOf(empty, to), await callOf(gigOf(), to), await callOf(await fundedGig(), to));

    const { succeeded, paid, failed } = await stage.payMany(calls);
    expect(succeeded).toBe(true);
    expect(paid.map(({ wallet }) => wallet)).toEqual([calls[0]?.wallet, calls[8]?.wallet]);
    expect(failed.map(({ batch, index, wallet }) => [batch, index, wallet])).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((index) => [BATCH, index, calls[index]?.wallet]),
    );
    const reasons = failed.map(({ answer }) => decodeRevert(answer));
    expect(reasons.map((refusal) => ('reason' in refusal ? refusal.reason : refusal.kind))).toEqual([
      'no reason given',
      'the token answers that the transfer fails',
      'custom error 0x00000000',
      'no reason given',
      'not today',
      'balance too low',
      'not_delegated',
    ]);
    for (const { wallet } of failed) expect(await stage.marks(wallet)).toBe(0n);
    expect(await token.balance(to)).toBe(20n);
  });

  test('behavior: its answer is the number of wallets that failed', async () => {
    const calls = [await callOf(gigOf(), freshAddress()), await callOf(await fundedGig(), freshAddress())];
    const { data } = await stage.public.call({ to: BATCH, data: encodePayMany(calls), gas: 8_000_000n });
    expect(decodeFailedCount(data ?? '0x')).toBe(1n);
  });

  test('security: the same payment twice pays once', async () => {
    const [gig, to] = [await fundedGig(), freshAddress()];
    const call = await callOf(gig, to);
    const { paid, failed } = await stage.payMany([call, call]);
    expect([paid.length, failed.length]).toEqual([1, 1]);
    expect(decodeRevert(failed[0]?.answer ?? '0x')).toEqual({ kind: 'already_paid', numbers: [0n] });
    expect(await token.balance(to)).toBe(10n);
  });

  test.each<[string, (gig: Gig) => Promise<Address>]>([
    ['without code', async () => freshAddress()],
    ['with the code of another contract', async () => token.address],
    ['that is the payer itself', async () => PAYER_CONTRACTS.tipPayer.address],
  ])('security: an address %s is not called, because it would succeed without paying', async (_what, find) => {
    const gig = await fundedGig();
    const wallet = await find(gig);
    const { succeeded, failed } = await stage.payMany([{ ...(await callOf(gig, freshAddress())), wallet }]);
    expect(succeeded).toBe(true);
    expect(failed).toEqual([{ batch: BATCH, wallet, index: 0, answer: expect.any(String) }]);
    expect(decodeRevert(failed[0]?.answer ?? '0x')).toEqual({ kind: 'not_delegated' });
  });

  test('security: a wallet that delegates to something else is not called', async () => {
    const gig = await fundedGig();
    const delegations = [await delegationTo(stage, gig, await deployOtherDelegate(stage))];
    const { failed } = await stage.payMany([await callOf(gig, freshAddress())], { delegations });
    expect(decodeRevert(failed[0]?.answer ?? '0x')).toEqual({ kind: 'not_delegated' });
  });

  test('security: a wallet may use its own gas and no more', async () => {
    const burning = await deployHostileToken(stage, 'Burn');
    const [hungry, modest] = [await fundedGig(burning), await fundedGig()];
    const to = freshAddress();
    const calls = [await callOf(hungry, to, burning.address), await callOf(modest, to)];
    const { paid, receipt } = await stage.payMany(calls);
    expect(paid.map(({ wallet }) => wallet)).toEqual([modest.wallet]);
    expect(receipt.gasUsed).toBeLessThan(LIMIT + 150_000n);
  });

  test('security: a limit that is too low fails that wallet alone, and it can be paid later', async () => {
    const [short, other, to] = [await fundedGig(), await fundedGig(), freshAddress()];
    const calls = [{ ...(await callOf(short, to)), gasLimit: 60_000n }, await callOf(other, to)];
    const { paid, failed } = await stage.payMany(calls);
    expect(paid.map(({ wallet }) => wallet)).toEqual([other.wallet]);
    expect(failed.map(({ index }) => index)).toEqual([0]);
    expect(await stage.marks(short.wallet)).toBe(0n);
    expect((await stage.payMany([await callOf(short, to)])).paid).toHaveLength(1);
  });

  test('security: without the gas for every wallet the whole transaction reverts', async () => {
    const [one, other, to] = [await fundedGig(), await fundedGig(), freshAddress()];
    const calls = await callsOf([one, other], to);
    const { succeeded, paid, failed } = await stage.payMany(calls, { gas: 300_000n });
    expect([succeeded, paid, failed]).toEqual([false, [], []]);
    const call = { to: BATCH, data: encodePayMany(calls), gas: 300_000n };
    expect(await refusalOf(stage, call)).toEqual({ kind: 'not_enough_gas', index: 1 });
    expect([await stage.marks(one.wallet), await token.balance(to)]).toEqual([0n, 0n]);
    expect((await stage.payMany(calls)).paid).toHaveLength(2);
  });

  test('behavior: an estimate is enough for every wallet', async () => {
    const gigs = [await fundedGig(), await fundedGig(), await fundedGig()];
    const calls = await callsOf(gigs, freshAddress());
    const gas = await stage.public.estimateGas({ account: stage.tank.address, to: BATCH, data: encodePayMany(calls) });
    const { paid, failed } = await stage.payMany(calls, { gas });
    expect([paid.length, failed]).toEqual([3, []]);
  });

  test('security: a limit that no transaction can have reverts it all', async () => {
    const call = { ...(await callOf(await fundedGig(), freshAddress())), gasLimit: 2n ** 256n - 1n };
    expect((await stage.payMany([call])).succeeded).toBe(false);
    // Solidity's panic 0x11: the addition overflows.
    const overflow = { kind: 'unknown', reason: 'panic 0x11' };
    expect(await refusalOf(stage, { to: BATCH, data: encodePayMany([call]) })).toMatchObject(overflow);
  });

  test('security: what a stranger sends to it moves nothing that was not signed', async () => {
    const [gig, stranger] = [await fundedGig(), await freshAccount()];
    const junk = [`0x${'00'.repeat(292)}`, '0x', numberToHex(1, { size: 4 })] as const;
    const calls = junk.map((data) => ({ wallet: gig.wallet, gasLimit: LIMIT, data }));
    const { paid, failed } = await stage.payMany(calls, { from: stranger });
    expect(paid).toEqual([]);
    // Empty calldata is a transfer of nothing, which every wallet takes.
    expect(failed.map(({ index }) => index)).toEqual([0, 2]);
    expect([await token.balance(gig.wallet), await stage.marks(gig.wallet)]).toEqual([1_000n, 0n]);
  });

  test('security: native money is paid from it, to recipients that burn gas or answer hugely too', async () => {
    const burner = await deployRecipient(stage, 'Burn');
    const bomber = await deployRecipient(stage, 'ReturnBomb');
    const gigs = [await stage.delegated(), await stage.delegated(), await stage.delegated()];
    for (const { wallet } of gigs) await fundNative(wallet, 10n);
    const recipients = [burner, bomber, freshAddress()];
    const calls = await Promise.all(
      gigs.map((gig, index) => callOf(gig, recipients[index] ?? burner, NATIVE_TOKEN_ADDRESS)),
    );
    const { paid, failed } = await stage.payMany(calls);
    expect(paid.map(({ to }) => to)).toEqual(recipients.slice(1));
    expect(failed.map(({ index }) => index)).toEqual([0]);
  });
});
