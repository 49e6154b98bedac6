import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { fault } from '../../../services/fakes.ts';
import {
  decideAs,
  SAMPLE_RULES,
  sampleAccount,
  sampleReply,
  seedActs,
  seedGigWithRules,
} from '../../../support/earning.ts';
import { type ReadDocument, readDocument } from '../../document.ts';
import { openService, type Service } from '../../service.ts';

const PATH = '/api/gigs/{id}/decisions';
const MAX = 2n * 10n ** 18n;
const RULES = { ...SAMPLE_RULES, rule: { type: 'verifier', maxAmount: MAX }, holdMs: 0 } as const;

let service: Service;
let read: ReadDocument;
let isSilent = false;
beforeAll(async () => {
  const learnPaid = async () => {
    if (isSilent) throw fault('unreachable', 'safe');
    return false;
  };
  service = await openService({ learnPaid });
  read = await readDocument(service);
});
afterAll(() => service.close());
beforeEach(() => {
  isSilent = false;
});

/** A bounty with two candidates, and their ids. */
async function seedBounty(): Promise<{ gig: Gig; ids: readonly number[] }> {
  const { store } = service;
  const gig = await seedGigWithRules(store, { rules: RULES, gigType: 'custom_bounty', rewardAmount: 3n * 10n ** 18n });
  const kind = 'submission' as const;
  await seedActs(store, gig, [sampleReply(1, `0x${gig.id}a`, { kind }), sampleReply(2, `0x${gig.id}b`, { kind })]);
  await store.transaction(async (tx) => {
    for (const id of [1, 2]) await decideAs(tx, gig, sampleAccount(id));
  });
  const found = await store.candidates(gig.id, { dueBy: Number.MAX_SAFE_INTEGER, limit: 9 });
  return { gig, ids: found.map(({ observationId }) => observationId) };
}

const decide = ({ id }: Gig, decisions: readonly object[], headers?: Record<string, string>) =>
  service.send('POST', `/api/gigs/${id}/decisions`, { decisions }, headers);

test('error: while the chain does not tell what was paid, nothing is decided, and the key stays unused', async () => {
  const { gig, ids } = await seedBounty();
  const decisions = [{ id: ids[0], award: '1' }];
  isSilent = true;
  await read.hold(PATH, 'post', decide(gig, decisions, { 'idempotency-key': 'k' }), 503);
  expect(await service.store.gig(gig.id)).toMatchObject({ awardedAmount: 0n });
  isSilent = false;
  await read.hold(PATH, 'post', decide(gig, decisions, { 'idempotency-key': 'k' }), 201);
  isSilent = true;
  await read.hold(PATH, 'post', decide(gig, decisions, { 'idempotency-key': 'k' }), 201);
  expect(await service.store.gig(gig.id)).toMatchObject({ awardedAmount: 10n ** 18n });
});

test('security: of many requests at once each candidate is decided about by one', async () => {
  const { gig, ids } = await seedBounty();
  const one = Array.from({ length: 6 }, () => decide(gig, [{ id: ids[0], award: '2' }], { 'idempotency-key': 'once' }));
  const other = Array.from({ length: 6 }, () => decide(gig, [{ id: ids[1], award: '2' }]));
  const [same, different] = await Promise.all([Promise.all(one), Promise.all(other)]);
  expect(new Set(same.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(await Promise.all(same.map((each) => each.text()))).size).toBe(1);
  expect(different.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400, 400]);
  // Three are left for two who were promised two each: one of them was refused, whichever came second.
  expect(await service.store.gig(gig.id)).toMatchObject({ awardedAmount: 2n * 10n ** 18n });
});
