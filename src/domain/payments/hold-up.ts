import { CHAINS } from '../chains/chain.ts';
import type { Obstacle } from './obstacle.ts';
import { REASON } from './reasons.ts';

/**
 * Why payments are held up: `refused` ones are tried again, for `endpoint_refuses` their chain's endpoint is the reason, for
 * `late` ones there is no reason to wait, and `unsettled` ones are in a transaction that is not settled.
 */
export type HoldUp = Obstacle | 'refused' | 'endpoint_refuses' | 'late' | 'unsettled';

/** Payments of one chain that are held up by the same. */
export interface HeldUp {
  readonly holdUp: HoldUp;
  readonly chainId: number;
  readonly payments: number;
  /** The gigs that are to pay them, each once. */
  readonly gigIds: readonly number[];
}

/** What is wrong, without a full stop at its end, and what to do about it. */
export interface Problem {
  readonly detail: string;
  readonly remedy: string;
}

const BY_ITSELF = 'That goes on by itself';

/** `on` is the key of the chain, `gigs` names the gigs. */
const HOLD_UPS: Readonly<Record<HoldUp, (on: string, gigs: string) => readonly [why: string, remedy: string]>> = {
  gig_frozen: (_, gigs) => ['frozen', `gig show says why ${gigs} may not pay.`],
  payments_stopped: () => [
    'all payments are stopped',
    'Run npm run admin -- reconcile: they go on when every gig adds up.',
  ],
  gas_tank_empty: (on) => ['the gas tank is too low', `Refill the gas tank on ${on}: payments go on within 5 seconds.`],
  contracts_missing: (on) => [REASON.payerMissing, `Run npm run admin -- payer deploy ${on}.`],
  client_budget_used: (_, gigs) => [
    REASON.clientUsedUp,
    `Payments of ${gigs} go on by themselves as the day passes, or when you raise GAS_BUDGET_CLIENT_DAY (for gigs of the console, GAS_BUDGET_OWNERS_DAY).`,
  ],
  gig_budget_used: (_, gigs) => [
    'the gig has used up the gas that its tips allow',
    `Each further tip of ${gigs} allows more.`,
  ],
  token_fails: () => ['the token failed on the chain', `${BY_ITSELF} when the token has not failed for an hour.`],
  too_expensive: () => [
    'it would cost more than several plain transfers',
    `${BY_ITSELF} when fees fall; else the token is expensive to move.`,
  ],
  recipient_fails: (_, gigs) => [
    'earlier payments to the recipient failed on the chain',
    `They are tried again after pauses; other payments of ${gigs} go on.`,
  ],
  recipient_listed: () => [
    REASON.recipientListed,
    'payment list shows the recipient. Its payments go on when the oracle no longer lists it.',
  ],
  screening_silent: (on) => [
    REASON.screeningSilent,
    `Check SCREENING_ORACLE and the endpoint of ${on}: payments go on when the oracle answers.`,
  ],
  refused: () => [
    'a simulation refuses it, or the node does not answer',
    'It is tried again, and fails if this lasts: see payment list --state planned.',
  ],
  endpoint_refuses: (on) => [
    'the endpoint does not take their transaction, or gives no answer',
    `Use another endpoint of ${on}: payment list shows the answer of this one.`,
  ],
  late: () => ['planned more than 5 minutes ago', 'Check that the service runs, and see payment list --state planned.'],
  unsettled: (on) => [
    'sent in a transaction that is not settled',
    `Check that the endpoint of ${on} answers and is up to date, and see payment list --state sent.`,
  ],
};

const MAX_GIGS = 5;

/** The key of a chain, or its id for a chain that is not known. */
export function chainKeyOf(chainId: number): string {
  return CHAINS.find(({ id }) => id === chainId)?.key ?? `chain id ${chainId}`;
}

/** Says which payments wait and why. */
export function heldUpProblem({ holdUp, chainId, payments, gigIds }: HeldUp): Problem {
  const more = gigIds.length - MAX_GIGS;
  const named = [...gigIds.slice(0, MAX_GIGS), ...(more > 0 ? [`+${more} more`] : [])].join(', ');
  const gigs = `${gigIds.length === 1 ? 'gig' : 'gigs'} ${named}`;
  const [why, remedy] = HOLD_UPS[holdUp](chainKeyOf(chainId), gigs);
  const wait = payments === 1 ? '1 payment waits' : `${payments} payments wait`;
  return { detail: `${wait} on ${chainKeyOf(chainId)} (${gigs}): ${why}`, remedy };
}
