import { expect, test } from 'vitest';
import { openEarlier } from './earlier.ts';

const HOUR = 3_600_000;

test('security: webhooks of keys that work at an upgrade end with them; those of ended and of rotated keys go on', async () => {
  const { earlier, upgrade } = openEarlier(/_key_ends$/);
  const now = Date.now();
  const key = earlier.prepare(`insert into api_keys (id, name, hash, scopes, client, created_at, expires_at, revoked_at)
    values (?, 'shop', ?, 'webhooks:write', 'shop', 1, ?, ?)`);
  const webhook = earlier.prepare(`insert into webhook_endpoints (id, client, url, types, salt, api_key_id, created_at,
    from_seq, queued_seq) values (?, 'shop', 'https://shop.example', '', 'ab', ?, 1, 0, 0)`);
  // One that ends, one that had ended, one that was rotated and ends later, one that was revoked.
  const keys = [
    [now + HOUR, null],
    [now - HOUR, null],
    [now + HOUR, null],
    [null, now - HOUR],
  ] as const;
  for (const [index, ends] of keys.entries()) {
    key.run(index + 1, String(index).repeat(64), ...ends);
    webhook.run(index + 1, index + 1);
  }
  webhook.run(5, null);
  earlier.exec(`insert into audit_events (at, actor, actor_name, action, subject, subject_id, detail)
    values (1, 'operator', 'command line', 'key.rotate', 'key', '3', '{}')`);
  const past = await (await upgrade()).webhooksPastKey(now + 2 * HOUR);
  expect(past.map(({ id }) => id)).toEqual([1]);
});
