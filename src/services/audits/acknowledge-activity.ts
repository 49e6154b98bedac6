import { type Audit, acknowledgeable } from '../../domain/audit.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gig.ts';
import { checksummed } from '../../domain/token.ts';
import { acknowledgedText, type FoundActivity } from '../../domain/unrecognized-activity.ts';
import { changeFreeze } from '../gigs/freezes.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import { type AuditDeps, auditOf, findLiveGig, startOf, takeSnapshot } from './audit-gig.ts';
import type { Reconciled } from './reconcile.ts';

/** The result for a gig, with the activity of its wallet that was acknowledged now. */
export interface Acceptance extends Reconciled {
  readonly audit: Audit;
  readonly accepted: readonly FoundActivity[];
}

/** Why nothing can be acknowledged, and what has to happen first. */
function refusal({ id, walletAddress }: Gig, { problems, unproved }: Audit): DomainError {
  const missing = problems.filter(({ kind }) => kind === 'missing');
  const payments = problems.filter(({ kind }) => kind === 'payment');
  const lines = [
    ...missing.map(({ text }) => `${text}. Send what is missing to ${checksummed(walletAddress)} first.`),
    ...payments.map(({ text }) => `${text}. That is a payment of the service, and nothing that can be accepted.`),
    ...unproved.map((text) => `${text}. Try again when the chain has gone on.`),
  ];
  return new DomainError({
    code: 'invalid_request',
    message: [`Nothing of gig ${id} was accepted:`, ...lines].join('\n  '),
  });
}

/**
 * Audits a gig and acknowledges the unrecognized activity of its wallet: spent nonces, and transactions that took its
 * tokens. It no longer freezes the gig, which pays again; new activity does.
 * @throws DomainError `gig_not_found`, or `invalid_request` when the gig has not started, money is missing, a payment
 * differs, or nothing is proved
 * @throws AdapterError when its chain does not answer
 */
export async function acknowledgeActivity(deps: AuditDeps, { gigId }: { gigId: number }): Promise<Acceptance> {
  const { actor } = deps;
  const gig = await findLiveGig(deps, gigId);
  const started = await startOf(deps.store, gig);
  const snapshot = await takeSnapshot(deps.auditors.auditor(gig.token.chainId), [started]);
  const found = await auditOf(deps, started, snapshot);
  const uses = acknowledgeable(found);
  if (uses === null) throw refusal(gig, found);
  const now = deps.clock();
  const { freezeReason: before } = started;
  const { accepted, frozen } = await deps.store.transaction(async (tx) => {
    const accepted: FoundActivity[] = [];
    for (const use of uses) if (await tx.acknowledgeActivity(gigId, use, now)) accepted.push(use);
    if (accepted.length > 0) {
      const detail = {
        uses: accepted.map((use) => (use.kind === 'nonce' ? { nonce: use.nonce } : { hash: use.hash })),
      };
      await recordGigEvent(tx, { actor, now }, { action: 'gig.accept', gigId, detail });
    }
    const current = await tx.gigFreeze(gigId);
    // A freeze that was set during the audit stays, because the audit did not see it.
    if (current === null || current !== before) return { accepted, frozen: current };
    return { accepted, frozen: await changeFreeze(tx, { actor, now }, { gigId, reason: null }) };
  });
  const notes = [...found.notes, ...uses.map((use) => acknowledgedText(use, now))];
  const isSame = (frozen === null) === (before === null);
  return {
    gig,
    audit: { ...found, problems: [], notes },
    error: null,
    frozen,
    accepted,
    change: isSame ? null : frozen === null ? 'released' : 'frozen',
  };
}
