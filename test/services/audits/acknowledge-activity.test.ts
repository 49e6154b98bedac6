import { afterEach, beforeEach, expect, test } from 'vitest';
import { checksummed } from '../../../src/domain/token.ts';
import { acknowledgeActivity } from '../../../src/services/audits/acknowledge-activity.ts';
import { freshAddress, fundNative, fundToken, type TestToken } from '../../support/anvil.ts';
import { seedAddress, seedGig } from '../../support/store.ts';
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

const tips = [
  { account: ALICE, amount: 250_000n },
  { account: BOB, amount: 1n },
];
const claim = (account = ALICE) => cashier.claim(cashier.post(account, `claim my rewards ${freshAddress()}`));
const accept = (gigId: number) => acknowledgeActivity(audits.deps, { gigId });

test('behavior: tokens that were taken and given back are accepted, and the gig pays again', async () => {
  const gig = await audits.gig({ asset: token, tips });
  await fundNative(gig.walletAddress, ETHER);
  const hash = await audits.steal(gig, token, 10n);
  await fundToken(token, gig.walletAddress, 10n);
  expect(await audits.only()).toMatchObject({ change: 'frozen', audit: { problems: [{}, {}] } });
  const paid = await claim();
  await cashier.look();
  expect((await cashier.status(paid)).transfers).toMatchObject([{ state: 'planned' }]);

  const at = new Date(cashier.clock()).toISOString();
  const took = `transaction ${hash} took 0.00001 USDC and is not in the ledger`;
  const notes = [
    `${took}; accepted on ${at}`,
    `nonce 0 was spent by a transaction that is not in the ledger; accepted on ${at}`,
  ];
  const accepted = await accept(gig.id);
  expect(accepted).toMatchObject({ change: 'released', frozen: null, audit: { problems: [], notes } });
  expect(accepted.accepted).toEqual([
    { kind: 'transaction', hash, text: took },
    { kind: 'nonce', nonce: 0, text: 'nonce 0 was spent by a transaction that is not in the ledger' },
  ]);
  cashier.advance(1_000);
  await cashier.settle();
  expect((await cashier.status(paid)).transfers).toMatchObject([{ state: 'confirmed', nonce: 1 }]);
  expect(await audits.only()).toMatchObject({ frozen: null, change: null, audit: { problems: [], notes } });
  expect(await accept(gig.id)).toMatchObject({ accepted: [], change: null, audit: { problems: [], notes } });
});

test('security: whatever is new after that stops the gig again', async () => {
  const gig = await audits.gig({ asset: token, tips });
  await fundNative(gig.walletAddress, ETHER);
  await audits.stealNative(gig, 1n);
  await accept(gig.id);
  expect(await audits.only()).toMatchObject({ frozen: null });
  await audits.stealNative(gig, 1n);
  expect(await audits.only()).toMatchObject({
    change: 'frozen',
    frozen: 'it does not add up: nonce 1 was spent by a transaction that is not in the ledger',
    audit: { problems: [{ kind: 'nonce', nonce: 1 }], notes: [expect.stringMatching(/^nonce 0 .*; accepted on /)] },
  });
});

test('security: money that is missing cannot be accepted, until the wallet was filled', async () => {
  const gig = await audits.gig({ asset: 'native', reward: ETHER, tips: [] });
  await audits.stealNative(gig, 1n);
  const { frozen } = await audits.only();
  const to = checksummed(gig.walletAddress);
  const message = new RegExp(
    `^Nothing of gig ${gig.id} was accepted:\n {2}the wallet holds 0\\.9\\d+ ETH and must hold 1 ETH: 0\\.0\\d+ ETH are missing\\. Send what is missing to ${to} first\\.$`,
  );
  await expect(accept(gig.id)).rejects.toMatchObject({
    refusal: { code: 'invalid_request', message: expect.stringMatching(message) },
  });
  expect(await cashier.store.acknowledgedActivity(gig.id)).toEqual([]);
  expect(await cashier.store.gigFreeze(gig.id)).toBe(frozen);
  await cashier.node.setBalance({ address: gig.walletAddress, value: ETHER });
  // Without a block of its own the balance is missing in the block that an audit reads, once another test mines the next.
  await cashier.node.mine({ blocks: 1 });
  expect(await audits.only()).toMatchObject({ audit: { problems: [{ kind: 'nonce' }] } });
  expect(await accept(gig.id)).toMatchObject({ frozen: null, change: 'released', accepted: [{ nonce: 0 }] });
});

test('security: a payment that differs cannot be accepted', async () => {
  const gig = await audits.gig({ asset: token, tips });
  const { transfers } = await claim();
  await cashier.settle();
  const [paid] = (await cashier.status(await claim(BOB))).transfers;
  const attempt = { raw: '0x02ab', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, gas: 1n, signedAt: 1 } as const;
  const hash = `0x${'ab'.repeat(32)}` as const;
  const id = paid?.id ?? 0;
  const blockNumber = (await cashier.store.transfer(transfers[0]?.id ?? 0))?.blockNumber ?? 0n;
  await cashier.store.transaction(async (tx) => {
    await tx.markSigned(id, { nonce: 1, attempt: { ...attempt, hash }, now: 1 });
    await tx.markConfirmed(id, { hash, blockNumber, gasSpent: 1n, now: 1 });
  });
  await fundNative(gig.walletAddress, ETHER);
  await audits.stealNative(gig, 1n);
  await audits.stealNative(gig, 1n);
  await expect(accept(gig.id)).rejects.toMatchObject({
    refusal: { message: expect.stringMatching(/the chain moved 0 USDC\. That is a payment of the service/) },
  });
  expect(await cashier.store.acknowledgedActivity(gig.id)).toEqual([]);
});

test('security: what stops a gig while it is audited stays', async () => {
  const gig = await audits.gig({ asset: token, tips });
  const { auditors, store } = audits.deps;
  const auditor = auditors.auditor(31337);
  const reason = 'transfer 5 moved another amount than planned';
  const block = async (since: bigint) => {
    await store.transaction((tx) => tx.freezeGig(gig.id, { reason, now: 1 }));
    return await auditor.block(since);
  };
  const slow = { ...audits.deps, auditors: { auditor: () => ({ ...auditor, block }) } };
  expect(await acknowledgeActivity(slow, { gigId: gig.id })).toMatchObject({
    frozen: reason,
    change: 'frozen',
    accepted: [],
  });
  expect(await store.gigFreeze(gig.id)).toBe(reason);
});

test('error: there is no such gig, it has not started, or its chain does not answer', async () => {
  const gig = await audits.gig({ asset: token, tips });
  const created = await seedGig(cashier.store, { walletAddress: () => seedAddress(7) });
  await expect(accept(99)).rejects.toMatchObject({ refusal: { code: 'gig_not_found' } });
  await expect(accept(created.id)).rejects.toMatchObject({ refusal: { code: 'invalid_request' } });
  const { deps } = createAudits(cashier, { url: 'http://127.0.0.1:1' });
  await expect(acknowledgeActivity(deps, { gigId: gig.id })).rejects.toMatchObject({ reason: 'unreachable' });
});
