import { describe, expect, onTestFinished, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { findGigPayments } from '../../../src/services/gigs/tips/find-gig-payments.ts';
import { voidTips } from '../../../src/services/gigs/tips/void-tip.ts';
import { freshAddress, fundNative, fundToken, placeCode } from '../../support/anvil.ts';
import type { Answer } from '../../support/json-rpc.ts';
import { createPayer, type PayerOptions } from '../../support/payer.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { stepPayments } from '../../support/steps.ts';
import { SEEDED_AT, seedConfirmed, seedGig, seedHash, seedTips } from '../../support/store.ts';
import { REVERTING } from '../../support/token.ts';
import { ALICE, BOB } from '../cashier.ts';
import { auditsPerCase, createAudits, payElsewhere } from './auditing.ts';

const ETHER = 10n ** 18n;

const { cashier, audits, token } = auditsPerCase();

const claim = (account = ALICE) => cashier.claim(cashier.post(account, `claim my rewards ${freshAddress()}`));
/** The audits through another endpoint. */
function auditsAt(url: string, options: PayerOptions = {}) {
  return createAudits(cashier, { payer: createPayer({ ...options, url, wallets: cashier.wallets }).payer });
}

async function serveProxy(answer: Parameters<typeof serveRpcProxy>[1]) {
  const proxy = await serveRpcProxy(cashier.url, answer);
  onTestFinished(proxy.close);
  return proxy;
}

const twoTips = [
  { account: ALICE, amount: 250_000n },
  { account: BOB, amount: 1n },
];

describe('a gig that adds up', () => {
  test('behavior: holds what was funded, less what was paid and moved as fee', async () => {
    const gig = await audits.gig({ asset: token, fee: 50_000n, tips: twoTips });
    expect((await audits.only()).audit).toMatchObject({ held: 1_050_000n, expected: 1_050_000n, problems: [] });
    await audits.planFee(gig);
    await claim();
    await claim(BOB);
    await cashier.settle();
    const { audit, frozen, change } = await audits.only();
    expect(audit).toMatchObject({ held: 749_999n, expected: 749_999n, problems: [], unproved: [], notes: [] });
    expect([frozen, change]).toEqual([null, null]);
  });

  test('behavior: in the native asset holds what it owes to the wei, because the gas tank pays for everything', async () => {
    const tips = [{ account: ALICE, amount: ETHER / 2n }];
    const gig = await audits.gig({ asset: 'native', reward: ETHER, fee: ETHER / 20n, tips });
    await audits.planFee(gig);
    await claim();
    await cashier.settle();
    const { audit } = await audits.only();
    expect(audit).toMatchObject({ held: ETHER / 2n, expected: ETHER / 2n, problems: [], unproved: [], notes: [] });
  });

  test('behavior: still does when somebody sends more into its wallet; that is said and stops nothing', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    await fundToken(token, gig.walletAddress, 5n);
    const { audit, frozen } = await audits.only();
    expect(audit.problems).toEqual([]);
    expect(audit.notes).toEqual(['the wallet holds 0.000005 USDC more than it must; this is harmless']);
    expect(frozen).toBeNull();
  });

  test('behavior: while a payment is under way nothing is proved, and nothing is frozen', async () => {
    await audits.gig({ asset: token, tips: twoTips });
    await claim();
    while ((await cashier.payments('payout'))[0]?.state !== 'sent') await stepPayments(cashier.paying);
    const [sent] = await cashier.payments('payout');
    expect(sent?.state).toBe('sent');
    const { audit, frozen } = await audits.only();
    expect(audit.problems).toEqual([]);
    // As soon as its block is a settled one, the payment is one that the ledger does not know yet, too.
    expect(audit.unproved).toContain('0.25 USDC may have left the wallet with payments that are under way');
    expect(frozen).toBeNull();
    await cashier.settle();
    expect((await audits.only()).audit).toMatchObject({ problems: [], unproved: [], held: 750_000n });
  });

  test('behavior: what another instance has paid is taken into the ledger first', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    const to = freshAddress();
    const hash = await payElsewhere(cashier, gig, { to, amount: 250_000n, numbers: [0n] });
    const { audit } = await audits.only();
    expect(audit).toMatchObject({ held: 750_000n, expected: 750_000n, problems: [], unproved: [] });
    expect(await cashier.payments('payout')).toMatchObject([
      { state: 'confirmed', recipient: to, hash, claimId: null },
    ]);
    await expect(claim()).rejects.toThrow('no_tips');
  });

  test('behavior: what was paid for tips that the ledger has lost can be awarded to nobody else', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    const { store } = cashier;
    await payElsewhere(cashier, gig, { to: freshAddress(), amount: 749_990n, numbers: [5n] });
    const { audit } = await audits.only();
    expect(audit).toMatchObject({ held: 250_010n, expected: 250_010n, problems: [], unproved: [] });
    const lost = await store.gig(gig.id);
    expect(lost?.awardedAmount).toBe(999_991n);
    const found = await findGigPayments({ store }, { gig: lost ?? gig });
    expect(found).toMatchObject({ paid: 749_990n, waiting: 250_001n, left: 9n });
    const [next] = await seedTips(store, gig, [{ ...ALICE, amount: 9n }]);
    expect(next?.number).toBe(6);

    // Also of numbers that are nowhere near those that the ledger knows.
    await payElsewhere(cashier, gig, { to: freshAddress(), amount: 7n, numbers: [2n ** 40n] });
    expect((await audits.only()).audit).toMatchObject({
      held: 250_003n,
      expected: 250_003n,
      problems: [],
      unproved: [],
    });
    expect((await store.gig(gig.id))?.awardedAmount).toBe(1_000_007n);

    // A reorganisation that takes it back gives the money back as well.
    const [stray] = await cashier.payments('payout');
    expect(stray?.amount).toBe(749_990n);
    await store.transaction((tx) => tx.unconfirmPayment(stray?.id ?? 0, { reason: 'gone', now: SEEDED_AT }));
    expect((await store.gig(gig.id))?.awardedAmount).toBe(250_017n);
  });

  test('behavior: a gig that was frozen by an audit pays again; one that the operator froze does not', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    const change = { reason: 'the node was confused', now: SEEDED_AT };
    await cashier.store.transaction((tx) => tx.freezeGig(gig.id, change));
    expect(await audits.only()).toMatchObject({ change: 'released', frozen: null });
    await cashier.store.transaction((tx) => tx.freezeByOperator(gig.id, 'its key leaked'));
    await claim();
    const { audit, frozen, change: none } = await audits.only();
    expect([frozen, none]).toEqual(['its key leaked', null]);
    expect(audit.waiting).toBe(1);
  });

  test('security: a void tip that the chain has paid is said', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    const { store, clock } = cashier;
    const [tip] = (await store.pendingTips([ALICE])).tips;
    if (tip === undefined) throw new Error('no tip');
    const actor = audits.deps.actor;
    await voidTips({ store, clock }, { tipIds: [tip.id], reason: 'a mistake', actor });
    await payElsewhere(cashier, gig, { to: freshAddress(), amount: 250_000n, numbers: [BigInt(tip.number)] });
    const { audit, frozen } = await audits.only();
    expect(audit).toMatchObject({ held: 750_000n, expected: 750_000n, problems: [], unproved: [] });
    expect(audit.notes).toEqual([`tip ${tip.id} is void, and the chain has paid it`]);
    expect(frozen).toBeNull();
  });
});

describe('a gig that does not add up', () => {
  test('security: because its key was used elsewhere, pays nothing any more until the money is back', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    await fundNative(gig.walletAddress, ETHER);
    await audits.steal(gig, token, 7n);
    const { audit, frozen, change } = await audits.only();
    const missing = 'the wallet holds 0.999993 USDC and must hold 1 USDC: 0.000007 USDC are missing';
    expect(audit.problems).toEqual([missing]);
    expect([frozen, change]).toEqual([`it does not add up: ${missing}`, 'frozen']);
    await claim();
    await cashier.look();
    const reason = expect.stringContaining(missing);
    expect(await cashier.payments('payout')).toMatchObject([{ state: 'planned', reason }]);
    expect(await audits.only()).toMatchObject({ change: null, frozen: `it does not add up: ${missing}` });

    await fundToken(token, gig.walletAddress, 7n);
    expect(await audits.only()).toMatchObject({ change: 'released', frozen: null });
    cashier.advance(10_000);
    await cashier.settle();
    expect(await cashier.payments('payout')).toMatchObject([{ state: 'confirmed' }]);
  });

  test('security: in the native asset is found by what is missing', async () => {
    const gig = await audits.gig({ asset: 'native', reward: ETHER, tips: [{ account: ALICE, amount: ETHER / 2n }] });
    await audits.stealNative(gig, 1n);
    const { audit, change } = await audits.only();
    expect(audit.problems).toEqual([expect.stringContaining('are missing')]);
    expect(change).toBe('frozen');
  });
});

describe('what is not proved', () => {
  test('security: a payment that the chain does not show is no proof, and freezes nothing', async () => {
    await audits.gig({ asset: token, tips: twoTips });
    await claim();
    const [payout] = await cashier.payments('payout');
    await seedConfirmed(cashier.store, payout?.id ?? 0, { hash: seedHash(1), blockNumber: 1n });
    const { audit, change } = await audits.only();
    expect(audit.unproved).toEqual(['the ledger has numbers as paid that the chain does not: 0']);
    expect(change).toBeNull();
  });

  test('security: marks without an event are not guessed at', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    await payElsewhere(cashier, gig, { to: freshAddress(), amount: 250_000n, numbers: [0n] });
    const proxy = await serveProxy(({ method }) =>
      method === 'eth_getLogs' ? Promise.resolve({ result: [] }) : undefined,
    );
    const [result] = await auditsAt(proxy.url).reconcile();
    expect(result?.audit?.unproved).toEqual(['the wallet has paid something that the ledger does not know yet']);
  });

  test('error: a chain that does not answer changes nothing', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    const [result] = await auditsAt('http://127.0.0.1:1', { retries: 0 }).reconcile();
    expect(result).toMatchObject({ audit: null, error: expect.stringContaining('could not be reached'), change: null });
    expect(await cashier.store.gigFreeze(gig.id)).toBeNull();
  });

  test('security: a token that answers nonsense hides no other gig', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    const odd = { ...token, address: await placeCode(REVERTING) };
    await audits.gig({ asset: odd, tips: [], funds: 0n });
    await fundNative(gig.walletAddress, ETHER);
    await audits.steal(gig, token, 1n);
    const [first, second] = await audits.reconcile();
    expect(first?.change).toBe('frozen');
    expect(second).toMatchObject({ change: null, frozen: null, audit: { held: null, problems: [] } });
    expect(second?.audit?.unproved).toEqual(['its token contract does not answer with the balance of the wallet']);
  });

  test('security: a token that answers millions of bytes hides no other gig', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    const odd = { ...token, address: freshAddress() };
    await audits.gig({ asset: odd, tips: [], funds: 0n });
    const proxy = await serveProxy(({ method, params }) =>
      method === 'eth_call' && (params as [{ to: string }])[0].to === odd.address
        ? Promise.resolve({ result: `0x${'00'.repeat(4_900_000)}` })
        : undefined,
    );
    const [first, second] = await auditsAt(proxy.url).reconcile();
    expect(first).toMatchObject({ gig: { id: gig.id }, audit: { held: 1_000_000n, problems: [] } });
    expect(second?.audit?.unproved).toEqual(['its token contract does not answer with the balance of the wallet']);
  });

  test.each([
    ['late', (response) => void response.on('close', () => response.destroy())],
    ['with an error for now', { error: { code: -32000, message: 'execution aborted (timeout = 5s)' } }],
    ['with too much to read', (response) => void response.end(`"${'0'.repeat(11_000_000)}"`)],
  ] satisfies [string, Answer][])(
    'security: a wallet of which a token answers %s hides no other gig',
    async (how, answer) => {
      const all: Gig[] = [];
      for (let count = 0; count < 5; count += 1) all.push(await audits.gig({ asset: token, tips: [] }));
      const other = await audits.gig({ asset: 'native', tips: [], funds: 0n });
      const [, odd] = all;
      const wallet = odd?.walletAddress.slice(2) ?? '';
      const proxy = await serveProxy(({ method, params }) =>
        method === 'eth_call' && JSON.stringify(params).includes(wallet) ? Promise.resolve(answer) : undefined,
      );
      // A busy machine takes a while to read so much.
      const timeoutMs = how === 'late' ? 1_000 : 20_000;
      const results = await auditsAt(proxy.url, { timeoutMs, retries: 0 }).reconcile();
      expect(results.map(({ gig }) => gig.id)).toEqual([...all, other].map(({ id }) => id));
      expect(results.filter(({ audit }) => audit === null).map(({ gig }) => gig.id)).toEqual([odd?.id]);
      expect(results[1]).toMatchObject({ error: expect.stringContaining('the endpoint'), change: null });
    },
  );

  test('security: a token that is slow for all its gigs is waited for a few times only', async () => {
    const odd = { ...token, address: freshAddress() };
    for (let count = 0; count < 30; count += 1) await audits.gig({ asset: odd, tips: [], funds: 0n });
    const good = await audits.gig({ asset: token, tips: twoTips });
    let waits = 0;
    const proxy = await serveProxy(({ method, params }) => {
      if (method !== 'eth_call' || (params as [{ to: string }])[0].to !== odd.address) return undefined;
      waits += 1;
      return Promise.resolve((response) => void response.on('close', () => response.destroy()));
    });
    const results = await auditsAt(proxy.url, { timeoutMs: 200, retries: 0 }).reconcile();
    expect(results.filter(({ audit }) => audit !== null).map(({ gig }) => gig.id)).toEqual([good.id]);
    expect(results).toHaveLength(31);
    expect(waits).toBeLessThan(20);
  });

  test('behavior: one gig can be audited alone, and one that has not started owes nothing', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    await audits.gig({ asset: token, tips: [] });
    expect(await audits.reconcile({ gigId: gig.id })).toMatchObject([{ gig: { id: gig.id } }]);
    const { id } = await seedGig(cashier.store, { walletAddress: cashier.wallets.gigAddress });
    await expect(audits.reconcile({ gigId: id })).rejects.toMatchObject({
      message: expect.stringContaining('not started'),
    });
  });
});

describe('for the operator', () => {
  const faults = async () =>
    (await cashier.store.auditFaults()).map(({ gigId, isUnanswered, reason }) => [gigId, isUnanswered, reason]);

  test('behavior: it is kept which gigs do not add up, until they do', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    await fundNative(gig.walletAddress, ETHER);
    await audits.steal(gig, token, 5n);
    await audits.reconcileOpen();
    const missing = 'the wallet holds 0.999995 USDC and must hold 1 USDC: 0.000005 USDC are missing';
    expect(await faults()).toEqual([[gig.id, false, `it does not add up: ${missing}`]]);
    await fundToken(token, gig.walletAddress, 5n);
    await audits.reconcile({ gigId: gig.id });
    expect(await faults()).toEqual([]);
  });

  test('error: it is kept which gigs could not be audited, until they are, or their money is all accounted for', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    await auditsAt('http://127.0.0.1:1', { retries: 0 }).reconcileOpen();
    expect(await faults()).toEqual([[gig.id, true, expect.stringMatching(/^chain anvil: /)]]);
    await audits.reconcileOpen();
    expect(await faults()).toEqual([]);
    const fault = { chainId: gig.token.chainId, isUnanswered: true, reason: 'it is slow' };
    const over = await seedGig(cashier.store);
    await cashier.store.transaction((tx) => tx.storeAuditFault(over.id, fault));
    await audits.reconcileOpen();
    expect(await faults()).toEqual([]);
  });
});

describe('by itself', () => {
  test('behavior: looks at gigs whose money is not all accounted for', async () => {
    const settled = await audits.gig({ asset: token, tips: [{ account: ALICE, amount: 1_000n }] });
    await claim();
    await cashier.settle();
    const unpaid = await audits.gig({ asset: token, tips: [{ account: BOB, amount: 1_000n }] });
    const idle = await audits.gig({ asset: token, tips: [] });
    const ids = async () => (await audits.reconcileOpen()).map(({ gig }) => gig.id);
    expect(await ids()).toEqual([settled.id, unpaid.id, idle.id]);
    cashier.advance(2 * 86_400_000);
    expect(await ids()).toEqual([unpaid.id]);
    await cashier.store.transaction((tx) => tx.freezeGig(idle.id, { reason: 'a look back', now: SEEDED_AT }));
    expect(await ids()).toEqual([unpaid.id, idle.id]);
    expect(await ids()).toEqual([unpaid.id]);
    await fundNative(unpaid.walletAddress, ETHER);
    await audits.steal(unpaid, token, 1n);
    await audits.reconcileOpen();
    expect(cashier.lines).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'gig frozen', gigId: unpaid.id }),
    );
  });

  test('behavior: a hundred and fifty wallets take a handful of requests', async () => {
    const gigs: Gig[] = [];
    for (let count = 0; count < 150; count += 1) gigs.push(await audits.gig({ asset: 'native', tips: [], funds: 0n }));
    const { node } = cashier;
    for (const { walletAddress: address } of gigs)
      await node.request({ method: 'anvil_setBalance' as never, params: [address, '0xf4240'] as never });
    await node.mine({ blocks: 1 });
    const proxy = await serveProxy(() => undefined);
    const results = await auditsAt(proxy.url).reconcile();
    expect(results).toHaveLength(150);
    expect(results.filter(({ audit }) => audit?.held !== 1_000_000n || audit.problems.length > 0)).toEqual([]);
    expect(results.every(({ gig }) => gig.token.address === NATIVE_TOKEN_ADDRESS)).toBe(true);
    // For each hundred: three of marks, one of balances, and a few for the blocks.
    expect(proxy.sizes.length).toBeLessThan(30);
  });
});
