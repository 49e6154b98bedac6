import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { startAnvil } from '../sandbox/anvil.ts';
import { createLocalChain } from '../sandbox/chain.ts';
import { MNEMONIC } from '../sandbox/people.ts';
import { createWallets } from '../src/chain/wallets.ts';
import { chainByKey } from '../src/domain/chains/chain.ts';
import type { Bench } from './bench.ts';
import { fidOf, prepareLedger } from './data/ledger.ts';
import { type Spread, shownSpread, spreadOf } from './figures.ts';
import { startService } from './surroundings.ts';

const CLAIMS = 12;
const BLOCK_MS = 2_000;
/** Not a multiple of the blocks', so that the claims come at different times within a block. */
const BETWEEN_CLAIMS_MS = 2_700;
const LONGEST_MS = 120_000;
const RECIPIENT = `0x${'00'.repeat(18)}beef` as const;

const wallets = createWallets(MNEMONIC);

interface Row {
  readonly state: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Claims one after the other by posts on the local Farcaster, and waits until all are paid. */
async function claimAll({ farcaster }: Bench['surroundings'], url: string, path: string): Promise<Row[]> {
  for (let person = 1; person <= CLAIMS; person++) {
    const username = `bench${person}`;
    farcaster.addUser({ id: fidOf(person), username });
    const post = farcaster.post({ author: username, text: `claim my rewards ${RECIPIENT}` });
    const body = JSON.stringify({ url: post.url });
    // It answers when the claim is paid, or after some time.
    const claimed = fetch(`${url}/api/claim`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    claimed.then(
      (answer) => answer.text(),
      () => undefined,
    );
    await wait(BETWEEN_CLAIMS_MS);
  }
  const reader = new SqliteDatabase(path, { readonly: true });
  const rows = reader.prepare<[], Row>('select state, created_at, updated_at from payments');
  try {
    for (const deadline = performance.now() + LONGEST_MS; ; ) {
      const found = rows.all();
      if (found.length === CLAIMS && found.every(({ state }) => state === 'confirmed')) return found;
      if (performance.now() > deadline) throw new Error(`${found.length} claims were made, and not all are paid`);
      await wait(100);
    }
  } finally {
    reader.close();
  }
}

/**
 * How many blocks beyond its chain's confirmations a payment takes from planning to confirmed: the service against anvil
 * in the place of Ethereum, with a block each two seconds.
 */
export async function measureExtraBlocks(bench: Bench): Promise<{ extra: Spread; text: string }> {
  bench.say('payouts: time');
  const chain = chainByKey('ethereum');
  if (chain === undefined) throw new Error('there is no chain ethereum');
  const anvil = await startAnvil();
  try {
    const local = createLocalChain({ url: anvil.url, mnemonic: MNEMONIC });
    await local.deployPayer();
    const token = await local.deploy({ name: 'Bench', symbol: 'BENCH', decimals: 18 });
    await local.send({ token, to: wallets.gigAddress(1), amount: BigInt(CLAIMS) * 10n });
    const ask = async (method: string, params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      await fetch(anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    };
    await ask('anvil_setChainId', [chain.id]);
    await ask('anvil_mine', [chain.confirmations]);
    await ask('evm_setIntervalMining', [BLOCK_MS / 1_000]);
    const path = join(bench.surroundings.folder, 'payout-time.db');
    await prepareLedger(path, { wallets, chainId: chain.id, token, gigs: 1, payments: CLAIMS, recipient: null });
    const env = { MENTION_POLL_SECONDS: '0', CHAINS: chain.key, [`RPC_URL_${chain.id}`]: anvil.url };
    const service = await startService({ ...bench.surroundings, anvil }, { databasePath: path, env });
    try {
      const rows = await claimAll(bench.surroundings, service.url, path);
      const blocks = rows.map(({ created_at, updated_at }) => (updated_at - created_at) / BLOCK_MS);
      const extra = spreadOf(blocks.map((count) => count - chain.confirmations));
      const text =
        `On a chain with a block each ${BLOCK_MS / 1_000} s and ${chain.confirmations} confirmations, ${CLAIMS} claims at ` +
        `different times within a block were confirmed ${shownSpread(spreadOf(blocks))} blocks after they were planned.`;
      return { extra, text };
    } finally {
      await service.stop();
    }
  } finally {
    await anvil.stop();
  }
}
