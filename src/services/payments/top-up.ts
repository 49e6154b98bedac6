import type { ChainWriter, Fees, GigWallets } from '../../domain/chain.ts';
import { requiredFunds } from '../../domain/gig.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../domain/token.ts';
import { TANK_IS_LOW, type Transfer } from '../../domain/transfer.ts';
import type { Store, StoreReads } from '../../store/port/index.ts';
import { findGig } from '../gigs/find-gigs.ts';

export interface GasDeps {
  readonly store: Store;
  readonly wallets: GigWallets;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** How many transfers a top-up covers, so that not every payment waits for one. */
const TOP_UP_FOR = 4n;
/** In per cent of the last fees: those of a replacement, and the minimum that nodes commonly accept. */
const BUMPED = 125n;
const LEAST_BUMPED = 110n;

/** The reason of a transfer that waits for its top-up. */
export const GAS_IS_COMING = 'its wallet waits for gas';

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/**
 * Fees that replace a stuck transaction: clearly above its last ones, and at most the cap in wei; null when the cap
 * leaves no room.
 */
export function bumpFees(now: Fees, { last, cap }: { last: Fees; cap: bigint }): Fees | null {
  const bumped = (fee: bigint) => (fee * BUMPED) / 100n + 1n;
  const isEnough = (fee: bigint, before: bigint) => fee * 100n >= before * LEAST_BUMPED;
  const maxFeePerGas = smaller(cap, greater(now.maxFeePerGas, bumped(last.maxFeePerGas)));
  const priority = greater(now.maxPriorityFeePerGas, bumped(last.maxPriorityFeePerGas));
  const maxPriorityFeePerGas = smaller(maxFeePerGas, priority);
  const accepted =
    isEnough(maxFeePerGas, last.maxFeePerGas) && isEnough(maxPriorityFeePerGas, last.maxPriorityFeePerGas);
  return accepted ? { maxFeePerGas, maxPriorityFeePerGas } : null;
}

/** Wei that a wallet may spend on gas: its balance less what it owes in the native asset. */
async function spareGas(reads: StoreReads, transfer: Transfer, balance: bigint): Promise<bigint> {
  if (transfer.kind === 'gas') return balance - transfer.amount;
  if (!transfer.token.isNative) return balance;
  const gig = await findGig({ store: reads }, { gigId: transfer.gigId });
  const owed = requiredFunds(gig) - (await reads.amountPaidByGig(transfer.gigId));
  return balance - owed;
}

async function planTopUp({ store, wallets, clock }: GasDeps, writer: ChainWriter, transfer: Transfer, amount: bigint) {
  await store.transaction(async (tx) => {
    if (await tx.awaitsGas(transfer.gigId)) return;
    const now = clock();
    const token = await tx.ensureToken({
      createdAt: now,
      chainId: transfer.chainId,
      address: NATIVE_TOKEN_ADDRESS,
      isNative: true,
      ...writer.chain.nativeCurrency,
      imageUrl: '',
      coingeckoId: null,
    });
    await tx.planTransfer(
      {
        kind: 'gas',
        chainId: transfer.chainId,
        sender: wallets.gasTankAddress(),
        gigId: transfer.gigId,
        claimId: null,
        tokenId: token.id,
        recipient: transfer.sender,
        amount,
      },
      { now, tipIds: [] },
    );
  });
}

/**
 * Checks that a transfer's wallet can pay `cost` wei for gas, and plans a top-up of what is missing.
 * @returns why the transfer has to wait, or null when its wallet has enough
 */
export async function findGas(
  deps: GasDeps,
  writer: ChainWriter,
  transfer: Transfer,
  cost: bigint,
): Promise<string | null> {
  const spare = await spareGas(deps.store, transfer, await writer.nativeBalance(transfer.sender));
  if (spare >= cost) return null;
  if (transfer.kind === 'gas') return TANK_IS_LOW;
  // The service never spends on gas what a gig owes, so the money left by other means; the tank does not replace it.
  if (spare < 0n) return 'its wallet holds less than the gig has to pay';
  await planTopUp(deps, writer, transfer, cost * TOP_UP_FOR - spare);
  return GAS_IS_COMING;
}
