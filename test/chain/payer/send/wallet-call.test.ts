import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { signDelegation } from '../../../../src/chain/payer/contract/signature.ts';
import { signedCall } from '../../../../src/chain/payer/send/wallet-call.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../../src/domain/gigs/token.ts';
import { gigOf } from '../../../support/tip-payer.ts';

const KEY = generatePrivateKey();

/** An account that counts what it signs. */
function openAccount() {
  const account = privateKeyToAccount(KEY);
  let signatures = 0;
  const counted = <T extends unknown[], R>(sign: (...asked: T) => R) => {
    return (...asked: T) => {
      signatures += 1;
      return sign(...asked);
    };
  };
  const counting: PrivateKeyAccount = {
    ...account,
    signTypedData: counted(account.signTypedData) as PrivateKeyAccount['signTypedData'],
    signAuthorization: counted(account.signAuthorization) as PrivateKeyAccount['signAuthorization'],
  };
  return { account: counting, signatures: () => signatures };
}

test('behavior: a list of payments is signed once, by the bytes that another signature of them has', async () => {
  const { account, signatures } = openAccount();
  const wallet = account.address.toLowerCase() as `0x${string}`;
  const payments = [{ token: NATIVE_TOKEN_ADDRESS, to: wallet, amount: 5n, numbers: [1n] }];
  const call = { gigId: 1, wallet, payments };
  const tried = await signedCall(account, 31337, call);
  expect(await signedCall(account, 31337, { ...call })).toBe(tried);
  expect(signatures()).toBe(1);
  expect(await signedCall(account, 31337, { ...call, payments: [...payments] })).toBe(tried);
  expect(signatures()).toBe(2);
  expect(await signedCall(account, 8453, call)).not.toBe(tried);
  const other = gigOf();
  const more = await signedCall(other.account, 31337, { ...call, wallet: other.wallet });
  expect(more).not.toBe(tried);
  await expect(signedCall(other.account, 31337, { ...call, payments: [...payments] })).rejects.toThrow('cannot sign');
});

test('behavior: an authorization is signed once for its chain and nonce, by the same bytes', async () => {
  const { account, signatures } = openAccount();
  const terms = { chainId: 31337, nonce: 0 };
  const first = await signDelegation(account, terms);
  expect(await signDelegation(account, { ...terms })).toBe(first);
  expect(signatures()).toBe(1);
  expect(await signDelegation(privateKeyToAccount(KEY), terms)).toEqual(first);
  for (const changed of [{ chainId: 8453 }, { nonce: 1 }]) {
    expect(await signDelegation(account, { ...terms, ...changed })).toMatchObject(changed);
  }
  expect(signatures()).toBe(3);
});

test('error: an account that cannot authorize, or gives no parity, delegates no wallet', async () => {
  const { account } = openAccount();
  const { signAuthorization, ...cannot } = account;
  const terms = { chainId: 31337, nonce: 0 };
  const error = (message: string) => ({ name: 'TypeError', message });
  await expect(signDelegation(cannot, terms)).rejects.toMatchObject(error('the account cannot sign authorizations'));
  const half = async (asked: Parameters<typeof signAuthorization>[0]) => {
    const { yParity: _parity, ...rest } = await signAuthorization(asked);
    return rest;
  };
  // viem's type knows no authorization without one.
  const partial = { ...account, signAuthorization: half } as unknown as PrivateKeyAccount;
  await expect(signDelegation(partial, terms)).rejects.toMatchObject(error('the authorization has no parity'));
});
