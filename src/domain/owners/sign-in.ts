/** How people may sign in to the console. */
export const SIGN_IN_WAYS = ['farcaster', 'wallet'] as const;
export type SignInWay = (typeof SIGN_IN_WAYS)[number];

/** The way with this name, or null. */
export function readSignInWay(name: string): SignInWay | null {
  return SIGN_IN_WAYS.find((way) => way === name) ?? null;
}
