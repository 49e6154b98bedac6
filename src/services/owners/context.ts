import type { Platforms } from '../../domain/mentions/mention.ts';
import type { SignInWays } from '../../domain/owners/sign-in.ts';
import type { JobContext, ServiceContext } from '../context.ts';

/** What makes secrets. */
export interface Chance {
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** What signs owners in. */
export interface SignInContext extends ServiceContext, Chance {
  readonly signIn: SignInWays;
}

/** What looks at the posts of links. */
export interface LinkContext extends JobContext {
  readonly platforms: Platforms;
}
