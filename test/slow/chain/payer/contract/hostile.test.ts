import { concatHex, type Hex } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ContractPayment } from '../../../../../src/chain/payer/contract/payments.ts';
import { decodeRevert, type PayRefusal } from '../../../../../src/chain/payer/contract/reverts.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../../../src/domain/gigs/token.ts';
import { bitOf } from '../../../../../src/domain/payments/payment-numbers.ts';
import { freshAddress, fundNative } from '../../../../support/anvil.ts';
import {
  callSucceeded,
  callWhilePaid,
  deployHostileToken,
  deployRecipient,
  type RecipientWay,
  type TokenWay,
} from '../../../../support/payer-contracts.ts';
import { type Gig, openStage, type Stage } from '../../../../support/tip-payer.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

function tip(token: Address, number: bigint, to: Address, amount = 10n): ContractPayment {
  return { token, to, amount, ...bitOf(number) };
}

async function refusal(gig: Gig, payments: readonly ContractPayment[], gas?: bigint): Promise<PayRefusal | null> {
  const call = { to: gig.wallet, data: await stage.signed(gig, payments) };
  const data = await stage.revertOf(gas === undefined ? call : { ...call, gas });
  return data === null ? null : decodeRevert(data);
}

describe('a token', () => {
  test.each<TokenWay>(['Silent', 'ReturnBomb'])('behavior: that pays and answers oddly (%s) has paid', async (way) => {
    const [gig, to, token] = [await stage.delegated(), freshAddress(), await deployHostileToken(stage, way)];
    await token.mint(gig.wallet, 10n);
    expect((await stage.pay(gig, [tip(token.address, 0n, to)])).paid).toHaveLength(1);
    expect(await token.balance(to)).toBe(10n);
  });

  test('behavior: that keeps a fee has paid: what left the wallet counts', async () => {
    const [gig, to, token] = [await stage.delegated(), freshAddress(), await deployHostileToken(stage, 'ChargeFee')];
    await token.mint(gig.wallet, 10n);
    expect((await stage.pay(gig, [tip(token.address, 0n, to)])).paid[0]?.amount).toBe(10n);
    expect([await token.balance(gig.wallet), await token.balance(to)]).toEqual([0n, 9n]);
    expect(await stage.marks(gig.wallet)).toBe(1n);
  });

  test.each<[TokenWay, string]>([
    ['False', 'the token answers that the transfer fails'],
    ['Two', 'custom error 0x00000000'],
    ['Short', 'custom error 0x00000000'],
    ['Reason', 'not today'],
    ['Bare', 'no reason given'],
    ['Burn', 'no reason given'],
    ['RevertBomb', 'custom error 0x00000000'],
  ])('security: that fails (%s) leaves no mark, and takes the other payments with it', async (way, reason) => {
    const [gig, to] = [await stage.delegated(), freshAddress()];
    const [good, bad] = [await deployHostileToken(stage), await deployHostileToken(stage, way)];
    for (const token of [good, bad]) await token.mint(gig.wallet, 10n);
    const payments = [tip(good.address, 0n, to), tip(bad.address, 1n, to)];
    expect(await refusal(gig, payments)).toEqual({ kind: 'transfer_failed', token: bad.address, to, reason });
    const { succeeded, paid } = await stage.pay(gig, payments);
    expect([succeeded, paid]).toEqual([false, []]);
    expect([await stage.marks(gig.wallet), await good.balance(to), await bad.balance(to)]).toEqual([0n, 0n, 0n]);
    // Without the bad one the other is paid.
    expect((await stage.pay(gig, payments.slice(0, 1))).succeeded).toBe(true);
  });

  test('security: a reason of any length is cut, so the revert stays small', async () => {
    const [gig, token] = [await stage.delegated(), await deployHostileToken(stage, 'RevertBomb')];
    const data = await stage.signed(gig, [tip(token.address, 0n, freshAddress())]);
    const revert = (await stage.revertOf({ to: gig.wallet, data })) ?? '0x';
    // A selector, two addresses, an offset, a length and 256 bytes.
    expect((revert.length - 2) / 2).toBe(4 + 4 * 32 + 256);
  });

  test.each([
    ['an address without code', freshAddress()],
    ['the identity precompile, which answers what it is asked', '0x0000000000000000000000000000000000000004'],
    ['the SHA-256 precompile, which answers a word', '0x0000000000000000000000000000000000000002'],
    ['the ecrecover precompile, which answers nothing', '0x0000000000000000000000000000000000000001'],
  ] as const)('security: %s is no token', async (_what, address) => {
    const gig = await stage.delegated();
    expect(await refusal(gig, [tip(address, 0n, freshAddress())])).toMatchObject({ kind: 'transfer_failed' });
    expect((await stage.pay(gig, [tip(address, 0n, freshAddress())])).succeeded).toBe(false);
  });

  test('security: the wallet itself, or another wallet, is no token', async () => {
    const [gig, other] = [await stage.delegated(), await stage.delegated()];
    for (const { wallet } of [gig, other]) {
      expect(await refusal(gig, [tip(wallet, 0n, freshAddress())])).toMatchObject({ kind: 'transfer_failed' });
    }
  });

  test('security: that calls the wallet again during its transfer pays nothing twice', async () => {
    const [gig, to, token] = [await stage.delegated(), freshAddress(), await deployHostileToken(stage, 'Reenter')];
    await token.mint(gig.wallet, 100n);
    const data = await stage.signed(gig, [tip(token.address, 0n, to)]);
    await callWhilePaid(stage, token.address, { to: gig.wallet, data });
    expect((await stage.send({ to: gig.wallet, data })).paid).toHaveLength(1);
    expect(await callSucceeded(stage, token.address)).toBe(false);
    expect(await token.balance(to)).toBe(10n);
  });

  test('security: cannot take a number of the same call out of its turn', async () => {
    const [gig, to, token] = [await stage.delegated(), freshAddress(), await deployHostileToken(stage, 'Reenter')];
    await token.mint(gig.wallet, 100n);
    const second = tip(token.address, 1n, to);
    await callWhilePaid(stage, token.address, { to: gig.wallet, data: await stage.signed(gig, [second]) });
    // All marks are set before the first transfer, so what the token relays finds its number paid.
    const { paid } = await stage.pay(gig, [tip(token.address, 0n, to), second]);
    expect(paid.map(({ bits }) => bits)).toEqual([1n, 2n]);
    expect(await callSucceeded(stage, token.address)).toBe(false);
    expect(await token.balance(to)).toBe(20n);
  });

  test('security: may relay another payment of the wallet, which then is paid, once', async () => {
    const [gig, to, token] = [await stage.delegated(), freshAddress(), await deployHostileToken(stage, 'Reenter')];
    const good = await deployHostileToken(stage);
    for (const { mint } of [token, good]) await mint(gig.wallet, 100n);
    const other = await stage.signed(gig, [tip(good.address, 1n, to)]);
    await callWhilePaid(stage, token.address, { to: gig.wallet, data: other });
    expect((await stage.pay(gig, [tip(token.address, 0n, to)])).paid).toHaveLength(2);
    expect((await stage.send({ to: gig.wallet, data: other })).succeeded).toBe(false);
    expect([await good.balance(to), await stage.marks(gig.wallet)]).toEqual([10n, 3n]);
  });
});

describe('a recipient of native money', () => {
  async function fundedGig(): Promise<Gig> {
    const gig = await stage.delegated();
    await fundNative(gig.wallet, 100n);
    return gig;
  }

  test.each<[RecipientWay, string]>([
    ['Refuse', 'no, thanks'],
    ['Burn', 'no reason given'],
    ['RevertBomb', 'custom error 0x00000000'],
  ])('security: that fails (%s) leaves no mark', async (way, reason) => {
    const [gig, to] = [await fundedGig(), await deployRecipient(stage, way)];
    const payments = [tip(NATIVE_TOKEN_ADDRESS, 0n, to)];
    expect(await refusal(gig, payments)).toMatchObject({ kind: 'transfer_failed', to, reason });
    expect((await stage.pay(gig, payments)).succeeded).toBe(false);
    expect([await stage.marks(gig.wallet), await stage.public.getBalance({ address: to })]).toEqual([0n, 0n]);
  });

  test.each<RecipientWay>(['Take', 'ReturnBomb'])('behavior: that takes it (%s) is paid', async (way) => {
    const [gig, to] = [await fundedGig(), await deployRecipient(stage, way)];
    expect((await stage.pay(gig, [tip(NATIVE_TOKEN_ADDRESS, 0n, to)])).succeeded).toBe(true);
    expect(await stage.public.getBalance({ address: to })).toBe(10n);
  });

  test('security: that calls the wallet again is paid once', async () => {
    const [gig, to] = [await fundedGig(), await deployRecipient(stage, 'Reenter')];
    const data = await stage.signed(gig, [tip(NATIVE_TOKEN_ADDRESS, 0n, to)]);
    await callWhilePaid(stage, to, { to: gig.wallet, data });
    expect((await stage.send({ to: gig.wallet, data })).paid).toHaveLength(1);
    expect(await callSucceeded(stage, to)).toBe(false);
    expect(await stage.public.getBalance({ address: to })).toBe(10n);
  });

  test('behavior: another gig’s wallet can be one', async () => {
    const [gig, other] = [await fundedGig(), await stage.delegated()];
    expect((await stage.pay(gig, [tip(NATIVE_TOKEN_ADDRESS, 0n, other.wallet)])).succeeded).toBe(true);
    expect(await stage.public.getBalance({ address: other.wallet })).toBe(10n);
  });
});

describe('calldata with more behind it', () => {
  test('security: pays what was signed and nothing else', async () => {
    const [gig, to, token] = [await stage.delegated(), freshAddress(), await deployHostileToken(stage)];
    await token.mint(gig.wallet, 100n);
    const data: Hex = concatHex([await stage.signed(gig, [tip(token.address, 0n, to)]), '0xdeadbeef']);
    expect((await stage.send({ to: gig.wallet, data })).paid).toHaveLength(1);
    expect(await token.balance(to)).toBe(10n);
  });
});
