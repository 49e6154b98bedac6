import { afterEach, describe, expect, test } from 'vitest';
import { createAlertReceivers } from '../../../src/alerts/receivers.ts';
import { platformPaused } from '../../../src/services/operators/conditions/platforms.ts';
import { answerWith, openAlertReceiver, type TestAlertReceiver } from '../../support/alert-receiver.ts';
import { SEEDED_AT } from '../../support/store.ts';
import { desk, output, refusal, useDesk } from '../admin.ts';

let wire: TestAlertReceiver;
useDesk(async () => {
  wire = await openAlertReceiver();
  return { ALERT_WEBHOOK_URL: wire.url, PUBLIC_URL: 'https://gigs.example' };
});
afterEach(() => wire.close());

/** An alert that is over: that it began was delivered, that it is over was not. */
async function seedAlert(): Promise<void> {
  const receiver = createAlertReceivers([wire.url])[0]?.id ?? '';
  await desk.store.transaction(async (tx) => {
    await tx.beginAlert(platformPaused.tell({ platform: 'twitter', reason: 'rate limited (429)' }), SEEDED_AT);
    await tx.queueDelivery({ id: 'd1', alertId: 1, news: 'begun', receiver }, SEEDED_AT);
    await tx.leaseDelivery(receiver, { lease: 'l', now: SEEDED_AT, until: SEEDED_AT + 1 });
    await tx.markDelivered('d1', { lease: 'l', now: SEEDED_AT });
    await tx.endAlert(1, SEEDED_AT + 60_000);
    await tx.queueDelivery({ id: 'd2', alertId: 1, news: 'over', receiver }, SEEDED_AT);
    await tx.leaseDelivery(receiver, { lease: 'l', now: SEEDED_AT, until: SEEDED_AT + 1 });
    const back = { lease: 'l', retryAt: SEEDED_AT, error: 'it answered with status 500', now: SEEDED_AT };
    await tx.putDeliveryBack('d2', back);
  });
}

describe('alert list', () => {
  test('behavior: shows what was wrong and who was told, and never a URL', async () => {
    expect((await desk.admin(['alert', 'list'])).out).toBe('No alert has begun.\n');
    await seedAlert();
    const out = await output(desk.admin(['alert', 'list']));
    const [, row] = out.split('\n');
    expect(row).toBe(
      '1   platform_paused  x        2026-01-01T00:00:00.000Z  2026-01-01T00:01:00.000Z  X is paused: rate limited (429)  ' +
        'begun delivered to 1 (127.0.0.1); over queued to 1 (127.0.0.1), 1 try: it answered with status 500',
    );
    expect(out).not.toContain('fake-webhook-secret');
    expect(await desk.json('alert', 'list')).toEqual([
      {
        id: 1,
        kind: 'platform_paused',
        subject: 'x',
        text: 'X is paused: rate limited (429)',
        remedy:
          'Check the keys, the credits and the state of the bot’s account; waiting work continues after the pause.',
        begun_at: '2026-01-01T00:00:00.000Z',
        ended_at: '2026-01-01T00:01:00.000Z',
        deliveries: [
          {
            id: 'd1',
            news: 'begun',
            receiver: '1 (127.0.0.1)',
            state: 'delivered',
            tries: 1,
            ended_at: '2026-01-01T00:00:00.000Z',
            error: null,
          },
          {
            id: 'd2',
            news: 'over',
            receiver: '1 (127.0.0.1)',
            state: 'queued',
            tries: 1,
            ended_at: null,
            error: 'it answered with status 500',
          },
        ],
      },
    ]);
  });

  test('behavior: names a receiver whose URL is gone as such', async () => {
    await seedAlert();
    const { out } = await desk.admin(['alert', 'list'], { env: { ALERT_WEBHOOK_URL: '' } });
    expect(out).toContain('begun delivered to not configured any more');
  });
});

describe('alert test', () => {
  test('behavior: sends one test to each URL, and says what each answered', async () => {
    expect(await output(desk.admin(['alert', 'test']))).toBe('✓ 1 (127.0.0.1): answered with status 200\n');
    expect(wire.received.map(({ body }) => [body.kind, body.text])).toEqual([
      ['test', 'https://gigs.example: This is a test. Alerts of this service arrive here.'],
    ]);
    expect(await desk.store.alerts({ limit: 1 })).toEqual([]);
  });

  test('error: one that does not take it is named, and the exit code says so', async () => {
    wire.react(answerWith(404));
    const env = { ALERT_WEBHOOK_URL: `${wire.url},http://127.0.0.1:1/fake-webhook-secret` };
    const { code, out, err } = await desk.admin(['alert', 'test'], { env });
    expect([code, out, err]).toEqual([
      1,
      '✗ 1 (127.0.0.1): answered with status 404\n✗ 2 (127.0.0.1): cannot be reached\n',
      '2 of 2 receivers did not take the test.\n',
    ]);
    const { out: json } = await desk.admin(['alert', 'test', '--json'], { env });
    expect(JSON.parse(json)).toEqual([
      { receiver: '1 (127.0.0.1)', delivered: false, answer: 'answered with status 404' },
      { receiver: '2 (127.0.0.1)', delivered: false, answer: 'cannot be reached' },
    ]);
  });

  test('error: without any URL it says what to set', async () => {
    expect(await refusal(desk.admin(['alert', 'test'], { env: { ALERT_WEBHOOK_URL: '' } }))).toBe(
      'ALERT_WEBHOOK_URL is not set, so alerts are off. Set it, then run alert test again.\n',
    );
  });
});
