import type { Target } from '../../domain/earning/act.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { SocialPlatform } from '../../domain/mention.ts';
import { platformFacts } from '../../domain/platforms.ts';
import { isKeyword, type Terms } from '../../domain/terms.ts';
import type { Token } from '../../domain/token.ts';
import { refuse } from '../../domain/validation.ts';

/** What a platform answers; a failure of it names the platform. */
async function asked<Answer>({ platform }: SocialPlatform, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (cause) {
    if (!(cause instanceof AdapterError)) throw cause;
    const { retry, reason, message, retryAfterMs } = cause;
    throw new AdapterError({ retry, reason, message, retryAfterMs, platform, cause });
  }
}

async function findPost(network: SocialPlatform, url: string): Promise<Target> {
  const post = await asked(network, network.lookUpPost(url));
  const { label, post: noun } = platformFacts(network.platform);
  if (post === null) refuse(`url names no ${noun} that ${label} knows`);
  return { kind: 'post', postId: post.postId, authorId: post.authorId };
}

async function findAccount(network: SocialPlatform, url: string): Promise<Target> {
  const { label, readProfile } = platformFacts(network.platform);
  const name = readProfile(url);
  if (name === null) refuse('url must be the URL of a profile: rules watch the account that is followed or mentioned');
  const who = name.startsWith('@') ? { username: name.slice(1) } : { id: name };
  const account = await asked(network, network.resolveAccount(who));
  if (account === null) refuse(`url names no account that ${label} knows`);
  return { kind: 'account', accountId: account.platformUserId };
}

/** The keyword of a mention gig that names none: the token's symbol with a `$`. */
export function defaultKeyword({ symbol }: Pick<Token, 'symbol'>): string {
  return `$${symbol}`.toLowerCase();
}

/** The keyword of a mention gig without a URL: as given, else the default. */
function keywordOf({ keyword }: Pick<Terms, 'keyword'>, token: Pick<Token, 'symbol'>): Target {
  const word = keyword?.toLowerCase() ?? defaultKeyword(token);
  if (!isKeyword(word))
    refuse(`keyword is required, because ${token.symbol} is not a word of 2 to 32 letters or digits`);
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
      return url === null ? null : await findPost(network, url);
    case 'custom_bounty':
      // Submissions go to the bot in any case; the post of a URL takes them besides.
      return url === null ? { kind: 'account', accountId: network.bot.id } : await findPost(network, url);
    case 'follow':
      return url === null ? null : await findAccount(network, url);
    case 'mention':
      return url === null ? keywordOf(terms, token) : await findAccount(network, url);
  }
}
