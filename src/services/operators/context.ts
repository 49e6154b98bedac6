import type { ServiceContext } from '../context.ts';

export interface AccessContext extends ServiceContext {
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}
