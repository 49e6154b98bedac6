import { describe, expect, test } from 'vitest';
import type { Platform } from '../../src/domain/account.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import { ALICE, BOB_ON_X } from '../services/cashier.ts';
import { fault } from '../services/fakes.ts';
import { freshAddress } from '../support/anvil.ts';
import { takeOver } from '../support/database.ts';
import { seedAddress, seedGig, seedTips, seedToken } from '../support/store.ts';
import {
  alices,
  asset,
  bobs,
  cashier,
  hear,
  LEASE_MS,
  LOOK_MS,
  openBot,
  openForEachTest,
  refusing,
  said,
} from './claiming.ts';

openForEachTest();

/** Says it and lets the bot answer once, without anything being paid. */
async function ask(text: string, platform: Platform = 'farcaster', bot = openBot()): Promise<string | null> {
  const id = await hear(text, platform);
  await bot.answerAll();
  return await said(id);
}

async function payAndLook(bot = openBot()): Promise<void> {
  await cashier.settle();
  cashier.advance(LOOK_MS);
  await bot.answerAll();
}

describe('claim my rewards', () => {
  test('behavior: is answered when the payment is final, with amount and hash', async () => {
    await alices();
    const recipient = freshAddress();
    const bot = openBot();
    const id = await hear(`claim my rewards ${recipient}`);
    await bot.answerAll();
    cashier.advance(LOOK_MS);
    await bot.answerAll();
    expect(await said(id)).toBeNull();
    await payAndLook(bot);
    const [payment] = await cashier.payments('payout');
    expect(await said(id)).toMatch(/^Paid to 0x[0-9a-fA-F]{40}: 5 USDC \(tx 0x[0-9a-f]{64}\)\.$/);
    expect(await said(id)).toContain(`(tx ${payment?.hash})`);
    expect(await cashier.held(asset, recipient)).toBe(5_000_000n);
    expect(await bot.answerNext()).toBe(false);
  });

  test('error: looking at a payment does not use the mention up', async () => {
    await alices();
    const recipient = freshAddress();
    const bot = openBot();
    const id = await hear(`claim my rewards ${recipient}`);
    await bot.answerAll();
    let looks = 1;
    for (let seconds = 1; seconds < 20; seconds += 1) {
      cashier.advance(1_000);
      if (await bot.answerNext()) looks += 1;
    }
    expect(looks).toBeGreaterThan(5);
    expect(await cashier.store.mention(id)).toMatchObject({ state: 'received', attempts: 0 });
    await cashier.settle();
    cashier.advance(1_000);
    await bot.answerNext();
    expect(await said(id)).toContain('5 USDC');
    expect(await cashier.held(asset, recipient)).toBe(5_000_000n);
  });

  test('behavior: without an address pays the verified one', async () => {
    await alices();
    const verified = freshAddress();
    cashier.verified.set('1001', verified);
    const id = await hear('Claim My Rewards');
    await openBot().answerAll();
    await payAndLook();
    expect(await said(id)).toContain('5 USDC');
    expect(await cashier.held(asset, verified)).toBe(5_000_000n);
  });

  test('behavior: on X it pays the address that the post names', async () => {
    await bobs();
    const recipient = freshAddress();
    const id = await hear(`claim my rewards ${recipient}`, 'twitter');
    await openBot().answerAll();
    await payAndLook();
    expect(await said(id)).toMatch(/^Paid to 0x\w{40}: 0\.000007 USDC \(tx 0x[0-9a-f]{64}\)\. \[[0-9a-z]{1,6}\]$/);
    expect(await cashier.held(asset, recipient)).toBe(7n);
  });

  test('error: what was not paid is told, and a second post claims it', async () => {
    await refusing();
    await alices();
    const id = await hear(`claim my rewards ${freshAddress()}`);
    await openBot().answerAll();
    await payAndLook();
    expect(await said(id)).toMatch(/: 5 USDC \(tx 0x[0-9a-f]{64}\)\. Not paid: 1 ODD; they can be claimed again\.$/);
    const again = await hear(`claim my rewards ${freshAddress()}`);
    await openBot().answerAll();
    await payAndLook();
    expect(await said(again)).toBe('Not paid: 1 ODD; they can be claimed again.');
  });

  test('behavior: one that a process died with is answered once, and paid once', async () => {
    await alices();
    const recipient = freshAddress();
    const id = await hear(`claim my rewards ${recipient}`);
    await openBot().answerAll();
    const { store, clock } = cashier;
    cashier.advance(LOOK_MS);
    // Somebody takes the mention up and is never heard of again.
    const dead = { lease: 'dead', now: clock(), until: clock() + LEASE_MS, platforms: ['farcaster'] as const };
    expect((await store.transaction((tx) => tx.leaseMention(dead)))?.id).toBe(id);
    await cashier.settle();
    expect(await openBot().answerNext()).toBe(false);
    await takeOver(store, { held: 1, pass: () => cashier.advance(LEASE_MS) });
    await Promise.all([openBot().answerAll(), openBot().answerAll()]);
    expect(await said(id)).toContain('5 USDC');
    expect(await store.replies({ limit: 9 })).toHaveLength(1);
    expect(await store.claims({ limit: 9 })).toMatchObject([{ source: 'mention' }]);
    expect(await cashier.held(asset, recipient)).toBe(5_000_000n);
  });
});

describe('a claim that cannot be made', () => {
  test('error: is answered with the reason', async () => {
    await alices();
    await bobs();
    const invalid =
      'I cannot pay to that address. It must be 0x and 40 hex digits, all in one case or with a valid checksum.';
    expect(await ask('claim my rewards 0x123')).toBe(invalid);
    expect(await ask(`claim my rewards ${asset.address}`)).toBe(invalid);
    expect(await ask('claim my rewards 0x70997970C51812dc3A010C7d01b50e0d17dc79c8')).toBe(invalid);
    expect(await ask(`claim my rewards ${freshAddress()} ${freshAddress()}`)).toBe(
      'Your post names several addresses. Please name one.',
    );
    expect(await ask('claim my rewards')).toMatch(/^You have no verified Ethereum address\./);
    expect(await ask('claim my rewards', 'twitter')).toMatch(/^Please name the address to pay: .* \[[0-9a-z]+\]$/);
    expect(await cashier.store.claims({ limit: 9 })).toEqual([]);
  });

  test('security: in letters that deceive is refused with the reason', async () => {
    await alices();
    const [invisible, alike] = [/^Your post contains invisible characters/, /^Your post contains characters that look/];
    expect(await ask(`claim my rewards 0x\u200b${freshAddress().slice(2)}`)).toMatch(invisible);
    expect(await ask(`\u0441laim my rewards ${freshAddress()}`)).toMatch(alike);
    expect(await cashier.store.claims({ limit: 9 })).toEqual([]);
  });

  test('error: by somebody without tips, or where nothing can be paid', async () => {
    expect(await ask(`claim my rewards ${freshAddress()}`)).toBe('You have no claimable tokens at the moment.');
    // Anybody may ask for that, so that it comes after the answers to claims that pay.
    expect(await cashier.store.replies({ limit: 1 })).toMatchObject([{ worth: 3 }]);
    await alices();
    const off = openBot({ wallets: null });
    expect(await ask(`claim my rewards ${freshAddress()}`, 'farcaster', off)).toBe(
      'Payments are turned off here at the moment.',
    );
  });

  test('error: while the network does not tell the author’s address it is tried again, then told', async () => {
    await alices();
    const real = cashier.platforms.get('farcaster');
    if (real === undefined) throw new Error('Farcaster is off');
    let asked = 0;
    const failing: SocialPlatform = {
      ...real,
      payoutAddresses: () => {
        asked += 1;
        return Promise.reject(fault('server_error', 'safe'));
      },
    };
    const bot = openBot({ platforms: new Map([['farcaster', failing]]) });
    const id = await hear('claim my rewards');
    for (let looks = 0; looks < 4; looks += 1) {
      expect(await said(id)).toBeNull();
      await bot.answerAll();
      cashier.advance(10_000);
    }
    expect(asked).toBe(4);
    expect(await said(id)).toMatch(/^I could not look up your verified address just now, so nothing was changed\./);
    expect(await cashier.store.claims({ limit: 9 })).toEqual([]);
  });
});

describe('more claimable tokens than fit into a reply', () => {
  /** Twenty gigs in one token each, with a tip for alice and one for bob on X. */
  async function earn(): Promise<void> {
    const { store } = cashier;
    for (let number = 1; number <= 20; number += 1) {
      const { id: tokenId } = await seedToken(store, { address: seedAddress(number), symbol: `T${number}` });
      const gig = await seedGig(store, { live: true, tokenId, walletAddress: (id) => seedAddress(0x1000 + id) });
      await seedTips(store, gig, [ALICE, BOB_ON_X]);
    }
  }

  test('behavior: on Farcaster lead to the author’s page, when others can open it', async () => {
    await earn();
    const text = await ask('claims', 'farcaster', openBot({ publicUrl: 'https://gigclaim.example' }));
    expect(text).toMatch(/ · \+[0-9]+ more: https:\/\/gigclaim\.example\/claim\/farcaster\/1001$/);
    expect(Buffer.byteLength(text ?? '')).toBeLessThanOrEqual(320);
  });

  test('behavior: without https, and ever on X, are only counted', async () => {
    await earn();
    expect(await ask('claims')).toMatch(/ · \+[0-9]+ more$/);
    const onX = await ask('claims', 'twitter', openBot({ publicUrl: 'https://gigclaim.example' }));
    expect(onX).toMatch(/ · \+[0-9]+ more \[[0-9a-z]{1,6}\]$/);
    expect(onX).not.toContain('://');
  });
});
