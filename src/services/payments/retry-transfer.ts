import type { Actor } from '../../domain/actor.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Address } from '../../domain/token.ts';
import type { Transfer } from '../../domain/transfer.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import { planPayoutAgain } from '../claims/claim-rewards.ts';
import { recordEvent } from '../operators/audit-events.ts';

export interface RetryDeps {
  readonly store: Pick<Store, 'transaction'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Where fees go now; null to use the failed fee's recipient. */
  readonly treasury: Address | null;
}

function refuse(message: string): DomainError {
  return new DomainError({ code: 'invalid_request', message });
}

/** How many failed fees are checked. */
const LISTED = 100;

function counts({ kind, state }: Transfer): boolean {
  return kind === 'fee' && state !== 'failed' && state !== 'replaced';
}

/** Failed fees that were not planned again, newest first, among the last hundred that failed. */
export async function unpaidFees({ store }: { store: Pick<Store, 'transfers' | 'transfersOfGig'> }) {
  const failed = await store.transfers({ kind: 'fee', state: 'failed', limit: LISTED });
  const newest = failed.filter(({ gigId }, index) => failed.findIndex((other) => other.gigId === gigId) === index);
  const unpaid = await Promise.all(
    newest.map(async (fee) => ((await store.transfersOfGig(fee.gigId)).some(counts) ? [] : [fee])),
  );
  return unpaid.flat();
}

/** Plans no second fee: a gig pays its fee once. */
async function planFeeAgain(tx: StoreTx, failed: Transfer, treasury: Address | null, now: number) {
  const others = await tx.transfersOfGig(failed.gigId);
  if (others.some(counts)) return null;
  const { token, ...payment } = failed;
  const fee = { ...payment, tokenId: token.id, recipient: treasury ?? failed.recipient };
  return await tx.planTransfer(fee, { now, tipIds: [] });
}

async function planAgain(tx: StoreTx, failed: Transfer, { treasury, clock }: RetryDeps): Promise<Transfer | null> {
  const now = clock();
  if (failed.kind === 'fee') return await planFeeAgain(tx, failed, treasury, now);
  const claim = failed.claimId === null ? null : await tx.claim(failed.claimId);
  // A transfer that needs gas plans its own top-up, so a top-up is never retried.
  if (claim === null) throw refuse(`Transfer ${failed.id} brought gas; the transfer that needs it asks again.`);
  return await planPayoutAgain(tx, claim, failed, now);
}

/**
 * Plans a failed transfer again: a payout with those of its tips that were not claimed since, or a fee to the treasury.
 * @returns the new transfer, or null when nothing is left to pay, because it was claimed or planned again meanwhile
 * @throws DomainError `invalid_request` when there is no such transfer, it has not failed, or it is a top-up
 */
export async function retryTransfer(
  deps: RetryDeps,
  { transferId, actor }: { transferId: number; actor: Actor },
): Promise<Transfer | null> {
  return await deps.store.transaction(async (tx) => {
    const transfer = await tx.transfer(transferId);
    if (transfer === null) throw refuse(`There is no transfer ${transferId}; see transfer list.`);
    if (transfer.state !== 'failed') {
      throw refuse(`Transfer ${transferId} is ${transfer.state}; only one that failed can be retried.`);
    }
    const planned = await planAgain(tx, transfer, deps);
    if (planned !== null) {
      const subject = { subject: 'transfer', subjectId: String(transferId), gigId: transfer.gigId } as const;
      const detail = { kind: transfer.kind, amount: planned.amount, planned_id: planned.id };
      await recordEvent(tx, { actor, now: deps.clock() }, { ...subject, action: 'transfer.retry', detail });
    }
    return planned;
  });
}
