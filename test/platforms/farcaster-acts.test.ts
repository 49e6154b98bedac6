import { beforeEach, describe, expect, test } from 'vitest';
import type { Act, Target } from '../../src/domain/earning/act.ts';
import { type Crowd, namesOf, startCrowd } from './acts.ts';
import { NOW } from './setup.ts';

const MINUTE = 60_000;

describe('acts on Farcaster', () => {
  let network: Crowd['network'];
  let cast: Crowd['cast'];
  let onCast: Target;
  let first: Crowd['first'];
  let all: Crowd['all'];
  let like: Crowd['like'];
  let time = NOW;
  const onAlice: Target = { kind: 'account', accountId: '1001' };
  const onDegen: Target = { kind: 'keyword', keyword: '$degen' };

  beforeEach(async () => {
    time = NOW + MINUTE;
    ({ network, cast, onCast, first, all, like } = await startCrowd(() => time));
  });

  test('behavior: a like has its sender and the time that the sender claims', async () => {
    like('bob');
    like('carol', NOW - 5 * MINUTE);
    network.act({ who: 'dave', kind: 'recast', post: cast.id });
    const bare = { kind: 'like', objectId: '', text: null } as const;
    expect(await first('like', onCast)).toEqual({
      acts: [
        { ...bare, accountId: '1002', username: 'bob', actedAt: NOW + MINUTE },
        { ...bare, accountId: '1003', username: 'carol', actedAt: NOW - 5 * MINUTE },
      ],
      next: null,
    });
    expect(namesOf((await first('recast', onCast))?.acts)).toEqual(['dave']);
  });

  test('behavior: what is undone is listed no more', async () => {
    like('bob');
    like('carol');
    network.act({ who: 'bob', kind: 'unlike', post: cast.id });
    expect(namesOf(await all('like', onCast))).toEqual(['carol']);
    network.act({ who: 'carol', kind: 'unlike', post: cast.id });
    expect(await first('like', onCast)).toEqual({ acts: [], next: null });
  });

  test('behavior: 250 likes are three pages, each like once', async () => {
    for (let index = 0; index < 250; index++) {
      network.addUser({ id: String(5000 + index), username: `fan${index}` });
      like(`fan${index}`);
    }
    expect((await first('like', onCast))?.acts).toHaveLength(100);
    const likes = await all('like', onCast);
    expect(new Set(likes.map(({ accountId }) => accountId)).size).toBe(250);
    expect([likes.length, likes[0]?.username, likes.at(-1)?.username]).toEqual([250, 'fan249', 'fan0']);
  });

  test('behavior: a quote is a cast of its own', async () => {
    network.act({ who: 'bob', kind: 'quote', post: cast.id, text: 'look at this' });
    const [quote] = await all('quote', onCast);
    const post = network.posts().find(({ text }) => text === 'look at this');
    const byBob = { accountId: '1002', username: 'bob', actedAt: time };
    expect(quote).toEqual({ kind: 'quote', ...byBob, objectId: post?.id, text: 'look at this' });
    expect(await all('recast', onCast)).toEqual([]);
    network.act({ who: 'bob', kind: 'delete', post: post?.id });
    expect(await all('quote', onCast)).toEqual([]);
  });

  test('behavior: replies are the direct ones, newest first, none hidden for a low score', async () => {
    network.addUser({ id: '1005', username: 'mallory', score: 0.01 });
    const reply = network.post({ author: 'bob', text: 'one', replyTo: cast.id });
    time += MINUTE;
    network.post({ author: 'carol', text: 'below one', replyTo: reply.id });
    network.post({ author: 'mallory', text: 'two', replyTo: cast.id });
    network.post({ author: 'dave', text: 'early', replyTo: cast.id, at: NOW });
    const texts = (acts: readonly Act[]) => acts.map(({ text }) => text);
    expect(texts(await all('reply', onCast))).toEqual(['two', 'one', 'early']);
    const submissions = await all('submission', onCast);
    expect(submissions.map(({ kind }) => kind)).toEqual(['submission', 'submission', 'submission']);
    for (let index = 0; index < 120; index++) network.post({ author: 'bob', text: `${index}`, replyTo: cast.id });
    expect(await all('reply', onCast)).toHaveLength(123);
  });

  test('behavior: mentions of an account come from its notifications alone', async () => {
    network.post({ author: 'bob', text: 'hello @alice', at: NOW - MINUTE });
    network.post({ author: 'carol', text: 'alice, and al@alice' });
    network.post({ author: 'dave', text: 'a reply', replyTo: cast.id });
    network.post({ author: 'dave', text: '@alice and @bob' });
    const mentions = await all('mention', onAlice);
    expect(mentions.map(({ username, text, actedAt }) => [username, text, actedAt])).toEqual([
      ['dave', '@alice and @bob', time],
      ['bob', 'hello @alice', NOW - MINUTE],
    ]);
    for (let index = 0; index < 60; index++) network.post({ author: 'bob', text: `@alice ${index}` });
    expect(await all('mention', onAlice)).toHaveLength(62);
  });

  test('behavior: a keyword is searched for in casts; more may be found than the rule counts', async () => {
    network.post({ author: 'bob', text: 'I hold $DEGEN' });
    network.post({ author: 'carol', text: 'such a degen' });
    network.post({ author: 'dave', text: 'degenerate' });
    expect(namesOf(await all('mention', onDegen))).toEqual(['carol', 'bob']);
  });

  test('behavior: followers have no time, and the newest is first', async () => {
    network.act({ who: 'bob', kind: 'follow', account: 'alice', at: NOW - MINUTE });
    network.act({ who: 'carol', kind: 'follow', account: 'alice' });
    expect((await all('follow', onAlice)).map(({ username, actedAt }) => [username, actedAt])).toEqual([
      ['carol', null],
      ['bob', null],
    ]);
    network.act({ who: 'carol', kind: 'unfollow', account: 'alice' });
    expect(namesOf(await all('follow', onAlice))).toEqual(['bob']);
  });
});
