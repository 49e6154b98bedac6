import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createVerifier, VERIFIER_SIGNING_KEY, type VerifierEvent } from '../../sandbox/verifier.ts';
import { readSigningKey } from '../../src/verifiers/signing-key.ts';
import { type Listening, listen } from '../support/listen.ts';

const NOW = 1_800_000_000_000;
const key = readSigningKey(VERIFIER_SIGNING_KEY);
const events: VerifierEvent[] = [];
/** What a service says of its key. */
const service = createServer((_, response) => {
  const x = Buffer.from(key.publicKey.replace('whpk_', ''), 'base64').toString('base64url');
  response.end(JSON.stringify({ verifier: { jwk: { kty: 'OKP', crv: 'Ed25519', x } } }));
});
let verifier: ReturnType<typeof createVerifier>;
let served: Listening;
let url: string;

beforeAll(async () => {
  served = await listen(service);
  const observe = (event: VerifierEvent) => void events.push(event);
  verifier = createVerifier({ service: served.url, clock: () => NOW, observe });
  url = `${await verifier.start(0)}/decide`;
});

afterAll(async () => {
  await verifier.stop();
  await served.close();
});

const submission = (id: number, username: string, text: string) => ({ id, username, submission: { text } });
const body = JSON.stringify({
  type: 'submissions',
  gig_id: 9,
  candidates: [submission(1, 'alice', 'see https://design.example/1'), submission(2, 'bob', 'an idea')],
});

function ask(at: number, sent = body): Promise<Response> {
  const seconds = Math.floor(at / 1_000);
  const signature = key.sign({ id: 'a', seconds, body });
  const headers = { 'webhook-id': 'a', 'webhook-timestamp': String(seconds), 'webhook-signature': signature };
  return fetch(url, { method: 'POST', headers, body: sent });
}

test('behavior: the verifier awards a link to a design, refuses other work, and says so', async () => {
  expect(await (await ask(NOW)).json()).toEqual({
    decisions: [
      { id: 1, award: '2.5' },
      { id: 2, refuse: 'no link to a design' },
    ],
  });
  expect(events).toEqual([{ gigId: 9, verdicts: ['alice: 2.5', 'bob: refused, no link to a design'] }]);
});

test('security: the verifier decides about nothing that the service did not sign just now', async () => {
  expect((await ask(NOW, body.replace('an idea', 'https://design.example/2'))).status).toBe(401);
  expect((await ask(NOW - 600_000)).status).toBe(401);
  expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
  expect(events).toHaveLength(1);
});
