import { setImmediate } from 'node:timers/promises';
import type { AccountKey } from '../../domain/account.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { fundingOf, type Movement, movementsOf, rewardsOf } from '../../domain/papers/movement.ts';
import type { ReadContext, ServiceContext } from '../context.ts';

const PAGE = 100;

/** Parts of papers, each read when the one before was taken, with a pause, so that long ones delay nothing else. */
export type Papers = AsyncGenerator<readonly Movement[]>;

interface Row {
  readonly id: number;
}

/** Each page is asked with the last id of the one before. */
async function* readPages<T extends Row>(
  read: (page: { limit: number; before: number | undefined }) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let before: number | undefined; ; await setImmediate()) {
    const page = await read({ limit: PAGE, before });
    yield page;
    if (page.length < PAGE) return;
    before = page.at(-1)?.id;
  }
}

/** What a gig's wallet got and sent, newest first. */
export async function* readGigPapers({ store }: ReadContext, gig: Gig): Papers {
  const pages = readPages((page) => store.payments({ ...page, gigId: gig.id, state: 'confirmed' }));
  for await (const payments of pages) yield movementsOf(payments);
  const funding = fundingOf(gig, await store.fundingHash(gig.id));
  if (funding !== null) yield [funding];
}

/** The same of all gigs, newest gig first. */
export async function* readAllPapers(deps: ServiceContext): Papers {
  const now = deps.clock();
  for await (const gigs of readPages((page) => deps.store.gigs({ ...page, phase: 'all', now }))) {
    for (const gig of gigs) yield* readGigPapers(deps, gig);
  }
}

/** What an account was paid, newest first. */
export async function* readEarnerPapers({ store }: ReadContext, account: AccountKey): Papers {
  for await (const payouts of readPages((page) => store.payoutsTo(account, page))) yield rewardsOf(payouts);
}
