import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk';
import type { WebhookSubscriptionFilters } from '@neynar/nodejs-sdk/build/api/index.js';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import { ACTS_OF, type Target, type WatchedTarget } from '../../../src/domain/earning/act.ts';
import type { GigType } from '../../../src/domain/gigs/gig.ts';
import type { SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { isSameSubscription, toSubscription } from '../../../src/platforms/farcaster/subscription.ts';
import { FARCASTER, failureOf, NOW, openFarcaster, openReceiver, startFarcaster } from '../setup.ts';

const hash = (digit: string) => `0x${digit.repeat(40)}`;
const post = (digit: string): Target => ({ kind: 'post', postId: hash(digit), authorId: '5' });
const of = (gigType: GigType, target: Target): WatchedTarget => ({ kinds: ACTS_OF[gigType], target });
const account: Target = { kind: 'account', accountId: '5' };
const word = (keyword: string): Target => ({ kind: 'keyword', keyword });
const BOT = { mentioned_fids: [9001], parent_author_fids: [9001], exclude_author_fids: [9001] };

describe('what the webhook asks for', () => {
  test('behavior: without watched gigs it is the bot’s own mentions and replies', () => {
    expect(toSubscription(9001, [])).toEqual({ 'cast.created': BOT });
  });

  test('behavior: it has what each gig type counts, each target once', () => {
    const watched = [
      of('like', post('b')),
      of('recast', post('a')),
      of('boost', post('a')),
      of('reply', post('c')),
      of('custom_bounty', post('d')),
      of('mention', account),
      of('mention', word('$degen')),
      of('mention', word('gm2')),
      of('follow', account),
      of('follow', { kind: 'account', accountId: '77' }),
    ];
    const expected: WebhookSubscriptionFilters = {
      'cast.created': {
        mentioned_fids: [9001, 5],
        parent_author_fids: [9001],
        exclude_author_fids: [9001],
        parent_hashes: [hash('c'), hash('d')],
        embedded_cast_hashes: [hash('a')],
        text: String.raw`(?i)(^|[^\p{L}\p{N}])(\$degen|gm2)($|[^\p{L}\p{N}])`,
      },
      'reaction.created': { target_cast_hashes: [hash('a'), hash('b')] },
      'follow.created': { target_fids: [5, 77] },
      'follow.deleted': { target_fids: [5, 77] },
    };
    expect(toSubscription(9001, watched)).toEqual(expected);
    expect(toSubscription(9001, watched.toReversed())).toEqual(expected);
  });

  test('behavior: another order and empty filters are no difference', () => {
    const wanted = toSubscription(9001, [of('follow', account), of('like', post('a')), of('like', post('b'))]);
    const shown = {
      'reaction.created': { target_cast_hashes: [hash('b'), hash('a')], fids: [] },
      'trade.created': {},
      'follow.deleted': { target_fids: [5] },
      'follow.created': { target_fids: [5] },
      'cast.created': { ...BOT, text: '', embeds: null },
    };
    expect(isSameSubscription(wanted, shown)).toBe(true);
    expect(isSameSubscription(wanted, { ...shown, 'cast.deleted': BOT })).toBe(false);
    expect(isSameSubscription(wanted, { ...shown, 'follow.created': { target_fids: [5, 6] } })).toBe(false);
  });
});

describe('the webhook at Neynar', () => {
  let network: FarcasterNetwork;
  let receiver: Awaited<ReturnType<typeof openReceiver>>;
  let sdk: NeynarAPIClient;
  let farcaster: SocialPlatform;

  beforeEach(async () => {
    network = await startFarcaster();
    network.addUser({ id: '5', username: 'author' });
    network.addUser({ id: '11', username: 'ann' });
    receiver = await openReceiver();
    farcaster = openFarcaster(network.url);
    sdk = new NeynarAPIClient(new Configuration({ apiKey: FARCASTER.apiKey, basePath: network.url }));
  });

  const filters = async () => (await sdk.fetchWebhooks()).webhooks.map(({ subscription }) => subscription?.filters);
  const kinds = () => receiver.received.map(({ body }) => JSON.parse(body.toString()).type).sort();

  test('behavior: registered for watched targets it delivers what is done towards them, and nothing else', async () => {
    const cast = network.post({ author: 'author', text: 'look' });
    const other = network.post({ author: 'author', text: 'not here' });
    const target: Target = { kind: 'post', postId: cast.id, authorId: '5' };
    const watched = [of('boost', target), of('like', target), of('reply', target), of('follow', account)];
    const { detail } = await farcaster.registerWebhook(receiver.url, [...watched, of('mention', word('$degen'))]);
    expect(detail).toContain('acts towards 5 watched targets');
    const one = await farcaster.registerWebhook(receiver.url, [of('follow', account)]);
    expect(one.detail).toContain('acts towards 1 watched target,');
    await farcaster.registerWebhook(receiver.url, [...watched, of('mention', word('$degen'))]);
    for (const post of [cast.id, other.id]) {
      network.act({ who: 'ann', kind: 'like', post });
      network.act({ who: 'ann', kind: 'recast', post });
      network.act({ who: 'ann', kind: 'unlike', post });
      network.act({ who: 'ann', kind: 'quote', post, text: 'this' });
      network.post({ author: 'ann', text: 'nice', replyTo: post });
    }
    network.act({ who: 'ann', kind: 'follow', account: 'author' });
    network.act({ who: 'ann', kind: 'unfollow', account: 'author' });
    network.act({ who: 'author', kind: 'follow', account: 'ann' });
    network.post({ author: 'ann', text: 'I like $DEGEN.' });
    network.post({ author: 'ann', text: 'I like $DEGENERATE.' });
    await network.settled();
    const casts = ['cast.created', 'cast.created', 'cast.created'];
    expect(kinds()).toEqual([...casts, 'follow.created', 'follow.deleted', 'reaction.created', 'reaction.created']);
    const acts = receiver.received.flatMap(({ body }) => farcaster.parse(body));
    const towards = acts.flatMap((event) => (event.kind === 'act' && event.act.kind !== 'mention' ? [event] : []));
    const kindsOfActs = towards.map(({ act, isUndone }) => `${act.kind}${isUndone ? ' undone' : ''}`);
    expect(kindsOfActs.sort()).toEqual(['follow', 'follow undone', 'like', 'quote', 'recast', 'reply']);
    expect(new Set(towards.map(({ act }) => act.accountId))).toEqual(new Set(['11']));
    expect(new Set(towards.map(({ act }) => act.actedAt))).toEqual(new Set([NOW]));
  });

  test('behavior: an update replaces what differs whole, touches nothing else, and makes no webhook', async () => {
    const update = (watched: WatchedTarget[]) => farcaster.updateWebhook?.(receiver.url, watched);
    expect(await update([])).toBe(false);
    expect(await filters()).toEqual([]);
    await farcaster.registerWebhook(receiver.url);
    await sdk.publishWebhook({ name: 'else', url: 'https://other.example.invalid/', subscription: {} });
    expect(await update([of('like', post('a'))])).toBe(true);
    expect(await update([of('like', post('a'))])).toBe(true);
    const liked = { 'cast.created': BOT, 'reaction.created': { target_cast_hashes: [hash('a')] } };
    expect(await filters()).toEqual([liked, {}]);
    expect(await update([])).toBe(true);
    expect(await filters()).toEqual([{ 'cast.created': BOT }, {}]);
    const [ours] = await farcaster.listWebhooks();
    await sdk.updateWebhookActiveStatus({ webhookId: ours?.id ?? '', active: 'false' });
    expect(await update([])).toBe(false);
  });

  test('behavior: a check compares, and a webhook that asks for other acts is only a hint', async () => {
    const watched = [of('like', post('a'))];
    await farcaster.registerWebhook(receiver.url, watched);
    const checked = async (given: WatchedTarget[]) => (await farcaster.check(receiver.url, given))[1];
    expect(await checked(watched)).toMatchObject({ ok: true, remedy: '' });
    expect(await checked([...watched, of('like', post('b'))])).toMatchObject({
      ok: true,
      detail: `The webhook for ${receiver.url} is active, but does not ask for just the acts towards the 2 watched targets`,
      remedy: expect.stringContaining('webhooks register'),
    });
  });

  test('error: an update that is refused says so', async () => {
    network.faults.api = 'server_error';
    const update = farcaster.updateWebhook?.(receiver.url, []) ?? Promise.resolve();
    expect((await failureOf(update)).reason).toBe('server_error');
  });
});
