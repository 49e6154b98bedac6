import { setTimeout as wait } from 'node:timers/promises';
import { MNEMONIC, NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import type { Bench } from '../bench.ts';
import { addOperatorKey, createPoster } from '../clients.ts';
import { prepareLedger } from '../data/ledger.ts';
import type { Postgres } from '../data/postgres.ts';
import { createServiceDatabase } from '../data/service-postgres.ts';
import { createHashes, signedEvent } from '../load/requests.ts';
import { startNeynar } from '../neynar.ts';
import { cpuMs, familyCpuMs } from '../processor-time.ts';
import { startService } from '../surroundings.ts';

/** Microseconds of processor time that one of something takes, of an instance and of the database. */
export interface Cost {
  readonly name: string;
  readonly own: number;
  readonly database: number;
}

const MENTIONS = 2_000;
const AWARDS = 2_000;
/** Enough for V8 to have compiled what they take. */
const WARM_UP = 1_000;
const AT_ONCE = 16;
const GIGS = 20;
const { botFid, webhookSecrets } = NETWORK_CREDENTIALS.farcaster;
const TOKEN = {
  address: '0x4ed4e862860bed51a9570b96d89af5e1b0efefed',
  name: 'Degen',
  symbol: 'DEGEN',
  decimals: 18,
} as const;

/** Does something often, so many at once, and answers what one took when the first ones have warmed everything up. */
async function measure(
  name: string,
  pids: { readonly own: number; readonly postgres: number },
  {
    count,
    run,
    settled,
  }: { count: number; run: (number: number) => Promise<void>; settled?: (count: number) => Promise<void> },
): Promise<Cost> {
  const doAll = async (from: number, to: number) => {
    let next = from;
    const lane = async () => {
      while (next < to) await run(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    await settled?.(to);
  };
  await doAll(0, WARM_UP);
  const before = { own: cpuMs(pids.own), database: familyCpuMs(pids.postgres) };
  await doAll(WARM_UP, WARM_UP + count);
  const micros = (now: number, then: number) => ((now - then) * 1_000) / count;
  return {
    name,
    own: micros(cpuMs(pids.own), before.own),
    database: micros(familyCpuMs(pids.postgres), before.database),
  };
}

/** A mention from its webhook to the reply. */
async function costOfMention(bench: Bench, postgres: Postgres): Promise<Cost> {
  const neynar = await startNeynar(botFid);
  const databasePath = await createServiceDatabase(postgres.connection, 'mentions');
  const service = await startService(bench.surroundings, { databasePath, env: { NEYNAR_BASE_URL: neynar.url } });
  const post = createPoster(service.port, 200);
  const nextHash = createHashes();
  try {
    return await measure(
      'a mention, answered',
      { own: service.pid, postgres: postgres.pid },
      {
        count: MENTIONS,
        async run(number) {
          const cast = { hash: nextHash(), author: 100_000 + number, botFid, text: '@gigclaim claims' };
          const { body, signature } = signedEvent(cast, webhookSecrets[0]);
          await post('/webhooks/farcaster', body, { 'x-neynar-signature': signature });
        },
        async settled(count) {
          while (neynar.repliedAt.size < count) await wait(20);
        },
      },
    );
  } finally {
    await service.stop();
    neynar.stop();
  }
}

/** An award of one tip by a client. */
async function costOfAward(bench: Bench, postgres: Postgres): Promise<Cost> {
  const databasePath = await createServiceDatabase(postgres.connection, 'awards');
  const plan = { wallets: createWallets(MNEMONIC), chainId: 8_453, token: TOKEN, recipient: null };
  await prepareLedger(databasePath, { ...plan, gigs: GIGS, payments: 0, reward: 10n ** 24n });
  const key = await addOperatorKey(databasePath);
  const service = await startService(bench.surroundings, {
    databasePath,
    env: { CHAINS: 'base', RPC_URL_8453: 'http://127.0.0.1:9' },
  });
  const post = createPoster(service.port, 201);
  try {
    return await measure(
      'an award of one tip',
      { own: service.pid, postgres: postgres.pid },
      {
        count: AWARDS,
        async run(number) {
          const tips = [{ platform: 'farcaster', platform_user_id: String(200_000 + number), value: 1 }];
          const headers = { 'x-api-key': key, 'idempotency-key': `bench-${number}` };
          await post(`/api/gigs/${1 + (number % GIGS)}/tips`, JSON.stringify({ tips }), headers);
        },
      },
    );
  } finally {
    await service.stop();
  }
}

/** What mentions and awards take on both sides. */
export async function measureCosts(bench: Bench, postgres: Postgres): Promise<Cost[]> {
  bench.say('PostgreSQL: mentions and awards');
  return [await costOfMention(bench, postgres), await costOfAward(bench, postgres)];
}
