import { eq, sql } from 'drizzle-orm';
import type { AcceptedUse } from '../../domain/unrecognized-activity.ts';
import type { SyncReads, SyncWrites } from '../sqlite/async-adapter.ts';
import type { Db } from '../sqlite/connection.ts';
import { acceptedUses } from './tables.ts';

const placeholder = sql.placeholder;

function toUse({ nonce, hash, acceptedAt }: typeof acceptedUses.$inferSelect): AcceptedUse[] {
  if (nonce !== null) return [{ kind: 'nonce', nonce, acceptedAt }];
  return hash === null ? [] : [{ kind: 'transaction', hash, acceptedAt }];
}

export function createAcceptedReads(db: Db): Pick<SyncReads, 'acceptedUses'> {
  const ofGig = db
    .select()
    .from(acceptedUses)
    .where(eq(acceptedUses.gigId, placeholder('gigId')))
    .prepare();
  return {
    acceptedUses: (gigId) =>
      ofGig
        .all({ gigId })
        .sort((a, b) => a.id - b.id)
        .flatMap(toUse),
  };
}

export function createAcceptedWrites(db: Db): Pick<SyncWrites, 'acceptUse'> {
  return {
    acceptUse(gigId, use, now) {
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
