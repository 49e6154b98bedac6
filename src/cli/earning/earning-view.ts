import { formatAmount } from '../../domain/amount.ts';
import type { EarningFacts, Observation } from '../../domain/earning/earning.ts';
import { MILLION } from '../../domain/earning/terms/rules.ts';
import { earningSentence, toldBy } from '../../domain/earning/words/earning-words.ts';
import { factsWords, reasonWords } from '../../domain/earning/words/reason-words.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { isoText } from '../../domain/time.ts';
import type { ExplainedEarning } from '../../services/gigs/show/explain-earning.ts';
import type { AccountEarning, GigEarning } from '../../services/gigs/show/find-earnings.ts';
import type { Evaluation } from '../../store/port/index.ts';
import { accountText, shortPostId } from '../output.ts';
import type { Table } from '../table.ts';

interface Of {
  readonly gig: Gig;
  readonly overview: GigEarning;
  readonly now: number;
}

function factsItem(facts: EarningFacts | null) {
  if (facts === null) return null;
  const { score, followers, registeredAt, label, verifiedAddresses, letters } = facts;
  return {
    score: score === null ? null : score / MILLION,
    followers,
    registered_at: isoText(registeredAt),
    spam_label: label,
    verified_addresses: verifiedAddresses,
    letters,
  };
}

/** An account in a gig, as lists show it in JSON; null for one of which nothing was seen. */
export function earningItem({ username, earning, missing }: AccountEarning, { gig, overview, now }: Of) {
  if (earning === null) return null;
  const { token } = gig;
  const amountText = (amount: bigint) => `${formatAmount(amount, token.decimals)} ${token.symbol}`;
  return {
    id: earning.observationId,
    platform: earning.platform,
    platform_user_id: earning.platformUserId,
    username,
    state: earning.state,
    reason: earning.reason,
    sentence: earningSentence(earning, { ...toldBy(overview.rules), missing, now, amountText }),
    amount: earning.amount === null ? null : formatAmount(earning.amount, token.decimals),
    due_at: earning.state === 'held' ? isoText(earning.dueAt) : null,
    facts: factsItem(earning.facts),
    updated_at: isoText(earning.updatedAt),
  };
}

export type EarningItem = NonNullable<ReturnType<typeof earningItem>>;

function itemAccount({ platform, platform_user_id: platformUserId, username }: EarningItem): string {
  return accountText({ platform, platformUserId, username });
}

export const EARNING_TABLE: Table<EarningItem> = {
  id: ({ id }) => id,
  account: { read: itemAccount, cut: 'end' },
  state: ({ state }) => state,
  amount: ({ amount }) => amount,
  due: { read: ({ due_at: at }) => at, cut: 'time', spare: 1 },
  why: { read: ({ sentence }) => sentence, cut: 'end' },
};

function actItem({
  kind,
  objectId,
  source,
  actedAt,
  firstSeenAt,
  lastSeenAt,
  rankedAt,
  undoneAt,
  letters,
}: Observation) {
  return {
    kind,
    post: objectId === '' ? null : objectId,
    source,
    acted_at: isoText(actedAt),
    first_seen_at: isoText(firstSeenAt),
    last_seen_at: isoText(lastSeenAt),
    ranked_at: isoText(rankedAt),
    undone_at: isoText(undoneAt),
    letters,
  };
}

function decisionItem({ at, state, reason, facts, amount }: Evaluation, { gig, overview, account }: ExplainedEarning) {
  const rankedAt = account.earning?.rankedAt ?? at;
  const words = reason === null ? null : reasonWords(reason, { facts, gates: overview.rules.gates, rankedAt });
  return {
    at: isoText(at),
    state,
    reason,
    words,
    amount: amount === null ? null : formatAmount(amount, gig.token.decimals),
    facts: factsItem(facts),
    known: factsWords(facts),
  };
}

/** Everything on record about an account in a gig, in JSON. */
export function whyItem(found: ExplainedEarning, now: number) {
  const { account, acts, evaluations } = found;
  const earning = earningItem(account, { ...found, now });
  if (earning === null) throw new TypeError('an explained account has no earning');
  return {
    ...earning,
    acts: acts.map(actItem),
    decisions: evaluations.map((each) => decisionItem(each, found)),
  };
}

type WhyItem = ReturnType<typeof whyItem>;

/** The labelled facts of an account in a gig. */
export function whyFields(item: WhyItem): Record<string, string> {
  return {
    account: itemAccount(item),
    state: item.state,
    why: item.sentence,
    ...(item.due_at === null ? {} : { due: item.due_at }),
    changed: item.updated_at,
  };
}

type ActItem = WhyItem['acts'][number];

/** The acts of an account in a table. */
export function actTable({ reason, updated_at: decidedAt }: WhyItem): Table<ActItem> {
  // Only an unfollow is told of: other acts are found undone when their account is decided about.
  const isGone = ({ first_seen_at: seenAt }: ActItem) => reason === 'withdrawn' && (seenAt ?? '') <= (decidedAt ?? '');
  return {
    act: ({ kind }) => kind,
    post: { read: ({ post }) => (post === null ? null : shortPostId(post)), spare: 4 },
    'time by the sender': { read: ({ acted_at: at }) => at, cut: 'time', spare: 3 },
    'first seen': { read: ({ first_seen_at: at }) => at, cut: 'time' },
    'seen by': { read: ({ source }) => source, spare: 2 },
    'last seen': { read: ({ last_seen_at: at }) => at, cut: 'time', spare: 1 },
    rank: { read: ({ ranked_at: at }) => at, cut: 'time' },
    undone: (act) => act.undone_at ?? (isGone(act) ? `by ${decidedAt}` : null),
  };
}

export const DECISION_TABLE: Table<WhyItem['decisions'][number]> = {
  decided: { read: ({ at }) => at, cut: 'time' },
  state: ({ state }) => state,
  why: { read: ({ words }) => words, cut: 'end' },
  known: { read: ({ known }) => known, cut: 'end', spare: 1 },
};
