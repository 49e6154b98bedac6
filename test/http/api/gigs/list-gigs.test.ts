import { beforeAll, describe, expect, test } from 'vitest';
import { deployToken, fundToken } from '../../../support/anvil.ts';
import { type GigSeed, seedGig, seedTips, seedToken } from '../../../support/store.ts';
import { NOW, service, shareService } from '../../service.ts';
import { create, DEGEN, dataOf, knowDegen, published, refusal, told } from '../../terms.ts';

const DAY = 86_400_000;
const POST = 'https://x.com/alice/status/1541815603606036480';

const get = (path: string) => told(service.app.request(path));

interface Page {
  readonly data: { readonly id: number; readonly status: string }[];
  readonly next_cursor: string | null;
}

async function list(query: string): Promise<Page> {
  const response = await service.app.request(`/api/gigs?${query}`);
  expect(response.status).toBe(200);
  // `behavior: a record …` holds the shape.
  return published(response, await response.json()) as Page;
}

const idsOf = async (query: string) => (await list(query)).data.map(({ id }) => id);

describe('a record', () => {
  shareService();
  beforeAll(async () => {
    await knowDegen(service);
  });

  test('behavior: of a new gig on Farcaster is what it was created with, and its type says the rest', async () => {
    const { gig_id: id, gig_wallet_address: wallet } = await create(service);
    const display = (how_to_earn: string) => ({
      icon: 'at',
      label: 'Mention',
      filter_id: 'mention',
      with_input: false,
      input_placeholder: '',
      earning_criteria: 'The organizer decides who earns.',
      how_to_earn,
    });
    const record = {
      id,
      created_at: '2026-11-21T09:30:00.000Z',
      start_time_ms: 1_795_339_800_000,
      end_time_ms: 1_795_944_600_000,
      duration_ms: 604_800_000,
      amount: '10',
      payout_interval_ms: null,
      title: null,
      name: 'Mention on Farcaster',
      how_to_earn: 'Ask the organizer which account to mention.',
      earning_criteria: 'The organizer decides who earns.',
      earning_rules: null,
      earning: null,
      ticker: 'DEGEN',
      gigbot_transactions_id: null,
      platform: 'farcaster',
      external_url: null,
      keyword: null,
      owners_may_award: false,
      gig_address: wallet,
      total_balance: '10',
      status: 'created',
      start: 'on_request',
      start_until: null,
      start_refusal: null,
      refund_address: null,
      award_days: 14,
      awards_until: null,
      stopped_at: null,
      settled_at: null,
      cancelled_at: null,
      token: { id: 1, image_url: '', symbol: 'DEGEN', coingecko_id: null, address: DEGEN, decimals: 18 },
      chain: { id: 31337, name: 'anvil', image_url: '', chain_id: 31337 },
      gig_type: {
        id: 'mention',
        display: {
          x: display('Mention the account in a post.'),
          farcaster: display('Mention the account in a cast.'),
        },
      },
      action_params: {},
    };
    expect(await get(`/api/gigs/${id}`)).toEqual({ status: 200, body: { data: record } });
  });

  test('behavior: of a gig on X says x, its post, and how X calls what it asks for', async () => {
    const { gig_id: id } = await create(service, {
      platform: 'twitter',
      gig_type: 'recast',
      url: POST,
      verifier: '0xabc',
      amount: '1.50',
      how_to_earn: 'Repost it today.',
      earning_criteria: 'Only new accounts.',
    });
    expect(await dataOf(get(`/api/gigs/${id}`))).toMatchObject({
      platform: 'x',
      external_url: POST,
      keyword: null,
      amount: '1.5',
      total_balance: '1.5',
      how_to_earn: 'Repost it today.',
      earning_criteria: 'Only new accounts.',
      gig_type: { id: 'recast', display: { x: { label: 'Repost', with_input: true } } },
      action_params: { verifier: '0xabc' },
    });
  });

  test('behavior: of a started gig names its transaction; what is awarded leaves its balance; it ends with its window', async () => {
    const token = await deployToken({ decimals: 6, symbol: 'USDC' });
    const { gig_id: id, gig_wallet_address: wallet } = await create(service, {
      token_address: token.address,
      start_time: '2026-11-20T00:00:00Z',
      duration: '1day',
    });
    await fundToken(token, wallet, 10_500_000n);
    expect((await service.start(id)).status).toBe(200);
    const gig = await service.store.gig(id);
    if (gig === null) throw new Error('the gig is gone');
    await seedTips(service.store, gig, [{ platform: 'farcaster', platformUserId: '1', amount: 2_500_000n }]);
    const live = {
      status: 'live',
      amount: '10',
      total_balance: '7.5',
      gigbot_transactions_id: 1,
      start_time_ms: NOW,
      end_time_ms: NOW + DAY,
    };
    expect(await get(`/api/gigs/${id}`)).toMatchObject({ body: { data: live } });
    service.time.now = NOW + DAY - 1;
    expect(await get(`/api/gigs/${id}`)).toMatchObject({ body: { data: { status: 'live' } } });
    service.time.now = NOW + DAY;
    expect(await get(`/api/gigs/${id}`)).toMatchObject({ body: { data: { status: 'ended' } } });
    service.time.now = NOW;
  });

  test('behavior: of a gig whose window is still to come says that it is live', async () => {
    const { id } = await seedGig(service.store, { startTime: NOW + 1, live: true });
    expect(await dataOf(get(`/api/gigs/${id}`))).toMatchObject({
      status: 'live',
      chain: { id: 8453, name: 'base', chain_id: 8453 },
    });
  });

  test('error: of a gig that is not there', async () => {
    expect(await get('/api/gigs/987654')).toEqual(refusal(404, 'Gig with id 987654 not found'));
    for (const id of ['0', '007', '9007199254740993']) {
      expect(await get(`/api/gigs/${id}`)).toEqual(
        refusal(400, 'The gig id in the path must be a positive whole number of at most 15 digits'),
      );
    }
    for (const id of ['', '-1', 'abc', '1.0', '1e3', '__proto__', '1/', '١', '1%00', '%2e%2e']) {
      expect(await get(`/api/gigs/${id}`)).toEqual(refusal(404, 'Not found'));
    }
  });
});

describe('a list', () => {
  /** 1 and 7 created, 2 over, 3 and 6 inside their window, 4 and 5 before it; even ones on X. */
  const GIGS: readonly GigSeed[] = [
    { startTime: NOW - DAY, duration: 2 * DAY },
    { startTime: NOW - 2 * DAY, live: true, platform: 'twitter' },
    { startTime: NOW - DAY, duration: 2 * DAY, live: true },
    { startTime: NOW + DAY, live: true, platform: 'twitter' },
    { startTime: NOW + 2 * DAY, live: true },
    { startTime: NOW - DAY, duration: 9 * DAY, live: true, platform: 'twitter' },
    { startTime: NOW - 3 * DAY },
  ];

  shareService();
  beforeAll(async () => {
    for (const gig of GIGS) await seedGig(service.store, gig);
  });

  test('behavior: without parameters shows what is live now, newest first, to everybody', async () => {
    const page = await list('');
    expect(page.data.map(({ id, status }) => [id, status])).toEqual([
      [6, 'live'],
      [3, 'live'],
    ]);
    expect(page.next_cursor).toBeNull();
    const shown = await service.app.request('/api/gigs/6');
    expect({ data: page.data[0] }).toEqual(await shown.json());
  });

  test.each<[query: string, ids: number[]]>([
    ['status=active', [6, 3]],
    ['status=created', [7, 1]],
    ['status=live', [6, 5, 4, 3]],
    ['status=ended', [2]],
    ['status=cancelled', []],
    ['status=all', [7, 6, 5, 4, 3, 2, 1]],
    ['status=all&status=none&platforms=x&platforms=y&limit=2&limit=0', [6, 4]],
    ['status=all&platforms=x', [6, 4, 2]],
    ['status=all&platforms=twitter', [6, 4, 2]],
    ['status=all&platforms=farcaster', [7, 5, 3, 1]],
    ['status=all&platforms=x,farcaster', [7, 6, 5, 4, 3, 2, 1]],
    ['status=all&platforms=x%2C%20twitter', [6, 4, 2]],
    ['platforms=farcaster', [3]],
    ['status=created&platforms=x', []],
    ['status=all&limit=2', [7, 6]],
    ['status=all&limit=2&cursor=6', [5, 4]],
    ['status=all&cursor=1', []],
    ['status=all&limit=100', [7, 6, 5, 4, 3, 2, 1]],
    ['status=all&unknown=1', [7, 6, 5, 4, 3, 2, 1]],
  ])('behavior: %s', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  test('behavior: follows the clock', async () => {
    service.time.now = NOW + DAY;
    expect(await idsOf('')).toEqual([6, 4]);
    expect(await idsOf('status=ended')).toEqual([3, 2]);
    expect((await list('status=ended')).data.map(({ status }) => status)).toEqual(['ended', 'ended']);
    service.time.now = NOW;
  });

  test.each<[query: string, error: string]>([
    ...['', 'ACTIVE', 'active,live', 'scheduled', 'toString'].map((status): [string, string] => [
      `status=${status}`,
      'status must be one of active, created, live, ended, cancelled, all',
    ]),
    ...['', 'X', 'x,', ',x', 'x,bluesky', 'all', '__proto__'].map((platforms): [string, string] => [
      `platforms=${platforms}`,
      'platforms must be a comma-separated list of farcaster, x',
    ]),
    ...['', '0', '101', '-1', '1.5', 'abc', '1e1', '0x10', '9999', '%201', '١'].map((limit): [string, string] => [
      `limit=${limit}`,
      'limit must be a whole number from 1 to 100',
    ]),
    ...['', '0', '-1', '1.5', 'abc', '9007199254740993', 'null'].map((cursor): [string, string] => [
      `cursor=${cursor}`,
      'cursor must be the next_cursor of the previous page',
    ]),
  ])('error: %s', async (query, error) => {
    expect(await get(`/api/gigs?${query}`)).toEqual(refusal(400, error));
  });

  test('security: pages of other origins may read gigs, and do nothing else with them', async () => {
    const headers = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
    for (const path of ['/api/gigs', '/api/gigs?limit=0', '/api/gigs/types', '/api/gigs/1', '/api/gigs/987654']) {
      const { headers: answered } = await service.app.request(path, { headers });
      expect(answered.get('access-control-allow-origin')).toBe('*');
      const preflight = await service.app.request(path, { method: 'OPTIONS', headers });
      expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    }
    for (const path of ['create', 'start', '1/tips', '1/owners', '../tasks/check-completed']) {
      const preflight = await service.app.request(`/api/gigs/${path}`, { method: 'OPTIONS', headers });
      expect([path, preflight.status]).toEqual([path, 405]);
      expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
      const answered = await service.send('POST', `/api/gigs/${path}`, {}, headers);
      expect(answered.headers.get('access-control-allow-origin')).toBeNull();
    }
    const changed = await service.send('PATCH', '/api/gigs/1', {}, headers);
    expect(changed.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('behavior: the types are those that can be created', async () => {
    const types = ['mention', 'like', 'recast', 'boost', 'reply', 'follow', 'custom_bounty', 'hold'];
    expect(await get('/api/gigs/types')).toEqual({ status: 200, body: { data: types } });
  });
});

describe('a long list', () => {
  shareService();
  beforeAll(async () => {
    const { id: tokenId } = await seedToken(service.store);
    for (let count = 0; count < 120; count += 1) {
      await seedGig(service.store, {
        tokenId,
        startTime: NOW - DAY,
        duration: 2 * DAY,
        live: count % 3 === 0,
        platform: count % 2 === 0 ? 'farcaster' : 'twitter',
      });
    }
  });

  async function walk(query: string, between: () => Promise<void> = async () => undefined): Promise<number[]> {
    const ids: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = await list(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
      await between();
    }
    return ids;
  }

  test('behavior: is cut to a hundred, and no page is empty when the last one is full', async () => {
    expect(await idsOf('status=all')).toHaveLength(100);
    const first = await list('status=all&limit=60');
    expect(first.next_cursor).toBe('61');
    const second = await list('status=all&limit=60&cursor=61');
    expect(second.data).toHaveLength(60);
    expect(second.next_cursor).toBeNull();
  });

  test.each(['status=all', 'status=active', 'status=created&platforms=x', 'status=live&platforms=x,farcaster'])(
    'behavior: %s is walked without gaps or repeats, whatever the size of the pages',
    async (query) => {
      const whole = [
        ...(await idsOf(`${query}&limit=100`)),
        ...(query === 'status=all' ? await idsOf('status=all&limit=100&cursor=21') : []),
      ];
      expect(new Set(whole).size).toBe(whole.length);
      for (const limit of [1, 7, 40, 60]) expect(await walk(`${query}&limit=${limit}`)).toEqual(whole);
    },
  );

  test('behavior: gigs that come while it is walked do not disturb it', async () => {
    const before = await walk('status=all&limit=100');
    expect(before).toHaveLength(120);
    const during = await walk('status=all&limit=25', async () => {
      await seedGig(service.store, { startTime: NOW });
    });
    expect(during).toEqual(before);
  });
});
