import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { createPublicClient, http } from 'viem';
import { createWallets } from '../src/chain/wallets.ts';
import { createLocalChain, type LocalToken } from '../src/sandbox/chain.ts';
import { MNEMONIC } from '../src/sandbox/people.ts';
import type { Bench } from './bench.ts';
import { prepareLedger } from './data/ledger.ts';
import { ratios, shownSpread, spreadOf } from './figures.ts';
import { SERVER_CORE, startProgram } from './processes.ts';
import { type Section, table } from './report.ts';
import { startService } from './surroundings.ts';

const GIGS = 24;
const TRANSFERS = 50;
/** The rival's wallets are others of the same mnemonic. */
const RIVALS_FROM = 1_000;
const LONGEST_MS = 180_000;
const RECIPIENT = `0x${'00'.repeat(18)}beef` as const;

const wallets = createWallets(MNEMONIC);

function ids(from: number): number[] {
  return Array.from({ length: GIGS }, (_, index) => from + index);
}

/** Gives every wallet the tokens it pays and gas for all of it. */
async function fund(url: string, gigs: readonly number[], token: LocalToken, rounds: number): Promise<void> {
  const chain = createLocalChain({ url, mnemonic: MNEMONIC });
  const client = createPublicClient({ transport: http(url) });
  for (const gig of gigs) {
    const to = wallets.gigAddress(gig);
    await chain.send({ token, to, amount: BigInt(TRANSFERS * rounds) * 10n });
    // anvil's own method, which viem's types of a public client do not name.
    const ask = client.request as (call: { method: string; params: unknown[] }) => Promise<unknown>;
    await ask({ method: 'anvil_setBalance', params: [to, `0x${(10n ** 20n).toString(16)}`] });
  }
}

/** Transfers confirmed a second by the service, over the second half of them. */
async function payWithService({ surroundings }: Bench, token: LocalToken): Promise<number> {
  const path = join(surroundings.folder, `payouts-${randomUUID()}.db`);
  await prepareLedger(path, { wallets, token, gigs: GIGS, transfers: TRANSFERS, recipient: RECIPIENT });
  const service = await startService(surroundings, { databasePath: path, env: { MENTION_POLL_SECONDS: '0' } });
  const reader = new SqliteDatabase(path, { readonly: true });
  const count = reader.prepare<[], number>("select count(*) from transfers where state = 'confirmed'").pluck();
  const deadline = performance.now() + LONGEST_MS;
  let first: { at: number; n: number } | null = null;
  try {
    for (;;) {
      const now = performance.now();
      const n = count.get() ?? 0;
      if (n >= (GIGS * TRANSFERS) / 2) first ??= { at: now, n };
      if (first !== null && n === GIGS * TRANSFERS) return ((n - first.n) * 1_000) / (now - first.at);
      if (now > deadline) throw new Error(`only ${n} transfers were confirmed`);
      await wait(10);
    }
  } finally {
    reader.close();
    await service.stop();
  }
}

async function payWithLoop({ surroundings }: Bench, token: LocalToken): Promise<number> {
  const path = new URL('./rivals/sign-and-send.ts', import.meta.url).pathname;
  const options = { url: surroundings.anvil.url, mnemonic: MNEMONIC, token: token.address, recipient: RECIPIENT };
  const args = [path, JSON.stringify({ ...options, wallets: ids(RIVALS_FROM), transfers: TRANSFERS })];
  const { child } = startProgram(process.execPath, args, { core: SERVER_CORE, stdout: 'pipe' });
  if (child.stdout === null) throw new Error('the loop has no output');
  const took = Number.parseFloat(await text(child.stdout));
  if (!(took > 0)) throw new Error('the loop has failed');
  return (GIGS * TRANSFERS * 1_000) / 2 / took;
}

/** Payments from many gigs' wallets beside a loop that only signs and sends. */
export async function benchPayouts(bench: Bench): Promise<Section> {
  bench.say('payouts');
  const { url } = bench.surroundings.anvil;
  const chain = createLocalChain({ url, mnemonic: MNEMONIC });
  const token = await chain.deploy({ name: 'Bench', symbol: 'BENCH', decimals: 18 });
  const rounds = Math.max(3, Math.ceil(bench.rounds / 2));
  await fund(url, [...ids(1), ...ids(RIVALS_FROM)], token, rounds);
  const ours: number[] = [];
  const loops: number[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await payWithService(bench, token));
    loops.push(await payWithLoop(bench, token));
  }
  const rows = [
    ['this service', shownSpread(spreadOf(ours))],
    ['a loop that signs and sends', shownSpread(spreadOf(loops))],
  ];
  const intro =
    `${GIGS} gigs' wallets pay ${TRANSFERS} transfers of an ERC-20 each on anvil (a block for each transaction). The service keeps ` +
    'the nonce, the bytes and the outcome of every transfer on disk, tries it first and waits until it is in a block; the loop ' +
    'does nothing of that. Both are measured over the second half, when V8 has compiled what they run.';
  return {
    title: 'Payouts',
    text: `${intro}\n\n${table(['payer', 'transfers/s'], rows)}`,
    verdicts: [
      {
        goal: 'transfers confirmed a second, of the loop’s',
        ...{ is: 'at least', bound: 0.5, measured: ratios(ours, loops) },
      },
    ],
  };
}
