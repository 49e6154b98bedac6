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
import { standIn } from './noun.ts';
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

type Run = (...args: never[]) => Promise<unknown>;
type Methods = Readonly<Record<string, Run>>;

/** The methods of all in one object. @throws TypeError when two have the same name */
export function joinMethods(all: readonly Methods[]): Methods {
  const joined: Record<string, Run> = {};
  for (const [name, method] of all.flatMap((methods) => Object.entries(methods))) {
    if (Object.hasOwn(joined, name)) throw new TypeError(`two methods of the store are called ${name}`);
    joined[name] = method;
  }
  return joined;
}

type Noun = (db: NounSql) => Readonly<Record<'reads' | 'writes', Methods>>;

/** The first that this process has made of each noun: all others have methods of the same names, with the same locks. */
const models = new Map<Noun, ReturnType<Noun>>();

function methodOf(methods: Methods, name: string): Run {
  const method = methods[name];
  if (method === undefined) throw new TypeError(`the store has no method ${name}`);
  return method;
}

/** A noun that is made when the first of its methods is called. */
function makeLate(noun: Noun, db: NounSql, model: ReturnType<Noun>): ReturnType<Noun> {
  let made: ReturnType<Noun> | undefined;
  const late = (kind: 'reads' | 'writes') =>
    Object.fromEntries(
      Object.entries(model[kind]).map(([name, method]) => [
        name,
        standIn(method, (...args) => {
          made ??= noun(db);
          return methodOf(made[kind], name)(...args);
        }),
      ]),
    );
  return { reads: late('reads'), writes: late('writes') };
}

/**
 * The methods of all nouns. A name that two of them have is refused, whether reads or writes have it.
 * @param options.isLate makes each noun but the first of its kind when it is needed: building all queries takes half of opening
 * a store, and most stores use few
 */
export function createNouns(db: NounSql, { isLate = false } = {}): Nouns {
  const made = NOUNS.map((noun: Noun) => {
    const model = models.get(noun);
    if (model !== undefined && isLate) return makeLate(noun, db, model);
    const first = noun(db);
    models.set(noun, first);
    return first;
  });
  const reads = joinMethods(made.map((noun) => noun.reads));
  const writes = joinMethods(made.map((noun) => noun.writes));
  joinMethods([reads, writes]);
  // TypeScript does not track entries.
  return { reads: reads as NounReads, writes: writes as NounWrites };
}
