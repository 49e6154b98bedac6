import { type AddressUse, isFresh, isUntouched } from '../../domain/chains/chain.ts';
import { AdapterError, DomainError } from '../../domain/errors.ts';
import { type Address, checksummed, type Token } from '../../domain/gigs/token.ts';
import { summarizeError } from '../../log.ts';
import type { JobContext } from '../context.ts';
import type { WalletContext } from './context.ts';

/** How many ids one request tries; ids that were passed over are never tried again. */
const MAX_TRIES = 20;
const ADDRESS_BYTES = 20;

/** A gig id that is used only once, with a wallet that is unused on the gig's chain. */
export interface ReservedGig {
  readonly id: number;
  readonly walletAddress: Address;
}

/**
 * Releases the id of a gig that was not created, unless a later id was reserved meanwhile. Never call it for an id
 * whose wallet was found used: that id must not be given out again.
 */
export async function releaseGig({ store, log }: JobContext, id: number): Promise<void> {
  await store
    .transaction((tx) => tx.releaseGigId(id))
    .catch((error: unknown) => {
      log.warn({ gigId: id, error: summarizeError(error) }, 'cannot release an unused gig id; it stays unused');
    });
}

/** Gives the id back when the chain does not answer. */
async function readUse(
  deps: WalletContext,
  { id, walletAddress: owner }: ReservedGig,
  token: Token,
): Promise<AddressUse> {
  try {
    return await deps.chains.reader(token.chainId).useOf({ owner, token });
  } catch (error) {
    await releaseGig(deps, id);
    throw error;
  }
}

function untrusted({ chains }: WalletContext, { address, chainId }: Token): DomainError {
  const token = `${checksummed(address)} on chain ${chains.reader(chainId).chain.key}`;
  const detail = `token_address must be a token that counts honestly: ${token} shows balances at addresses that were never used`;
  return new DomainError({ code: 'validation_failed', details: [detail] });
}

/** `owner` was never used, so an honest token shows no balance. */
async function refuseBalance(deps: WalletContext, token: Token, owner: Address): Promise<void> {
  if (token.isNative) return;
  const { amount } = await deps.chains.reader(token.chainId).balance({ token, owner });
  if (amount > 0n) throw untrusted(deps, token);
}

/**
 * Reserves the next gig id whose wallet is fresh on the token's chain: no nonce, no code, no native balance and none of
 * the token. An id with a used wallet, as after an older backup was restored, is skipped for ever; other chains do not
 * matter, because this gig cannot pay from them. On the token's word alone at most one id is skipped, so that a token that
 * lies burns none.
 * @throws DomainError `validation_failed` when the token shows balances at addresses that were never used
 * @throws AdapterError when the chain does not answer, or too many wallets in a row are used
 */
export async function reserveFreshGig(deps: WalletContext, token: Token): Promise<ReservedGig> {
  const { store, wallets, log } = deps;
  await refuseBalance(deps, token, `0x${Buffer.from(deps.randomBytes(ADDRESS_BYTES)).toString('hex')}`);
  let isDoubtful = false;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // Before the id is taken: not every engine takes one back.
    if (isDoubtful) await refuseBalance(deps, token, wallets.gigAddress((await store.lastGigId()) + 1));
    const id = await store.transaction((tx) => tx.reserveGigId());
    const reserved = { id, walletAddress: wallets.gigAddress(id) };
    const use = await readUse(deps, reserved, token);
    if (isFresh(use)) return reserved;
    if (isUntouched(use) && isDoubtful) {
      await releaseGig(deps, id);
      throw untrusted(deps, token);
    }
    isDoubtful ||= isUntouched(use);
    log.warn({ gigId: id, chainId: token.chainId }, 'gig id skipped permanently: its wallet was used before');
  }
  const message = `chain id ${token.chainId}: the wallets of ${MAX_TRIES} gig ids in a row are used already`;
  throw new AdapterError({ retry: 'safe', reason: 'rejected', message });
}
