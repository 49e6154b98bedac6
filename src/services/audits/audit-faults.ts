import type { AuditFault } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';

export type Fault = Omit<AuditFault, 'gigId'>;

/** Keeps for the operator how audits went: null for a gig whose audit has succeeded. */
export async function storeAuditFaults(
  { store }: ServiceContext,
  audits: ReadonlyMap<number, Fault | null>,
): Promise<void> {
  const known = new Set((await store.auditFaults()).map(({ gigId }) => gigId));
  const changed = [...audits].filter(([gigId, fault]) => fault !== null || known.has(gigId));
  if (changed.length === 0) return;
  // The rows of two instances' audits are written in one order.
  changed.sort(([a], [b]) => a - b);
  await store.transaction(async (tx) => {
    for (const [gigId, fault] of changed) await tx.storeAuditFault(gigId, fault);
  });
}

/** Forgets the faults of gigs that are audited no more, because all their money is accounted for. */
export async function forgetAuditFaults(deps: ServiceContext, audited: readonly number[]): Promise<void> {
  const over = (await deps.store.auditFaults()).filter(({ gigId }) => !audited.includes(gigId));
  await storeAuditFaults(deps, new Map(over.map(({ gigId }) => [gigId, null])));
}
