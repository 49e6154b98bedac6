import { beforeAll, expect, inject, test } from 'vitest';
import { CROWD_ACCOUNT } from '../../services/earning/crowd.ts';
import { openGig } from '../../services/earning/gigs.ts';
import { holdRule } from '../../services/earning/holders.ts';
import { seedAddress, seedMention } from '../../support/store.ts';
import { openService, service, shareService } from '../service.ts';
import { type Browser, browserOf, hidden, walletOn } from './browser.ts';

const HOUR = 3_600_000;
const MINE = '/my/rewards/farcaster/1003';
const WALLET = `0x${'ab'.repeat(20)}` as const;
const X_ID = '1700000000000001002';

shareService(() => openService({ signIn: walletOn(inject('anvilUrl')) }));

const openHold = (platform: string) =>
  openGig(service.store, {
    gigType: 'hold',
    platform,
    target: CROWD_ACCOUNT,
    rule: holdRule({ type: 'raffle', winners: 2 }),
    holdMs: 2 * HOUR,
    startTime: service.time.now - HOUR,
    duration: 25 * HOUR,
  });

async function enter(browser: Browser, path: string, gig: string | number) {
  const page = await browser.get(path);
  return await browser.post(`${path}/join`, { token: hidden(page, 'token'), gig: String(gig) });
}

beforeAll(async () => {
  const { store } = service;
  const account = { platform: 'twitter', platformUserId: X_ID };
  const mentionId = await seedMention(store, { platform: 'twitter', authorId: X_ID, postId: '7' });
  await store.transaction(async (tx) => {
    await tx.setUsername({ ...account, username: 'bob' }, service.time.now);
    await tx.insertLink(account, { wallet: WALLET, postId: '7', mentionId, createdAt: 1 });
    const link = await tx.linkOf(account);
    await tx.confirmLink(link?.id ?? 0, 2);
  });
});

test('behavior: an account enters with its own session, and reads what became of it when it does so again', async () => {
  const { id } = await openHold('farcaster');
  const browser = await browserOf(service, 'farcaster:1003');
  const entered = await enter(browser, MINE, `#${id}`);
  expect([entered.status, entered.headers.get('location')]).toEqual([303, MINE]);
  const account = { platform: 'farcaster', platformUserId: '1003' };
  expect(await service.store.entry(id, account)).toMatchObject({ state: 'joined' });
  const again = await enter(browser, MINE, id);
  expect([again.status, again.text.includes(`You entered gig ${id} before. Held`)]).toEqual([409, true]);
});

test('security: an account on X enters here alone, by the wallet that it has linked', async () => {
  const { id } = await openHold('twitter');
  const path = `/my/rewards/x/${X_ID}`;
  const stranger = await browserOf(service, `wallet:${seedAddress(77)}`);
  expect((await stranger.get(path)).status).toBe(404);
  const linked = await browserOf(service, `wallet:${WALLET}`);
  expect((await enter(linked, path, id)).status).toBe(303);
  const account = { platform: 'twitter', platformUserId: X_ID };
  expect(await service.store.entry(id, account)).toMatchObject({ state: 'joined' });
});

test('error: a gig that is no number, unknown or on another platform is refused with its reason', async () => {
  const { id } = await openHold('twitter');
  const browser = await browserOf(service, 'farcaster:1003');
  for (const [gig, said] of [
    ['many', 'the number of a gig, such as 42'],
    ['999999', '999999'],
    [id, `Gig ${id} is on X: enter there.`],
  ] as const) {
    const { status, text } = await enter(browser, MINE, gig);
    expect([gig, status >= 400, text.includes(said)]).toEqual([gig, true, true]);
  }
});
