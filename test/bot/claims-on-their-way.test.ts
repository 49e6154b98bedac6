import { describe, expect, test } from 'vitest';
import { OUTCOME_WORDS } from '../../src/bot/commands/claim.ts';
import type { Platform } from '../../src/domain/account.ts';
import { TANK_IS_LOW, type TankTransaction } from '../../src/domain/payments/payment.ts';
import { findHashesUnderWay, tellOutcomes } from '../../src/services/claims/claim-progress.ts';
import type { OutcomeContext } from '../../src/services/claims/context.ts';
import { ALICE } from '../services/cashier.ts';
import { freshAddress } from '../support/anvil.ts';
import { partStore } from '../support/part-store.ts';
import { sampleAttempt, sampleClaim, seedHash } from '../support/store.ts';
import {
  alices,
  asset,
  bobs,
  cashier,
  emptyTank,
  hear,
  LEASE_MS,
  LOOK_MS,
  openBot,
  openForEachTest,
  refusing,
  said,
} from './claiming.ts';
import { payment } from './samples.ts';

const PATIENCE_MS = 20_000;
const PAGE = 'https://gigclaim.example/claim/farcaster/1001';

openForEachTest();

/** The bot at a place that others can open. */
const answerAll = () => openBot({ publicUrl: 'https://gigclaim.example' }).answerAll();

function telling(overrides: Partial<OutcomeContext> = {}): OutcomeContext {
  const { store, clock, log, platforms } = cashier;
  return { store, clock, log, platforms, words: OUTCOME_WORDS, wake: () => undefined, ...overrides };
}

const saidLater = async (id: number) => (await cashier.store.followUpTo(id))?.text ?? null;

/** Claims, and waits until the bot says something without anything being paid. */
async function claimAndWait(platform: Platform = 'farcaster', recipient = freshAddress()): Promise<number> {
  const id = await hear(`claim my rewards ${recipient}`, platform);
  await answerAll();
  expect(await said(id)).toBeNull();
  cashier.advance(PATIENCE_MS);
  await answerAll();
  return id;
}

/** The reply, or the second one, was sent, so that it cannot say anything else any more. */
async function post(mentionId: number, isSecond = false): Promise<void> {
  const reply = await (isSecond ? cashier.store.followUpTo(mentionId) : cashier.store.replyTo(mentionId));
  if (reply === null) throw new Error('there is no reply to post');
  const now = cashier.clock();
  await cashier.store.transaction(async (tx) => {
    const held = await tx.leaseReply(reply.platform, { lease: 'sender', now, until: now + LEASE_MS });
    expect(held?.id).toBe(reply.id);
    await tx.markSending(reply.id, 'sender');
    await tx.markSent(reply.id, { lease: 'sender', postId: `post of ${reply.id}`, now });
  });
}

describe('a claim that is not settled after 20 seconds', () => {
  test('behavior: is answered with what is on its way and where its outcome will be seen; nothing more once it is paid', async () => {
    await alices();
    const recipient = freshAddress();
    const id = await hear(`claim my rewards ${recipient}`);
    await answerAll();
    cashier.advance(PATIENCE_MS - 1);
    await answerAll();
    expect(await said(id)).toBeNull();
    cashier.advance(1);
    await answerAll();
    expect(await said(id)).toBe(`On its way: 5 USDC. Follow it here: ${PAGE}`);
    expect(await cashier.store.mention(id)).toMatchObject({ state: 'answered' });
    await post(id);
    expect(await cashier.store.keptPromises()).toEqual([]);
    await cashier.settle();
    expect(await cashier.held(asset, recipient)).toBe(5_000_000n);
    expect(await cashier.store.keptPromises()).toHaveLength(1);
    await tellOutcomes(telling());
    expect(await saidLater(id)).toBeNull();
    expect(await cashier.store.keptPromises()).toEqual([]);
  });

  test('behavior: on X without a link', async () => {
    await bobs();
    expect(await said(await claimAndWait('twitter'))).toMatch(/^On its way: 0\.000007 USDC\. \[[0-9a-z]{1,6}\]$/);
  });

  test('behavior: keeps its author’s next commands waiting no longer', async () => {
    await alices();
    await hear(`claim my rewards ${freshAddress()}`);
    await answerAll();
    const help = await hear('help');
    await answerAll();
    expect(await said(help)).toBeNull();
    cashier.advance(PATIENCE_MS);
    await answerAll();
    expect(await said(help)).toMatch(/^Mention me with/);
  });

  test.each(['farcaster', 'twitter'] as const)(
    'error: on %s its failure is told in a second reply, once, with the reason',
    async (platform) => {
      await refusing();
      const id = await claimAndWait(platform);
      expect(await said(id)).toMatch(/^On its way: 1 ODD\./);
      await post(id);
      await tellOutcomes(telling());
      expect(await saidLater(id)).toBeNull();
      await cashier.settle();
      await Promise.all([tellOutcomes(telling()), tellOutcomes(telling())]);
      await tellOutcomes(telling());
      expect(await saidLater(id)).toMatch(
        /^Not paid: 1 ODD \(the token rejects the transfer\); they can be claimed again\.( \[[0-9a-z]{1,6}\])?$/,
      );
      expect(await cashier.store.replies({ limit: 9 })).toHaveLength(2);
    },
  );

  test.each([
    ['waits, which tells the failure instead', false, /^Not paid: 1 ODD/],
    ['was sent', true, /^awarded$/],
  ])(
    'security: its failure ends the promise where a second reply, to a submission in the same post, %s',
    async (_, isSent, second) => {
      await refusing();
      const id = await claimAndWait();
      await post(id);
      const won = { mentionId: id, kind: 'answer', text: 'awarded', followUp: true } as const;
      await cashier.store.transaction((tx) => tx.queueReply(won, cashier.clock()));
      if (isSent) await post(id, true);
      await cashier.settle();
      await tellOutcomes(telling());
      expect(await saidLater(id)).toMatch(second);
      expect(await cashier.store.keptPromises()).toEqual([]);
    },
  );

  test('security: a crash while the failure is told leaves all of it or nothing', async () => {
    await refusing();
    const id = await claimAndWait();
    await post(id);
    await cashier.settle();
    const { store } = cashier;
    const dying: OutcomeContext['store'] = {
      ...store,
      transaction: (run) =>
        store.transaction(async (tx) => {
          await run(tx);
          throw new Error('the process ends here');
        }),
    };
    await expect(tellOutcomes(telling({ store: dying }))).rejects.toThrow('the process ends here');
    expect(await saidLater(id)).toBeNull();
    await tellOutcomes(telling());
    expect(await saidLater(id)).toMatch(/^Not paid: 1 ODD/);
  });

  test('behavior: a first reply that never went out says the outcome itself', async () => {
    await alices();
    const id = await claimAndWait();
    expect(await said(id)).toMatch(/^On its way/);
    await cashier.settle();
    await tellOutcomes(telling());
    expect(await said(id)).toMatch(/^Paid to 0x\w{40}: 5 USDC \(tx 0x[0-9a-f]{64}\)\.$/);
    expect(await saidLater(id)).toBeNull();
  });

  test('behavior: whoever said stop meanwhile is told nothing', async () => {
    await refusing();
    const id = await claimAndWait();
    await post(id);
    await hear('stop');
    await answerAll();
    await cashier.settle();
    await tellOutcomes(telling());
    expect(await saidLater(id)).toBeNull();
    expect(await cashier.store.keptPromises()).toEqual([]);
  });

  test('behavior: of a platform that is off it is told when that is on again', async () => {
    await refusing();
    const id = await claimAndWait();
    await post(id);
    await cashier.settle();
    await tellOutcomes(telling({ platforms: new Map() }));
    expect(await saidLater(id)).toBeNull();
    await tellOutcomes(telling());
    expect(await saidLater(id)).toMatch(/^Not paid: 1 ODD/);
  });
});

describe('what keeps a claim from being paid', () => {
  test('behavior: a gig whose payments the operator has frozen is named at once, and paid when they go on', async () => {
    const gig = await alices();
    const freeze = (reason: string | null) =>
      cashier.store.transaction((tx) => tx.freezeGig(gig.id, { reason, now: cashier.clock() }));
    await freeze('another amount than planned');
    const recipient = freshAddress();
    const id = await hear(`claim my rewards ${recipient}`);
    await answerAll();
    expect(await said(id)).toBe(
      `The operator has frozen the payments of gig ${gig.id} for now: 5 USDC. Nothing is lost. Follow it here: ${PAGE}`,
    );
    await post(id);
    await cashier.look();
    await tellOutcomes(telling());
    await freeze(null);
    cashier.advance(5_000);
    await cashier.settle();
    await tellOutcomes(telling());
    expect(await cashier.held(asset, recipient)).toBe(5_000_000n);
    expect(await saidLater(id)).toBeNull();
  });

  test('behavior: an empty gas tank is named, also for those who wait behind another one', async () => {
    await emptyTank();
    await alices();
    await bobs();
    const alice = await hear(`claim my rewards ${freshAddress()}`);
    const bob = await hear(`claim my rewards ${freshAddress()}`, 'twitter');
    await answerAll();
    await cashier.look();
    expect((await cashier.payments('payout')).map(({ reason }) => reason)).toEqual([TANK_IS_LOW, TANK_IS_LOW]);
    // The next look comes two seconds after the first one, and nothing is gained by waiting for longer.
    cashier.advance(LOOK_MS);
    await answerAll();
    expect(await said(alice)).toBe(
      `Waiting until the operator refills the gas tank: 5 USDC. Nothing is lost. Follow it here: ${PAGE}`,
    );
    expect(await said(bob)).toMatch(
      /^Waiting until the operator refills the gas tank: 0\.000007 USDC\. Nothing is lost\. \[[0-9a-z]{1,6}\]$/,
    );
  });

  test('behavior: what goes on beside it is told as well', async () => {
    const gig = await alices();
    await cashier.gig({ asset, tips: [{ account: ALICE, amount: 7n }] });
    await cashier.store.transaction((tx) => tx.freezeGig(gig.id, { reason: 'x', now: cashier.clock() }));
    const id = await claimAndWait();
    expect(await said(id)).toBe(
      `On its way: 0.000007 USDC. The operator has frozen the payments of gig ${gig.id} for now: 5 USDC. Nothing is lost. ` +
        `Follow it here: ${PAGE}`,
    );
  });
});

test('behavior: of payouts that are sent the newest transaction is told, of no others', async () => {
  const sent = { state: 'sent', transactionId: 7 } as const;
  const others = [
    { ...sent, state: 'planned' },
    { ...sent, state: 'confirmed' },
    { ...sent, transactionId: null },
  ] as const;
  const payments = [sent, ...others].map((each, index) => payment({ ...each, id: index + 1, gigId: index + 1 }));
  // Only its attempts are read.
  const transaction = { attempts: [sampleAttempt(1), sampleAttempt(2)] } as unknown as TankTransaction;
  const store = partStore({ tankTransaction: async (id) => (id === 7 ? transaction : null) });
  const claim = { ...sampleClaim(ALICE, 'post'), id: 1 };
  expect(await findHashesUnderWay({ store }, { claim, payments })).toEqual(new Map([[1, seedHash(2)]]));
});
