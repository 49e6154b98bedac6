import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { NETWORK_CREDENTIALS } from '../sandbox/people.ts';
import type { Bench } from './bench.ts';
import { type Contender, compare, doubt } from './contender.ts';
import { usersOf } from './data/rows.ts';
import { prepareSqlite } from './data/sqlite.ts';
import { ratios, shownSpread, spreadOf } from './figures.ts';
import { createHashes, signedEvent } from './load/requests.ts';
import { startNeynar } from './neynar.ts';
import { table, type Verdict } from './report.ts';
import { startService } from './surroundings.ts';

const MENTIONS_A_SECOND = 50;
const { botFid, webhookSecrets } = NETWORK_CREDENTIALS.farcaster;
const SECRET = webhookSecrets[0];
const OURS = 'this service, storing and answering 50 mentions a second';

/** Delivers mentions at a steady rate until it is stopped. */
function startMentions(port: number): () => void {
  const agent = new Agent({ keepAlive: true });
  let stopped = false;
  const nextHash = createHashes();
  let author = 10_000_000;
  const deliver = () => {
    author += 1;
    const cast = { hash: nextHash(), author, botFid, text: '@gigclaim claims' };
    const { body, signature } = signedEvent(cast, SECRET);
    const headers = { 'content-type': 'application/json', 'x-neynar-signature': signature };
    const sent = request({ port, host: '127.0.0.1', path: '/webhooks/farcaster', method: 'POST', agent, headers });
    sent.on('response', (response) => response.resume());
    sent.on('error', (error) => {
      // What is under way when the measurement ends is cut off.
      if (!stopped) throw error;
    });
    sent.end(body);
  };
  const timer = setInterval(deliver, 1_000 / MENTIONS_A_SECOND);
  return () => {
    stopped = true;
    clearInterval(timer);
    agent.destroy();
  };
}

/** Look-ups in a closed loop beside a constant, while mentions are stored and answered; on a copy of the data. */
export async function compareWhileWriting(
  bench: Bench,
  { constant, tips, connections }: { constant: Contender; tips: number; connections: number },
): Promise<{ text: string; verdicts: Verdict[] }> {
  const neynar = await startNeynar(botFid);
  const databasePath = join(bench.surroundings.folder, `busy-${randomUUID()}.db`);
  copyFileSync(await prepareSqlite(bench.dataFolder, tips), databasePath);
  const service = await startService(bench.surroundings, { databasePath, env: { NEYNAR_BASE_URL: neynar.url } });
  const ours = { name: OURS, port: service.port, pid: service.pid, stop: () => service.stop() };
  const stopMentions = startMentions(service.port);
  try {
    const { rounds, seconds } = bench;
    const load = {
      rounds,
      seconds,
      connections,
      rate: null,
      asked: { kind: 'lookups' as const, users: usersOf(tips) },
    };
    const found = await compare(bench.generator, [constant, ours], { ...load, warmUpRounds: 2 });
    const of = (name: string) => found.get(name) ?? [];
    const measured = ratios(
      of(OURS).map(({ perSecond }) => perSecond),
      of(constant.name).map(({ perSecond }) => perSecond),
    );
    const rows = [...found].map(([name, all]) => [
      name,
      shownSpread(spreadOf(all.map(({ perSecond }) => perSecond))),
      shownSpread(spreadOf(all.map(({ p99 }) => p99))),
    ]);
    const goal = `look-ups of ${tips.toLocaleString('en-US')} tips, ${MENTIONS_A_SECOND} mentions a second meanwhile, of the constant`;
    return {
      text: table(['server', 'answers/s', 'p99 ms'], rows),
      verdicts: [{ goal, is: 'at least', bound: 0.35, measured, doubt: doubt(of(OURS), of(constant.name)) }],
    };
  } finally {
    stopMentions();
    await ours.stop();
    neynar.stop();
  }
}
