import { BaseError, type Hex, parseGwei, zeroAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodePaid } from '../../../../src/chain/payer/contract/calls.ts';
import { DELEGATION_CODE } from '../../../../src/chain/payer/contract/contracts.ts';
import { decodeRevert } from '../../../../src/chain/payer/contract/reverts.ts';
import { type Delegation, signDelegation } from '../../../../src/chain/payer/contract/signature.ts';
import type { Address } from '../../../../src/domain/gigs/token.ts';
import { freshAccount, freshAddress, fundNative } from '../../../support/anvil.ts';
import { CHAIN_ID, type Gig, gigOf } from '../../../support/tip-payer.ts';
import { delegationTo, deployOtherDelegate, openScene, refusalOf, type Scene } from './setup.ts';

let stage: Scene['stage'];
let token: Scene['token'];
let tip: Scene['tip'];

beforeAll(async () => {
  ({ stage, token, tip } = await openScene());
});

async function funded(gig: Gig): Promise<Gig> {
  await token.mint(gig.wallet, 100n);
  return gig;
}

async function nonceOf(wallet: Address): Promise<number> {
  return await stage.public.getTransactionCount({ address: wallet });
}

async function codeOf(wallet: Address): Promise<Hex | undefined> {
  return await stage.public.getCode({ address: wallet });
}

/** Sends a delegation alone, the gig's own unless another is given. */
async function delegate(gig: Gig, delegation?: Delegation, from?: PrivateKeyAccount): Promise<void> {
  const delegations = [delegation ?? (await stage.delegation(gig))];
  await stage.send({ to: zeroAddress, data: '0x', delegations, ...(from === undefined ? {} : { from }) });
}

describe('a delegation', () => {
  test('behavior: costs the wallet a nonce and no money, and is its code', async () => {
    const gig = gigOf();
    await delegate(gig);
    expect(await codeOf(gig.wallet)).toBe(DELEGATION_CODE);
    expect(await nonceOf(gig.wallet)).toBe(1);
  });

  test.each([
    ['nonce', { chainId: CHAIN_ID, nonce: 1 }],
    ['chain', { chainId: 8453, nonce: 0 }],
  ])('security: of a wrong %s gives a transaction that succeeds and pays nothing', async (_what, terms) => {
    const [gig, to] = [await funded(gigOf()), freshAddress()];
    const delegations = [await signDelegation(gig.account, terms)];
    const { succeeded, paid } = await stage.pay(gig, [tip(0n, to)], { delegations });
    expect([succeeded, paid]).toEqual([true, []]);
    expect([await stage.marks(gig.wallet), await token.balance(to)]).toEqual([0n, 0n]);
  });

  test('security: outlives a first payment that fails, with its nonce', async () => {
    const [gig, to] = [gigOf(), freshAddress()];
    const delegations = [await stage.delegation(gig)];
    expect((await stage.pay(gig, [tip(0n, to)], { delegations })).succeeded).toBe(false);
    expect([await codeOf(gig.wallet), await nonceOf(gig.wallet)]).toEqual([DELEGATION_CODE, 1]);
    await funded(gig);
    expect((await stage.pay(gig, [tip(0n, to)])).paid).toHaveLength(1);
  });

  test('behavior: that is already there is skipped, and the payment made', async () => {
    const [gig, to] = [await funded(gigOf()), freshAddress()];
    const delegations = [await stage.delegation(gig)];
    await stage.pay(gig, [tip(0n, to)], { delegations });
    expect((await stage.pay(gig, [tip(1n, to)], { delegations })).paid).toHaveLength(1);
  });

  test('behavior: that a stranger took out of our transaction helps us', async () => {
    const [gig, to, stranger] = [await funded(gigOf()), freshAddress(), await freshAccount()];
    const delegations = [await stage.delegation(gig)];
    await delegate(gig, delegations[0], stranger);
    expect((await stage.pay(gig, [tip(0n, to)], { delegations })).paid).toHaveLength(1);
  });

  test('security: that a stranger took with too little gas for its payment helps us too', async () => {
    const [gig, to, stranger] = [await funded(gigOf()), freshAddress(), await freshAccount()];
    const [delegations, data] = [[await stage.delegation(gig)], await stage.signed(gig, [tip(0n, to)])];
    const hasty = await stage.send({ to: gig.wallet, data, from: stranger, delegations, gas: 70_000n });
    expect([hasty.succeeded, await stage.marks(gig.wallet)]).toEqual([false, 0n]);
    expect((await stage.send({ to: gig.wallet, data, delegations })).paid).toHaveLength(1);
    expect(await token.balance(to)).toBe(10n);
  });
});

describe('a simulation before the first payment', () => {
  test('behavior: with the delegation’s code put at the wallet says what would happen; without, nothing', async () => {
    const [gig, to] = [gigOf(), freshAddress()];
    const data = await stage.signed(gig, [tip(0n, to)]);
    const simulate = async () => {
      const stateOverride = [{ address: gig.wallet, code: DELEGATION_CODE }];
      try {
        await stage.public.call({ to: gig.wallet, data, stateOverride });
        return null;
      } catch (error) {
        // viem carries the bytes in the cause that the node's answer became.
        const cause = error instanceof BaseError ? error.walk((one) => one !== null && 'data' in Object(one)) : null;
        return decodeRevert((cause as { data?: Hex } | null)?.data ?? '0x');
      }
    };
    expect(await stage.revertOf({ to: gig.wallet, data })).toBeNull();
    expect(await simulate()).toMatchObject({ kind: 'transfer_failed', reason: 'balance too low' });
    await funded(gig);
    expect(await simulate()).toBeNull();
    expect(await stage.marks(gig.wallet)).toBe(0n);
  });
});

describe('marks', () => {
  test('security: stay when the delegation is revoked, can be read meanwhile, and hold after it is back', async () => {
    const [gig, to] = [await funded(await stage.delegated()), freshAddress()];
    const data = await stage.signed(gig, [tip(5n, to)]);
    await stage.send({ to: gig.wallet, data });
    await delegate(gig, await delegationTo(stage, gig, zeroAddress));
    expect(await codeOf(gig.wallet)).toBeUndefined();
    expect(await stage.marks(gig.wallet)).toBe(32n);
    const blind = await stage.public.call({ to: gig.wallet, data: encodePaid(0n) });
    expect(blind.data).toBeUndefined();
    // Revoked, the payment succeeds and does nothing.
    expect(await stage.send({ to: gig.wallet, data })).toMatchObject({ succeeded: true, paid: [] });

    await delegate(gig);
    expect(await refusalOf(stage, { to: gig.wallet, data })).toEqual({ kind: 'already_paid', numbers: [5n] });
    expect(await token.balance(to)).toBe(10n);
  });

  test('security: stay when the wallet delegates to other code, and back', async () => {
    const [gig, to] = [await funded(await stage.delegated()), freshAddress()];
    await stage.pay(gig, [tip(0n, to)]);
    await delegate(gig, await delegationTo(stage, gig, await deployOtherDelegate(stage)));
    const other = await stage.public.call({ to: gig.wallet, data: encodePaid(0n) });
    expect(BigInt(other.data ?? '0x')).toBe(7n);
    expect(await stage.marks(gig.wallet)).toBe(1n);
    await delegate(gig);
    expect((await stage.pay(gig, [tip(0n, to)])).succeeded).toBe(false);
    expect((await stage.pay(gig, [tip(1n, to)])).succeeded).toBe(true);
  });
});

describe('what the contract cannot guard', () => {
  test('behavior: the wallet’s key can still send a plain transfer, which marks nothing', async () => {
    const [gig, to] = [await stage.delegated(), freshAddress()];
    await fundNative(gig.wallet, 10n ** 18n);
    const nonce = await nonceOf(gig.wallet);
    const terms = { type: 'eip1559', gas: 21_000n, maxFeePerGas: parseGwei('100'), maxPriorityFeePerGas: 1n } as const;
    const raw = await gig.account.signTransaction({ ...terms, chainId: CHAIN_ID, nonce, to, value: 5n });
    const outcome = await stage.outcome(await stage.public.sendRawTransaction({ serializedTransaction: raw }));
    expect(outcome.succeeded).toBe(true);
    expect(await stage.public.getBalance({ address: to })).toBe(5n);
    expect(await stage.marks(gig.wallet)).toBe(0n);
  });

  test('behavior: native money that is sent with exactly 21,000 gas is refused once the wallet delegates', async () => {
    const gig = gigOf();
    expect((await stage.send({ to: gig.wallet, data: '0x', value: 1n, gas: 21_000n })).succeeded).toBe(true);
    await delegate(gig);
    expect((await stage.send({ to: gig.wallet, data: '0x', value: 1n, gas: 21_000n })).succeeded).toBe(false);
  });
});
