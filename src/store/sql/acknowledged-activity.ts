import type { AcknowledgedActivity } from '../../domain/unrecognized-activity.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { equals } from './statements.ts';
import { acknowledgedActivity } from './tables.ts';

function toUse({
  nonce,
  hash,
  acknowledgedAt: acceptedAt,
}: typeof acknowledgedActivity.$inferSelect): AcknowledgedActivity[] {
  if (nonce !== null) return [{ kind: 'nonce', nonce, acceptedAt }];
  return hash === null ? [] : [{ kind: 'transaction', hash, acceptedAt }];
}

export function createAcknowledgedReads(db: Db): Pick<SyncReads, 'acknowledgedActivity'> {
  const ofGig = prepare(db, db.select().from(acknowledgedActivity).where(equals(acknowledgedActivity.gigId, 'gigId')));
  return {
    acknowledgedActivity: (gigId) =>
      ofGig
        .all({ gigId })
        .sort((a, b) => a.id - b.id)
        .flatMap(toUse),
  };
}

export function createAcknowledgedWrites(db: Db): Pick<SyncWrites, 'acknowledgeActivity'> {
  return {
    acknowledgeActivity(gigId, use, now) {
      const which = use.kind === 'nonce' ? { nonce: use.nonce } : { hash: use.hash };
      const kept = db
        .insert(acknowledgedActivity)
        .values({ ...which, gigId, acknowledgedAt: now })
        .onConflictDoNothing()
        .run();
      return kept.changes === 1;
    },
  };
}
