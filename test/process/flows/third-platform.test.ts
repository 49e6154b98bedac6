import { randomBytes } from 'node:crypto';
// Before all others: modules that list the platforms see its row.
import '../../platforms/pond/row.ts';

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMentionReader } from '../../../src/bot/read-mention.ts';
import { createChains } from '../../../src/chain/registry.ts';
import type { GigWallets } from '../../../src/domain/chains/chain.ts';
import type { OutgoingReply, Post, SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { createLog } from '../../../src/log.ts';
import { answerNextMention } from '../../../src/services/mentions/answer-mentions.ts';
import { createDueMentions } from '../../../src/services/mentions/due-mentions.ts';
import { sendNextReply } from '../../../src/services/mentions/send-replies.ts';
import { NOW, openService, type Service, seedLocalGig } from '../../http/service.ts';
import { create, knowDegen, told } from '../../http/terms.ts';
import { createPond, signPond } from '../../platforms/pond/index.ts';
import { seedAddress, seedToken } from '../../support/store.ts';

const FROG = { platform: 'pond', platformUserId: '7' } as const;
const ADDRESS = '0x00000000000000000000000000000000000000bb';
const CLAIM: Post = {
  platform: 'pond',
  postId: '41',
  authorId: '7',
  authorUsername: 'frog',
  text: `claim my rewards ${ADDRESS}`,
  postedAt: NOW,
};
const WALLETS: GigWallets = {
  gigAddress: seedAddress,
  gasTankAddress: () => seedAddress(0xfeed),
  contractAddresses: () => [],
};

let service: Service;
let pond: SocialPlatform;
let sent: OutgoingReply[];

beforeAll(async () => {
  ({ pond, sent } = createPond([CLAIM]));
  service = await openService({ platforms: new Map([['pond', pond]]), wallets: WALLETS });
  await knowDegen(service);
});
afterAll(() => service.close());

function deliver(says: string, id: string, signature?: string) {
  const body = JSON.stringify({ kind: 'mention', ripple: { id, by: '7', name: 'frog', at: NOW, says } });
  const headers = { 'content-type': 'application/json', 'x-pond-signature': signature ?? signPond(body) };
  return service.app.request('/webhooks/pond', { method: 'POST', headers, body });
}

/** Answers what waits, and sends it; the texts. */
async function answerAndSend(): Promise<string[]> {
  const { store, health } = service;
  const clock = () => service.time.now;
  const log = createLog({ level: 'silent' });
  let ids = 0;
  const newId = () => `pond-${ids++}`;
  const platforms = new Map([['pond', pond]]);
  const shared = { store, platforms, clock, newId, log, limits: { perAuthor: 10, perThread: 5 } };
  const chains = createChains({ endpoints: [], clock });
  const readMention = createMentionReader({
    ...shared,
    chains,
    wallets: WALLETS,
    payers: null,
    treasury: null,
    publicUrl: 'https://gigclaim.test',
    offered: [],
    refundDelayMs: 0,
    randomBytes,
    wakePayments: () => undefined,
  });
  const timing = { leaseMs: 60_000, backoffMs: 1_000, settleMs: 1_000, noteMs: 0 };
  const before = sent.length;
  const sending = { ...shared, health, startedAt: 0, timing };
  const alone = { dueMentions: createDueMentions(), isShared: () => false, sending };
  while (await answerNextMention({ ...shared, ...alone, readMention, wake: () => undefined, timing }));
  while (await sendNextReply(sending, 'pond'));
  return sent.slice(before).map(({ text }) => text);
}

/** A live gig on Pond whose tip of 12.5 is the frog's. */
async function earn(): Promise<number> {
  const token = await seedToken(service.store, { chainId: 31337 });
  const { id } = await seedLocalGig(service.store, token, { platform: 'pond', live: true, startTime: NOW - 1 });
  const tips = [{ platform: 'pond', platform_user_id: '7', username: 'frog', value: 12.5 }];
  expect((await service.send('POST', `/api/gigs/${id}/tips`, { tips })).status).toBe(201);
  return id;
}

test('behavior: a mention comes in by webhook, is stored, answered, and the reply is sent', async () => {
  expect((await deliver('@gigclaim claims', '11')).status).toBe(200);
  expect(await service.store.mentionByPost('pond', '11')).toMatchObject({ state: 'received', authorId: '7' });
  expect(await answerAndSend()).toEqual(['You have no claimable tokens at the moment. (11)']);
  expect(await service.store.replies({ limit: 1 })).toMatchObject([{ platform: 'pond', state: 'sent', postId: '811' }]);
  expect(await service.store.account(FROG)).toEqual({ ...FROG, username: 'frog' });
});

test('security: a delivery without its signature is refused', async () => {
  expect((await deliver('@gigclaim claims', '12', 'ff'.repeat(32))).status).toBe(401);
  expect(await service.store.mentionByPost('pond', '12')).toBeNull();
});

test('behavior: its challenge is answered under its own names', async () => {
  const answer = await told(Promise.resolve(service.app.request('/webhooks/pond?drop=abcdefgh')));
  expect(answer).toEqual({ status: 200, body: { splash: signPond('abcdefgh') } });
  expect((await service.app.request('/webhooks/pond?drop=%7B%7D')).status).toBe(400);
});

test('behavior: its gigs are created, listed and shown in its own words', async () => {
  const url = 'https://pond.example/frog/ripple/7';
  const { gig_id: id } = await create(service, { platform: 'pond', gig_type: 'boost', url });
  const { body } = await told(Promise.resolve(service.app.request('/api/gigs?platforms=pond&status=created')));
  expect(body).toMatchObject({
    data: [{ id, platform: 'pond', external_url: url, how_to_earn: 'Echo or quote the ripple.' }],
  });
  expect(await (await service.app.request(`/gigs/${id}`)).text()).toContain('Boost on Pond');
});

test('behavior: what is earned there is looked up on its page and claimed by the URL of a post', async () => {
  const id = await earn();
  const page = await (await service.app.request('/claim/pond/7')).text();
  expect(page).toContain('12.5');
  expect(page).toContain('https://pond.example/new?text=');
  const body = JSON.stringify({ url: 'https://pond.example/frog/ripple/41' });
  const claimed = await told(Promise.resolve(service.app.request('/api/claim', { method: 'POST', body })));
  expect(claimed).toMatchObject({ status: 200, body: { summary: { pending_count: 1, recipient: ADDRESS } } });
  expect(await service.store.paymentsOfGig(id)).toMatchObject([
    { state: 'planned', amount: 12_500_000_000_000_000_000n, recipient: ADDRESS },
  ]);
});

test('behavior: a claim by mention pays the address that its platform knows', async () => {
  const id = await earn();
  await deliver('@gigclaim claim my rewards', '13');
  expect(await answerAndSend()).toEqual([]);
  const recipient = '0x00000000000000000000000000000000000000aa';
  expect(await service.store.paymentsOfGig(id)).toMatchObject([{ state: 'planned', recipient }]);
});
