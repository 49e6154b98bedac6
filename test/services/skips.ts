import type { IdSkip } from '../../src/domain/gigs/id-skip.ts';
import { detailText } from '../../src/domain/operators/audit-event.ts';
import type { Store } from '../../src/store/port/index.ts';
import { SEEDED_AT } from '../support/store.ts';

/** Notes that ids of gigs were skipped, as the store does when it is opened. */
export async function noteSkip(store: Store, skip: IdSkip): Promise<void> {
  const by = { actor: 'job', actorName: 'ids', apiKeyId: null, client: null, requestId: null } as const;
  const what = { action: 'ids.skip', subject: 'store', subjectId: 'ids', gigId: null } as const;
  const detail = detailText({ ...skip });
  await store.transaction((tx) => tx.insertAuditEvent({ at: SEEDED_AT, ...by, ...what, detail }));
}
