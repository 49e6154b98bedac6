import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import type { Tip } from '../../../../src/domain/gigs/tip.ts';
import { adoptMarks } from '../../../../src/services/payments/sender/found/adopt.ts';
import { readWords } from '../../../../src/services/payments/sender/found/known-marks.ts';
import { randomRuns } from '../../../support/extent.ts';
import { account, addressOf, type Bank } from './bank.ts';
import { type Faults, noFaults } from './chain-model.ts';
import { BLOCK_MS, DEGEN, finish, openWorld, USDC, type World } from './world.ts';

const SEEDS = randomRuns(40);
const ACTS = 60;
const ACCOUNTS = 5;
const GIGS = 4;

/** Numbers from a seed (mulberry32): a whole number below `most`. */
function createChance(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  };
}

/** What somebody earned, whatever any database says: a power of two, so that a sum tells its parts. */
interface Award {
  readonly amount: bigint;
  readonly account: number;
  readonly gigId: number;
}

/** The tips that a ledger knows, whether it takes them as paid or not. */
async function owedBy({ store }: Bank): Promise<Tip[]> {
  const tips: Tip[] = [];
  for (let id = 1; id < 2 * ACTS; id += 1) {
    const tip = await store.tip(id);
    if (tip !== null) tips.push(tip);
  }
  return tips;
}

interface Instance {
  readonly bank: Bank;
  readonly faults: Faults;
  readonly copies: string[];
}

/**
 * Every third time all count tips from where their ledger is, as before floors were drawn. Then two ledgers can give the
 * same number to two tips, and the chain cannot always tell whose it was: nobody is paid twice all the same.
 */
const COUNTS_ON = 3;

async function play(seed: number): Promise<void> {
  const chance = createChance(seed);
  const countsOn = seed % COUNTS_ON === 0;
  // The clock of the service is off by up to ten minutes.
  const aheadMs = 1_000 * (chance(1_201) - 600);
  const world: World = await openWorld({ confirmations: 1 + chance(4), countsOn, aheadMs });
  const { model, advance } = world;
  model.mine(70);
  const gigs: Gig[] = [];
  for (let each = 0; each < GIGS; each += 1) gigs.push(await world.bank.gig({ token: each % 2 === 0 ? DEGEN : USDC }));
  const awards: Award[] = [];
  const instances: Instance[] = [{ bank: world.bank, faults: world.faults, copies: [await world.bank.copy()] }];
  const log: string[] = [];

  const pick = <T>(items: readonly T[]): T => {
    const item = items[chance(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };

  /** One thing that happens, more often what happens often. */
  const acts: readonly [number, string, (on: Instance) => unknown][] = [
    [
      10,
      'award',
      async ({ bank }) => {
        const gig = pick(gigs);
        const award = { amount: 1n << BigInt(awards.length), account: chance(ACCOUNTS), gigId: gig.id };
        awards.push(award);
        await bank.award(gig, account(award.account), award.amount);
      },
    ],
    [10, 'claim', ({ bank }) => bank.claim(account(chance(ACCOUNTS)))],
    [14, 'pulse', ({ bank }) => bank.pulse()],
    [8, 'run', ({ bank }) => bank.run()],
    [
      14,
      'mine',
      () => {
        advance(BLOCK_MS);
        model.mine(1 + chance(3));
      },
    ],
    [4, 'wait', () => advance(1_000 * (1 + chance(100)))],
    [3, 'reorganise', () => model.reorganise(1 + chance(64), { keeps: chance(2) === 0 })],
    [
      2,
      'swap',
      () => {
        const instead = model.signed().filter(() => chance(3) === 0);
        model.emptyPool();
        model.reorganise(1 + chance(20), { keeps: false, instead });
      },
    ],
    [2, 'forget', () => model.emptyPool()],
    [2, 'stranger', () => model.useTankElsewhere()],
    [2, 'kill', ({ bank }) => bank.killAt({ commits: 1 + chance(3), when: chance(2) === 0 ? 'before' : 'after' })],
    [2, 'lag', ({ faults }) => (faults.lag = chance(3) === 0 ? chance(8) : 0)],
    [2, 'logs', ({ faults }) => (faults.losesLogs = chance(3) === 0)],
    [2, 'receipts', ({ faults }) => (faults.losesReceipts = chance(3) === 0)],
    [2, 'broadcasts', ({ faults }) => (faults.losesBroadcasts = chance(3) === 0)],
    [1, 'down', ({ faults }) => (faults.isDown = chance(3) === 0)],
    [2, 'tank', () => (model.tank.balance = chance(3) === 0 ? 100n : 10n ** 20n)],
    [2, 'fees', () => (model.tank.minFee = chance(3) === 0 ? 11n : 0n)],
    [3, 'copy', async ({ bank, copies }) => copies.push(await bank.copy())],
    [2, 'restore', async ({ bank, copies }) => await bank.restore(pick(copies))],
    [
      1,
      'fork',
      async ({ copies }) => {
        if (instances.length > 1) return;
        const made = await world.another({ copy: pick(copies), name: 'b' });
        instances.push({ ...made, copies: [...copies] });
      },
    ],
    [
      2,
      'reconcile',
      async ({ bank, faults }) => {
        await adoptMarks(bank.deps, model.view(faults), { gigs }).catch((error: unknown) => {
          if (!faults.isDown && faults.lag === 0 && !String(error).includes('killed')) throw error;
        });
      },
    ],
  ];
  const deck = acts.flatMap(([weight, name, run]) => Array.from({ length: weight }, () => [name, run] as const));

  for (let act = 0; act < ACTS; act += 1) {
    const [name, run] = pick(deck);
    const on = pick(instances);
    log.push(`${instances.indexOf(on)} ${name}`);
    await run(on);
  }

  // Everything heals, and everybody claims what there is to claim, as often as there is something.
  model.tank.balance = 10n ** 20n;
  model.tank.minFee = 0n;
  for (const { bank, faults } of instances) {
    bank.killAt(null);
    Object.assign(faults, noFaults());
  }
  const banks = instances.map(({ bank }) => bank);
  for (let quiet = 0; quiet < 3; ) {
    advance(60_000);
    model.mine(70);
    let planned = 0;
    for (const bank of banks) {
      await adoptMarks(bank.deps, model.view(noFaults()), { gigs });
      for (let each = 0; each < ACCOUNTS; each += 1) planned += (await bank.claim(account(each))).length;
    }
    await finish(world, banks, 2_000);
    quiet = planned === 0 ? quiet + 1 : 0;
  }

  const context = `seed ${seed}: ${log.join(', ')}`;
  const paidTimes = new Map<bigint, number>();
  for (const event of model.paid()) {
    for (const [index, award] of awards.entries()) {
      if (((event.amount >> BigInt(index)) & 1n) === 0n) continue;
      paidTimes.set(award.amount, (paidTimes.get(award.amount) ?? 0) + 1);
      expect([event.to, event.wallet], context).toEqual([
        addressOf(account(award.account)),
        gigs.find(({ id }) => id === award.gigId)?.walletAddress,
      ]);
    }
  }
  expect(
    [...paidTimes.values()].filter((times) => times > 1),
    context,
  ).toEqual([]);
  for (const { bank, faults } of instances) {
    for (const gig of gigs) {
      // What any ledger still knows is paid, and it knows who was paid the numbers that it has given.
      for (let each = 0; each < ACCOUNTS; each += 1) expect(await bank.claim(account(each)), context).toEqual([]);
      const marked = new Set(await bank.store.markedNumbers(gig.id));
      const events = model.paid().filter(({ wallet }) => wallet === gig.walletAddress);
      const words = await readWords(bank.store, gig.id);
      const seen = events.flatMap(({ numbers }) => numbers.filter((number) => words.includes(number >> 8n)));
      for (const number of seen) expect(marked.has(number), `${number} ${context}`).toBe(true);
      for (const number of marked)
        expect(
          events.some(({ numbers }) => numbers.includes(number)),
          context,
        ).toBe(true);
    }
    const { unexplained } = await adoptMarks(bank.deps, model.view(faults), { gigs });
    expect(unexplained, context).toEqual([]);
    for (const { amount } of countsOn ? [] : await owedBy(bank)) expect(paidTimes.has(amount), context).toBe(true);
    expect(
      bank.lines.filter(({ msg }) => msg === 'payments of a chain fail').map(({ error }) => error),
      context,
    ).toSatisfy((errors: unknown[]) => errors.every((error) => JSON.stringify(error).includes('Killed')));
    await bank.close();
  }
}

describe('a random sequence of everything that goes wrong', () => {
  const from = Number(process.env['SENDER_SEED'] ?? 1);
  const seeds = Array.from({ length: SEEDS }, (_, index) => from + index);
  test.for(seeds)('security: seed %i pays nobody twice, and everybody whom it can tell', async (seed) => {
    await play(seed);
  });
});
