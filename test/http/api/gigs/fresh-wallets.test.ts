import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { numberToHex, parseEther } from 'viem';
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createWallets, type Wallets } from '../../../../src/chain/wallets.ts';
import { checksummed } from '../../../../src/domain/gigs/token.ts';
import {
  anvilClients,
  deployToken,
  fundNative,
  fundToken,
  mined,
  placeCode,
  type TestToken,
} from '../../../support/anvil.ts';
import { serveRpcProxy } from '../../../support/rpc-proxy.ts';
import { runTwice } from '../../../support/run-twice.ts';
import { speakingToken, textAnswer, tokenByBlockHash } from '../../../support/token.ts';
import { forThisTest, openService, type Service, type ServiceOptions } from '../../service.ts';
import { invalid, refusal, TERMS, told } from '../../terms.ts';

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

let wallets: Wallets;
let token: TestToken;
beforeEach(async () => {
  wallets = createWallets(generateMnemonic(wordlist));
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
});

async function open(options: ServiceOptions = {}): Promise<Service> {
  const service = await forThisTest(openService({ wallets, ...options }));
  return service;
}

const create = (service: Service, terms: object = {}, headers: Record<string, string> = {}) =>
  told(service.send('POST', '/api/gigs/create', { ...TERMS, token_address: token.address, ...terms }, headers));

/** Spends a nonce of a gig's wallet, and leaves nothing in it. */
async function spendNonce(id: number): Promise<void> {
  const account = wallets.gigAccount(id);
  const { test: node, wallet } = anvilClients();
  await node.setBalance({ address: account.address, value: parseEther('1') });
  await mined(await wallet.sendTransaction({ account, to: account.address, value: 0n }));
  await node.setBalance({ address: account.address, value: 0n });
}

describe('a new gig', () => {
  test('security: passes over every wallet that has a nonce, code, native or token balance, for ever', async () => {
    await spendNonce(1);
    await anvilClients().test.setCode({ address: wallets.gigAddress(2), bytecode: '0x00' });
    await fundNative(wallets.gigAddress(3), 1n);
    await fundToken(token, wallets.gigAddress(4), 1n);
    const service = await open();
    expect(await create(service)).toMatchObject({ status: 201, body: { gig_id: 5 } });
    expect(await create(service)).toMatchObject({ status: 201, body: { gig_id: 6 } });
    for (const id of [1, 2, 3, 4]) expect(await service.store.gig(id)).toBeNull();
    const passed = service.lines.filter(({ msg }) => msg === 'gig id skipped permanently: its wallet was used before');
    expect(passed.map(({ gigId }) => gigId)).toEqual([1, 2, 3, 4]);
  });

  test('behavior: is made once when its transaction is undone and runs again, and a repeated request takes no id', async () => {
    const service = await open({ wrap: runTwice });
    const key = { 'idempotency-key': 'order-1' };
    // An id that an undone transaction took stays taken.
    expect(await create(service, {}, key)).toMatchObject({ status: 201, body: { gig_id: 2 } });
    expect(await create(service, {}, key)).toMatchObject({ status: 201, body: { gig_id: 2 } });
    expect(await create(service)).toMatchObject({ status: 201, body: { gig_id: 4 } });
  });

  test('security: gets no lost gig’s funded wallet after an older backup, and cannot start on its money', async () => {
    const before = await open();
    const { body } = await create(before, { amount: 100 });
    expect(body).toMatchObject({ gig_id: 1, total_amount: '105.0' });
    await fundToken(token, wallets.gigAddress(1), 105_000_000n);
    // Another database with the same words is what a backup from before the gig was.
    const restored = await open();
    expect(await create(restored, { amount: 100 })).toMatchObject({ status: 201, body: { gig_id: 2 } });
    expect(await told(restored.start(2))).toMatchObject({ status: 400 });
    expect(await told(restored.start(1))).toMatchObject({ status: 404 });
  });

  test('security: in a token that shows a balance everywhere is refused by name, and takes no id', async () => {
    const service = await open();
    const liar = await placeCode(
      speakingToken({
        name: textAnswer('Liar'),
        symbol: textAnswer('LIE'),
        decimals: numberToHex(18, { size: 32 }),
        balanceOf: numberToHex(1, { size: 32 }),
      }),
    );
    for (let request = 0; request < 3; request += 1) {
      expect(await create(service, { token_address: liar })).toEqual(
        invalid(
          `token_address must be a token that counts honestly: ${checksummed(liar)} on chain anvil shows balances at addresses that were never used`,
        ),
      );
    }
    expect(await service.store.lastGigId()).toBe(0);
    expect(await create(service)).toMatchObject({ status: 201, body: { gig_id: 1 } });
  });

  test('security: in a token that answers by the hash of the block is made or refused, and skips one id at most', async () => {
    const service = await open();
    const liar = await placeCode(tokenByBlockHash(token.address));
    const seen = new Set<number>();
    for (let request = 0; request < 24; request += 1) {
      const before = await service.store.lastGigId();
      const { status } = await create(service, { token_address: liar });
      seen.add(status);
      const skipped = (await service.store.lastGigId()) - before - (status === 201 ? 1 : 0);
      expect(skipped === 0 || skipped === 1).toBe(true);
      await fundNative(wallets.gasTankAddress(), 1n);
      await anvilClients().test.mine({ blocks: 1 });
    }
    expect([...seen].toSorted()).toEqual([201, 400]);
  });

  test('error: tries a bounded number of ids, and the next request goes on after them', async () => {
    const { test: node } = anvilClients();
    for (let id = 1; id <= 25; id += 1) await node.setBalance({ address: wallets.gigAddress(id), value: 1n });
    const service = await open();
    expect(await create(service, {}, { 'idempotency-key': 'k' })).toMatchObject({ status: 503 });
    expect(await create(service, {}, { 'idempotency-key': 'k' })).toMatchObject({ status: 201, body: { gig_id: 26 } });
  });

  test('error: is not created while the chain does not answer, its key stays free, and no id is lost', async () => {
    let isDown = false;
    const proxy = await serveRpcProxy(inject('anvilUrl'), ({ method }) =>
      isDown && method === 'eth_getCode' ? Promise.resolve((response) => response.writeHead(503).end()) : undefined,
    );
    onTestFinished(proxy.close);
    const service = await open({ rpcUrl: proxy.url });
    expect(await create(service)).toMatchObject({ status: 201, body: { gig_id: 1 } });
    isDown = true;
    const headers = { 'idempotency-key': 'once' };
    expect(await create(service, {}, headers)).toMatchObject(refusal(503, expect.any(String)));
    expect(await service.store.gigs({ phase: 'all', now: 0, limit: 9 })).toHaveLength(1);
    isDown = false;
    const created = await create(service, {}, headers);
    expect(created).toMatchObject({ status: 201, body: { gig_id: 2 } });
    expect(await create(service, {}, headers)).toEqual(created);
  });

  test('behavior: fifty at once get fifty ids, and each its own fresh wallet', async () => {
    await fundNative(wallets.gigAddress(7), 1n);
    const service = await open();
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(service)));
    const ids = answers.map(({ body }) => (body as { gig_id: number }).gig_id);
    const expected = [...Array.from({ length: 51 }, (_, index) => index + 1)].filter((id) => id !== 7);
    expect(ids.toSorted((a, b) => a - b)).toEqual(expected);
  });
});

describe('a gig that changes its token', () => {
  test('security: is refused one that its wallet holds already, and any while the wallet was used', async () => {
    const other = await deployToken({ decimals: 6, symbol: 'OLD' });
    await fundToken(other, wallets.gigAddress(1), 105_000_000n);
    const service = await open();
    expect(await create(service)).toMatchObject({ status: 201, body: { gig_id: 1 } });
    const patch = (terms: object) => told(service.send('PATCH', '/api/gigs/1', terms));
    expect(await patch({ token_address: other.address })).toEqual(
      invalid('The wallet of this gig was used on chain anvil already: create another gig for OLD'),
    );
    expect(await patch({ amount: 20 })).toMatchObject({ status: 200 });
    expect(await patch({ token_address: NATIVE })).toMatchObject({ status: 200 });
    await fundNative(wallets.gigAddress(1), 1n);
    expect(await patch({ token_address: token.address })).toMatchObject({ status: 400 });
  });

  test('security: keeps its token once money came, so that another refund address cannot be set with the new one', async () => {
    const other = await deployToken({ decimals: 6, symbol: 'NEW' });
    const service = await open();
    expect(await create(service, { refund_address: wallets.gigAddress(99) })).toMatchObject({ status: 201 });
    await fundToken(token, wallets.gigAddress(1), 1n);
    const patch = (terms: object) => told(service.send('PATCH', '/api/gigs/1', terms));
    const details = ['token_address cannot be changed: the wallet of this gig holds 0.000001 USDC already'];
    const refused = invalid(...details);
    expect(await patch({ token_address: other.address })).toEqual(refused);
    expect(await patch({ token_address: NATIVE, refund_address: null })).toEqual(refused);
    expect(await patch({ amount: 20, token_address: token.address })).toMatchObject({ status: 200 });
  });
});
