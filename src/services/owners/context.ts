import type { SignInWays } from '../../domain/owners/sign-in.ts';
import type { ServiceContext } from '../context.ts';

/** What signs owners in. */
export interface SignInContext extends ServiceContext {
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly signIn: SignInWays;
}
