import { findOrphans, type Orphan } from '../../services/operators/key-webhooks.ts';
import type { Context } from '../context.ts';
import type { Check } from './doctor-checks.ts';

function namesOf(orphans: readonly Orphan[]): string {
  return orphans.map(({ id, client, apiKeyId }) => `${id} of ${client ?? 'all clients'} (key ${apiKeyId})`).join(', ');
}

/** The webhooks of clients whose keys have ended; no check where there are none. */
export async function checkKeyWebhooks(context: Context): Promise<Check[]> {
  const orphans = await context.withStore((store) => findOrphans(store, context.clock()));
  if (orphans.length === 0) return [];
  const active = orphans.filter(({ pausedAt }) => pausedAt === null);
  if (active.length === 0)
    return [
      {
        name: 'client webhooks',
        ok: true,
        detail: `Paused, and their keys have ended: ${namesOf(orphans)}`,
        remedy: '',
      },
    ];
  return [
    {
      name: 'client webhooks',
      ok: true,
      mark: 'warning',
      detail: `They get events, although their keys have ended: ${namesOf(active)}`,
      remedy: 'Pause each with webhook pause, or keep it with webhook resume.',
    },
  ];
}
