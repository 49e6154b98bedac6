import { once } from 'node:events';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { serviceEnvironment } from '../../../sandbox/environment.ts';
import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import { NETWORK_CREDENTIALS } from '../../../sandbox/people.ts';
import { freePort } from '../../../sandbox/port.ts';
import { loadConfig, secretsOf } from '../../../src/config.ts';
import { USUAL_SCOPES } from '../../../src/domain/operators/actor.ts';
import { createLog } from '../../../src/log.ts';
import { createRuntime, type Runtime } from '../../../src/runtime.ts';
import { deployToken, freshAddress, fundToken } from '../../support/anvil.ts';
import { createApiClient, newApiKey } from '../../support/clients.ts';
import { readAmpleDisk } from '../../support/disk.ts';
import type { MadeGig } from '../../support/gig-client.ts';
import { openTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { MIGRATIONS, PAGES } from '../../support/store.ts';
import { FAST } from '../../support/world.ts';

const INSTANCES = 3;
const AUTHORS = 20;
const MENTIONS = 1_000;
/** No limit holds a reply: every mention is to be answered. */
const LIMITS = { perAuthor: MENTIONS, perThread: MENTIONS };

const OWN = { GIG_WALLET_MNEMONIC: generateMnemonic(wordlist), RATE_LIMIT_PER_MINUTE: '100000' };

let database: TestDatabase;
let runtimes: Runtime[];
let urls: string[];
const farcaster = createFarcasterNetwork(NETWORK_CREDENTIALS.farcaster);

async function openInstance(network: string): Promise<void> {
  const service = `http://127.0.0.1:${await freePort(0)}`;
  const places = { service, farcaster: network, x: network, chain: inject('anvilUrl') };
  const env = { ...serviceEnvironment(places, ''), DATABASE_URL: database.url, ...OWN };
  const loaded = loadConfig(env);
  const platforms = loaded.platforms.filter(({ id }) => id === 'farcaster');
  const config = { ...loaded, platforms, replyLimits: LIMITS };
  const log = createLog({ level: 'error', secrets: secretsOf(config), destination: { write: () => true } });
  const runtime = await createRuntime({
    config,
    log,
    migrationsFolder: MIGRATIONS,
    pagesFolder: PAGES,
    version: '0.0.0',
    timing: FAST,
    readDisk: readAmpleDisk,
  });
  const server = runtime.server.listen(config.port, '127.0.0.1');
  await once(server, 'listening');
  runtime.start();
  runtimes.push(runtime);
  urls.push(service);
}

beforeEach(async () => {
  database = await openTestDatabase();
  runtimes = [];
  urls = [];
  for (let author = 0; author < AUTHORS; author += 1) {
    farcaster.addUser({ id: String(5_000 + author), username: `author${author}` });
  }
  const network = await farcaster.start();
  for (let number = 0; number < INSTANCES; number += 1) await openInstance(network);
});
afterEach(async () => {
  await Promise.all(runtimes.map((runtime) => runtime.stop()));
  await farcaster.stop();
  await database.close();
});

/** The mentions with the replies to them, in the order in which the mentions were stored. */
async function readAnswers() {
  const { rows } = await database.client.query<{ post: string; author: string; reply: number; state: string }>(
    `select mentions.post_id as post, mentions.author_id as author, replies.id::int as reply, replies.state
     from mentions left join replies on replies.mention_id = mentions.id order by mentions.id, replies.id`,
  );
  return rows;
}

test('behavior: a thousand mentions of twenty authors are each answered once, those of an author in order', async () => {
  const posts: string[] = [];
  for (let number = 0; number < MENTIONS; number += 1) {
    farcaster.setWebhook(`${urls[number % INSTANCES]}/webhooks/farcaster`);
    const post = farcaster.post({ author: String(5_000 + (number % AUTHORS)), text: '@gigclaim claims' });
    posts.push(post.id);
    // Every tenth event comes again, to another instance.
    farcaster.setWebhook(`${urls[(number + 1) % INSTANCES]}/webhooks/farcaster`);
    if (number % 10 === 0) await farcaster.redeliver(post.id, 1);
  }
  await farcaster.settled();
  for (const post of posts) expect(await farcaster.waitForReply(post, 60_000)).not.toBeNull();
  for (const post of posts) expect(farcaster.repliesTo(post)).toHaveLength(1);

  const answers = await readAnswers();
  expect(answers).toHaveLength(MENTIONS);
  for (let author = 0; author < AUTHORS; author += 1) {
    const ids = answers.filter((answer) => answer.author === String(5_000 + author)).map(({ reply }) => reply);
    expect(ids).toHaveLength(MENTIONS / AUTHORS);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  }
  const stores = runtimes.map(({ store }) => store.instances());
  for (const seen of await Promise.all(stores)) expect(seen.filter(({ isAlive }) => isAlive)).toHaveLength(INSTANCES);
});

/** A client of all instances: each request goes to the next one. */
async function openClient() {
  const store = runtimes[0]?.store;
  if (store === undefined) throw new Error('no instance runs');
  let asked = 0;
  const next = () => urls[asked++ % INSTANCES] ?? '';
  return createApiClient(next, await newApiKey(store, { name: 'shop', scopes: USUAL_SCOPES }));
}

function count(answers: readonly { readonly status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('security: of fifty starts of a gig one succeeds, and fifty awards at its limit never exceed the reward', async () => {
  const call = await openClient();
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  const { body: gig } = await call<MadeGig>('POST', '/api/gigs/create', {
    chain: 'anvil',
    token_address: token.address,
    amount: 100,
    start_time: new Date(Date.now() - 1_000).toISOString(),
    duration: '1day',
    gig_type: 'like',
    url: 'https://farcaster.xyz/alice/0x947a76f1',
    earning_criteria: 'The jury decides.',
    refund_address: freshAddress(),
  });
  await fundToken(token, gig.gig_wallet_address, 105_000_000n);
  const fifty = Array.from({ length: 50 });
  const starts = await Promise.all(fifty.map(() => call('POST', '/api/gigs/start', { gig_id: gig.gig_id })));
  expect(count(starts)[200]).toBe(1);

  // Twelve of them fit: 12 times 8 are 96.
  const awards = await Promise.all(
    fifty.map((_, number) =>
      call('POST', `/api/gigs/${gig.gig_id}/tips`, {
        tips: [{ platform: 'farcaster', platform_user_id: String(7_000 + number), value: 8 }],
      }),
    ),
  );
  expect(count(awards)).toEqual({ 201: 12, 400: 38 });
  const { rows } = await database.client.query(
    'select awarded_amount::text as awarded, (select sum(amount) from tips)::text as tips from gigs',
  );
  expect(rows).toEqual([{ awarded: '96000000', tips: '96000000' }]);
});
