import { type AccountKey, accountKeyText } from '../../domain/account.ts';
import { AdapterError, invalidRequest } from '../../domain/errors.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { SocialPlatform } from '../../domain/mentions/mention.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { AuditAction } from '../../domain/operators/audit-event.ts';
import { LINK_CHECKED_FOR_MS, LINK_WAIT_MS, type WalletLink } from '../../domain/owners/link.ts';
import { type Owner, ownerText } from '../../domain/owners/owner.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { summarizeError } from '../../log.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { type Deed, recordEvent } from '../operators/audit-events.ts';
import type { LinkContext } from './context.ts';
import { ownerActor, type SignedIn } from './sessions.ts';

async function recordLinkEvent(
  tx: StoreTx,
  deed: Deed,
  event: { account: AccountKey; action: AuditAction; detail: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { account, action, detail } = event;
  const subject = { subject: 'account', subjectId: accountKeyText(account), gigId: null } as const;
  await recordEvent(tx, deed, { ...subject, action, detail });
}

/**
 * Links an account to a wallet, in the transaction of its mention. The account's earlier link ends at once; the new one is
 * valid once {@link checkLinks} has found its post, ten minutes after the reply.
 */
export async function linkWallet(
  tx: StoreTx,
  deed: Deed,
  request: {
    readonly account: AccountKey;
    readonly wallet: Address;
    readonly postId: string;
    /** The mention that this post is. */
    readonly mentionId: number;
  },
): Promise<void> {
  const { account, wallet, postId, mentionId } = request;
  const before = await tx.endLinkOf(account, deed.now);
  await tx.insertLink(account, { wallet, postId, mentionId, createdAt: deed.now });
  const replaced = before === null ? {} : { before };
  await recordLinkEvent(tx, deed, { account, action: 'account.link', detail: { wallet, post: postId, ...replaced } });
}

/** Ends the link of an account, valid or not, in a transaction. @returns whether there was one */
export async function endLinkOf(tx: StoreTx, deed: Deed, account: AccountKey): Promise<boolean> {
  const wallet = await tx.endLinkOf(account, deed.now);
  if (wallet === null) return false;
  await recordLinkEvent(tx, deed, { account, action: 'account.unlink', detail: { wallet } });
  return true;
}

/**
 * Ends the link of an account to the wallet that signed in, valid or not: a stranger may have made it.
 * @returns whether there was one
 */
export async function endLinkToMe(
  { store, clock }: ServiceContext,
  {
    signedIn,
    account,
    requestId,
  }: { readonly signedIn: SignedIn; readonly account: AccountKey; readonly requestId: string | null },
): Promise<boolean> {
  const { owner } = signedIn;
  if (owner.kind !== 'wallet' || owner.chainId !== null) return false;
  return await store.transaction(async (tx) => {
    const link = await tx.linkOf(account);
    if (link?.wallet !== owner.address) return false;
    return await endLinkOf(tx, { actor: ownerActor(signedIn, requestId), now: clock() }, account);
  });
}

/** After so many events the event loop turns. */
const AT_ONCE = 100;

async function endLinksTo(tx: StoreTx, deed: Deed, wallet: Address): Promise<number> {
  const accounts = await tx.endLinksTo(wallet, deed.now);
  for (const [index, account] of accounts.entries()) {
    if (index % AT_ONCE === 0) await tx.rest();
    await recordLinkEvent(tx, deed, { account, action: 'account.unlink', detail: { wallet } });
  }
  return accounts.length;
}

/**
 * Ends all links of an owner at once: that of an account, or those of all accounts to a wallet.
 * @returns how many were ended
 * @throws DomainError `invalid_request` when there is none
 */
export async function endLinks(
  { store, clock }: ServiceContext,
  { owner, actor }: { readonly owner: Owner; readonly actor: Actor },
): Promise<number> {
  const ended = await store.transaction(async (tx) => {
    const deed = { actor, now: clock() };
    if (owner.kind === 'account') return Number(await endLinkOf(tx, deed, owner));
    // Links are to wallets of no chain, and give nothing to a contract's wallet.
    return owner.chainId === null ? await endLinksTo(tx, deed, owner.address) : 0;
  });
  if (ended === 0) throw invalidRequest(`${ownerText(owner)} has no link.`);
  return ended;
}

/** Whether the post of a link is there still, and is its account's. @throws AdapterError when the platform does not tell */
async function isThere(network: SocialPlatform, { platform, platformUserId, postId }: WalletLink): Promise<boolean> {
  const url = platformFacts(platform).postUrl?.(postId);
  if (url === undefined) throw new TypeError(`${platform} has no URLs of posts by their ids`);
  const post = await network.lookUpPost(url);
  return post !== null && post.authorId === platformUserId;
}

const CHECKS_LINKS: Actor = { kind: 'job', name: 'check links' };

async function endCheck({ store, clock, log }: LinkContext, link: WalletLink, isValid: boolean): Promise<void> {
  const { id, platform, platformUserId, wallet, postId } = link;
  await store.transaction(async (tx) => {
    const now = clock();
    const isChanged = isValid ? await tx.confirmLink(id, now) : await tx.refuseLink(id, now);
    if (!isChanged) return;
    const detail = isValid ? { wallet, post: postId } : { wallet, post: postId, why: 'the post is gone' };
    const action = isValid ? 'account.link_valid' : 'account.unlink';
    await recordLinkEvent(tx, { actor: CHECKS_LINKS, now }, { account: { platform, platformUserId }, action, detail });
  });
  log.info({ platform, postId, isValid }, 'link checked');
}

/** One after another, until the platform fails. */
async function checkThose(deps: LinkContext, network: SocialPlatform, links: readonly WalletLink[]): Promise<void> {
  for (const link of links) {
    const { platform, postId } = link;
    try {
      await endCheck(deps, link, await isThere(network, link));
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      deps.log.warn(
        { platform, postId, error: summarizeError(error) },
        'cannot see whether the post of a link is there',
      );
      if (error.retry !== 'never') return;
    }
  }
}

/**
 * Makes links valid whose reply was sent ten minutes ago and whose post is there still, and ends those whose post is gone. Posts about
 * which a platform does not answer are asked again by the next run, until two days after the post.
 */
export async function checkLinks(deps: LinkContext): Promise<void> {
  const now = deps.clock();
  const links = await deps.store.linksToCheck({ since: now - LINK_CHECKED_FOR_MS, sentBefore: now - LINK_WAIT_MS });
  const byPlatform = Map.groupBy(links, ({ platform }) => platform);
  await Promise.all(
    [...byPlatform].map(async ([platform, those]) => {
      const network = deps.platforms.get(platform);
      if (network !== undefined) await checkThose(deps, network, those);
    }),
  );
}
