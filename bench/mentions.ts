import { copyFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { NETWORK_CREDENTIALS } from '../sandbox/people.ts';
import type { Bench } from './bench.ts';
import { prepareSqlite } from './data/sqlite.ts';
import { quantile, shown, shownSpread, spreadOf } from './figures.ts';
import { createHashes, createRandom, signedEvent } from './load/requests.ts';
import { measureMentionCosts } from './mentions/cost.ts';
import { type Neynar, startNeynar } from './neynar.ts';
import { type Section, table } from './report.ts';
import { startService } from './surroundings.ts';

const TIPS = 100_000;
/** After a start, before V8 has compiled what a mention takes. */
const FIRST_MENTIONS = 10;
const IDLE_MENTIONS = 200;
const RATE = 200;
const STREAMS = 3;
const GRACE_MS = 30_000;
const { botFid, webhookSecrets } = NETWORK_CREDENTIALS.farcaster;
const SECRET = webhookSecrets[0];

interface Speaker {
  /** Delivers a mention; when it was sent, by its hash. */
  deliver(): string;
  readonly sentAt: Map<string, number>;
}

/** Lets people mention the bot one after the other; none of them twice, because the bot answers nobody all too often. */
function createCrowd(port: number): () => Speaker {
  const agent = new Agent({ keepAlive: true });
  const nextHash = createHashes();
  let author = 100_000;
  return () => {
    const sentAt = new Map<string, number>();
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

async function oneAtATime(neynar: Neynar, speaker: Speaker, mentions: number): Promise<Speaker> {
  for (let count = 0; count < mentions; count++) {
    await untilHeard(neynar, speaker.deliver());
    await wait(20);
  }
  return speaker;
}

async function stream(neynar: Neynar, speaker: Speaker, seconds: number): Promise<Speaker> {
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

/** How long the replies took that came, ascending. */
function takenTimes(neynar: Neynar, { sentAt }: Speaker): number[] {
  const taken = [...sentAt].flatMap(([hash, sent]) => {
    const replied = neynar.repliedAt.get(hash);
    return replied === undefined ? [] : [replied - sent];
  });
  return taken.sort((a, b) => a - b);
}

/** One line for what was measured once or several times. */
function row(name: string, neynar: Neynar, speakers: readonly Speaker[]): string[] {
  const measured = speakers.map((speaker) => takenTimes(neynar, speaker));
  const answered = measured.reduce((sum, { length }) => sum + length, 0);
  const sent = speakers.reduce((sum, { sentAt }) => sum + sentAt.size, 0);
  const times = [0.5, 0.99, 1].map((share) => {
    const spread = spreadOf(measured.map((taken) => quantile(taken, share)));
    return measured.length === 1 ? shown(spread.median) : shownSpread(spread);
  });
  return [name, `${answered} of ${sent}`, ...times];
}

/** From the moment an event is sent to us to the moment our reply arrives at the network. */
async function measureTimes(bench: Bench): Promise<string> {
  bench.say('mention to reply');
  const neynar = await startNeynar(botFid);
  const databasePath = join(bench.surroundings.folder, 'mentions.db');
  copyFileSync(await prepareSqlite(bench.dataFolder, TIPS), databasePath);
  const service = await startService(bench.surroundings, { databasePath, env: { NEYNAR_BASE_URL: neynar.url } });
  const seconds = bench.seconds * 4;
  try {
    const nextSpeaker = createCrowd(service.port);
    const first = await oneAtATime(neynar, nextSpeaker(), FIRST_MENTIONS);
    const idle = await oneAtATime(neynar, nextSpeaker(), IDLE_MENTIONS);
    const busy: Speaker[] = [];
    for (let turn = 0; turn < STREAMS; turn++) busy.push(await stream(neynar, nextSpeaker(), seconds));
    const rows = [
      row('the first ones after a start', neynar, [first]),
      row('one at a time', neynar, [idle]),
      row(`${RATE} a second, Poisson, ${STREAMS} times ${seconds} s`, neynar, busy),
    ];
    const head = ['mentions', 'answered', 'p50 ms', 'p99 ms', 'longest ms'];
    const intro =
      'From sending the event of a cast to the arrival of the reply at a stand-in for Neynar that answers at once: what the ' +
      'service adds to the networks’ own time.';
    return `${intro}\n\n${table(head, rows)}`;
  } finally {
    await service.stop();
    neynar.stop();
  }
}

/** How long a reply takes, and what it takes of the machine. */
export async function benchMentions(bench: Bench): Promise<Section> {
  const times = await measureTimes(bench);
  const { text, verdicts } = await measureMentionCosts(bench);
  return { title: 'Mention to reply', text: `${times}\n\n${text}`, verdicts };
}
