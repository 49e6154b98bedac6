import { describe, expect, test } from 'vitest';
import type { Platform } from '../../src/domain/account.ts';
import { type Address, checksummed } from '../../src/domain/gigs/token.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import type { Resolution } from '../../src/domain/names/names.ts';
import { ALICE, BOB_ON_X } from '../services/cashier.ts';
import { createNameBook } from '../services/name-book.ts';
import { freshAddress } from '../support/anvil.ts';
import { seedAddress } from '../support/store.ts';
import { alices, asset, bobs, cashier, hear, LEASE_MS, LOOK_MS, openBot, openForEachTest, said } from './claiming.ts';

openForEachTest();

const HOME = '0x1234567890123456789012345678901234567890';
/** It begins as the other one: whoever moves a name can choose so much. */
const TWIN = '0x1234ffffffffffffffffffffffffffffffffffff';
const INSTEAD = 'Name an address instead: "claim my rewards 0x…", with 0x and 40 hex digits.';

/** Names of which `alice.eth` leads home. */
const book = (first: Parameters<typeof createNameBook>[0] = { 'alice.eth': { address: HOME } }) =>
  createNameBook(first);

type Bot = ReturnType<typeof openBot>;

async function ask(bot: Bot, text: string, platform: Platform = 'farcaster'): Promise<string | null> {
  const id = await hear(text, platform);
  await bot.answerAll();
  return await said(id);
}

/** Says it, and has everything paid that it claims. */
async function askAndPay(bot: Bot, text: string, platform: Platform = 'farcaster'): Promise<string | null> {
  const id = await hear(text, platform);
  await bot.answerAll();
  await cashier.settle();
  cashier.advance(LOOK_MS);
  await bot.answerAll();
  return await said(id);
}

const asking = (address: Address, name = 'alice.eth') =>
  `To be paid to ${checksummed(address)}, post "claim my rewards ${name} ${address.slice(0, 6)}".`;
const claims = () => cashier.store.claims({ limit: 9 });
const remembered = (account = ALICE) => cashier.store.nameOf(account, 'alice.eth');

describe('claim my rewards to a name', () => {
  test.each([
    ['farcaster', ALICE, alices],
    ['twitter', BOB_ON_X, bobs],
  ] as const)(
    'behavior: tells the whole address first, pays after the digits, and then at once (%s)',
    async (platform, account, earn) => {
      const home = freshAddress();
      const { names } = book({ 'alice.eth': { address: home } });
      const bot = openBot({ names });
      await earn();
      expect(await ask(bot, 'claim my rewards alice.eth', platform)).toContain(asking(home));
      expect([await claims(), await cashier.payments('payout')]).toEqual([[], []]);
      const paid = await askAndPay(bot, `claim my rewards alice.eth ${home.slice(0, 6)}`, platform);
      expect(paid).toContain(`Paid to ${checksummed(home)}`);
      expect(await cashier.held(asset, home)).toBeGreaterThan(0n);
      expect(await remembered(account)).toMatchObject({ address: home, confirmedAt: cashier.clock() - LOOK_MS });
      await earn();
      expect(await askAndPay(bot, 'claim my rewards alice.eth', platform)).toContain(`Paid to ${checksummed(home)}`);
    },
  );

  test('security: digits without the address having been told first pay nothing', async () => {
    await alices();
    const bot = openBot(book());
    expect(await ask(bot, 'claim my rewards alice.eth 0x1234')).toBe(asking(HOME));
    expect(await claims()).toEqual([]);
    expect(await ask(bot, 'claim my rewards alice.eth 0x1234')).toBeNull();
    expect(await claims()).toMatchObject([{ recipient: HOME, source: 'mention' }]);
  });

  test('security: digits that are not those of the address pay nothing', async () => {
    await alices();
    const bot = openBot(book());
    await ask(bot, 'claim my rewards alice.eth');
    const misread = `Those digits do not fit, so I paid nothing. ${asking(HOME)}`;
    expect(await ask(bot, 'claim my rewards alice.eth 0x1235')).toBe(misread);
    expect(await ask(bot, `claim my rewards alice.eth ${TWIN}`)).toBe(misread);
    expect(await claims()).toEqual([]);
    expect(await remembered()).toMatchObject({ confirmedAt: null });
    await ask(bot, `claim my rewards alice.eth ${HOME}`);
    expect(await claims()).toMatchObject([{ recipient: HOME }]);
  });

  test('security: a name that moved between the question and the confirmation is not paid, also with the same digits', async () => {
    await alices();
    const { names, lead } = book();
    const bot = openBot({ names });
    await ask(bot, 'claim my rewards alice.eth');
    lead('alice.eth', TWIN);
    const moved = `That name leads elsewhere now, so I paid nothing. ${asking(TWIN)}`;
    expect(await ask(bot, 'claim my rewards alice.eth 0x1234')).toBe(moved);
    expect(await claims()).toEqual([]);
    await ask(bot, 'claim my rewards alice.eth 0x1234');
    expect(await claims()).toMatchObject([{ recipient: TWIN }]);
  });

  test('security: digits that were posted before the answer confirm nothing: those of an older one may be the same', async () => {
    await alices();
    const { names, lead } = book();
    const bot = openBot({ names });
    await ask(bot, 'claim my rewards alice.eth');
    cashier.advance(60_000);
    const posted = cashier.clock();
    cashier.advance(60_000);
    lead('alice.eth', TWIN);
    await ask(bot, 'claim my rewards alice.eth');
    const late = await hear('claim my rewards alice.eth 0x1234', 'farcaster', { postedAt: posted });
    await bot.answerAll();
    expect(await said(late)).toBe(`You posted that before I answered, so I paid nothing. ${asking(TWIN)}`);
    expect([await claims(), await remembered()]).toMatchObject([[], { address: TWIN, confirmedAt: null }]);
    await ask(bot, 'claim my rewards alice.eth 0x1234');
    expect(await claims()).toMatchObject([{ recipient: TWIN }]);
  });

  test('security: of a question and a confirmation that wait together, only the question is answered with an address', async () => {
    await alices();
    const bot = openBot(book());
    const question = await hear('claim my rewards alice.eth');
    const blind = await hear('claim my rewards alice.eth 0x1234');
    cashier.advance(5_000);
    await bot.answerAll();
    expect(await said(question)).toBe(asking(HOME));
    expect(await said(blind)).toContain('before I answered, so I paid nothing');
    expect(await claims()).toEqual([]);
  });

  test('security: a remembered name that moved has to be confirmed anew', async () => {
    await alices();
    const { names, lead } = book();
    const bot = openBot({ names });
    await ask(bot, 'claim my rewards alice.eth');
    await askAndPay(bot, 'claim my rewards alice.eth 0x1234');
    await alices();
    lead('alice.eth', TWIN);
    expect(await ask(bot, 'claim my rewards alice.eth')).toContain(`elsewhere now, so I paid nothing. ${asking(TWIN)}`);
    lead('alice.eth', HOME);
    expect(await ask(bot, 'claim my rewards alice.eth 0x1234')).toContain(asking(HOME));
    expect(await claims()).toHaveLength(1);
  });

  test('security: a name is remembered for the account that confirmed it alone', async () => {
    await alices();
    await bobs();
    const bot = openBot(book());
    await ask(bot, 'claim my rewards alice.eth');
    await askAndPay(bot, 'claim my rewards alice.eth 0x1234');
    expect(await ask(bot, 'claim my rewards alice.eth 0x1234', 'twitter')).toContain(asking(HOME));
    expect(await claims()).toHaveLength(1);
  });

  test('behavior: a post makes one claim: its name may lead elsewhere while its payment is under way', async () => {
    await alices();
    const home = freshAddress();
    const { names, lead, looked } = book({ 'alice.eth': { address: home } });
    const bot = openBot({ names });
    await ask(bot, 'claim my rewards alice.eth');
    const id = await hear(`claim my rewards alice.eth ${home.slice(0, 6)}`);
    await bot.answerAll();
    const before = looked.length;
    lead('alice.eth', TWIN);
    await cashier.settle();
    cashier.advance(LOOK_MS);
    await bot.answerAll();
    expect(await said(id)).toContain(`Paid to ${checksummed(home)}: 5 USDC`);
    expect(looked).toHaveLength(before);
    expect(await claims()).toHaveLength(1);
  });

  test('behavior: two at once pay once', async () => {
    await alices();
    const bot = openBot(book());
    await ask(bot, 'claim my rewards alice.eth');
    const ids = [await hear('claim my rewards alice.eth 0x1234'), await hear('claim my rewards alice.eth 0x1234')];
    await Promise.all([bot.answerAll(), bot.answerAll()]);
    await cashier.settle();
    cashier.advance(LOOK_MS);
    await bot.answerAll();
    expect(await cashier.payments('payout')).toHaveLength(1);
    expect((await Promise.all(ids.map(said))).toSorted()).toEqual([
      expect.stringContaining('Paid to'),
      expect.stringContaining('no claimable tokens'),
    ]);
  });

  test('behavior: a clock that is set back or forward between the question and the confirmation changes nothing', async () => {
    for (const step of [-24 * 3_600_000, 400 * 24 * 3_600_000]) {
      await alices();
      const { names, lead } = book();
      const home = freshAddress();
      lead('alice.eth', home);
      const bot = openBot({ names });
      expect(await ask(bot, 'claim my rewards alice.eth')).toContain(asking(home));
      cashier.advance(step);
      expect(await askAndPay(bot, `claim my rewards alice.eth ${home.slice(0, 6)}`)).toContain('Paid to');
    }
  });

  test('error: a process that ends while it looks the name up leaves nothing, and the next one answers', async () => {
    await alices();
    const { names } = book();
    const id = await hear('claim my rewards alice.eth');
    const failing = openBot({ names: { resolve: () => Promise.reject(new Error('killed')) } });
    await failing.answerNext();
    expect([await said(id), await remembered(), await claims()]).toEqual([null, null, []]);
    cashier.advance(LEASE_MS);
    const bot = openBot({ names });
    await bot.answerAll();
    expect(await said(id)).toBe(asking(HOME));
    expect(await remembered()).toMatchObject({ address: HOME, confirmedAt: null });
  });

  test('security: of names whose servers are slow few are looked up at once; other mentions are answered, and one more name waits', async () => {
    await alices();
    const authors = ['2001', '2002', '2003', '2004', '2005'];
    const tips = authors.map((platformUserId) => ({ account: { ...ALICE, platformUserId }, amount: 1n }));
    await cashier.gig({ asset, tips });
    const slow = Promise.withResolvers<Resolution>();
    const bot = openBot({ names: { resolve: () => slow.promise } });
    const ids: number[] = [];
    for (const author of authors) ids.push(await hear('claim my rewards alice.eth', 'farcaster', { author }));
    const answering = ids.map(() => bot.answerNext());
    const late = ids.at(-1) ?? 0;
    await expect.poll(async () => (await cashier.store.mention(late))?.lastError).toContain('being looked up');
    const other = await hear('claims');
    await bot.answerNext();
    expect(await said(other)).toContain('Your claimable tokens');
    expect(await Promise.all(ids.map(said))).toEqual(Array(5).fill(null));
    slow.resolve({ address: HOME });
    await Promise.all(answering);
    expect(await Promise.all(ids.map(said))).toEqual([...Array(4).fill(asking(HOME)), null]);
    expect(await cashier.store.mention(late)).toMatchObject({ state: 'received', attempts: 0 });
    cashier.advance(LOOK_MS);
    await bot.answerAll();
    expect(await said(late)).toBe(asking(HOME));
  });

  test('error: after some tries without the chain the author is told, and nothing is changed', async () => {
    await alices();
    const { names, away, looked } = book();
    away(true);
    const bot = openBot({ names });
    const id = await hear('claim my rewards alice.eth');
    for (let tries = 0; tries < 4; tries += 1) {
      await bot.answerAll();
      cashier.advance(LEASE_MS);
    }
    expect(looked).toHaveLength(4);
    expect(await said(id)).toContain('I could not look up that name just now, so nothing was changed.');
    expect(await remembered()).toBeNull();
  });
});

describe('a name that is not paid', () => {
  test('behavior: where names are off, the reply says what to post instead', async () => {
    await alices();
    const off = `I do not pay to names here. ${INSTEAD}`;
    expect(await ask(openBot(), 'claim my rewards alice.eth')).toBe(off);
    expect(await ask(openBot(), 'claim my rewards Alice.eth 0x1234', 'twitter')).toContain(off);
    expect(await claims()).toEqual([]);
  });

  test.each([
    [
      'Alice.eth',
      'ENS writes that name "alice.eth". Post it in exactly these letters if you mean it, or name an address.',
    ],
    [
      'al\u200bice.eth',
      'ENS writes that name "alice.eth". Post it in exactly these letters if you mean it, or name an address.',
    ],
    ['аlice.eth', `I do not pay to that name: it mixes scripts, or has characters that no name has. ${INSTEAD}`],
    ['你好alice.eth', `I do not pay to that name: it mixes scripts, or has characters that no name has. ${INSTEAD}`],
    [`${'a'.repeat(97)}.eth`, `That name is too long for me. ${INSTEAD}`],
    ['nobody.eth', `nobody.eth has no address. ${INSTEAD}`],
    ['silent.eth', `The server that keeps silent.eth does not answer. ${INSTEAD}`],
    ['zero.eth', `zero.eth leads to 0x${'0'.repeat(40)}, where your tokens would be lost. ${INSTEAD}`],
  ])('security: %s', async (word, reply) => {
    await alices();
    const zero = { address: `0x${'0'.repeat(40)}` } as const;
    const { names } = book({ 'alice.eth': { address: HOME }, 'silent.eth': 'unanswered', 'zero.eth': zero });
    expect(await ask(openBot({ names }), `claim my rewards ${word}`)).toBe(reply);
    expect([await claims(), await remembered()]).toEqual([[], null]);
  });

  test.each(['evil.com.eth', 'evil.ⓒom.eth', 'nobody.com.eth'])(
    'security: a name of which X would make a link is not repeated, nor confirmed: %s',
    async (word) => {
      await bobs();
      const network = cashier.platforms.get('twitter');
      if (network === undefined) throw new Error('X is off');
      const onX: SocialPlatform = { ...network, hasLink: (text) => text.includes('.com') };
      const { names } = book({ 'evil.com.eth': { address: HOME } });
      const bot = openBot({ names, platforms: new Map<Platform, SocialPlatform>([['twitter', onX]]) });
      const reply = await ask(bot, `claim my rewards ${word}`, 'twitter');
      expect(reply).toContain(`I may not post links, and a part of that name would be one. ${INSTEAD}`);
      expect(await cashier.store.nameOf(BOB_ON_X, 'evil.com.eth')).toBeNull();
    },
  );

  test('security: a name that leads to a token or to the service itself is not paid', async () => {
    const gig = await alices();
    const places = [asset.address, gig.walletAddress, cashier.wallets.gasTankAddress()];
    for (const address of places) {
      const bot = openBot(book({ 'alice.eth': { address } }));
      expect(await ask(bot, 'claim my rewards alice.eth')).toContain('where your tokens would be lost');
    }
  });

  test('security: for an account that has nothing to claim no name is looked up', async () => {
    const { names, looked } = book();
    expect(await ask(openBot({ names }), 'claim my rewards alice.eth')).toContain('no claimable tokens');
    expect(looked).toEqual([]);
  });

  test('security: the longest name fits into a reply of either platform, with the whole address', async () => {
    await alices();
    await bobs();
    for (const label of ['a'.repeat(96), '你'.repeat(32), '👻'.repeat(24)]) {
      const bot = openBot(book({ [`${label}.eth`]: { address: seedAddress(7) } }));
      for (const platform of ['farcaster', 'twitter'] as const) {
        // New, then read wrongly, then posted before the answer.
        for (const [digits, age] of [
          ['', 0],
          [' 0x1234', 0],
          [' 0x0000', 60_000],
        ] as const) {
          const id = await hear(`claim my rewards ${label}.eth${digits}`, platform, {
            postedAt: cashier.clock() - age,
          });
          await bot.answerAll();
          expect(await said(id)).toContain(asking(seedAddress(7), `${label}.eth`));
        }
      }
    }
  });
});
