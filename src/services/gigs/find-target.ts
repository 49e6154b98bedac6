import type { Target } from '../../domain/earning/act.ts';
import type { SocialPlatform } from '../../domain/mention.ts';
import { platformFacts } from '../../domain/platforms.ts';
import { isKeyword, type Terms } from '../../domain/terms.ts';
import type { Token } from '../../domain/token.ts';
import { refuse } from '../../domain/validation.ts';

async function findPost(network: SocialPlatform, url: string): Promise<Target> {
  const post = await network.lookUpPost(url);
  const { label, post: noun } = platformFacts(network.platform);
  if (post === null) refuse(`url names no ${noun} that ${label} knows`);
  return { kind: 'post', postId: post.postId, authorId: post.authorId };
}

async function findAccount(network: SocialPlatform, url: string): Promise<Target> {
  const { label, readProfile } = platformFacts(network.platform);
  const name = readProfile(url);
  if (name === null) refuse('url must be the URL of a profile: rules watch the account that is followed or mentioned');
  const who = name.startsWith('@') ? { username: name.slice(1) } : { id: name };
  const account = await network.resolveAccount(who);
  if (account === null) refuse(`url names no account that ${label} knows`);
  return { kind: 'account', accountId: account.platformUserId };
}

/** The keyword of a mention gig without a URL: as given, else the token's symbol with a `$`. */
function keywordOf({ keyword }: Pick<Terms, 'keyword'>, { symbol }: Pick<Token, 'symbol'>): Target {
  const word = (keyword ?? `$${symbol}`).toLowerCase();
  if (!isKeyword(word)) refuse(`keyword is required, because ${symbol} is not a word of 2 to 32 letters or digits`);
  return { kind: 'keyword', keyword: word };
}

/**
 * What a gig with these terms is about, as its platform knows it; null when it is about nothing that can be watched.
 * @throws DomainError `validation_failed` when the platform does not know it
 * @throws AdapterError when the platform does not answer
 */
export async function findTarget(network: SocialPlatform, terms: Terms, token: Token): Promise<Target | null> {
  const { url, gigType } = terms;
  switch (gigType) {
    case 'like':
    case 'recast':
    case 'boost':
    case 'reply':
    case 'custom_bounty':
      return url === null ? null : await findPost(network, url);
    case 'follow':
      return url === null ? null : await findAccount(network, url);
    case 'mention':
      return url === null ? keywordOf(terms, token) : await findAccount(network, url);
  }
}
