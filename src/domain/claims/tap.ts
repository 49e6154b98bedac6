/** Why a tap is refused. */
export type TapRefusal =
  | 'malformed'
  /** It says another account than the one whose key it names. */
  | 'other_account'
  | 'other_audience'
  | 'out_of_time'
  | 'bad_signature'
  | 'unknown_key';

/** A tap on a card: an app signed it with a key of a Farcaster account. */
export interface Tap {
  readonly fid: string;
  /** Of the claim that the tap makes. */
  readonly postId: string;
}

/**
 * What is signed for: the header of a request that reads a card, a tap that shows something, or one that claims.
 */
export type TapUse = 'header' | 'look' | 'claim';

/** Checks taps on cards. */
export interface Taps {
  /**
   * The tap in a body or header, or why it is refused. The registry of keys is asked last. For a `claim` it is always asked, else a
   * key that it confirmed is remembered for a minute.
   * @throws AdapterError when the registry does not answer
   */
  verify(sent: string, use: TapUse): Promise<Tap | TapRefusal>;
  /** Whether the registry says that an account holds this key now. @throws AdapterError when it does not answer */
  holdsKey(fid: number, key: `0x${string}`): Promise<boolean>;
}

/** What stands for the post of a claim by tap: part of the SHA-256, in hexadecimal, of what was signed. */
export function tapPostId(digest: string): string {
  return `snap:${digest.slice(0, 32)}`;
}
