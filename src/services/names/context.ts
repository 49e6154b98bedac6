import type { NameResolver } from '../../domain/names/names.ts';

/** What resolves names. */
export interface NameContext {
  /** Absent where names are off. */
  readonly names?: NameResolver | undefined;
}
