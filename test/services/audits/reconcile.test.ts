import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freshAddress, fundNative, fundToken, placeCode, type TestToken } from '../../support/anvil.ts';
import { seedAddress, seedGig } from '../../support/store.ts';
import { REVERTING } from '../../support/token.ts';
import { ALICE, BOB, type Cashier } from '../cashier.ts';
import { type Audits, createAudits, openAudits } from './auditing.ts';

const ETHER = 10n ** 18n;

let cashier: Cashier;
let audits: Audits;
let token: TestToken;
beforeEach(async () => {
  ({ cashier, audits, token } = await openAudits());
});
afterEach(() => cashier.close());

const claim = (account = ALICE) => cashier.claim(cashier.post(account, `claim my rewards ${freshAddress()}`));
const texts = (problems: readonly { text: string }[]) => problems.map(({ text }) => text);
const twoTips = [
  { account: ALICE, amount: 250_000n },
  { account: BOB, amount: 1n },
];

describe('a gig that adds up', () => {
  test('behavior: holds what was funded, less what was paid and moved as fee', async () => {
    const gig = await audits.gig({ asset: token, fee: 50_000n, tips: twoTips });
    expect((await audits.only()).audit).toMatchObject({
      held: 1_050_000n,
      expected: 1_050_000n,
      problems: [],
      notes: [],
    });
    await audits.planFee(gig);
    await claim();
    await claim(BOB);
    await cashier.settle();
    const { audit, frozen, change } = await audits.only();
    expect(audit).toMatchObject({ held: 749_999n, expected: 749_999n, problems: [], notes: [] });
    expect([frozen, change]).toEqual([null, null]);
  });

  test('behavior: in the native asset counts the gas that was bought and burned, to the wei', async () => {
    const tips = [{ account: ALICE, amount: ETHER / 2n }];
    const gig = await audits.gig({ asset: 'native', reward: ETHER, fee: ETHER / 20n, tips });
    await audits.planFee(gig);
    await claim();
    await cashier.settle();
    const [gas] = await cashier.transfers('gas');
    expect(gas?.state).toBe('confirmed');
    const { audit } = await audits.only();
    expect(audit).toMatchObject({ problems: [], notes: [] });
    expect(audit.held).toBe(audit.expected);
    expect(audit.held).toBeGreaterThan(ETHER / 2n);
    expect(audit.held).toBe(await cashier.held('native', gig.walletAddress));
  });

  test('behavior: still does when somebody sends more into its wallet; that is said and stops nothing', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    await fundToken(token, gig.walletAddress, 5n);
    const { audit, frozen } = await audits.only();
    expect(audit.problems).toEqual([]);
    expect(audit.notes).toEqual(['the wallet holds 0.000005 USDC more than it must; this is harmless']);
    expect(frozen).toBeNull();
  });

  test('behavior: does not answer for what its wallet sent before the start', async () => {
    const seeded = await cashier.gig({ asset: token, tips: [], funds: 1_000_007n });
    await fundNative(seeded.walletAddress, ETHER);
    await audits.steal(seeded, token, 7n);
    const blockNumber = await audits.deps.auditors.auditor(31337).block(0n);
    const { id: gigId, token: of } = seeded;
    const start = { gigId, tokenId: of.id, chainId: of.chainId, amount: 1_000_000n, commissionAmount: 0n, blockNumber };
    const seen = { ...start, spentNonces: 2, checkBlock: null };
    await cashier.store.transaction((tx) => tx.recordGigTransaction(seen, cashier.clock()));
    expect((await audits.only()).audit).toMatchObject({ held: 1_000_000n, expected: 1_000_000n, problems: [] });
  });

  test('behavior: goes on after it was stopped', async () => {
    const gig = await audits.gig({ asset: 'native', reward: ETHER, tips: [{ account: ALICE, amount: 5n }] });
    await cashier.node.setBalance({ address: gig.walletAddress, value: ETHER - 3n });
    // Without a block of its own the balance is missing in the block that an audit reads, once another test mines the next.
    await cashier.node.mine({ blocks: 1 });
    expect(await audits.only()).toMatchObject({ change: 'frozen' });
    expect(await audits.only()).toMatchObject({ change: null, frozen: expect.stringMatching(/^it does not add up: /) });
    const { claim: claimed } = await claim();
    await cashier.look();
    const [waiting] = await cashier.store.transfersOfClaim(claimed.id);
    expect(waiting).toMatchObject({
      state: 'planned',
      reason: expect.stringMatching(/^the gig is frozen: it does not/),
    });
    await fundNative(gig.walletAddress, 3n);
    expect(await audits.only()).toMatchObject({ change: 'released', frozen: null });
    await cashier.settle();
    expect(await cashier.store.transfersOfClaim(claimed.id)).toMatchObject([{ state: 'confirmed' }]);
    expect((await audits.only()).audit).toMatchObject({ problems: [], notes: [] });
  });
});

describe('a gig that does not add up', () => {
  test('security: because its key was used elsewhere, names the transaction and pays nothing any more', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    await claim();
    await cashier.settle();
    const hash = await audits.steal(gig, token, 10n);
    const { audit, frozen, change } = await audits.only();
    const missing = 'the wallet holds 0.74999 USDC and must hold 0.75 USDC: 0.00001 USDC are missing';
    expect(texts(audit.problems)).toEqual([
      missing,
      `transaction ${hash} took 0.00001 USDC and is not in the ledger`,
      'nonce 1 was spent by a transaction that is not in the ledger',
    ]);
    expect([frozen, change]).toEqual([`it does not add up: ${missing} (and 2 more)`, 'frozen']);
    expect(await cashier.store.gigFreeze(gig.id)).toBe(frozen);
    const { claim: claimed } = await claim(BOB);
    await cashier.look();
    expect(await cashier.store.transfersOfClaim(claimed.id)).toMatchObject([
      { state: 'planned', reason: `the gig is frozen: ${frozen}` },
    ]);
    // What came back does not make the transaction one of ours.
    await fundToken(token, gig.walletAddress, 10n);
    expect(await audits.only()).toMatchObject({ change: null, audit: { problems: [{}, {}] } });
  });

  test('security: in the native asset is found by its nonce and by what is missing', async () => {
    const gig = await audits.gig({ asset: 'native', reward: ETHER, tips: [] });
    await audits.stealNative(gig, 1n);
    const { problems } = (await audits.only()).audit;
    expect(texts(problems)).toEqual([
      expect.stringMatching(/^the wallet holds 0\.9[0-9]+ ETH and must hold 1 ETH: 0\.0[0-9]+ ETH are missing$/),
      'nonce 0 was spent by a transaction that is not in the ledger',
    ]);
  });

  test('error: because a payment is in the ledger that is not in the chain', async () => {
    const gig = await audits.gig({ asset: token, tips: twoTips });
    const paid = await claim();
    await cashier.settle();
    const [transfer] = (await cashier.status(paid)).transfers;
    const [attempt] = transfer?.attempts ?? [];
    if (transfer === undefined || attempt === undefined) throw new Error('nothing was paid');
    // The ledger takes another payment for landed, as it would after a reorganisation deeper than it waits for.
    const other = await claim(BOB);
    const [lost] = other.transfers;
    const hash = `0x${'ab'.repeat(32)}` as const;
    await cashier.store.transaction(async (tx) => {
      const now = cashier.clock();
      await tx.markSigned(lost?.id ?? 0, { nonce: 1, attempt: { ...attempt, hash, raw: '0x02ab' }, now });
      await tx.markConfirmed(lost?.id ?? 0, { hash, blockNumber: transfer.blockNumber ?? 0n, gasSpent: 1n, now });
    });
    const { audit, frozen } = await audits.only();
    expect(audit).toMatchObject({ held: 750_000n, expected: 749_999n });
    expect(texts(audit.problems)).toEqual([
      'transfer 3 is confirmed with 0.000001 USDC, and the chain moved 0 USDC',
      'transfer 3 is confirmed, and its nonce 1 is not spent',
    ]);
    expect(await cashier.store.gigFreeze(gig.id)).toBe(frozen);
  });
});

describe('what cannot be checked', () => {
  test('error: a chain that does not answer changes nothing', async () => {
    const gig = await audits.gig({ asset: token, tips: [] });
    await cashier.store.transaction((tx) => tx.freezeGig(gig.id, { reason: 'as before', now: 1 }));
    expect(await createAudits(cashier, { url: 'http://127.0.0.1:1' }).reconcile()).toEqual([
      {
        gig: expect.objectContaining({ id: gig.id }),
        audit: null,
        change: null,
        frozen: 'as before',
        error: 'chain anvil: the endpoint could not be reached for eth_chainId',
      },
    ]);
    expect(await cashier.store.gigFreeze(gig.id)).toBe('as before');
  });

  test('security: a token that answers nonsense hides no other gig', async () => {
    await audits.gig({ asset: token, tips: [] });
    const address = await placeCode(REVERTING);
    const odd = await audits.gig({ asset: { ...token, address, symbol: 'ODD' }, tips: [], funds: 0n });
    const stolen = await audits.gig({ asset: token, tips: [] });
    await fundNative(stolen.walletAddress, ETHER);
    await audits.steal(stolen, token, 1n);
    expect(await audits.reconcile()).toMatchObject([
      { error: null, frozen: null, audit: { problems: [] } },
      { gig: { id: odd.id }, audit: null, frozen: null, error: expect.stringContaining('chain anvil') },
      { error: null, audit: { problems: [{}, {}, {}] } },
    ]);
  });

  test('behavior: one gig can be audited alone, and one that has not started owes nothing', async () => {
    const gig = await audits.gig({ asset: token, tips: [] });
    await audits.gig({ asset: token, tips: [] });
    expect(await audits.reconcile({ gigId: gig.id })).toMatchObject([{ gig: { id: gig.id } }]);
    const created = await seedGig(cashier.store, { walletAddress: () => seedAddress(7) });
    await expect(audits.reconcile({ gigId: created.id })).rejects.toMatchObject({
      refusal: { code: 'invalid_request', message: 'Gig 3 has not started, so it owes nothing.' },
    });
    await expect(audits.reconcile({ gigId: 9 })).rejects.toMatchObject({ refusal: { code: 'gig_not_found' } });
    expect(await audits.reconcile()).toHaveLength(2);
  });
});
