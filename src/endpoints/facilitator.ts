import { z } from 'zod';
import { isLocalHost } from '../domain/fields.ts';
import { cleanText } from '../domain/gigs/token-text.ts';
import type { Facilitator } from '../domain/x402/facilitator.ts';
import { postFailure, requestOnce } from '../outbound.ts';
import { createEndpointFetch } from './connections.ts';

const WHO = 'the facilitator';
/** A facilitator answers when a block has the payment. */
const TIMEOUT_MS = 15_000;
const MAX_BYTES = 64 * 1024;
const MAX_REASON = 120;

const answerSchema = z.object({ success: z.boolean(), errorReason: z.string().nullish() });

export interface FacilitatorOptions {
  /** No trailing slash. */
  readonly url: string;
  /** Whether it may be at an address that is not public. */
  readonly allowPrivate: boolean;
  readonly timeoutMs?: number;
  readonly stop?: AbortSignal | undefined;
}

/** Asks the facilitator at a URL. A refusal is an answer as well: facilitators send it with any status. */
export function createFacilitator({
  url,
  allowPrivate,
  timeoutMs = TIMEOUT_MS,
  stop,
}: FacilitatorOptions): Facilitator {
  const fetch = createEndpointFetch({ allowPrivate: allowPrivate || isLocalHost(new URL(url)) });
  return {
    async settle(request) {
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const body = JSON.stringify(request);
      const { status, text } = await requestOnce(
        `${url}/settle`,
        { who: WHO, headers, body, timeoutMs, maxBytes: MAX_BYTES, stop, fetch },
        () => true,
      );
      const answer = readAnswer(text);
      if (answer === null) throw postFailure(WHO, 'bad_response', `answered with status ${status}, and no settlement`);
      const { success, errorReason } = answer;
      return { success, reason: errorReason ? cleanText(errorReason, MAX_REASON) : null };
    },
  };
}

function readAnswer(text: string) {
  try {
    return answerSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
