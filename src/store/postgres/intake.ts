import { authorOf, type Mention } from '../../domain/mentions/mention.ts';
import type { MentionArrival, Store, StoredMention, StoreTx } from '../port/index.ts';
import type { Arrival } from '../port/mentions.ts';
import { toHandle } from '../sql/claims/accounts.ts';
import { MOST_MENTIONS, storeMentions } from '../sql/mentions/intake.ts';
import { byAuthor } from '../sql/subjects.ts';
import type { Answer, DatabaseSession, SqlStatement } from './connections/session.ts';
import { isLost } from './errors.ts';
import { createGathering } from './transactions/gathering.ts';
import type { Transactions } from './transactions/transactions.ts';

/**
 * What KEEP is run with: the places in its arrays that it takes, and how it is planned. It is prepared, and a plan that was made
 * for empty tables is kept while they grow, so the planner is left no choice: each look into a table is a subquery of its own for
 * each row, which neither becomes a join nor is hashed, by an index. An upsert finds its row by the key under every plan.
 */
const settings = (places: string) =>
  "select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true), " +
  `set_config('gigclaim.places', (${places}), true)`;

/** For a transaction that has locked all authors. */
const TAKE_ALL = {
  name: 'intake all',
  text: settings("select coalesce(array_agg(place), '{}')::text from generate_series(1, $1::int) as place"),
};

/** Locks the authors whom no other transaction has locked. */
const TAKE_FREE = {
  name: 'intake free',
  text: settings(
    "select coalesce(array_agg(place), '{}')::text from unnest($1::text[]) with ordinality as given (subject, place) " +
      'where pg_try_advisory_xact_lock(hashtextextended(subject, 0))',
  ),
};

/**
 * Stores mentions and their authors, but for the bot's own posts. It gives the new ones with their ids, and without an id those
 * that it leaves: places that are not taken, and authors whose label changes. An award may have added an author meanwhile,
 * without a handle or with the one that its client said. A new mention of a known author also updates when the author's label
 * was last seen.
 */
const KEEP = {
  name: 'intake keep',
  text: `
  with looked as materialized (
    select given.*, known.found is not null as is_known, least(posted_at, $11) as seen_at, case
      when place <> all ((select current_setting('gigclaim.places')::bigint[])::bigint[]) then true
      when known.found then author_username is not null
        and (author_username is distinct from known.username or known.label_source is distinct from 'platform')
      else (select true from accounts as other where other.platform = given.platform and other.handle = given.handle limit 1) is not null
    end as is_left
    from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
        $10::bigint[]) with ordinality
      as given (version, platform, post_id, reply_to, thread_id, author_id, author_username, handle, text, posted_at, place)
    left join lateral (select true as found, username, label_source from accounts
      where accounts.platform = given.platform and accounts.platform_user_id = given.author_id limit 1) as known on true
    where (select true from replies where replies.platform = given.platform and replies.post_id = given.post_id limit 1) is null
  ), authors as (
    insert into accounts (platform, platform_user_id, username, handle, label_source, label_seen_at, created_at)
    select platform, author_id, author_username, handle, case when handle is not null then 'platform' end,
      case when handle is not null then seen_at end, $11 from looked where not is_known and not is_left
    on conflict (platform, platform_user_id) do update set username = excluded.username, handle = excluded.handle,
      label_source = excluded.label_source, label_seen_at = excluded.label_seen_at
      where excluded.username is not null
        and (accounts.label_source is distinct from 'platform' or accounts.label_seen_at < excluded.label_seen_at)
  ), added as (
    insert into mentions (version, platform, post_id, reply_to, thread_id, author_id, author_username, text, posted_at,
      received_at, source, state, attempts, due_at, behind)
    select version, platform, post_id, reply_to, thread_id, author_id, author_username, text, posted_at, $11, $12, 'received', 0, $11,
      is_known and (select true from mentions as earlier where earlier.state = 'received' and earlier.platform = looked.platform
        and earlier.author_id = looked.author_id limit 1) is not null
    from looked where not is_left
    on conflict (platform, post_id) do nothing
    returning id, platform, post_id
  ), sighted as (
    insert into accounts as known (platform, platform_user_id, username, handle, label_seen_at, created_at)
    select platform, author_id, author_username, handle, seen_at, $11 from looked
    where is_known and not is_left and handle is not null and (platform, post_id) in (select platform, post_id from added)
    on conflict (platform, platform_user_id) do update set username = excluded.username, handle = excluded.handle,
      label_source = 'platform', label_seen_at = excluded.label_seen_at
      where known.label_seen_at is null or known.label_seen_at < excluded.label_seen_at
  )
  select id, platform, post_id from added union all select null, platform, post_id from looked where is_left`,
};

function column<Key extends keyof Mention>(mentions: readonly Mention[], key: Key): Mention[Key][] {
  return mentions.map((mention) => mention[key]);
}

function handleOf({ authorUsername }: Mention): string | null {
  return authorUsername === null ? null : toHandle(authorUsername);
}

const COLUMNS = ['version', 'platform', 'postId', 'replyTo', 'threadId', 'authorId', 'authorUsername'] as const;

function keepStatement(mentions: readonly Mention[], { now, source }: Arrival): SqlStatement {
  const columns = COLUMNS.map((key) => column(mentions, key));
  const rest = [mentions.map(handleOf), column(mentions, 'text'), column(mentions, 'postedAt')];
  return { ...KEEP, values: [...columns, ...rest, now, source] };
}

function readKept(mentions: readonly Mention[], answer: Answer | undefined) {
  const ids = new Map(answer?.rows.map(([id, platform, postId]) => [`${platform} ${postId}`, id]));
  const kept: StoredMention[] = [];
  const left: Mention[] = [];
  for (const mention of mentions) {
    const id = ids.get(`${mention.platform} ${mention.postId}`);
    if (id === null) left.push(mention);
    else if (id !== undefined) kept.push({ id: Number(id), mention });
  }
  return { kept, left };
}

/** The result of a later mention of an author, handle or post depends on the first. */
function split(mentions: readonly Mention[]) {
  const seen = new Set<string>();
  const isFirst = (mention: Mention): boolean => {
    const handle = handleOf(mention);
    const named = { author: mention.authorId, post: mention.postId, ...(handle === null ? {} : { handle }) };
    const keys = Object.entries(named).map(([kind, name]) => `${kind} ${mention.platform} ${name}`);
    const isNew = keys.every((key) => !seen.has(key));
    for (const key of keys) seen.add(key);
    return isNew;
  };
  const first: Mention[] = [];
  const rest: Mention[] = [];
  for (const mention of mentions) (isFirst(mention) ? first : rest).push(mention);
  return { first, rest };
}

/**
 * Stores mentions in one statement. Those whose author's label changes, and those whose author, handle or post repeats, are
 * stored one by one.
 */
export function createMentionIntake(
  current: () => DatabaseSession,
  insertOneByOne: StoreTx['insertMentions'],
): (mentions: readonly Mention[], arrival: Arrival) => Promise<StoredMention[]> {
  return async (mentions, arrival) => {
    const session = current();
    const { first, rest } = split(mentions);
    const [, answer] = await Promise.all([
      session.query({ ...TAKE_ALL, values: [first.length] }),
      session.query(keepStatement(first, arrival)),
    ]);
    const { kept, left } = readKept(first, answer);
    return [...kept, ...(await insertOneByOne([...left, ...rest], arrival))];
  };
}

/** While one batch waits for its commit, another can be stored; many that come at once are shared out. */
const LANES = 2;
/** A smaller batch than this costs each of its mentions clearly more. */
const LEAST = 32;

interface Delivery {
  readonly mentions: readonly Mention[];
  readonly arrival: MentionArrival;
}

/** Takes one round trip. The mentions that were left need more. */
async function keepAtOnce(sendAll: Transactions<StoreTx>['sendAll'], mentions: readonly Mention[], arrival: Arrival) {
  const { first, rest } = split(mentions);
  const subjects = first.flatMap((mention) => byAuthor(authorOf(mention)));
  const answers = await sendAll([{ ...TAKE_FREE, values: [subjects] }, keepStatement(first, arrival)]);
  const { kept, left } = readKept(first, answers[1]);
  return { kept, left: [...left, ...rest] };
}

type Sending = Pick<Transactions<StoreTx>, 'transaction' | 'sendAll'>;

async function keepTogether(
  { transaction }: Pick<Sending, 'transaction'>,
  mentions: readonly Mention[],
  arrival: MentionArrival,
): Promise<StoredMention[]> {
  return await transaction((tx) => storeMentions(tx, mentions, arrival), { narrow: true });
}

/** Answers each delivery with what was new of it; a mention that several have is new in the first one alone. */
function answersOf(kept: readonly StoredMention[]) {
  const found = new Map(kept.map((each) => [each.mention, each]));
  const take = (mention: Mention) => {
    const each = found.get(mention) ?? [];
    found.delete(mention);
    return each;
  };
  return ({ mentions }: Delivery) => mentions.flatMap(take);
}

/** Stores deliveries in one transaction, or each in its own when that fails. */
async function keepLeftOver(sending: Sending, deliveries: readonly Delivery[]): Promise<(() => StoredMention[])[]> {
  const [{ arrival }] = deliveries as [Delivery];
  try {
    const mentions = deliveries.flatMap((delivery) => delivery.mentions);
    const answerOf = answersOf(await keepTogether(sending, mentions, arrival));
    return deliveries.map((delivery) => () => answerOf(delivery));
  } catch (error) {
    if (deliveries.length === 1 || isLost(error)) throw error;
    // One delivery that cannot be stored must not fail the others.
    const outcomes: (() => StoredMention[])[] = [];
    for (const { mentions } of deliveries) {
      const [outcome] = await Promise.allSettled([keepTogether(sending, mentions, arrival)]);
      outcomes.push(() => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value;
      });
    }
    return outcomes;
  }
}

/** Stores deliveries in one round trip; null for each that was left. */
async function keepFree({ sendAll }: Sending, deliveries: readonly Delivery[]): Promise<(StoredMention[] | null)[]> {
  const [{ arrival }] = deliveries as [Delivery];
  const mentions = deliveries.flatMap((delivery) => delivery.mentions);
  try {
    const { kept, left } = await keepAtOnce(sendAll, mentions, arrival);
    const leftOver = new Set(left);
    const answerOf = answersOf(kept);
    return deliveries.map((delivery) =>
      delivery.mentions.some((one) => leftOver.has(one)) ? null : answerOf(delivery),
    );
  } catch {
    // The error may concern one delivery alone: each gets its own when it is stored the other way.
    return deliveries.map(() => null);
  }
}

/** Stores the mentions of webhooks. Deliveries that arrive while transactions are under way share the next one. */
export function createStoreMentions(sending: Sending): Store['storeMentions'] {
  /** Deliveries that wait for locks, whose authors' labels change, or with several mentions. */
  const keepLeft = createGathering((deliveries: readonly Delivery[]) => keepLeftOver(sending, deliveries), {
    most: MOST_MENTIONS,
    lanes: 1,
  });
  /** Deliveries of one mention each. */
  const keepSoon = createGathering((deliveries: readonly Delivery[]) => keepFree(sending, deliveries), {
    most: MOST_MENTIONS,
    lanes: LANES,
    least: LEAST,
  });

  /** For each author with a delivery under way, the latest one's way through `keepSoon`. It never fails. */
  const latest = new Map<string, Promise<StoredMention[] | null>>();

  /** Stores a delivery after those of the same authors that came before it. */
  async function keepInOrder(delivery: Delivery): Promise<StoredMention[]> {
    const { mentions } = delivery;
    const authors = new Set(mentions.map(({ platform, authorId }) => `${platform} ${authorId}`));
    const earlier = [...authors].flatMap((author) => latest.get(author) ?? []);
    const isFirst = earlier.length === 0 && mentions.length === 1;
    const soon = isFirst ? keepSoon(delivery) : Promise.all(earlier).then(() => null);
    for (const author of authors) latest.set(author, soon);
    try {
      return (await soon) ?? (await keepLeft(delivery))();
    } finally {
      for (const author of authors) if (latest.get(author) === soon) latest.delete(author);
    }
  }

  return async (mentions, arrival) => {
    const isAlone = arrival.source !== 'webhook' || arrival.cursor !== undefined || mentions.length === 0;
    return isAlone ? await keepTogether(sending, mentions, arrival) : await keepInOrder({ mentions, arrival });
  };
}
