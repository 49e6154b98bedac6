import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import type { Bench } from '../bench.ts';
import type { Postgres } from '../data/postgres.ts';
import { createServiceDatabase } from '../data/service-postgres.ts';
import { shownSpread, spreadOf } from '../figures.ts';
import { createHashes, signedEvent } from '../load/requests.ts';
import { startNeynar } from '../neynar.ts';
import type { Section } from '../report.ts';
import { startService } from '../surroundings.ts';

const CRASHES = 5;
const PAUSE_MS = 10;
const LONGEST_MS = 60_000;
const { botFid, webhookSecrets } = NETWORK_CREDENTIALS.farcaster;

/** Asks again until it is true; the time at which it was, `performance.now()`. */
async function until(isTrue: () => Promise<boolean>): Promise<number> {
  const deadline = performance.now() + LONGEST_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('the service did not go on');
    await wait(PAUSE_MS);
  }
  return performance.now();
}

/** How long after the server is back a mention is taken, and how long until one is answered. */
export async function measureRecovery(bench: Bench, postgres: Postgres): Promise<Section> {
  bench.say('PostgreSQL: crashes');
  const neynar = await startNeynar(botFid);
  const databasePath = await createServiceDatabase(postgres.connection, 'recovery');
  const service = await startService(bench.surroundings, { databasePath, env: { NEYNAR_BASE_URL: neynar.url } });
  const nextHash = createHashes();
  let author = 300_000;

  async function isTaken(): Promise<boolean> {
    author += 1;
    const { body, signature } = signedEvent(
      { hash: nextHash(), author, botFid, text: '@gigclaim claims' },
      webhookSecrets[0],
    );
    const headers = { 'content-type': 'application/json', 'x-neynar-signature': signature };
    return await fetch(`${service.url}/webhooks/farcaster`, { method: 'POST', body, headers }).then(({ ok }) => ok);
  }

  async function isBack(): Promise<boolean> {
    const client = new pg.Client(postgres.connection);
    client.on('error', () => undefined);
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    return connected;
  }

  async function crash(): Promise<void> {
    const client = new pg.Client(postgres.connection);
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type = 'background writer'",
    );
    const pid = rows[0]?.pid;
    if (pid === undefined) throw new Error('the server has no background writer');
    process.kill(pid, 'SIGKILL');
    await client.end().catch(() => undefined);
  }

  try {
    const taken: number[] = [];
    const answered: number[] = [];
    await until(isTaken);
    for (let count = 0; count < CRASHES; count += 1) {
      await crash();
      // A server that is about to end may still take a connection.
      await wait(50);
      const backAt = await until(isBack);
      taken.push((await until(isTaken)) - backAt);
      const replies = neynar.repliedAt.size;
      answered.push((await until(async () => neynar.repliedAt.size > replies)) - backAt);
    }
    const goal = 'until a mention is answered once the database is back from a crash';
    return {
      title: 'After a crash of the server',
      text: `Once the server takes connections again, a webhook is kept after ${shownSpread(spreadOf(taken))} ms, and the next reply is sent after ${shownSpread(spreadOf(answered))} ms (${CRASHES} crashes).`,
      verdicts: [{ goal, is: 'at most', bound: 5_000, unit: 'ms', measured: spreadOf(answered) }],
    };
  } finally {
    await service.stop();
    neynar.stop();
  }
}
