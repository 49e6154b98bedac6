/** The two networks, as the store and tips name them. Clients may also say `x` for `twitter`. */
export const PLATFORMS = ['farcaster', 'twitter'] as const;
export type Platform = (typeof PLATFORMS)[number];

export const PLATFORM_SLUGS = ['farcaster', 'x'] as const;

/** A platform as gig records and the paths of pages name it; tips say `twitter`. */
export function platformSlug(platform: Platform): (typeof PLATFORM_SLUGS)[number] {
  return platform === 'twitter' ? 'x' : platform;
}

/** The platform that a client names by its id or its slug. */
export function platformNamed(name: string): Platform | undefined {
  return name === 'x' ? 'twitter' : PLATFORMS.find((platform) => platform === name);
}

/** Who somebody is: a Farcaster FID or an X numeric user id, always as decimal text. Handles are only labels. */
export interface AccountKey {
  readonly platform: Platform;
  readonly platformUserId: string;
}

/** An account with the label it was last seen under. */
export interface Account extends AccountKey {
  readonly username: string | null;
}

/** Whose tips are looked up: an account by its id, or whoever holds an X handle now (lower case, without `@`). */
export type Identifier = AccountKey | { readonly platform: 'twitter'; readonly handle: string };

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
