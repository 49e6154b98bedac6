import { copyFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { NETWORK_CREDENTIALS } from '../src/sandbox/people.ts';
import type { Bench } from './bench.ts';
import { prepareSqlite } from './data/sqlite.ts';
import { quantile, shown } from './figures.ts';
import { createHashes, createRandom, signedEvent } from './load/requests.ts';
import { type Neynar, startNeynar } from './neynar.ts';
import { type Section, table } from './report.ts';
import { startService } from './surroundings.ts';

const TIPS = 100_000;
/** After a start, before V8 has compiled what a mention takes. */
const FIRST_MENTIONS = 10;
const IDLE_MENTIONS = 200;
const RATE = 200;
const GRACE_MS = 30_000;
const { botFid, webhookSecrets } = NETWORK_CREDENTIALS.farcaster;
const SECRET = webhookSecrets[0];

interface Speaker {
  /** Delivers a mention; when it was sent, by its hash. */
  deliver(): string;
  readonly sentAt: Map<string, number>;
}

/** Lets people mention the bot one after the other; none of them twice, because the bot answers nobody all too often. */
function createSpeaker(port: number): Speaker {
  const agent = new Agent({ keepAlive: true });
  const nextHash = createHashes();
  const sentAt = new Map<string, number>();
  let author = 100_000;
  return {
    sentAt,
    deliver() {
      const hash = nextHash();
      author += 2;
      const { body, signature } = signedEvent({ hash, author, botFid, text: '@gigclaim claims' }, SECRET);
      const headers = { 'content-type': 'application/json', 'x-neynar-signature': signature };
      sentAt.set(hash, performance.now());
      const sent = request({ port, host: '127.0.0.1', path: '/webhooks/farcaster', method: 'POST', agent, headers });
      sent.on('response', (response) => response.resume());
      sent.end(body);
      return hash;
    },
  };
}

async function untilHeard(neynar: Neynar, hash: string): Promise<void> {
  if (neynar.repliedAt.has(hash)) return;
  await new Promise<void>((resolve) => {
    neynar.heard = (parent) => {
      if (parent === hash) resolve();
    };
  });
}

async function oneAtATime(neynar: Neynar, port: number, mentions: number): Promise<Speaker> {
  const speaker = createSpeaker(port);
  for (let count = 0; count < mentions; count++) {
    await untilHeard(neynar, speaker.deliver());
    await wait(20);
  }
  return speaker;
}

async function stream(neynar: Neynar, port: number, seconds: number): Promise<Speaker> {
  const speaker = createSpeaker(port);
  const random = createRandom(11);
  const end = performance.now() + seconds * 1_000;
  let due = performance.now();
  while (due < end) {
    const now = performance.now();
    if (due > now) await wait(due - now);
    speaker.deliver();
    due += (-Math.log(1 - random()) / RATE) * 1_000;
  }
  const deadline = performance.now() + GRACE_MS;
  const isDone = () => [...speaker.sentAt.keys()].every((hash) => neynar.repliedAt.has(hash));
  while (!isDone() && performance.now() < deadline) await wait(50);
  return speaker;
}

function row(name: string, neynar: Neynar, { sentAt }: Speaker): string[] {
  const taken = [...sentAt].flatMap(([hash, sent]) => {
    const replied = neynar.repliedAt.get(hash);
    return replied === undefined ? [] : [replied - sent];
  });
  taken.sort((a, b) => a - b);
  const times = [0.5, 0.99].map((share) => shown(quantile(taken, share)));
  return [name, `${taken.length} of ${sentAt.size}`, ...times, shown(taken.at(-1) ?? Number.NaN)];
}

/** From the moment an event is sent to us to the moment our reply arrives at the network. */
export async function benchMentions(bench: Bench): Promise<Section> {
  bench.say('mention to reply');
  const neynar = await startNeynar(botFid);
  const databasePath = join(bench.surroundings.folder, 'mentions.db');
  copyFileSync(await prepareSqlite(bench.dataFolder, TIPS), databasePath);
  const service = await startService(bench.surroundings, { databasePath, env: { NEYNAR_BASE_URL: neynar.url } });
  const seconds = bench.seconds * 4;
  try {
    const first = row('the first ones after a start', neynar, await oneAtATime(neynar, service.port, FIRST_MENTIONS));
    const idle = row('one at a time', neynar, await oneAtATime(neynar, service.port, IDLE_MENTIONS));
    const busy = row(`${RATE} a second, Poisson`, neynar, await stream(neynar, service.port, seconds));
    const head = ['mentions', 'answered', 'p50 ms', 'p99 ms', 'longest ms'];
    const intro =
      'From sending the event of a cast to the arrival of the reply at a stand-in for Neynar that answers at once: what the ' +
      'service adds to the networks’ own time. Three commits lie between: the mention, its answer, and the reply marked as being sent.';
    return { title: 'Mention to reply', text: `${intro}\n\n${table(head, [first, idle, busy])}`, verdicts: [] };
  } finally {
    await service.stop();
    neynar.stop();
  }
}
