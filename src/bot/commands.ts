import type { Chains } from '../domain/chain.ts';
import { type ClaimStatus, type Obstacles, payoutsOf } from '../domain/claim.ts';
import { AdapterError, DomainError } from '../domain/errors.ts';
import { authorOf, type ReplyKind } from '../domain/mention.ts';
import { REPLY_WORTH } from '../domain/reply-worth.ts';
import { hasPassed } from '../domain/time.ts';
import type { Address } from '../domain/token.ts';
import { findObstacles, type OutcomeWords } from '../services/claims/claim-progress.ts';
import { type ClaimDeps, claimRewards, isSettled } from '../services/claims/claim-rewards.ts';
import { findClaimable } from '../services/claims/find-claimable.ts';
import { findGigStatus } from '../services/gigs/find-gigs.ts';
import { startOwnGig } from '../services/gigs/start-gig.ts';
import {
  type AnswerDeps,
  type BotReply,
  type Conversation,
  Postponed,
  type Respond,
} from '../services/mentions/answer-mentions.ts';
import { setOptedOut } from '../services/mentions/opt-out.ts';
import {
  addressUnknownReply,
  claimedReply,
  claimsReply,
  finishReply,
  helpReply,
  refusalReply,
  refusedCharactersReply,
  startedReply,
  statusReply,
  stoppedReply,
  unreachableReply,
  unstoppedReply,
} from './replies.ts';

export interface CommandDeps extends ClaimDeps, Pick<AnswerDeps, 'store' | 'clock'> {
  readonly chains: Chains;
  /** Where the platform's fee goes after a start. */
  readonly treasury: Address | null;
  /** How others reach the service, without a slash at the end. */
  readonly publicUrl: string;
}

/** An author's claim is looked at again after a fifth of its age until it is settled, within these bounds. Milliseconds. */
const CLAIM_LOOK_MS = { least: 2_000, most: 5_000 };
/** After this long an author is told that the claim is on its way, and their next commands go on. Milliseconds. */
const CLAIM_PATIENCE_MS = 20_000;

/** A network is asked that many times for one mention before the author is told that it cannot be reached. */
const NETWORK_ATTEMPTS = 4;

/** A start that died keeps its lock for its lease, which this patience outlasts. Milliseconds. */
const LOCK_PATIENCE_MS = 75_000;
const LOCK_LOOK_MS = 15_000;

function answer({ mention, platform }: Conversation, text: string, kind: ReplyKind = 'answer') {
  return { kind, text: finishReply(text, mention, platform) };
}

async function start(deps: CommandDeps, talk: Conversation, gigId: number): Promise<void> {
  const requestId = `mention:${talk.mention.id}`;
  await startOwnGig(deps, {
    gigId,
    actor: { kind: 'account', ...authorOf(talk.mention), requestId },
    // A crash under the lock must not lock the retry out, and a stale worker must not free the lock of the retry.
    holder: `${requestId}:${talk.mention.lease}`,
    takesOver: `${requestId}:`,
    confirm: talk.confirm,
    alongside: (tx, started) => talk.conclude(answer(talk, startedReply(started, deps.clock())), tx),
  });
}

async function changeOptOut(deps: CommandDeps, talk: Conversation, optedOut: boolean): Promise<void> {
  const text = optedOut ? stoppedReply() : unstoppedReply();
  await setOptedOut(deps, {
    account: authorOf(talk.mention),
    requestId: `mention:${talk.mention.id}`,
    optedOut,
    alongside: (tx) => talk.conclude(answer(talk, text), tx),
  });
}

/** Whether all that is not over waits for the operator, so that waiting a little longer is of no use. */
function isStopped(status: ClaimStatus, obstacles: Obstacles): boolean {
  const pending = payoutsOf(status).filter(({ outcome }) => outcome === 'pending');
  return pending.every(({ transfer }) => obstacles.get(transfer.id) === 'gig_frozen');
}

/**
 * The claim is the mention's own, however often this runs. The answer waits a little for the outcome; a claim that takes
 * longer is answered as it stands, and its author is told again only when it fails.
 */
async function claim(deps: CommandDeps, talk: Conversation, address: string | null): Promise<void> {
  const { platform, postId, authorId: platformUserId, postedAt, receivedAt: seenAt, id: mentionId } = talk.mention;
  const text = `claim my rewards ${address ?? ''}`;
  const requestId = `mention:${talk.mention.id}`;
  const post = { platform, postId, platformUserId, postedAt, seenAt, text, requestId };
  const status = await claimRewards(deps, { ...post, retry: false });
  if (isSettled(status)) return await talk.conclude(answer(talk, claimedReply(status, talk.platform)));
  const obstacles = await findObstacles(deps, status);
  const age = deps.clock() - status.claim.createdAt;
  if (age >= 0 && age < CLAIM_PATIENCE_MS && !isStopped(status, obstacles)) {
    const look = Math.min(Math.max(age / 5, CLAIM_LOOK_MS.least), CLAIM_LOOK_MS.most);
    throw new Postponed('the payment is under way', Math.ceil(Math.min(look, CLAIM_PATIENCE_MS - age)));
  }
  const page = claimPage(deps, talk);
  const { id: claimId } = status.claim;
  await deps.store.transaction(async (tx) => {
    await tx.promiseOutcome(claimId, mentionId);
    await talk.conclude(answer(talk, claimedReply(status, talk.platform, { obstacles, page })), tx);
  });
}

/** What is posted when a claim is settled whose author was told that it is on its way. */
export const OUTCOME_WORDS: OutcomeWords = {
  outcome: (status, mention, platform) => finishReply(claimedReply(status, platform), mention, platform),
  failure: (status, mention, platform) => finishReply(claimedReply(status, platform, { why: true }), mention, platform),
};

/**
 * The page that shows all of the author's claims: only where a reply may carry a link, and only one that others can open
 * safely.
 */
function claimPage({ publicUrl }: CommandDeps, { mention }: Conversation): string | null {
  if (mention.platform !== 'farcaster' || !publicUrl.startsWith('https://')) return null;
  return `${publicUrl}/claim/farcaster/${mention.authorId}`;
}

async function run(deps: CommandDeps, talk: Conversation): Promise<void> {
  const { command, mention, platform } = talk;
  const viewer = authorOf(mention);
  switch (command.name) {
    case 'claims': {
      const groups = await findClaimable(deps, { identifiers: [viewer] });
      return await talk.conclude(answer(talk, claimsReply(groups, platform, claimPage(deps, talk))));
    }
    case 'start':
      return await start(deps, talk, command.gigId);
    case 'status': {
      const { gig, funding } = await findGigStatus(deps, { gigId: command.gigId, viewer });
      return await talk.conclude(answer(talk, statusReply(gig, { now: deps.clock(), funding })));
    }
    case 'claim':
      return await claim(deps, talk, command.address);
    case 'help':
      return await talk.conclude(answer(talk, helpReply()));
    case 'unknown':
      return await talk.conclude(answer(talk, helpReply(), 'unasked_help'));
    case 'refused':
      return await talk.conclude(answer(talk, refusedCharactersReply(command.reason)));
    case 'stop':
      return await changeOptOut(deps, talk, true);
    case 'unstop':
      return await changeOptOut(deps, talk, false);
  }
}

/**
 * What the refusal of a start or a claim is worth to its reader. Anybody may name any gig, or claim without having earned:
 * such answers come after those to people with a gig or with tips.
 */
function worthOfRefusal(error: unknown, { command }: Conversation): Pick<BotReply, 'worth'> {
  if (!(error instanceof DomainError) || (command.name !== 'start' && command.name !== 'claim')) return {};
  switch (error.refusal.code) {
    case 'gig_not_found':
    case 'not_gig_owner':
    case 'no_tips':
      return { worth: REPLY_WORTH.help };
    case 'invalid_address':
    case 'several_addresses':
    case 'no_address':
    case 'no_verified_address':
    case 'post_too_old':
      return { worth: REPLY_WORTH.lookUp };
    default:
      return {};
  }
}

function sentenceFor(error: unknown, { command, mention, platform }: Conversation): string | null {
  // A platform that is left alone was not asked, and would not take the sentence either.
  if (error instanceof AdapterError && error.reason === 'paused') return null;
  if (error instanceof DomainError) return refusalReply(error.refusal, platform);
  if (error instanceof AdapterError && (error.retry === 'never' || mention.attempts + 1 >= NETWORK_ATTEMPTS)) {
    // A claim asks nothing of the chain; its platform is asked whom to pay.
    return command.name === 'claim' ? addressUnknownReply() : unreachableReply();
  }
  return null;
}

/**
 * Carries out commands: each one calls a service and puts its outcome into words, concluded in the very transaction
 * that holds the command's effect. A broken rule becomes a sentence; so does a chain that stays silent, after some
 * attempts.
 */
export function createResponder(deps: CommandDeps): Respond {
  return async (talk) => {
    try {
      await run(deps, talk);
    } catch (error) {
      const locked = error instanceof DomainError && error.refusal.code === 'gig_in_progress';
      if (locked && !hasPassed(LOCK_PATIENCE_MS, { since: talk.mention.receivedAt, now: deps.clock() }))
        throw new Postponed('the gig is being started', LOCK_LOOK_MS);
      const text = sentenceFor(error, talk);
      if (text === null) throw error;
      await talk.conclude({ ...answer(talk, text), ...worthOfRefusal(error, talk) });
    }
  };
}
