import { beforeEach, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { PayerChain } from '../../../src/domain/payments/payer-chain.ts';
import { moveAnchorBack } from '../../../src/services/payments/move-anchor.ts';
import { adoptMarks } from '../../../src/services/payments/sender/found/adopt.ts';
import { firstOf } from '../../support/first-of.ts';
import { perCase } from '../../support/per-case.ts';
import { ALICE } from './sender/bank.ts';
import { DEGEN, finish, openWorld, paidTo, planOne, reload } from './sender/world.ts';

const world = perCase(openWorld);
beforeEach(() => world.model.mine(20));

/** A payment of 10 to alice that is confirmed. */
async function payOne() {
  const planned = await planOne(world);
  await finish(world);
  return planned;
}

/** What the ledger followed was a fork of twelve blocks: the chain has none of them, and is shorter. */
function endFork(): void {
  const { model, faults } = world;
  model.mine(4);
  model.emptyPool();
  model.reorganise(12, { keeps: false });
  faults.lag = 13;
}

function moveBack(to: bigint, more: Partial<PayerChain> = {}) {
  const { bank, model, faults } = world;
  return moveAnchorBack(bank.deps, { ...model.view(faults), ...more }, { to, actor: COMMAND_LINE });
}

test('security: after a fork the ledger counts on an earlier block again, and what only the fork had paid is paid once', async () => {
  const { bank, model, faults } = world;
  const { gig, payment } = await payOne();
  endFork();
  expect(await bank.run()).toBe('waiting');
  expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed' });
  expect(paidTo(model, gig)).toEqual([]);

  const { from, takenBack } = await moveBack(10n);
  expect([from.number > 10n, takenBack.map(({ id }) => id)]).toEqual([true, [payment.id]]);
  expect(await bank.store.chainAnchor(model.chain.id)).toMatchObject({ number: 10n });
  const [{ detail, ...event }] = [firstOf(await bank.store.auditEvents({ limit: 1 }))];
  const subject = { subject: 'store', subjectId: 'anvil', gigId: null };
  expect(event).toMatchObject({ ...subject, action: 'payments.anchor', actor: 'operator', at: world.clock() });
  expect(JSON.parse(detail)).toEqual({ from: String(from.number), to: '10', taken_back: [payment.id] });
  faults.lag = 0;
  await finish(world);
  expect(paidTo(model, gig)).toEqual([10n]);
  expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed' });
});

test('behavior: a payment that the chain shows all the same stays confirmed', async () => {
  const { bank } = world;
  const { payment } = await payOne();
  expect((await moveBack(5n)).takenBack).toEqual([]);
  expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed' });
});

test('security: nothing moves where a number would be free for another tip', async () => {
  const { bank, model, faults } = world;
  const gig = await bank.gig({ token: DEGEN });
  const before = await bank.copy();
  await bank.awardAndClaim(gig, ALICE, 10n);
  await finish(world);
  await bank.restore(before);
  await adoptMarks(bank.deps, model.view(faults), { gigs: [gig], isThorough: true });
  // Of the tip that the ledger has lost it has the payment alone.
  const stray = firstOf((await bank.store.payments({ limit: 9 })).filter(({ claimId }) => claimId === null));
  const anchor = await bank.store.chainAnchor(model.chain.id);
  endFork();
  await expect(moveBack(5n)).rejects.toThrow(`without a claim (${stray.id})`);
  expect(await bank.store.chainAnchor(model.chain.id)).toEqual(anchor);
});

test('error: the block must be earlier, settled, and the same at every endpoint', async () => {
  const { model, faults } = world;
  await expect(moveBack(5n)).rejects.toThrow('that is none');
  await payOne();
  await expect(moveBack(5_000n)).rejects.toThrow(/that is block \d+/);
  const forked: PayerChain = { ...model.view(faults), block: async (number) => ({ number, hash: '0x00', at: 0 }) };
  const witnesses = [
    { name: 'endpoint 1 (a.example)', payer: model.view(faults) },
    { name: 'endpoint 2 (b.example)', payer: forked },
  ];
  for (const asked of [witnesses, witnesses.toReversed()]) {
    await expect(moveBack(5n, { witnesses: asked })).rejects.toThrow(
      /endpoint 2 \(b\.example\) has another block \d+, unlike endpoint 1 \(a\.example\)/,
    );
  }
  faults.lag = 20;
  await expect(moveBack(15n)).rejects.toThrow('must be a settled block');
});
