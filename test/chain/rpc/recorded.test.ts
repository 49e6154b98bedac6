import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { numberToHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPayerChains } from '../../../src/chain/registry.ts';
import { createEndpoint } from '../../../src/chain/rpc/endpoint.ts';
import { isOfEndpoint } from '../../../src/chain/rpc/fault.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { type Chain, chainById } from '../../../src/domain/chains/chain.ts';

/** What an endpoint once answered, and what has to come of it. */
interface Recorded {
  readonly methods: readonly string[];
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A list where it answers a batch. */
  readonly body?: unknown;
  /** In place of a body that is no JSON. */
  readonly text?: string;
  readonly must: /** By the endpoint, so that another one may do better. Without a reason, several are right. */
    | { readonly fails: { readonly reason?: string; readonly retry: string } }
    | { readonly reverts: true }
    /** How many blocks at a time, of so many, by an endpoint that answers so when it is asked for more at once. */
    | { readonly lists: number; readonly of: number }
    | { readonly events: number }
    | { readonly takes: true }
    | { readonly refuses: { readonly objection: string; readonly retry: string } }
    | { readonly costs: string }
    /** A number in decimal digits, or bytes. */
    | { readonly answers: string }
    | { readonly nothing: true }
    /** What it refuses in a batch is asked for alone. */
    | { readonly alone: true };
}

interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** How many questions a batch has. */
const TOGETHER = 4;
const BASE = chainById(8453) as Chain;
const TO = '0x00000000000000000000000000000000000000aa';
const HASH = `0x${'44'.padStart(64, '0')}` as const;
/** Its wallets are the ones in the recorded answers. */
const WALLETS = createWallets('test test test test test test test test test test test junk');
const FOLDER = join(import.meta.dirname, '../../recorded/rpc');
const FILES = globSync('*.json', { cwd: FOLDER }).toSorted();

const read = (file: string): Recorded => JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));

let recorded: Recorded;
/** How many blocks each question for events covered. */
let spans: number[];

function spanOf([filter]: readonly unknown[]): number {
  const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
  return Number(toBlock) - Number(fromBlock) + 1;
}

/** What a well endpoint answers; null for what is recorded. */
function wellAnswer({ method, params }: Question): { result: unknown } | null {
  const { must } = recorded;
  if (method === 'eth_chainId') return { result: numberToHex(BASE.id) };
  if ('alone' in must && method === 'eth_call') return { result: '0x' };
  if (method === 'eth_getBlockByNumber')
    return { result: { hash: `0x${'55'.padStart(64, '0')}`, baseFeePerGas: '0x1' } };
  if (!('lists' in must)) return null;
  spans.push(spanOf(params));
  return spanOf(params) > must.lists ? null : { result: [] };
}

const answerTo = (asked: unknown, body: object) =>
  JSON.stringify({ jsonrpc: '2.0', ...body, id: (asked as Question).id });

function recordedText(asked: unknown): string {
  const { body, text } = recorded;
  return text ?? (Array.isArray(asked) ? JSON.stringify(body) : answerTo(asked, body as object));
}

const server = createServer((request, response) => {
  void json(request).then((asked) => {
    const well = Array.isArray(asked) ? null : wellAnswer(asked as Question);
    const { status, headers } =
      well === null ? recorded : { status: 200, headers: { 'content-type': 'application/json' } };
    response.writeHead(status, headers).end(well === null ? recordedText(asked) : answerTo(asked, well));
  });
});
let rpcUrl: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server's address is an object, never a pipe's name.
  rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Asks as the service does, through the adapter that reads such an answer. */
function ask(method: string): Promise<unknown> {
  const limits = { clock: Date.now, retries: 0, timeoutMs: 60_000, deadlineMs: 60_000 };
  const endpoints = [{ chain: BASE, rpcUrls: [rpcUrl] }] as const;
  const payer = createPayerChains({ endpoints, wallets: WALLETS, ...limits }).payer(BASE.id);
  if (method === 'eth_getTransactionReceipt') return payer.inclusion([HASH]);
  if (method === 'eth_sendRawTransaction') return payer.broadcast('0x02');
  if (method === 'eth_getLogs') {
    const blocks = 'lists' in recorded.must ? recorded.must.of : 1;
    return payer.paidEvents({ wallets: [WALLETS.gigAddress(1)], from: 16n, to: 15n + BigInt(blocks) });
  }
  const endpoint = createEndpoint({ chain: BASE, rpcUrl, ...limits });
  return endpoint.run<unknown>((rpc) => {
    const call = () => rpc.data({ method: 'eth_call', params: [{ to: TO }, 'latest'] });
    if (method === 'batch') return Promise.all(Array.from({ length: TOGETHER }, call));
    if (method === 'eth_call') return call();
    return rpc.quantity(
      method === 'eth_gasPrice' ? { method } : { method: 'eth_estimateGas', params: [{ to: TO }, 'latest'] },
    );
  });
}

async function expectOf(answer: Promise<unknown>): Promise<void> {
  const { must } = recorded;
  if ('fails' in must) {
    const fault = await answer.catch((error: unknown) => error);
    expect(fault).toMatchObject({ name: 'AdapterError', ...must.fails });
    expect(fault).not.toMatchObject({ reverted: true });
    expect(fault).toSatisfy(isOfEndpoint);
  } else if ('reverts' in must) await expect(answer).rejects.toMatchObject({ retry: 'never', reverted: true });
  else if ('refuses' in must) await expect(answer).rejects.toMatchObject(must.refuses);
  else if ('takes' in must) expect(await answer).toBeUndefined();
  else if ('costs' in must) expect(await answer).toMatchObject({ cost: BigInt(must.costs) });
  else if ('answers' in must) expect(String(await answer)).toBe(must.answers);
  else if ('nothing' in must) expect(await answer).toBeNull();
  else if ('alone' in must) expect(await answer).toEqual(Array.from({ length: TOGETHER }, () => '0x'));
  else if ('events' in must) expect(await answer).toHaveLength(must.events);
  else {
    expect(await answer).toEqual([]);
    expect(spans.filter((span) => span === must.lists)).toHaveLength(must.of / must.lists);
  }
}

describe.each(FILES)('the recorded answer %s', (file) => {
  test.each(read(file).methods)(`behavior: to %s is read as ${JSON.stringify(read(file).must)}`, async (method) => {
    recorded = read(file);
    spans = [];
    await expectOf(ask(method));
  });
});

/** Whose answer it is: a provider, a node or a repository. */
const projectOf = ({ source }: { readonly source: string }) => source.replace(/[\s#;,].*/, '');

test('behavior: there is a recorded answer to each method whose words decide, with its source', () => {
  const all = FILES.map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')));
  expect(all.filter(({ source, when }) => !source || !/^20\d\d(-\d\d)?$/.test(when))).toEqual([]);
  const projects = new Set(all.map(projectOf));
  process.stdout.write(`recorded of nodes: ${all.length} answers of ${projects.size} projects\n`);
  expect(all.length).toBeGreaterThanOrEqual(244);
  expect(projects.size).toBeGreaterThanOrEqual(83);
  expect([...new Set(all.flatMap(({ methods }) => methods))].toSorted()).toEqual([
    'batch',
    'eth_call',
    'eth_estimateGas',
    'eth_gasPrice',
    'eth_getLogs',
    'eth_getTransactionReceipt',
    'eth_sendRawTransaction',
  ]);
});
