import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../../src/http/api/define-operation.ts';
import { OPERATIONS } from '../../../src/http/api/operations.ts';
import { tokenOf } from '../../http/operator.ts';
import { MEDIA_TYPE, readCard } from '../../http/pages/snap/shapes.ts';
import { createAppKey, signTap } from '../../support/taps.ts';
import { HEAVY } from './ledger.ts';
import { slowness } from './pace.ts';
import { type LargeService, startLargeService } from './service.ts';

/** Milliseconds of processor time of the main thread; a slower machine takes longer for the same piece. */
const LONGEST_MS = 10 * slowness();
/** What a compiler or a collector of garbage does beside a piece is not in each of so many. */
const TIMES = 8;
/** The same of background work. */
const RUNS = 3;
/** Of a file that has half a million. */
const LINES_READ = 20_000;
const BATCH = 500;

/** As `fetch` takes them. */
const METHODS = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;

type Read = (response: Response) => Promise<void>;

interface Asked {
  readonly path: string;
  /** The paths of the times; `path` each time when absent. */
  readonly paths?: readonly string[];
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Another one each time. */
  readonly body?: ((time: number) => unknown) | undefined;
  readonly status?: number;
  readonly read?: Read;
}

let service: LargeService;
beforeAll(async () => {
  service = await startLargeService();
});
afterAll(() => service.stop());

const readAll: Read = async (response) => void (await response.arrayBuffer());

/** The first lines of a file, or all that it has; then its client is gone. @returns how many */
async function readLines(response: Response): Promise<number> {
  let lines = 0;
  for await (const piece of response.body ?? []) {
    for (const byte of piece) if (byte === 10) lines += 1;
    if (lines >= LINES_READ) break;
  }
  return lines;
}

const readSome: Read = async (response) => {
  const lines = await readLines(response);
  if (lines < LINES_READ) throw new Error(`the file ended after ${lines} lines`);
};

/** New accounts with names, as many with addresses as a request holds. */
function batch(time: number): unknown {
  const tips = Array.from({ length: BATCH }, (_, index) => {
    const account = 50_000_000 + time * BATCH + index;
    const user_address = `0x${account.toString(16).padStart(40, '0')}`;
    return {
      platform: 'farcaster',
      platform_user_id: String(account),
      username: `New_${account}`,
      value: 0.001,
      ...(index % 2 === 0 ? { user_address } : {}),
    };
  });
  return { tips };
}

/** Requests for the gig that has the most, where the example of an operation is no large one. By the operation's id. */
function largeRequests(): Readonly<Record<string, readonly Asked[]>> {
  const { ledger, token } = service;
  const [large, watched] = [`/api/gigs/${ledger.large}`, `/api/gigs/${ledger.watched[0]}`];
  const both = (path: string, status = 200): Asked[] =>
    [large, watched].map((gig) => ({ path: `${gig}${path}`, status }));
  const post = (path: string, body: Asked['body'], status: number): Asked[] => [{ path, method: 'POST', status, body }];
  const terms = {
    chain: 'anvil',
    token_address: token.address,
    amount: 10,
    start_time: new Date(Date.now() + 86_400_000).toISOString(),
    duration: '1week',
    gig_type: 'mention',
  };
  return {
    findClaimable: [
      { path: `/api/claim?identifiers=${HEAVY.platformUserId}` },
      { path: `/api/claim?identifiers=${Array.from({ length: 100 }, (_, index) => 1_300_000 + index).join()}` },
    ],
    claimRewards: post('/api/claim', () => ({ url: 'https://example.org/' }), 400),
    startGig: post('/api/gigs/start', () => ({ gig_id: ledger.large }), 400),
    createGig: post('/api/gigs/create', () => terms, 201),
    // It is off here.
    createPaidGig: post('/api/gigs/create/x402', () => terms, 503),
    listGigs: [{ path: '/api/gigs?status=all&limit=100' }],
    listGigPayouts: both('/payouts?limit=100'),
    findDraw: both('/draw', 400),
    listEntrants: both('/draw/entrants', 400),
    reportGig: both('/report?limit=100'),
    exportReport: [{ path: `${large}/report.csv`, read: readSome }, { path: `${watched}/report.csv` }],
    findEarnings: [{ path: `${watched}/earnings?limit=100` }],
    changeGig: [{ path: large, method: 'PATCH', body: () => ({ amount: 20 }), status: 400 }],
    addGigOwner: post(
      `${large}/owners`,
      (time) => ({ platform: 'farcaster', platform_user_id: 1_000_000 + time }),
      201,
    ),
    awardTips: post(`${large}/tips`, batch, 201),
    decideSubmissions: post(`${large}/decisions`, () => ({ decisions: [{ id: 7, award: '1' }] }), 400),
    checkCompleted: post('/api/tasks/check-completed', () => ({ gigId: ledger.large, platformUserId: '1000000' }), 200),
    listTips: [...both('/tips?limit=100'), { path: `${large}/tips?limit=100&status=void` }],
    findAccount: [{ path: '/api/accounts?platform=farcaster&username=nobody', status: 404 }],
    listEvents: [{ path: '/api/events?after=0&limit=100' }],
    // No key to sign with is set, so that there are no webhooks.
    createWebhook: post('/api/webhooks', () => ({ url: 'https://example.org/' }), 503),
    rotateWebhookSecret: post('/api/webhooks/1/secret', undefined, 503),
    settleGig: post(`${large}/settle`, undefined, 400),
    cancelGig: post(`${large}/cancel`, undefined, 400),
    stopGig: [{ path: '/stop', method: 'POST', paths: ledger.watched.map((id) => `/api/gigs/${id}/stop`) }],
  };
}

/** The example of an operation, for the gigs that have the most; there is no webhook. */
function exampleRequests({ method, path, body, answer }: Operation): Asked[] {
  const { large, watched } = service.ledger;
  const isOfWebhook = path.startsWith('/api/webhooks/');
  const ids = isOfWebhook ? [1] : path.includes(':id') ? [large, watched[0]] : [''];
  return ids.map((id) => ({
    path: path.replace(':id{[0-9]+}', String(id)),
    method: METHODS[method],
    status: isOfWebhook ? 404 : answer.status,
    body: body && (() => JSON.parse(body.sample)),
  }));
}

/** Every operation with its requests. The last one ends gigs. */
function operations(): readonly (readonly [string, readonly Asked[]])[] {
  const special = largeRequests();
  const found = OPERATIONS.map((operation) => {
    const name = `${operation.method} ${operation.path.replace(':id{[0-9]+}', '{id}')}`;
    return [name, special[operation.id] ?? exampleRequests(operation)] as const;
  });
  const monitoring = ['/health', '/ready', '/metrics', '/.well-known/gigclaim.json'].map(
    (path) => [`get ${path}`, [{ path }]] as const,
  );
  const isStop = ([name]: readonly [string, unknown]) => name.endsWith('/stop');
  return [...found.filter((each) => !isStop(each)), ...monitoring, ...found.filter(isStop)];
}

async function ask(asked: Asked, time: number): Promise<void> {
  const { method = 'GET', body, status = 200, read = readAll } = asked;
  const path = asked.paths?.[time] ?? asked.path;
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      'x-api-key': service.ledger.key,
      'content-type': 'application/json',
      ...(method === 'POST' ? { 'idempotency-key': `${path}-${time}` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body(time)) }),
  });
  if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  await read(response);
}

/** The longest piece that comes each time. */
async function longestOf(times: number, run: (time: number) => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time += 1) {
    await service.takeLongest();
    await run(time);
    least = Math.min(least, await service.takeLongest());
  }
  return least;
}

/** Those above the limit, with their milliseconds. */
function tooLong(found: ReadonlyMap<string, number>): string[] {
  return [...found].filter(([, ms]) => ms > LONGEST_MS).map(([name, ms]) => `${name}: ${ms.toFixed(1)} ms`);
}

test('behavior: no operation of the document takes more than 10 ms of the event loop in one piece', async () => {
  const response = await fetch(`${service.url}/api/openapi.json`);
  // The tests of the document hold its shape.
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  const asked = operations();
  expect(asked.map(([name]) => name).toSorted()).toEqual(documented.toSorted());
  const found = new Map<string, number>();
  for (const [operation, requests] of asked) {
    for (const request of requests) {
      const times = request.paths?.length ?? TIMES;
      found.set(`${operation} ${request.path}`, await longestOf(times, (time) => ask(request, time)));
    }
  }
  expect(tooLong(found)).toEqual([]);
});

/** Logs an operator in. @returns what the browser sends along then */
async function logIn(): Promise<Record<string, string>> {
  const response = await fetch(`${service.url}/admin/session`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key: service.ledger.key }).toString(),
  });
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  return { cookie };
}

const isOwners = (path: string) => /^\/my(\/|$)/.test(path);
/** What an owner downloads is that of the API, which the document's test has. */
const isNoOwnersPage = (path: string) => !isOwners(path) || path.endsWith('.csv');

/** Reads pages and those that they link to, one of each kind; the first ones come first. */
async function crawl(
  start: readonly string[],
  headers: Record<string, string>,
  isSkipped: (path: string) => boolean = isOwners,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const kindOf = (path: string) => path.replace(/=[^&]*/g, '=').replace(/\d+/g, '0');
  const waiting = [...start];
  const known = new Set(start.map(kindOf));
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const url = `${service.url}${path}`;
    let page = '';
    const ms = await longestOf(TIMES, async () => {
      const response = await fetch(url, { headers });
      // What all gigs have paid is a file of half a million lines.
      if (response.status === 200 && path.endsWith('.csv')) return void (await readLines(response));
      page = await response.text();
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${page}`);
    });
    found.set(path, ms);
    for (const [, link = ''] of page.matchAll(/href="([^"]+)"/g)) {
      const { origin, pathname, search } = new URL(link.replaceAll('&amp;', '&'), url);
      const next = `${pathname}${search}`;
      if (origin !== service.url || known.has(kindOf(next)) || isSkipped(pathname)) continue;
      known.add(kindOf(next));
      waiting.push(next);
    }
  }
  return found;
}

test('behavior: no public page takes more than 10 ms of the event loop in one piece', async () => {
  const {
    large,
    watched: [watched],
  } = service.ledger;
  const claims = `/claim/farcaster/${HEAVY.platformUserId}`;
  const first = [large, watched].flatMap((id) => [`/gigs/${id}`, `/gigs/${id}/report`]);
  const found = await crawl([...first, `/gigs/${watched}?account=1000003`, claims, '/'], {});
  expect([...found.keys()]).toContain('/gigs');
  expect(tooLong(found)).toEqual([]);
});

test('behavior: no card and no tap takes more than 10 ms of the event loop in one piece', async () => {
  const {
    large,
    watched: [watched],
  } = service.ledger;
  const app = createAppKey();
  const found = new Map<string, number>();
  const answered = async (name: string, send: (time: number) => Promise<Response>) => {
    const ms = await longestOf(TIMES, async (time) => {
      const response = await send(time);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${name}: ${response.status} ${text}`);
      readCard(text);
    });
    found.set(name, ms);
  };
  for (const path of [`/gigs/${large}`, `/gigs/${watched}`, `/claim/farcaster/${HEAVY.platformUserId}`])
    await answered(path, () => fetch(`${service.url}${path}`, { headers: { accept: MEDIA_TYPE } }));
  const [heavy, refused, poor] = [Number(HEAVY.platformUserId), 1_000_003, 5];
  const taps: readonly (readonly [path: string, fid: number])[] = [
    ['/tap', heavy],
    [`/tap/gigs/${large}`, heavy],
    [`/tap/gigs/${watched}`, refused],
    ['/tap/claims/1', heavy],
    ['/tap/claim', poor],
  ];
  for (const [path, fid] of taps) {
    await answered(`tap ${path}`, (time) => {
      const body = signTap(app, { fid, audience: service.url, at: Date.now(), payload: { inputs: { time } } });
      return fetch(`${service.url}${path}`, { method: 'POST', body });
    });
  }
  expect(tooLong(found)).toEqual([]);
});

test('behavior: no page of operators takes more than 10 ms of the event loop in one piece', async () => {
  const {
    large,
    watched: [watched],
  } = service.ledger;
  const headers = await logIn();
  const page = await (await fetch(`${service.url}/admin`, { headers })).text();
  expect(tokenOf(page)).not.toBe('');
  const paid = '1000000';
  const searched = [
    ...[`farcaster:${paid}`, '@user_5', 'gig 1', `0x${'5'.padStart(40, '0')}`, `0x${'5'.padStart(64, '0')}`],
  ];
  const first = [
    ...[large, watched].map((id) => `/admin/gigs/${id}`),
    '/admin',
    ...searched.map((text) => `/admin/find?q=${encodeURIComponent(text)}`),
    ...[HEAVY.platformUserId, paid].map((id) => `/admin/accounts/farcaster/${id}`),
    `/admin/accounts/farcaster/${HEAVY.platformUserId}?list=tips&before=1000000000`,
  ];
  const found = await crawl(first, headers);
  expect([...found.keys()]).toEqual(expect.arrayContaining(['/admin/payments', '/admin/audit', '/admin/blocked']));
  expect(tooLong(found)).toEqual([]);
});

test('behavior: no page of owners takes more than 10 ms of the event loop in one piece', async () => {
  const {
    large,
    watched: [watched],
    sessions,
  } = service.ledger;
  const [heavy = '', wallet = ''] = sessions;
  const gigs = [large, watched].map((id) => `/my/gigs/${id}`);
  const ofAccount = await crawl(
    [...gigs, '/my', '/my/gigs/new', '/my/rewards'],
    { cookie: `gigclaim_my=${heavy}` },
    isNoOwnersPage,
  );
  expect([...ofAccount.keys()]).toEqual(
    expect.arrayContaining([`/my/gigs/${large}/award`, `/my/gigs/${large}/report`, `/my/gigs/${large}/stop`]),
  );
  expect(tooLong(ofAccount)).toEqual([]);
  const ofWallet = await crawl(
    ['/my', '/my/rewards', `/my/gigs/${watched}`],
    { cookie: `gigclaim_my=${wallet}` },
    isNoOwnersPage,
  );
  expect(tooLong(ofWallet)).toEqual([]);
});

test('behavior: no background work takes more than 10 ms of the event loop in one piece', async () => {
  const found = new Map<string, number>();
  for (const name of await service.tasks()) {
    let least = Number.POSITIVE_INFINITY;
    for (let time = 0; time < RUNS; time += 1) least = Math.min(least, await service.runTask(name));
    found.set(name, least);
  }
  expect(tooLong(found)).toEqual([]);
});
