import { expect, test } from 'vitest';
import { NOW, seedLocalGig, service, shareService } from '../../../../http/service.ts';
import { type Sent, watchStatements } from '../../../../support/count-statements.ts';
import { isOnPostgres } from '../../../../support/database.ts';
import { seedToken } from '../../../../support/store.ts';

shareService();

/** Not counted on SQLite: reads of one turn of the event loop share a snapshot, and turns are not always the same. */
const AROUND = /^(begin|commit|pragma|select total_changes)/;

/** What was sent since the last look. */
function take(sent: Sent) {
  const statements = sent.statements.splice(0);
  const { trips } = sent;
  sent.trips = 0;
  return {
    statements: statements.filter((statement) => !AROUND.test(statement)).length,
    commits: statements.filter((statement) => statement === (isOnPostgres() ? 'begin' : 'begin immediate')).length,
    trips,
  };
}

test('behavior: an award of one tip with its event takes so many statements, commits and round trips', async () => {
  const token = await seedToken(service.store, { chainId: 31337, symbol: 'USDC', decimals: 6 });
  const { id } = await seedLocalGig(service.store, token, { live: true, startTime: NOW - 1, duration: 86_400_000 });
  const award = async (account: number) => {
    const tips = [{ platform: 'farcaster', platform_user_id: account, value: 1 }];
    const answer = await service.send('POST', `/api/gigs/${id}/tips`, { tips }, { 'idempotency-key': `${account}` });
    expect(answer.status).toBe(201);
  };
  // The first one notes that the API key is used.
  await award(70_001);
  const sent = watchStatements();
  await award(70_002);
  // The API key and the idempotency key. Then the latter, the gig with its rules, its sums with the account, the tip, and what needs
  // no answer with the commit. A server also takes two locks, adds to the sums in one statement, and keeps a receipt.
  expect(take(sent)).toEqual(
    isOnPostgres() ? { statements: 15, commits: 1, trips: 7 } : { statements: 13, commits: 1, trips: 0 },
  );
  expect(await service.store.isReleaseDue()).toBe(true);
  const release = { holder: 'a', now: NOW, until: NOW + 1, limit: 100 };
  await service.store.transaction((tx) => tx.releaseEvents(release), { narrow: true });
  // The end of the read's snapshot is counted, for which nobody waits.
  expect(take(sent)).toEqual({ statements: 9, commits: 1, trips: isOnPostgres() ? 11 : 0 });
});
