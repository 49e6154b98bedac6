import type { Platform } from '../../domain/account.ts';
import type { GigWallets } from '../../domain/chain.ts';
import { type ClaimStatus, claimStanding, type Obstacle, type Obstacles, payoutsOf } from '../../domain/claim.ts';
import { authorOf, type MentionRecord, type Platforms, type SocialPlatform } from '../../domain/mention.ts';
import { REPLY_WORTH } from '../../domain/reply-worth.ts';
import { hasPassed } from '../../domain/time.ts';
import { TANK_IS_LOW, type Transfer } from '../../domain/transfer.ts';
import type { Log } from '../../log.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import { isSettled } from './claim-rewards.ts';
import { readClaim } from './list-claims.ts';

/** How many outcomes one run tells at most. */
const OUTCOMES_A_RUN = 200;

export interface ObstacleDeps {
  readonly store: Pick<Store, 'gigFreeze' | 'awaitsGas' | 'nextPlanned'>;
  /** Null when no mnemonic is configured. */
  readonly wallets: Pick<GigWallets, 'gasTankAddress'> | null;
}

async function obstacleOf({ store, wallets }: ObstacleDeps, transfer: Transfer): Promise<Obstacle | null> {
  // What is signed already goes on, also when its gig is frozen meanwhile.
  if (transfer.state !== 'planned') return null;
  const { gigId, chainId } = transfer;
  if ((await store.gigFreeze(gigId)) !== null) return 'gig_frozen';
  if (wallets === null || !(await store.awaitsGas(gigId))) return null;
  // The tank pays one after the other: what its next payment waits for, all behind it wait for.
  const next = await store.nextPlanned({ chainId, sender: wallets.gasTankAddress() });
  return next?.reason === TANK_IS_LOW ? 'gas_tank_empty' : null;
}

/** What keeps the payments of a claim from being made, by the ids of their transfers. */
export async function findObstacles(deps: ObstacleDeps, status: ClaimStatus): Promise<Obstacles> {
  const found = new Map<number, Obstacle>();
  for (const { transfer, outcome } of payoutsOf(status)) {
    const obstacle = outcome === 'pending' ? await obstacleOf(deps, transfer) : null;
    if (obstacle !== null) found.set(transfer.id, obstacle);
  }
  return found;
}

/** Whether all that is not over waits for the operator, so that waiting a little longer is of no use. */
export function isHeldUp(status: ClaimStatus, obstacles: Obstacles): boolean {
  return payoutsOf(status).every(({ outcome, transfer }) => outcome !== 'pending' || obstacles.has(transfer.id));
}

interface WaitDeps extends ObstacleDeps {
  readonly store: ObstacleDeps['store'] & Pick<Store, 'claim' | 'transfersOfClaim'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** False when the service stops meanwhile. */
  readonly sleep: (ms: number) => Promise<boolean>;
}

/** The claim as soon as it is settled or all that is left waits for the operator, or as it stands when the patience is over. */
export async function waitForClaim(
  deps: WaitDeps,
  status: ClaimStatus,
  { patienceMs, stepMs }: { patienceMs: number; stepMs: number },
): Promise<ClaimStatus> {
  const since = deps.clock();
  const isOver = () => hasPassed(patienceMs, { since, now: deps.clock() });
  let current = status;
  while (!isHeldUp(current, await findObstacles(deps, current)) && !isOver() && (await deps.sleep(stepMs))) {
    current = await readClaim(deps, current.claim.id);
  }
  return current;
}

/** Puts a claim that is settled into words, as they are posted under a mention. */
export interface OutcomeWords {
  /** How the claim ended. */
  outcome(status: ClaimStatus, mention: MentionRecord, platform: SocialPlatform): string;
  /** That it failed after all, and why. */
  failure(status: ClaimStatus, mention: MentionRecord, platform: SocialPlatform): string;
}

export interface OutcomeDeps {
  readonly store: Pick<Store, 'transaction' | 'keptPromises'>;
  readonly platforms: Platforms;
  readonly words: OutcomeWords;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
  /** Tells a platform's sending job that there is work. */
  readonly wake: (platform: Platform) => void;
}

type Told = 'follow_up' | 'revised' | 'nothing';

interface Promised {
  readonly claimId: number;
  readonly mentionId: number;
}

/** Ends one promise and does what it asks for, all in one transaction; null when it is not to be ended now. */
async function tell(
  { words, clock }: OutcomeDeps,
  tx: StoreTx,
  { claimId, mentionId, platform }: Promised & { platform: SocialPlatform },
): Promise<Told | null> {
  const claim = await tx.claim(claimId);
  const mention = await tx.mention(mentionId);
  if (claim === null || mention === null) throw new TypeError(`claim ${claimId} is promised to no mention`);
  const status = { claim, transfers: await tx.transfersOfClaim(claimId) };
  // Somebody may have asked for what failed once more since the look.
  if (!isSettled(status) || !(await tx.endPromise(claimId, mentionId))) return null;
  const first = await tx.replyTo(mentionId);
  // A first reply that never went out says the outcome itself.
  if (first !== null && (await tx.reviseReply(first.id, words.outcome(status, mention, platform)))) return 'revised';
  if (claimStanding(status) !== 'failed' || (await tx.hasOptedOut(authorOf(mention)))) return 'nothing';
  const text = words.failure(status, mention, platform);
  await tx.queueReply({ mentionId, kind: 'answer', text, followUp: true, worth: REPLY_WORTH.claim }, clock());
  return 'follow_up';
}

/**
 * Looks at the claims whose authors were told that they are on their way, and tells those of which a payment has failed:
 * each once, because the promise ends in the transaction that queues the reply.
 * @returns whether there may be more
 */
export async function tellOutcomes(deps: OutcomeDeps): Promise<boolean> {
  const kept = await deps.store.keptPromises();
  const due = kept.flatMap(({ claimId, mentionId, platform: name }) => {
    const platform = deps.platforms.get(name);
    return platform === undefined ? [] : [{ claimId, mentionId, platform }];
  });
  for (const promised of due.slice(0, OUTCOMES_A_RUN)) {
    const told = await deps.store.transaction((tx) => tell(deps, tx, promised));
    if (told === null) continue;
    const { claimId, mentionId, platform } = promised;
    deps.log.info({ claimId, mentionId, told }, 'claim is settled that was on its way');
    if (told === 'follow_up') deps.wake(platform.platform);
  }
  return due.length > OUTCOMES_A_RUN;
}
