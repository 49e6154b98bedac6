import type { Chain, ChainWriter } from '../../domain/chain.ts';
import type { Transfer } from '../../domain/transfer.ts';
import type { Store } from '../../store/port/index.ts';

const TANK_IS_AHEAD = 'the chain knows more transactions of the gas tank than this database';

/** The reason of a top-up that waits because the gas tank's nonce on chain is ahead of the ledger, with the remedy. */
export function tankIsAhead({ key }: Pick<Chain, 'key'>): string {
  return `${TANK_IS_AHEAD}; when you know them, run npm run admin -- gas-tank accept ${key}`;
}

/** Whether a planned top-up waits for `gas-tank accept`, as of the worker's last poll. */
export function isHeldTopUp({ reason }: Pick<Transfer, 'reason'>): boolean {
  return reason?.startsWith(TANK_IS_AHEAD) ?? false;
}

interface NonceDeps {
  readonly store: Pick<
    Store,
    'transaction' | 'nextNonce' | 'acknowledgedActivity' | 'gigTransactions' | 'gasTankNonces'
  >;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** How many nonces a gig's wallet had spent at its start; those belong to its funder. */
async function spentAtStart(
  { store }: NonceDeps,
  writer: Pick<ChainWriter, 'noncesAt'>,
  { gigId, sender: address }: Transfer,
): Promise<number> {
  const [start] = await store.gigTransactions(gigId);
  if (start === undefined) return 0;
  return start.spentNonces ?? (await writer.noncesAt({ address, blockNumber: start.blockNumber }));
}

function reasonOf(unknown: readonly number[]): string | null {
  const [first] = unknown;
  if (first === undefined) return null;
  const last = unknown.at(-1);
  const which = first === last ? `nonce ${first}` : `nonces ${first} to ${last}`;
  return `the chain knows transactions of its wallet that this database does not (${which}); it may be an older backup`;
}

/**
 * Why a gig's wallet must sign nothing: it spent nonces that are neither a transfer's nor acknowledged; null when none.
 * Nonces below the ledger's newest were checked before that one was signed.
 * @param spent how many nonces of the wallet are spent, read from the chain before this call
 * @throws AdapterError when the chain must be asked and does not answer
 */
export async function findGigNonceProblem(
  deps: NonceDeps,
  writer: Pick<ChainWriter, 'noncesAt'>,
  transfer: Transfer,
  spent: number,
): Promise<string | null> {
  const next = (await deps.store.nextNonce(transfer)) ?? 0;
  if (spent <= next) return null;
  const accepted = new Set(
    (await deps.store.acknowledgedActivity(transfer.gigId)).flatMap((use) => (use.kind === 'nonce' ? [use.nonce] : [])),
  );
  const from = next > 0 ? next : await spentAtStart(deps, writer, transfer);
  const ahead = Array.from({ length: Math.max(0, spent - from) }, (_, index) => from + index);
  return reasonOf(ahead.filter((nonce) => !accepted.has(nonce)));
}

/**
 * Whether the gas tank's nonce on a chain is ahead of the ledger. What it had spent when first seen there counts as
 * known, because its account may be older than the service.
 */
export async function isTankAhead(
  { store, clock }: NonceDeps,
  tank: Pick<Transfer, 'chainId' | 'sender'>,
  spent: number,
): Promise<boolean> {
  const next = await store.nextNonce(tank);
  const known = await store.gasTankNonces(tank.chainId);
  if (known === null && next === null) {
    await store.transaction((tx) => tx.acknowledgeGasTankNonces(tank.chainId, spent, clock()));
    return false;
  }
  return spent > Math.max(known ?? 0, next ?? 0);
}
