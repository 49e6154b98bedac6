import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDocument } from '../document.ts';
import { type ServedService, serveService } from '../serve.ts';
import { type Agent, connectAgent, type SeenTool } from './agents.ts';

const FINAL = ['awardTips', 'cancelGig', 'decideSubmissions', 'settleGig', 'startGig', 'stopGig'];

let service: ServedService;
let agent: Agent;
let tools: readonly SeenTool[];
beforeAll(async () => {
  service = await serveService();
  agent = await connectAgent(service, '2026-07-28', { 'x-api-key': service.key });
  tools = await agent.tools();
});
afterAll(async () => {
  await agent.close();
  await service.close();
});

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
  const reads = [
    'findClaimable',
    'findDraw',
    'findEarnings',
    'listEvents',
    'listGigTypes',
    'listGigs',
    'listTips',
    'reportGig',
    'showGig',
  ];
  expect(having('readOnlyHint', true)).toEqual(reads);
  expect(having('destructiveHint', true)).toEqual(FINAL);
  expect(having('destructiveHint', false)).toEqual(['addGigOwner', 'changeGig', 'createGig']);
  expect(having('idempotentHint', true)).toEqual([...FINAL, 'addGigOwner', 'createGig'].toSorted());
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

describe('a call', () => {
  test.each([
    ['awardTips', { id: 1, tips: [] }, 'idempotency_key is required'],
    ['createGig', {}, 'idempotency_key is required'],
    ['stopGig', {}, 'id is required'],
    ['showGig', { id: null }, 'id is required'],
    [
      'stopGig',
      { id: 1, idempotency_key: 'zwei Wörter' },
      'idempotency_key must have 1 to 255 visible ASCII characters, without spaces',
    ],
  ])('error: of %s with %j says what is wrong', async (name, args, error) => {
    const { isError, text } = await agent.call(name, args);
    expect([isError, JSON.parse(text)]).toEqual([
      true,
      { error, code: 'invalid_request', request_id: expect.any(String) },
    ]);
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
