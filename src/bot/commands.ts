import type { Command } from '../domain/command.ts';
import { AdapterError, DomainError } from '../domain/errors.ts';
import { authorOf, type ReplyKind } from '../domain/mention.ts';
import { platformFacts } from '../domain/platforms.ts';
import { REPLY_WORTH } from '../domain/reply-worth.ts';
import { hasPassed } from '../domain/time.ts';
import type { Address } from '../domain/token.ts';
import { findObstacles, isHeldUp, type OutcomeWords } from '../services/claims/claim-progress.ts';
import { type ClaimDeps, claimRewards, isSettled } from '../services/claims/claim-rewards.ts';
import { findClaimable } from '../services/claims/find-claimable.ts';
import { prepareSubmission } from '../services/earning/submit.ts';
import { endOwnGig, previewEnd } from '../services/ends/end-gig.ts';
import { findGigEarning } from '../services/gigs/find-earnings.ts';
import { findGigStatus } from '../services/gigs/find-gigs.ts';
import type { FundingSource } from '../services/gigs/read-funding.ts';
import { findOwnEarning } from '../services/gigs/show-earnings.ts';
import { prepareOwnStart } from '../services/gigs/start-gig.ts';
import {
  type AnswerDeps,
  type BotReply,
  type MentionContext,
  type Outcome,
  Postponed,
  type Respond,
} from '../services/mentions/answer-mentions.ts';
import { setOptedOut } from '../services/mentions/opt-out.ts';
import { prepareNotices } from '../services/notices/ask-notices.ts';
import { endedReply } from './end-replies.ts';
import { startedReply, statusReply, whyReply } from './gig-replies.ts';
import { notifiedReply, unnotifiedReply } from './notice-replies.ts';
import { withNotices } from './notices.ts';
import {
  addressUnknownReply,
  claimedReply,
  claimsReply,
  finishReply,
  helpReply,
  refusalReply,
  refusedCharactersReply,
  stoppedReply,
  unreachableReply,
  unstoppedReply,
} from './replies.ts';
import { submittedReply } from './submit-replies.ts';

export interface CommandDeps extends ClaimDeps, FundingSource, Pick<AnswerDeps, 'store' | 'clock'> {
  /** Where the platform's fee goes after a start. */
  readonly treasury: Address | null;
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** The service's public base URL, without a slash at the end. */
  readonly publicUrl: string;
  /** Between the settlement of a gig and its refund, in milliseconds. */
  readonly refundDelayMs: number;
}

/** A pending claim is checked again after a fifth of its age, within these bounds. Milliseconds. */
const CLAIM_LOOK_MS = { least: 2_000, most: 5_000 };
/** After this long the author is told that the claim is on its way, and later commands go on. Milliseconds. */
const CLAIM_PATIENCE_MS = 20_000;

/** How often a network is asked for one mention before the author is told that it cannot be reached. */
const NETWORK_ATTEMPTS = 4;

/** Longer than the lease of a start lock, so that a lock left by a crash has ended by then. Milliseconds. */
const LOCK_PATIENCE_MS = 75_000;
const LOCK_LOOK_MS = 15_000;

/** An outcome whose only effect is that of `commit`. */
function say(
  { mention, platform }: MentionContext,
  text: string,
  { kind = 'answer', commit }: { kind?: ReplyKind; commit?: Outcome['commit'] } = {},
): Outcome {
  const reply = { kind, text: finishReply(text, mention, platform) };
  return commit === undefined ? { reply } : { reply, commit };
}

async function start(deps: CommandDeps, ctx: MentionContext, gigId: number): Promise<Outcome> {
  const requestId = `mention:${ctx.mention.id}`;
  const { started, commit, abandon } = await prepareOwnStart(deps, {
    gigId,
    actor: { kind: 'account', ...authorOf(ctx.mention), requestId },
    // A retry after a crash takes over its own lock, and a stale worker must not release the retry's lock.
    holder: `${requestId}:${ctx.mention.lease}`,
    takesOver: `${requestId}:`,
    confirm: ctx.confirm,
  });
  return { ...say(ctx, startedReply(started, deps.clock()), { commit }), abandon };
}

/** The reply tells of the gig as it will be: what is broken by then is refused in the transaction that ends it. */
async function end(
  deps: CommandDeps,
  ctx: MentionContext,
  command: Extract<Command, { name: 'end' }>,
): Promise<Outcome> {
  const { gigId, ending } = command;
  const { id, lease } = ctx.mention;
  const requestId = `mention:${id}`;
  const actor = { kind: 'account', ...authorOf(ctx.mention), requestId } as const;
  const request = { gigId, ending, holder: `${requestId}:${lease}` };
  const gig = await previewEnd(deps, request, { actor, now: deps.clock() });
  const commit: Outcome['commit'] = (tx) => endOwnGig(tx, request, { actor, now: deps.clock() });
  return say(ctx, endedReply(gig, { ending, refundDelayMs: deps.refundDelayMs }), { commit });
}

function changeOptOut(deps: CommandDeps, ctx: MentionContext, optedOut: boolean): Outcome {
  const account = authorOf(ctx.mention);
  const requestId = `mention:${ctx.mention.id}`;
  const commit: Outcome['commit'] = (tx) => setOptedOut(tx, { account, requestId, optedOut, now: deps.clock() });
  return say(ctx, optedOut ? stoppedReply() : unstoppedReply(), { commit });
}

async function changeNotices(
  deps: CommandDeps,
  ctx: MentionContext,
  { gigId, wanted }: { gigId: number; wanted: boolean },
): Promise<Outcome> {
  const { id: mentionId } = ctx.mention;
  const actor = { kind: 'account', ...authorOf(ctx.mention), requestId: `mention:${mentionId}` } as const;
  const commit = await prepareNotices(deps, { gigId, actor, mentionId, wanted });
  return say(ctx, wanted ? notifiedReply(gigId) : unnotifiedReply(gigId), { commit });
}

/**
 * Opens the mention's claim once, however often it runs. The reply waits a little for the outcome; for a slower claim
 * it tells the status so far, and a second reply follows only if the claim fails.
 */
async function claim(deps: CommandDeps, ctx: MentionContext, address: string | null): Promise<Outcome> {
  const { platform, postId, authorId: platformUserId, postedAt, receivedAt: seenAt, id: mentionId } = ctx.mention;
  const text = `claim my rewards ${address ?? ''}`;
  const requestId = `mention:${ctx.mention.id}`;
  const post = { platform, postId, platformUserId, postedAt, seenAt, text, requestId };
  const status = await claimRewards(deps, { ...post, retry: false });
  if (isSettled(status)) return say(ctx, claimedReply(status, ctx.platform));
  const obstacles = await findObstacles(deps, status);
  const age = deps.clock() - status.claim.createdAt;
  if (age >= 0 && age < CLAIM_PATIENCE_MS && !isHeldUp(status, obstacles)) {
    const look = Math.min(Math.max(age / 5, CLAIM_LOOK_MS.least), CLAIM_LOOK_MS.most);
    throw new Postponed('the payment is under way', Math.ceil(Math.min(look, CLAIM_PATIENCE_MS - age)));
  }
  const page = claimPage(deps, ctx);
  const { id: claimId } = status.claim;
  const commit: Outcome['commit'] = (tx) => tx.promiseOutcome(claimId, mentionId);
  return say(ctx, claimedReply(status, ctx.platform, { obstacles, page }), { commit });
}

/** The replies for a settled claim whose author was told that it is on its way. */
export const OUTCOME_WORDS: OutcomeWords = {
  outcome: (status, mention, platform) => finishReply(claimedReply(status, platform), mention, platform),
  failure: (status, mention, platform) => finishReply(claimedReply(status, platform, { why: true }), mention, platform),
};

/** The page with all of the author's claims: null where replies carry no links or the service has no HTTPS URL. */
function claimPage({ publicUrl }: CommandDeps, { mention }: MentionContext): string | null {
  const { repliesMayLink, slug } = platformFacts(mention.platform);
  return repliesMayLink && publicUrl.startsWith('https://') ? `${publicUrl}/claim/${slug}/${mention.authorId}` : null;
}

async function submit(deps: CommandDeps, ctx: MentionContext, gigId: number): Promise<Outcome> {
  const submitted = await prepareSubmission(deps, { gigId, mention: ctx.mention });
  const text = submittedReply(submitted, deps.clock());
  return submitted.kind === 'kept' ? say(ctx, text, { commit: submitted.commit }) : say(ctx, text);
}

async function run(deps: CommandDeps, ctx: MentionContext): Promise<Outcome> {
  const { command, mention, platform } = ctx;
  const viewer = authorOf(mention);
  switch (command.name) {
    case 'claims': {
      const groups = await findClaimable(deps, { identifiers: [viewer] });
      return say(ctx, claimsReply(groups, platform, claimPage(deps, ctx)));
    }
    case 'start':
      return await start(deps, ctx, command.gigId);
    case 'end':
      return await end(deps, ctx, command);
    case 'status': {
      const { gig, ...status } = await findGigStatus(deps, { gigId: command.gigId, viewer });
      const earning = await findGigEarning(deps, gig);
      return say(ctx, statusReply(gig, { now: deps.clock(), ...status, earning }, platform));
    }
    case 'notify':
      return await changeNotices(deps, ctx, { gigId: command.gigId, wanted: true });
    case 'unnotify':
      return await changeNotices(deps, ctx, { gigId: command.gigId, wanted: false });
    case 'why': {
      const own = await findOwnEarning(deps, { gigId: command.gigId, viewer });
      return say(ctx, whyReply(own, { viewer, now: deps.clock() }, platform));
    }
    case 'submit':
      return await submit(deps, ctx, command.gigId);
    case 'claim':
      return await claim(deps, ctx, command.address);
    case 'help':
      return say(ctx, helpReply());
    case 'unknown':
      return say(ctx, helpReply(), { kind: 'unasked_help' });
    case 'refused':
      return say(ctx, refusedCharactersReply(command.reason));
    case 'stop':
      return changeOptOut(deps, ctx, true);
    case 'unstop':
      return changeOptOut(deps, ctx, false);
  }
}

/** Commands that any account can send about any gig, or without tips. */
const REFUSABLE: ReadonlySet<Command['name']> = new Set(['start', 'end', 'claim', 'notify', 'unnotify']);

/** The worth of a refusal: those that any account can cause come after the replies to owners and to accounts with tips. */
function worthOfRefusal(error: unknown, { command }: MentionContext): Pick<BotReply, 'worth'> {
  if (!(error instanceof DomainError) || !REFUSABLE.has(command.name)) return {};
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

function sentenceFor(error: unknown, { command, mention, platform }: MentionContext): string | null {
  // A paused platform was not asked, and takes no replies either.
  if (error instanceof AdapterError && error.reason === 'paused') return null;
  if (error instanceof DomainError) return refusalReply(error.refusal, platform);
  if (error instanceof AdapterError && (error.retry === 'never' || mention.attempts + 1 >= NETWORK_ATTEMPTS)) {
    // A claim asks the chain nothing; only the look-up of the payout address can fail here.
    return command.name === 'claim' ? addressUnknownReply() : unreachableReply();
  }
  return null;
}

/**
 * Prepares commands: each calls a service and returns its reply with what is to be committed. A broken rule becomes a
 * reply; so does a network that does not answer, after some attempts.
 */
export function createResponder(deps: CommandDeps): Respond {
  return async (ctx) => {
    try {
      return await withNotices(deps, ctx, await run(deps, ctx));
    } catch (error) {
      const locked = error instanceof DomainError && error.refusal.code === 'gig_in_progress';
      if (locked && !hasPassed(LOCK_PATIENCE_MS, { since: ctx.mention.receivedAt, now: deps.clock() }))
        throw new Postponed('the gig is being started', LOCK_LOOK_MS);
      const text = sentenceFor(error, ctx);
      if (text === null) throw error;
      const { reply } = say(ctx, text);
      return await withNotices(deps, ctx, { reply: { ...reply, ...worthOfRefusal(error, ctx) } });
    }
  };
}
