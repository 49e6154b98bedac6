import { z } from 'zod';
import { AdapterError } from '../../domain/errors.ts';
import type { NotificationOutcome, OutgoingNotification } from '../../domain/mentions/mention.ts';
import { entriesOf, lenient } from '../payload.ts';
import type { NeynarClient } from './client.ts';
import { fid as fidSchema, readFid } from './payload.ts';

const WHAT = 'send a notification';

const count = z.int().nonnegative().nullish();

/** Of 200, or of 202 for what Neynar queues; there `status` stands for the counts. */
const sentAnswer = z.object({
  campaign_id: z.string(),
  status: lenient(z.string()),
  success_count: count,
  failure_count: count,
  not_attempted_count: count,
  retryable_fids: lenient(entriesOf(fidSchema)),
});

/** That Neynar's answer is about this account, and not about the call. */
function refusal(reason: 'rate_limited' | 'rejected', detail: string): AdapterError {
  const retry = reason === 'rejected' ? 'never' : 'safe';
  return new AdapterError({ reason, retry, status: 200, message: `Neynar did not deliver a notification: ${detail}` });
}

/**
 * Sends a notification of the mini app to one account. Neynar keeps the tokens by which the account's clients take it.
 * @throws AdapterError
 */
export async function sendNotification(
  client: NeynarClient,
  { accountId, title, body, url, uuid, notAfter }: OutgoingNotification,
): Promise<NotificationOutcome> {
  const fid = readFid(accountId);
  if (fid === null) throw refusal('rejected', 'the account has no valid FID');
  const request = { what: WHAT, sends: true, isApart: true, notAfter, answer: sentAnswer };
  const answer = await client.call(request, (sdk) =>
    sdk.publishFrameNotifications({
      // Never empty: that would be everybody.
      targetFids: [fid],
      notification: { title, body, target_url: url, uuid },
    }),
  );
  // Of several clients one may have taken it: the id keeps that one from showing it again.
  if (answer.retryable_fids?.includes(fid)) throw refusal('rate_limited', 'a client of the account takes none now');
  if ((answer.success_count ?? 0) > 0) return 'sent';
  if ((answer.failure_count ?? 0) > 0) throw refusal('rejected', 'no client of the account takes it');
  const isQueued = answer.status !== undefined && (answer.not_attempted_count ?? 0) === 0;
  return isQueued ? 'sent' : 'unreached';
}
