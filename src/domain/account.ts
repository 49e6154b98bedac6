/** The id of a platform's row in `platforms.ts`; the store, tips and metrics use it. */
export type Platform = string;

/** An account's identity: the platform's id of it, always as decimal text. Handles are only labels. */
export interface AccountKey {
  readonly platform: Platform;
  readonly platformUserId: string;
}

/** An account with its last known handle. */
export interface Account extends AccountKey {
  readonly username: string | null;
}

/** One account: by its id, or by a handle, which means its current holder (lower case, without `@`). */
export type AccountName = AccountKey | { readonly platform: Platform; readonly handle: string };

/** An account's key as one word: `farcaster:1001`. */
export function accountKeyText({ platform, platformUserId }: AccountKey): string {
  return `${platform}:${platformUserId}`;
}

/** The account of a text that {@link accountKeyText} has written. */
export function readAccountKey(text: string): AccountKey {
  const [platform = '', platformUserId = ''] = text.split(':');
  return { platform, platformUserId };
}

/** An account's name as one word: its key, or `twitter@alice`. */
export function accountNameText(name: AccountName): string {
  return 'handle' in name ? `${name.platform}@${name.handle}` : accountKeyText(name);
}

/** By their code units. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The order in which a transaction changes several accounts, so that no two wait for each other. */
export function inAccountOrder(a: AccountKey, b: AccountKey): number {
  return compareTexts(a.platform, b.platform) || compareTexts(a.platformUserId, b.platformUserId);
}
