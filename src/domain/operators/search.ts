import type { AccountName, Platform } from '../account.ts';
import { splitAccount } from '../account-name.ts';
import type { Address } from '../gigs/token.ts';
import { PLATFORMS, parsePostReference, platformFacts, platformNamed } from '../platforms/platforms.ts';

/** The records that are found by their number, each with the noun that lists use. */
export const FOUND_RECORDS = ['gig', 'claim', 'tip', 'payment', 'mention', 'reply'] as const;
export type FoundRecord = (typeof FOUND_RECORDS)[number];

/** A post; `to` is also the id, or ends all ids that begin with `from`, where a URL has only the beginning. */
export interface SoughtPost {
  readonly platform: Platform;
  readonly from: string;
  readonly to: string;
  readonly url: string;
}

/** What a text may stand for. Each is looked up in an index. */
export type Sought =
  | { readonly by: 'record'; readonly record: FoundRecord; readonly id: number }
  | { readonly by: 'account'; readonly name: AccountName }
  | { readonly by: 'post'; readonly post: SoughtPost }
  | { readonly by: 'transaction'; readonly hash: `0x${string}` }
  | { readonly by: 'address'; readonly address: Address }
  | { readonly by: 'event'; readonly uid: string }
  | { readonly by: 'request'; readonly requestId: string };

export const SEARCHABLE =
  'Search for a handle (@alice), an account (farcaster:1001, x:2222), a URL or id of a post, a transaction hash, an address, a page of an explorer or of this service, a number (#5, gig 5, claim 7, tip 9, payment 3, mention 4, reply 6), an event (evt_…), a request id, or the whole title of a gig.';

/** Longer than any URL of a post. */
const MAX_TEXT = 500;
const RECORD = new RegExp(`^(${FOUND_RECORDS.join('|')})\\s*#?\\s*([1-9][0-9]{0,14})$`, 'i');
const DIGITS = /^#?([1-9][0-9]{0,14})$/;
const EVENT = /^evt_(?:[0-9a-f]{32}|[a-z2-7]{26})$/i;
/** What `X-Request-Id` may be. */
const REQUEST = /^[A-Za-z0-9._:=-]{8,128}$/;
/** Above every digit of a hash. */
const END = '~';

function recordsNamed(text: string): Sought[] {
  const [, noun = '', digits = ''] = RECORD.exec(text) ?? [];
  const record = FOUND_RECORDS.find((each) => each === noun.toLowerCase());
  if (record !== undefined) return [{ by: 'record', record, id: Number(digits) }];
  const gig = DIGITS.exec(text)?.[1];
  return gig === undefined ? [] : [{ by: 'record', record: 'gig', id: Number(gig) }];
}

function nameOn(platform: Platform, text: string): AccountName[] {
  const { isHandle, isId } = platformFacts(platform);
  if (isId(text)) return [{ platform, platformUserId: text }];
  return isHandle(text) ? [{ platform, handle: text.toLowerCase() }] : [];
}

/** A handle is looked for on every platform, because people rarely say which one they mean. */
function accountsNamed(text: string): AccountName[] {
  const { platform, name } = splitAccount(text);
  if (platform !== null) return nameOn(platform, name.replace(/^@/, ''));
  const handle = text.startsWith('@') ? text.slice(1) : text;
  return PLATFORMS.flatMap(({ id, isHandle }): AccountName[] => {
    if (handle === text) return nameOn(id, text);
    return isHandle(handle) ? [{ platform: id, handle: handle.toLowerCase() }] : [];
  });
}

/** What stands for the post of a claim by button or by tap. */
const STAND_IN = /^(?:page|snap):[0-9a-f]{32}$/;

function postsNamed(text: string): SoughtPost[] {
  const standIn = text.toLowerCase();
  if (STAND_IN.test(standIn))
    return PLATFORMS.map(({ id: platform }) => ({ platform, url: standIn, from: standIn, to: standIn }));
  const named = parsePostReference(text);
  if (named !== null) {
    const { platform, canonical: url, postId } = named;
    const from = postId ?? url.slice(url.lastIndexOf('/') + 1);
    return [{ platform, url, from, to: postId ?? `${from}${END}` }];
  }
  return PLATFORMS.flatMap(({ id: platform, postUrl, readPost }) => {
    const post = postUrl === undefined ? null : readPost(postUrl(text));
    if (post?.postId !== text.toLowerCase()) return [];
    return [{ platform, url: post.canonical, from: post.postId, to: post.postId }];
  });
}

/** A hash or an address; people also copy them without their prefix. */
function hexNamed(text: string): Sought[] {
  const [, digits = ''] = /^(?:0x)?((?:[0-9a-f]{24})?[0-9a-f]{40})$/.exec(text.toLowerCase()) ?? [];
  if (digits === '') return [];
  return digits.length === 64
    ? [{ by: 'transaction', hash: `0x${digits}` }]
    : [{ by: 'address', address: `0x${digits}` }];
}

/** What the pages of chains' explorers are about, on any host. */
const EXPLORED = /\/(?:tx|address|token)\/(0x[0-9a-f]{40,64})(?:\/|$)/i;
/** The pages of this service that are about a record, wherever it is reached. */
const RECORD_PAGE = new RegExp(`/(${FOUND_RECORDS.join('|').replace('reply', 'replie')})s/([1-9][0-9]{0,14})(?:/|$)`);
const ACCOUNT_PAGE = /\/claim\/([a-z]+)\/([^/]+)$/;

/** What a page is about: one of an explorer, or of this service. */
function pageNamed(text: string): Sought[] {
  const url = /^https?:/i.test(text) ? URL.parse(text) : null;
  if (url === null) return [];
  const [, hex = ''] = EXPLORED.exec(url.pathname) ?? [];
  const [, noun = '', id = ''] = RECORD_PAGE.exec(url.pathname) ?? [];
  const [, slug = '', name = ''] = ACCOUNT_PAGE.exec(url.pathname) ?? [];
  const record = FOUND_RECORDS.find((each) => each === noun.replace(/ie$/, 'y'));
  const platform = platformNamed(slug);
  return [
    ...hexNamed(hex),
    ...(record === undefined ? [] : [{ by: 'record', record, id: Number(id) } as const]),
    ...(platform === undefined ? [] : nameOn(platform, name.replace(/^@/, ''))).map(
      (each): Sought => ({ by: 'account', name: each }),
    ),
  ];
}

/** Everything that a text may stand for; nothing for a text that can be none of it, however long it is. */
export function readSearch(text: string): Sought[] {
  if (text.length > MAX_TEXT) return [];
  const asked = text.trim();
  if (asked === '' || /\p{Cc}/u.test(asked)) return [];
  const hex = hexNamed(asked);
  const isPrefixed = asked.startsWith('0x') || asked.startsWith('0X');
  const posts = postsNamed(hex.length > 0 && !isPrefixed ? `0x${asked}` : asked).map(
    (post): Sought => ({ by: 'post', post }),
  );
  if (hex.length > 0 && isPrefixed) return [...hex, ...posts];
  return [
    ...hex,
    ...recordsNamed(asked),
    ...pageNamed(asked),
    ...posts,
    ...accountsNamed(asked).map((name): Sought => ({ by: 'account', name })),
    ...(EVENT.test(asked) ? [{ by: 'event', uid: asked.toLowerCase() } as const] : []),
    ...(REQUEST.test(asked) ? [{ by: 'request', requestId: asked } as const] : []),
  ];
}
