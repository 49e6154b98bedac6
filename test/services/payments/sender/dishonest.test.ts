import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createChains, createEndpointPools, createPayerChains } from '../../../../src/chain/registry.ts';
import { createWallets } from '../../../../src/chain/wallets.ts';
import type { ChainReader } from '../../../../src/domain/chains/chain.ts';
import type { Address } from '../../../../src/domain/gigs/token.ts';
import { createLog } from '../../../../src/log.ts';
import { paymentsBlocked } from '../../../../src/services/operators/conditions/payments.ts';
import { findBlocked } from '../../../../src/services/payments/held-up.ts';
import { deployToken, freshAddress, type TestToken } from '../../../support/anvil.ts';
import { DISHONEST, type Dishonest } from '../../../support/dishonest.ts';
import { ANVIL } from '../../../support/payer.ts';
import { type RpcProxyServer, serveRpcProxy } from '../../../support/rpc-proxy.ts';
import { createAudits, payElsewhere } from '../../audits/auditing.ts';
import { ALICE, type Cashier, openCashier } from '../../cashier.ts';

/** How each of the two endpoints is dishonest; null while it is not. */
let ways: [Dishonest | null, Dishonest | null];
let proxies: RpcProxyServer[];
let names: string[];
let cashier: Cashier;
let reader: ChainReader;
/** What the endpoints’ pool has logged. */
let lines: string[];
let token: TestToken;

/** An endpoint of the shared node. */
function serve(place: 0 | 1): Promise<RpcProxyServer> {
  return serveRpcProxy(inject('anvilUrl'), async ({ method, params, forward }) => {
    const way = ways[place];
    if (way === null) return undefined;
    const deliver = async () => {
      const answer = await forward();
      if (typeof answer === 'function') throw new TypeError('a node answers in JSON');
      return answer;
    };
    return await way({ method, params: Array.isArray(params) ? params : [], deliver });
  });
}

beforeEach(async () => {
  ways = [null, null];
  proxies = await Promise.all([serve(0), serve(1)]);
  names = proxies.map(({ url }, index) => `endpoint ${index + 1} (${new URL(url).host})`);
  const wallets = createWallets(generateMnemonic(wordlist));
  const [first = '', second = ''] = proxies.map(({ url }) => url);
  const given = { endpoints: [{ chain: ANVIL, rpcUrls: [first, second] as const }], clock: () => cashier.clock() };
  lines = [];
  const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  const options = { ...given, pools: createEndpointPools({ ...given, log }) };
  const payer = createPayerChains({ ...options, wallets }).payer(ANVIL.id);
  reader = createChains(options).reader(ANVIL.id);
  cashier = await openCashier({ wallets, timing: { renumberBlocks: 3n }, wrap: () => payer });
  await cashier.fundTank(10n ** 18n);
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
});
afterEach(async () => {
  await cashier.close();
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

/** Has alice claim a tip of 10. */
async function claim(): Promise<Address> {
  const recipient = freshAddress();
  await cashier.gig({ asset: token, tips: [{ account: ALICE, amount: 10n }], reward: 100n });
  await cashier.claim(cashier.post(ALICE, `claim my rewards ${recipient}`));
  return recipient;
}

/** Has blocks come, with steps of the payments after each. */
async function pass(blocks: number): Promise<void> {
  for (let each = 0; each < blocks; each += 1) {
    await cashier.look();
    await cashier.node.mine({ blocks: 1 });
    cashier.advance(5_000);
  }
  await cashier.look();
}

async function blocked(): Promise<string[]> {
  const found = await findBlocked(cashier, { chainIds: [ANVIL.id] });
  return found.map(({ chainId, ...what }) => paymentsBlocked.tell(chainId, what).text);
}

test.each([
  ['first', 0],
  ['second', 1],
] as const)(
  'security: while the %s of two endpoints lies about a payment nobody is paid twice, and both are named',
  async (_which, liar) => {
    ways[liar] = DISHONEST.lies;
    const recipient = await claim();
    await pass(7);
    expect(await cashier.held(token, recipient)).toBe(10n);
    if (liar === 0) {
      const [text = '', ...others] = await blocked();
      expect(others).toEqual([]);
      expect(names.filter((name) => text.includes(name))).toEqual(names);
    }
    ways[liar] = null;
    await pass(7);
    expect(await cashier.held(token, recipient)).toBe(10n);
    expect(await cashier.payments('payout')).toMatchObject([{ state: 'confirmed', recipient, amount: 10n }]);
    expect(await blocked()).toEqual([]);
  },
);

test('security: of two endpoints the first takes transactions and forgets them: they are paid by the second, and the first is named', async () => {
  ways[0] = DISHONEST.forgets;
  const recipient = await claim();
  await pass(6);
  expect(await cashier.held(token, recipient)).toBe(10n);
  expect(reader.endpoints().map(({ fault }) => fault?.why ?? null)).toEqual([
    expect.stringMatching(/^it took transaction 0x[0-9a-f]{64}, and does not know it$/),
    null,
  ]);
  const other = await claim();
  await pass(1);
  expect(await cashier.held(token, other)).toBe(10n);
});

test('security: payments whose transaction every endpoint takes and forgets say so after five minutes', async () => {
  ways = [DISHONEST.forgets, DISHONEST.forgets];
  const recipient = await claim();
  await pass(61);
  expect(await blocked()).toEqual([expect.stringContaining('no block does: it was signed more than 5 minutes ago')]);
  ways = [null, null];
  await pass(5);
  expect([await cashier.held(token, recipient), await blocked()]).toEqual([10n, []]);
});

test('security: of two endpoints the first hides receipts and events: nobody waits for that, and it is in the log', async () => {
  ways[0] = DISHONEST.hides;
  await claim();
  await pass(2);
  expect(await cashier.payments('payout')).toMatchObject([{ state: 'confirmed' }]);
  // What another instance has paid is found as well.
  const recipient = await claim();
  const [, planned] = await cashier.payments('payout');
  const gig = await cashier.store.gig(planned?.gigId ?? 0);
  const [tip] = await cashier.store.tipsOfPayment(planned?.id ?? 0);
  if (gig === null || tip === undefined) throw new Error('nothing is planned');
  await payElsewhere(cashier, gig, { to: recipient, amount: 10n, numbers: [BigInt(tip.number)] });
  await pass(3);
  expect(await cashier.payments('payout')).toMatchObject([{ state: 'confirmed' }, { state: 'confirmed', recipient }]);
  expect(await cashier.held(token, recipient)).toBe(10n);
  expect(lines.join()).toContain('endpoint does not tell what another does');
});

test('security: of two endpoints the first hides marks as well: what is paid never counts as failed', async () => {
  ways[0] = DISHONEST.hidesAll;
  const recipients = [await claim(), await claim()];
  await pass(3);
  const paid = recipients.map((recipient) => ({ state: 'confirmed', failures: 0, recipient }));
  expect(await cashier.payments('payout')).toMatchObject(paid);
  expect(lines.join()).toContain('endpoint does not tell what another does');
});

test('security: while both endpoints hide marks, what is paid waits, and is known as paid once one shows them', async () => {
  ways = [DISHONEST.hidesMarks, DISHONEST.hidesMarks];
  const recipient = await claim();
  await pass(9);
  const reason = 'already paid on chain; waiting for that block to settle';
  expect(await cashier.payments('payout')).toMatchObject([{ state: 'planned', reason }]);
  ways[1] = null;
  await pass(8);
  expect(await cashier.payments('payout')).toMatchObject([{ state: 'confirmed', recipient }]);
  expect(await cashier.held(token, recipient)).toBe(10n);
});

test('security: a block on which the ledger counts, and which the first of two endpoints lacks, is asked of the second', async () => {
  await claim();
  await pass(2);
  const [made] = await cashier.payments('payout');
  ways[0] = DISHONEST.forgetsBlocks;
  const recipient = await claim();
  await pass(2);
  // Nothing was taken back, and the payment went on.
  expect(await cashier.payments('payout')).toMatchObject([{ ...made }, { state: 'confirmed', recipient }]);
});

describe('marks of confirmed payments that the first of two endpoints hides', () => {
  /** Three payments are confirmed, and the ledger counts on a block that no endpoint has. */
  async function confirmThree() {
    for (let each = 0; each < 3; each += 1) await claim();
    await pass(2);
    const anchor = await cashier.store.chainAnchor(ANVIL.id);
    if (anchor === null) throw new Error('nothing has settled');
    const lost = { ...anchor, hash: `0x${'ab'.repeat(32)}` } as const;
    await cashier.store.transaction((tx) => tx.setChainAnchor(ANVIL.id, lost));
    return await cashier.payments('payout');
  }

  test('security: are asked of the second before payments are taken back', async () => {
    const made = await confirmThree();
    expect(made.map(({ state }) => state)).toEqual(['confirmed', 'confirmed', 'confirmed']);
    ways[0] = DISHONEST.hidesMarks;
    await pass(1);
    expect(await cashier.payments('payout')).toEqual(made);
    expect(lines.join()).toContain('endpoint does not tell what another does');
  });

  test('security: one that no endpoint has is taken back alone', async () => {
    const [gone, ...others] = await confirmThree();
    const wallet = gone?.wallet.toLowerCase() ?? '';
    ways[0] = DISHONEST.hidesMarks;
    ways[1] = (question) =>
      String(question.params[0]).toLowerCase() === wallet ? DISHONEST.hidesMarks(question) : question.deliver();
    await cashier.look();
    const [now, ...kept] = await cashier.payments('payout');
    expect([now?.state === 'confirmed', kept]).toEqual([false, others]);
  });

  test('security: leave the audit of their gig proven', async () => {
    const audits = createAudits(cashier, { payer: cashier.paying.payer });
    await audits.gig({ asset: token, tips: [{ account: ALICE, amount: 10n }], reward: 100n });
    await cashier.claim(cashier.post(ALICE, `claim my rewards ${freshAddress()}`));
    await pass(2);
    ways[0] = DISHONEST.hidesMarks;
    const { audit, frozen } = await audits.only();
    expect([audit.unproved, audit.problems, frozen]).toEqual([[], [], null]);
  });
});
