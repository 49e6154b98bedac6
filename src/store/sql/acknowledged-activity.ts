import { eq, sql } from 'drizzle-orm';
import type { AcknowledgedActivity } from '../../domain/unrecognized-activity.ts';
import type { SyncReads, SyncWrites } from '../sqlite/async-adapter.ts';
import type { Db } from '../sqlite/connection.ts';
import { acceptedUses } from './tables.ts';

const placeholder = sql.placeholder;

function toUse({ nonce, hash, acceptedAt }: typeof acceptedUses.$inferSelect): AcknowledgedActivity[] {
  if (nonce !== null) return [{ kind: 'nonce', nonce, acceptedAt }];
  return hash === null ? [] : [{ kind: 'transaction', hash, acceptedAt }];
}

export function createAcknowledgedReads(db: Db): Pick<SyncReads, 'acknowledgedActivity'> {
  const ofGig = db
    .select()
    .from(acceptedUses)
    .where(eq(acceptedUses.gigId, placeholder('gigId')))
    .prepare();
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
        .insert(acceptedUses)
        .values({ ...which, gigId, acceptedAt: now })
        .onConflictDoNothing()
        .run();
      return kept.changes === 1;
    },
  };
}
