import { expect, test } from 'vitest';
import { seedAddress } from '../../support/store.ts';
import { openEarlier } from './earlier.ts';

test('behavior: claims of an earlier version came by a mention or a URL, as the audit trail says', async () => {
  const { earlier, upgrade } = openEarlier(/_claim_sources$/);
  earlier.exec(`insert into platforms (id) values ('farcaster') on conflict do nothing;
    insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '5', 1)`);
  const claim =
    earlier.prepare(`insert into claims (id, public_id, platform, platform_user_id, post_id, recipient, created_at)
    values (?, ?, 'farcaster', '5', ?, '${seedAddress(1)}', 1)`);
  const opened =
    earlier.prepare(`insert into audit_events (at, actor, actor_name, request_id, action, subject, subject_id, detail)
    values (1, 'account', 'farcaster:5', ?, 'claim.open', 'claim', ?, '{}')`);
  for (const [index, requestId] of ['mention:7', 'req-1', null].entries()) {
    const id = 3 + index;
    claim.run(id, `claim-${id}`, `0xc${id}`);
    opened.run(requestId, String(id));
  }
  const claims = await (await upgrade()).claims({ limit: 9 });
  expect(claims.map(({ id, source }) => `${id} ${source}`)).toEqual(['5 url', '4 url', '3 mention']);
});
