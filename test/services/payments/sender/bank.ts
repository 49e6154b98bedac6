import { randomInt } from 'node:crypto';
import type { AccountKey } from '../../../../src/domain/account.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import type { Tip } from '../../../../src/domain/gigs/tip.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../../src/domain/gigs/token.ts';
import type { PayerChain } from '../../../../src/domain/payments/payer-chain.ts';
import type { Payment } from '../../../../src/domain/payments/payment.ts';
import {
  PAYMENT_POLICY,
  type PaymentContext,
  SENDER_TIMING,
  type SenderTiming,
} from '../../../../src/services/payments/sender/context.ts';
import { type Progress, pulse } from '../../../../src/services/payments/sender/pulse.ts';
import type { Store, StoreTx, TransactionOptions } from '../../../../src/store/port/index.ts';
import { createTestDatabase, type WrapStore } from '../../../support/database.ts';
import { firstOf } from '../../../support/first-of.ts';
import { seedAddress, seedGig, seedHash, seedToken } from '../../../support/store.ts';
import { keepLog } from '../../fakes.ts';

/** What a process that is killed in the middle of its work leaves behind: nothing is done after this. */
class Killed extends Error {
  override readonly name = 'Killed';
}

/** When a process is killed. */
export interface KillPoint {
  /** How many more commits are left to it. */
  commits: number;
  readonly when: 'before' | 'after';
}

interface GigTerms {
  /** The native asset of the chain when absent. */
  readonly token?: Address;
  /** Base units; none when absent. */
  readonly fee?: bigint;
  readonly client?: string;
  /** Whether a key of that client with the scope `operator` has made it. */
  readonly isOperators?: boolean;
}

export const TREASURY = seedAddress(0xfee);

export function account(number: number): AccountKey {
  return { platform: 'farcaster', platformUserId: String(1_000 + number) };
}

export const [ALICE, BOB, CAROL] = [account(1), account(2), account(3)] as const;

/** Where an account wants to be paid. */
export function addressOf({ platformUserId }: AccountKey): Address {
  return seedAddress(0xa0000 + Number(platformUserId));
}

interface BankOptions {
  readonly clock: () => number;
  readonly payer: PayerChain;
  readonly timing?: Partial<SenderTiming>;
  readonly policy?: Partial<PaymentContext['policy']>;
  readonly screeningOracles?: NonNullable<PaymentContext['screeningOracles']>;
  /** The database of another bank, which is continued from there. */
  readonly copy?: string;
  /** Distinguishes the claims of two banks. */
  readonly name?: string;
  readonly walletAddress?: (gigId: number) => Address;
  readonly wrap?: WrapStore | undefined;
  /** Opens another store than one in a file of its own. */
  readonly openStore?: (() => Promise<Store>) | undefined;
  /** Whether tips are counted from 0, as before floors were drawn. */
  readonly countsOn?: boolean;
}

/** A ledger in a real store with the sender of one chain over it; nothing happens but by `pulse`. */
export async function openBank(options: BankOptions) {
  const { clock, payer, name = 'a', walletAddress = (id: number) => seedAddress(0x90000 + id) } = options;
  const wrap: WrapStore = options.wrap ?? ((store) => store);
  const database = await createTestDatabase(options.copy);
  /** As a process that starts now. */
  const open = async () => {
    if (options.openStore !== undefined) return wrap(await options.openStore());
    const floors = options.countsOn === true ? undefined : { clock, randomBelow: randomInt };
    return wrap(await database.open({ clock, floors }));
  };
  let real = await open();
  let kill: KillPoint | null = null;
  let posts = 0;
  const { log, lines } = keepLog();
  const lack: number[] = [];

  /** The store of a process that may be killed around a commit. */
  async function transaction<T>(run: (tx: StoreTx) => Promise<T>, options?: TransactionOptions): Promise<T> {
    if (kill === null) return await real.transaction(run, options);
    kill.commits -= 1;
    if (kill.commits > 0) return await real.transaction(run, options);
    const { when } = kill;
    kill = null;
    if (when === 'after') await real.transaction(run, options);
    throw new Killed('killed');
  }

  const store = new Proxy({} as Store, {
    get: (_target, key: keyof Store) => {
      if (key === 'transaction') return transaction;
      const method: unknown = Reflect.get(real, key);
      return typeof method === 'function' ? method.bind(real) : method;
    },
  });
  const deps: PaymentContext = {
    store,
    clock,
    log,
    timing: { ...SENDER_TIMING, ...options.timing },
    // Fewer in a transaction than the service makes, so that tests of a long queue stay short.
    policy: { ...PAYMENT_POLICY, payments: 100, ...options.policy },
    ...(options.screeningOracles && { screeningOracles: options.screeningOracles }),
    tankIsLow: (chainId) => lack.push(chainId),
  };

  /** The id of a key with the scope `operator`. */
  async function operatorKey(client: string): Promise<number> {
    const hash = String(clock()).padStart(64, '0');
    const key = { name: client, client, hash, scopes: ['operator'], createdAt: clock(), expiresAt: null } as const;
    return (await real.transaction((tx) => tx.insertApiKey(key))).id;
  }

  async function gig({ token, fee = 0n, client, isOperators = false }: GigTerms = {}): Promise<Gig> {
    const native = { address: NATIVE_TOKEN_ADDRESS, isNative: true, symbol: 'ETH', name: 'Ether' };
    const { id: tokenId } = await seedToken(real, {
      ...(token === undefined ? native : { address: token }),
      chainId: payer.chain.id,
    });
    const createdBy = isOperators ? await operatorKey(client ?? 'house') : null;
    const terms = { tokenId, rewardAmount: 2n ** 250n, feeAmount: fee, live: true, walletAddress, createdBy };
    const seeded = await seedGig(real, terms);
    const start = { gigId: seeded.id, tokenId, chainId: payer.chain.id, amount: 1n, commissionAmount: 0n };
    const transaction = { ...start, blockNumber: (await payer.head()).latest.number, checkBlock: null };
    await real.transaction(async (tx) => {
      await tx.recordGigTransaction(transaction, clock());
      if (client !== undefined) await tx.assignGig(seeded.id, client);
      if (fee > 0n) {
        const payment = { kind: 'fee', chainId: payer.chain.id, gigId: seeded.id, claimId: null, tokenId } as const;
        await tx.planPayment({ ...payment, recipient: TREASURY, amount: fee }, { now: clock(), tipIds: [] });
      }
    });
    return seeded;
  }

  async function plan(
    tx: StoreTx,
    tips: readonly Tip[],
    claim: { id: number; recipient: Address },
  ): Promise<Payment[]> {
    const planned: Payment[] = [];
    for (const [gigId, ofGig] of Map.groupBy(tips, (tip) => tip.gigId)) {
      const of = await tx.gig(gigId);
      if (of === null) throw new Error('a tip of no gig');
      const { chainId, id: tokenId } = of.token;
      const paid = { recipient: claim.recipient, amount: ofGig.reduce((sum, tip) => sum + tip.amount, 0n) };
      const payment = { kind: 'payout', chainId, gigId, claimId: claim.id, tokenId, ...paid } as const;
      planned.push(await tx.planPayment(payment, { now: clock(), tipIds: ofGig.map(({ id }) => id) }));
    }
    return planned;
  }

  async function award({ id: gigId, token }: Gig, to: AccountKey, ...amounts: bigint[]): Promise<Tip[]> {
    const tips = amounts.map((amount) => ({ ...to, gigId, tokenId: token.id, amount, userAddress: null }));
    return await real.transaction((tx) => tx.insertTips(tips, clock()));
  }

  async function claim(by: AccountKey, recipient = addressOf(by)): Promise<Payment[]> {
    posts += 1;
    const post = `${name}-${clock()}-${posts}`;
    const shared = { ...by, recipient, createdAt: clock() };
    return await real.transaction(async (tx) => {
      const made = await tx.insertClaim({ ...shared, postId: post, source: 'url', publicId: `claim-${post}` });
      const tips = await tx.takeTips(made, { now: clock(), lockTimeout: clock() + 60_000 });
      return await plan(tx, tips, made);
    });
  }

  async function awardAndClaim(of: Gig, to: AccountKey, ...amounts: bigint[]): Promise<Payment> {
    await award(of, to, ...amounts);
    return firstOf(await claim(to));
  }

  return {
    store,
    deps,
    lines,
    lack,
    gig,
    async gigs(count: number, terms: GigTerms): Promise<Gig[]> {
      const made: Gig[] = [];
      for (let each = 0; each < count; each += 1) made.push(await gig(terms));
      return made;
    },
    award,
    /** A claim by the account for all that it can claim now, with its payments planned. */
    claim,
    /** @returns the first of the payments that are planned then */
    awardAndClaim,
    /** Has so many accounts, from one on, each earn as much of a gig as `amountOf` says, and claim it. */
    async claimByMany(of: Gig, count: number, amountOf = (_each: number) => 1n, first = 0): Promise<Payment[]> {
      const planned: Payment[] = [];
      for (let each = first; each < first + count; each += 1) {
        planned.push(await awardAndClaim(of, account(each), amountOf(each)));
      }
      return planned;
    },
    pulse: (): Promise<Progress> => pulse(deps, payer),
    /** Pulses until nothing moves at once any more. */
    async run(): Promise<Progress> {
      for (let steps = 0; steps < 200; steps += 1) {
        const progress = await pulse(deps, payer);
        if (progress !== 'moved') return progress;
      }
      throw new Error('the sender never stops moving');
    },
    /** Marks tips as paid before wallets paid by the contract. */
    async payBefore(tips: readonly Tip[]): Promise<void> {
      await real.close();
      const pay = "update tips set status = 'claimed', user_address = ?, tx_hash = ?, claimed_at = ? where id = ?";
      for (const { id } of tips) await database.sql(pay, seedAddress(0xe0), seedHash(id), clock(), id);
      real = await open();
    },
    /** The process dies around one of its next commits; the next pulse is another process. */
    killAt(point: KillPoint | null): void {
      kill = point;
    },
    /** The database as it is now. */
    async copy(): Promise<string> {
      await real.close();
      const copy = await database.copy();
      real = await open();
      return copy;
    },
    /** Puts the database back to an earlier copy. */
    async restore(copy: string): Promise<void> {
      await real.close();
      await database.restore(copy);
      real = await open();
    },
    async close(): Promise<void> {
      await real.close();
      await database.remove();
    },
  };
}

export type Bank = Awaited<ReturnType<typeof openBank>>;
