import type { AccountActor } from '../../domain/actor.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gig.ts';
import { eventsSoFar, orderEvents, type Telling } from '../../domain/notice.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import { findGig } from '../gigs/find-gigs.ts';
import { recordEvent } from '../operators/audit-events.ts';

export interface AskNoticesDeps {
  readonly store: Pick<Store, 'gig' | 'ownsGig'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

export interface AskNoticesRequest {
  readonly gigId: number;
  readonly actor: AccountActor;
  /** The owner's mention, under which notices are posted. */
  readonly mentionId: number;
  /** False turns notices of the gig off. */
  readonly wanted: boolean;
}

/** What an owner is told from now on. What has happened before is no news; what was told stays told. */
function toTelling(gig: Gig, before: Telling | null, { request, now }: { request: AskNoticesRequest; now: number }) {
  const { gigId, actor, mentionId, wanted } = request;
  const { platform, platformUserId } = actor;
  const told = before?.told ?? [];
  const isNew = wanted && before?.state !== 'open';
  return {
    gigId,
    owner: { platform, platformUserId },
    mentionId,
    asked: wanted,
    state: wanted ? 'open' : 'off',
    told: isNew ? orderEvents([...told, ...eventsSoFar(gig, now)]) : told,
  } as const;
}

/**
 * Turns notices of a gig to one of its owners on or off.
 * @returns what to commit
 * @throws DomainError `gig_not_found`, `not_gig_owner`
 */
export async function prepareNotices(
  { store, clock }: AskNoticesDeps,
  request: AskNoticesRequest,
): Promise<(tx: StoreTx) => Promise<void>> {
  const { gigId, actor, wanted } = request;
  const { platform, platformUserId } = actor;
  const owner = { platform, platformUserId };
  const assertOwner = async (reads: Pick<Store, 'gig' | 'ownsGig'>): Promise<Gig> => {
    const gig = await findGig({ store: reads }, { gigId });
    if (!(await reads.ownsGig(gigId, owner))) throw new DomainError({ code: 'not_gig_owner', gigId });
    return gig;
  };
  await assertOwner(store);
  return async (tx) => {
    const now = clock();
    const gig = await assertOwner(tx);
    await tx.keepTelling(toTelling(gig, await tx.telling(gigId, owner), { request, now }));
    const subject = { subject: 'gig', subjectId: String(gigId), gigId, detail: {} } as const;
    await recordEvent(tx, { actor, now }, { ...subject, action: wanted ? 'notices.on' : 'notices.off' });
  };
}
