import { toHex } from 'viem';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EndpointPool } from '../../src/chain/endpoint-pool.ts';
import { EndpointUnfit, RpcFault } from '../../src/chain/rpc/fault.ts';
import { AdapterError, type AdapterReason, DomainError, type Retry } from '../../src/domain/errors.ts';
import { BroadcastRefused, type Objection } from '../../src/domain/payments/payer-chain.ts';
import { createLog } from '../../src/log.ts';
import type { JsonRpcServer } from '../support/json-rpc.ts';
import { faultsOf, openPool, SITES, type Site, whichOf } from './endpoints.ts';

const HASH = `0x${'ab'.repeat(32)}`;

/** What each endpoint says of its chain; null while it does not answer. */
let nodes: Record<Site, { chainId: number; newest: number } | null>;
let servers: JsonRpcServer[];
let pool: EndpointPool;
let now: number;
let lines: string[];

beforeEach(async () => {
  const well = { chainId: 8453, newest: 1_000 };
  nodes = { one: { ...well }, two: { ...well }, three: { ...well } };
  now = 1_790_000_000_000;
  lines = [];
  const answerOf = (site: Site, method: string) => {
    const node = nodes[site];
    if (node === null) return null;
    if (method === 'eth_chainId') return { result: toHex(node.chainId) };
    return { result: { number: toHex(node.newest), hash: HASH, timestamp: toHex(1_790_000_000 + node.newest * 2) } };
  };
  const urlOf = (url: string) => `${url.replace('//', '//user:fake-pass@')}/fake-path-key?key=fake-query-key`;
  const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  ({ pool, servers } = await openPool(answerOf, { urlOf, clock: () => now, log }));
});

const REVERTED = new RpcFault(
  { retry: 'never', reason: 'bad_response', message: 'reverted' },
  { code: 3, text: 'reverted', data: '0x', reverted: true, basis: 'type' },
);

function fault(reason: AdapterReason, retry: Retry = 'safe', retryAfterMs?: number): AdapterError {
  return new AdapterError({ retry, reason, message: 'chain base: the endpoint fails', retryAfterMs });
}

const which = () => whichOf(pool);
const faults = () => faultsOf(pool);

/** Asks the endpoint of the decision, which fails. */
function fails(error: Error): Promise<never> {
  return pool.ask(SITES, () => Promise.reject(error));
}

/** Fails at these endpoints, and says which answers instead. */
function failsAt(failing: readonly Site[], error: Error = fault('timeout')): Promise<Site> {
  return pool.ask(SITES, (site) => (failing.includes(site) ? Promise.reject(error) : Promise.resolve(site)));
}

describe('a decision', () => {
  test('behavior: asks the first endpoint that is well', async () => {
    expect([await which(), await which()]).toEqual(['one', 'one']);
    expect(faults()).toEqual([null, null, null]);
  });

  test('behavior: passes over one that lags, and asks it again once it has caught up', async () => {
    nodes.one = { chainId: 8453, newest: 980 };
    expect(await which()).toBe('two');
    expect(faults()).toEqual(['behind', null, null]);
    nodes.one = { chainId: 8453, newest: 1_000 };
    now += 30_000;
    expect(await which()).toBe('one');
  });

  test('behavior: asks one that lags when no other answers', async () => {
    nodes.one = { chainId: 8453, newest: 980 };
    nodes.two = null;
    expect(await which()).toBe('three');
    nodes.three = null;
    now += 30_000;
    expect(await which()).toBe('one');
    expect(faults()).toEqual([null, 'failed', 'failed']);
  });

  test('security: asks an endpoint of another chain for nothing but its chain id', async () => {
    nodes.one = { chainId: 1, newest: 5_000 };
    expect(await which()).toBe('two');
    expect(await failsAt(['two'])).toBe('three');
    expect(new Set(servers[0]?.asked)).toEqual(new Set(['eth_chainId']));
    expect(pool.standings()[0]).toMatchObject({
      newest: null,
      fault: { kind: 'other_chain', why: 'it serves chain id 1, expected 8453' },
    });
  });

  test('behavior: begins anew at another endpoint when its own fails, which is asked again after half a minute', async () => {
    const asked: Site[] = [];
    const result = await pool.decide(async () => {
      for (let question = 0; question < 3; question += 1) {
        await pool.ask(SITES, async (site) => {
          asked.push(site);
          if (site === 'one' && question === 1) throw fault('unreachable');
        });
      }
      return 'decided';
    });
    expect(result).toBe('decided');
    expect(asked).toEqual(['one', 'one', 'two', 'two', 'two']);
    expect(await which()).toBe('two');
    now += 30_000;
    expect(await which()).toBe('one');
  });

  test('security: asks one endpoint alone, however its questions are nested and whatever fails meanwhile', async () => {
    const asked: Site[] = [];
    const ask = () => pool.ask(SITES, async (site) => void asked.push(site));
    await pool.decide(async () => {
      await ask();
      await Promise.all([ask(), pool.decide(ask), pool.decide(() => Promise.all([ask(), ask()]))]);
      // What it catches does not send the rest of it elsewhere.
      await fails(fault('timeout')).catch(() => asked.push('one'));
      now += 60_000;
      await ask();
    });
    expect(asked).toEqual(Array.from({ length: 7 }, () => 'one'));
    expect(await failsAt([])).toBe('one');
  });

  test('behavior: after one that has caught a failure the next asks another endpoint', async () => {
    await pool.decide(() => fails(fault('server_error')).catch(() => undefined));
    expect(await which()).toBe('two');
  });

  test('behavior: decisions at the same time have endpoints of their own', async () => {
    const { promise: failed, resolve } = Promise.withResolvers<void>();
    const slow = pool.decide(async () => {
      const before = await which();
      await failed;
      return [before, await which()];
    });
    await failsAt(['one']);
    resolve();
    expect(await slow).toEqual(['one', 'one']);
    expect(await which()).toBe('two');
  });

  test('behavior: what one has begun and not waited for goes on as decisions of its own', async () => {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const { later } = await pool.decide(async () => {
      await which();
      return { later: over.then(which) };
    });
    await failsAt(['one']);
    resolve();
    expect(await later).toBe('two');
  });

  test.each([
    ['a failure that a service has put into its own words', new DomainError({ code: 'chain_not_found' })],
    ['the failure itself', null],
  ])('behavior: begins anew after %s', async (_, words) => {
    const decided = await pool.decide(async () => {
      const site = await which();
      if (site !== 'one') return site;
      const error = fault('timeout');
      await fails(error).catch(() => undefined);
      throw words ?? error;
    });
    expect(decided).toBe('two');
  });

  test.each([
    ['a contract that refuses', REVERTED],
    ['a contract that is no token', fault('bad_response', 'never')],
    ['a contract that is not there', fault('not_found', 'never')],
    ['a refusal of the service', new DomainError({ code: 'chain_not_found' })],
    ['a defect', new TypeError('defect')],
  ])('error: is not made again for %s', async (_, error) => {
    let runs = 0;
    const decision = pool.decide(() => {
      runs += 1;
      return fails(error);
    });
    await expect(decision).rejects.toBe(error);
    expect(runs).toBe(1);
    expect(await which()).toBe('one');
  });

  test('error: is not made again for a defect after a failure', async () => {
    const defect = new TypeError('defect');
    const work = () => fails(fault('timeout')).catch(() => Promise.reject(defect));
    await expect(pool.decide(work)).rejects.toBe(defect);
  });

  test('error: fails when every endpoint has failed in it, each once', async () => {
    const asked: Site[] = [];
    const decision = pool.ask(SITES, (site) => {
      asked.push(site);
      return Promise.reject(fault('rate_limited'));
    });
    await expect(decision).rejects.toMatchObject({ reason: 'rate_limited' });
    expect(asked).toEqual(['one', 'two', 'three']);
    // All have failed a moment ago: they are as good as each other.
    expect(await which()).toBe('one');
  });

  test('error: begins anew at none that lags, does not answer, or serves another chain', async () => {
    nodes.two = { chainId: 8453, newest: 900 };
    nodes.three = null;
    await expect(failsAt(['one'])).rejects.toMatchObject({ reason: 'timeout' });
    nodes.two = { chainId: 1, newest: 1_000 };
    await expect(failsAt(['one'])).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('behavior: leaves an endpoint that lacks something alone for ten minutes', async () => {
    const message = 'chain base: the endpoint ignores EIP-7702 in simulations';
    expect(await failsAt(['one'], new EndpointUnfit({ retry: 'never', reason: 'bad_response', message }))).toBe('two');
    now += 599_999;
    expect(await which()).toBe('two');
    now += 1;
    expect(await which()).toBe('one');
  });

  test('behavior: leaves an endpoint alone for as long as it asks to wait, and no longer after the clock was set back', async () => {
    expect(await failsAt(['one'], fault('rate_limited', 'safe', 120_000))).toBe('two');
    now += 60_000;
    expect(await which()).toBe('two');
    now -= 90_000;
    expect(await which()).toBe('one');
  });

  test('behavior: says which endpoint failed, and when one answered last', async () => {
    expect(pool.lastSuccess()).toBeNull();
    await failsAt(['one']);
    expect(pool.lastSuccess()).toBe(now);
    const [one, two] = servers.map(({ url }) => new URL(url).host);
    const named = { chain: 'base', endpoint: `endpoint 1 (${one})`, other: `endpoint 2 (${two})` };
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { ...named, msg: 'endpoint failed; another is asked' },
    ]);
  });

  test('security: no secret of a URL is in the names of endpoints, in why they are passed over, or in the log', async () => {
    nodes.two = null;
    nodes.three = { chainId: 1, newest: 1_000 };
    await expect(failsAt(['one', 'two', 'three'])).rejects.toThrow('fails');
    nodes.two = { chainId: 8453, newest: 900 };
    now += 60_000;
    expect(await which()).toBe('one');
    const told = JSON.stringify([pool.standings(), lines], (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    expect(told).toContain(`endpoint 2 (${new URL(servers[1]?.url ?? '').host})`);
    expect(told).not.toMatch(/fake|user/);
  });
});

describe('signed bytes', () => {
  const refused = (objection: Objection, retry: Retry = 'safe') => {
    const message = `refused: ${objection}`;
    return new BroadcastRefused({ retry, reason: 'rejected', message }, { objection, words: objection });
  };
  const unknown = fault('timeout', 'unknown');

  /** Offers them to endpoints that answer so. @returns which were asked, and how it ended */
  async function offer(
    answers: Partial<Record<Site, Error>>,
    { again = false, unknownTo = [] }: { again?: boolean; unknownTo?: readonly Site[] } = {},
  ): Promise<{ asked: Site[]; error: unknown }> {
    const asked: Site[] = [];
    const offered = pool.offer(SITES, {
      hash: HASH,
      again,
      isKnown: async (site) => !unknownTo.includes(site),
      broadcast: async (site) => {
        asked.push(site);
        const error = answers[site];
        if (error !== undefined) throw error;
      },
    });
    return { error: (await offered.catch((thrown: unknown) => thrown)) ?? null, asked };
  }

  test('behavior: are offered until one endpoint takes them', async () => {
    expect(await offer({})).toEqual({ asked: ['one'], error: null });
    expect(await offer({ one: unknown, two: refused('too_cheap') })).toEqual({ asked: [...SITES], error: null });
  });

  test('security: may have been taken as long as one endpoint did not say that it refuses them', async () => {
    const answers = { one: refused('too_large'), two: unknown, three: refused('other') };
    expect(await offer(answers)).toEqual({ asked: [...SITES], error: unknown });
  });

  test('security: are refused when all that read them refuse them, by the words that leave most open', async () => {
    const [large, spent] = [refused('too_large'), refused('not_now', 'unknown')];
    const notRead = fault('unauthorized', 'never');
    expect((await offer({ one: large, two: refused('other'), three: notRead })).error).toBe(large);
    now += 60_000;
    expect((await offer({ one: large, two: spent, three: large })).error).toBe(spent);
  });

  test('security: are offered to no endpoint of another chain, and to none that lags or does not answer', async () => {
    nodes.two = { chainId: 1, newest: 1_000 };
    nodes.three = { chainId: 8453, newest: 900 };
    const large = refused('too_large');
    expect(await offer({ one: large })).toEqual({ asked: ['one'], error: large });
  });

  test('behavior: are offered again to all endpoints, also to one that lags, and one that takes them is enough', async () => {
    nodes.two = { chainId: 8453, newest: 900 };
    const large = refused('too_large');
    expect(await offer({})).toEqual({ asked: ['one'], error: null });
    const again = await offer({ one: large, three: unknown }, { again: true });
    expect({ ...again, asked: again.asked.toSorted() }).toEqual({ asked: ['one', 'three', 'two'], error: null });
    expect((await offer({ one: large, two: large, three: large }, { again: true })).error).toBe(large);
  });

  test('security: an endpoint that took them and does not know them is asked last for ten minutes, and named', async () => {
    await offer({});
    await offer({}, { again: true, unknownTo: ['one', 'three'] });
    // The third one had taken nothing before.
    expect([await which(), faults()]).toEqual(['two', ['failed', null, null]]);
    expect(pool.standings()[0]?.fault?.why).toBe(`it took transaction ${HASH}, and does not know it`);
    expect(lines.join()).toContain('endpoint is troubled');
    now += 600_000;
    expect([await which(), faults()]).toEqual(['one', [null, null, null]]);
  });

  test('behavior: are offered first to the endpoint of the decision, whose other questions stay there', async () => {
    await failsAt(['one']);
    const asked = await pool.decide(async () => [await which(), (await offer({ two: unknown })).asked, await which()]);
    expect(asked).toEqual(['two', ['two', 'three'], 'two']);
  });
});
