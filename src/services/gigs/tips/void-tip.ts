import { formatAmount } from '../../../domain/amount.ts';
import { type DomainError, invalidRequest } from '../../../domain/errors.ts';
import { type NewEvent, voidedEvent } from '../../../domain/events/event.ts';
import type { TipRecord } from '../../../domain/gigs/tip.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { ServiceContext } from '../../context.ts';
import { recordEvent } from '../../operators/audit-events.ts';
import { type Commanded, commandGig } from '../command-gig.ts';
import { readReason } from '../freezes.ts';

function refusal(id: number, tip: TipRecord | null): DomainError {
  const why =
    tip === null
      ? `There is no tip ${id}.`
      : tip.voidedAt !== null
        ? `Tip ${id} is void already.`
        : tip.status === 'claimed'
          ? `Tip ${id} was paid; that cannot be undone.`
          : `Tip ${id} is held by a running claim; its payment is under way.`;
  return invalidRequest(why);
}

/** A voided tip, with its amount in whole tokens. */
export interface VoidedTip {
  readonly tip: TipRecord;
  readonly amount: string;
  readonly symbol: string;
}

/** Gigs are locked in the order of their ids, before any of their tips. */
async function commandGigsOf(
  tx: StoreTx,
  tipIds: readonly number[],
  actor: Actor,
): Promise<ReadonlyMap<number, Commanded>> {
  const ids = new Set<number>();
  for (const tipId of tipIds) {
    const tip = await tx.tip(tipId);
    if (tip !== null) ids.add(tip.gigId);
  }
  const gigs = new Map<number, Commanded>();
  for (const gigId of [...ids].sort((a, b) => a - b)) {
    gigs.set(gigId, await commandGig(tx, { gigId, actor, act: 'voidTips' }));
  }
  return gigs;
}

/**
 * Voids pending tips that no running claim holds, all or none: they can no longer be claimed, and their amounts can be
 * awarded again.
 * @throws DomainError as {@link commandGig}, or `invalid_request` for a tip that is paid, held, void or unknown, or without a
 * reason
 */
export async function voidTips(
  { store, clock }: ServiceContext,
  { tipIds, reason, actor }: { tipIds: readonly number[]; reason: string; actor: Actor },
): Promise<VoidedTip[]> {
  const why = readReason(reason);
  return await store.transaction(async (tx) => {
    const now = clock();
    const voided: VoidedTip[] = [];
    const told: NewEvent[] = [];
    const gigs: ReadonlyMap<number, Commanded> = await commandGigsOf(tx, tipIds, actor);
    for (const id of tipIds) {
      const done = await tx.voidTip(id, { reason: why, now });
      const tip = await tx.tip(id);
      const gig = tip === null ? undefined : gigs.get(tip.gigId);
      if (!done || tip === null || gig === undefined) throw refusal(id, tip);
      const { token } = gig;
      const subject = { subject: 'tip', subjectId: String(id), gigId: tip.gigId } as const;
      const account = `${tip.platform}:${tip.platformUserId}`;
      const detail = { reason: why, amount: tip.amount, account, awarded_by: tip.awardedBy };
      await recordEvent(tx, { actor, now }, { ...subject, action: 'tip.void', detail });
      voided.push({ tip, amount: formatAmount(tip.amount, token.decimals), symbol: token.symbol });
      told.push(voidedEvent(tip, { token, now }));
    }
    await tx.insertEvents(told);
    return voided;
  });
}
