import type { Address } from '../../domain/gigs/token.ts';
import type { Store } from '../../store/port/index.ts';

const PAGE = 500;

/** What the ledger has: the ids of its gigs, and the tokens that they are in, by chain. */
export interface KnownGigs {
  readonly ids: ReadonlySet<number>;
  readonly tokens: ReadonlyMap<number, ReadonlySet<Address>>;
}

export async function readKnownGigs(store: Store, now: number): Promise<KnownGigs> {
  const ids = new Set<number>();
  const tokens = new Map<number, Set<Address>>();
  for (let before: number | undefined; ; ) {
    const page = await store.gigs({ phase: 'all', now, limit: PAGE, before });
    for (const { id, token } of page) {
      ids.add(id);
      if (token.isNative) continue;
      tokens.set(token.chainId, (tokens.get(token.chainId) ?? new Set()).add(token.address));
    }
    before = page.at(-1)?.id;
    if (page.length < PAGE) return { ids, tokens };
  }
}
