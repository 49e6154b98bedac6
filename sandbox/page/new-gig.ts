import { z } from 'zod';
import type { LocalToken } from '../chain.ts';
import { FUNDER, person } from '../people.ts';
import type { Outcome } from './actions.ts';
import { describeAnswer, type ServiceApi } from './api.ts';
import type { GigRecord } from './records.ts';
import type { Watcher } from './watcher.ts';

const created = z.object({ gig_id: z.int() });

/** Makes, by the API, one more gig of bob's with an empty wallet; answers what went wrong when something did. */
export async function createOwnedGig(options: {
  api: ServiceApi;
  watcher: Watcher;
  token: LocalToken | undefined;
  /** Epoch ms. */
  now: number;
}): Promise<GigRecord | Outcome> {
  const { api, watcher, token, now } = options;
  const failed = (message: string): Outcome => ({ ok: false, message, show: 'gigs' });
  if (token === undefined) return failed('There is no token for one more gig.');
  const terms = {
    chain: 'anvil',
    token_address: token.address,
    amount: '100',
    duration: '1week',
    gig_type: 'mention',
    refund_address: FUNDER.address,
    earning_criteria: { rule: { type: 'manual' } },
  };
  const made = await api.post('/api/gigs/create', { ...terms, start_time: new Date(now).toISOString() });
  const answer = created.safeParse(made.body);
  if (!answer.success) return failed(describeAnswer(made));
  const { gig_id: id } = answer.data;
  for (const [platform, user] of [
    ['farcaster', String(person('bob').fid)],
    ['x', person('bob').xUserId],
  ]) {
    const owned = await api.post(`/api/gigs/${id}/owners`, { platform, platform_user_id: user, username: 'bob' });
    if (owned.status !== 201) return failed(describeAnswer(owned));
  }
  await watcher.look();
  return watcher.seen().records.gigs.get(id) ?? failed(`Gig ${id} was created, but is not visible yet.`);
}
