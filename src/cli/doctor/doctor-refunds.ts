import type { Config } from '../../config.ts';
import { wrongIn } from '../../services/operators/conditions/index.ts';
import { refundFailed, refundLate } from '../../services/operators/conditions/refunds.ts';
import { findUnaddressed } from '../../services/operators/stuck-refunds.ts';
import type { Context } from '../context.ts';
import type { Check } from './doctor-checks.ts';
import { checkOf, withConditions } from './doctor-conditions.ts';

/** How many gigs are named; the others are counted. */
const MAX_GIGS = 5;

/** That something is left of settled gigs, and where it goes is not set; nothing when there are none. */
function unaddressedProblems(ids: readonly number[]): { text: string; remedy: string }[] {
  if (ids.length === 0) return [];
  const more = ids.length - MAX_GIGS;
  const named = [...ids.slice(0, MAX_GIGS), ...(more > 0 ? [`+${more} more`] : [])].join(', ');
  const gigs = `${ids.length} settled ${ids.length === 1 ? 'gig' : 'gigs'} (${named})`;
  const remedy = `Run npm run admin -- gig refund ${ids[0]} --to 0x… --yes.`;
  return [{ text: `Of ${gigs} something is left, and where it goes is not set`, remedy }];
}

/** Whether what settled gigs have not awarded, and what cancelled ones hold, returns. */
export async function checkRefunds(context: Context, config: Config): Promise<Check> {
  const problems = await withConditions(context, config, async (sources) => [
    ...unaddressedProblems(await findUnaddressed(sources)),
    ...(await wrongIn(refundLate, sources)),
    ...(await wrongIn(refundFailed, sources)),
  ]);
  return checkOf('refunds', problems, 'No refund of a settled gig is held up, and none has failed');
}
