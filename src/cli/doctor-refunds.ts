import type { Config } from '../config.ts';
import { HOUR_MS } from '../domain/time.ts';
import { findStuckRefunds } from '../services/ends/stuck-refunds.ts';
import type { Context } from './context.ts';
import type { Check } from './doctor-checks.ts';

/** How many gigs are named; the others are counted. */
const MAX_GIGS = 5;

function gigsText(ids: readonly number[], adjective: 'settled' | 'ended'): string {
  const more = ids.length - MAX_GIGS;
  const named = [...ids.slice(0, MAX_GIGS), ...(more > 0 ? [`+${more} more`] : [])].join(', ');
  return `${ids.length} ${adjective} ${ids.length === 1 ? 'gig' : 'gigs'} (${named})`;
}

/** Whether what settled gigs have not awarded, and what cancelled ones hold, returns. */
export async function checkRefunds(context: Context, { refundDelayHours }: Config): Promise<Check> {
  const { clock } = context;
  const { unaddressed, late, failed } = await context.withStore((store) =>
    findStuckRefunds({ store, clock, delayMs: refundDelayHours * HOUR_MS }),
  );
  const detail = [
    ...(unaddressed.length === 0
      ? []
      : [`of ${gigsText(unaddressed, 'settled')} something is left, and where it goes is not set`]),
    ...(late.length === 0 ? [] : [`the refund of ${gigsText(late, 'settled')} is due for more than a day`]),
    ...(failed.length === 0 ? [] : [`the refund or return of ${gigsText(failed, 'ended')} failed`]),
  ];
  const remedy = [
    ...(unaddressed.length === 0 ? [] : [`Run npm run admin -- gig refund ${unaddressed[0]} --to 0x… --yes.`]),
    ...(late.length === 0 ? [] : [`Run npm run admin -- gig refund ${late[0]}, which says why it waits.`]),
    ...(failed.length === 0
      ? []
      : [`Run npm run admin -- gig refund ${failed[0]}, which says why it failed, and with --yes plans it again.`]),
  ];
  const name = 'refunds';
  if (detail.length === 0)
    return { name, ok: true, detail: 'No refund of a settled gig is held up, and none has failed', remedy: '' };
  return { name, ok: false, detail: detail.join('; '), remedy: remedy.join(' ') };
}
