import { IS_STOPPED, TANK_IS_LOW } from './payment.ts';
import { REASON } from './reasons.ts';

/** What keeps planned payments from being made for longer than a minute. */
export const OBSTACLES = [
  'gig_frozen',
  'payments_stopped',
  'gas_tank_empty',
  'contracts_missing',
  'client_budget_used',
  'gig_budget_used',
  'token_fails',
  'too_expensive',
  'recipient_fails',
  'recipient_listed',
  'screening_silent',
] as const;
export type Obstacle = (typeof OBSTACLES)[number];

/** Obstacles by the id of the payment. */
export type Obstacles = ReadonlyMap<number, Obstacle>;

/** An obstacle that the ledger names; whether a gig is frozen now is known from the gig alone. */
export type LedgerObstacle = Exclude<Obstacle, 'gig_frozen'>;

const BEGINNINGS: readonly (readonly [begins: string, wait: LedgerObstacle])[] = [
  [IS_STOPPED, 'payments_stopped'],
  [TANK_IS_LOW, 'gas_tank_empty'],
  [REASON.payerMissing, 'contracts_missing'],
  [REASON.clientUsedUp, 'client_budget_used'],
  // A ledger of an earlier version has these words.
  ['the contracts that pay are not deployed', 'contracts_missing'],
  ['its client has used up', 'client_budget_used'],
  [REASON.clientTooSmall, 'client_budget_used'],
  [REASON.gigUsedUp, 'gig_budget_used'],
  [REASON.tokenFails, 'token_fails'],
  [REASON.tooExpensive, 'too_expensive'],
  [REASON.recipientFails, 'recipient_fails'],
  [REASON.recipientListed, 'recipient_listed'],
  [REASON.screeningSilent, 'screening_silent'],
];

/** What a planned payment waits for, by the ledger's reason; null when that is no obstacle. */
export function findWait(reason: string | null): LedgerObstacle | null {
  return BEGINNINGS.find(([begins]) => reason?.startsWith(begins))?.[1] ?? null;
}

const NOTHING_IS_LOST = 'nothing is lost';
const GOES_ON = 'it goes on by itself';

/** Words about an obstacle that anyone may read, to follow “Waiting”, and a reassurance. */
export const WAIT_WORDS: Readonly<Record<LedgerObstacle, { readonly why: string; readonly comfort: string }>> = {
  payments_stopped: { why: 'until the operator has compared the books with the chains', comfort: NOTHING_IS_LOST },
  gas_tank_empty: { why: 'until the operator refills the gas tank', comfort: NOTHING_IS_LOST },
  contracts_missing: { why: 'until the operator has set up payments on its chain', comfort: NOTHING_IS_LOST },
  client_budget_used: {
    why: 'because the gas budget for the client of its gig is used up today',
    comfort: GOES_ON,
  },
  gig_budget_used: { why: 'because the gas budget of its gig is used up', comfort: NOTHING_IS_LOST },
  token_fails: { why: 'because payments of its token have failed within the hour', comfort: GOES_ON },
  too_expensive: { why: 'until it costs less gas', comfort: GOES_ON },
  recipient_fails: { why: 'because payments to its recipient have failed on the chain', comfort: GOES_ON },
  // Neutral: an oracle can be wrong about a person.
  recipient_listed: { why: 'until the operator has reviewed it', comfort: NOTHING_IS_LOST },
  screening_silent: { why: 'until it has been checked', comfort: GOES_ON },
};

const FROZEN = 'the operator has frozen this gig’s payments for now';

/** One obstacle as a clause with its reassurance, the same on the pages and in the API. */
export function obstacleClause(obstacle: Obstacle): string {
  if (obstacle === 'gig_frozen') return `${FROZEN}; ${NOTHING_IS_LOST}`;
  const { why, comfort } = WAIT_WORDS[obstacle];
  return `${why}; ${comfort}`;
}

/** A reassurance as a sentence. */
export function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
