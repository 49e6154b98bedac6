import { formatAmount } from '../../../domain/amount.ts';
import type { Earning } from '../../../domain/earning/earning.ts';
import { readStoredRules } from '../../../domain/earning/terms/rules-json.ts';
import { earningSentence, toldBy } from '../../../domain/earning/words/earning-words.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { TimedReads } from '../../context.ts';
import { withHeld } from './find-held.ts';

/** An account that is not to be decided on, with why, as a sentence. */
export interface HeldBack {
  readonly earning: Earning;
  readonly username: string | null;
  readonly sentence: string;
}

/** The accounts of a gig that its gates refuse or do not let through yet: the newest of each kind, at most `limit`. */
export async function findHeldBack(
  { store, clock }: TimedReads,
  gig: Gig,
  { limit }: { limit: number },
): Promise<readonly HeldBack[]> {
  const stored = await store.earningRules(gig.id);
  if (stored === null) return [];
  const amountText = (amount: bigint) => `${formatAmount(amount, gig.token.decimals)} ${gig.token.symbol}`;
  const told = { ...toldBy(readStoredRules(stored.rules)), now: clock(), amountText };
  const held = await store.earnings({ gigId: gig.id, state: 'held', limit });
  const refused = await store.earnings({ gigId: gig.id, state: 'refused', limit });
  // What people decided is no gate.
  const found = [...held, ...refused.filter(({ reason }) => reason !== 'verifier_refused')];
  const accounts = found.map((earning) => ({ earning, username: earning.facts?.username ?? null }));
  return (await withHeld(store, gig, accounts)).map(({ earning, username, missing }) => {
    return { earning, username, sentence: earningSentence(earning, { ...told, missing }) };
  });
}
