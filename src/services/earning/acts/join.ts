import type { Account } from '../../../domain/account.ts';
import type { Act } from '../../../domain/earning/act.ts';
import { SEEING_GRACE_MS } from '../../../domain/earning/due.ts';
import type { Earning } from '../../../domain/earning/earning.ts';
import type { EntryTerms } from '../../../domain/earning/holding/entry.ts';
import { payoutOf } from '../../../domain/earning/rules/index.ts';
import type { EarningRules } from '../../../domain/earning/terms/rules.ts';
import { readStoredRules } from '../../../domain/earning/terms/rules-json.ts';
import { DomainError } from '../../../domain/errors.ts';
import { type Gig, gigPhase } from '../../../domain/gigs/gig.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { ServiceContext } from '../../context.ts';
import { findGig } from '../../gigs/find-gigs.ts';
import { storeSeen, toSeen } from './store-acts.ts';

/** How an account enters: by a post that mentions the bot, or in the console. A signed tap enters nobody. */
export type JoinWay = 'post' | 'page';

export type Joined =
  /** The gig is entered by nobody, or on another platform; or by no post, where the platform forbids paying for one. */
  | { readonly kind: 'not_entered' | 'elsewhere' | 'only_in_console'; readonly gig: Gig }
  | { readonly kind: 'not_live'; readonly gig: Gig; readonly phase: 'created' | 'cancelled' | 'scheduled' | 'ended' }
  /** It has entered before, and this changes nothing. */
  | { readonly kind: 'known'; readonly gig: Gig; readonly rules: EarningRules; readonly earning: Earning }
  | {
      readonly kind: 'entered';
      readonly gig: Gig;
      readonly terms: EntryTerms;
      readonly commit: (tx: StoreTx) => Promise<void>;
    };

/** Who held too little may enter again: it may have bought more since. */
function mayEnterAgain({ state, reason }: Earning): boolean {
  return state === 'refused' && reason === 'too_little_held';
}

async function enterAgain(tx: StoreTx, earning: Earning, now: number): Promise<void> {
  const { gigId } = earning;
  const again = { from: 'refused', to: 'held', reason: null, facts: null, dueAt: now, part: null } as const;
  if (!(await tx.decideEarning({ ...earning, ...again, addresses: [], textHash: null }, now))) return;
  const entry = await tx.entry(gigId, earning);
  if (entry === null) throw new TypeError(`gig ${gigId}: an account was refused for what it holds without an entry`);
  const fresh = { enteredAt: null, slot: null, entry: null, last: null, unknownSince: null, counted: 0 } as const;
  await tx.changeEntry({ ...entry, ...fresh, state: 'joined', dueAt: now, joinedAt: now }, entry);
}

async function enterFirst(
  tx: StoreTx,
  { gig, rules, account, at, now }: { gig: Gig; rules: EarningRules; account: Account; at: number; now: number },
): Promise<void> {
  const ended = new DomainError({ code: 'gig_not_running', gigId: gig.id, phase: 'ended' });
  const watch = await tx.watch(gig.id);
  if (watch === null || watch.overAt !== null) throw ended;
  const { platformUserId: accountId, username } = account;
  const act: Act = { kind: 'join', accountId, username, objectId: '', actedAt: at, text: null };
  // Nobody has seen it before, whatever the post says of its time: that gains no rank.
  const seen = { ...watch, sweptAt: now };
  const acts = toSeen({ gig, rules, watch: seen }, { acts: [act], source: 'webhook', now });
  // What is seen too late is not stored.
  if ((await storeSeen(tx, gig.id, acts)) === 0) throw ended;
  await tx.insertEntry(gig.id, account, now);
}

/**
 * Prepares the entry of an account for a gig that asks it to hold a token: by a post or in the console. The engine then reads what it
 * holds.
 * @param request.at when the account entered, by the platform's time or the clock, epoch milliseconds: it gains no rank
 * @throws DomainError `gig_not_found`
 */
export async function prepareJoin(
  { store, clock }: ServiceContext,
  { gigId, account, way, at }: { gigId: number; account: Account; way: JoinWay; at: number },
): Promise<Joined> {
  const gig = await findGig({ store }, { gigId });
  const stored = await store.earningRules(gigId);
  const rules = stored === null ? null : readStoredRules(stored.rules);
  const terms = rules === null ? undefined : payoutOf(rules.rule).entry;
  if (rules === null || terms === undefined) return { kind: 'not_entered', gig };
  if (gig.platform !== account.platform) return { kind: 'elsewhere', gig };
  const paysForPosts = platformFacts(gig.platform).earningSwitch === null;
  if (way === 'post' && !paysForPosts) return { kind: 'only_in_console', gig };
  const now = clock();
  const phase = gigPhase(gig, now);
  const isInTime =
    phase === 'ended' && gig.stoppedAt === null && at < gig.endTime && now <= gig.endTime + SEEING_GRACE_MS;
  if (phase !== 'live' && !isInTime) return { kind: 'not_live', gig, phase };
  if (at < gig.startTime) return { kind: 'not_live', gig, phase: 'scheduled' };
  const earning = await store.earning(gigId, account);
  if (earning !== null && !mayEnterAgain(earning)) return { kind: 'known', gig, rules, earning };
  const commit = async (tx: StoreTx): Promise<void> => {
    const before = await tx.earning(gigId, account);
    const now = clock();
    if (before === null) await enterFirst(tx, { gig, rules, account, at: Math.min(at, now), now });
    else if (mayEnterAgain(before)) await enterAgain(tx, before, now);
  };
  return { kind: 'entered', gig, terms, commit };
}
