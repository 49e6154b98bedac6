import { beforeEach, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { PayerChain } from '../../../src/domain/payments/payer-chain.ts';
import { moveAnchorBack } from '../../../src/services/payments/move-anchor.ts';
import { adoptMarks } from '../../../src/services/payments/sender/found/adopt.ts';
import { firstOf } from '../../support/first-of.ts';
import { perCase } from '../../support/per-case.ts';
import { seedHash } from '../../support/store.ts';
import { ALICE, BOB } from './sender/bank.ts';
import { DEGEN, finish, openWorld, paidTo, planOne, reload, standings } from './sender/world.ts';

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
  await bank.awardAndClaim(gig, BOB, 20n);
  await finish(world);
  await bank.restore(before);
  await adoptMarks(bank.deps, model.view(faults), { gigs: [gig], isThorough: true });
  // Of the tip that the ledger has lost it has the payment alone.
  expect((await bank.store.payments({ limit: 9 })).map(({ id, claimId }) => [id, claimId])).toEqual([
    [2, null],
    [1, null],
  ]);
  const anchor = await bank.store.chainAnchor(model.chain.id);
  endFork();
  await expect(moveBack(5n)).rejects.toThrow(
    'Anvil does not show payments that the ledger has without a claim (1, 2): their numbers would be free for other ' +
      'tips. Nothing has changed; see payment show.',
  );
  expect(await bank.store.chainAnchor(model.chain.id)).toEqual(anchor);
});

test('security: a fee that only the fork has paid frees no number, and nothing moves when the ledger has moved on', async () => {
  const { bank, model } = world;
  await bank.gig({ token: DEGEN, fee: 5n });
  await finish(world);
  endFork();
  const later = { number: 18n, hash: seedHash(18), at: 0 };
  const late = async () => {
    await bank.store.transaction((tx) => tx.setChainAnchor(model.chain.id, later));
    return [];
  };
  await expect(moveBack(5n, { paidEvents: late })).rejects.toThrow(
    'The ledger counts on another block of Anvil since a moment ago: run it again.',
  );
  expect([await bank.store.chainAnchor(model.chain.id), await standings(bank)]).toEqual([later, ['fee confirmed']]);
  expect((await moveBack(5n)).takenBack).toMatchObject([{ kind: 'fee' }]);
  expect(await standings(bank)).toEqual(['fee planned']);
});

test('error: the block must be earlier, settled, and the same at every endpoint', async () => {
  const { model, faults } = world;
  await expect(moveBack(5n)).rejects.toThrow('that is none');
  await payOne();
  const counted = (await world.bank.store.chainAnchor(model.chain.id))?.number ?? 0n;
  await expect(moveBack(counted)).rejects.toThrow(
    `--to must be below the block of Anvil on which the ledger counts: that is block ${counted}.`,
  );
  const forked: PayerChain = { ...model.view(faults), block: async (number) => ({ number, hash: '0x00', at: 0 }) };
  const witnesses = [
    { name: 'endpoint 1 (a.example)', payer: model.view(faults) },
    { name: 'endpoint 2 (b.example)', payer: forked },
  ];
  for (const asked of [witnesses, witnesses.toReversed()]) {
    await expect(moveBack(5n, { witnesses: asked })).rejects.toThrow(
      /^The endpoints of Anvil differ: endpoint 2 \(b\.example\) has another block \d+, unlike endpoint 1 \(a\.example\)\. Take the wrong one out of RPC_URL_31337 first\.$/,
    );
  }
  faults.lag = 4;
  const { settled } = await model.view(faults).head();
  const refused = `--to must be a settled block of Anvil: the newest is ${settled.number}.`;
  await expect(moveBack(settled.number + 1n)).rejects.toThrow(refused);
  await expect(moveBack(5n, { block: async () => null })).rejects.toThrow(refused);
  await moveBack(settled.number);
  expect(await world.bank.store.chainAnchor(model.chain.id)).toEqual(settled);
});
