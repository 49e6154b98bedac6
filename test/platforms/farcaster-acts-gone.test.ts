import { beforeEach, describe, expect, test } from 'vitest';
import type { ActKind, Target } from '../../src/domain/earning/act.ts';
import { type Crowd, namesOf, startCrowd } from './acts.ts';
import { failureOf, NOW, openTwitter } from './setup.ts';

const MINUTE = 60_000;
const GONE = `0x${'ab'.repeat(20)}`;

describe('acts on Farcaster, and what is gone or does not answer', () => {
  let network: Crowd['network'];
  let reader: Crowd['reader'];
  let cast: Crowd['cast'];
  let onCast: Target;
  let first: Crowd['first'];
  let all: Crowd['all'];
  let like: Crowd['like'];
  const onAlice: Target = { kind: 'account', accountId: '1001' };
  const onDegen: Target = { kind: 'keyword', keyword: '$degen' };

  beforeEach(async () => {
    ({ network, reader, cast, onCast, first, all, like } = await startCrowd(() => NOW + MINUTE));
  });

  test.each<ActKind>(['like', 'recast', 'quote', 'reply'])(
    'behavior: a cast that is gone has no list of kind %s',
    async (kind) => {
      expect(await first(kind, { kind: 'post', postId: GONE, authorId: '1001' })).toBeNull();
      like('bob');
      network.act({ who: 'alice', kind: 'delete', post: cast.id });
      expect(await first(kind, onCast)).toBeNull();
    },
  );

  test('security: a cast that is gone is told from one that nobody likes, where its lists are just empty', async () => {
    like('bob');
    network.manners.gone = 'empty';
    network.act({ who: 'alice', kind: 'delete', post: cast.id });
    for (const kind of ['like', 'recast', 'quote'] as const) expect(await first(kind, onCast)).toBeNull();
  });

  test('behavior: an account that is gone has neither followers nor mentions', async () => {
    network.act({ who: 'alice', kind: 'delete', account: 'alice' });
    expect(await first('follow', onAlice)).toBeNull();
    expect(await first('mention', onAlice)).toBeNull();
  });

  test('error: a list that is refused proves no absence', async () => {
    like('bob');
    for (const [kind, target] of [
      ['like', onCast] as const,
      ['follow', onAlice] as const,
      ['mention', onDegen] as const,
    ]) {
      const odd = reader.readActs({ kind, target, cursor: 'not a cursor' });
      expect(await failureOf(odd)).toMatchObject({ reason: 'rejected', retry: 'never' });
    }
  });

  test.each<[ActKind, Target]>([
    ['follow', { kind: 'post', postId: GONE, authorId: '1' }],
    ['like', { kind: 'account', accountId: '1001' }],
    ['mention', { kind: 'account', accountId: 'alice' }],
    ['follow', { kind: 'keyword', keyword: 'degen' }],
  ])('error: an act of kind %s towards another kind of target is asked of nobody', async (kind, target) => {
    expect(await failureOf(first(kind, target))).toMatchObject({ reason: 'rejected', retry: 'never' });
  });

  test.each([
    ['rate_limited', 'rate_limited', 'safe'],
    ['payment_required', 'payment_required', 'safe'],
    ['unauthorized', 'unauthorized', 'safe'],
    ['server_error', 'server_error', 'safe'],
    ['html', 'server_error', 'safe'],
    ['hang', 'timeout', 'safe'],
    ['drop_answer', 'unreachable', 'safe'],
  ] as const)('error: with %s nothing is said about a list, an account or a cast', async (api, reason, retry) => {
    like('bob');
    Object.assign(network.faults, { api });
    const questions = [
      () => first('like', onCast),
      () => reader.readAccounts(['1002'], { following: null }),
      () => reader.readPosts([cast.id]),
    ];
    for (const ask of questions) expect(await failureOf(ask())).toMatchObject({ reason, retry });
  });

  test('error: a broken answer is none', async () => {
    like('bob');
    network.faults.answers = 'broken';
    // One after the other: a failure that nobody awaits yet ends the test.
    const questions = [
      () => first('like', onCast),
      () => first('mention', onAlice),
      () => first('mention', onDegen),
      () => first('follow', onAlice),
      () => reader.readAccounts(['1002'], { following: null }),
      () => reader.readPosts([cast.id]),
    ];
    for (const ask of questions) expect((await failureOf(ask())).reason).toBe('bad_response');
  });

  test('behavior: cursors are passed on as they are: an empty page goes on, and a loop is the caller’s to see', async () => {
    like('bob');
    network.faults.answers = 'empty_page';
    const empty = await first('like', onCast);
    expect(empty).toEqual({ acts: [], next: expect.any(String) });
    expect(namesOf(await all('like', onCast))).toEqual(['bob']);
    network.faults.answers = 'looping_cursor';
    const page = await first('like', onCast);
    const again = await reader.readActs({ kind: 'like', target: onCast, cursor: page?.next ?? null });
    expect(again).toEqual(page);
  });

  test('behavior: accounts have score, followers, age and addresses, and whether they follow', async () => {
    const upper = `0x${'AB'.repeat(20)}`;
    const known = { username: 'bob', followers: 1200, registeredAt: NOW - 90 * 24 * 60 * MINUTE };
    network.addUser({ id: '1002', ...known, score: 0.91, verifiedAddresses: [upper] });
    network.act({ who: 'bob', kind: 'follow', account: 'alice' });
    network.act({ who: 'alice', kind: 'follow', account: 'carol' });
    const accounts = await reader.readAccounts(['1002', '1003', '1001', '1002'], { following: '1001' });
    const bob = { accountId: '1002', ...known, score: 910_000, addresses: [upper.toLowerCase()], follows: true };
    expect(accounts.get('1002')).toEqual(bob);
    expect([...accounts.values()].map(({ accountId, follows }) => [accountId, follows])).toEqual([
      ['1001', false],
      ['1002', true],
      ['1003', false],
    ]);
    expect((await reader.readAccounts(['1002'], { following: null })).get('1002')?.follows).toBeNull();
  });

  test('behavior: an account that Neynar leaves out is absent, and one without a score has none', async () => {
    network.faults.answers = 'missing_users';
    const some = await reader.readAccounts(['1002', '1003', '77', 'nobody'], { following: null });
    expect([...some.keys()]).toEqual(['1003']);
    network.faults.answers = 'no_score';
    expect((await reader.readAccounts(['1003'], { following: null })).get('1003')?.score).toBeNull();
    expect(await reader.readAccounts([], { following: null })).toEqual(new Map());
  });

  test('behavior: of 100 casts those that exist are found', async () => {
    const posts = Array.from({ length: 100 }, (_, index) => network.post({ author: 'bob', text: `${index}` }));
    for (const post of posts.slice(0, 3)) network.act({ who: 'bob', kind: 'delete', post: post.id });
    const found = await reader.readPosts(posts.map(({ id }) => id));
    expect([found.size, found.get(posts[2]?.id ?? ''), found.get(posts[3]?.id ?? '')]).toEqual([100, false, true]);
    expect(await reader.readPosts([GONE])).toEqual(new Map([[GONE, false]]));
    expect(await reader.readPosts([])).toEqual(new Map());
  });
});

test('behavior: X is never watched', async () => {
  expect((await openTwitter('http://127.0.0.1:9')).acts).toBeNull();
});
