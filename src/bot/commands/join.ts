import { earningSentence, forPublic, toldBy } from '../../domain/earning/words/earning-words.ts';
import { joinedWords } from '../../domain/earning/words/join-words.ts';
import { gigAfter } from '../../domain/mentions/command.ts';
import { amountOf, safeSymbol } from '../../domain/mentions/reply-text.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { type Joined, prepareJoin } from '../../services/earning/acts/join.ts';
import { defineCommand } from '../command.ts';

/** The outcome of an entry, for its author. */
export function joinedReply(joined: Joined, now: number): string {
  const { gig } = joined;
  if (joined.kind === 'known') {
    const amountText = (amount: bigint) => amountOf(amount, gig.token);
    const context = { ...toldBy(joined.rules), isOwn: true, now, amountText };
    return `You entered gig ${gig.id} before. ${earningSentence(forPublic(joined.earning), context)}`;
  }
  if (joined.kind !== 'entered') return joinedWords(joined, 'post');
  const { terms } = joined;
  const { holding } = terms;
  const token = { ...holding.token, symbol: safeSymbol(holding.token) };
  return joinedWords({ ...joined, terms: { ...terms, holding: { ...holding, token } } }, 'post');
}

/** Enters its author for a gig that asks to hold a token. */
export const joinCommand = defineCommand({
  name: 'join',
  worth: REPLY_WORTH.claim,
  guide: [{ say: 'join 42', who: 'anyone', does: 'Enters you for a gig that asks to hold a token.' }],
  changes: true,
  read: gigAfter('join', 'join gig', 'enter', 'enter gig'),
  async prepare({ deps, author, mention }, { gigId }) {
    const account = { ...author, username: mention.authorUsername ?? null };
    const joined = await prepareJoin(deps, { gigId, account, way: 'post', at: mention.postedAt });
    const text = joinedReply(joined, deps.clock());
    return joined.kind === 'entered' ? { text, commit: joined.commit } : { text };
  },
});
