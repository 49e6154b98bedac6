import { type Account, accountKeyText } from '../../domain/account.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { Terms } from '../../domain/gigs/terms.ts';
import { type Actor, actorClient, keyIdOf } from '../../domain/operators/actor.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { type Deed, recordEvent, recordGigEvent } from '../operators/audit-events.ts';
import type { Prepared } from '../prepared.ts';
import { type Commanded, commandGig } from './command-gig.ts';
import type { GigContext } from './context.ts';
import { releaseGig, reserveFreshGig } from './fresh-wallet.ts';
import { fillTerms } from './terms/terms.ts';

/** Adds an owner and suggests its handle to the store; false when it was an owner already. */
export async function storeOwner(tx: StoreTx, { id: gigId }: Commanded, owner: Account, deed: Deed): Promise<boolean> {
  const added = await tx.addGigOwner(gigId, owner, deed.now, keyIdOf(deed.actor));
  await tx.suggestUsernames([owner], deed.now);
  if (added) {
    const { username } = owner;
    const subjectId = accountKeyText(owner);
    await recordEvent(tx, deed, { action: 'owner.add', subject: 'account', subjectId, gigId, detail: { username } });
  }
  return added;
}

/**
 * Prepares a gig with a fresh wallet, to be funded and then started: its wallet is reserved until it is committed or abandoned.
 * @throws DomainError `validation_failed` with every problem at once, `chain_not_found`, `token_not_found`,
 * `wallets_off`
 * @throws AdapterError when the chain does not answer, or no fresh wallet was found
 */
export async function prepareGig(
  deps: GigContext,
  { terms, owners, actor }: { terms: Terms; owners: readonly Account[]; actor: Actor },
): Promise<Prepared<Gig>> {
  const { wallets } = deps;
  if (wallets === null) throw new DomainError({ code: 'wallets_off' });
  const { gig, token, earning } = await fillTerms(deps, { terms, actor });
  const { id, walletAddress } = await reserveFreshGig({ ...deps, wallets }, token);
  const abandon = () => releaseGig(deps, id);
  try {
    // Nothing of the wallet is older.
    const { blockNumber: createdBlock } = await deps.chains.reader(token.chainId).ping();
    const commit = async (tx: StoreTx, now: number): Promise<Gig> => {
      const created = await tx.insertGig(gig, {
        now,
        id,
        createdBlock,
        walletAddress: () => walletAddress,
        client: actorClient(actor),
        createdBy: keyIdOf(actor),
      });
      if (earning !== null) await tx.storeEarningRules(created.id, earning);
      const detail = { reward: created.rewardAmount, fee: created.feeAmount, token: created.token.address };
      await recordGigEvent(tx, { actor, now }, { action: 'gig.create', gigId: created.id, detail });
      if (owners.length > 0) {
        // A creator names owners with the terms, also in a new session.
        const commanded = await commandGig(tx, { gigId: created.id, actor, act: 'change' });
        for (const owner of owners) await storeOwner(tx, commanded, owner, { actor, now });
      }
      return created;
    };
    return { commit, abandon };
  } catch (error) {
    await abandon();
    throw error;
  }
}
