import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NetworkPost } from '../../../sandbox/networks/network.ts';
import { paidOut, type Result, started } from '../../../sandbox/page/outcomes.ts';
import { openRecords, type Records } from '../../../sandbox/page/records.ts';
import type { World } from '../../../sandbox/page/stage.ts';
import { saidIn } from '../../../sandbox/page/story.ts';
import { renderStory } from '../../../sandbox/page/views/document.ts';
import { renderGigs, renderPeople, renderSuggestions, renderTimeline } from '../../../sandbox/page/views/panels.ts';
import { holdingKey } from '../../../sandbox/page/watcher.ts';
import { FUNDER } from '../../../sandbox/people.ts';
import { openTestStore } from '../../support/database.ts';
import { SEEDED_AT, seedAddress, seedGig, seedMention, seedToken } from '../../support/store.ts';
import { sampleWorld } from './world.ts';

const DAY_MS = 86_400_000;
const BOB = { platform: 'twitter', platformUserId: '1700000000000001002' } as const;
const SERVICE = 'http://127.0.0.1:3000';

let records: Records;
let world: World;

function post(id: string, author: string, text: string, replyTo: string | null = null): NetworkPost {
  const url = `https://x.com/${author}/status/${id}`;
  const by = { id: '1', username: author, verifiedAddresses: [] };
  const place = { threadId: replyTo ?? id, versions: [id], quotes: null };
  return { id, author: by, text, replyTo, url, createdAt: SEEDED_AT, ...place };
}

/** The world after bob's post was answered with these words. */
function answered(text: string): World {
  const said = [post('7', 'bob', '@gigclaim start gig 3'), post('8', 'gigclaim', text, '7')];
  return { ...world, posts: { ...world.posts, x: said } };
}

test('behavior: replies on X are read without the mark by which X takes the same text twice', () => {
  // 7 in base 36.
  const marked = { ...answered('hello [7]').posts.x[1] } as NetworkPost;
  expect(String(renderTimeline('x', answered('hello [7]')))).toContain('<p class="said"><bdi>hello</bdi></p>');
  expect(saidIn('x', marked)).toBe('hello');
  expect(saidIn('x', { ...marked, text: 'hello [8]' })).toBe('hello [8]');
  expect(saidIn('x', post('9', 'bob', 'hello [7]', '7'))).toBe('hello [7]');
});

beforeAll(async () => {
  const { store, database, close } = await openTestStore();
  const token = await seedToken(store);
  await seedGig(store, { live: true, startTime: SEEDED_AT + 2 * DAY_MS });
  await seedGig(store, { live: true });
  await seedGig(store, { owners: [BOB] });
  const id = await seedMention(store, { platform: 'twitter', postId: '7', authorUsername: 'bob' });
  await store.transaction(async (tx) => {
    await tx.leaseMention({ lease: 'a', now: 1e13, until: 2e13, platforms: ['twitter'] });
    await tx.queueReply({ mentionId: id, kind: 'answer', text: 'hello' }, 1);
    await tx.markAnswered(id, 'a');
  });
  const reader = await openRecords(database.url);
  const line = (symbol: string) => [{ total: 5n, token: { ...token, decimals: 0, symbol }, tips: 1 }];
  const claimable = new Map([['alice', { farcaster: line('FAR'), x: line('EX') }]]);
  records = { ...(await reader.read()), claimable };
  await reader.close();
  await close();
  const posts = { farcaster: [], x: [post('7', 'bob', '@gigclaim \u202etrats')] };
  world = sampleWorld({ records, holdings: null, now: SEEDED_AT, posts });
});

afterAll(() => {
  expect([...records.gigs.keys()]).toEqual([1, 2, 3]);
});

test('behavior: what can be claimed stands by its network, and each has its page', async () => {
  const page = String(await renderPeople(world, { assets: [], service: SERVICE }));
  const alice = page.slice(0, page.indexOf('person-bob'));
  expect(alice).toMatch(/Can claim on Farcaster.*FAR.*Can claim on X.*EX/s);
  expect(alice).toContain(`<a href="${SERVICE}/claim/farcaster/1001">on Farcaster</a>`);
  expect(alice).toContain(`<a href="${SERVICE}/claim/x/1700000000000001001">on X</a>`);
  expect(alice).toContain('<bdi>alice</bdi>');
  for (const way of ['farcaster', 'wallet'])
    expect(alice).toContain(`<form action="/sign-in/${way}/alice" method="post">`);
  expect(alice).toContain('<bdi>EX</bdi>');
});

test('behavior: the wallet to which gigs return money is shown with its balance', async () => {
  const usdc = { address: seedAddress(0x5d), symbol: 'USDC', decimals: 6, isNative: false };
  const holdings = { block: 1n, amounts: new Map([[holdingKey(FUNDER.address, usdc), 8_000_000n]]) };
  const page = String(await renderPeople({ ...world, holdings }, { assets: [usdc], service: SERVICE }));
  const funder = page.slice(page.indexOf('id="funder"'));
  expect(funder).toContain('title="0x976EA74026E726554dB657fA54763abd0C3a0aa9"');
  expect(funder).toContain('<li class="number">8 <bdi>USDC</bdi></li>');
});

test('behavior: a start is suggested for a gig that is not live, or for none', async () => {
  const words = async (gigs: Records['gigs']) => String(await renderSuggestions('x', { ...records, gigs }));
  expect((await words(records.gigs)).match(/start gig [0-9]+/)?.[0]).toBe('start gig 3');
  expect(await words(new Map())).not.toContain('start gig');
});

test('behavior: a live gig to come says its day and offers no start', async () => {
  const page = String(await renderGigs(world, { service: SERVICE }));
  expect(page).toContain('live, starts 3 Jan 2026');
  expect(page).not.toContain('scheduled');
  expect(page).toContain('id="start-3"');
  expect(page).not.toContain('id="start-1"');
});

test('behavior: a reply in the queue is called written', async () => {
  const page = String(await renderTimeline('x', world));
  expect(page).toContain('mention 1 answered');
  expect(page).toContain('reply written');
});

test('security: what somebody wrote cannot turn the text around it', async () => {
  const timeline = String(await renderTimeline('x', world));
  expect(timeline).toContain('<bdi>@gigclaim \u202etrats</bdi>');
  expect(timeline).toContain('<strong><bdi>bob</bdi></strong>');
  const line = { id: 1, at: SEEDED_AT, scene: 'X', text: 'bob posted: “a ”\u202e “b”', announce: false } as const;
  expect(String(await renderStory({ ...world, story: [line] }))).toContain('“<bdi>a ”\u202e “b</bdi>”');
});

const PLACE = { network: 'x', postId: '7' } as const;

test.each<[name: string, outcome: (world: World) => Result | null, reply: string, result: Result]>([
  [
    'a refused start, with an empty wallet',
    (world) => started(world, { gigId: 3, standing: '0 of 105 DEGEN', meant: 'refused' }, PLACE),
    'Gig 3 is not funded: it needs',
    { text: 'gig 3 was refused: it holds 0 of 105 DEGEN.', asMeant: true },
  ],
  [
    'a refused start, with a wallet that holds too much',
    (world) => started(world, { gigId: 3, standing: '106 of 105 DEGEN, which is too much', meant: 'refused' }, PLACE),
    'Gig 3 is not funded: it needs',
    { text: 'gig 3 was refused: it holds 106 of 105 DEGEN, which is too much.', asMeant: true },
  ],
  [
    'a start that was not accepted',
    (world) => started(world, { gigId: 3, standing: '105 of 105 DEGEN', meant: 'accepted' }, PLACE),
    'Try again later.',
    { text: 'gig 3 is not live: “Try again later.”', asMeant: false },
  ],
  [
    'a payout of nothing',
    (world) => paidOut(world, 'bob', PLACE),
    'Nothing to pay.',
    { text: 'bob was paid nothing: “Nothing to pay.”', asMeant: false },
  ],
])('behavior: the outcome of %s is told from what was seen', (_, outcome, reply, result) => {
  expect(outcome(world)).toBe(null);
  expect(outcome({ ...answered(reply), records: { ...records, mentions: new Map() } })).toBe(null);
  expect(outcome(answered(reply))).toEqual(result);
});
