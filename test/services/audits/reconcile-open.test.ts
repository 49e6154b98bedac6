import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { AnvilProcess } from '../../../sandbox/anvil.ts';
import { acknowledgeActivity } from '../../../src/services/audits/acknowledge-activity.ts';
import { reconcileGigs } from '../../../src/services/audits/reconcile.ts';
import { deployToken, freshAddress, startAnvil } from '../../support/anvil.ts';
import { stepPayments } from '../../support/steps.ts';
import { ALICE, openCashier, REBROADCAST_MS } from '../cashier.ts';
import { createAudits } from './auditing.ts';

const ETHER = 10n ** 18n;

let anvil: AnvilProcess;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

async function open(confirmations = 1) {
  const cashier = await openCashier({ url: anvil.url, confirmations });
  const audits = createAudits(cashier);
  onTestFinished(async () => {
    await cashier.node.setAutomine(true);
    await cashier.close();
  });
  await cashier.node.setAutomine(true);
  await cashier.fundTank(ETHER);
  const mine = () => cashier.node.mine({ blocks: 1 });
  return { cashier, audits, mine };
}

type Open = Awaited<ReturnType<typeof open>>;

const claim = ({ cashier }: Open) => cashier.claim(cashier.post(ALICE, `claim my rewards ${freshAddress()}`));

/** Plans what a claim needs of a kind, and brings it so far that it is offered to the chain, which does not mine it. */
async function offer(opened: Open, kind: 'gas' | 'payout') {
  const { cashier, mine } = opened;
  await cashier.node.setAutomine(false);
  await claim(opened);
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const [wanted] = await cashier.transfers(kind);
    if (wanted?.state === 'broadcast') return wanted;
    await mine();
    await stepPayments(cashier.paying);
  }
  throw new Error(`no ${kind} was offered`);
}

test.each(['USDC', 'native'] as const)(
  'behavior: a payment in %s that is under way adds up before it lands, after it, and when it is settled',
  async (kind) => {
    const opened = await open();
    const { cashier, audits, mine } = opened;
    const asset = kind === 'native' ? kind : await deployToken({ decimals: 6, symbol: kind }, anvil.url);
    const gig = await audits.gig({ asset, reward: ETHER, tips: [{ account: ALICE, amount: 9n }] });
    await offer(opened, 'payout');
    const before = (await audits.only()).audit;
    expect(before).toMatchObject({ problems: [], notes: [] });
    await mine();
    const landed = (await audits.only()).audit;
    expect(landed).toMatchObject({ problems: [], notes: [] });
    await cashier.settle();
    const settled = (await audits.only()).audit;
    expect(settled).toMatchObject({ problems: [], notes: [], held: landed.held });
    expect(settled.held).toBe(await cashier.held(asset, gig.walletAddress));
    if (kind === 'USDC') expect([before.held, landed.held]).toEqual([ETHER, ETHER - 9n]);
  },
);

test('behavior: gas on its way to a gig in the native asset adds up on either side of landing', async () => {
  const opened = await open();
  const { audits, mine } = opened;
  await audits.gig({ asset: 'native', reward: ETHER, tips: [{ account: ALICE, amount: 9n }] });
  await offer(opened, 'gas');
  expect((await audits.only()).audit).toMatchObject({ held: ETHER, problems: [], notes: [] });
  await mine();
  const { audit } = await audits.only();
  expect(audit).toMatchObject({ problems: [], notes: [], held: audit.expected });
  expect(audit.held).toBeGreaterThan(ETHER);
});

test('behavior: what has landed and may still be undone is not looked at yet', async () => {
  const opened = await open(3);
  const { audits, mine } = opened;
  const asset = await deployToken({ decimals: 6 }, anvil.url);
  await audits.gig({ asset, reward: 100n, tips: [{ account: ALICE, amount: 9n }] });
  await offer(opened, 'payout');
  const held = async () => (await audits.only()).audit.held;
  await mine();
  expect(await held()).toBe(100n);
  await mine();
  expect(await held()).toBe(100n);
  await mine();
  expect(await audits.only()).toMatchObject({ frozen: null, audit: { held: 91n, problems: [], notes: [] } });
});

test('behavior: a nonce that somebody else spent is said, and the payment that takes its place is made after an audit', async () => {
  const opened = await open();
  const { cashier, audits, mine } = opened;
  const asset = await deployToken({ decimals: 6 }, anvil.url);
  const gig = await audits.gig({ asset, reward: 100n, tips: [{ account: ALICE, amount: 9n }] });
  const { attempts } = await offer(opened, 'payout');
  for (const { hash } of attempts) await cashier.node.dropTransaction({ hash });
  await cashier.node.setAutomine(true);
  await audits.stealNative(gig, 0n);
  await mine();
  const note = 'nonce 0 was spent by a transaction that is not ours';
  expect(await audits.only()).toMatchObject({ frozen: null, audit: { held: 100n, problems: [], notes: [note] } });
  await cashier.look();
  cashier.advance(REBROADCAST_MS);
  await cashier.look();
  expect((await cashier.transfers('payout')).map(({ state }) => state)).toEqual(['replaced', 'planned']);
  expect(await audits.only()).toMatchObject({ change: 'released', audit: { held: 100n, problems: [], notes: [note] } });
  await cashier.settle();
  expect((await cashier.transfers('payout')).map(({ state }) => state)).toEqual(['replaced', 'confirmed']);
  expect(await audits.only()).toMatchObject({ frozen: null, audit: { held: 91n, problems: [], notes: [note] } });
});

test('security: proves nothing right after a reorganisation took back a confirmed payment, and stops when it stays away', async () => {
  const opened = await open();
  const { cashier, audits, mine } = opened;
  const asset = await deployToken({ decimals: 6 }, anvil.url);
  const gig = await audits.gig({ asset, reward: 100n, tips: [{ account: ALICE, amount: 9n }] });
  await offer(opened, 'payout');
  const id = await cashier.node.snapshot();
  await mine();
  await cashier.settle();
  const [payout] = await cashier.transfers('payout');
  expect(await audits.only()).toMatchObject({ audit: { held: 91n, problems: [], unproved: [] } });
  await cashier.node.revert({ id });
  for (const { hash } of payout?.attempts ?? []) await cashier.node.dropTransaction({ hash });

  const freeze = (reason: string | null) => cashier.store.transaction((tx) => tx.freezeGig(gig.id, { reason, now: 1 }));
  const text = `transfer ${payout?.id} was confirmed in block ${payout?.blockNumber}, and the chain does not show that now: the audit is inconclusive`;
  const audit = { held: 100n, problems: [], unproved: [text] };
  expect(await audits.only()).toMatchObject({ frozen: null, change: null, audit });
  await freeze('an operator said so');
  expect(await audits.only()).toMatchObject({ frozen: 'an operator said so', change: null, audit });
  await expect(acknowledgeActivity(audits.deps, { gigId: gig.id })).rejects.toMatchObject({
    refusal: { message: `Nothing of gig ${gig.id} was accepted:\n  ${text}. Try again when the chain has gone on.` },
  });
  await freeze(null);
  await mine();
  const moved = `transfer ${payout?.id} is confirmed with 0.000009 TEST, and the chain moved 0 TEST`;
  expect(await audits.only()).toMatchObject({
    change: 'frozen',
    audit: { unproved: [], problems: [{ text: moved }, {}] },
  });
});

test('security: what stops a gig while it is audited stays, although the audit finds nothing', async () => {
  const { cashier, audits } = await open();
  const asset = await deployToken({ decimals: 6 }, anvil.url);
  const gig = await audits.gig({ asset, tips: [] });
  const { auditors, store } = audits.deps;
  const auditor = auditors.auditor(31337);
  const reason = 'transfer 5 moved another amount than planned';
  const block = async (since: bigint) => {
    await store.transaction((tx) => tx.freezeGig(gig.id, { reason, now: cashier.clock() }));
    return await auditor.block(since);
  };
  const slow = { ...audits.deps, auditors: { auditor: () => ({ ...auditor, block }) } };
  expect(await reconcileGigs(slow)).toMatchObject([{ audit: { problems: [] }, frozen: reason, change: 'frozen' }]);
  expect(await store.gigFreeze(gig.id)).toBe(reason);
  expect(await audits.only()).toMatchObject({ frozen: null, change: 'released' });
});
