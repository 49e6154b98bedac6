import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Connections, openConnections } from '../../../src/store/sqlite/connection.ts';
import { findPlan } from '../../support/plans.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

let folder: ReturnType<typeof temporaryFolder>;
let connections: Connections;

beforeEach(() => {
  folder = temporaryFolder();
  connections = openConnections({ path: join(folder.path, 'gigclaim.db'), migrationsFolder: MIGRATIONS });
});

afterEach(() => {
  connections.close();
  folder.remove();
});

function planOf(...parts: string[]): string[] {
  return findPlan(connections.writer, parts);
}

test('behavior: what a gig’s statement needs is found in an index, its payouts left aside', () => {
  expect(planOf('from "tips"', '"number" < ?', 'order by')).toEqual([
    'SEARCH tips USING INDEX tips_by_number (gig_id=? AND number<?)',
  ]);
  expect(planOf('select "amount" from "tips"', 'tips.is_void = 1')).toEqual([
    'SEARCH tips USING COVERING INDEX tips_void (gig_id=?)',
  ]);
  expect(planOf('select "id"', 'from "payments"', '"kind" = ?', '+"payments"."gig_id" = ?')).toEqual([
    'SEARCH payments USING INDEX payments_by_kind (kind=? AND state=?)',
  ]);
  const searched = { fee: '(gig_id=?)', refund: '(gig_id=?)', return: '(gig_id=? AND place>?)' };
  for (const [kind, columns] of Object.entries(searched)) {
    expect(planOf('select "id", "kind"', 'from "payments"', `payments.kind = '${kind}'`)).toEqual([
      `SEARCH payments USING INDEX payments_one_${kind} ${columns}`,
    ]);
  }
});
