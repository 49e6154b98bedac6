import { parseEther } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodePaid } from '../../../../src/chain/payer/contract/calls.ts';
import { PAYER_CONTRACTS } from '../../../../src/chain/payer/contract/contracts.ts';
import { type ContractPayment, markingPayments, paymentsOf } from '../../../../src/chain/payer/contract/payments.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../../src/domain/gigs/token.ts';
import { FEE_NUMBER } from '../../../../src/domain/payments/payment.ts';
import { bitOf } from '../../../../src/domain/payments/payment-numbers.ts';
import { freshAccount, freshAddress, fundNative } from '../../../support/anvil.ts';
import { type Gig, gigOf } from '../../../support/tip-payer.ts';
import { openScene, refusalOf, type Scene } from './setup.ts';

const LAST = 2n ** 256n - 1n;

let stage: Scene['stage'];
let token: Scene['token'];
let fundedGig: Scene['fundedGig'];
let tip: Scene['tip'];

beforeAll(async () => {
  ({ stage, token, fundedGig, tip } = await openScene());
});

/** Why a call of a wallet reverts. */
async function refusal(gig: Gig, payments: readonly ContractPayment[]) {
  return await refusalOf(stage, { to: gig.wallet, data: await stage.signed(gig, payments) });
}

describe('a payment', () => {
  test('behavior: transfers, marks its number and names everything in its event', async () => {
    const [gig, to] = [await fundedGig(), freshAddress()];
    const paid = [{ wallet: gig.wallet, to, token: token.address, amount: 25n, word: 0n, bits: 8n }];
    expect(await stage.pay(gig, [tip(3n, to, 25n)])).toMatchObject({ succeeded: true, paid });
    expect([await token.balance(to), await token.balance(gig.wallet)]).toEqual([25n, 975n]);
    expect(await stage.marks(gig.wallet)).toBe(8n);
    const answer = await stage.public.call({ to: gig.wallet, data: encodePaid(0n) });
    expect(BigInt(answer.data ?? '0x')).toBe(8n);
  });

  test('behavior: the first one delegates in the same transaction', async () => {
    const [gig, to] = [gigOf(), freshAddress()];
    await token.mint(gig.wallet, 10n);
    const { paid } = await stage.pay(gig, [tip(0n, to)], { delegations: [await stage.delegation(gig)] });
    expect(paid).toHaveLength(1);
    expect(await token.balance(to)).toBe(10n);
    expect(await stage.public.getBalance({ address: gig.wallet })).toBe(0n);
  });

  test('behavior: native money goes to the last wei, and the wallet needs none for gas', async () => {
    const [gig, to] = [await stage.delegated(), freshAddress()];
    await fundNative(gig.wallet, 7n);
    const payment = { token: NATIVE_TOKEN_ADDRESS, to, amount: 7n, ...bitOf(0n) };
    expect((await stage.pay(gig, [payment])).paid).toEqual([{ wallet: gig.wallet, ...payment }]);
    const balances = [to, gig.wallet].map((address) => stage.public.getBalance({ address }));
    expect(await Promise.all(balances)).toEqual([7n, 0n]);
  });

  test('behavior: several tips of several words are paid in one call', async () => {
    const [gig, to] = [await fundedGig(), freshAddress()];
    const tips = [1n, 2n, 300n].map((number) => ({ number, amount: 5n }));
    const { paid } = await stage.pay(gig, paymentsOf({ token: token.address, to, tips }));
    expect(paid.map(({ amount, word, bits }) => ({ amount, word, bits }))).toEqual([
      { amount: 10n, word: 0n, bits: 6n },
      { amount: 5n, word: 1n, bits: 2n ** 44n },
    ]);
    expect(await token.balance(to)).toBe(15n);
  });

  test('behavior: a claim and its fee go together, each with its number', async () => {
    const [gig, to, operator] = [await fundedGig(), freshAddress(), freshAddress()];
    const fee = FEE_NUMBER + 7n;
    const { paid } = await stage.pay(gig, [tip(7n, to, 90n), tip(fee, operator, 10n)]);
    expect(paid).toHaveLength(2);
    expect([await token.balance(to), await token.balance(operator)]).toEqual([90n, 10n]);
    expect(await stage.marks(gig.wallet, fee)).toBe(128n);
  });

  test('behavior: nothing sent to the wallet itself only marks, which ends those numbers', async () => {
    const [gig, to] = [await fundedGig(), freshAddress()];
    const marking = await stage.pay(gig, markingPayments(gig.wallet, [4n, 5n]));
    expect(marking.paid).toEqual([
      { wallet: gig.wallet, to: gig.wallet, token: NATIVE_TOKEN_ADDRESS, amount: 0n, word: 0n, bits: 48n },
    ]);
    expect(await refusal(gig, [tip(5n, to)])).toEqual({ kind: 'already_paid', numbers: [5n] });
    expect((await stage.pay(gig, [tip(6n, to)])).succeeded).toBe(true);
  });

  test('behavior: a refund takes the tip’s own number, so the tip is not paid any more', async () => {
    const [gig, earner, owner] = [await fundedGig(), freshAddress(), freshAddress()];
    expect((await stage.pay(gig, [tip(0n, owner, 1_000n)])).succeeded).toBe(true);
    await token.mint(gig.wallet, 1_000n);
    expect((await stage.pay(gig, [tip(0n, earner)])).succeeded).toBe(false);
    expect(await token.balance(earner)).toBe(0n);
  });

  test('behavior: a payment of nothing to somebody else is made and marked', async () => {
    const [gig, to] = [await fundedGig(), freshAddress()];
    expect((await stage.pay(gig, [tip(1n, to, 0n)])).paid).toHaveLength(1);
    expect(await stage.marks(gig.wallet)).toBe(2n);
  });
});

describe('a number', () => {
  test.each([0n, 255n, 256n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 255n, LAST])(
    'security: %d is paid once, and its neighbours are not touched',
    async (number) => {
      const [gig, to] = [await fundedGig(), freshAddress()];
      expect((await stage.pay(gig, [tip(number, to)])).succeeded).toBe(true);
      expect(await stage.marks(gig.wallet, number)).toBe(1n << (number % 256n));
      expect(await refusal(gig, [tip(number, to)])).toEqual({ kind: 'already_paid', numbers: [number] });
      const next = number === LAST ? number - 1n : number + 1n;
      expect((await stage.pay(gig, [tip(next, to)])).succeeded).toBe(true);
      expect(await token.balance(to)).toBe(20n);
    },
  );

  test('security: a number that is paid takes all the payments of its call with it', async () => {
    const [gig, to] = [await fundedGig(), freshAddress()];
    await stage.pay(gig, [tip(0n, to)]);
    expect(await refusal(gig, [tip(1n, to), tip(0n, to)])).toEqual({ kind: 'already_paid', numbers: [0n] });
    expect((await stage.pay(gig, [tip(1n, to), tip(0n, to)])).succeeded).toBe(false);
    expect(await stage.marks(gig.wallet)).toBe(1n);
    expect(await token.balance(to)).toBe(10n);
  });

  test('security: two payments of one call that share a number pay nothing', async () => {
    const [gig, to] = [await fundedGig(), freshAddress()];
    const shared = [{ ...tip(8n, to), bits: 0x300n }, tip(9n, freshAddress())];
    expect(await refusal(gig, shared)).toEqual({ kind: 'already_paid', numbers: [9n] });
    expect((await stage.pay(gig, shared)).succeeded).toBe(false);
    expect(await stage.marks(gig.wallet)).toBe(0n);
    expect(await token.balance(to)).toBe(0n);
  });

  test('security: all 256 of a word can be paid at once, and none of them again', async () => {
    const [gig, to] = [await fundedGig(), freshAddress()];
    const whole = { ...tip(0n, to), bits: 2n ** 256n - 1n };
    expect((await stage.pay(gig, [whole])).succeeded).toBe(true);
    for (const number of [0n, 128n, 255n]) expect((await stage.pay(gig, [tip(number, to)])).succeeded).toBe(false);
    expect(await token.balance(to)).toBe(10n);
  });

  test('security: a payment without one is refused, because it could be made for ever', async () => {
    const gig = await fundedGig();
    expect(await refusal(gig, [{ ...tip(0n, freshAddress()), bits: 0n }])).toEqual({ kind: 'no_numbers' });
  });

  test('security: the same number of another wallet is another number', async () => {
    const [one, other, to] = [await fundedGig(), await fundedGig(), freshAddress()];
    await stage.pay(one, [tip(0n, to)]);
    expect((await stage.pay(other, [tip(0n, to)])).succeeded).toBe(true);
  });
});

describe('a call again', () => {
  test('security: by the same sender or by another it pays nothing', async () => {
    const [gig, to, stranger] = [await fundedGig(), freshAddress(), await freshAccount()];
    const data = await stage.signed(gig, [tip(0n, to)]);
    expect((await stage.send({ to: gig.wallet, data })).succeeded).toBe(true);
    expect((await stage.send({ to: gig.wallet, data })).succeeded).toBe(false);
    expect((await stage.send({ to: gig.wallet, data, from: stranger })).succeeded).toBe(false);
    expect(await token.balance(to)).toBe(10n);
  });

  test('behavior: a stranger may relay what was signed, and can only pay it', async () => {
    const [gig, to, stranger] = [await fundedGig(), freshAddress(), await freshAccount()];
    const { paid } = await stage.pay(gig, [tip(0n, to)], { from: stranger });
    expect(paid).toHaveLength(1);
    expect(await token.balance(to)).toBe(10n);
  });

  test('security: a call that was too short of gas is made later, whole', async () => {
    const [gig, to, stranger] = [await fundedGig(), freshAddress(), await freshAccount()];
    const data = await stage.signed(gig, [tip(0n, to), tip(1n, to)]);
    expect((await stage.send({ to: gig.wallet, data, from: stranger, gas: 70_000n })).succeeded).toBe(false);
    expect(await stage.marks(gig.wallet)).toBe(0n);
    expect((await stage.send({ to: gig.wallet, data })).paid).toHaveLength(2);
  });
});

describe('too little money', () => {
  test('security: the second of two payments takes the first with it', async () => {
    const [gig, to] = [await fundedGig(), freshAddress()];
    const payments = [tip(0n, to, 600n), tip(1n, to, 600n)];
    const reason = 'balance too low';
    expect(await refusal(gig, payments)).toEqual({ kind: 'transfer_failed', token: token.address, to, reason });
    expect((await stage.pay(gig, payments)).succeeded).toBe(false);
    expect([await stage.marks(gig.wallet), await token.balance(to)]).toEqual([0n, 0n]);
  });

  test('security: native money that is not there is not sent', async () => {
    const [gig, to] = [await stage.delegated(), freshAddress()];
    const payment = { token: NATIVE_TOKEN_ADDRESS, to, amount: 1n, ...bitOf(0n) };
    expect(await refusal(gig, [payment])).toMatchObject({ kind: 'transfer_failed', reason: 'no reason given' });
    expect((await stage.pay(gig, [payment])).succeeded).toBe(false);
    expect(await stage.marks(gig.wallet)).toBe(0n);
  });
});

describe('money that comes in', () => {
  test('behavior: a wallet that delegates takes plain transfers, with 2,300 gas for its code too', async () => {
    const gig = await stage.delegated();
    const sent = await stage.send({ to: gig.wallet, data: '0x', value: parseEther('1'), gas: 23_300n });
    expect(sent.succeeded).toBe(true);
    expect(await stage.public.getBalance({ address: gig.wallet })).toBe(parseEther('1'));
  });

  test('behavior: a call that the contract does not know is refused, and its money goes back', async () => {
    const gig = await stage.delegated();
    expect((await stage.send({ to: gig.wallet, data: '0x12345678', value: 1n })).succeeded).toBe(false);
    const data = await stage.signed(gig, markingPayments(gig.wallet, [0n]));
    expect((await stage.send({ to: gig.wallet, data, value: 1n })).succeeded).toBe(false);
    expect(await stage.public.getBalance({ address: gig.wallet })).toBe(0n);
  });

  test('security: the contract itself pays nothing, and has no marks', async () => {
    const gig = await fundedGig();
    const data = await stage.signed(gig, [tip(0n, freshAddress())]);
    const { address } = PAYER_CONTRACTS.tipPayer;
    expect(await refusalOf(stage, { to: address, data })).toEqual({ kind: 'bad_signature' });
    expect(await stage.marks(address)).toBe(0n);
  });
});
