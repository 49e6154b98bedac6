import type { Target } from '../../../domain/earning/act.ts';
import { describeRule } from '../../../domain/earning/words/sentence.ts';
import { isGigFrozen, listGigs } from '../../../services/gigs/find-gigs.ts';
import { findGigEarnings } from '../../../services/gigs/show/find-earnings.ts';
import type { PageContext } from '../../context.ts';
import type { GigsView } from './gigs-page.ts';

/** A page of gigs with what their cards show. */
export async function findListed(
  deps: PageContext,
  query: { readonly phase: GigsView['phase']; readonly limit: number; readonly before?: number | undefined },
): Promise<GigsView> {
  const { gigs, next } = await listGigs(deps, query);
  const looks = await Promise.all(gigs.map(async ({ id }) => ({ id, isFrozen: await isGigFrozen(deps, id) })));
  const frozen = new Set(looks.flatMap(({ id, isFrozen }) => (isFrozen ? [id] : [])));
  const earnings = await findGigEarnings(deps, gigs);
  const targets = new Map<number, Target>([...earnings].map(([gigId, { target }]) => [gigId, target]));
  const pays = new Map(
    [...earnings].flatMap(([id, { rules, target }]) => {
      const gig = gigs.find((each) => each.id === id);
      return gig === undefined ? [] : [[id, describeRule(rules, { ...gig, target })]];
    }),
  );
  return { phase: query.phase, gigs, frozen, targets, pays, next, now: deps.clock() };
}
