import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach } from 'vitest';
import { createMentionReader } from '../../src/bot/read-mention.ts';
import { createChains } from '../../src/chain/registry.ts';
import type { Platform } from '../../src/domain/account.ts';
import type { GigWallets } from '../../src/domain/chains/chain.ts';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import type { Platforms } from '../../src/domain/mentions/mention.ts';
import type { NameResolver } from '../../src/domain/names/names.ts';
import { type AnswerContext, answerNextMention } from '../../src/services/mentions/answer-mentions.ts';
import { createDueMentions } from '../../src/services/mentions/due-mentions.ts';
import { ALICE, BOB_ON_X, type Cashier, openCashier } from '../services/cashier.ts';
import { deployToken, type TestToken } from '../support/anvil.ts';
import { deployOdd, setting } from '../support/odd-tokens.ts';
import { seedMention } from '../support/store.ts';

/** When a claim is looked at again for the first time. */
export const LOOK_MS = 2_000;
export const LEASE_MS = 60_000;

/** The cashier of the test that runs, and a token of 6 decimals that its gigs pay. */
export let cashier: Cashier;
export let asset: TestToken;
let posts = 0;
let ids = 0;

/** Opens a cashier whose gas tank is full for each test of a file. */
export function openForEachTest(): void {
  beforeEach(async () => {
    cashier = await openCashier();
    asset = await deployToken({ decimals: 6, symbol: 'USDC' });
    await cashier.fundTank(10n ** 18n);
  });
  afterEach(() => cashier.close());
}

/** Puts another cashier, whose gas tank is empty, in the place of the one that is open. */
export async function emptyTank(): Promise<void> {
  const empty = await openCashier();
  await cashier.close();
  cashier = empty;
}

/** The bot over the cashier's ledger. */
export function openBot(
  options: { wallets?: GigWallets | null; platforms?: Platforms; publicUrl?: string; names?: NameResolver } = {},
) {
  const { store, clock, log } = cashier;
  const { wallets = cashier.wallets, platforms = cashier.platforms, publicUrl = 'http://gigclaim.test' } = options;
  const newId = () => `${ids++}`;
  const answering: AnswerContext = {
    store,
    platforms,
    clock,
    newId,
    log,
    wake: () => undefined,
    limits: { perAuthor: 10, perThread: 5 },
    readMention: createMentionReader({
      store,
      platforms,
      names: options.names,
      chains: createChains({ endpoints: [], clock }),
      wallets,
      payers: null,
      treasury: null,
      clock,
      newId,
      publicUrl,
      offered: [],
      refundDelayMs: 0,
      randomBytes,
      wakePayments: () => undefined,
    }),
    timing: { leaseMs: LEASE_MS, backoffMs: 1_000 },
    dueMentions: createDueMentions(),
    isShared: () => false,
    sending: null,
  };
  return {
    answerNext: () => answerNextMention(answering),
    async answerAll() {
      while (await answerNextMention(answering));
    },
  };
}

/** A mention by alice, or by bob on X, that says this now, unless said otherwise; answers its id. */
export async function hear(
  text: string,
  platform: Platform = 'farcaster',
  { postedAt = cashier.clock(), author }: { readonly postedAt?: number; readonly author?: string } = {},
): Promise<number> {
  posts += 1;
  const id = platform === 'twitter' ? String(3_000_000 + posts) : `0x${String(posts).padStart(40, 'c')}`;
  const authorId = author ?? (platform === 'twitter' ? BOB_ON_X : ALICE).platformUserId;
  const mention = { platform, authorId, postId: id, replyTo: id, threadId: id, text: `@gigclaim ${text}` };
  return await seedMention(cashier.store, { ...mention, postedAt }, cashier.clock());
}

export const said = async (id: number) => (await cashier.store.replyTo(id))?.text ?? null;

/** A gig of which alice has earned 5 tokens. */
export const alices = () => cashier.gig({ asset, reward: 10_000_000n, tips: [{ account: ALICE, amount: 5_000_000n }] });

/** A gig of which bob has earned 7 base units on X. */
export const bobs = () => cashier.gig({ asset, tips: [{ account: BOB_ON_X, amount: 7n }] });

/** A gig of which alice and bob have earned 1 token each, which then refuses to move. */
export async function refusing(): Promise<Gig> {
  const odd = await deployOdd('FalseToken');
  const tips = [ALICE, BOB_ON_X].map((account) => ({ account, amount: 10n ** 18n }));
  const gig = await cashier.gig({ asset: odd, reward: 2n * 10n ** 18n, tips });
  await odd.change(setting.paused);
  return gig;
}
