import type { Config } from '../config.ts';
import { periodic, type Task } from '../jobs/runner.ts';
import { cancelUnfunded } from '../services/ends/cancel-unfunded.ts';
import type { UnfundedContext } from '../services/ends/context.ts';
import type { StartFundedContext } from '../services/gigs/context.ts';
import { startFundedGigs } from '../services/gigs/start-funded.ts';
import type { InstanceWatch } from '../services/operators/instances.ts';
import type { LinkContext } from '../services/owners/context.ts';
import { checkLinks } from '../services/owners/links.ts';
import { advanceDeposits } from '../services/x402/advance-deposit.ts';
import { cancelUnpaid } from '../services/x402/cancel-unpaid.ts';
import type { DepositContext } from '../services/x402/context.ts';

const START_FUNDED_MS = 60_000;
/** A gig may wait a week for its funds. */
const UNFUNDED_MS = 10 * 60_000;
/** A request for a paid gig looks more often itself. */
const DEPOSITS_MS = 2_000;
const UNPAID_EVERY_MS = 30_000;
const CHECK_LINKS = 'check links';
const CHECK_LINKS_MS = 15_000;

export interface OwnerTaskContext extends StartFundedContext, UnfundedContext, LinkContext, DepositContext {
  readonly config: Pick<Config, 'signIn'>;
  readonly instances: InstanceWatch;
}

/** One of the instances that live asks for the posts, because X bills each question. */
function linkTask(deps: OwnerTaskContext): Task[] {
  if (!deps.config.signIn.includes('wallet')) return [];
  const run = async () => {
    if (deps.instances.owns(CHECK_LINKS)) await checkLinks(deps);
  };
  return [periodic(CHECK_LINKS, CHECK_LINKS_MS, run)];
}

/** Start gigs that are funded, cancel those that never were, and look at the posts of links. */
export function createOwnerTasks(deps: OwnerTaskContext): Task[] {
  return [
    periodic('start funded gigs', START_FUNDED_MS, () => startFundedGigs(deps)),
    periodic('cancel unfunded gigs', UNFUNDED_MS, () => cancelUnfunded(deps)),
    periodic('look after deposits', DEPOSITS_MS, () => advanceDeposits(deps)),
    periodic('cancel unpaid gigs', UNPAID_EVERY_MS, () => cancelUnpaid(deps)),
    ...linkTask(deps),
  ];
}
