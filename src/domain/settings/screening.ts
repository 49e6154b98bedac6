import { isAddress } from 'viem/utils';
import type { Chain } from '../chains/chain.ts';
import type { Address } from '../gigs/token.ts';
import { settingList } from './setting-values.ts';

/** The oracle that says on a chain which recipients are sanctioned, by the chain's id. Empty: nobody is asked. */
export type ScreeningOracles = ReadonlyMap<number, Address>;

const ENTRY = /^(?:([a-z0-9-]+)=)?(0x[0-9A-Fa-f]{40})$/;

function readEntry(text: string): string | null {
  const [, , address = ''] = ENTRY.exec(text) ?? [];
  return isAddress(address) ? text : null;
}

/** One address for all chains, or one for each: `base=0x…`. */
export const screeningOracles = settingList(
  readEntry,
  'must be an address, or such as base=0x… for each chain, comma-separated; mixed case needs a valid checksum',
);

/**
 * The oracle of each enabled chain. An entry with the chain's key goes before one for all chains.
 * @returns also a sentence for each chain without an oracle, whose recipients nobody would screen
 */
export function oraclesOf(
  entries: readonly string[],
  chains: readonly Chain[],
): { readonly oracles: ScreeningOracles; readonly problems: readonly string[] } {
  const byKey = new Map<string | undefined, Address>();
  for (const entry of entries) {
    const [, key, address = ''] = ENTRY.exec(entry) ?? [];
    byKey.set(key, `0x${address.slice(2).toLowerCase()}`);
  }
  const oracles = new Map<number, Address>();
  for (const { id, key } of entries.length === 0 ? [] : chains) {
    const oracle = byKey.get(key) ?? byKey.get(undefined);
    if (oracle !== undefined) oracles.set(id, oracle);
  }
  const missing = entries.length === 0 ? [] : chains.filter(({ id }) => !oracles.has(id));
  return { oracles, problems: missing.map(({ key }) => `SCREENING_ORACLE names no oracle for ${key}`) };
}
