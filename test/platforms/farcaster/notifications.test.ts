import { expect, test } from 'vitest';
import type { OutgoingNotification } from '../../../src/domain/mentions/mention.ts';
import { answering, failureOf, json, NOW, openFarcaster, openWire, type Reaction, startFarcaster } from '../setup.ts';

const TITLE = 'You earned 5 DEGEN';
const BODY = '5 DEGEN from gig 7. Open to claim.';
const UUID = '0c1f4a3e-5b8d-5e6f-8a9b-1c2d3e4f5a6b';

function outgoing(overrides: Partial<OutgoingNotification> = {}): OutgoingNotification {
  const url = 'https://gigs.example/claim/farcaster/1001';
  const words = { accountId: '1001', title: TITLE, body: BODY, url, uuid: UUID };
  return { ...words, notAfter: Number.MAX_SAFE_INTEGER, ...overrides };
}

const notifyAt = (url: string, notification = outgoing()) => {
  const { notify } = openFarcaster(url);
  if (notify === undefined) throw new Error('Farcaster sends notifications');
  return notify(notification);
};

test('behavior: one account is notified, by Neynar’s route', async () => {
  const network = await startFarcaster();
  network.addUser({ id: '1001', username: 'alice' });
  network.addUser({ id: '1002', username: 'bob' });
  expect(await notifyAt(network.url)).toBe('sent');
  const shown = { fid: '1001', title: TITLE, body: BODY, url: outgoing().url, uuid: UUID, at: NOW };
  expect(network.notifications.shown()).toEqual([shown]);
  network.notifications.add('1002', false);
  expect(await notifyAt(network.url, outgoing({ accountId: '1002' }))).toBe('unreached');
});

const sent = { campaign_id: 'c', success_count: 0, failure_count: 0, not_attempted_count: 0, retryable_fids: [] };

test.each([
  ['it was shown', json({ ...sent, success_count: 1 }), 'sent'],
  ['nobody takes it', json({ ...sent, not_attempted_count: 1 }), 'unreached'],
  ['there is no count', json({ ...sent, success_count: null, failure_count: null }), 'unreached'],
  ['one of two clients took it', json({ ...sent, success_count: 1, failure_count: 1 }), 'sent'],
  ['a status stands beside counts', json({ ...sent, not_attempted_count: 1, status: 'done' }), 'unreached'],
  ['Neynar has queued it', json({ campaign_id: 'c', status: 'queued' }, 202), 'sent'],
] as const)('behavior: an answer that says: %s', async (_, react, outcome) => {
  const wire = await openWire(react);
  expect(await notifyAt(wire.url)).toBe(outcome);
  expect(wire.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v2/farcaster/frame/notifications/',
  ]);
  expect(JSON.parse(wire.requests[0]?.body ?? '')).toEqual({
    target_fids: [1001],
    notification: { title: TITLE, body: BODY, target_url: outgoing().url, uuid: UUID },
  });
});

const refused: readonly (readonly [string, Reaction, object])[] = [
  [
    'too much for now',
    json({ ...sent, failure_count: 1, retryable_fids: [1001] }),
    { reason: 'rate_limited', status: 200 },
  ],
  [
    'too much for now, beside what is no FID',
    json({ ...sent, failure_count: 1, retryable_fids: [null, 'a', 1001, -1] }),
    { reason: 'rate_limited', status: 200 },
  ],
  ['refused, with a status', json({ ...sent, failure_count: 1, status: 'done' }), { reason: 'rejected', status: 200 }],
  ['also where another client took it', json({ ...sent, success_count: 1, retryable_fids: [1001] }), { status: 200 }],
  ['refused for good', json({ ...sent, failure_count: 1 }), { reason: 'rejected', retry: 'never', status: 200 }],
  [
    '429',
    answering(429, '{"message":"slow"}', { 'retry-after': '7' }),
    { reason: 'rate_limited', retryAfterMs: 7_000 },
  ],
  ['404', json({ code: 'NotFound', message: 'no such mini app' }, 404), { reason: 'not_found', retry: 'never' }],
  ['422', json({ message: 'unprocessable' }, 422), { reason: 'rejected', retry: 'never' }],
  ['500', json({ message: 'down' }, 500), { reason: 'server_error', retry: 'unknown' }],
  ['of another shape', json({ ok: true }), { reason: 'bad_response', retry: 'unknown' }],
];

test.each(refused)('error: an answer that is %s', async (_, react, fault) => {
  const wire = await openWire(react);
  expect(await failureOf(notifyAt(wire.url))).toMatchObject(fault);
});

test('security: nothing is written after the lease, and never to everybody', async () => {
  const wire = await openWire(json({ ...sent, success_count: 1 }));
  expect(await failureOf(notifyAt(wire.url, outgoing({ notAfter: NOW })))).toMatchObject({ reason: 'too_late' });
  for (const accountId of ['', '0', 'everybody', '1e9']) {
    expect(await failureOf(notifyAt(wire.url, outgoing({ accountId })))).toMatchObject({ retry: 'never' });
  }
  expect(wire.requests).toEqual([]);
});
