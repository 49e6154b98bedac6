import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { assertSameAnswers, lookUp, sampleAccounts } from '../../bench/checks/answers.ts';
import { usersOf } from '../../bench/data/rows.ts';
import { prepareSqlite } from '../../bench/data/sqlite.ts';
import { type Program, startServer, untilAnswers } from '../../bench/processes.ts';
import { freePort } from '../../sandbox/port.ts';
import { temporaryFolder } from '../support/store.ts';

const TIPS = 10_000;
const folder = temporaryFolder();
let program: Program;
let honest: { name: string; port: number };

beforeAll(async () => {
  const path = await prepareSqlite(folder.path, TIPS);
  const port = await freePort(0);
  program = startServer(new URL('../../bench/rivals/node-sqlite.ts', import.meta.url).pathname, { port, path }, null);
  await untilAnswers(`http://127.0.0.1:${port}/api/claim?identifiers=1`);
  honest = { name: 'by hand', port };
});
afterAll(async () => {
  await program.stop();
  folder.remove();
});

/** Tells what the honest rival does, but for what `change` makes of one account's answer. */
async function startLiar(account: string, change: (answer: { status: number; text: string }) => object) {
  const server = createServer(async (request, response) => {
    const asked = new URL(request.url ?? '', 'http://rival.invalid').searchParams.get('identifiers') ?? '';
    const answer = await lookUp(honest, asked);
    const { status, text } = asked === account ? { ...answer, ...change(answer) } : answer;
    response.writeHead(status).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { name: 'liar', port: (server.address() as AddressInfo).port };
}

test('behavior: the sample has accounts of both platforms, some drawn, and the odd ones', () => {
  const accounts = sampleAccounts(usersOf(TIPS));
  expect(accounts.filter((account) => /^1\d{5}$/.test(account)).length).toBeGreaterThan(10);
  expect(accounts.filter((account) => account.startsWith('user_')).length).toBeGreaterThan(10);
  expect(accounts.slice(-3)).toEqual(['77', '99999999', '100100,user_100']);
});

test('behavior: contenders that answer the same pass, in whatever order they tell tips', async () => {
  const reversed = await startLiar('77', ({ text }) => {
    const { data, summary } = JSON.parse(text);
    for (const group of Object.values<{ tips: object[] }>(data)) group.tips.reverse();
    return { text: JSON.stringify({ summary, data }) };
  });
  await expect(assertSameAnswers([honest, reversed], sampleAccounts(usersOf(TIPS)))).resolves.toBeUndefined();
});

test.each([
  ['tips', 'leaves out a tip', (text: string) => text.replace(/"tips":\[\{[^{}]*\},/, '"tips":[')],
  ['sums', 'tells another sum', (text: string) => text.replace(/"totalValue":[\d.]+/, '"totalValue":1')],
  ['tips', 'tells another status of a tip', (text: string) => text.replace('"status":"pending"', '"status":"claimed"')],
  ['tokens', 'tells another token', (text: string) => text.replace('"name":"Degen"', '"name":"Other"')],
  ['tips', 'answers nothing to be claimed', () => '{"data":{},"summary":{"total_tokens":0,"total_gigs":0}}'],
])('error: a rival that lies about %s, because it %s, is named with the account', async (key, _how, lie) => {
  const liar = await startLiar('100100', ({ text }) => {
    expect(lie(text)).not.toBe(text);
    return { text: lie(text) };
  });
  await expect(assertSameAnswers([honest, liar], ['user_101', '100100'])).rejects.toThrow(
    `liar answers 100100 with other ${key} than by hand`,
  );
});

test('error: a rival that refuses is named with its status', async () => {
  const liar = await startLiar('77', () => ({ status: 500, text: 'no' }));
  await expect(assertSameAnswers([honest, liar], sampleAccounts(usersOf(TIPS)))).rejects.toThrow(
    'liar answers 77 with other status than by hand: 500, not 200',
  );
});
