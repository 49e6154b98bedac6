import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../../src/domain/operators/actor.ts';
import { isPublic } from '../../../src/http/api/operation-route.ts';
import { OPERATIONS } from '../../../src/http/api/operations.ts';
import { seedGig, seedTips } from '../../support/store.ts';
import { service, shareServed } from '../serve.ts';
import { DEGEN, knowDegen, TERMS } from '../terms.ts';
import { type Agent, connectAgent, REVISIONS, type Revision } from './agents.ts';

// test/http/mcp/tools.test.ts has the names by hand, docs/api.md the scopes.
const TOOLS = OPERATIONS.filter(({ mcp }) => mcp !== undefined);
const PUBLIC = TOOLS.filter(isPublic).map(({ id }) => id);
const KEYED = TOOLS.filter((operation) => !isPublic(operation));
const WITH_SCOPE = [...Map.groupBy(KEYED, ({ scope }) => scope)].map(
  ([scope, operations]) => [scope, operations.map(({ id }) => id)] as const,
);
const WITH_KEY = KEYED.map(({ id }) => id);

const agents: Agent[] = [];
shareServed();
beforeAll(() => knowDegen(service));
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
});

async function connect(revision: Revision, headers: Record<string, string> = {}): Promise<Agent> {
  const agent = await connectAgent(service, revision, headers);
  agents.push(agent);
  return agent;
}

const keyOf = async (name: string, scopes: readonly Scope[]) => (await service.newKey({ name, scopes })).key;
const namesOf = async (agent: Agent) => (await agent.tools()).map(({ name }) => name).toSorted();
const { start_time, duration, gig_type, chain } = TERMS;
const GIG = { chain, token_address: DEGEN, amount: '10', start_time, duration, gig_type };

describe.each(REVISIONS)('an agent of the revision %s', (revision) => {
  test('behavior: lists, looks up, creates, is refused, and gets one gig for one name', async () => {
    const agent = await connect(revision, { authorization: `Bearer ${service.key}` });
    expect(await namesOf(agent)).toEqual([...PUBLIC, ...WITH_KEY].toSorted());

    const account = { platform: 'farcaster', platformUserId: '8004' } as const;
    await seedTips(service.store, await seedGig(service.store), [account]);
    const found = await agent.call('findClaimable', { identifiers: '8004' });
    expect(found).toMatchObject({ isError: false, structured: { summary: { total_tokens: 1 } } });
    expect(JSON.parse(found.text)).toEqual(found.structured);

    const request = { ...GIG, idempotency_key: `gig-${revision}` };
    const created = await agent.call('createGig', request);
    expect(created).toMatchObject({ isError: false, structured: { gig_balance: '10.0' } });
    expect(await agent.call('createGig', request)).toEqual(created);
    const other = await agent.call('createGig', { ...request, amount: '11' });
    expect([other.isError, JSON.parse(other.text).code]).toEqual([true, 'key_reused']);

    const { gig_id: id } = JSON.parse(created.text);
    const refused = await agent.call('startGig', { gig_id: id });
    expect(refused).toMatchObject({ isError: true, structured: undefined });
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'gig_not_funded', error: { details: expect.any(Array) } });
    const changed = await agent.call('changeGig', { id, amount: '20' });
    expect(changed).toMatchObject({ isError: false, structured: { funding: { gig_balance: '20.0' } } });
    expect(await agent.call('showGig', { id })).toMatchObject({ isError: false, structured: { data: { id } } });
    expect(await agent.call('listGigs', { limit: 1, status: 'all' })).toMatchObject({
      structured: { data: [expect.anything()] },
    });
  });

  test('security: without a key it has what is public alone, and the API refuses the rest', async () => {
    const agent = await connect(revision);
    expect(await namesOf(agent)).toEqual(PUBLIC.toSorted());
    const before = await service.store.gigs({ limit: 1, phase: 'all', now: 0 });
    for (const name of WITH_KEY) {
      const { isError, text } = await agent.call(name, { ...GIG, id: 1, gig_id: 1, idempotency_key: 'a', tips: [] });
      expect([name, isError, JSON.parse(text).code]).toEqual([name, true, 'invalid_api_key']);
    }
    expect(await service.store.gigs({ limit: 1, phase: 'all', now: 0 })).toEqual(before);
  });

  test.each(WITH_SCOPE)('security: a key with %s has the tools %j besides, and no others', async (scope, names) => {
    const agent = await connect(revision, { 'x-api-key': await keyOf('shop', [scope as Scope]) });
    expect(await namesOf(agent)).toEqual([...PUBLIC, ...names].toSorted());
    for (const name of WITH_KEY.filter((other) => !names.includes(other))) {
      const { isError, text } = await agent.call(name, { ...GIG, id: 1, gig_id: 1, idempotency_key: 'a', tips: [] });
      expect([name, isError, JSON.parse(text).code]).toEqual([name, true, 'scope_missing']);
    }
  });

  test('security: a gig of another client is not found', async () => {
    const gig = await seedGig(service.store, { live: true });
    await service.store.transaction((tx) => tx.assignGig(gig.id, 'rival'));
    const agent = await connect(revision, {
      'x-api-key': await keyOf('shop', ['gigs:read', 'gigs:write', 'tips:write']),
    });
    const tips = [{ platform: 'farcaster', platform_user_id: '1', value: '1' }];
    for (const [name, args] of [
      ['listTips', {}],
      ['stopGig', {}],
      ['awardTips', { tips, idempotency_key: 'a' }],
    ] as const) {
      const { isError, text } = await agent.call(name, { id: gig.id, ...args });
      expect([name, isError, JSON.parse(text).code]).toEqual([name, true, 'gig_not_found']);
    }
  });

  test('error: a key that is not valid lists nothing and calls nothing', async () => {
    const agent = await connect(revision, { 'x-api-key': 'gck_wrong' });
    await expect(agent.tools()).rejects.toThrow('Invalid API key');
    const { isError, text } = await agent.call('listTips', { id: 1 });
    expect([isError, JSON.parse(text).code]).toEqual([true, 'invalid_api_key']);
  });

  test('error: a tool that is not offered is no tool', async () => {
    const agent = await connect(revision, { 'x-api-key': service.key });
    await expect(agent.call('claimRewards', { url: 'https://x.com/a/status/1' })).rejects.toThrow(
      'no tool claimRewards',
    );
  });
});
