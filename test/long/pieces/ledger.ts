import { randomBytes } from 'node:crypto';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import type { GigWallets } from '../../../src/domain/chains/chain.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { hashOf } from '../../../src/services/operators/api-keys.ts';
import { openStore } from '../../../src/store/open.ts';
import type { TestToken } from '../../support/anvil.ts';
import { newApiKey } from '../../support/clients.ts';
import { SAMPLE_FACTS, seedGigWithRules } from '../../support/earning.ts';
import { MIGRATIONS, seedGig, seedToken, writeEmptyDatabase } from '../../support/store.ts';
import { insert, numbers, padded, withoutIndices } from './rows.ts';

const TIPS = 500_000;
const PAID = 250_000;
const VOID = 20_000;
const LIKES = 8_000;
const WATCHED = 3;
const MENTIONS = 100_000;
/** Gigs of the past: of ten one was cancelled, one still waits for its start, and eight are settled and refunded. */
const GIGS = 100_000;
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
  const paid = (value: string | number) => `case when ${isPaid} then ${value} end`;
  const voided = (value: string | number) => `case when ${isVoid} then ${value} end`;
  const [recipient, hash, amount] = [padded('i', 40), padded('i', 64), "'1000000000000000000'"];
  const claim = { id: '1 + i', public_id: "'claim-' || i", post_id: recipient, recipient, created_at: now };
  insert(database, 'claims', { ...ACCOUNT, ...claim }, PAID);
  const of = { gig_id: id, token_id: token.id, created_at: now };
  const planned = { id: '1 + i', kind: "'payout'", chain_id: token.chainId, claim_id: '1 + i', recipient, amount };
  const confirmed = { state: "'confirmed'", numbers: 'cast(i as text)', hash, block_number: 1, gas_used: 60_000 };
  insert(database, 'payments', { ...of, ...planned, ...confirmed, due_at: now, updated_at: now }, PAID);
  const status = `case when ${isPaid} then 'claimed' else 'pending' end`;
  const payout = {
    user_address: paid(recipient),
    tx_hash: paid(hash),
    claimed_at: paid(now),
    payment_id: paid('1 + i'),
  };
  const mistake = { is_void: isVoid, voided_at: voided(now), void_reason: voided("'a mistake'") };
  insert(database, 'tips', { ...ACCOUNT, ...of, number: 'i', amount, status, ...payout, ...mistake }, TIPS);
  const heavy = { platform: "'farcaster'", platform_user_id: `'${HEAVY.platformUserId}'` };
  const pending = { number: `${TIPS} + i`, amount: "'1'", status: "'pending'" };
  insert(database, 'tips', { ...heavy, ...of, ...pending }, HEAVY.tips);
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
  const place = { id: `${first} + i`, chain_id: token.chainId, address: padded('i', 40), is_native: 0, decimals: 18 };
  const named = { symbol: "'T' || i", name: "'Token'", image_url: "''", created_at: now };
  insert(database, 'tokens', { ...place, ...named }, TOKENS);
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
  const like = { id: `${firstAct} + i`, gig_id: id, kind: "'like'", object_id: "''", ranked_at: `${now} + i` };
  const seen = { first_seen_at: now, last_seen_at: now, source: "'sweep'" };
  insert(database, 'observations', { ...ACCOUNT, ...like, ...seen }, LIKES);
  const account = { platform: "'farcaster'", platform_user_id: `cast(${FIRST_ACCOUNT} + 4 * i + 2 as text)` };
  const of = { id: `${firstTip} + i`, gig_id: id, token_id: token.id, created_at: now };
  insert(database, 'tips', { ...account, ...of, number: 'i', amount: "'5'", status: "'pending'" }, LIKES / 4);
  const reason = "case when i % 4 = 3 then 'score_too_low' end";
  const due = { observation_id: `${firstAct} + i`, ranked_at: `${now} + i`, due_at: now + DAY_MS, updated_at: now };
  const award = { amount: awarded("'5'"), tip_id: awarded(`${firstTip} + i / 4`) };
  const facts = `'${JSON.stringify({ ...SAMPLE_FACTS, username: 'user' })}'`;
  insert(database, 'earnings', { ...ACCOUNT, gig_id: id, state, reason, ...due, facts, ...award }, LIKES);
  for (const each of ['held', 'eligible', 'awarded', 'refused']) {
    database.exec(`insert into earning_counts (gig_id, state, n) values (${id}, '${each}', ${LIKES / 4})`);
  }
  const awards = String(5n * BigInt(LIKES / 4));
  database.exec(`update gigs set next_tip_number = ${LIKES / 4}, awarded_amount = '${awards}' where id = ${id}`);
  database.exec(`update watches set earned = '${awards}', next_at = ${now + DAY_MS} where gig_id = ${id}`);
}

function fillMentions(database: Database, now: number): void {
  const post = padded('i', 40);
  const author = { platform: "'farcaster'", author_id: `cast(${FIRST_ACCOUNT} + i as text)`, thread_id: post };
  const asked = { id: '1 + i', version: 1, post_id: post, reply_to: post, text: "'@gigclaim claims'", posted_at: now };
  const answered = { received_at: now, source: "'webhook'", state: "'answered'", attempts: 1, due_at: now };
  insert(database, 'mentions', { ...author, ...asked, ...answered }, MENTIONS);
  const sent = (value: string | number) => `case when i % 1000 <> 0 then ${value} end`;
  const state = "case when i % 1000 = 0 then 'failed' else 'sent' end";
  const reply = { mention_id: '1 + i', kind: "'answer'", text: "'No tips yet.'", created_at: now, state, attempts: 1 };
  const out = { post_id: sent(padded(`${MENTIONS} + i`, 40)), sent_at: sent(now), due_at: now };
  insert(database, 'replies', { ...author, ...reply, ...out }, MENTIONS);
  const failed = MENTIONS / 1_000;
  database.exec(`insert into state_counts (subject, state, n) values ('mentions', 'answered', ${MENTIONS}),
    ('replies', 'failed', ${failed}), ('replies', 'sent', ${MENTIONS - failed})`);
}

function fill(database: Database, { large, watched, now }: { large: Gig; watched: readonly Gig[]; now: number }): void {
  const handle = "'user_' || i";
  withoutIndices(database, () => {
    insert(database, 'accounts', { ...ACCOUNT, username: handle, handle, created_at: now }, TIPS);
    database
      .prepare("insert into accounts (platform, platform_user_id, created_at) values ('farcaster', ?, ?)")
      .run(HEAVY.platformUserId, now);
    fillTips(database, large, now);
    for (const [place, gig] of watched.entries()) fillLikes(database, gig, { place, now });
    fillMentions(database, now);
    fillSums(database, large, now);
  });
  fillGigs(database, large, now);
  const deed = { at: now, actor: "'job'", actor_name: "'earn'", action: "'tips.award'", detail: `'{"count":1}'` };
  const subject = { subject: "'gig'", subject_id: `'${large.id}'`, gig_id: large.id };
  insert(database, 'audit_events', { ...deed, ...subject }, MENTIONS);
}

/** Events that are news, as many as some runs of their reader take: each ends with one of as many tips as a request awards. */
function fillEvents(database: Database, { id }: Gig, now: number): void {
  const each = 41;
  const isTips = `i % ${each} = ${each - 1}`;
  const first = `${PAID} + i * 500`;
  const facts = `json_object('count', 500, 'first_tip_id', ${first}, 'last_tip_id', ${first} + 499)`;
  const what = {
    type: `case when ${isTips} then 'tips.awarded' else 'gig.started' end`,
    facts: `case when ${isTips} then ${facts} else '{"status":"live"}' end`,
  };
  insert(database, 'events', { uid: "'evt_' || i", seq: '1 + i', at: now, gig_id: id, ...what }, 6 * each);
  database.exec('insert into notification_reader (id, seq) values (1, 0)');
}

/**
 * One in ten is of {@link HEAVY}, who created one in a hundred; as many others created their share. They hold nothing, so
 * that their books are right. The newest is not live: its wallet can be set.
 */
function fillGigs(database: Database, { token, duration }: Gig, now: number): void {
  const begun = now - 200 * DAY_MS;
  const isOver = 'i % 10 < 8';
  const window = { start_time: `${begun} + i`, end_time: `${begun + duration} + i`, duration };
  const over = (value: string | number) => `case when ${isOver} then ${value} end`;
  const outcome = {
    status: `iif(${isOver}, 'live', 'created')`,
    production: isOver,
    settled_at: over(now - 50 * DAY_MS),
    refunded_at: over(now - 40 * DAY_MS),
    cancelled_at: `case when i % 10 = 8 then ${now - 100 * DAY_MS} end`,
  };
  const named = { title: "'Gig ' || i", client: "iif(i % 2 = 0, 'owner:farcaster:' || (77 + i % 100), 'a-client')" };
  const sums = { token_id: token.id, reward_amount: "'0'", fee_amount: "'0'" };
  const place = { gig_type: "'mention'", platform: "'farcaster'", wallet_address: padded('9000000000 + i', 40) };
  const { seq } = database
    .prepare<[], { seq: number }>("select seq from sqlite_sequence where name = 'gigs'")
    .get() ?? { seq: 0 };
  const columns = {
    id: `${seq} + 1 + i`,
    created_at: `${begun} + i`,
    ...window,
    ...outcome,
    ...named,
    ...sums,
    ...place,
  };
  insert(database, 'gigs', columns, GIGS);
  const owner = { platform: "'farcaster'", platform_user_id: `'${HEAVY.platformUserId}'`, created_at: now };
  insert(database, 'gig_owners', { gig_id: `${seq} + 1 + 10 * i + i % 10`, ...owner }, GIGS / 10);
}

/** The sessions of owners, what is linked to the wallet of one, and the gigs that list them. @returns the sessions' tokens */
function fillOwners(database: Database, { gigs, now }: { gigs: readonly Gig[]; now: number }): string[] {
  const link = { wallet: `'${WALLET}'`, post_id: "'link_' || i", created_at: now, valid_from: now };
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

/** Writes a database with half a million tips and a hundred thousand gigs to `path`. */
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
  const key = await newApiKey(store);
  await store.close();
  const database = new SqliteDatabase(path);
  database.pragma('foreign_keys = OFF');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -500000');
  database.transaction(fill).immediate(database, { large, watched, now });
  fillEvents(database, large, now);
  // The start looks whether the words derive the wallet of the newest gig.
  const newest = database.prepare<[], number>('select max(id) from gigs').pluck().get() ?? 0;
  database.prepare('update gigs set wallet_address = ? where id = ?').run(wallets.gigAddress(newest), newest);
  const sessions = fillOwners(database, { gigs: [large, ...watched], now });
  database.close();
  const held = new Map([[large.id, REWARD + FEE - BigInt(PAID) * UNIT]]);
  for (const { id } of watched) held.set(id, REWARD + FEE);
  const [{ id }, ...others] = watched;
  return { large: large.id, watched: [id, ...others.map((gig) => gig.id)], key, sessions, held, marked: PAID };
}
