import type { Config } from '../../config.ts';
import { countOf } from '../../domain/count.ts';
import { LabelsUnreadable } from '../../domain/earning/labels.ts';
import { PLATFORMS } from '../../domain/platforms/platforms.ts';
import { earningOverdue } from '../../services/operators/conditions/watched-gigs.ts';
import { findWatchedGigs } from '../../services/operators/watched-gigs.ts';
import type { Context } from '../context.ts';
import type { Check } from './doctor-checks.ts';
import { checkOf } from './doctor-conditions.ts';

function offBecause({
  earningLookSeconds,
  platforms,
}: Config): { readonly detail: string; readonly remedy: string } | null {
  if (earningLookSeconds === 0) {
    const detail = 'Off: EARNING_LOOK_SECONDS is 0, so gigs with rules are refused';
    return { detail, remedy: 'To watch gigs, set EARNING_LOOK_SECONDS, such as 600.' };
  }
  const watchable = PLATFORMS.filter(({ mayBeWatched }) => mayBeWatched);
  if (watchable.some(({ id }) => platforms.some((each) => each.id === id))) return null;
  const remedy = `Gigs with rules need ${watchable.map(({ label }) => label).join(' or ')}.`;
  return { detail: 'Off: no platform that can be watched is on', remedy };
}

/** Whether gigs are watched, and something is done for each that is, in a store that can be used. */
export async function checkWatching(context: Context, config: Config): Promise<Check> {
  const name = 'watching';
  const { clock } = context;
  const { watched, overdue } = await context.withStore((store) => findWatchedGigs({ store, clock }));
  const off = offBecause(config);
  if (off !== null && watched === 0) return { name, ok: true, mark: 'off', ...off };
  if (off !== null) {
    const detail = `${off.detail}, but ${countOf(watched, 'gig')} wait${watched === 1 ? 's' : ''} to be watched`;
    return { name, ok: false, detail, remedy: off.remedy };
  }
  const detail = `Every ${config.earningLookSeconds} seconds, ${countOf(watched, 'gig')}`;
  return checkOf(
    name,
    overdue.map((id) => earningOverdue.tell(id)),
    detail,
  );
}

/** Whether the file of spam labels can be read. Without one, which is only a hint, no account is known as spam. */
export async function checkLabels(context: Context, config: Config): Promise<Check> {
  const name = 'spam labels';
  try {
    const labels = await context.labels(config);
    if (labels === null) {
      const detail = 'Not set: the gate not_spam passes every account, and trusted is refused';
      return { name, ok: true, mark: 'off', detail, remedy: 'To use spam labels, set SPAM_LABELS_FILE.' };
    }
    const { spam, trusted, broken } = labels.counts();
    const detail = `${spam} spam, ${trusted} trusted`;
    if (broken === 0) return { name, ok: true, detail, remedy: '' };
    const skipped = `skipped: ${countOf(broken, 'line')} that ${broken === 1 ? 'is' : 'are'} none`;
    return {
      name,
      ok: true,
      mark: 'warning',
      detail: `${detail}; ${skipped}`,
      remedy: 'Correct these lines in SPAM_LABELS_FILE.',
    };
  } catch (error) {
    if (!(error instanceof LabelsUnreadable)) throw error;
    const remedy =
      'Put the file in place, or unset SPAM_LABELS_FILE: the service does not start while it names a missing file.';
    return { name, ok: false, detail: `SPAM_LABELS_FILE: ${error.message}`, remedy };
  }
}
