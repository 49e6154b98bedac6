import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pulse } from '../../../../../src/services/payments/sender/pulse.ts';
import { account } from '../../../../services/payments/sender/bank.ts';
import {
  DEGEN,
  finish,
  openWorld,
  paidTo,
  standings,
  told,
  USDC,
  type World,
} from '../../../../services/payments/sender/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.bank.close());

const ALICE = account(1);
const BOB = account(2);

/** Two gigs that owe two accounts something each. */
async function owe() {
  const { bank } = world;
  const gigs = [await bank.gig({ token: DEGEN, fee: 7n }), await bank.gig({ token: USDC })];
  for (const gig of gigs) {
    await bank.award(gig, ALICE, 10n);
    await bank.award(gig, BOB, 20n);
  }
  await bank.claim(ALICE);
  await bank.claim(BOB);
  return gigs;
}

async function expectPaid(gigs: Awaited<ReturnType<typeof owe>>) {
  expect(gigs.map((gig) => paidTo(world.model, gig).toSorted((a, b) => Number(a - b)))).toEqual([
    [7n, 10n, 20n],
    [10n, 20n],
  ]);
  expect(new Set(await standings(world.bank))).toEqual(new Set(['fee confirmed', 'payout confirmed']));
}

describe('a process that is killed', () => {
  // Three commits make a payment: it is kept, its broadcast is noted, it is settled.
  const points = [1, 2, 3].flatMap((commits) => (['before', 'after'] as const).map((when) => ({ commits, when })));

  test.for(points)('security: $when commit $commits pays once, and everybody', async (point) => {
    const gigs = await owe();
    world.bank.killAt({ ...point });
    await finish(world);
    await expectPaid(gigs);
    expect(world.bank.lines.some(({ level }) => level === 'error')).toBe(true);
  });

  test('security: at every second commit pays once, and everybody', async () => {
    const gigs = await owe();
    for (let round = 0; round < 40; round += 1) {
      world.bank.killAt({ commits: 2, when: round % 3 === 0 ? 'before' : 'after' });
      await world.pass(1);
    }
    world.bank.killAt(null);
    await finish(world);
    await expectPaid(gigs);
  });
});

describe('an endpoint that forgets', () => {
  test('error: receipts: the events tell', async () => {
    const gigs = await owe();
    world.faults.losesReceipts = true;
    await finish(world);
    await expectPaid(gigs);
  });

  test('error: logs: the receipt tells', async () => {
    const gigs = await owe();
    world.faults.losesLogs = true;
    await finish(world);
    await expectPaid(gigs);
  });

  test('error: both: what is marked is neither paid again nor confirmed before it is known by what', async () => {
    const { bank, faults, model } = world;
    const gigs = await owe();
    faults.losesLogs = true;
    faults.losesReceipts = true;
    await world.pass(100);
    expect(model.receipts()).toHaveLength(1);
    expect(new Set(await standings(bank))).toEqual(new Set(['fee sent', 'payout sent']));
    expect(bank.lines.some(({ reason }) => /does not tell by what/.test(String(reason)))).toBe(true);
    // Others go on meanwhile, and it costs them nothing.
    const other = await bank.gig({ token: DEGEN });
    faults.losesReceipts = false;
    await bank.award(other, ALICE, 5n);
    await bank.claim(ALICE);
    faults.losesLogs = false;
    await finish(world);
    await expectPaid(gigs);
    expect(paidTo(model, other)).toEqual([5n]);
  });

  test('error: blocks: a node that lags leads to nothing but waiting', async () => {
    const gigs = await owe();
    const { faults, model, bank } = world;
    await bank.run();
    for (const lag of [0, 5, 1, 9, 0, 3, 7, 2]) {
      faults.lag = lag;
      await world.pass(1);
    }
    faults.lag = 0;
    await finish(world);
    await expectPaid(gigs);
    expect(model.receipts()).toHaveLength(1);
  });
});

describe('endpoints that differ', () => {
  test('error: what a node that is ahead has counted is settled only once the other has the block', async () => {
    const gigs = await owe();
    const { bank, model, faults } = world;
    await bank.run();
    for (let blocks = 0; blocks < 3; blocks += 1) model.mine();
    const behind = model.view({ ...faults, lag: 3 });
    const payer = { ...model.view(faults), head: behind.head, marks: behind.marks };
    for (let rounds = 0; rounds < 10; rounds += 1) expect(await pulse(bank.deps, payer)).toBe('waiting');
    expect(new Set(await standings(bank))).toEqual(new Set(['fee sent', 'payout sent']));
    await finish(world);
    await expectPaid(gigs);
  });
});

describe('the gas tank’s nonce', () => {
  test('security: used elsewhere costs time and nothing else', async () => {
    const { bank, model } = world;
    const gigs = await owe();
    await bank.run();
    model.useTankElsewhere();
    await world.pass(1);
    model.useTankElsewhere();
    await finish(world);
    await expectPaid(gigs);
    expect((await bank.store.payments({ limit: 10 })).every(({ failures }) => failures === 0)).toBe(true);
  });

  test('security: counts the gas of a payment by the transaction that has paid it, however late a process judges another', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, 10n);
    await bank.claim(ALICE);
    await bank.run();
    const payment = () => bank.store.payment(1);
    const view = model.view(world.faults);
    const late = Promise.withResolvers<void>();
    // It has read what is under way, and looks at the chain when another process has sent the payment again.
    const held = pulse(bank.deps, { ...view, tank: () => late.promise.then(view.tank) });
    model.useTankElsewhere();
    while ((await payment())?.transactionId === 1) await world.pass(1);
    for (let blocks = 0; blocks < 5; blocks += 1) model.mine();
    late.resolve();
    await held;
    await finish(world);
    expect(paidTo(model, gig)).toEqual([10n]);
    const [receipt] = model.receipts();
    expect(await payment()).toMatchObject({ state: 'confirmed', hash: receipt?.hash, gasUsed: receipt?.gasUsed });
  });

  test('security: that is gone for ever does not hold up what was sent after it', async () => {
    const { bank, model } = world;
    model.useTankElsewhere();
    model.mine();
    const gigs = await owe();
    await bank.run();
    // The other transaction had nonce 0, ours 1; the block of the first is taken back, and it never comes again.
    model.emptyPool();
    model.reorganise(1, { keeps: false });
    await finish(world);
    await expectPaid(gigs);
    expect(bank.lines.some(({ msg }) => /waits for a nonce that is gone/.test(String(msg)))).toBe(true);
  });
});

describe('a transaction that two processes settle at once', () => {
  test('security: is confirmed, logged and told once', async () => {
    const { bank, model, faults } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, 10n);
    await bank.claim(ALICE);
    await bank.run();
    for (let blocks = 0; blocks < 5; blocks += 1) model.mine();
    const view = model.view(faults);
    // The other one settles it between this one's look at the chain and its commit.
    const inclusion: typeof view.inclusion = async (hashes) => {
      const found = await view.inclusion(hashes);
      await finish(world);
      return found;
    };
    await pulse(bank.deps, { ...view, inclusion });
    expect(await bank.store.payment(1)).toMatchObject({ state: 'confirmed' });
    expect(await told(bank)).toEqual(['payment.confirmed']);
    expect(bank.lines.filter(({ msg }) => msg === 'payment confirmed')).toHaveLength(1);
  });
});
