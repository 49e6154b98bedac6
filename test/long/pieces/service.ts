import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { numberToHex } from 'viem';
import { inject } from 'vitest';
import { serviceEnvironment } from '../../../sandbox/environment.ts';
import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import { createTwitterNetwork } from '../../../sandbox/networks/twitter.ts';
import { NETWORK_CREDENTIALS } from '../../../sandbox/people.ts';
import { freePort } from '../../../sandbox/port.ts';
import { storageKey } from '../../../src/chain/payer/contract/contracts.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { numbersToWords } from '../../../src/domain/payments/payment-numbers.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../../src/node-flags.ts';
import { anvilClients, deployToken, fundToken, type TestToken } from '../../support/anvil.ts';
import { run } from '../../support/process.ts';
import { diskFolder } from '../../support/store.ts';
import { type Ledger, writeLargeLedger } from './ledger.ts';

/** A service of its own process on a large ledger. */
export interface LargeService {
  readonly ledger: Ledger;
  readonly token: TestToken;
  readonly url: string;
  /** The names of its background work. */
  tasks(): Promise<string[]>;
  /** Does one piece of background work. @returns its longest piece, in milliseconds of processor time */
  runTask(name: string): Promise<number>;
  /** The longest piece since the last call. */
  takeLongest(): Promise<number>;
  stop(): Promise<void>;
}

/** Has the chain show the first numbers of a wallet as paid. */
async function markPaid(address: Address, count: number): Promise<void> {
  const { test } = anvilClients();
  const words = numbersToWords(Array.from({ length: count }, (_, number) => BigInt(number)));
  await Promise.all(
    words.map(({ word, bits }) =>
      test.setStorageAt({ address, index: storageKey(word), value: numberToHex(bits, { size: 32 }) }),
    ),
  );
  await test.mine({ blocks: 1 });
}

export async function startLargeService(): Promise<LargeService> {
  const folder = diskFolder();
  const path = `${folder.path}/large.db`;
  const mnemonic = generateMnemonic(wordlist);
  const token = await deployToken({ decimals: 18, symbol: 'LARGE' });
  const wallets = createWallets(mnemonic);
  const ledger = await writeLargeLedger(path, { token, wallets });
  for (const [gigId, amount] of ledger.held) await fundToken(token, wallets.gigAddress(gigId), amount);
  await markPaid(wallets.gigAddress(ledger.large), ledger.marked);
  const farcaster = createFarcasterNetwork(NETWORK_CREDENTIALS.farcaster);
  const x = createTwitterNetwork(NETWORK_CREDENTIALS.twitter);
  const url = `http://127.0.0.1:${await freePort(0)}`;
  const control = `http://127.0.0.1:${await freePort(0)}`;
  const places = {
    service: url,
    farcaster: await farcaster.start(),
    x: await x.start(),
    chain: inject('anvilUrl'),
  };
  const { child, seen, ended } = run('test/long/pieces/child.ts', {
    flags: NODE_FLAGS,
    env: {
      ...serviceEnvironment(places, path),
      ...NODE_ENVIRONMENT,
      GIG_WALLET_MNEMONIC: mnemonic,
      RATE_LIMIT_PER_MINUTE: '1000000000',
      SIGN_IN: 'wallet',
      OWNER_CREATE: 'anybody',
      NOTIFICATIONS: 'true',
      NOTIFICATIONS_WEBHOOK_URL: 'https://api.neynar.com/f/app/1/event',
      CONTROL_PORT: new URL(control).port,
    },
  });
  await seen(/ready/);
  async function tell(command: string): Promise<unknown> {
    const response = await fetch(`${control}${command}`);
    if (!response.ok) throw new Error(`${command}: ${await response.text()}`);
    return await response.json();
  }
  return {
    ledger,
    token,
    url,
    // Written by `child.ts`.
    tasks: async () => (await tell('/tasks')) as string[],
    runTask: async (name) => Number(await tell(`/tasks/${encodeURIComponent(name)}`)),
    takeLongest: async () => Number(await tell('/longest')),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await Promise.all([farcaster.stop(), x.stop()]);
      folder.remove();
    },
  };
}
