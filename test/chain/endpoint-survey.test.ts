import { type Hex, keccak256, toHex } from 'viem';
import { beforeEach, expect, test } from 'vitest';
import type { EndpointPool } from '../../src/chain/endpoint-pool.ts';
import { AdapterError } from '../../src/domain/errors.ts';
import { BASE, faultsOf, openPool, SITES, type Site, whichOf } from './endpoints.ts';

// Base counts a block from its fifth confirmation on: 996 where the newest is 1,000.

/** The newest block of each endpoint; null while it does not answer. From `forkedAt` on its blocks are of another branch. */
let nodes: Record<Site, { newest: number; forkedAt?: number } | null>;
/** The number of the block on which the ledger counts, of the branch without a fork; null when it has none. */
let anchor: number | null;
let pool: EndpointPool;
let now: number;

function hashOf(number: number, branch: 'main' | 'fork' = 'main'): Hex {
  return keccak256(toHex(`${branch} ${number}`));
}

function answerOf(site: Site, method: string, params: readonly unknown[]) {
  const node = nodes[site];
  if (node === null) return null;
  if (method === 'eth_chainId') return { result: toHex(BASE.id) };
  const { newest, forkedAt = Number.POSITIVE_INFINITY } = node;
  const number = params[0] === 'latest' ? newest : Number(params[0]);
  if (number > newest) return { result: null };
  const hash = hashOf(number, number >= forkedAt ? 'fork' : 'main');
  return { result: { number: toHex(number), hash, timestamp: toHex(1_790_000_000 + number * 2) } };
}

beforeEach(async () => {
  nodes = { one: { newest: 1_000 }, two: { newest: 1_000 }, three: { newest: 1_000 } };
  now = 1_790_000_000_000;
  anchor = 900;
  const anchorNow = async () => (anchor === null ? null : { number: BigInt(anchor), hash: hashOf(anchor) });
  ({ pool } = await openPool(answerOf, { anchor: anchorNow, clock: () => now }));
});

const which = () => whichOf(pool);
const faults = () => faultsOf(pool);
const named = (place: number) => expect.stringMatching(new RegExp(`^it has another block 996 than endpoint ${place} `));
const whys = () => pool.standings().map(({ fault }) => fault?.why ?? null);

test('security: a fork that is ahead is not followed: an endpoint with the block on which the ledger counts is', async () => {
  nodes.one = { newest: 2_000, forkedAt: 850 };
  nodes.three = { newest: 900 };
  expect(await which()).toBe('two');
  expect([faults(), whys()[0]]).toEqual([['forked', null, 'behind'], named(2)]);
  // Nothing else is left: the endpoint of the fork is not asked all the same.
  const fails = pool.ask(SITES, async (site) => {
    if (site !== 'two') return site;
    throw new AdapterError({ retry: 'safe', reason: 'timeout', message: 'chain base: the endpoint fails' });
  });
  await expect(fails).rejects.toMatchObject({ reason: 'timeout' });
  nodes.one = { newest: 2_000 };
  nodes.two = { newest: 1_995 };
  now += 60_000;
  expect([await which(), faults()]).toEqual(['one', [null, null, 'behind']]);
});

test('security: a fork that is behind is not followed, although it is the first to be asked', async () => {
  nodes.one = { newest: 999, forkedAt: 850 };
  expect([await which(), faults()]).toEqual(['two', ['forked', null, null]]);
});

test.each([
  ['it counts on none', null],
  ['both branches have it', 700],
  ['neither branch has it', 5_000],
])(
  'security: while nobody can tell by the ledger’s block which branch is right, because %s, none is followed',
  async (_why, block) => {
    anchor = block;
    nodes.one = { newest: 2_000, forkedAt: 850 };
    nodes.three = null;
    await expect(which()).rejects.toMatchObject({
      message: expect.stringContaining('endpoints differ in a settled block'),
    });
    expect([faults(), whys().slice(0, 2)]).toEqual([
      ['forked', 'forked', 'failed'],
      [named(2), named(1)],
    ]);
  },
);

test('security: a fork that begins after the endpoints were asked is found before anything is counted on', async () => {
  const asked: Site[] = [];
  const decided = await pool.decide(async () => {
    asked.push(await which());
    if (asked.length === 1) nodes.one = { newest: 2_000, forkedAt: 850 };
    now += 1_000;
    await pool.compare();
    return await which();
  });
  expect([asked, decided]).toEqual([['one', 'two'], 'two']);
});
