import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { MIGRATIONS, seedAddress, temporaryFolder } from '../../support/store.ts';

/** The migration that says how claims came. */
const TAG = /_claim_sources$/;

test('behavior: claims of an earlier version came by a mention or a URL, as the audit trail says', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const path = join(folder.path, 'upgrade.db');
  const migrations = join(folder.path, 'drizzle');
  cpSync(MIGRATIONS, migrations, { recursive: true });
  const journal = join(migrations, 'meta/_journal.json');
  const listed = JSON.parse(readFileSync(journal, 'utf8')) as { entries: { tag: string }[] };
  const before = listed.entries.findIndex(({ tag }) => TAG.test(tag));
  writeFileSync(journal, JSON.stringify({ ...listed, entries: listed.entries.slice(0, before) }));
  const earlier = new Database(path);
  migrate(earlier, { folder: migrations, path });
  earlier.exec(`insert into platforms (id) values ('farcaster') on conflict do nothing;
    insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '5', 1)`);
  const claim =
    earlier.prepare(`insert into claims (id, public_id, platform, platform_user_id, post_id, recipient, created_at)
    values (?, ?, 'farcaster', '5', ?, '${seedAddress(1)}', 1)`);
  const opened =
    earlier.prepare(`insert into audit_events (at, actor, actor_name, request_id, action, subject, subject_id, detail)
    values (1, 'account', 'farcaster:5', ?, 'claim.open', 'claim', ?, '{}')`);
  for (const [id, requestId] of [
    [3, 'mention:7'],
    [4, 'req-1'],
    [5, null],
  ] as const) {
    claim.run(id, `claim-${id}`, `0xc${id}`);
    opened.run(requestId, String(id));
  }
  earlier.close();

  const store = await openStore({ url: path, migrationsFolder: MIGRATIONS });
  const claims = await store.claims({ limit: 9 });
  await store.close();
  expect(claims.map(({ id, source }) => [id, source])).toEqual([
    [5, 'url'],
    [4, 'url'],
    [3, 'mention'],
  ]);
});
