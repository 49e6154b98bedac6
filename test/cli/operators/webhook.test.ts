import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newSigningKey } from '../../services/events/world.ts';
import { answerWith } from '../../support/alert-receiver.ts';
import { openEventReceiver, type TestEventReceiver } from '../../support/event-receiver.ts';
import { SEEDED_AT, seedGig, temporaryFolder } from '../../support/store.ts';
import { desk, refusal, useDesk } from '../admin.ts';

let wire: TestEventReceiver;
useDesk(() => ({ SIGNING_KEY: newSigningKey(), WEBHOOK_ALLOW_PRIVATE: 'true' }));
beforeEach(async () => {
  wire = await openEventReceiver();
  const endpoint = { client: 'shop', url: wire.url, types: ['gig.ended'], salt: 'ab'.repeat(16) } as const;
  await desk.store.transaction((tx) => tx.insertWebhookEndpoint({ ...endpoint, apiKeyId: null, createdAt: SEEDED_AT }));
});
afterEach(() => wire.close());

/** An event whose delivery was refused once. */
async function seedDelivery(): Promise<number> {
  const { id: gigId } = await seedGig(desk.store, { client: 'shop' });
  const now = SEEDED_AT;
  await desk.store.transaction(async (tx) => {
    await tx.insertEvents([{ type: 'gig.ended', at: now, gigId, facts: {} }]);
    await tx.releaseEvents({ holder: 'a', now, until: now + 1, limit: 10 });
    const held = await tx.leaseEventDelivery({ lease: 'l', now, until: now + 1 });
    if (held === null) throw new Error('there is a delivery');
    const failed = { error: 'answered with status 500', status: 500, retryAt: now + 10, askAt: now, now };
    await tx.putEventDeliveryBack({ ...held, ...failed });
  });
  return gigId;
}

describe('webhook', () => {
  test('behavior: list and show tell all but the secret', async () => {
    const { code, out } = await desk.admin(['webhook', 'list']);
    expect([code, out.split('\n')[1]]).toEqual([
      0,
      `1   shop    ${wire.url}  gig.ended  active  -        2026-01-01T00:00:00.000Z`,
    ]);
    const item = {
      id: 1,
      client: 'shop',
      all_clients: false,
      url: wire.url,
      types: ['gig.ended'],
      state: 'active',
      paused_because: null,
      paused_at: null,
      from_seq: 0,
      created_at: '2026-01-01T00:00:00.000Z',
    };
    expect(await desk.json('webhook', 'list')).toEqual([item]);
    expect(await desk.json('webhook', 'show', '1')).toEqual(item);
    expect((await desk.admin(['webhook', 'show', '1'])).out).toContain('Webhook 1');
    expect(await refusal(desk.admin(['webhook', 'show', '2']))).toBe('There is no webhook 2.\n');
  });

  test('behavior: deliveries show what was answered, and replay sends again', async () => {
    const gigId = await seedDelivery();
    expect((await desk.admin(['webhook', 'deliveries', '1'])).out).toContain('answered with status 500');
    expect(await desk.json('webhook', 'deliveries', '1')).toMatchObject([
      {
        place: 1,
        event_id: expect.stringMatching(/^evt_/),
        seq: 1,
        type: 'gig.ended',
        gig_id: gigId,
        state: 'queued',
        tries: 1,
        status: 500,
        replay: false,
      },
    ]);
    expect((await desk.admin(['webhook', 'replay', '1', '--seq', '1'])).out).toBe(
      '1 event is sent to webhook 1 again.\n',
    );
    const dates = ['--since', '2026-01-01', '--until', '2026-01-02'];
    expect((await desk.admin(['webhook', 'replay', '1', ...dates])).out).toBe('1 event is sent to webhook 1 again.\n');
    expect(await refusal(desk.admin(['webhook', 'replay', '1']))).toBe('Name --seq, --gig, or --since and --until.\n');
  });

  test('behavior: pause, resume, test and delete do what they say', async () => {
    expect((await desk.admin(['webhook', 'pause', '1'])).out).toBe('Webhook 1 is paused: nothing is sent to it.\n');
    expect(await desk.store.webhookEndpoint(1)).toMatchObject({ pausedBecause: 'asked' });
    expect((await desk.admin(['webhook', 'resume', '1'])).out).toBe('Webhook 1 is active.\n');
    expect((await desk.admin(['webhook', 'test', '1'])).out).toBe('✓ Webhook 1 answered with status 204.\n');
    wire.react(answerWith(500));
    expect(await refusal(desk.admin(['webhook', 'test', '1']))).toBe('✗ Webhook 1 answered with status 500.\n');
    expect((await desk.admin(['webhook', 'delete', '1'])).out).toBe('Webhook 1 is deleted.\n');
    expect((await desk.admin(['webhook', 'list'])).out).toBe('There are no webhooks.\n');
  });
});

describe('listen', () => {
  test('behavior: prints a line an event, goes on at the cursor, and forwards it signed', async () => {
    const asked: URL[] = [];
    const keys: unknown[] = [];
    const event = (seq: number) => ({
      id: `evt_${seq}`,
      type: 'tips.awarded',
      timestamp: '2026-11-26T11:26:36.774Z',
      seq,
      data: { gig_id: 5, count: 2, sum: '12.5' },
    });
    const server = createServer((request, response) => {
      asked.push(new URL(request.url ?? '', 'http://x'));
      keys.push(request.headers['x-api-key']);
      const seq = asked.length;
      // The first time the service is just starting.
      if (seq === 1) response.writeHead(503).end();
      else response.end(JSON.stringify({ data: [event(seq)], next_after: `${seq}-x` }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const folder = temporaryFolder();
    const keyFile = join(folder.path, 'key');
    writeFileSync(keyFile, 'gck_test\n');
    const args = ['--url', `http://127.0.0.1:${port}`, '--key-file', keyFile, '--most', '2', '--types', 'tips.awarded'];
    const { code, out, err } = await desk.admin(['listen', ...args, '--forward', wire.url]);
    folder.remove();
    server.close();
    const [, secret = ''] = /signed with (whsec_\S+)/.exec(out) ?? [];
    expect([code, err]).toEqual([1, `http://127.0.0.1:${port}/: it answered with status 503; it is asked again\n`]);
    expect(out.split('\n').slice(1, 3)).toEqual([
      '2 2026-11-26T11:26:36.774Z tips.awarded gig=5 count=2 sum=12.5',
      '3 2026-11-26T11:26:36.774Z tips.awarded gig=5 count=2 sum=12.5',
    ]);
    expect(asked.map(({ searchParams }) => [searchParams.get('after'), searchParams.get('types')])).toEqual([
      ['latest', 'tips.awarded'],
      ['latest', 'tips.awarded'],
      ['2-x', 'tips.awarded'],
    ]);
    expect(keys).toEqual(['gck_test', 'gck_test', 'gck_test']);
    const [first] = wire.received;
    const at = new Date(Number(first?.headers['webhook-timestamp']) * 1_000);
    expect(first?.headers['webhook-signature']).toBe(new Webhook(secret).sign(first?.id ?? '', at, first?.text ?? ''));
  });

  test('error: says what the service refuses, and ends', async () => {
    const server = createServer(
      (_request, response) => void response.writeHead(401).end('{"error":"Invalid API key"}'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const folder = temporaryFolder();
    const keyFile = join(folder.path, 'key');
    writeFileSync(keyFile, 'x');
    const listen = () => desk.admin(['listen', '--url', `http://127.0.0.1:${port}`, '--key-file', keyFile]);
    expect(await refusal(listen())).toBe(
      `http://127.0.0.1:${port} answered with status 401: {"error":"Invalid API key"}\n`,
    );
    writeFileSync(keyFile, '');
    expect((await listen()).err).toContain('is empty: write an API key');
    folder.remove();
    server.close();
  });
});
