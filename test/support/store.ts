import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AccountKey } from '../../src/domain/account.ts';
import type { Claim, NewClaim } from '../../src/domain/claims/claim.ts';
import type { Gig, NewGig } from '../../src/domain/gigs/gig.ts';
import { ABSENT_TERMS } from '../../src/domain/gigs/terms.ts';
import type { Tip } from '../../src/domain/gigs/tip.ts';
import type { Address, Token } from '../../src/domain/gigs/token.ts';
import type { Mention } from '../../src/domain/mentions/mention.ts';
import type { NewPayment, Payment, TankAttempt } from '../../src/domain/payments/payment.ts';
import type { MadePayment, MarkedIn, MissedPayment, Store, StoreTx } from '../../src/store/port/index.ts';
import { openConnections } from '../../src/store/sqlite/connection.ts';

/** The committed migrations. */
export const MIGRATIONS = fileURLToPath(new URL('../../drizzle', import.meta.url));

/** What browsers load beside a page, and what makes pictures. */
export const PAGES = fileURLToPath(new URL('../../src/http/pages', import.meta.url));

/** When the seeded rows were made: 2026-01-01T00:00:00Z in epoch milliseconds. */
export const SEEDED_AT = 1_767_225_600_000;

export interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => void;
}

function newFolder(parent: string): TemporaryFolder {
  const path = mkdtempSync(join(parent, 'gigclaim-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

const MEMORY = '/dev/shm';
/** A container often has 64 MB of it, which the databases of two workers can fill. */
const MEMORY_NEEDED = 512 * 2 ** 20;

function hasMemoryFolder(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MEMORY_NEEDED;
}

/** A new folder in memory where the system has enough of it, so that a commit waits for no disk. */
export function temporaryFolder(): TemporaryFolder {
  return newFolder(hasMemoryFolder() ? MEMORY : tmpdir());
}

/** A new folder on the system's disk, for what a disk is part of. */
export function diskFolder(): TemporaryFolder {
  return newFolder(tmpdir());
}

async function migrateOnce(): Promise<Buffer> {
  const folder = temporaryFolder();
  const path = join(folder.path, 'gigclaim.db');
  // Not opened as a store: each database that is copied from it draws a word of its own.
  openConnections({ path, migrationsFolder: MIGRATIONS }).close();
  const file = readFileSync(path);
  folder.remove();
  return file;
}

let migrated: Promise<Buffer> | undefined;

/** Writes an empty database with today's schema to `path`: a copy of one that is migrated once for each worker. */
export async function writeEmptyDatabase(path: string): Promise<void> {
  migrated ??= migrateOnce();
  writeFileSync(path, await migrated);
}

/** An address that spells its number, in lower case: `seedAddress(7)` ends in `07`. */
export function seedAddress(number: number): Address {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

/** The token DEGEN on Base, 18 decimals, unless said otherwise; the existing row when there is one. */
export async function seedToken(store: Store, overrides: Partial<Omit<Token, 'id'>> = {}): Promise<Token> {
  const token = {
    createdAt: SEEDED_AT,
    address: '0x4ed4e862860bed51a9570b96d89af5e1b0efefed' as const,
    chainId: 8453,
    decimals: 18,
    name: 'Degen',
    symbol: 'DEGEN',
    imageUrl: '',
    isNative: false,
    coingeckoId: null,
    ...overrides,
  };
  return (await store.transaction((tx) => tx.ensureToken(token))).token;
}

/** What a seeded gig may differ in; with `live` it is live, for the window that its terms say. */
export interface GigSeed extends Partial<NewGig> {
  readonly owners?: readonly AccountKey[];
  readonly live?: boolean;
  /** Epoch milliseconds; SEEDED_AT when absent. */
  readonly createdAt?: number;
  /** Not noted when absent. */
  readonly createdBlock?: bigint;
  readonly walletAddress?: (id: number) => Address;
  readonly client?: string | null;
  /** The API key that creates it. */
  readonly createdBy?: number | null;
}

/**
 * A gig on Farcaster for 100 DEGEN with a fee of 5, from SEEDED_AT on for one day; its wallet is `seedAddress(id)`.
 * A `startTime` or `duration` given alone moves the end with it.
 */
export async function seedGig(store: Store, overrides: GigSeed = {}): Promise<Gig> {
  const { owners = [], live = false, createdAt = SEEDED_AT, walletAddress = seedAddress, ...rest } = overrides;
  const { client = null, createdBy = null, createdBlock = null, ...terms } = rest;
  const tokenId = terms.tokenId ?? (await seedToken(store)).id;
  const startTime = terms.startTime ?? SEEDED_AT;
  const duration = terms.duration ?? 86_400_000;
  const gig: NewGig = {
    ...ABSENT_TERMS,
    rewardAmount: 100_000_000_000_000_000_000n,
    feeAmount: 5_000_000_000_000_000_000n,
    gigType: 'mention',
    platform: 'farcaster',
    earningCriteria: null,
    externalUrl: null,
    awardDays: 0,
    ...terms,
    tokenId,
    startTime,
    duration,
    endTime: terms.endTime ?? startTime + duration,
  };
  return await store.transaction(async (tx) => {
    const { id } = await tx.insertGig(gig, { now: createdAt, createdBlock, walletAddress, client, createdBy });
    for (const owner of owners) await tx.addGigOwner(id, owner, SEEDED_AT);
    if (live) {
      await tx.lockGig(id, { holder: 'seed', now: SEEDED_AT, until: SEEDED_AT + 60_000 });
      await tx.markLive(id, { holder: 'seed', startTime: gig.startTime, endTime: gig.endTime });
    }
    const seeded = await tx.gig(id);
    if (seeded === null) throw new Error(`gig ${id} was not seeded`);
    return seeded;
  });
}

/** Pending tips of a gig, in its token; 1 whole token of 18 decimals each unless said otherwise. */
export async function seedTips(
  store: Store,
  gig: Gig,
  tips: readonly (AccountKey & { amount?: bigint; userAddress?: Address; createdAt?: number })[],
): Promise<Tip[]> {
  return await store.transaction(async (tx) => {
    const seeded: Tip[] = [];
    for (const { createdAt = SEEDED_AT, amount = 10n ** 18n, userAddress = null, ...account } of tips) {
      const tip = { ...account, gigId: gig.id, tokenId: gig.token.id, amount, userAddress };
      seeded.push(...(await tx.insertTips([tip], createdAt)));
    }
    return seeded;
  });
}

/** A mention by the Farcaster account 1001, `alice`, saying `@gigclaim claims`, unless said otherwise; not stored yet. */
export function sampleMention(overrides: Partial<Mention> = {}): Mention {
  const postId = overrides.postId ?? '0x00000000000000000000000000000000000000c1';
  return {
    version: 1,
    platform: 'farcaster',
    postId,
    replyTo: postId,
    threadId: postId,
    authorId: '1001',
    authorUsername: 'alice',
    text: '@gigclaim claims',
    postedAt: SEEDED_AT,
    ...overrides,
  };
}

/** Stores a mention as it would come from a webhook at `now`, and answers its id. */
export async function seedMention(store: Store, overrides: Partial<Mention> = {}, now = SEEDED_AT): Promise<number> {
  const mention = sampleMention(overrides);
  const id = await store.transaction((tx) => tx.insertMention(mention, { now, source: 'webhook' }));
  if (id === null) throw new Error(`mention ${mention.postId} is already there`);
  return id;
}

/** A claim by the account for its post `post`, paid to `seedAddress(0xcafe)`, unless said otherwise; not stored yet. */
export function sampleClaim(account: AccountKey, post: string, overrides: Partial<NewClaim> = {}): NewClaim {
  const { platform, platformUserId } = account;
  const recipient = seedAddress(0xcafe);
  return {
    platform,
    platformUserId,
    postId: post,
    publicId: `claim-${post}`,
    source: 'mention',
    recipient,
    createdAt: SEEDED_AT,
    ...overrides,
  };
}

/** Plans one payout for each gig and token of tips that a claim holds, from the gigs' wallets. */
export async function planPayouts(
  tx: StoreTx,
  claim: Claim,
  tips: readonly Tip[],
  now = SEEDED_AT,
): Promise<Payment[]> {
  const planned: Payment[] = [];
  for (const group of Map.groupBy(tips, (tip) => `${tip.gigId} ${tip.tokenId}`).values()) {
    const gig = await tx.gig(group[0]?.gigId ?? 0);
    if (gig === null) throw new Error('a tip of no gig');
    const payout: NewPayment = {
      kind: 'payout',
      chainId: gig.token.chainId,
      gigId: gig.id,
      claimId: claim.id,
      tokenId: gig.token.id,
      recipient: claim.recipient,
      amount: group.reduce((sum, { amount }) => sum + amount, 0n),
    };
    planned.push(await tx.planPayment(payout, { now, tipIds: group.map(({ id }) => id) }));
  }
  return planned;
}

/** A claim by the account for all its pending tips, with its payouts planned. */
export async function seedClaim(
  store: Store,
  claim: NewClaim,
  now = SEEDED_AT,
): Promise<{ claim: Claim; tips: Tip[]; payouts: Payment[] }> {
  return await store.transaction(async (tx) => {
    const inserted = await tx.insertClaim(claim);
    const tips = await tx.takeTips(inserted, { now, lockTimeout: now + 60_000 });
    return { claim: inserted, tips, payouts: await planPayouts(tx, inserted, tips, now) };
  });
}

/** The gig's fee of 5 whole tokens to `seedAddress(0xfee)`, unless said otherwise; not stored yet. */
export function samplePayment(gig: Gig, overrides: Partial<NewPayment> = {}): NewPayment {
  return {
    kind: 'fee',
    chainId: gig.token.chainId,
    gigId: gig.id,
    claimId: null,
    tokenId: gig.token.id,
    recipient: seedAddress(0xfee),
    amount: 5n * 10n ** 18n,
    ...overrides,
  };
}

/** Plans what {@link samplePayment} says, a fee unless said otherwise. */
export async function seedFee(
  store: Store,
  gig: Gig,
  overrides: Partial<NewPayment> = {},
  now = SEEDED_AT,
): Promise<Payment> {
  return await store.transaction((tx) => tx.planPayment(samplePayment(gig, overrides), { now, tipIds: [] }));
}

/** Sends planned payments in a transaction of the gas tank under this nonce, and answers its id. */
export async function seedSent(
  store: Store,
  ids: readonly number[],
  { nonce, attempt, now = SEEDED_AT }: { nonce: number; attempt: TankAttempt; now?: number },
): Promise<number> {
  return await store.transaction(async (tx) => {
    const found = await Promise.all(ids.map((id) => tx.payment(id)));
    const payments = found.flatMap((each) => (each === null ? [] : [{ ...each, gas: 60_000n }]));
    const chainId = payments[0]?.chainId ?? 0;
    const kept = await tx.insertTankTransaction({ chainId, nonce, attempt }, { payments, now });
    if (kept === null) throw new RangeError(`payments ${ids.join(', ')} could not be sent`);
    return kept.id;
  });
}

/** What the payments of one gig have used of its budget. */
export async function gasOfGig(
  store: Pick<Store, 'gasOfGigs'>,
  gigId: number,
): Promise<{ gasUsed: bigint; tips: number }> {
  const used = (await store.gasOfGigs([gigId])).get(gigId);
  if (used === undefined) throw new RangeError(`there is no gig ${gigId}`);
  return used;
}

/** Confirms one payment; false when it is neither planned nor sent. */
export async function confirmOne(
  tx: StoreTx,
  id: number,
  { now, ...made }: Omit<MadePayment, 'id'> & { now: number },
): Promise<boolean> {
  return (await tx.confirmPayments([{ ...made, id }], now)).length === 1;
}

/** Plans one sent payment again; false when it is not sent. */
export async function replanOne(
  tx: StoreTx,
  id: number,
  { now, ...missed }: Omit<MissedPayment, 'id'> & { now: number },
): Promise<boolean> {
  const transactionId = (await tx.payment(id))?.transactionId ?? 0;
  return (await tx.replanPayments([{ ...missed, id }], { transactionId, now })).length === 1;
}

/** Confirms a payment as it was planned. */
export async function seedConfirmed(
  store: Store,
  id: number,
  {
    hash,
    blockNumber = 9n,
    gasUsed = 60_000n,
    now = SEEDED_AT,
  }: Partial<MarkedIn> & { hash: `0x${string}`; now?: number },
): Promise<void> {
  await store.transaction(async (tx) => {
    const payment = await tx.payment(id);
    if (payment === null) throw new RangeError(`there is no payment ${id}`);
    const { recipient, numbers } = payment;
    const confirmed = await confirmOne(tx, id, { recipient, numbers, hash, blockNumber, gasUsed, now });
    if (!confirmed) throw new RangeError(`payment ${id} is ${payment.state}`);
  });
}

/** The hash of no transaction, which spells its number. */
export function seedHash(number: number): `0x${string}` {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

/** Signed bytes that no chain would take, under the hash that spells their number. */
export function sampleAttempt(number: number, overrides: Partial<TankAttempt> = {}): TankAttempt {
  return {
    hash: seedHash(number),
    raw: `0x02${number.toString(16).padStart(8, '0')}`,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    gas: 65_000n,
    signedAt: SEEDED_AT,
    signedBlock: 7n,
    ...overrides,
  };
}
