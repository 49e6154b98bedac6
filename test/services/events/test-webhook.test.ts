import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { readSecret, rotateSecret, testWebhook } from '../../../src/services/events/webhooks.ts';
import { answerWith } from '../../support/alert-receiver.ts';
import { courierPerCase } from './world.ts';

const { store, wire, courier } = courierPerCase();

type Sender = typeof courier.sender | null;
const deps = (sender: Sender = courier.sender) => {
  return { store, clock: courier.clock, randomBytes, newId: randomUUID, sender, sleep: async () => true };
};
const ask = (id: number, sender?: Sender) => testWebhook(deps(sender), { id, actor: COMMAND_LINE });

test('behavior: a test of an endpoint says with which status it answers', async () => {
  const id = await courier.endpoint(wire.url);
  for (const status of [204, 410, 500]) {
    wire.react(answerWith(status));
    expect(await ask(id)).toEqual({ status });
  }
  expect(await store.webhookEndpoint(id)).toMatchObject({ pausedAt: null });
});

test('error: a test of an endpoint that cannot be reached says why', async () => {
  const id = await courier.endpoint('http://127.0.0.1:1/');
  expect(await ask(id)).toEqual({ status: null, error: expect.stringMatching(/^(?!it ).+/) });
});

test('security: a repeated rotation under its key changes nothing, and another one makes another secret', async () => {
  const id = await courier.endpoint(wire.url);
  const rotate = (key: string | null) => rotateSecret(deps(), { id, actor: COMMAND_LINE, key });
  const first = await rotate('key-1');
  expect(first).toMatchObject({ isRepeat: false });
  expect(await rotate('key-1')).toEqual({ ...first, isRepeat: true });
  const others = [await rotate('key-2'), await rotate(null), await rotate(null)];
  expect(others.map(({ isRepeat }) => isRepeat)).toEqual([false, false, false]);
  expect(new Set([first, ...others].map(({ secret }) => secret)).size).toBe(4);
  expect(await readSecret(deps(), { id, actor: COMMAND_LINE })).toBe(others[2]?.secret);
  expect((await store.auditEvents({ limit: 9 })).map(({ action }) => action)).toEqual(Array(4).fill('webhook.rotate'));
});

test('error: without a key to sign with, or an endpoint, there is no test', async () => {
  const id = await courier.endpoint(wire.url);
  await expect(ask(id, null)).rejects.toMatchObject({ refusal: { code: 'signing_off' } });
  await expect(ask(id + 1)).rejects.toMatchObject({ refusal: { code: 'webhook_not_found' } });
});
