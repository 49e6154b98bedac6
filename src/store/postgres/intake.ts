import { authorOf, type Mention } from '../../domain/mention.ts';
import type { KeptMention, MentionArrival, Store, StoreTx } from '../port/index.ts';
import { hasNewUsername, type Label, toHandle } from '../sql/accounts.ts';
import { keepMentions, keepOneByOne, MOST_MENTIONS } from '../sql/intake.ts';
import { isLost } from './errors.ts';
import { createGathering } from './gathering.ts';
import type { DatabaseSession } from './session.ts';

// These statements are not prepared: the server would keep a plan made for an empty table while the table grows.

/** For each mention: whether it is the bot's own post, its author's label, and whether another account has the handle. */
const LOOK = `
  select exists (select 1 from replies where replies.platform = given.platform and replies.post_id = given.post_id),
    accounts.platform_user_id is not null, accounts.username, accounts.label_source,
    exists (select 1 from accounts as other where other.platform = given.platform and other.handle = given.handle
      and other.platform_user_id <> given.author_id)
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as given (platform, post_id, author_id, handle, place)
  left join accounts on accounts.platform = given.platform and accounts.platform_user_id = given.author_id
  order by place`;

/** Adds unknown authors with their handles. An award may have added the account meanwhile, without a handle. */
const ADD_AUTHORS = `
  insert into accounts (platform, platform_user_id, username, handle, label_source, label_seen_at, created_at)
  select platform, id, username, handle, case when username is not null then 'platform' end,
    case when username is not null then seen_at end, $6
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) as given (platform, id, username, handle, seen_at)
  on conflict (platform, platform_user_id) do update set username = excluded.username, handle = excluded.handle,
    label_source = excluded.label_source, label_seen_at = excluded.label_seen_at
    where excluded.username is not null and accounts.username is null`;

/** Stores the mentions. A new one also updates when its author's label was last seen. */
const ADD_MENTIONS = `
  with added as (
    insert into mentions (version, platform, post_id, reply_to, thread_id, author_id, author_username, text, posted_at,
      received_at, source, state, attempts, due_at, behind)
    select version, platform, post_id, reply_to, thread_id, author_id, author_username, text, posted_at, $10, $11, 'received', 0, $10,
      exists (select 1 from mentions as earlier where earlier.state = 'received' and earlier.platform = given.platform
        and earlier.author_id = given.author_id)
    from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
      with ordinality as given (version, platform, post_id, reply_to, thread_id, author_id, author_username, text, posted_at, place)
    order by place
    on conflict (platform, post_id) do nothing
    returning id, platform, post_id, author_id, author_username, least(posted_at, $10) as seen_at
  ), sighted as (
    update accounts set label_seen_at = added.seen_at from added
    where accounts.platform = added.platform and accounts.platform_user_id = added.author_id
      and accounts.username = added.author_username and (label_seen_at is null or label_seen_at < added.seen_at)
  )
  select id, platform, post_id from added`;

interface Look {
  readonly mention: Mention;
  readonly isOwn: boolean;
  readonly known: Label | null;
  readonly isHandleTaken: boolean;
}

type Arrival = Pick<MentionArrival, 'now' | 'source'>;

function column<Key extends keyof Mention>(mentions: readonly Mention[], key: Key): Mention[Key][] {
  return mentions.map((mention) => mention[key]);
}

function handleOf({ authorUsername }: Mention): string | null {
  return authorUsername === null ? null : toHandle(authorUsername);
}

async function look(session: DatabaseSession, mentions: readonly Mention[]): Promise<Look[]> {
  const values = [
    column(mentions, 'platform'),
    column(mentions, 'postId'),
    column(mentions, 'authorId'),
    mentions.map(handleOf),
  ];
  const { rows } = await session.query({ text: LOOK, values });
  return mentions.map((mention, place) => {
    const [isOwn, isKnown, username, source, isHandleTaken] = rows[place] ?? [];
    return {
      mention,
      isOwn: isOwn === true,
      // The columns are those of the statement, whose types the schema gives.
      known: isKnown === true ? ({ username, source } as Label) : null,
      isHandleTaken: isHandleTaken === true,
    };
  });
}

async function addAuthors(session: DatabaseSession, mentions: readonly Mention[], now: number): Promise<void> {
  if (mentions.length === 0) return;
  const seenAt = mentions.map(({ postedAt }) => Math.min(postedAt, now));
  const names = [column(mentions, 'authorUsername'), mentions.map(handleOf)];
  const values = [column(mentions, 'platform'), column(mentions, 'authorId'), ...names, seenAt, now];
  await session.query({ text: ADD_AUTHORS, values });
}

async function addMentions(
  session: DatabaseSession,
  mentions: readonly Mention[],
  { now, source }: Arrival,
): Promise<ReadonlyMap<string, number>> {
  if (mentions.length === 0) return new Map();
  const keys = [
    'version',
    'platform',
    'postId',
    'replyTo',
    'threadId',
    'authorId',
    'authorUsername',
    'text',
    'postedAt',
  ];
  const columns = keys.map((key) => column(mentions, key as keyof Mention));
  const { rows } = await session.query({ text: ADD_MENTIONS, values: [...columns, now, source] });
  return new Map(rows.map(([id, platform, postId]) => [`${platform} ${postId}`, Number(id)]));
}

/** Separates the first mention of each author, handle and post from later ones, whose result depends on the first. */
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
 * Stores mentions in three statements. Those whose author's label changes, and those whose author, handle or post repeats, are
 * stored one by one.
 */
export function createMentionIntake(
  current: () => DatabaseSession,
  oneByOne: Pick<StoreTx, 'isOwnPost' | 'insertMention'>,
): Pick<StoreTx, 'insertMentions'> {
  return {
    async insertMentions(mentions, arrival) {
      const session = current();
      const { first, rest } = split(mentions);
      const looks = await look(session, first);
      const relabels = ({ known, isHandleTaken, mention }: Look) => {
        const author = { ...authorOf(mention), username: mention.authorUsername };
        return known === null ? isHandleTaken : hasNewUsername(author, known);
      };
      const others = looks.filter(({ isOwn }) => !isOwn);
      const usual = others.filter((each) => !relabels(each));
      const mentionsOf = (list: readonly Look[]) => list.map(({ mention }) => mention);
      const unknown = mentionsOf(usual.filter(({ known }) => known === null));
      const [, ids] = await Promise.all([
        addAuthors(session, unknown, arrival.now),
        addMentions(session, mentionsOf(usual), arrival),
      ]);
      const kept = usual.flatMap(({ mention }): KeptMention[] => {
        const id = ids.get(`${mention.platform} ${mention.postId}`);
        return id === undefined ? [] : [{ id, mention }];
      });
      const unusual = [...mentionsOf(others.filter(relabels)), ...rest];
      return [...kept, ...(await keepOneByOne(oneByOne, unusual, arrival))];
    },
  };
}

/** While one batch waits for its commit, another can be stored. */
const LANES = 2;

/** Stores the mentions of webhooks. Deliveries that arrive while transactions are under way share the next one. */
export function createKeepMentions(transaction: Store['transaction']): Store['keepMentions'] {
  interface Delivery {
    readonly mentions: readonly Mention[];
    readonly arrival: MentionArrival;
  }

  async function keep({ mentions, arrival }: Delivery): Promise<KeptMention[]> {
    return await transaction((tx) => keepMentions(tx, mentions, arrival), { narrow: true });
  }

  /** Stores several deliveries in one transaction and returns what was new of each. */
  async function keepAll(deliveries: readonly Delivery[]): Promise<KeptMention[][]> {
    const [first] = deliveries;
    if (first === undefined) return [];
    const mentions = deliveries.flatMap((delivery) => delivery.mentions);
    const kept = await keep({ mentions, arrival: first.arrival });
    const placeOf = new Map(deliveries.flatMap((delivery, place) => delivery.mentions.map((one) => [one, place])));
    const answers: KeptMention[][] = deliveries.map(() => []);
    for (const one of kept) answers[placeOf.get(one.mention) ?? 0]?.push(one);
    return answers;
  }

  const gather = createGathering(
    async (deliveries: readonly Delivery[]): Promise<(() => KeptMention[])[]> => {
      try {
        return (await keepAll(deliveries)).map((kept) => () => kept);
      } catch (error) {
        if (deliveries.length === 1 || isLost(error)) throw error;
        // One delivery that cannot be stored must not fail the others.
        const outcomes = await Promise.allSettled(deliveries.map(keep));
        return outcomes.map((outcome) => () => {
          if (outcome.status === 'rejected') throw outcome.reason;
          return outcome.value;
        });
      }
    },
    { most: MOST_MENTIONS, lanes: LANES },
  );
  return async (mentions, arrival) => {
    const isAlone = arrival.source !== 'webhook' || arrival.cursor !== undefined || mentions.length > 1;
    return isAlone ? await keep({ mentions, arrival }) : (await gather({ mentions, arrival }))();
  };
}
