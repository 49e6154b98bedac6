import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Address } from '../../src/domain/gigs/token.ts';
import { MOST_UNPAID, UNPAID_MS } from '../../src/domain/x402/deposit.ts';
import { fundToken } from '../support/anvil.ts';
import { readReady } from '../support/clients.ts';
import { deployWallet } from '../support/sign-in-contracts.ts';
import { FUNDING, NETWORK, openPaidWorld, type PaidAnswer, type PaidWorld, UNIT } from '../support/x402.ts';

let paid: PaidWorld;
let ahead = 0;
const clock = () => Date.now() + ahead;

async function open(env: Record<string, string> = {}): Promise<void> {
  paid = await openPaidWorld({ env: { TRUSTED_PROXIES: '1', ...env }, clock });
}

beforeEach(async () => {
  ahead = 0;
});
afterEach(() => paid.close());

function idOf({ body }: PaidAnswer): number {
  const id = body.data?.gig_id ?? body.extensions?.gig?.info.gig_id;
  if (id === undefined) throw new Error(`no gig in ${JSON.stringify(body)}`);
  return id;
}

/** As a client at another address behind the proxy. */
function from(address: string): typeof fetch {
  return (input, init) => {
    const request = new Request(input, init);
    request.headers.set('x-forwarded-for', address);
    return fetch(request);
  };
}

async function runTask(name: string): Promise<void> {
  const task = paid.world.runtime.tasks.find((each) => each.name === name);
  await task?.run(
    async () => undefined,
    async () => undefined,
  );
}

describe('gigs that wait for their payment', () => {
  test('security: are ten a minute from one address, and a hundred in all', async () => {
    await open();
    const create = (place: number, address: string) => paid.create(from(address), { amount: String(100 + place) });
    for (let place = 0; place < 10; place += 1) expect((await create(place, '203.0.113.1')).status).toBe(402);
    const more = await create(10, '203.0.113.1');
    expect([more.status, more.body.code]).toEqual([429, 'rate_limited']);
    // A repeat creates nothing, so it is not counted.
    expect((await create(3, '203.0.113.1')).status).toBe(402);
    for (let place = 10; place < MOST_UNPAID; place += 1) {
      const answer = await create(place, `203.0.113.${2 + Math.floor(place / 10)}`);
      expect(answer.status, JSON.stringify(answer.body)).toBe(402);
    }
    const full = await create(MOST_UNPAID, '203.0.113.200');
    expect([full.status, full.body.code, full.headers.get('retry-after')]).toEqual([503, 'x402_full', '60']);
    ahead += UNPAID_MS + 1;
    await runTask('cancel unpaid gigs');
    expect((await create(MOST_UNPAID, '203.0.113.200')).status).toBe(402);
  });

  test('behavior: are cancelled after ten minutes, and a key that named one says so', async () => {
    await open();
    const [keyed, keyless] = [await paid.create(fetch, { key: 'k' }), await paid.create()];
    ahead += UNPAID_MS - 5_000;
    await runTask('cancel unpaid gigs');
    expect((await paid.store.gig(idOf(keyed)))?.cancelledAt).toBeNull();
    ahead += 5_001;
    await runTask('cancel unpaid gigs');
    for (const answer of [keyed, keyless]) expect((await paid.store.gig(idOf(answer)))?.cancelledAt).not.toBeNull();
    expect((await paid.create(fetch, { key: 'k' })).body).toMatchObject({ code: 'gig_cancelled' });
    const late = await paid.create(fetch, { header: await paid.signFor(await paid.agent(), keyed) });
    expect(late.body).toMatchObject({ code: 'gig_cancelled' });
    expect(idOf(await paid.create())).not.toBe(idOf(keyless));
  });

  test('behavior: start when anybody funds them, and then cost nothing', async () => {
    await open();
    const asked = await paid.create(fetch, { key: 'k' });
    const gig = await paid.store.gig(idOf(asked));
    await fundToken(paid.token, gig?.walletAddress ?? '0x', FUNDING);
    const answer = await paid.create(fetch, { key: 'k' });
    expect([answer.status, answer.body.data?.status, answer.body.data?.payer]).toEqual([201, 'live', null]);
    const agent = await paid.agent();
    expect((await paid.create(fetch, { header: await paid.signFor(agent, asked) })).status).toBe(201);
    expect(await paid.held(agent.address)).toBe(1_000n * UNIT);
  });

  test('security: are not paid while their wallet holds something else: they would never start', async () => {
    await open();
    const asked = await paid.create();
    const gig = await paid.store.gig(idOf(asked));
    await fundToken(paid.token, gig?.walletAddress ?? '0x', 1n);
    const agent = await paid.agent();
    const answer = await paid.create(fetch, { header: await paid.signFor(agent, asked) });
    expect([answer.status, answer.body.error]).toEqual([402, 'invalid_transaction_state']);
    expect(await paid.held(agent.address)).toBe(1_000n * UNIT);
    ahead += UNPAID_MS + 1;
    await runTask('cancel unpaid gigs');
    expect((await paid.store.gig(idOf(asked)))?.cancelledAt).not.toBeNull();
  });

  test('security: are not made of another token, of an amount that it cannot carry, or for more gas than the day has', async () => {
    await open({ GAS_BUDGET_X402_DAY: '1' });
    const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
    for (const change of [{ token_address: native }, { amount: '0.0000001' }]) {
      const answer = await paid.create(fetch, change);
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
    }
    expect(await paid.store.lastGigId()).toBe(0);
    const asked = await paid.create();
    const agent = await paid.agent();
    const full = await paid.create(fetch, { header: await paid.signFor(agent, asked) });
    expect([full.status, full.body.code]).toEqual([503, 'x402_full']);
    expect(await paid.store.depositOf(idOf(asked))).toBeNull();
  });

  test('behavior: are off without X402=true', async () => {
    await open({ X402: 'false' });
    const answer = await paid.create();
    expect([answer.status, answer.body.code]).toEqual([503, 'x402_off']);
    expect(await (await fetch(`${paid.world.url}/skill.md`)).text()).toContain('needs an API key');
  });
});

describe('a payer', () => {
  test('behavior: that is a contract pays by its own word, and owns the gig on its chain alone', async () => {
    await open();
    const key = privateKeyToAccount(generatePrivateKey());
    const wallet = await deployWallet(`0x${key.address.slice(2).toLowerCase()}`);
    await fundToken(paid.token, wallet, FUNDING);
    const asked = await paid.create();
    const signer = { address: wallet, signTypedData: key.signTypedData.bind(key) };
    const client = new x402Client().register(NETWORK, new ExactEvmScheme(signer as never));
    client.setSpendControls(false);
    const payload = await client.createPaymentPayload(asked.body as never);
    const answer = await paid.create(fetch, { header: Buffer.from(JSON.stringify(payload)).toString('base64') });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(await paid.store.gig(idOf(asked))).toMatchObject({
      client: `owner:wallet:31337:${wallet}`,
      refundTo: wallet,
    });
  });

  test('behavior: is who the terms name for refunds, where they name somebody', async () => {
    await open();
    const refund = `0x${'7'.repeat(40)}` as Address;
    const asked = await paid.create(fetch, { refund_address: refund });
    const answer = await paid.create(fetch, { header: await paid.signFor(await paid.agent(), asked) });
    expect(answer.status).toBe(201);
    expect(await paid.store.gig(idOf(asked))).toMatchObject({ refundAddress: refund, refundTo: null });
  });
});

describe('programs and operators', () => {
  test('behavior: an agent pays by the tool, which says what to pay as structured content', async () => {
    await open();
    const agent = await paid.agent();
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(`${paid.world.url}/mcp`)));
    const args = { ...paid.terms, idempotency_key: 'order-1' };
    const asked = await client.callTool({ name: 'createPaidGig', arguments: args });
    expect(asked).toMatchObject({
      isError: true,
      structuredContent: { x402Version: 2, accepts: [{ scheme: 'exact' }] },
    });
    const stock = new x402Client().register(NETWORK, new ExactEvmScheme(agent));
    stock.setSpendControls(false);
    const payment = await stock.createPaymentPayload(asked.structuredContent as never);
    const done = await client.callTool({ name: 'createPaidGig', arguments: args, _meta: { 'x402/payment': payment } });
    expect(done).toMatchObject({
      structuredContent: { data: { status: 'live', payer: agent.address } },
      _meta: { 'x402/payment-response': { success: true, network: NETWORK } },
    });
    await client.close();
  });

  test('behavior: the program of docs/api.md pays for a gig', async () => {
    await open();
    const key = generatePrivateKey();
    await fundToken(paid.token, `0x${privateKeyToAccount(key).address.slice(2).toLowerCase()}`, FUNDING);
    const text = readFileSync('docs/api.md', 'utf8');
    const [, program = ''] = /^## Gigs without a key$[\s\S]*?^```js\n([\s\S]*?)^```$/m.exec(text) ?? [];
    const folder = mkdtempSync(join('node_modules', '.cache-x402-'));
    try {
      writeFileSync(join(folder, 'pay.mjs'), program);
      const env = {
        ...process.env,
        SERVICE: paid.world.url,
        AGENT_KEY: key,
        NETWORK,
        TOKEN: paid.token.address,
        TERMS: JSON.stringify(paid.terms),
      };
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'pay.mjs')], { env });
      expect(stdout).toMatch(/^201 live /);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('behavior: one page tells an agent what to do, and holds no secret', async () => {
    await open();
    const index = await (await fetch(`${paid.world.url}/llms.txt`)).text();
    expect(index).toContain(`${paid.world.url}/skill.md`);
    const skill = await fetch(`${paid.world.url}/skill.md`);
    expect(skill.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const text = await skill.text();
    expect(text).toContain(`POST ${paid.world.url}/api/gigs/create/x402`);
    expect(text).toContain('a fee of 5 %');
    for (const word of paid.mnemonic.split(' ').slice(0, 3))
      expect(text.split(/\s+/).includes(word) && word.length > 6).toBe(false);
    expect(await (await fetch(paid.world.url)).text()).toContain('/skill.md');
  });

  test('behavior: a payment that waits for ten minutes is told to the operator', async () => {
    await open();
    const asked = await paid.create();
    const gigId = idOf(asked);
    const authorization = {
      payer: `0x${'9'.repeat(40)}`,
      amount: FUNDING,
      validAfter: 0,
      validBefore: 4_000_000_000,
    } as const;
    const bytes = { nonce: `0x${'1'.repeat(64)}`, signature: `0x${'2'.repeat(130)}` } as const;
    const kept = {
      ...authorization,
      ...bytes,
      gigId,
      chainId: 31337,
      settler: 'facilitator',
      signer: 'key',
      keptBlock: 1n,
    } as const;
    await paid.store.transaction((tx) => tx.keepDeposit(kept, clock()));
    const late = async () => (await readReady(paid.world)).reasons.filter(({ kind }) => kind === 'deposit_late');
    expect(await late()).toEqual([]);
    ahead += 10 * 60_000;
    expect(await late()).toMatchObject([{ subject: `gig ${gigId}` }]);
  });

  test('security: a gig keeps its payer, and a second authorization of it is not kept', async () => {
    await open();
    const asked = await paid.create();
    const gigId = idOf(asked);
    const answer = await paid.create(fetch, { header: await paid.signFor(await paid.agent(), asked) });
    expect(answer.status).toBe(201);
    const { store } = paid;
    expect(await store.transaction((tx) => tx.payX402Gig(gigId, 'owner:wallet:0x1'))).toBe(false);
    const change = paid.world.database.sql('update gigs set client = ? where id = ?', 'owner:wallet:0x1', gigId);
    await expect(change).rejects.toThrow(/a gig keeps its client/);
    const deposit = await store.depositOf(gigId);
    if (deposit === null) throw new Error('there is no deposit');
    const again = { ...deposit, nonce: `0x${'3'.repeat(64)}` } as const;
    await expect(store.transaction((tx) => tx.keepDeposit(again, clock()))).rejects.toThrow();
    const bytes = paid.world.database.sql('update deposits set nonce = ? where gig_id = ?', again.nonce, gigId);
    await expect(bytes).rejects.toThrow(/keeps its authorization/);
  });
});
