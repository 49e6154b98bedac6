import { type AccountKey, accountKeyText } from '../../domain/account.ts';
import { formatAmount } from '../../domain/amount.ts';
import { earningSentence, forPublic, toldBy } from '../../domain/earning/words/earning-words.ts';
import { joinedWords } from '../../domain/earning/words/join-words.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { ServiceContext } from '../context.ts';
import { prepareJoin } from '../earning/acts/join.ts';
import { accountsOf } from '../gigs/owner-accounts.ts';
import type { SignedIn } from './sessions.ts';

const GIG = /^#?([1-9][0-9]{0,14})$/u;

/**
 * Enters an account of a person who signed in for a gig that asks to hold a token.
 * @param request.gig its number, as it was typed
 * @throws DomainError `gig_not_found`, and `invalid_request` for another account or a gig that it does not enter
 */
export async function joinByPage(
  deps: ServiceContext,
  { signedIn, account, gig }: { readonly signedIn: SignedIn; readonly account: AccountKey; readonly gig: string },
): Promise<void> {
  const { store, clock } = deps;
  const id = GIG.exec(gig.trim())?.[1];
  if (id === undefined) throw invalidRequest('gig must be the number of a gig, such as 42');
  const own = await accountsOf(store, signedIn.owner, clock());
  const found = own.find((each) => accountKeyText(each) === accountKeyText(account));
  if (found === undefined) throw invalidRequest('account must be your own, or linked to the wallet that signed in');
  const joined = await prepareJoin(deps, { gigId: Number(id), account: found, way: 'page', at: clock() });
  if (joined.kind === 'known') {
    const { token } = joined.gig;
    const amountText = (amount: bigint) => `${formatAmount(amount, token.decimals)} ${token.symbol}`;
    const context = { ...toldBy(joined.rules), isOwn: true, now: clock(), amountText };
    throw invalidRequest(`You entered gig ${id} before. ${earningSentence(forPublic(joined.earning), context)}`);
  }
  if (joined.kind !== 'entered') throw invalidRequest(joinedWords(joined, 'page'));
  await store.transaction((tx) => joined.commit(tx));
}
