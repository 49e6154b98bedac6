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
import { familyCpuMs } from './processor-time.ts';
import { type Section, table, type Verdict } from './report.ts';
import type { Raced, RaceOptions } from './rivals/race.ts';
import { inRounds } from './rounds.ts';
import { startService } from './surroundings.ts';

/** Of how many gigs' wallets how many payments are made. */
export interface Shape {
  readonly gigs: number;
  /** Of each wallet. */
  readonly transfers: number;
}

/** The one in which the loop takes part, and one gig that pays many, and many that pay few. */
const SEVERAL: Shape = { gigs: 64, transfers: 40 };
const ONE: Shape = { gigs: 1, transfers: 1_500 };
const MANY: Shape = { gigs: 600, transfers: 2 };
/** The service looks back at one block only. */
const KEPT_STATES = 256;
const LONGEST_MS = 180_000;
const RECIPIENT = `0x${'00'.repeat(18)}beef` as const;

const wallets = createWallets(MNEMONIC);

/** Deploys the contracts. */
async function deploy(url: string): Promise<LocalToken> {
  const chain = createLocalChain({ url, mnemonic: MNEMONIC });
  await chain.deployPayer();
  return await chain.deploy({ name: 'Bench', symbol: 'BENCH', decimals: 18 });
}

/** Gives wallets the tokens that they pay, and gas for the loop. */
async function fund({ anvil: { url }, token, shape }: PayerChain, gigIds: readonly number[]): Promise<void> {
  const chain = createLocalChain({ url, mnemonic: MNEMONIC });
  const client = createPublicClient({ transport: http(url) });
  // anvil's own method, which viem's types of a public client do not name.
  const ask = client.request as (call: { method: string; params: unknown[] }) => Promise<unknown>;
  for (const gig of gigIds) {
    const to = wallets.gigAddress(gig);
    await chain.send({ token, to, amount: BigInt(shape.transfers) * 10n });
    await ask({ method: 'anvil_setBalance', params: [to, `0x${(10n ** 20n).toString(16)}`] });
  }
}

/** A database for payments. */
export interface PayoutLedger {
  /** As `openStore` names it. */
  readonly url: string;
  /** How many of these payments are confirmed. */
  confirmed(): Promise<number>;
  close(): Promise<void>;
}

/** What the second half of the payments took. */
export interface Paid {
  readonly perSecond: number;
  /** Microseconds of processor time for each, of all threads of the payer. */
  readonly micros: number;
}

interface PayerChain {
  readonly anvil: AnvilProcess;
  readonly token: LocalToken;
  readonly shape: Shape;
}

export interface Payer {
  readonly name: string;
  /** Pays on a chain that nobody else uses. */
  pay(bench: Bench, chain: PayerChain): Promise<Paid>;
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

/** Told when half is paid and when all is. */
type Note = (at: 'half' | 'all', count: number) => void;

/**
 * Pays by the service from such a ledger.
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
      return await payFrom(ledger, bench.surroundings, { chain, note, isTold });
    } finally {
      await ledger.close();
    }
  };
}

async function payFrom(
  ledger: PayoutLedger,
  surroundings: Bench['surroundings'],
  { chain, note, isTold }: { chain: PayerChain; note: Note; isTold: boolean },
): Promise<Paid> {
  const { anvil, token } = chain;
  const { gigs, transfers } = chain.shape;
  const plan = { wallets, chainId: 31337, token, gigs, payments: transfers, recipient: RECIPIENT };
  await fund(chain, await prepareLedger(ledger.url, plan));
  const receiver = isTold ? await receiveEvents(ledger.url) : null;
  const env = { MENTION_POLL_SECONDS: '0', ...receiver?.env };
  const service = await startService({ ...surroundings, anvil }, { databasePath: ledger.url, env });
  const deadline = performance.now() + LONGEST_MS;
  let first: { at: number; n: number; cpu: number } | null = null;
  try {
    for (;;) {
      const now = performance.now();
      const n = await ledger.confirmed();
      if (first === null && n >= (gigs * transfers) / 2) {
        first = { at: now, n, cpu: familyCpuMs(service.pid) };
        note('half', n);
      }
      if (first !== null && n === gigs * transfers) {
        const cpu = familyCpuMs(service.pid) - first.cpu;
        note('all', n);
        if (receiver?.taken() === 0) throw new Error('the webhook was told of nothing');
        const paid = n - first.n;
        if (paid === 0) throw new Error('all payments were confirmed at once: none is left to measure');
        return { perSecond: (paid * 1_000) / (now - first.at), micros: (cpu * 1_000) / paid };
      }
      if (now > deadline) throw new Error(`only ${n} payments were confirmed`);
      await wait(10);
    }
  } finally {
    await service.stop();
    await receiver?.close();
  }
}

/** A rival, which tells itself what the second half of its transfers took. */
const payWithLoop: Payer['pay'] = async (_bench, chain) => {
  const { anvil, token, shape } = chain;
  const gigIds = Array.from({ length: shape.gigs }, (_, index) => index + 1);
  await fund(chain, gigIds);
  const options: RaceOptions = {
    url: anvil.url,
    mnemonic: MNEMONIC,
    token: token.address,
    recipient: RECIPIENT,
    wallets: gigIds,
    transfers: shape.transfers,
  };
  const args = [new URL('./rivals/sign-and-send.ts', import.meta.url).pathname, JSON.stringify(options)];
  const { child } = startProgram(process.execPath, args, { core: SERVER_CORE, stdout: 'pipe' });
  if (child.stdout === null) throw new Error('the loop has no output');
  const told = await readText(child.stdout);
  if (told === '') throw new Error('the loop has failed');
  // Written by `bench/rivals/race.ts`.
  const { ms, micros } = JSON.parse(told) as Raced;
  const half = (shape.gigs * shape.transfers) / 2;
  return { perSecond: (half * 1_000) / ms, micros: micros / half };
};

const OURS: Payer = { name: 'this service', pay: payWithService(openSqliteLedger) };
const TOLD: Payer = { name: 'this service, with a webhook', pay: payWithService(openSqliteLedger, undefined, true) };
const LOOP: Payer = { name: 'a loop that signs and sends', pay: payWithLoop };

/**
 * A chain that has seen nothing but the funding, because anvil grows slower with every block.
 * @throws Error when not all that was paid has arrived there
 */
export async function onNewChain(bench: Bench, payer: Payer, shape: Shape = SEVERAL): Promise<Paid> {
  const anvil = await startAnvil({ keptStates: KEPT_STATES });
  try {
    const token = await deploy(anvil.url);
    const found = await payer.pay(bench, { anvil, token, shape });
    const paid = { url: anvil.url, token: token.address, recipient: RECIPIENT };
    await assertPaid(payer.name, paid, { amount: BigInt(shape.gigs * shape.transfers) });
    return found;
  } finally {
    await anvil.stop();
  }
}

const perSecond = ({ perSecond }: Paid) => perSecond;
const micros = ({ micros }: Paid) => micros;

/** The shapes of payments that the service alone makes, with the goal of each. */
const ALONE: readonly (readonly [Shape, most: number])[] = [
  [ONE, 350],
  [MANY, 1_600],
];
const MOST_OF_SEVERAL = 500;

function microsVerdict({ gigs, transfers }: Shape, bound: number, found: readonly Paid[]): Verdict {
  const goal = `processor time of a payment, of ${gigs * transfers} from ${gigs === 1 ? '1 gig' : `${gigs} gigs`}`;
  return { goal, is: 'at most', bound, unit: 'µs', measured: spreadOf(found.map(micros)) };
}

/** Payments from many gigs' wallets beside a loop that only signs and sends, and in other shapes. */
export async function benchPayouts(bench: Bench): Promise<Section> {
  bench.say('payouts');
  const rounds = Math.max(3, Math.ceil(bench.rounds / 2));
  const contests = [
    ...[OURS, TOLD, LOOP].map((payer) => ({ payer, shape: SEVERAL, found: [] as Paid[] })),
    ...ALONE.map(([shape]) => ({ payer: OURS, shape, found: [] as Paid[] })),
  ];
  await inRounds(rounds, async () => {
    for (const { payer, shape, found } of contests) found.push(await onNewChain(bench, payer, shape));
  });
  const foundBy = (one: Payer, of = SEVERAL) =>
    contests.find(({ payer, shape }) => payer === one && shape === of)?.found ?? [];
  const loop = foundBy(LOOP).map(perSecond);
  const rows = contests.map(({ payer, shape, found }) => [
    `${payer.name}, ${shape.gigs} × ${shape.transfers}`,
    shownSpread(spreadOf(found.map(perSecond))),
    shape === SEVERAL ? shownSpread(ratios(found.map(perSecond), loop)) : '–',
    shownSpread(spreadOf(found.map(micros))),
  ]);
  const intro =
    "Gigs' wallets pay transfers of an ERC-20 each on anvil (a block for each transaction, a new node for " +
    'each measurement). The service tries each payment first, keeps the bytes of each transaction on disk, makes many ' +
    'payments in one, and waits until their marks are in a block. The loop does nothing of that: each wallet signs one ' +
    'transfer after the other and sends it. With a webhook the service also tells a program of each payment. All are measured over the second half, when V8 has compiled what they run.';
  const { extra, text } = await measureExtraBlocks(bench);
  return {
    title: 'Payouts',
    text: `${intro}\n\n${table(['payer, gigs × payments', 'payments/s', 'of the loop', 'its CPU, µs'], rows)}\n\n${text}`,
    verdicts: [
      {
        goal: 'payments confirmed a second with a webhook, of those without',
        is: 'at least',
        bound: 0.95,
        measured: ratios(foundBy(TOLD).map(perSecond), foundBy(OURS).map(perSecond)),
      },
      {
        goal: 'payments confirmed a second, of the loop’s',
        is: 'at least',
        bound: 1.3,
        measured: ratios(foundBy(OURS).map(perSecond), loop),
      },
      microsVerdict(SEVERAL, MOST_OF_SEVERAL, foundBy(OURS)),
      ...ALONE.map(([shape, most]) => microsVerdict(shape, most, foundBy(OURS, shape))),
      {
        goal: 'blocks from planning to confirmed, beyond the confirmations',
        is: 'at most',
        bound: 1.5,
        measured: extra,
      },
    ],
  };
}
