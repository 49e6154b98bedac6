import { expect } from 'vitest';
import { EVENT_TYPES, type StoredEvent } from '../../../../src/domain/events/event.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../../src/domain/gigs/token.ts';
import type { PaidEvent } from '../../../../src/domain/payments/payer-chain.ts';
import type { Payment } from '../../../../src/domain/payments/payment.ts';
import { firstOf } from '../../../support/first-of.ts';
import { seedAddress } from '../../../support/store.ts';
import { createClock } from '../../fakes.ts';
import { ALICE, type Bank, openBank } from './bank.ts';
import { type ChainModel, createChainModel, type Faults, noFaults } from './chain-model.ts';

export const DEGEN = seedAddress(0xd1);
export const USDC = seedAddress(0xd2);
export const HOSTILE = seedAddress(0xbad);
/** Of a block. */
export const BLOCK_MS = 2_000;

type BankOptions = Omit<Parameters<typeof openBank>[0], 'clock' | 'payer'>;

/**
 * A chain in memory with one bank, and a clock that stands still.
 * @param options.aheadMs how much the clock of the banks is ahead of the chain's
 */
export async function openWorld(options: BankOptions & { confirmations?: number; aheadMs?: number } = {}) {
  const { confirmations = 3, aheadMs = 0, ...terms } = options;
  const { clock: time, advance } = createClock();
  const clock = () => time() + aheadMs;
  const model = createChainModel({ clock: time, confirmations });
  const faults = noFaults();
  const bank = await openBank({ ...terms, clock, payer: model.view(faults) });
  model.mine();
  return {
    clock,
    advance,
    model,
    faults,
    bank,
    close: () => bank.close(),
    /** Another process over the same chain; its database may be a copy of another one's. */
    async another(more: BankOptions = {}): Promise<{ bank: Bank; faults: Faults }> {
      const own = noFaults();
      return { bank: await openBank({ ...terms, ...more, clock, payer: model.view(own) }), faults: own };
    },
    /** So many blocks come, and the bank does what there is to do after each. */
    async pass(blocks: number, banks: readonly Bank[] = [bank]): Promise<void> {
      for (let each = 0; each < blocks; each += 1) {
        for (const one of banks) await one.run();
        advance(BLOCK_MS);
        model.mine();
      }
      for (const one of banks) await one.run();
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** A gig of a good token that owes alice so much, and the payment that is planned of it. */
export async function planOne({ bank }: World, amount = 10n): Promise<{ gig: Gig; payment: Payment }> {
  const gig = await bank.gig({ token: DEGEN });
  return { gig, payment: await bank.awardAndClaim(gig, ALICE, amount) };
}

/** A gig of a good token and one of this token, which owe alice 10 and 20, and the second one's payment. */
export async function planBoth({ bank }: World, token: Address) {
  const [good, bad] = [await bank.gig({ token: DEGEN }), await bank.gig({ token })];
  await bank.award(good, ALICE, 10n);
  await bank.award(bad, ALICE, 20n);
  return { good, bad, payment: firstOf((await bank.claim(ALICE)).slice(1)) };
}

/** Blocks come until every bank says that it is done. */
export async function finish(world: World, banks: readonly Bank[] = [world.bank], most = 400): Promise<void> {
  for (let rounds = 0; rounds < most; rounds += 1) {
    const says = [];
    for (const bank of banks) says.push(await bank.run());
    if (says.every((each) => each === 'done')) return;
    world.advance(BLOCK_MS);
    world.model.mine();
  }
  const left = await Promise.all(banks.map((bank) => bank.store.payments({ limit: 20 })));
  const words = left.flat().map(({ id, state, reason }) => `${id} ${state} ${reason}`);
  throw new Error(`not done after ${most} blocks: ${words.join(', ')}`);
}

/** The amounts that the chain paid from a gig to an address, in order. */
export function paidTo(model: ChainModel, gig: Pick<Gig, 'walletAddress'>, to?: string): bigint[] {
  const isOf = (event: PaidEvent) => event.wallet === gig.walletAddress && (to === undefined || event.to === to);
  return model
    .paid()
    .filter(isOf)
    .map(({ amount }) => amount);
}

/** Every payment of a bank, oldest first, as `kind state`. */
export async function standings(bank: Bank): Promise<string[]> {
  const payments = await bank.store.payments({ limit: 1_000 });
  return payments.toReversed().map(({ kind, state }) => `${kind} ${state}`);
}

/** A payment as the store has it now. */
export async function reload(bank: Bank, { id }: Pick<Payment, 'id'>): Promise<Payment> {
  const payment = await bank.store.payment(id);
  if (payment === null) throw new Error(`there is no payment ${id}`);
  return payment;
}

/** The events about payments, oldest first. */
export async function eventsOf({ store }: Bank): Promise<StoredEvent[]> {
  await store.transaction((tx) => tx.releaseEvents({ holder: 'test', now: 1, until: 10, limit: 1_000 }));
  const events = await store.eventsAfter({ after: 0, client: null, types: EVENT_TYPES, gigId: null, limit: 1_000 });
  return events.filter(({ type }) => type.startsWith('payment.'));
}

/** Their types. */
export async function told(bank: Bank): Promise<string[]> {
  return (await eventsOf(bank)).map(({ type }) => type);
}

/** A numbered payment is in the chain once: no number twice, by construction, and no amount that was paid before. */
export function expectOnce(model: ChainModel): void {
  const amounts = model.paid().map(({ amount }) => amount);
  expect(new Set(amounts).size).toBe(amounts.length);
}
