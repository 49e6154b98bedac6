import type { Platform } from '../../../domain/account.ts';
import type { Target } from '../../../domain/earning/act.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { GIG_TYPE_TRAITS, isAboutAnAccount } from '../../../domain/gigs/gig-type.ts';
import { isKeyword, type Terms } from '../../../domain/gigs/terms.ts';
import type { Token, TokenUnit } from '../../../domain/gigs/token.ts';
import type { SocialPlatform } from '../../../domain/mentions/mention.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { type FieldProblem, refuseField, refuseFields } from '../../../domain/validation.ts';

function noProfile(platform: Platform): string {
  const example = platformFacts(platform).profileUrl('@alice');
  return `url must be the URL of a profile, such as ${example}: rules watch the account that is followed or mentioned`;
}

/** A failure of a platform names the platform. */
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
  if (post === null) refuseField('url', `url names no ${noun} that ${label} knows`);
  return { kind: 'post', postId: post.postId, authorId: post.authorId };
}

async function findAccount(network: SocialPlatform, url: string): Promise<Target> {
  const { label, readProfile } = platformFacts(network.platform);
  const name = readProfile(url);
  if (name === null) refuseField('url', noProfile(network.platform));
  const who = name.startsWith('@') ? { username: name.slice(1) } : { id: name };
  const account = await asked(network, network.resolveAccount(who));
  if (account === null) refuseField('url', `url names no account that ${label} knows`);
  return { kind: 'account', accountId: account.platformUserId };
}

/** The keyword of a mention gig that names none: the token's symbol with a `$`. */
export function defaultKeyword({ symbol }: TokenUnit): string {
  return `$${symbol}`.toLowerCase();
}

function keywordOf(keyword: string | null, token: TokenUnit): string {
  return keyword?.normalize('NFKC').toLowerCase() ?? defaultKeyword(token);
}

/** Why a gig with these terms is about nothing that can be watched; null when its platform can be asked. */
export function targetProblem({ url, gigType, platform, keyword }: Terms, token: TokenUnit): FieldProblem | null {
  if (url !== null) {
    const isProfile = !isAboutAnAccount(gigType) || platformFacts(platform).readProfile(url) !== null;
    return isProfile ? null : { field: 'url', text: noProfile(platform) };
  }
  if (GIG_TYPE_TRAITS[gigType].command !== null) return null;
  if (gigType !== 'mention') return { field: 'url', text: `url is required for rules of ${gigType} gigs` };
  if (isKeyword(keywordOf(keyword, token))) return null;
  const text = `keyword is required, because ${token.symbol} is not a word of 2 to 32 letters or digits`;
  return { field: 'keyword', text };
}

/**
 * What a gig with these terms is about, as its platform knows it.
 * @throws DomainError `validation_failed` for {@link targetProblem}, or when the platform does not know it
 * @throws AdapterError when the platform does not answer
 */
export async function findTarget(network: SocialPlatform, terms: Terms, token: Token): Promise<Target> {
  const { url, gigType } = terms;
  const problem = targetProblem(terms, token);
  if (problem !== null) refuseFields([problem]);
  // Commands go to the bot in any case; the post of a URL takes submissions besides.
  if (url === null && GIG_TYPE_TRAITS[gigType].command !== null) {
    return { kind: 'account', accountId: network.bot.id };
  }
  if (url === null) return { kind: 'keyword', keyword: keywordOf(terms.keyword, token) };
  return await (isAboutAnAccount(gigType) ? findAccount(network, url) : findPost(network, url));
}

/** What a gig with these terms is about, as far as its description says it: no platform is asked who or which post it is. */
export function describedTarget({ url, gigType, keyword }: Terms, token: TokenUnit): Target {
  if (url === null && gigType === 'mention') return { kind: 'keyword', keyword: keywordOf(keyword, token) };
  const isAboutAccount = url === null || isAboutAnAccount(gigType);
  return isAboutAccount ? { kind: 'account', accountId: '' } : { kind: 'post', postId: '', authorId: '' };
}
