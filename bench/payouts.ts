import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { createPublicClient, http } from 'viem';
import { type AnvilProcess, startAnvil } from '../sandbox/anvil.ts';
import { createLocalChain, type LocalToken } from '../sandbox/chain.ts';
import { MNEMONIC } from '../sandbox/people.ts';
import { createWallets } from '../src/chain/wallets.ts';
import type { Bench } from './bench.ts';
import { assertPaid } from './checks/paid.ts';
import { prepareLedger } from './data/ledger.ts';
import { receiveEvents } from './data/receiver.ts';
import { ratios, shownSpread, spreadOf } from './figures.ts';
import { measureExtraBlocks } from './payout-time.ts';
import { SERVER_CORE, startProgram } from './processes.ts';
import { type Section, table } from './report.ts';
import type { RaceOptions } from './rivals/race.ts';
import { inRounds } from './rounds.ts';
import { startService } from './surroundings.ts';

const GIGS = 64;
const TRANSFERS = 40;
/** The service looks back at one block only. */
const KEPT_STATES = 256;
const LONGEST_MS = 180_000;
const RECIPIENT = `0x${'00'.repeat(18)}beef` as const;

const GIG_IDS = Array.from({ length: GIGS }, (_, index) => index + 1);
const wallets = createWallets(MNEMONIC);

/** Deploys the contracts, and gives every wallet the tokens it pays, and gas for the loop. */
async function fund(url: string): Promise<LocalToken> {
  const chain = createLocalChain({ url, mnemonic: MNEMONIC });
  await chain.deployPayer();
  const token = await chain.deploy({ name: 'Bench', symbol: 'BENCH', decimals: 18 });
  const client = createPublicClient({ transport: http(url) });
  // anvil's own method, which viem's types of a public client do not name.
  const ask = client.request as (call: { method: string; params: unknown[] }) => Promise<unknown>;
  for (const gig of GIG_IDS) {
    const to = wallets.gigAddress(gig);
    await chain.send({ token, to, amount: BigInt(TRANSFERS) * 10n });
    await ask({ method: 'anvil_setBalance', params: [to, `0x${(10n ** 20n).toString(16)}`] });
  }
  return token;
}

/** An empty database for payments. */
export interface PayoutLedger {
  /** As `openStore` names it. */
  readonly url: string;
  /** How many payments are confirmed. */
  confirmed(): Promise<number>;
  close(): Promise<void>;
}

export interface Payer {
  readonly name: string;
  /** Payments confirmed a second, over the second half of them, on a chain of its own. */
  pay(bench: Bench, chain: { anvil: AnvilProcess; token: LocalToken }): Promise<number>;
}

export const CONFIRMED = "select count(*) from payments where state = 'confirmed'";

/** A file, looked into beside the service. */
export async function openSqliteLedger({ surroundings }: Bench): Promise<PayoutLedger> {
  const path = join(surroundings.folder, `payouts-${randomUUID()}.db`);
  let reader: SqliteDatabase.Database | undefined;
  return {
    url: path,
    async confirmed() {
      reader ??= new SqliteDatabase(path, { readonly: true });
      return reader.prepare<[], number>(CONFIRMED).pluck().get() ?? 0;
    },
    async close() {
      reader?.close();
    },
  };
}

type Note = (at: 'half' | 'all', pid: number, count: number) => void;

/**
 * Pays by the service from such a ledger.
 * @param note told of the service's process, when half is paid and when all is
 * @param isTold whether a webhook is told of each payment meanwhile
 */
export function payWithService(
  open: (bench: Bench) => Promise<PayoutLedger>,
  note: Note = () => undefined,
  isTold = false,
): Payer['pay'] {
  return async (bench, chain) => {
    const ledger = await open(bench);
    try {
      return await payFrom(ledger, { ...bench.surroundings, anvil: chain.anvil }, { token: chain.token, note, isTold });
    } finally {
      await ledger.close();
    }
  };
}

async function payFrom(
  ledger: PayoutLedger,
  surroundings: Bench['surroundings'],
  { token, note, isTold }: { token: LocalToken; note: Note; isTold: boolean },
): Promise<number> {
  const plan = { wallets, chainId: 31337, token, gigs: GIGS, payments: TRANSFERS, recipient: RECIPIENT };
  await prepareLedger(ledger.url, plan);
  const receiver = isTold ? await receiveEvents(ledger.url) : null;
  const env = { MENTION_POLL_SECONDS: '0', ...receiver?.env };
  const service = await startService(surroundings, { databasePath: ledger.url, env });
  const deadline = performance.now() + LONGEST_MS;
  let first: { at: number; n: number } | null = null;
  try {
    for (;;) {
      const now = performance.now();
      const n = await ledger.confirmed();
      if (first === null && n >= (GIGS * TRANSFERS) / 2) {
        first = { at: now, n };
        note('half', service.pid, n);
      }
      if (first !== null && n === GIGS * TRANSFERS) {
        note('all', service.pid, n);
        if (receiver?.taken() === 0) throw new Error('the webhook was told of nothing');
        return ((n - first.n) * 1_000) / (now - first.at);
      }
      if (now > deadline) throw new Error(`only ${n} payments were confirmed`);
      await wait(10);
    }
  } finally {
    await service.stop();
    await receiver?.close();
  }
}

/** A rival, which tells itself how long the second half of its transfers took. */
const payWithLoop: Payer['pay'] = async (_bench, { anvil, token }) => {
  const options: RaceOptions = {
    url: anvil.url,
    mnemonic: MNEMONIC,
    token: token.address,
    recipient: RECIPIENT,
    wallets: GIG_IDS,
    transfers: TRANSFERS,
  };
  const args = [new URL('./rivals/sign-and-send.ts', import.meta.url).pathname, JSON.stringify(options)];
  const { child } = startProgram(process.execPath, args, { core: SERVER_CORE, stdout: 'pipe' });
  if (child.stdout === null) throw new Error('the loop has no output');
  const took = Number.parseFloat(await readText(child.stdout));
  if (!(took > 0)) throw new Error('the loop has failed');
  return (GIGS * TRANSFERS * 1_000) / 2 / took;
};

const OURS: Payer = { name: 'this service', pay: payWithService(openSqliteLedger) };
const TOLD: Payer = { name: 'this service, with a webhook', pay: payWithService(openSqliteLedger, undefined, true) };
const LOOP: Payer = { name: 'a loop that signs and sends', pay: payWithLoop };

/**
 * A chain that has seen nothing but the funding, because anvil grows slower with every block.
 * @throws Error when not all that was paid has arrived there
 */
export async function onNewChain(bench: Bench, payer: Payer): Promise<number> {
  const anvil = await startAnvil({ keptStates: KEPT_STATES });
  try {
    const token = await fund(anvil.url);
    const perSecond = await payer.pay(bench, { anvil, token });
    const paid = { url: anvil.url, token: token.address, recipient: RECIPIENT };
    await assertPaid(payer.name, paid, { amount: BigInt(GIGS * TRANSFERS) });
    return perSecond;
  } finally {
    await anvil.stop();
  }
}

/** Payments from many gigs' wallets beside a loop that only signs and sends. */
export async function benchPayouts(bench: Bench): Promise<Section> {
  bench.say('payouts');
  const rounds = Math.max(3, Math.ceil(bench.rounds / 2));
  const payers = [OURS, TOLD, LOOP].map((payer) => ({ payer, found: [] as number[] }));
  await inRounds(rounds, async () => {
    for (const { payer, found } of payers) found.push(await onNewChain(bench, payer));
  });
  const foundBy = (one: Payer) => payers.find(({ payer }) => payer === one)?.found ?? [];
  const rows = payers.map(({ payer, found }) => [
    payer.name,
    shownSpread(spreadOf(found)),
    shownSpread(ratios(found, foundBy(LOOP))),
  ]);
  const intro =
    `${GIGS} gigs' wallets pay ${TRANSFERS} transfers of an ERC-20 each on anvil (a block for each transaction, a new node for ` +
    'each measurement). The service tries each payment first, keeps the bytes of each transaction on disk, makes many ' +
    'payments in one, and waits until their marks are in a block. The loop does nothing of that: each wallet signs one ' +
    'transfer after the other and sends it. With a webhook the service also tells a program of each payment. All are measured over the second half, when V8 has compiled what they run.';
  const { extra, text } = await measureExtraBlocks(bench);
  return {
    title: 'Payouts',
    text: `${intro}\n\n${table(['payer', 'payments/s', 'of the loop'], rows)}\n\n${text}`,
    verdicts: [
      {
        goal: 'payments confirmed a second with a webhook, of those without',
        is: 'at least',
        bound: 0.95,
        measured: ratios(foundBy(TOLD), foundBy(OURS)),
      },
      {
        goal: 'payments confirmed a second, of the loop’s',
        is: 'at least',
        bound: 2.0,
        measured: ratios(foundBy(OURS), foundBy(LOOP)),
      },
      {
        goal: 'blocks from planning to confirmed, beyond the confirmations',
        is: 'at most',
        bound: 1.5,
        measured: extra,
      },
    ],
  };
}
