import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createWallets } from '../../../../src/chain/wallets.ts';
import { fundNative, fundToken, type TestToken, tokenBalance } from '../../../support/anvil.ts';
import { createTestDatabase, isOnPostgres, type TestDatabase } from '../../../support/database.ts';
import { dieAtEveryCommit } from '../../../support/deaths.ts';
import type { Death } from '../../../support/dying-store.ts';
import type { PaidGigOrder } from '../../../support/paid-gig-child.ts';
import { run } from '../../../support/process.ts';
import { deployUsdc, FUNDING, startFacilitator, takeToken } from '../../../support/x402.ts';

const MOST_DEATHS = 40;
/** On one engine right before each commit, on the other right after it: what lies between is what a process does outside. */
const WHEN = isOnPostgres() ? 'after' : 'before';
/** Longer than the lease of a start. */
const LATER_MS = 70_000;

let database: TestDatabase;
let token: TestToken;
let order: Omit<PaidGigOrder, 'key' | 'agent' | 'dies' | 'facilitatorUrl' | 'aheadMs'>;
beforeEach(async () => {
  database = await createTestDatabase();
  const mnemonic = generateMnemonic(wordlist);
  const rpcUrl = inject('anvilUrl');
  token = await deployUsdc();
  await fundNative(createWallets(mnemonic).gasTankAddress(), 10n ** 18n);
  const store = await database.open();
  await takeToken(store, token, rpcUrl, mnemonic);
  await store.close();
  order = { url: database.url, rpcUrl, mnemonic, token: token.address };
});
afterEach(() => database.remove());

/** Each death has an agent and a key of its own; the next process is asked the same, by an agent that signs anew where it is told to. */
async function payAndDie(facilitatorUrl: string | null): Promise<void> {
  const turn = async (before: number) => {
    const agent = generatePrivateKey();
    const { address } = privateKeyToAccount(agent);
    await fundToken(token, `0x${address.slice(2).toLowerCase()}`, 4n * FUNDING);
    const own = { ...order, agent, key: `order-${before}`, facilitatorUrl };
    return {
      start: (dies: Death | null) => {
        const all: PaidGigOrder = { ...own, dies, aheadMs: dies === null ? LATER_MS : 0 };
        return run('test/support/paid-gig-child.ts', { args: [JSON.stringify(all)] });
      },
      check: async () => expect(await tokenBalance(token, address)).toBe(3n * FUNDING),
    };
  };
  const deaths = await dieAtEveryCommit(MOST_DEATHS, turn, (before) => ({ when: WHEN, commit: 1 + before }));
  expect(deaths).toBeGreaterThan(6);
  const after = await database.open();
  for (let id = 1; id <= deaths + 1; id += 1) {
    const gig = await after.gig(id);
    if (gig === null) continue;
    // One whose process died before it was told of the gig is nobody's.
    const deposit = await after.depositOf(id);
    if (deposit === null) expect(gig.status).toBe('created');
    else {
      expect([gig.status, deposit.state]).toEqual(['live', 'settled']);
      expect(await tokenBalance(token, gig.walletAddress)).toBe(FUNDING);
    }
  }
  await after.close();
}

describe('a process that is killed at any commit', () => {
  test('security: has the gas tank pay for a gig once', () => payAndDie(null), 900_000);

  test('security: has a facilitator pay for a gig once', async () => {
    const facilitator = await startFacilitator();
    await payAndDie(facilitator.url).finally(() => facilitator.close());
  }, 900_000);
});
