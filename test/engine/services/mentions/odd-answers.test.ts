import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createChains } from '../../../../src/chain/registry.ts';
import { runAdmin } from '../../../../src/cli/program.ts';
import { MOST_ODD_ANSWERS } from '../../../../src/domain/platforms/odd-answer.ts';
import { createFarcaster } from '../../../../src/platforms/farcaster/adapter.ts';
import { createXPlatform } from '../../../../src/platforms/x/adapter.ts';
import { createOddAnswers, type OddAnswers } from '../../../../src/services/mentions/odd-answers.ts';
import type { Store } from '../../../../src/store/port/index.ts';
import { BASE } from '../../../chain/endpoints.ts';
import { answering, FARCASTER, NOW, openWire, replyTo, TWITTER } from '../../../platforms/setup.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { readAmpleDisk } from '../../../support/disk.ts';
import { MIGRATIONS } from '../../../support/store.ts';

const ADDRESS = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const TOKEN = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
const POST = '2080765813578191303';

let database: TestDatabase;
let store: Store;
let answers: OddAnswers;
let now = NOW;

beforeEach(async () => {
  now = NOW;
  database = await createTestDatabase();
  store = await database.open();
  answers = createOddAnswers({ store, secrets: [FARCASTER.apiKey, TWITTER.accessToken], clock: () => now });
});
afterEach(async () => {
  await store.close();
  await database.remove();
});

type Answer = ReturnType<typeof answering>;

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const problem = (detail: string, type = 'about:blank') =>
  answering(403, JSON.stringify({ title: 'Forbidden', status: 403, type, detail }));
const rpcError = (code: number, message: string) =>
  answering(200, JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } }));

/** Asks each service once, through its own adapter. */
const ASK = {
  async user(answer: Answer) {
    const { url } = await openWire(answer);
    const farcaster = createFarcaster({ ...FARCASTER, baseUrl: url, clock: () => now, note: answers.note });
    return farcaster.resolveAccount({ id: '1001' });
  },
  async cast(answer: Answer) {
    const { url } = await openWire(answer);
    const farcaster = createFarcaster({ ...FARCASTER, baseUrl: url, clock: () => now, note: answers.note });
    return farcaster.reply(replyTo(`0x${'15'.repeat(20)}`));
  },
  async post(answer: Answer) {
    const { url } = await openWire(answer);
    const x = await createXPlatform({ ...TWITTER, baseUrl: url, clock: () => now, note: answers.note });
    return x.reply(replyTo(POST));
  },
  async lookUp(answer: Answer) {
    const { url } = await openWire(answer);
    const x = await createXPlatform({ ...TWITTER, baseUrl: url, clock: () => now, note: answers.note });
    return x.lookUpPost(`https://x.com/OtherUser/status/${POST}`);
  },
  async chain(answer: Answer) {
    const { url } = await openWire(answer);
    const rpcUrls = [`${url}/v2/${TOKEN}`] as const;
    const options = { endpoints: [{ chain: BASE, rpcUrls, confirmations: 1 }], clock: () => now, retries: 0 };
    return createChains({ ...options, note: answers.note })
      .reader(BASE.id)
      .ping();
  },
} as const;

/** What is kept after a service was asked, without what every case would repeat. */
async function keptAfter(ask: keyof typeof ASK, answer: Answer) {
  await ASK[ask](answer).catch(() => null);
  await answers.keep();
  return (await store.oddAnswers()).map(({ service, method, path, status, basis }) =>
    [service, method, path, status, basis].join(' '),
  );
}

/** The command on the same database, as another process runs it. */
async function admin(...args: string[]): Promise<string> {
  let out = '';
  await runAdmin({
    args,
    env: { DATABASE_URL: database.url, CHAINS: 'anvil', RPC_URL_31337: 'http://127.0.0.1:9' },
    migrationsFolder: MIGRATIONS,
    clock: () => NOW,
    readDisk: readAmpleDisk,
    width: null,
    screen: null,
    elapsed: () => performance.now(),
    stdout: (text) => {
      out += text;
    },
    stderr: () => undefined,
  });
  return out;
}

describe('answers that no adapter understands', () => {
  test.each([
    [
      'a user of another shape',
      'user',
      answering(200, '{"users":{"1001":{}}}'),
      'Neynar GET /v2/farcaster/user/bulk 200 status',
    ],
    [
      'a page in place of a refusal',
      'user',
      answering(403, '<h1>No</h1>', HTML),
      'Neynar GET /v2/farcaster/user/bulk 403 status',
    ],
    ['an unknown status', 'cast', answering(418, '{"message":"Teapot"}'), 'Neynar POST /v2/farcaster/cast 418 status'],
    ['a 403 in new words', 'post', problem('You may not do that here.'), 'X POST /2/tweets 403 status'],
    [
      'a new problem type',
      'post',
      problem('Not now.', 'https://api.x.com/2/problems/new'),
      'X POST /2/tweets 403 status',
    ],
    [
      'a new type with known words',
      'post',
      problem('Your account is suspended', '/problems/new'),
      'X POST /2/tweets 403 words',
    ],
    ['a post of another shape', 'lookUp', answering(200, '{"data":{"ID":"1"}}'), 'X GET /2/tweets/* 200 status'],
    ['an unknown error of a node', 'chain', rpcError(-32077, 'shard asleep'), 'chain base POST eth_chainId 200 status'],
    [
      'a page in place of a result',
      'chain',
      answering(200, '<h1>Hi</h1>', HTML),
      'chain base POST eth_chainId 200 status',
    ],
    ['a page that says 404', 'chain', answering(404, 'not here'), 'chain base POST eth_chainId 404 status'],
  ] as const)('behavior: %s is kept', async (_name, ask, answer, kept) => {
    expect(await keptAfter(ask, answer)).toEqual([kept]);
  });

  test.each([
    ['a gateway’s page', 'user', answering(502, '<h1>Bad Gateway</h1>', HTML)],
    ['a documented refusal', 'user', answering(404, '{"message":"User not found"}')],
    [
      'a user',
      'user',
      answering(200, '{"users":[{"fid":1001,"username":"alice","verified_addresses":{"eth_addresses":[]}}]}'),
    ],
    ['the reply rule', 'post', problem('You have not been mentioned or otherwise engaged by the author')],
    ['a limit of requests', 'post', answering(429, 'Too many requests', HTML)],
    [
      'a post that is gone',
      'lookUp',
      answering(200, '{"errors":[{"type":"https://api.x.com/2/problems/resource-not-found"}]}'),
    ],
    ['a limit of a node', 'chain', rpcError(-32005, 'daily limit')],
    ['a lagging node', 'chain', rpcError(-32000, 'header not found')],
  ] as const)('behavior: %s is not', async (_name, ask, answer) => {
    expect(await keptAfter(ask, answer)).toEqual([]);
  });

  test('security: nothing secret and no address is kept, whatever service repeats it', async () => {
    const secrets = [
      FARCASTER.apiKey,
      FARCASTER.signerUuid,
      TWITTER.accessToken,
      TOKEN,
      ADDRESS,
      'ab'.repeat(16),
      '203.0.113.7',
    ];
    const words = `who are you ${secrets.join(' ')} bearer abc.def.123 bob@mail.example https://a.example/p?key=abc`;
    await keptAfter('user', answering(403, `<p>${words}</p>`, HTML));
    await keptAfter('post', problem(words));
    await keptAfter('chain', rpcError(-32077, words));
    const bodies = (await store.oddAnswers()).map(({ body }) => body);
    expect(bodies).toHaveLength(3);
    for (const hidden of [...secrets, 'abc.def', 'bob@', 'key=abc'])
      for (const body of bodies) expect(body).not.toContain(hidden);
    expect(bodies.every((body) => body.includes('who are you'))).toBe(true);
    expect(await admin('platform', 'answers')).not.toContain(ADDRESS);
  });

  test('behavior: a body is cut to two kilobytes, and no part of a secret is left where it is cut', async () => {
    for (const before of [2_030, 8_160, 8_185]) {
      await keptAfter('chain', rpcError(-32077, `${'é '.repeat(before / 2)}${TOKEN}${' more'.repeat(9_000)}`));
    }
    for (const { body } of await store.oddAnswers()) {
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2_048);
      expect(body).not.toContain('sk_live');
    }
  });

  test('behavior: equal kinds are one entry, which survives the process and shows how often and when', async () => {
    const asked = (id: number) => problem(`User @alice${id} may not be answered for post ${POST}${id}`);
    await keptAfter('post', asked(1));
    await keptAfter('post', asked(2));
    now += 60_000;
    await keptAfter('post', asked(3));
    await store.close();
    store = await database.open();
    const [row = '', ...more] = (await admin('platform', 'answers')).trim().split('\n').slice(1);
    expect(more).toEqual([]);
    expect(row).toMatch(
      /^X +POST \/2\/tweets +403 +its status +3 +2026-11-21T12:00:00.000Z +2026-11-21T12:01:00.000Z +application\/json +- +\{"title":"Forbidden"/,
    );
    expect(JSON.parse(await admin('platform', 'answers', '--json'))).toMatchObject([
      {
        service: 'X',
        method: 'POST',
        path: '/2/tweets',
        status: 403,
        treated_by: 'status',
        times: 3,
        retry_after: null,
      },
    ]);
    expect(await admin('doctor')).toContain(
      '! answers: 1 kind of answer was not understood, last by X at 2026-11-21T12:01:00.000Z\n    See `npm run admin -- platform answers`',
    );
  });

  test('behavior: the hundred kinds seen last are kept, and a flood is not looked at', async () => {
    const kind = (name: string) => ({
      service: 'X',
      method: 'GET',
      path: `/${name}`,
      status: 400,
      headers: {},
      body: '',
    });
    const note = (name: string) => answers.note({ ...kind(name), basis: 'status', secrets: [] });
    for (let round = 0; round < 3; round += 1) {
      now += 1_000;
      for (let each = 0; each < 60; each += 1) note(`${round}-${each}`);
      await answers.keep();
    }
    const kept = await store.oddAnswers();
    expect(kept).toHaveLength(MOST_ODD_ANSWERS);
    // Of each sixty the first fifty are looked at.
    for (const round of ['1', '2']) expect(kept.filter(({ path }) => path[1] === round)).toHaveLength(50);
  });

  test('error: no text of an answer keeps the others from being kept', async () => {
    for (const body of [
      '"\\ud800"',
      '"\\u0000"',
      '\0',
      '\udc00 x',
      '{"__proto__":{"a":"\\ud800"}}',
      '{"a":"\\u0000"}',
      '',
    ])
      await ASK.user(answering(418, body)).catch(() => null);
    answers.note({
      service: 'X',
      method: 'GET',
      path: '/',
      status: 418,
      headers: {},
      body: '\ud800',
      basis: 'status',
      secrets: [],
    });
    await answers.keep();
    expect(new Set((await store.oddAnswers()).map(({ service }) => service))).toEqual(new Set(['Neynar', 'X']));
  });

  test('behavior: answers are written in one order, in which processes do not wait for each other', async () => {
    const kinds: string[] = [];
    const written = async (given: readonly { kind: string }[]) => void kinds.push(...given.map(({ kind }) => kind));
    const transaction: Store['transaction'] = (run) => run({ noteOddAnswers: written } as never);
    answers = createOddAnswers({ store: { transaction }, secrets: [], clock: () => now });
    for (let path = 0; path < 20; path += 1)
      answers.note({
        service: 'X',
        method: 'GET',
        path: `/${path}`,
        status: 418,
        headers: {},
        body: '',
        basis: 'status',
        secrets: [],
      });
    await answers.keep();
    expect(kinds).toEqual(kinds.toSorted());
    expect(new Set(kinds).size).toBe(20);
  });

  test('error: a store that is away loses what was noted, and hurts no caller', async () => {
    const away = { transaction: () => Promise.reject(new Error('away')) };
    answers = createOddAnswers({ store: away, secrets: [], clock: () => now });
    await expect(ASK.lookUp(answering(200, '{"data":{}}'))).rejects.toMatchObject({ reason: 'bad_response' });
    await expect(answers.keep()).rejects.toThrow('away');
    await answers.keep();
  });
});
