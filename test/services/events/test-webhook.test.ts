import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { testWebhook } from '../../../src/services/events/webhooks.ts';
import { answerWith } from '../../support/alert-receiver.ts';
import { courierPerTest } from './world.ts';

const { store, wire, courier } = courierPerTest();

const ask = (id: number, sender: typeof courier.sender | null = courier.sender) => {
  const deps = { store, clock: courier.clock, randomBytes, newId: randomUUID, sender, sleep: async () => true };
  return testWebhook(deps, { id, actor: COMMAND_LINE });
};

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

test('error: without a key to sign with, or an endpoint, there is no test', async () => {
  const id = await courier.endpoint(wire.url);
  await expect(ask(id, null)).rejects.toMatchObject({ refusal: { code: 'signing_off' } });
  await expect(ask(id + 1)).rejects.toMatchObject({ refusal: { code: 'webhook_not_found' } });
});
