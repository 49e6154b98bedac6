import { prepareEnd } from '../../../services/ends/end-gig.ts';
import { ENDING_NAMES, type Ending } from '../../../services/ends/endings.ts';
import { findGigEarning } from '../../../services/gigs/show/find-earnings.ts';
import { gigPath } from '../../middleware/parameters.ts';
import { defineOperation } from '../define-operation.ts';
import { type Cause, dataOf, EXAMPLE_GIG, GIG_IN_PROGRESS, GIG_MISSING } from '../schemas.ts';
import { gigSchema, renderGig } from './gig-json.ts';

/** What an end of a gig is told by. */
interface EndWords {
  readonly id: string;
  readonly place: number;
  readonly summary: string;
  readonly description: string;
  readonly refuses: readonly Cause[];
}

function endOperation(ending: Ending, { id, place, summary, description, refuses }: EndWords) {
  return defineOperation({
    id,
    method: 'post',
    path: `/api/gigs/:id{[0-9]+}/${ending}`,
    tag: 'Gigs',
    scope: 'gigs:write',
    summary,
    description,
    params: gigPath,
    answer: { status: 200, says: 'The gig as it is then', schema: dataOf(gigSchema) },
    refuses: [...refuses, GIG_MISSING],
    mcp: { place, isFinal: true },
    prepare(deps, { params: { id: gigId }, actor }) {
      const { commit } = prepareEnd({ gigId, ending, actor, holder: deps.newId() });
      return {
        async commit(tx, now) {
          const gig = await commit(tx, now);
          return { gig, now, earning: await findGigEarning({ store: tx }, gig) };
        },
      };
    },
    render: ({ gig, ...shown }) => ({ data: renderGig(gig, shown) }),
  });
}

const WORDS: Readonly<Record<Ending, EndWords>> = {
  stop: {
    id: 'stopGig',
    place: 11,
    summary: 'End a live gig now',
    description:
      'Its terms stay unchanged. New activity no longer counts; tips already earned are kept. Its award period begins ' +
      'now.',
    refuses: [
      { code: 'gig_not_stoppable', gigId: EXAMPLE_GIG, phase: 'ended' },
      { code: 'gig_not_stoppable', gigId: EXAMPLE_GIG, phase: 'created' },
    ],
  },
  settle: {
    id: 'settleGig',
    place: 12,
    summary: 'Close the books of a gig that is over',
    description:
      'No more tips are awarded, and the unawarded funds are refunded after the time that the operator has set. A gig ' +
      'settles automatically when its award period is over; this settles a fully decided gig earlier. It cannot be undone.',
    refuses: [
      { code: 'gig_not_settleable', gigId: EXAMPLE_GIG, why: 'running' },
      { code: 'gig_not_settleable', gigId: EXAMPLE_GIG, why: 'undecided' },
    ],
  },
  cancel: {
    id: 'cancelGig',
    place: 13,
    summary: 'End a gig that never started',
    description:
      'The money in its wallet returns to its `refund_address`, also if the gig was funded in part. Without an address it ' +
      'stays until the operator sets one. Cancelling the gig again changes nothing.',
    refuses: [
      { code: 'gig_already_live', gigId: EXAMPLE_GIG },
      { code: 'gig_ended', gigId: EXAMPLE_GIG },
      GIG_IN_PROGRESS,
    ],
  },
};

/** The ends of a gig. */
export const END_GIG = ENDING_NAMES.map((ending) => endOperation(ending, WORDS[ending]));
