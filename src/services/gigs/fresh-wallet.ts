import { type Chains, type GigWallets, isFresh } from '../../domain/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { Address, Token } from '../../domain/token.ts';
import { type Log, summarizeError } from '../../log.ts';
import type { Store } from '../../store/port/index.ts';

/** How many ids one request tries; ids that were passed over are never tried again. */
const MAX_TRIES = 20;

/** A gig id that is used only once, with a wallet that is unused on the gig's chain. */
export interface ReservedGig {
  readonly id: number;
  readonly walletAddress: Address;
}

interface ReserveDeps {
  readonly store: Pick<Store, 'transaction'>;
  readonly chains: Chains;
  readonly wallets: GigWallets;
  readonly log: Log;
}

/**
 * Releases the id of a gig that was not created, unless a later id was reserved meanwhile. Never call it for an id
 * whose wallet was found used: that id must not be given out again.
 */
export async function releaseGig({ store, log }: Pick<ReserveDeps, 'store' | 'log'>, id: number): Promise<void> {
  await store
    .transaction((tx) => tx.releaseGigId(id))
    .catch((error: unknown) => {
      log.warn({ gigId: id, error: summarizeError(error) }, 'cannot release an unused gig id; it stays unused');
    });
}

async function isUnused(deps: ReserveDeps, { id, walletAddress: owner }: ReservedGig, token: Token): Promise<boolean> {
  try {
    return isFresh(await deps.chains.reader(token.chainId).useOf({ owner, token }));
  } catch (error) {
    await releaseGig(deps, id);
    throw error;
  }
}

/**
 * Reserves the next gig id whose wallet is fresh on the token's chain: no nonce, no code, no native balance and none of
 * the token. An id with a used wallet, as after an older backup was restored, is skipped for ever; other chains do not
 * matter, because this gig cannot pay from them.
 * @throws AdapterError when the chain does not answer, or too many wallets in a row are used
 */
export async function reserveFreshGig(deps: ReserveDeps, token: Token): Promise<ReservedGig> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const id = await deps.store.transaction((tx) => tx.reserveGigId());
    const reserved = { id, walletAddress: deps.wallets.gigAddress(id) };
    if (await isUnused(deps, reserved, token)) return reserved;
    deps.log.warn({ gigId: id, chainId: token.chainId }, 'gig id skipped permanently: its wallet was used before');
  }
  const message = `chain id ${token.chainId}: the wallets of ${MAX_TRIES} gig ids in a row are used already`;
  throw new AdapterError({ retry: 'safe', reason: 'rejected', message });
}
