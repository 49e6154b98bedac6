import { accounts } from './accounts.ts';
import { alertDeliveries } from './alert-deliveries.ts';
import { alerts } from './alerts.ts';
import { apiKeys } from './api-keys.ts';
import { auditEvents } from './audit-events.ts';
import { blockedAccounts } from './blocked-accounts.ts';
import { bounties } from './bounties.ts';
import { chainAnchors } from './chain-anchors.ts';
import { claims } from './claims.ts';
import { draws } from './draws.ts';
import { earningChanges } from './earning-changes.ts';
import { earningHolders } from './earning-holders.ts';
import { earningOverviews } from './earning-overviews.ts';
import { earningRules } from './earning-rules.ts';
import { earnings } from './earnings.ts';
import type { NounSql } from './engine.ts';
import { evaluations } from './evaluations.ts';
import { gasTanks } from './gas-tanks.ts';
import { gigChanges } from './gig-changes.ts';
import { gigEnds } from './gig-ends.ts';
import { gigOwners } from './gig-owners.ts';
import { gigPayouts } from './gig-payouts.ts';
import { gigReports } from './gig-reports.ts';
import { gigs } from './gigs.ts';
import { idempotencyKeys } from './idempotency-keys.ts';
import { ledgerState } from './ledger-state.ts';
import { mentions } from './mentions.ts';
import { observations } from './observations.ts';
import { paymentAdoption } from './payment-adoption.ts';
import { paymentBudgets } from './payment-budgets.ts';
import { paymentChanges } from './payment-changes.ts';
import { paymentDelays } from './payment-delays.ts';
import { paymentLists } from './payment-lists.ts';
import { paymentPlans } from './payment-plans.ts';
import { payments } from './payments.ts';
import { payouts } from './payouts.ts';
import { pollCursors } from './poll-cursors.ts';
import { queues } from './queues.ts';
import { replies } from './replies.ts';
import { replyLeases } from './reply-leases.ts';
import { replyLimits } from './reply-limits.ts';
import { rounds } from './rounds.ts';
import { sessions } from './sessions.ts';
import { tankTransactions } from './tank-transactions.ts';
import { tellings } from './tellings.ts';
import { tipNumbers } from './tip-numbers.ts';
import { tips } from './tips.ts';
import { tokens } from './tokens.ts';
import { topEarnings } from './top-earnings.ts';
import { watches } from './watches.ts';

/** What the store knows, a line for each noun. No two have a method of the same name. */
const NOUNS = [
  accounts,
  alertDeliveries,
  alerts,
  apiKeys,
  auditEvents,
  blockedAccounts,
  bounties,
  chainAnchors,
  claims,
  draws,
  earningChanges,
  earningHolders,
  earningOverviews,
  earningRules,
  earnings,
  evaluations,
  gasTanks,
  gigChanges,
  gigEnds,
  gigOwners,
  gigPayouts,
  gigReports,
  gigs,
  idempotencyKeys,
  ledgerState,
  mentions,
  observations,
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
  watches,
] as const;

/** All types of a union in one. It is no mapped type, so that an editor shows the doc comments of the methods. */
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

type Methods = Readonly<Record<string, unknown>>;

/** The methods of all in one object. @throws TypeError when two have the same name */
export function joinMethods(all: readonly Methods[]): Methods {
  const joined: Record<string, unknown> = {};
  for (const [name, method] of all.flatMap((methods) => Object.entries(methods))) {
    if (Object.hasOwn(joined, name)) throw new TypeError(`two methods of the store are called ${name}`);
    joined[name] = method;
  }
  return joined;
}

/** The methods of all nouns. A name that two of them have is refused, whether reads or writes have it. */
export function createNouns(db: NounSql): Nouns {
  const made = NOUNS.map((noun) => noun(db));
  const reads = joinMethods(made.map((noun) => noun.reads));
  const writes = joinMethods(made.map((noun) => noun.writes));
  joinMethods([reads, writes]);
  // TypeScript does not track entries.
  return { reads: reads as NounReads, writes: writes as NounWrites };
}
