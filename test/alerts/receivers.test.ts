import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAlertReceivers } from '../../src/alerts/receivers.ts';
import { type Chain, chainById } from '../../src/domain/chains/chain.ts';
import type { AdapterError } from '../../src/domain/errors.ts';
import { type AlertMessage, alertMessage } from '../../src/domain/operators/alert.ts';
import { gasTankLow } from '../../src/services/operators/conditions/gas-tank.ts';
import { CONDITION_KINDS } from '../../src/services/operators/conditions/index.ts';
import { answerWith, openAlertReceiver, type TestAlertReceiver } from '../support/alert-receiver.ts';

const MESSAGE: AlertMessage = {
  id: 'd1',
  text: 'https://gigs.example: The gas tank on Base is low. Send ETH.',
  kind: 'gas_tank_low',
  subject: 'base',
  state: 'begun',
  at: '2026-11-21T09:30:00.000Z',
  service: 'https://gigs.example',
};

let wire: TestAlertReceiver;
beforeEach(async () => {
  wire = await openAlertReceiver();
});
afterEach(() => wire.close());

function receiver(options: Parameters<typeof createAlertReceivers>[1] = {}) {
  const [only] = createAlertReceivers([wire.url], options);
  if (only === undefined) throw new Error('there is a receiver for each URL');
  return only;
}

/** What a failed delivery says, whole. */
async function failure(options: Parameters<typeof createAlertReceivers>[1] = {}): Promise<string> {
  const sent = receiver(options).send(MESSAGE);
  return await sent.then(() => 'it was delivered').catch((error: Error) => error.message);
}

function answerWithoutEnd(response: ServerResponse): void {
  response.writeHead(200);
  const write = () => {
    while (!response.destroyed && response.write('x'.repeat(16_384)));
  };
  response.on('drain', write);
  write();
}

describe('the document of alerts', () => {
  const document = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8');
  const [, section = ''] = document.split('### Alerts\n');

  test('behavior: its example is what is sent', async () => {
    const base = chainById(8453) as Chain; // It is in the list.
    const address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
    const low = gasTankLow.tell(base, { address, balance: 15n * 10n ** 15n, reserve: 20n * 10n ** 15n });
    const alert = { ...low, id: 1, begunAt: Date.parse('2026-11-21T09:30:00Z'), endedAt: null };
    await receiver().send(alertMessage({ id: 'd1', news: 'begun', alert }, { publicUrl: 'https://gigs.example.org' }));
    const [, example = ''] = /```json\n([^`]+)```/.exec(section) ?? [];
    expect(JSON.parse(wire.received[0]?.text ?? '')).toEqual(JSON.parse(example));
  });

  test('behavior: its table has every kind', () => {
    const kinds = [...section.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, kind]) => kind);
    expect(kinds).toEqual([...CONDITION_KINDS]);
  });
});

describe('a receiver', () => {
  test('behavior: gets the text as Slack and Discord read it, the rest for programs, and the id in a header', async () => {
    expect(await receiver().send(MESSAGE)).toBe(200);
    const [got] = wire.received;
    const { id, ...sent } = MESSAGE;
    const told = { ...sent, content: sent.text, allowed_mentions: { parse: [] } };
    expect(JSON.parse(got?.text ?? '')).toEqual(told);
    expect(got?.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' });
  });

  test('security: is named by its place and host, and by a hash', () => {
    const { id, label } = receiver();
    expect(label).toBe('1 (127.0.0.1)');
    expect(id).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([201, 204])('behavior: has taken it when it answers %i', async (status) => {
    wire.react(answerWith(status));
    expect(await receiver().send(MESSAGE)).toBe(status);
  });

  test.each([400, 404, 429, 500])('error: has not taken it when it answers %i', async (status) => {
    wire.react(answerWith(status));
    expect(await failure()).toBe(`it answered with status ${status}`);
  });

  test('security: leads to no other address', async () => {
    const other = await openAlertReceiver();
    wire.react(answerWith(307, { location: other.url }));
    expect(await failure()).toBe('it answered with status 307');
    expect(other.received).toEqual([]);
    await other.close();
  });

  test('error: that does not answer in time is left', async () => {
    wire.react(() => undefined);
    expect(await failure({ timeoutMs: 50 })).toBe('it did not answer within 50 ms');
  });

  test.each([
    ['does not end', (response: ServerResponse) => void response.writeHead(200).write('o')],
    ['has no end', answerWithoutEnd],
    ['is large', (response: ServerResponse) => void response.writeHead(202).end('x'.repeat(1_000_000))],
  ])('behavior: has taken it by its status, when the body %s', async (_, reaction) => {
    const over = Promise.withResolvers<void>();
    wire.react((response) => {
      response.once('close', over.resolve);
      reaction(response);
    });
    expect(await receiver().send(MESSAGE)).toBeLessThan(300);
    // Nothing more of the body is read.
    await over.promise;
  });

  test('behavior: says by Retry-After when it takes more: in seconds, or as a date by its own clock', async () => {
    const refusal = async (status: number, headers: Record<string, string>) => {
      wire.react(answerWith(status, headers));
      const sent = receiver().send(MESSAGE);
      return await sent.catch(({ retryAfterMs }: AdapterError) => retryAfterMs);
    };
    const date = { date: 'Thu, 26 Nov 2026 09:30:00 GMT', 'retry-after': 'Thu, 26 Nov 2026 09:32:00 GMT' };
    expect(await refusal(429, { 'retry-after': '30' })).toBe(30_000);
    expect(await refusal(503, date)).toBe(120_000);
    expect(await refusal(429, { 'retry-after': 'soon' })).toBeUndefined();
    expect(await refusal(500, { 'retry-after': '30' })).toBeUndefined();
  });

  test('behavior: that does not answer does not keep the service from stopping', async () => {
    const stopping = new AbortController();
    wire.react(() => stopping.abort());
    expect(await failure({ stop: stopping.signal })).toBe('it did not answer before the service stopped');
  });

  test('error: that is not there', async () => {
    const [gone] = createAlertReceivers(['http://127.0.0.1:1/fake-webhook-secret']);
    const error: unknown = await gone?.send(MESSAGE).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: 'it cannot be reached', reason: 'unreachable', retry: 'safe' });
  });
});
