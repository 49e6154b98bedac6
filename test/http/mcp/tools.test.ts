import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/http/api/operations.ts';
import { seedGig } from '../../support/store.ts';
import { readDocument } from '../document.ts';
import { service, shareServed } from '../serve.ts';
import { DEGEN, knowDegen, TERMS } from '../terms.ts';
import { type Agent, connectAgent, type SeenTool } from './agents.ts';

const FINAL = ['awardTips', 'cancelGig', 'decideSubmissions', 'settleGig', 'startGig', 'stopGig'];

const TIP = { platform: 'farcaster', platform_user_id: '8004', value: '1' };
const { start_time, duration, gig_type, chain } = TERMS;
const GIG = { chain, token_address: DEGEN, amount: '10', start_time, duration, gig_type };

let agent: Agent;
let tools: readonly SeenTool[];
/** Of a live gig without tips. */
let gigId: number;
shareServed();
beforeAll(async () => {
  await knowDegen(service);
  gigId = (await seedGig(service.store, { live: true })).id;
  agent = await connectAgent(service, '2026-07-28', { 'x-api-key': service.key });
  tools = await agent.tools();
});
afterAll(() => agent.close());

function toolNamed(name: string): SeenTool {
  const found = tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return found;
}

const having = (hint: string, value: boolean) =>
  tools
    .filter(({ annotations }) => annotations[hint] === value)
    .map(({ name }) => name)
    .toSorted();

test('behavior: what only reads, what cannot be undone and what acts once is said of each tool', () => {
  const reads = OPERATIONS.filter(({ mcp, method }) => mcp !== undefined && method === 'get').map(({ id }) => id);
  expect(having('readOnlyHint', true)).toEqual(reads.toSorted());
  expect(having('destructiveHint', true)).toEqual(FINAL);
  expect(having('destructiveHint', false)).toEqual(['addGigOwner', 'changeGig', 'createGig', 'createPaidGig']);
  expect(having('idempotentHint', true)).toEqual([...FINAL, 'addGigOwner', 'createGig', 'createPaidGig'].toSorted());
});

test('behavior: the tools are listed in an order that stays, those for everybody first', () => {
  expect(tools.map(({ name }) => name)).toEqual([
    ...['findClaimable', 'listGigs', 'showGig', 'listGigTypes', 'findEarnings', 'findDraw', 'reportGig'],
    ...['createGig', 'changeGig', 'startGig', 'stopGig', 'settleGig', 'cancelGig', 'addGigOwner', 'awardTips'],
    ...['listTips', 'decideSubmissions', 'listEvents', 'findAccount', 'createPaidGig'],
  ]);
});

test('behavior: the arguments are the parameters and the fields of the body, without references', () => {
  expect(toolNamed('awardTips').inputSchema.required).toEqual(['id', 'tips', 'idempotency_key']);
  expect(Object.keys(toolNamed('awardTips').inputSchema.properties ?? {})).toEqual(['id', 'tips', 'idempotency_key']);
  expect(toolNamed('createGig').inputSchema.required).toEqual(
    expect.arrayContaining(['chain', 'token_address', 'amount', 'idempotency_key']),
  );
  expect(toolNamed('stopGig').inputSchema.required).toEqual(['id']);
  expect(Object.keys(toolNamed('stopGig').inputSchema.properties ?? {})).toEqual(['id', 'idempotency_key']);
  expect(toolNamed('findClaimable').inputSchema.required).toEqual(['identifiers']);
  expect(JSON.stringify(tools)).not.toContain('$ref');
});

test('behavior: no argument of a tool stands for two things', async () => {
  const { document } = await readDocument(service);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const { operationId, parameters = [], requestBody } of operations) {
    const sent = parameters.filter((parameter) => parameter.in === 'path' || parameter.in === 'query');
    const body = String(requestBody?.content?.['application/json']?.schema['$ref'] ?? '').replace(/^.*\//, '');
    const fields = Object.keys(document.components.schemas[body]?.['properties'] ?? {});
    const names = [...sent.map((parameter) => parameter.name), ...fields, 'idempotency_key'];
    expect([operationId, new Set(names).size]).toEqual([operationId, names.length]);
  }
});

/** The arguments, about the gig that there is where they say 1. */
const ofGig = (args: object) => ('id' in args && args.id === 1 ? { ...args, id: gigId } : { ...args });

describe('a call', () => {
  test.each([
    ['awardTips', { id: 1, tips: [TIP] }, 'idempotency_key is required'],
    ['addGigOwner', { id: 1, platform: 'farcaster', platform_user_id: '8004' }, 'idempotency_key is required'],
    ['stopGig', {}, 'id is required'],
    ['showGig', { id: null }, 'id is required'],
    [
      'stopGig',
      { id: 1, idempotency_key: 'zwei Wörter' },
      'idempotency_key must have 1 to 255 visible ASCII characters, without spaces',
    ],
  ])('error: of %s with %j says what is wrong, and does nothing', async (name, args, error) => {
    const { isError, text } = await agent.call(name, ofGig(args));
    expect([isError, JSON.parse(text)]).toEqual([
      true,
      { error, code: 'invalid_request', request_id: expect.any(String) },
    ]);
    for (const list of ['tips', 'owners']) {
      const url = `${service.origin}/api/gigs/${gigId}/${list}`;
      const answer = await fetch(url, { headers: { 'x-api-key': service.key } });
      expect([list, await answer.json()]).toEqual([list, expect.objectContaining({ data: [] })]);
    }
  });

  test.each([
    ['awardTips', { id: 1, tips: [] }, 'tips must be a list of 1 to 500 tips'],
    ['createGig', {}, 'amount must be'],
    ['addGigOwner', { id: 1, platform: 'farcaster', platform_user_id: '@alice' }, 'platform_user_id must be'],
    ['awardTips', { id: 1, tips: 'all', idempotency_key: 'a b' }, 'tips must be a list of 1 to 500 tips'],
  ])('error: of %s with %j tells the other problems beside that of the key', async (name, args, problem) => {
    const { isError, text } = await agent.call(name, ofGig(args));
    const { details, code } = JSON.parse(text);
    expect([isError, code, details.at(-1)]).toEqual([
      true,
      'validation_failed',
      expect.stringMatching(/^idempotency_key (is required|must have 1 to 255)/),
    ]);
    expect(details).toContainEqual(expect.stringContaining(problem));
  });

  test('behavior: an optional argument may be null where null means nothing, also in lists', async () => {
    const nulls = { platform: null, start: null, owners_may_award: null, owners: null };
    const created = await agent.call('createGig', { ...GIG, ...nulls, idempotency_key: 'nulls' });
    expect(created).toMatchObject({ isError: false });
    const { gig_id: id } = JSON.parse(created.text);
    // A title may be null: that removes it.
    const named = await agent.call('changeGig', { id, title: 'Likes', amount: null, duration: null });
    expect(JSON.parse(named.text)).toMatchObject({ data: { title: 'Likes' }, funding: { gig_balance: '10.0' } });
    expect(JSON.parse((await agent.call('changeGig', { id, title: null })).text).data.title).not.toBe('Likes');
    const decisions = [{ id: 1, award: '2.5', refuse: null, wait_seconds: null }];
    const decided = await agent.call('decideSubmissions', { id, decisions, idempotency_key: 'nulls' });
    expect(JSON.parse(decided.text).code).toBe('invalid_request');
    const missing = await agent.call('createGig', { ...GIG, chain: null, idempotency_key: 'no-chain' });
    expect(JSON.parse(missing.text).details).toEqual(['chain must be the key of a chain, such as base']);
  });

  test('behavior: what an error recommends is a tool, which says of which request it is', async () => {
    const refused = await agent.call('awardTips', {
      id: 1,
      tips: [{ ...TIP, platform_user_id: '@alice' }],
      idempotency_key: 'handle',
    });
    const [named = ''] = /(GET|POST|PATCH) \/api\/\S+/.exec(refused.text) ?? [];
    expect(named).toBe('GET /api/accounts');
    const recommended = tools.filter(({ description }) => description.includes(`\`${named}\``));
    expect(recommended.map(({ name }) => name)).toContain('findAccount');
    for (const { description } of tools)
      for (const [, path = ''] of description.matchAll(/`(?:GET|POST|PATCH) (\/api\/[^`]*)`/g))
        expect(tools.filter((tool) => tool.description.endsWith(`${path}\`.`)).length, path).toBeGreaterThan(0);
  });

  test('error: of createGig without terms says what the API says', async () => {
    const { isError, text } = await agent.call('createGig', { idempotency_key: 'a' });
    expect([isError, JSON.parse(text)]).toMatchObject([
      true,
      { code: 'validation_failed', details: expect.any(Array) },
    ]);
  });

  test.each(['../claim', '1/owners', '1?x=1', 'x', '\ud800'])(
    'security: cannot leave its path by the id %s',
    async (id) => {
      const { isError, text } = await agent.call('showGig', { id });
      expect([isError, JSON.parse(text).code]).toEqual([true, 'route_not_found']);
    },
  );
});
