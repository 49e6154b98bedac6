import type { BrowserContext } from 'playwright-core';
import { type Hex, isHex, parseEther } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { anvilClients, mined } from '../../support/anvil.ts';

/** The shared node's chain, as wallets name it. */
export const ANVIL = '0x7a69';
/** The hash of a transaction that no chain has. */
export const LOST: Hex = `0x${'1a'.repeat(32)}`;

/** How a wallet behaves, which may be set at any time. */
interface Manners {
  chain: string;
  onSwitch: 'moves' | 'stays' | 'cannot' | 'does not know it' | 'hides that';
  onSend: 'sends' | 'declines' | 'expires' | 'disconnects' | 'loses it' | 'shouts' | 'names nothing' | 'reverts';
}

/** An EIP-1193 wallet with one key, on the shared node. */
export interface TestWallet extends Manners {
  readonly account: PrivateKeyAccount;
  /** The methods that it was asked for. */
  readonly asked: string[];
  answer(asked: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

function hexIn(value: unknown): Hex {
  if (typeof value !== 'string' || !isHex(value)) throw new Error(`${value} is no hex`);
  return value;
}

async function send({ account, onSend }: TestWallet, params: unknown): Promise<unknown> {
  if (typeof params !== 'object' || params === null) throw new Error('this is no transaction');
  const { to, value, data, chainId } = params as Readonly<Record<string, unknown>>;
  expect(chainId).toBe(ANVIL);
  if (onSend === 'declines') return { code: 4001, message: 'User rejected the request.' };
  if (onSend === 'disconnects') return { code: 4900, message: 'Disconnected.' };
  if (onSend === 'loses it') return LOST;
  if (onSend === 'shouts') return LOST.toUpperCase().replace('0X', '0x');
  if (onSend === 'names nothing') return null;
  if (onSend === 'expires') return { code: -32603, message: 'Request expired. Please try again.' };
  const reverting = { data: '0xdeadbeef' as Hex, gas: 60_000n };
  const paying = { value: BigInt(hexIn(value)), data: hexIn(data) };
  const call = { account, to: hexIn(to), ...(onSend === 'reverts' ? reverting : paying) };
  const hash = await anvilClients().wallet.sendTransaction(call);
  await mined(hash).catch(() => undefined);
  return hash;
}

function switchChain(wallet: TestWallet): unknown {
  switch (wallet.onSwitch) {
    case 'moves':
      wallet.chain = ANVIL;
      return null;
    case 'stays':
      return null;
    case 'cannot':
      return { code: -32601, message: 'The method does not exist.' };
    case 'does not know it':
      return { code: 4902, message: 'Unrecognized chain.' };
    case 'hides that':
      return { code: -32603, message: 'Internal error.', data: { originalError: { code: 4902 } } };
  }
}

async function answer(wallet: TestWallet, method: string, params: readonly unknown[]): Promise<unknown> {
  switch (method) {
    case 'eth_requestAccounts':
      return [wallet.account.address];
    case 'eth_chainId':
      return wallet.chain;
    case 'personal_sign':
      return await wallet.account.signMessage({ message: { raw: hexIn(params[0]) } });
    case 'wallet_switchEthereumChain':
      return switchChain(wallet);
    case 'wallet_addEthereumChain':
      expect(params[0]).toMatchObject({ chainId: ANVIL, chainName: 'Anvil', rpcUrls: [expect.any(String)] });
      wallet.chain = ANVIL;
      return null;
    case 'eth_sendTransaction':
      return await send(wallet, params[0]);
    default:
      return { code: -32601, message: `the wallet does not know ${method}` };
  }
}

/** A {@link TestWallet} with a new key and 10 ETH. */
export async function createWallet(): Promise<TestWallet> {
  const account = privateKeyToAccount(generatePrivateKey());
  await anvilClients().test.setBalance({ address: account.address, value: parseEther('10') });
  const asked: string[] = [];
  const wallet: TestWallet = {
    account,
    asked,
    chain: ANVIL,
    onSwitch: 'moves',
    onSend: 'sends',
    answer({ method, params = [] }) {
      asked.push(method);
      return answer(wallet, method, params);
    },
  };
  return wallet;
}

/** Defines `provider`, and `announce`, which tells of it as EIP-6963 says. */
export const PROVIDER = `
const provider = { request: async (asked) => {
  const answer = await window.askWallet(asked);
  if (answer !== null && typeof answer === 'object' && 'code' in answer) throw answer;
  return answer;
} };
const announce = (rdns = 'test.wallet') => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', {
  detail: { info: { uuid: String(Math.random()), rdns, name: 'Test Wallet' }, provider },
}));
`;
/** A wallet that is there when a page asks for it. */
export const AT_ONCE = `${PROVIDER} window.addEventListener('eip6963:requestProvider', () => announce());`;

/** Lets the pages of a browser reach a wallet; a script such as {@link AT_ONCE} announces it. */
export async function connect(context: BrowserContext, wallet: TestWallet): Promise<void> {
  await context.exposeFunction('askWallet', wallet.answer);
}

/** How often a wallet was asked to send. */
export function sends({ asked }: TestWallet): number {
  return asked.filter((method) => method === 'eth_sendTransaction').length;
}
