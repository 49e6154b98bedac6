import { type ClaimStatus, claimedAddresses, type Payout, payoutsOf } from '../../domain/claims/claim.ts';
import { explainFailure } from '../../domain/claims/payout-failure.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { amountOf, MARK_LENGTH, type Measure } from '../../domain/mentions/reply-text.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { OBSTACLES, type Obstacle, type Obstacles, sentence, WAIT_WORDS } from '../../domain/payments/obstacle.ts';
import { findObstacles, isHeldUp } from '../../services/claims/claim-progress.ts';
import { claimRewards, hasPendingPayout } from '../../services/claims/claim-rewards.ts';
import type { OutcomeWords } from '../../services/claims/context.ts';
import { Postponed } from '../../services/mentions/answer-mentions.ts';
import { claimPage } from '../claim-page.ts';
import { type CommandAnswer, type CommandContext, defineCommand } from '../command.ts';
import { finishReply, frozenWords, NOTHING_IS_LOST } from '../replies.ts';

/** Explorers also find a transaction by the beginning of its hash. */
interface Brevity {
  readonly hash: 'whole' | 'beginning' | 'none';
  readonly why: boolean;
  /** How many payments of a kind are listed; the rest is counted. */
  readonly shown: number;
}

interface ClaimContext {
  readonly obstacles?: Obstacles;
  /** The URL of the outcome; null where replies carry no links. */
  readonly page?: string | null;
  readonly why?: boolean;
}

function payoutWords({ payment, token, outcome }: Payout, { why }: Brevity): string {
  const amount = amountOf(payment.amount, token);
  return outcome === 'failed' && why ? `${amount} (${explainFailure(payment.reason)})` : amount;
}

function transactionWords(hash: string, amounts: readonly string[], { hash: detail }: Brevity): string {
  const last = amounts.at(-1) ?? '';
  const paid = amounts.length < 2 ? last : `${amounts.slice(0, -1).join(', ')} and ${last}`;
  return `${paid} (tx ${detail === 'whole' ? hash : `${hash.slice(0, 12)}…`})`;
}

function payoutList(payouts: readonly Payout[], brevity: Brevity): string | null {
  if (payouts.length === 0) return null;
  const shown = payouts.slice(0, brevity.shown);
  const isNamed = brevity.hash !== 'none';
  const byHash = Map.groupBy(shown, ({ payment, outcome }) => (isNamed && outcome === 'success' ? payment.hash : null));
  const named = [...byHash].flatMap(([hash, paid]) => {
    const amounts = paid.map((payout) => payoutWords(payout, brevity));
    return hash === null ? amounts : [transactionWords(hash, amounts, brevity)];
  });
  const more = payouts.length - shown.length;
  return [...named, ...(more === 0 ? [] : [`+${more} more`])].join(', ');
}

/** Adds up what one transaction paid of a token to an address for several gigs; unnamed transactions count as one. */
function summed(payouts: readonly Payout[], { hash: detail }: Brevity): Payout[] {
  const groups = Map.groupBy(
    payouts,
    ({ token, payment }) => `${payment.recipient} ${detail === 'none' || payment.hash} ${token.id}`,
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const amount = group.reduce((sum, { payment }) => sum + payment.amount, 0n);
    return [{ ...first, payment: { ...first.payment, amount } }];
  });
}

/** One claim can have several addresses: a payment that an older backup does not know went to the address of its own time. */
function paidWords(payouts: readonly Payout[], brevity: Brevity): string[] {
  const byRecipient = Map.groupBy(payouts, ({ payment }) => payment.recipient);
  if (byRecipient.size > 2) return [`Paid to ${byRecipient.size} addresses: ${payoutList(payouts, brevity)}.`];
  return [...byRecipient].map(
    ([recipient, paid]) => `Paid to ${checksummed(recipient)}: ${payoutList(paid, brevity)}.`,
  );
}

function gigsOf(payouts: readonly Payout[], { shown }: Brevity): string {
  const ids = [...new Set(payouts.map(({ payment }) => payment.gigId))];
  if (ids.length === 1) return `gig ${ids[0]}`;
  const named = ids.slice(0, Math.max(1, shown));
  return `gigs ${[...named, ...(ids.length > named.length ? [`+${ids.length - named.length} more`] : [])].join(', ')}`;
}

function claimWords(status: ClaimStatus, brevity: Brevity, { obstacles, page }: ClaimContext): string {
  const payouts = payoutsOf(status);
  const having = (outcome: Payout['outcome'], obstacle?: Obstacle) =>
    payouts.filter((each) => each.outcome === outcome && obstacles?.get(each.payment.id) === obstacle);
  const frozen = having('pending', 'gig_frozen');
  const lists = {
    moving: payoutList(summed(having('pending'), brevity), brevity),
    frozen: payoutList(frozen, brevity),
    failed: payoutList(having('failed'), brevity),
  };
  const waits = OBSTACLES.flatMap((obstacle) => {
    const list = obstacle === 'gig_frozen' ? null : payoutList(having('pending', obstacle), brevity);
    return obstacle === 'gig_frozen' || list === null ? [] : [{ list, ...WAIT_WORDS[obstacle] }];
  });
  const comforts = new Set(waits.map(({ comfort }) => sentence(comfort)));
  if (lists.frozen !== null) comforts.add(NOTHING_IS_LOST);
  const sentences = [
    ...paidWords(summed(having('success'), brevity), brevity),
    lists.moving === null ? null : `On its way: ${lists.moving}.`,
    lists.frozen === null ? null : `${frozenWords(gigsOf(frozen, brevity))}: ${lists.frozen}.`,
    ...waits.map(({ why, list }) => `Waiting ${why}: ${list}.`),
    ...comforts,
    lists.failed === null ? null : `Not paid: ${lists.failed}; they can be claimed again.`,
    page == null ? null : `Follow it here: ${page}`,
  ];
  return sentences.filter((sentence) => sentence !== null).join(' ');
}

/** The status of a claim, in as much detail as fits: paid (with hashes), under way, held up (and why), and failed. */
export function claimedReply(status: ClaimStatus, measure: Measure, context: ClaimContext = {}): string {
  const room = measure.replyLimit - MARK_LENGTH;
  const longest = Math.min(status.payments.length, Math.ceil(room / '1 A, '.length));
  const { why = false } = context;
  const ways: Brevity[] = [
    { hash: 'whole', why, shown: longest },
    { hash: 'beginning', why, shown: longest },
    ...Array.from({ length: longest }, (_, index) => ({ hash: 'none', why, shown: longest - index }) as const),
    ...Array.from({ length: longest }, (_, index) => ({ hash: 'none', why: false, shown: longest - index }) as const),
  ];
  const fits = (text: string) => measure.measure(text) <= room;
  const found = ways
    .values()
    .map((brevity) => claimWords(status, brevity, context))
    .find(fits);
  if (found !== undefined) return found;
  // A truncated link is useless.
  const shortest = claimWords(status, { hash: 'none', why: false, shown: 1 }, { ...context, page: null });
  return fits(shortest)
    ? shortest
    : claimWords(status, { hash: 'none', why: false, shown: 0 }, { ...context, page: null });
}

export function addressUnknownReply(): string {
  return 'I could not look up your verified address just now, so nothing was changed. Please try again later, or name one: "claim my rewards 0x…".';
}

/** A pending claim is checked again after a fifth of its age, within these bounds. Milliseconds. */
const CLAIM_LOOK_MS = { least: 2_000, most: 5_000 };
/** After this long the author is told that the claim is on its way, and later commands go on. Milliseconds. */
const CLAIM_PATIENCE_MS = 20_000;

/**
 * The reply to a mention whose claim is open. It waits a little for the outcome; for a slower claim it tells the status so far, and
 * a second reply follows only if the claim fails.
 * @throws Postponed while the outcome may be near
 */
export async function answerClaim(ctx: CommandContext, status: ClaimStatus): Promise<CommandAnswer> {
  const { deps, platform: network } = ctx;
  const { id: mentionId } = ctx.mention;
  if (!hasPendingPayout(status)) return { text: claimedReply(status, network) };
  const obstacles = await findObstacles(deps, status);
  const age = deps.clock() - status.claim.createdAt;
  if (age >= 0 && age < CLAIM_PATIENCE_MS && !isHeldUp(status, obstacles)) {
    const look = Math.min(Math.max(age / 5, CLAIM_LOOK_MS.least), CLAIM_LOOK_MS.most);
    throw new Postponed('the payment is under way', Math.ceil(Math.min(look, CLAIM_PATIENCE_MS - age)));
  }
  const { id: claimId } = status.claim;
  return {
    text: claimedReply(status, network, { obstacles, page: claimPage(ctx) }),
    commit: (tx) => tx.promiseOutcome(claimId, mentionId),
  };
}

/** Opens the mention's claim once, however often it runs. */
async function claim(ctx: CommandContext, { address }: { address: string | null }): Promise<CommandAnswer> {
  const { platform, postId, authorId: platformUserId, postedAt, receivedAt: seenAt } = ctx.mention;
  const text = `claim my rewards ${address ?? ''}`;
  const post = { platform, postId, platformUserId, postedAt, seenAt, text, requestId: ctx.actor.requestId };
  return await answerClaim(ctx, await claimRewards(ctx.deps, { ...post, source: 'mention', retry: false }));
}

/** The replies for a claim without pending payouts whose author has had the reply that it is on its way. */
export const OUTCOME_WORDS: OutcomeWords = {
  outcome: (status, mention, platform) => finishReply(claimedReply(status, platform), mention, platform),
  failure: (status, mention, platform) => finishReply(claimedReply(status, platform, { why: true }), mention, platform),
};

export const claimCommand = defineCommand({
  name: 'claim',
  worth: REPLY_WORTH.claim,
  help: '"claim my rewards 0x…" (get paid)',
  guide: [
    {
      say: 'claim my rewards',
      who: 'anyone',
      does: 'Pays all tokens that you can claim. To be paid to another address, or on X, add the address.',
    },
  ],
  changes: true,
  ranksRefusals: true,
  // A claim asks the chain nothing; only the look-up of the payout address can fail here.
  unreachable: addressUnknownReply(),
  isStrict: true,
  /** The address is kept as typed, because its case carries the checksum; the claim checks it. */
  read(words) {
    const named = claimedAddresses(words);
    return named === null ? null : { address: named.join(' ') || null };
  },
  prepare: claim,
});
