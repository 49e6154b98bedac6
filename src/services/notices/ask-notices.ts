import { DomainError } from '../../domain/errors.ts';
import { eventsSoFar, type GigFacts, orderEvents, type Telling } from '../../domain/gigs/notice.ts';
import type { AccountActor } from '../../domain/operators/actor.ts';
import type { StoreReads, StoreTx } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { commandGig } from '../gigs/command-gig.ts';
import { recordGigEvent } from '../operators/audit-events.ts';

export interface AskNoticesRequest {
  readonly gigId: number;
  readonly actor: AccountActor;
  /** The owner's mention, under which notices are posted. */
  readonly mentionId: number;
  /** False turns notices of the gig off. */
  readonly wanted: boolean;
}

interface Asked {
  readonly request: AskNoticesRequest;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What has happened before is no news; what was told stays told. */
function toTelling(facts: GigFacts, before: Telling | null, { request, now }: Asked) {
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
    told: isNew ? orderEvents([...told, ...eventsSoFar(facts, now)]) : told,
  } as const;
}

/**
 * Turns notices of a gig to one of its owners on or off.
 * @returns what to commit
 * @throws DomainError as {@link commandGig}
 */
export async function prepareNotices(
  { store, clock }: ServiceContext,
  request: AskNoticesRequest,
): Promise<(tx: StoreTx) => Promise<void>> {
  const { gigId, actor, wanted } = request;
  const { platform, platformUserId } = actor;
  const owner = { platform, platformUserId };
  const findFacts = async (reads: StoreReads): Promise<GigFacts> => {
    await commandGig(reads, { gigId, actor, act: 'notify' });
    const facts = await reads.gigFacts(gigId);
    if (facts === null) throw new DomainError({ code: 'gig_not_found', gigId });
    return facts;
  };
  await findFacts(store);
  return async (tx) => {
    const now = clock();
    const facts = await findFacts(tx);
    await tx.storeTelling(toTelling(facts, await tx.telling(gigId, owner), { request, now }));
    const action = wanted ? 'notices.on' : 'notices.off';
    await recordGigEvent(tx, { actor, now }, { action, gigId, detail: {} });
  };
}
