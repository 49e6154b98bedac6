/** The id of a platform's row in `platforms.ts`: the store, tips and metrics name it so. */
export type Platform = string;

/** Who somebody is: the platform's id of the account, always as decimal text. Handles are only labels. */
export interface AccountKey {
  readonly platform: Platform;
  readonly platformUserId: string;
}

/** An account with the label it was last seen under. */
export interface Account extends AccountKey {
  readonly username: string | null;
}

/** One account: by its id, or whoever holds a handle now (lower case, without `@`). */
export type AccountName = AccountKey | { readonly platform: Platform; readonly handle: string };

/** Whether two keys name the same account. */
export function sameAccount(a: AccountKey, b: AccountKey): boolean {
  return a.platform === b.platform && a.platformUserId === b.platformUserId;
}

/** An account's key as one word: `farcaster:1001`. */
export function accountKeyText({ platform, platformUserId }: AccountKey): string {
  return `${platform}:${platformUserId}`;
}
