import type { ServiceContext } from '../context.ts';

/** What makes keys, sessions and log-in links. */
export interface AccessContext extends ServiceContext {
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}
