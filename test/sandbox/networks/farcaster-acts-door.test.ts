import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NewAct } from '../../../sandbox/networks/farcaster-perform.ts';
import { FARCASTER, NOW } from '../../platforms/setup.ts';
import { type Acts, openActs } from './acts.ts';
import { send } from './receiver.ts';

describe('Neynar’s limits and faults, and the door, on the local Farcaster', () => {
  let acts: Acts;
  let network: Acts['network'];
  let sdk: Acts['sdk'];
  let cast: Acts['cast'];

  beforeEach(async () => {
    acts = await openActs();
    ({ network, sdk, cast } = acts);
  });
  afterEach(() => network.stop());

  const door = (act: object) => send('POST', `${network.url}/sandbox/acts`, act);

  test.each([
    '/reactions/cast?hash=HASH&types=likes&viewer=3',
    '/reactions/cast?hash=HASH&types=like',
    '/reactions/cast?hash=HASH',
    '/reactions/cast?hash=HASH&types=likes&limit=101',
    '/reactions/cast?hash=HASH&types=likes&cursor=odd!',
    '/cast/quotes?identifier=HASH',
    '/cast/conversation?identifier=HASH&type=hash&sort_type=newest',
    '/cast/search?q=degen&sort=new',
    '/cast/search?q=-degen',
    '/cast/search?q=!',
    '/followers?fid=1001&limit=101',
    '/followers?fid=alice',
    '/notifications?fid=1001&types=mentions',
    '/casts?casts=0x1',
    '/casts?casts=HASH&type=hash',
    '/user/bulk?fids=alice',
    '/user/bulk?fids=1001&viewer=1002',
    `/user/bulk?fids=${Array.from({ length: 101 }, (_, index) => index + 1).join(',')}`,
  ])('error: what is not documented is refused: %s', async (path) => {
    expect((await acts.get(path.replace('HASH', cast.id))).status).toBe(400);
  });

  test('error: faults of answers: a cursor that loops, empty pages, missing users, no score, broken JSON', async () => {
    for (const who of ['bob', 'carol']) acts.act(who, 'like');
    const page = (cursor?: string | null) => acts.likes(1, cursor);
    network.faults.answers = 'looping_cursor';
    const first = await page();
    expect(await page(first.next.cursor)).toEqual(first);
    network.faults.answers = 'empty_page';
    const names: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined, more = true; more; pages++) {
      const answer = await page(cursor);
      names.push(...answer.reactions.map(({ user }) => user.username));
      cursor = answer.next.cursor ?? undefined;
      more = cursor !== undefined;
    }
    expect([names, pages]).toEqual([['carol', 'bob'], 4]);
    network.faults.answers = 'missing_users';
    const some = await sdk.fetchBulkUsers({ fids: [1003, 1001, 1002] });
    expect(some.users.map(({ fid }) => fid)).toEqual([1001, 1002]);
    network.faults.answers = 'no_score';
    const [unscored] = (await sdk.fetchBulkUsers({ fids: [1001] })).users;
    expect([unscored?.score, unscored?.experimental]).toEqual([undefined, undefined]);
    network.faults.answers = 'broken';
    const cut = await fetch(`${network.url}/v2/farcaster/user/bulk?fids=1001`, {
      headers: { 'x-api-key': FARCASTER.apiKey },
    });
    expect(cut.status).toBe(200);
    await expect(cut.json()).rejects.toThrow(SyntaxError);
  });

  test('behavior: the door lets people act', async () => {
    const made = await door({ who: 'bob', kind: 'like', post: cast.url });
    expect([made.status, made.json]).toEqual([200, { changed: true, type: 'reaction.created' }]);
    expect((await door({ who: 'bob', kind: 'like', post: cast.id })).json).toEqual({ changed: false });
    expect((await door({ who: 'bob', kind: 'follow', account: 'alice' })).json).toMatchObject({
      type: 'follow.created',
    });
    const quote = await door({ who: 'bob', kind: 'quote', post: cast.id, text: 'look' });
    expect(quote.json).toMatchObject({ type: 'cast.created', post: { author: 'bob', text: 'look' } });
    expect((await door({ who: 'bob', kind: 'unlike', post: cast.id, at: NOW })).json).toMatchObject({ changed: true });
    expect((await door({ who: 'alice', kind: 'delete', post: cast.id })).json).toMatchObject({ type: 'cast.deleted' });
    expect((await door({ who: 'bob', kind: 'delete', account: 'bob' })).json).toEqual({
      changed: true,
      type: 'account.deleted',
    });
  });

  test.each<[string, NewAct | object, number]>([
    ['an unknown account', { who: 'eve', kind: 'follow', account: 'alice' }, 404],
    ['a follow of an unknown account', { who: 'bob', kind: 'follow', account: 'eve' }, 404],
    ['an unknown cast', { who: 'bob', kind: 'like', post: '0x1' }, 404],
    ['the deletion of another’s cast', { who: 'bob', kind: 'delete', post: 'HASH' }, 404],
    ['the deletion of another account', { who: 'bob', kind: 'delete', account: 'alice' }, 404],
    ['the deletion of nothing', { who: 'bob', kind: 'delete' }, 404],
    ['a like of an account', { who: 'bob', kind: 'like', account: 'alice' }, 400],
    ['an unknown act', { who: 'bob', kind: 'poke', post: 'HASH' }, 400],
  ])('error: the door refuses %s', async (_, refused, status) => {
    const body = 'post' in refused && refused.post === 'HASH' ? { ...refused, post: cast.id } : refused;
    expect((await door(body)).status).toBe(status);
  });
});
