import type { Act } from '../../../domain/earning/act.ts';
import { SEEING_GRACE_MS } from '../../../domain/earning/due.ts';
import type { Earning } from '../../../domain/earning/earning.ts';
import type { EarningRules } from '../../../domain/earning/terms/rules.ts';
import { readStoredRules } from '../../../domain/earning/terms/rules-json.ts';
import type { GigWatch } from '../../../domain/earning/watch.ts';
import { DomainError } from '../../../domain/errors.ts';
import { type Gig, gigPhase } from '../../../domain/gigs/gig.ts';
import { GIG_TYPE_TRAITS } from '../../../domain/gigs/gig-type.ts';
import { authorOf, type Mention, type SocialPlatform } from '../../../domain/mentions/mention.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { ServiceContext } from '../../context.ts';
import { findGig } from '../../gigs/find-gigs.ts';
import { findOwnAccounts } from './own-accounts.ts';
import { createTexts, readActText, storeSeen, toSeen } from './store-acts.ts';

/** Why a submission can never pass; `letters` counts the letters of its text without names, links and the command. */
export type Hopeless =
  | { readonly reason: 'own_account' }
  | { readonly reason: 'text_too_short'; readonly letters: number };

export type Submitted =
  | { readonly kind: 'not_bounty' | 'elsewhere' | 'manual'; readonly gig: Gig }
  | { readonly kind: 'not_live'; readonly gig: Gig; readonly phase: 'created' | 'cancelled' | 'scheduled' | 'ended' }
  /**
   * `earning` is what the account had before; null when this is its first submission. `hopeless` is why this one can never
   * pass, whatever the platform says of the account; null when it can.
   */
  | {
      readonly kind: 'kept';
      readonly gig: Gig;
      readonly rules: EarningRules;
      readonly earning: Earning | null;
      readonly hopeless: Hopeless | null;
      readonly commit: (tx: StoreTx) => Promise<unknown>;
    };

/** Null when a post of this time can submit. What was posted before the end comes in time. */
function closedPhase(gig: Gig, { postedAt, now }: { postedAt: number; now: number }) {
  const phase = gigPhase(gig, now);
  if (phase === 'created' || phase === 'cancelled' || phase === 'scheduled') return phase;
  if (postedAt < gig.startTime) return phase === 'ended' ? phase : 'scheduled';
  return postedAt >= gig.endTime || now > gig.endTime + SEEING_GRACE_MS ? 'ended' : null;
}

function toAct({ authorId, authorUsername, postId, postedAt, text }: Mention): Act {
  const [username, actedAt] = [authorUsername ?? null, postedAt];
  return { kind: 'submission', accountId: authorId, username, objectId: postId, actedAt, text };
}

function whyHopeless(
  act: Act,
  { rules, watch, ownAccounts }: { rules: EarningRules; watch: GigWatch; ownAccounts: ReadonlySet<string> },
): Hopeless | null {
  if (ownAccounts.has(act.accountId)) return { reason: 'own_account' };
  const letters = readActText(act, watch.target, createTexts()).letters ?? 0;
  return letters < rules.gates.minLetters ? { reason: 'text_too_short', letters } : null;
}

/**
 * Prepares to keep a mention as a submission to a bounty, as a look would find it. One without a chance is kept as well,
 * because its decider sees every entry.
 * @throws DomainError `gig_not_found`
 */
export async function prepareSubmission(
  { store, clock }: ServiceContext,
  { gigId, mention, bot }: { gigId: number; mention: Mention; bot: SocialPlatform['bot'] },
): Promise<Submitted> {
  const gig = await findGig({ store }, { gigId });
  if (GIG_TYPE_TRAITS[gig.gigType].command !== 'submit') return { kind: 'not_bounty', gig };
  const stored = await store.earningRules(gigId);
  if (stored === null) return { kind: 'manual', gig };
  if (gig.platform !== mention.platform) return { kind: 'elsewhere', gig };
  const watch = await store.watch(gigId);
  const phase = closedPhase(gig, { postedAt: mention.postedAt, now: clock() });
  if (phase !== null) return { kind: 'not_live', gig, phase };
  if (watch === null || watch.overAt !== null) return { kind: 'not_live', gig, phase: 'ended' };
  const rules = readStoredRules(stored.rules);
  const act = toAct(mention);
  const ownAccounts = await findOwnAccounts(store, { gig, watch, bot });
  const commit = async (tx: StoreTx) => {
    const now = clock();
    const open = await tx.watch(gigId);
    if (open === null || open.overAt !== null)
      throw new DomainError({ code: 'gig_not_running', gigId, phase: 'ended' });
    await storeSeen(tx, gigId, toSeen({ gig, rules, watch: open }, { acts: [act], source: 'webhook', now }));
  };
  const earning = await store.earning(gigId, authorOf(mention));
  return { kind: 'kept', gig, rules, earning, hopeless: whyHopeless(act, { rules, watch, ownAccounts }), commit };
}
