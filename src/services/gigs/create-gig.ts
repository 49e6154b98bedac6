import { z } from 'zod';
import { type Account, accountKeyText } from '../../domain/account.ts';
import { type Actor, keyIdOf } from '../../domain/actor.ts';
import type { GigWallets } from '../../domain/chain.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gig.ts';
import { accountShape, termsProblems, termsShape } from '../../domain/terms.ts';
import { complete, readFields } from '../../domain/validation.ts';
import type { Log } from '../../log.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import { firstAnswer, type IdempotencyKey, withIdempotency } from '../idempotency.ts';
import { type Deed, recordEvent, recordGigEvent } from '../operators/audit-events.ts';
import { releaseGig, reserveFreshGig } from './fresh-wallet.ts';
import { settleTerms, type TermsDeps } from './terms.ts';

const MAX_OWNERS = 20;

/** The body of a request for a new gig, field by field. */
export const createGigShape = {
  ...termsShape,
  owners: z
    .array(
      z.object(accountShape, 'must be an object'),
      'owners must be a list of accounts, each like {"platform":"farcaster","platform_user_id":"1001"}',
    )
    .max(MAX_OWNERS, `owners must be at most ${MAX_OWNERS} accounts`)
    .optional()
    .transform((owners) => owners ?? [])
    .describe('The accounts that may start the gig by mentioning the bot.'),
};

export interface CreateGigDeps extends TermsDeps {
  readonly store: Pick<Store, 'transaction' | 'token' | 'findIdempotentResponse'>;
  /** Null when no mnemonic is configured. */
  readonly wallets: GigWallets | null;
  readonly log: Log;
}

/** Adds an owner, labelled as the client says where that moves no handle; false when it was one already. */
export async function keepOwner(tx: StoreTx, gigId: number, owner: Account, deed: Deed): Promise<boolean> {
  const added = await tx.addGigOwner(gigId, owner, deed.now, keyIdOf(deed.actor));
  await tx.suggestUsername(owner, deed.now);
  if (added) {
    const { username } = owner;
    const subjectId = accountKeyText(owner);
    await recordEvent(tx, deed, { action: 'owner.add', subject: 'account', subjectId, gigId, detail: { username } });
  }
  return added;
}

/**
 * Creates a gig with a fresh wallet of its own, to be funded and then started. With `once` it does so only the first time.
 * @returns what `render` makes of the gig, as JSON; under a known key what it made the first time
 * @throws DomainError `validation_failed` with every problem at once, `chain_not_found`, `token_not_found`,
 * `wallets_off`, `key_reused`
 * @throws AdapterError when the chain does not answer, or no fresh wallet was found
 */
export async function createGig(
  deps: CreateGigDeps,
  request: { body: unknown; once: IdempotencyKey | null; render: (gig: Gig) => object; actor: Actor },
): Promise<string> {
  const { store, clock, wallets, earningOnX } = deps;
  const { once, render, actor } = request;
  const known = await firstAnswer(store, once);
  if (known !== null) return known;
  const reading = readFields(createGigShape, request.body);
  const terms = complete(reading, termsProblems(reading.fields, { now: clock(), earningOnX }));
  if (wallets === null) throw new DomainError({ code: 'wallets_off' });
  const { gig, token } = await settleTerms(deps, { terms, actor });
  const { id, walletAddress } = await reserveFreshGig({ ...deps, wallets }, token);
  let isUsed = false;
  try {
    return await store.transaction((tx) => {
      const now = clock();
      const effect = async () => {
        const created = await tx.insertGig(gig, {
          now,
          id,
          walletAddress: () => walletAddress,
          client: actor.kind === 'api_key' ? actor.client : null,
          createdBy: keyIdOf(actor),
        });
        const detail = { reward: created.rewardAmount, fee: created.feeAmount, token: created.token.address };
        await recordGigEvent(tx, { actor, now }, { action: 'gig.create', gigId: created.id, detail });
        for (const { platform, platform_user_id: platformUserId, username } of terms.owners) {
          await keepOwner(tx, created.id, { platform, platformUserId, username }, { actor, now });
        }
        isUsed = true;
        return render(created);
      };
      return withIdempotency(tx, once, { now, effect });
    });
  } finally {
    if (!isUsed) await releaseGig(deps, id);
  }
}
