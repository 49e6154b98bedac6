import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { NetworkPost } from '../../../sandbox/networks/network.ts';
import { NETWORK_CREDENTIALS, person } from '../../../sandbox/people.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { openGig, START } from '../../services/earning/gigs.ts';
import { anvilClients, freshAddress, tokenBalance } from '../../support/anvil.ts';
import { answerTo, createApiClient, newApiKey, readReady } from '../../support/clients.ts';
import { runBeside } from '../../support/command.ts';
import { sampleAccount } from '../../support/earning.ts';
import { listen } from '../../support/listen.ts';
import { openPayingWorld, type PayingWorld, UNIT } from '../../support/paying-world.ts';
import { openProxy } from '../../support/proxies.ts';
import type { PassingCall } from '../../support/rpc-proxy.ts';
import { startPayingAnvil } from '../../support/setup-anvil.ts';
import { seedTips } from '../../support/store.ts';
import { FAST, openWorld, type World } from '../../support/world.ts';

// Recorded answers that once ended a payout, a reply or a like, each through the whole service to its right end. Those of a
// spending cap and of a gateway's time-out have files of their own.

const PATIENCE_MS = 30_000;

interface Recorded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

function recorded(place: string): Recorded {
  return JSON.parse(readFileSync(join(import.meta.dirname, `../../recorded/${place}.json`), 'utf8'));
}

/** How far the service's clock is ahead of the real one, in milliseconds. */
let ahead = 0;
beforeEach(() => {
  ahead = 0;
});
const clock = () => Date.now() + ahead;

describe('X', () => {
  /** What X answers to a call in place of its own answer, or null. */
  let instead: (call: string, body: string) => Recorded | null;
  let world: World;
  let fundedGig: PayingWorld['fundedGig'];

  /** A world whose X is behind a relay, from which it gets a recorded answer now and then. */
  async function open(): Promise<void> {
    instead = () => null;
    const relay = createServer((incoming, outgoing) => {
      void (async () => {
        const { method = '', url = '', headers } = incoming;
        const body = await buffer(incoming);
        const answer = instead(`${method} ${url}`, String(body));
        if (answer !== null) {
          outgoing.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body));
          return;
        }
        const { authorization = '', 'content-type': type = 'application/json' } = headers;
        const init = { method, headers: { authorization, 'content-type': type }, ...(body.length > 0 && { body }) };
        const real = await fetch(`${world.x.url}${url}`, init);
        const kind = real.headers.get('content-type') ?? '';
        outgoing.writeHead(real.status, { 'content-type': kind }).end(await real.text());
      })();
    });
    const { url, close } = await listen(relay);
    const look = { chainMs: 1_000, conditionMs: 30 };
    const paying = await openPayingWorld({ env: { X_BASE_URL: url }, clock, timing: { ...FAST, look } });
    ({ world, fundedGig } = paying);
    onTestFinished(async () => {
      await world.close();
      await close();
    });
  }

  const post = (author: string): NetworkPost => world.x.post({ author, text: '@gigclaim claims' });
  const reply = async ({ id }: NetworkPost) => {
    const mention = await world.runtime.store.mentionByPost('twitter', id);
    return mention === null ? null : await world.runtime.store.replyTo(mention.id);
  };

  test('security: replies wait for the end of a usage cap and through a restart, and each is sent once', async () => {
    await open();
    instead = () => recorded('x/usage-cap');
    const posts = ['alice', 'bob', 'carol'].map(post);
    const isPaused = async () => (await readReady(world)).reasons.some(({ kind }) => kind === 'platform_paused');
    await expect.poll(isPaused).toBe(true);
    const queued = async () => (await world.runtime.store.queueDepths()).replies.queued;
    await expect.poll(queued).toBe(3);
    await world.stop();
    ahead = 25 * HOUR_MS;
    instead = () => null;
    await world.start();
    for (const each of posts) await answerTo(world.x, each);
    expect(posts.map(({ id }) => world.x.repliesTo(id).length)).toEqual([1, 1, 1]);
  });

  test('behavior: a reply that the rule of July 2026 forbids is given up, and delays no other', async () => {
    await open();
    const refused = post('mallory');
    instead = (call, body) =>
      call.startsWith('POST /2/tweets') && body.includes(refused.id) ? recorded('x/reply-rule-july-2026') : null;
    await expect.poll(async () => (await reply(refused))?.lastError ?? '').toContain('403');
    for (const author of ['alice', 'mallory']) await answerTo(world.x, post(author));
    ahead += 60_000;
    await expect.poll(() => reply(refused)).toMatchObject({ state: 'failed', attempts: 2 });
  });

  test('behavior: a claim of a post that X fails to show is 503, and is paid when X shows it', async () => {
    await open();
    const { store } = world.runtime;
    const { gig } = await fundedGig({ live: true });
    const bob = { platform: 'twitter', platformUserId: person('bob').xUserId } as const;
    await seedTips(store, gig, [{ ...bob, amount: 7n * UNIT }]);
    const call = createApiClient(() => world.url, await newApiKey(store));
    world.x.faults.webhook = 'never';
    const { url } = world.x.post({ author: 'bob', text: `claim my rewards ${freshAddress()}` });
    instead = (asked) => (asked.startsWith('GET /2/tweets') ? recorded('x/internal-in-200') : null);
    expect((await call('POST', '/api/claim', { url })).status).toBe(503);
    instead = () => null;
    const { status, body } = await call('POST', '/api/claim', { url });
    expect({ status, body }).toMatchObject({ status: 200, body: { transactions: { successful: [{ amount: '7' }] } } });
  });
});

describe('Farcaster', () => {
  let world: World;

  /** Delivers a recorded webhook with the names of this world in place of those in it. */
  async function deliver(place: string, names: Readonly<Record<string, string>>): Promise<number> {
    const text = Object.entries(names).reduce(
      (whole, [from, to]) => whole.replaceAll(from, to),
      JSON.stringify(recorded(place).body),
    );
    const [secret] = NETWORK_CREDENTIALS.farcaster.webhookSecrets;
    const headers = { 'x-neynar-signature': createHmac('sha512', secret).update(text).digest('hex') };
    return (await fetch(`${world.url}/webhooks/farcaster`, { method: 'POST', headers, body: text })).status;
  }

  async function open(options: Parameters<typeof openWorld>[0] = {}): Promise<void> {
    world = await openWorld(options);
    onTestFinished(() => world.close());
  }

  test('behavior: a like that names its target alone is seen by the gig', async () => {
    const begun = Date.now();
    await open({ clock: () => START + Date.now() - begun, env: { EARNING_LOOK_SECONDS: '86400' } });
    const { store } = world.runtime;
    const cast = world.farcaster.post({ author: 'alice', text: 'Like this' });
    const gig = await openGig(store, { target: { kind: 'post', postId: cast.id, authorId: '1' } });
    await expect.poll(async () => (await store.watch(gig.id))?.lookedAt).not.toBeNull();
    expect(await deliver('farcaster/reaction-with-target-only', { [`0x${'15'.repeat(20)}`]: cast.id })).toBe(200);
    const seen = async () =>
      (await store.observations(gig.id, sampleAccount('900003'))).map(({ kind, source }) => [kind, source]);
    await expect.poll(seen).toEqual([['like', 'webhook']]);
  });

  test('behavior: a command behind a handle that Neynar did not know is answered', async () => {
    await open();
    world.farcaster.faults.webhook = 'never';
    const cast = world.farcaster.post({ author: 'alice', text: '@gigclaim claims' });
    const time = { '2024-05-20T12:00:00.000Z': new Date().toISOString() };
    const names = { [`0x${'16'.repeat(20)}`]: cast.id, '900004': '1001', asker: 'alice', ...time };
    expect(await deliver('farcaster/undefined-names', names)).toBe(200);
    expect(await answerTo(world.farcaster, cast)).toMatch(/^You have no claimable tokens/);
  });
});

describe('a node', () => {
  let anvil: Awaited<ReturnType<typeof startPayingAnvil>>;
  beforeAll(async () => {
    anvil = await startPayingAnvil();
  });
  afterAll(() => anvil.stop());

  type Reaction = (call: PassingCall, answer: Recorded) => ReturnType<Parameters<typeof openProxy>[1] & object>;
  const write = (answer: Recorded) => (response: ServerResponse) =>
    void response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body));
  /** Answers so when it is asked for the events of more blocks at once. */
  const atMost =
    (blocks: bigint): Reaction =>
    ({ params }, answer) => {
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
      return BigInt(toBlock) - BigInt(fromBlock) < blocks ? undefined : write(answer);
    };
  const firstTimes =
    (most: number): Reaction =>
    ({ times }, answer) =>
      times < most ? write(answer) : undefined;

  test.each<[file: string, method: string, react: Reaction, blocks?: number]>([
    ['quicknode-free-range', 'eth_getLogs', atMost(5n)],
    // By halves, and no fewer than fifty at a time.
    ['geth-list-timeout', 'eth_getLogs', atMost(64n), 200],
    [
      'log-removed-null',
      'eth_getLogs',
      async ({ forward }) => {
        const answer = await forward();
        if (typeof answer === 'function' || !('result' in answer)) return answer;
        return { result: (answer.result as object[]).map((log) => ({ ...log, removed: null })) };
      },
    ],
    [
      'in-mempool',
      'eth_sendRawTransaction',
      async ({ forward }, answer) => {
        await forward();
        return write(answer);
      },
    ],
    ['monad-priority', 'eth_sendRawTransaction', firstTimes(2)],
    ['proxyd-no-backends', 'eth_call', firstTimes(3)],
  ])(
    'behavior: that answers as in %s pays a claim once, and an older ledger learns of it',
    async (file, method, react, blocks = 20) => {
      const answer = recorded(`rpc/${file}`);
      let met = 0;
      const proxy = await openProxy(anvil.url, async (call) => {
        if (call.method !== method) return undefined;
        const reaction = await react(call, answer);
        if (reaction !== undefined) met += 1;
        return reaction;
      });
      const timing = { ...FAST, look: { chainMs: 300 } };
      const env = { RPC_URL_31337: proxy.url };
      const { world, token, fundedGig } = await openPayingWorld({ url: anvil.url, env, clock, timing });
      onTestFinished(() => world.close());
      const { gig } = await fundedGig();
      const call = createApiClient(() => world.url, await newApiKey(world.runtime.store));
      const start = async () => (await call('POST', '/api/gigs/start', { gig_id: gig.id })).status;
      await expect.poll(start).toBe(200);
      await seedTips(world.runtime.store, gig, [{ ...sampleAccount(1001), amount: 40n * UNIT }]);
      await world.stop();
      const backup = await world.database.copy();
      await world.start();
      const recipient = freshAddress();
      const claim = world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${recipient}` });
      const states = async () => {
        ahead += 3_000;
        return (await world.runtime.store.paymentsOfGig(gig.id)).map(({ state }) => state);
      };
      await expect.poll(states, { timeout: PATIENCE_MS, interval: 500 }).toEqual(['confirmed']);
      expect(await answerTo(world.farcaster, claim)).toMatch(/40 USDC/);
      // The ledger that has lost the payment asks for the events of all blocks since.
      await anvilClients(anvil.url).test.mine({ blocks });
      await world.stop();
      await world.database.restore(backup);
      await world.start();
      const { code, out, err } = await runBeside(world, { args: ['reconcile', '--json'], clock });
      expect({ code, err, books: JSON.parse(out) }).toMatchObject({
        code: 0,
        err: '',
        books: [{ gig_id: gig.id, adds_up: true, held: '60', problems: [] }],
      });
      expect(await states()).toEqual(['confirmed']);
      expect(await tokenBalance(token, recipient, anvil.url)).toBe(40n * UNIT);
      expect(met).toBeGreaterThan(0);
    },
  );
});
