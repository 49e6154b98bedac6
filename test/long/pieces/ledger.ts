import { randomBytes } from 'node:crypto';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import type { GigWallets } from '../../../src/domain/chains/chain.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createApiKey, hashOf } from '../../../src/services/operators/api-keys.ts';
import { openStore } from '../../../src/store/open.ts';
import type { TestToken } from '../../support/anvil.ts';
import { seedGigWithRules } from '../../support/earning.ts';
import { MIGRATIONS, seedGig, seedToken, writeEmptyDatabase } from '../../support/store.ts';
import { insert, numbers, padded, withoutIndices } from './rows.ts';

const TIPS = 500_000;
const PAID = 250_000;
const VOID = 20_000;
const LIKES = 8_000;
const WATCHED = 3;
const MENTIONS = 100_000;
/** The account that has so many tips, all of them pending. */
export const HEAVY = { platformUserId: '77', tips: 1_000 } as const;
/** As many as a session of a wallet reaches, with {@link HEAVY}. */
const LINKED = 99;
/** Nobody has its key. */
const WALLET = `0x${'ab'.repeat(20)}`;
const OWNERS = [`farcaster:${HEAVY.platformUserId}`, `wallet:${WALLET}`] as const;
/** Other tokens that are paid each day, and for so many days. */
const TOKENS = 100;
const DAYS = 400;
const DAY_MS = 86_400_000;
const UNIT = 10n ** 18n;
const REWARD = 1_000_000n * UNIT;
const FEE = 5n * UNIT;
const FIRST_ACCOUNT = 1_000_000;

/** The gigs of a large ledger, and an operator's key. */
export interface Ledger {
  /** A manual one that runs; half of its tips are paid. */
  readonly large: number;
  /** Some that are watched, each with as many likes. */
  readonly watched: readonly [number, ...number[]];
  readonly key: string;
  /** Tokens of sessions of owners: of {@link HEAVY}, and of a wallet to which it and {@link LINKED} others are linked. */
  readonly sessions: readonly string[];
  /** What the wallets must hold, in base units. */
  readonly held: ReadonlyMap<number, bigint>;
  /** How many numbers the wallet of the first one has marked, from 0 on. */
  readonly marked: number;
}

const ACCOUNT = { platform: "'farcaster'", platform_user_id: `cast(${FIRST_ACCOUNT} + i as text)` } as const;

function fillTips(database: Database, { id, token }: Gig, now: number): void {
  const [isPaid, isVoid] = [`i < ${PAID}`, `i >= ${TIPS - VOID}`];
  const paid = (value: string) => `case when ${isPaid} then ${value} end`;
  const voided = (value: string) => `case when ${isVoid} then ${value} end`;
  insert(
    database,
    'claims',
    {
      ...ACCOUNT,
      id: '1 + i',
      public_id: "'claim-' || i",
      post_id: padded('i', 40),
      recipient: padded('i', 40),
      created_at: String(now),
    },
    PAID,
  );
  insert(
    database,
    'payments',
    {
      id: '1 + i',
      kind: "'payout'",
      chain_id: String(token.chainId),
      gig_id: String(id),
      claim_id: '1 + i',
      token_id: String(token.id),
      recipient: padded('i', 40),
      amount: "'1000000000000000000'",
      state: "'confirmed'",
      numbers: 'cast(i as text)',
      hash: padded('i', 64),
      block_number: '1',
      gas_used: '60000',
      due_at: String(now),
      created_at: String(now),
      updated_at: String(now),
    },
    PAID,
  );
  insert(
    database,
    'tips',
    {
      ...ACCOUNT,
      created_at: String(now),
      gig_id: String(id),
      number: 'i',
      token_id: String(token.id),
      amount: "'1000000000000000000'",
      status: `case when ${isPaid} then 'claimed' else 'pending' end`,
      user_address: paid(padded('i', 40)),
      tx_hash: paid(padded('i', 64)),
      claimed_at: paid(String(now)),
      payment_id: paid('1 + i'),
      is_void: isVoid,
      voided_at: voided(String(now)),
      void_reason: voided("'a mistake'"),
    },
    TIPS,
  );
  insert(
    database,
    'tips',
    {
      platform: "'farcaster'",
      platform_user_id: `'${HEAVY.platformUserId}'`,
      created_at: String(now),
      gig_id: String(id),
      number: `${TIPS} + i`,
      token_id: String(token.id),
      amount: "'1'",
      status: "'pending'",
    },
    HEAVY.tips,
  );
  database
    .prepare('update gigs set next_tip_number = ?, awarded_amount = ?, voided_amount = ?, gas_used = ? where id = ?')
    .run(
      TIPS + HEAVY.tips,
      String(BigInt(TIPS - VOID) * UNIT + BigInt(HEAVY.tips)),
      String(BigInt(VOID) * UNIT),
      PAID * 60_000,
      id,
    );
  database.exec(`insert into gig_payouts (gig_id, part, part_ms, payouts, amount)
    values (${id}, 0, ${3 * DAY_MS}, ${PAID}, '${BigInt(PAID) * UNIT}')`);
  database.exec(`insert into state_counts (subject, state, n) values ('payments', 'confirmed', ${PAID})`);
}

/** What triggers would have summed for the overview; other tokens have been paid for a year. */
function fillSums(database: Database, { token }: Gig, now: number): void {
  const today = Math.floor(now / DAY_MS);
  const first = 1_000_000;
  insert(
    database,
    'tokens',
    {
      id: `${first} + i`,
      created_at: String(now),
      chain_id: String(token.chainId),
      address: padded('i', 40),
      is_native: '0',
      symbol: "'T' || i",
      name: "'Token'",
      decimals: '18',
      image_url: "''",
    },
    TOKENS,
  );
  const columns = '(day, kind, subject, place, part, n)';
  for (const kind of ['gigs', 'funded', 'awarded', 'paid']) {
    database.exec(`insert into day_sums ${columns} select 0, '${kind}', ${first} + i, 0, 0, 5 from ${numbers(TOKENS)}`);
  }
  database.exec(`insert into day_sums ${columns} select ${today} - day.i, 'paid', ${first} + token.i, place.i, 0, 5
    from ${numbers(DAYS)} day, ${numbers(TOKENS)} token, ${numbers(3)} place`);
  for (const day of [0, today]) {
    database.exec(`insert into day_sums ${columns} values (${day}, 'paid', ${token.id}, 2, 0, ${PAID}),
      (${day}, 'gas', ${token.chainId}, 0, 0, ${PAID * 60_000})`);
  }
  for (const [kind, n] of Object.entries({ payment: PAID, reply: MENTIONS })) {
    database.exec(`insert into day_durations (day, kind, bucket, part, n, longest, total)
      select iif(day.i = 0, 0, ${today} + 1 - day.i), '${kind}', 1000 * (1 + bucket.i), 0, ${n}, 900, 900
      from ${numbers(DAYS)} day, ${numbers(20)} bucket`);
  }
}

/** Of every four accounts one is held, one eligible, one awarded and one refused. */
function fillLikes(database: Database, { id, token }: Gig, { place, now }: { place: number; now: number }): void {
  const state = "case i % 4 when 0 then 'held' when 1 then 'eligible' when 2 then 'awarded' else 'refused' end";
  const awarded = (value: string) => `case when i % 4 = 2 then ${value} end`;
  const firstAct = place * LIKES + 1;
  const firstTip = TIPS + HEAVY.tips + (place * LIKES) / 4 + 1;
  insert(
    database,
    'observations',
    {
      ...ACCOUNT,
      id: `${firstAct} + i`,
      gig_id: String(id),
      kind: "'like'",
      object_id: "''",
      first_seen_at: String(now),
      last_seen_at: String(now),
      ranked_at: `${now} + i`,
      source: "'sweep'",
    },
    LIKES,
  );
  insert(
    database,
    'tips',
    {
      id: `${firstTip} + i`,
      platform: "'farcaster'",
      platform_user_id: `cast(${FIRST_ACCOUNT} + 4 * i + 2 as text)`,
      created_at: String(now),
      gig_id: String(id),
      number: 'i',
      token_id: String(token.id),
      amount: "'5'",
      status: "'pending'",
    },
    LIKES / 4,
  );
  insert(
    database,
    'earnings',
    {
      ...ACCOUNT,
      gig_id: String(id),
      state,
      reason: "case when i % 4 = 3 then 'score_too_low' end",
      observation_id: `${firstAct} + i`,
      ranked_at: `${now} + i`,
      due_at: String(now + DAY_MS),
      facts: `'{"username":"user","score":900000,"followers":12,"registeredAt":1,"label":"unknown","verifiedAddresses":1,"letters":20}'`,
      amount: awarded("'5'"),
      tip_id: awarded(`${firstTip} + i / 4`),
      updated_at: String(now),
    },
    LIKES,
  );
  for (const each of ['held', 'eligible', 'awarded', 'refused']) {
    database.exec(`insert into earning_counts (gig_id, state, n) values (${id}, '${each}', ${LIKES / 4})`);
  }
  const awards = String(5n * BigInt(LIKES / 4));
  database.exec(`update gigs set next_tip_number = ${LIKES / 4}, awarded_amount = '${awards}' where id = ${id}`);
  database.exec(`update watches set earned = '${awards}', next_at = ${now + DAY_MS} where gig_id = ${id}`);
}

function fillMentions(database: Database, now: number): void {
  const post = padded('i', 40);
  insert(
    database,
    'mentions',
    {
      id: '1 + i',
      version: '1',
      platform: "'farcaster'",
      post_id: post,
      reply_to: post,
      thread_id: post,
      author_id: `cast(${FIRST_ACCOUNT} + i as text)`,
      text: "'@gigclaim claims'",
      posted_at: String(now),
      received_at: String(now),
      source: "'webhook'",
      state: "'answered'",
      attempts: '1',
      due_at: String(now),
    },
    MENTIONS,
  );
  insert(
    database,
    'replies',
    {
      mention_id: '1 + i',
      platform: "'farcaster'",
      author_id: `cast(${FIRST_ACCOUNT} + i as text)`,
      thread_id: post,
      kind: "'answer'",
      text: "'No tips yet.'",
      created_at: String(now),
      state: "case when i % 1000 = 0 then 'failed' else 'sent' end",
      attempts: '1',
      post_id: `case when i % 1000 <> 0 then ${padded(`${MENTIONS} + i`, 40)} end`,
      sent_at: `case when i % 1000 <> 0 then ${now} end`,
      due_at: String(now),
    },
    MENTIONS,
  );
  const failed = MENTIONS / 1_000;
  database.exec(`insert into state_counts (subject, state, n) values ('mentions', 'answered', ${MENTIONS}),
    ('replies', 'failed', ${failed}), ('replies', 'sent', ${MENTIONS - failed})`);
}

function fill(database: Database, { large, watched, now }: { large: Gig; watched: readonly Gig[]; now: number }): void {
  const handle = "'user_' || i";
  withoutIndices(database, () => {
    insert(database, 'accounts', { ...ACCOUNT, username: handle, handle, created_at: String(now) }, TIPS);
    database
      .prepare("insert into accounts (platform, platform_user_id, created_at) values ('farcaster', ?, ?)")
      .run(HEAVY.platformUserId, now);
    fillTips(database, large, now);
    for (const [place, gig] of watched.entries()) fillLikes(database, gig, { place, now });
    fillMentions(database, now);
    fillSums(database, large, now);
  });
  insert(
    database,
    'audit_events',
    {
      at: String(now),
      actor: "'job'",
      actor_name: "'earn'",
      action: "'tips.award'",
      subject: "'gig'",
      subject_id: `'${large.id}'`,
      gig_id: String(large.id),
      detail: `'{"count":1}'`,
    },
    MENTIONS,
  );
}

/** The sessions of owners, what is linked to the wallet of one, and the gigs that list them. @returns the sessions' tokens */
function fillOwners(database: Database, { gigs, now }: { gigs: readonly Gig[]; now: number }): string[] {
  const link = { wallet: `'${WALLET}'`, post_id: "'link_' || i", created_at: String(now), valid_from: String(now) };
  const linked = `case when i = 0 then '${OWNERS[0]}' else 'farcaster:' || (${FIRST_ACCOUNT} + i) end`;
  insert(database, 'owner_links', { ...link, owner: linked, mention_id: '1 + i' }, 1 + LINKED);
  const owns = database.prepare(
    "insert into gig_owners (gig_id, platform, platform_user_id, created_at) values (?, 'farcaster', ?, ?)",
  );
  for (const { id } of gigs) owns.run(id, HEAVY.platformUserId, now);
  const opens = database.prepare(
    "insert into owner_sessions (hash, owner, label, created_at, expires_at) values (?, ?, 'Test', ?, ?)",
  );
  return OWNERS.map((owner) => {
    const token = randomBytes(32).toString('base64url');
    opens.run(hashOf(token), owner, now - DAY_MS, now + DAY_MS);
    return token;
  });
}

/** Writes a database with half a million tips to `path`. */
export async function writeLargeLedger(
  path: string,
  { token, wallets }: { token: TestToken; wallets: GigWallets },
): Promise<Ledger> {
  await writeEmptyDatabase(path);
  const now = Date.now();
  const store = await openStore({ url: path, migrationsFolder: MIGRATIONS });
  const { address, decimals, name, symbol } = token;
  const { id: tokenId } = await seedToken(store, { address, decimals, name, symbol, chainId: 31_337 });
  const terms = {
    tokenId,
    rewardAmount: REWARD,
    feeAmount: FEE,
    startTime: now - DAY_MS,
    duration: 90 * DAY_MS,
    walletAddress: wallets.gigAddress,
  };
  const large = await seedGig(store, { ...terms, live: true, client: `owner:${OWNERS[0]}` });
  const first = await seedGigWithRules(store, terms);
  const watched: [Gig, ...Gig[]] = [first];
  while (watched.length < WATCHED) watched.push(await seedGigWithRules(store, terms));
  await store.transaction(async (tx) => {
    for (const { id } of [large, ...watched]) {
      const start = { gigId: id, tokenId, chainId: 31_337, blockNumber: 0n, checkBlock: null };
      await tx.recordGigTransaction({ ...start, amount: terms.rewardAmount, commissionAmount: 0n }, now);
    }
  });
  const access = { store, clock: () => now, randomBytes, actor: COMMAND_LINE };
  const { key } = await createApiKey(access, { name: 'operator', scopes: ['operator'], expiresAt: null });
  await store.close();
  const database = new SqliteDatabase(path);
  database.pragma('foreign_keys = OFF');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -500000');
  database.transaction(fill).immediate(database, { large, watched, now });
  const sessions = fillOwners(database, { gigs: [large, ...watched], now });
  database.close();
  const held = new Map([[large.id, REWARD + FEE - BigInt(PAID) * UNIT]]);
  for (const { id } of watched) held.set(id, REWARD + FEE);
  const [{ id }, ...others] = watched;
  return { large: large.id, watched: [id, ...others.map((gig) => gig.id)], key, sessions, held, marked: PAID };
}
