import type { Address } from '../../src/domain/gigs/token.ts';
import type { EnsName } from '../../src/domain/names/ens-name.ts';
import type { NameResolver, Resolution } from '../../src/domain/names/names.ts';
import { fault } from './fakes.ts';

/** Names in memory, which lead wherever the test says; others lead nowhere. */
export function createNameBook(first: Readonly<Record<string, Resolution>> = {}) {
  const places = new Map<string, Resolution>(Object.entries(first));
  const looked: EnsName[] = [];
  let isAway = false;
  const names: NameResolver = {
    async resolve(name) {
      looked.push(name);
      if (isAway) throw fault('unreachable', 'safe');
      return places.get(name) ?? 'unset';
    },
  };
  return {
    names,
    /** The names that were looked up so far. */
    looked,
    lead(name: string, address: Address): void {
      places.set(name, { address });
    },
    /** Whether the chain of names does not answer. */
    away(value: boolean): void {
      isAway = value;
    },
  };
}
