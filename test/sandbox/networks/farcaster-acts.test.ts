import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NOW } from '../../platforms/setup.ts';
import { type Acts, openActs } from './acts.ts';

const MINUTE = 60_000;

describe('acts on the local Farcaster', () => {
  let acts: Acts;
  let network: Acts['network'];
  let sdk: Acts['sdk'];
  let cast: Acts['cast'];

  beforeEach(async () => {
    acts = await openActs();
    ({ network, sdk, cast } = acts);
  });
  afterEach(() => network.stop());

  async function reactions(types: ('likes' | 'recasts' | 'all')[]) {
    const answer = await sdk.fetchCastReactions({ hash: cast.id, types });
    return answer.reactions.map(({ user, reaction_type }) => `${user.username} ${reaction_type}`);
  }

  test('behavior: reactions are listed by kind, the newest claim first, until they are undone', async () => {
    acts.act('bob', 'like');
    acts.act('carol', 'like', NOW - MINUTE);
    acts.act('carol', 'recast');
    expect(await reactions(['likes'])).toEqual(['bob like', 'carol like']);
    expect(await reactions(['recasts'])).toEqual(['carol recast']);
    expect(await reactions(['likes', 'recasts'])).toHaveLength(3);
    const { reactions: shown } = await sdk.fetchCastReactions({ hash: cast.id, types: ['likes'] });
    expect(shown[1]?.reaction_timestamp).toBe(new Date(NOW - MINUTE).toISOString());
    expect(acts.act('bob', 'like')).toBeNull();
    expect(acts.act('bob', 'unlike')).toMatchObject({ type: 'reaction.deleted', userId: '1002', targetId: cast.id });
    expect(acts.act('bob', 'unlike')).toBeNull();
    expect(await reactions(['all'])).toEqual(['carol recast', 'carol like']);
    const { cast: seen } = await sdk.lookupCastByHashOrUrl({ identifier: cast.id, type: 'hash' });
    expect([seen.reactions.likes_count, seen.reactions.recasts_count]).toEqual([1, 1]);
  });

  test('behavior: pages neither repeat nor skip when acts come and go between them', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `fan${index}`);
    for (const [index, username] of names.entries()) {
      network.addUser({ id: String(5000 + index), username });
      acts.act(username, 'like');
    }
    const seen: string[] = [];
    let { reactions: liked, next } = await acts.likes(3);
    seen.push(...liked.map(({ user }) => user.username));
    acts.act('fan8', 'unlike');
    acts.act('fan7', 'unlike');
    acts.act('bob', 'like');
    while (next.cursor !== null) {
      ({ reactions: liked, next } = await acts.likes(3, next.cursor));
      seen.push(...liked.map(({ user }) => user.username));
    }
    expect(seen).toEqual([...names].reverse());
  });

  test('behavior: a quote embeds its cast, and tells its author', async () => {
    const quote = network.act({ who: 'bob', kind: 'quote', post: cast.url, text: 'look' });
    const { casts } = await sdk.fetchCastQuotes({ identifier: cast.id, type: 'hash' });
    expect(casts.map(({ author, text, embeds }) => [author.username, text, embeds[0]?.cast.hash])).toEqual([
      ['bob', 'look', cast.id],
    ]);
    const told = await sdk.fetchAllNotifications({ fid: 1001, type: ['quotes'] });
    expect(told.notifications.map(({ type, cast: by }) => [type, by?.author.fid])).toEqual([['quote', 1002]]);
    if (quote === null || !('post' in quote)) throw new Error('no quote');
    network.act({ who: 'bob', kind: 'delete', post: quote.post.id });
    expect((await sdk.fetchCastQuotes({ identifier: cast.id, type: 'hash' })).casts).toEqual([]);
  });

  test('behavior: anybody’s notifications show who named them', async () => {
    network.post({ author: 'bob', text: 'hey @carol and @alice' });
    network.post({ author: 'alice', text: '@carol, later', at: NOW - MINUTE });
    network.post({ author: 'bob', text: 'a reply', replyTo: cast.id });
    const names = async (fid: number) => {
      const { notifications } = await sdk.fetchAllNotifications({ fid, type: ['mentions'] });
      return notifications.map(({ cast: by }) => by?.text);
    };
    expect(await names(1003)).toEqual(['hey @carol and @alice', '@carol, later']);
    expect(await names(1001)).toEqual(['hey @carol and @alice']);
    expect((await acts.get('/notifications?fid=7')).status).toBe(404);
  });

  test('behavior: followers come newest first, and a viewer’s context says who follows whom', async () => {
    network.act({ who: 'bob', kind: 'follow', account: 'alice', at: NOW - MINUTE });
    network.act({ who: 'carol', kind: 'follow', account: '1001' });
    network.act({ who: 'alice', kind: 'follow', account: 'carol' });
    const followers = async () =>
      (await sdk.fetchUserFollowers({ fid: 1001, sortType: 'desc_chron' })).users.map(({ user }) => user.username);
    expect(await followers()).toEqual(['carol', 'bob']);
    const { users } = await sdk.fetchBulkUsers({ fids: [1001, 1002, 1003], viewerFid: 1001 });
    const context = users.map(({ viewer_context: seen, follower_count }) => [
      seen?.followed_by,
      seen?.following,
      follower_count,
    ]);
    expect(context).toEqual([
      [false, false, 2],
      [true, false, 0],
      [true, true, 1],
    ]);
    network.act({ who: 'carol', kind: 'unfollow', account: 'alice' });
    expect(await followers()).toEqual(['bob']);
    const [alone] = (await sdk.fetchBulkUsers({ fids: [1002] })).users;
    expect(alone && 'viewer_context' in alone).toBe(false);
  });

  test('behavior: a conversation has both orders, and hides low scores only when it is folded', async () => {
    network.addUser({ id: '1004', username: 'mallory', score: 0.1 });
    for (const author of ['bob', 'mallory', 'carol']) {
      acts.time.now += 1;
      network.post({ author, text: author, replyTo: cast.id });
    }
    const replies = async (query: object) => {
      const found = await sdk.lookupCastConversation({ identifier: cast.id, type: 'hash', ...query });
      return found.conversation.cast.direct_replies.map(({ text }) => text);
    };
    expect(await replies({})).toEqual(['bob', 'mallory', 'carol']);
    expect(await replies({ sortType: 'desc_chron', replyDepth: 1 })).toEqual(['carol', 'mallory', 'bob']);
    expect(await replies({ fold: 'above' })).toEqual(['bob', 'carol']);
    expect(await replies({ fold: 'below' })).toEqual(['mallory']);
    expect(await replies({ replyDepth: 0 })).toEqual([]);
  });

  test('behavior: the search knows words, and no symbols', async () => {
    const wanted = ['I like $DEGEN', 'degen!', 'degenerate', 'all in'];
    for (const text of wanted) network.post({ author: 'bob', text });
    const found = await sdk.searchCasts({ q: '$degen', mode: 'literal', sortType: 'desc_chron' });
    expect(found.result.casts.map(({ text }) => text)).toEqual(['degen!', 'I like $DEGEN']);
    const own = await sdk.searchCasts({ q: 'degen', authorFid: 1001 });
    expect(own.result).toEqual({ casts: [], next: { cursor: null } });
  });

  test('behavior: users show score, followers, age and addresses', async () => {
    const verifiedAddresses = [`0x${'a'.repeat(40)}`];
    const registeredAt = NOW - MINUTE;
    network.addUser({ id: '1004', username: 'dan', score: 0.91, followers: 1200, registeredAt, verifiedAddresses });
    network.addUser({ id: '1005', username: 'eve', score: null });
    const { users } = await sdk.fetchBulkUsers({ fids: [1001, 1004, 1005, 7] });
    expect(users.map(({ score, experimental }) => [score, experimental?.neynar_user_score])).toEqual([
      [0.5, 0.5],
      [0.91, 0.91],
      [undefined, undefined],
    ]);
    expect(users[1]).toMatchObject({ follower_count: 1200, registered_at: new Date(registeredAt).toISOString() });
  });

  test('behavior: what is deleted is gone everywhere, and what answered it stays', async () => {
    const reply = network.post({ author: 'bob', text: 'a reply', replyTo: cast.id });
    acts.act('carol', 'like');
    network.act({ who: 'alice', kind: 'delete', post: cast.id });
    expect((await sdk.fetchBulkCasts({ casts: [cast.id, reply.id] })).result.casts.map(({ hash }) => hash)).toEqual([
      reply.id,
    ]);
    const { cast: seen } = await sdk.lookupCastByHashOrUrl({ identifier: reply.id, type: 'hash' });
    expect([seen.parent_hash, seen.parent_author.fid]).toEqual([cast.id, 1001]);
    for (const path of [
      `/reactions/cast?hash=${cast.id}&types=likes`,
      `/cast/quotes?identifier=${cast.id}&type=hash`,
      `/cast/conversation?identifier=${cast.id}&type=hash`,
    ]) {
      expect(await acts.get(path)).toMatchObject({ status: 400, json: { message: 'Cast not found' } });
    }
    network.manners.gone = 'empty';
    expect(await reactions(['likes'])).toEqual([]);
    expect((await sdk.fetchCastQuotes({ identifier: cast.id, type: 'hash' })).casts).toEqual([]);
  });

  test('behavior: an account that deletes itself takes its casts and acts along', async () => {
    acts.act('bob', 'like');
    network.act({ who: 'bob', kind: 'follow', account: 'alice' });
    const own = network.post({ author: 'bob', text: 'hello @alice' });
    network.act({ who: 'bob', kind: 'delete', account: 'bob' });
    expect(await reactions(['all'])).toEqual([]);
    expect((await sdk.fetchUserFollowers({ fid: 1001 })).users).toEqual([]);
    expect((await sdk.fetchBulkUsers({ fids: [1002] })).users).toEqual([]);
    expect((await sdk.fetchBulkCasts({ casts: [own.id] })).result.casts).toEqual([]);
    expect((await acts.get('/followers?fid=1002')).status).toBe(404);
  });
});
