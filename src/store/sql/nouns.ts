import { accountRecords } from './claims/account-records.ts';
import { accounts } from './claims/accounts.ts';
import { blockedAccounts } from './claims/blocked-accounts.ts';
import { claims } from './claims/claims.ts';
import { names } from './claims/names.ts';
import { payouts } from './claims/payouts.ts';
import { bounties } from './earning/bounties.ts';
import { draws } from './earning/draws.ts';
import { earningChanges } from './earning/earning-changes.ts';
import { earningHolders } from './earning/earning-holders.ts';
import { earningOverviews, topEarnings } from './earning/earning-overviews.ts';
import { earningRules } from './earning/earning-rules.ts';
import { earnings } from './earning/earnings.ts';
import { entries } from './earning/entries/entries.ts';
import { evaluations } from './earning/evaluations.ts';
import { observations } from './earning/observations.ts';
import { rounds } from './earning/rounds.ts';
import { watches } from './earning/watches.ts';
import type { NounSql } from './engine.ts';
import { eventDeliveries } from './events/event-deliveries.ts';
import { eventReleases } from './events/event-releases.ts';
import { events } from './events/events.ts';
import { untoldGigs } from './events/untold-gigs.ts';
import { webhookEndpoints } from './events/webhook-endpoints.ts';
import { fundingHashes } from './gigs/funding-hashes.ts';
import { gigChanges } from './gigs/gig-changes.ts';
import { gigEnds } from './gigs/gig-ends.ts';
import { gigOwners } from './gigs/gig-owners.ts';
import { gigReports } from './gigs/gig-reports.ts';
import { gigStarts } from './gigs/gig-starts.ts';
import { gigs } from './gigs/gigs.ts';
import { tipNumbers } from './gigs/tip-numbers.ts';
import { tips } from './gigs/tips.ts';
import { tokens } from './gigs/tokens.ts';
import { mentions } from './mentions/mentions.ts';
import { oddAnswers } from './mentions/odd-answers.ts';
import { pollCursors } from './mentions/poll-cursors.ts';
import { replies } from './mentions/replies.ts';
import { replyLeases } from './mentions/reply-leases.ts';
import { replyLimits } from './mentions/reply-limits.ts';
import { tellings } from './mentions/tellings.ts';
import { METHOD_NAMES, type MethodNames } from './method-names.ts';
import { news } from './notifications/news.ts';
import { notifications } from './notifications/notifications.ts';
import { notificationWishes } from './notifications/wishes.ts';
import { standIn } from './noun.ts';
import { alertDeliveries } from './operators/alert-deliveries.ts';
import { alerts } from './operators/alerts.ts';
import { apiKeys } from './operators/api-keys.ts';
import { auditEvents } from './operators/audit-events.ts';
import { finding } from './operators/find/finding.ts';
import { idempotencyKeys } from './operators/idempotency-keys.ts';
import { ledgerState } from './operators/ledger-state.ts';
import { listPlaces } from './operators/list-places.ts';
import { queues } from './operators/queues.ts';
import { sessions } from './operators/sessions.ts';
import { daySums } from './operators/sums/day-sums.ts';
import { allowedOwners } from './owners/allowed-owners.ts';
import { ownerGigs } from './owners/owner-gigs.ts';
import { ownerLinks } from './owners/owner-links.ts';
import { ownerSessions } from './owners/owner-sessions.ts';
import { gigPayouts } from './payments/gig-payouts.ts';
import { paymentAdoption } from './payments/payment-adoption.ts';
import { paymentBudgets } from './payments/payment-budgets.ts';
import { paymentChanges } from './payments/payment-changes.ts';
import { paymentDelays } from './payments/payment-delays.ts';
import { paymentLists } from './payments/payment-lists.ts';
import { paymentPlans } from './payments/payment-plans.ts';
import { payments } from './payments/payments.ts';
import { chainAnchors, gasTanks, tankTransactions } from './payments/tank-transactions.ts';
import { depositChanges } from './x402/deposit-changes.ts';
import { deposits } from './x402/deposits.ts';
import { x402Gigs, x402Tokens } from './x402/x402-gigs.ts';

/** No two nouns have a method of the same name. */
const NOUNS = [
  accountRecords,
  accounts,
  alertDeliveries,
  alerts,
  allowedOwners,
  apiKeys,
  auditEvents,
  blockedAccounts,
  bounties,
  chainAnchors,
  claims,
  daySums,
  depositChanges,
  deposits,
  draws,
  earningChanges,
  earningHolders,
  earningOverviews,
  earningRules,
  earnings,
  entries,
  evaluations,
  eventDeliveries,
  eventReleases,
  events,
  finding,
  gasTanks,
  gigChanges,
  gigEnds,
  gigOwners,
  gigPayouts,
  gigReports,
  fundingHashes,
  gigStarts,
  gigs,
  idempotencyKeys,
  ledgerState,
  listPlaces,
  mentions,
  names,
  news,
  notificationWishes,
  notifications,
  observations,
  ownerLinks,
  oddAnswers,
  ownerGigs,
  ownerSessions,
  paymentAdoption,
  paymentBudgets,
  paymentChanges,
  paymentDelays,
  paymentLists,
  paymentPlans,
  payments,
  payouts,
  pollCursors,
  queues,
  replies,
  replyLeases,
  replyLimits,
  rounds,
  sessions,
  tankTransactions,
  tellings,
  tipNumbers,
  tips,
  tokens,
  topEarnings,
  untoldGigs,
  watches,
  webhookEndpoints,
  x402Gigs,
  x402Tokens,
] as const;

/** No mapped type, so that an editor shows the doc comments of the methods. */
type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (each: infer Every) => void
  ? Every
  : never;

type Made = ReturnType<(typeof NOUNS)[number]>;
export type NounReads = All<Made['reads']>;
export type NounWrites = All<Made['writes']>;

export interface Nouns {
  readonly reads: NounReads;
  readonly writes: NounWrites;
}

type Run = (...args: never[]) => Promise<unknown>;
type Methods = Readonly<Record<string, Run>>;

/** The methods of all in one object. @throws TypeError when two have the same name */
export function joinMethods(all: readonly Methods[]): Methods {
  const joined: Record<string, Run> = {};
  for (const methods of all) {
    for (const [name, method] of Object.entries(methods)) {
      if (Object.hasOwn(joined, name)) throw new TypeError(`two methods of the store are called ${name}`);
      joined[name] = method;
    }
  }
  return joined;
}

type Noun = (db: NounSql) => Readonly<Record<'reads' | 'writes', Methods>>;

function namesOf({ reads, writes }: ReturnType<Noun>): MethodNames {
  return { reads: Object.keys(reads), writes: Object.keys(writes) };
}

/** What is known of the names: of a bundle from the build, and otherwise of the nouns that this process has made before. */
const known = new Map<Noun, MethodNames>(METHOD_NAMES.map((names, place) => [NOUNS[place] as Noun, names]));

function makeLate(noun: Noun, db: NounSql, names: MethodNames): ReturnType<Noun> {
  let made: ReturnType<Noun> | undefined;
  const late = (kind: 'reads' | 'writes', name: string) =>
    standIn(() => {
      made ??= noun(db);
      const method = made[kind][name];
      if (method === undefined) throw new TypeError(`the store has no method ${name}`);
      return method;
    });
  const all = (kind: 'reads' | 'writes') => Object.fromEntries(names[kind].map((name) => [name, late(kind, name)]));
  return { reads: all('reads'), writes: all('writes') };
}

/** The names of the methods of all nouns, in their order. */
export function methodNames(db: NounSql): readonly MethodNames[] {
  return NOUNS.map((noun: Noun) => namesOf(noun(db)));
}

/**
 * The methods of all nouns. A name that two of them have is refused, whether reads or writes have it.
 * @param options.isLate makes each noun whose names are known when it is needed: building all queries takes half of opening a
 * store, and most stores use few
 */
export function createNouns(db: NounSql, { isLate = false } = {}): Nouns {
  const made = NOUNS.map((noun: Noun) => {
    const names = known.get(noun);
    if (names !== undefined && isLate) return makeLate(noun, db, names);
    const first = noun(db);
    known.set(noun, namesOf(first));
    return first;
  });
  const reads = joinMethods(made.map((noun) => noun.reads));
  const writes = joinMethods(made.map((noun) => noun.writes));
  joinMethods([reads, writes]);
  // TypeScript does not track entries.
  return { reads: reads as NounReads, writes: writes as NounWrites };
}
