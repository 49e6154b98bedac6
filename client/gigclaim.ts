/** A client of a gigclaim service, with the types of its API. It needs the package `openapi-fetch`, and runs on Node and in browsers. */
import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
} from 'openapi-fetch';

/** The version of the service for which these types are. */
export const API_VERSION = '0.4.0';

/** A fact about a gig, as it is listed and as webhooks send it. */
export type GigclaimEvent = components['schemas']['Event'];

type Verb = 'get' | 'post' | 'patch' | 'delete';
type PathOf<V extends Verb> = ClientPathsWithMethod<Client<paths>, V>;
type Init<I> = Partial<I> extends I ? [init?: I] : [init: I];
type Call<V extends Verb> = <P extends PathOf<V>, I extends MaybeOptionalInit<paths[P], V>>(
  path: P,
  ...init: Init<I>
) => Promise<{ data: MethodResponse<Client<paths>, V, P>; response: Response }>;

/** An answer that is no success. */
export class GigclaimError extends Error {
  override readonly name = 'GigclaimError';
  readonly status: number;
  /** `unknown` when the answer is not the service's own. */
  readonly code: components['schemas']['ErrorCode'] | 'unknown';
  /** By which the operator finds the request in the log. */
  readonly requestId: string | null;
  /** The JSON of the answer, or its text. */
  readonly body: unknown;

  constructor(response: Response, text: string) {
    super(`${response.status} ${text.slice(0, 500)}`);
    this.status = response.status;
    this.requestId = response.headers.get('x-request-id');
    this.body = toJson(text);
    this.code = (this.body as Partial<components['schemas']['Error']> | null)?.code ?? 'unknown';
  }
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const TRIES = 6;
const LONGEST_WAIT_MS = 60_000;
const ANSWER_MS = 60_000;
const REPEATED = [429, 502, 503, 504];

/** Sends a request until there is an answer that another try would not change. */
async function send(request: Request): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(ANSWER_MS)]);
    const answer = await fetch(request.clone(), { signal }).catch((error: unknown) => {
      if (request.signal.aborted || tries === TRIES) throw error;
      return null;
    });
    if (answer?.ok) return answer;
    if (answer !== null && (tries === TRIES || !REPEATED.includes(answer.status))) {
      throw new GigclaimError(answer, await answer.text());
    }
    await answer?.body?.cancel();
    const asked = Number(answer?.headers.get('retry-after') ?? Number.NaN) * 1_000;
    const wait = Number.isNaN(asked) ? 250 * 2 ** tries : Math.min(asked, LONGEST_WAIT_MS);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/**
 * A client of the service at `url`. Its calls resolve with the `data` of a success and reject with {@link GigclaimError}. What gets no
 * answer, 429, 502, 503 or 504 is sent again, when `Retry-After` says; each POST has an Idempotency-Key, so that it acts once.
 */
export function createGigclaim({ url, key }: { url: string; key?: string }) {
  const headers = key === undefined ? {} : { 'x-api-key': key };
  const client = createClient<paths>({
    baseUrl: url,
    headers,
    // The key is for this service alone.
    redirect: 'manual',
    fetch: (request) => {
      if (request.method === 'POST' && !request.headers.has('idempotency-key')) {
        request.headers.set('idempotency-key', crypto.randomUUID());
      }
      return send(request);
    },
  });
  const GET = client.GET as Call<'get'>;

  /**
   * Each event of the client's gigs after a cursor, oldest first, and each that comes. Its `after` is the cursor to go on from, with
   * which some events may come again. `0` is the beginning, `latest` the end.
   */
  async function* events(after = '0'): AsyncGenerator<GigclaimEvent & { after: string }> {
    for (let cursor = after; ; ) {
      const { data: page } = await GET('/api/events', { params: { query: { after: cursor, wait: 25 } } });
      for (const [place, event] of page.data.entries()) {
        yield { ...event, after: place === page.data.length - 1 ? page.next_after : cursor };
      }
      cursor = page.next_after;
    }
  }

  return {
    GET,
    POST: client.POST as Call<'post'>,
    PATCH: client.PATCH as Call<'patch'>,
    DELETE: client.DELETE as Call<'delete'>,
    events,
  };
}

const TOLERANCE_SECONDS = 300;

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(/^[A-Za-z0-9+/]+={0,2}$/.test(text) ? atob(text) : '', (char) => char.charCodeAt(0));
}

/** The headers of a request, as any server or framework has them: names in any case. */
export type HeadersLike =
  | Headers
  | { get(name: string): string | null | undefined }
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

function readHeader(headers: HeadersLike, name: string): string {
  let entries: Iterable<readonly [string, unknown]>;
  if (Symbol.iterator in headers) entries = headers as Iterable<readonly [string, string]>;
  else if (typeof headers.get === 'function') return headers.get(name) ?? '';
  else entries = Object.entries(headers);
  for (const [each, value] of entries) if (each.toLowerCase() === name) return String(value ?? '');
  return '';
}

/**
 * The event in the body of a request, as it was received, when the service has signed it (Standard Webhooks) within five minutes.
 * @param secret begins with `whsec_`
 * @throws Error when it is not signed with this secret, or is older; the message says what is wrong
 */
export async function verifyWebhook(body: string, headers: HeadersLike, secret: string): Promise<GigclaimEvent> {
  if (typeof body === 'object' && !ArrayBuffer.isView(body)) {
    throw new Error('The body is not text: pass it as it was received, before anything parses it');
  }
  const material = fromBase64(secret.replace(/^whsec_/, ''));
  if (material.length === 0) throw new Error('The secret is not a webhook’s: that is whsec_ and base64');
  const [id, timestamp] = ['webhook-id', 'webhook-timestamp'].map((name) => {
    const value = readHeader(headers, name);
    if (value === '') throw new Error(`The request has no header ${name}`);
    return value;
  });
  if (Number.isNaN(Number(timestamp))) throw new Error('The header webhook-timestamp is not a time in seconds');
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new Error('The webhook is older, or newer, than five minutes');
  }
  const key = await crypto.subtle.importKey('raw', material, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of readHeader(headers, 'webhook-signature').split(' ')) {
    const given = fromBase64(signature.replace(/^v1,/, ''));
    if (signature.startsWith('v1,') && (await crypto.subtle.verify('HMAC', key, given, signed)))
      return JSON.parse(body);
  }
  throw new Error('The webhook is not signed with this secret');
}

// The types of the document, made from it by `npm run client:types`.
export interface paths {
  '/api/claim': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The claimable tips of accounts
     * @description The pending tips of all the named accounts, grouped by token. Unknown accounts add nothing.
     */
    get: operations['findClaimable'];
    put?: never;
    /**
     * Pay the author of a post
     * @description Pays the author of the post. A post that names an address must contain only `claim my rewards 0x…`, optionally between handles and with an end mark; its author is paid at that address. A post on Farcaster without an address must contain `claim my rewards` once; its author is paid at the verified address of the account. Such a post is refused if it names a destination in another way, such as a name with a dot, a chain, or the word `to` after the command, and if it denies the command (`not`, `never`, `don’t`). A post is one claim, permanently: sending its URL again returns the state of the claim, pays nothing twice, and retries failed payments. The response waits up to 20 seconds for confirmations; payments that are not final by then are `pending`, so send the URL again. It does not wait when all remaining payments are held up for longer; their `reason` says by what, such as a frozen gig, an empty gas tank or a used up gas budget. A missing post is not looked up again for a minute. These requests have their own rate limits, for one client and for all clients together.
     */
    post: operations['claimRewards'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/accounts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The id of an account, by its handle
     * @description Asks the platform who holds the handle now; an answer is kept for 10 minutes. At most 10 requests a minute for a client. Handles change hands: award to the id.
     */
    get: operations['findAccount'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/start': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Start a funded gig
     * @description Makes a created gig live once its wallet holds exactly its reward plus the platform fee. A start time that has passed becomes now, and the end moves with it.
     */
    post: operations['startGig'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}/stop': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End a live gig now
     * @description Its terms stay unchanged. New activity no longer counts; tips already earned are kept. Its award period begins now.
     */
    post: operations['stopGig'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}/settle': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Close the books of a gig that is over
     * @description No more tips are awarded, and the unawarded funds are refunded after the time that the operator has set. A gig settles automatically when its award period is over; this settles a fully decided gig earlier. It cannot be undone.
     */
    post: operations['settleGig'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End a gig that never started
     * @description The money in its wallet returns to its `refund_address`, also if the gig was funded in part. Without an address it stays until the operator sets one. Cancelling the gig again changes nothing.
     */
    post: operations['cancelGig'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/create': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a gig
     * @description The gig gets its own wallet. Fund it with exactly `total_amount`, then start the gig. For a token, send `tx_data` as the data of a transaction to `gig_token_address`. For a native asset (`tx_data` is `0x`), send `total_amount` as the value of a transaction to `gig_wallet_address`. The fee is rounded down to the smallest unit of the token. `url` is required for like, recast, boost and reply gigs and must be the URL of a post on the platform; `how_to_earn` and `verifier` are required for custom_bounty. `start_time` is at most a year in the future. With rules in `earning_criteria`, or without it, the service itself watches what `url` or `keyword` names on Farcaster and awards the tips.
     */
    post: operations['createGig'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/create/x402': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a gig and pay for it by x402
     * @description Needs no key. The answer to the first request is 402: `accepts` says what to pay into the wallet of the gig, and to which token. Send the same request with the payment in `PAYMENT-SIGNATURE`, as x402 clients do by themselves: the gig is funded and started, and belongs to its payer. Nothing is paid twice, however often a request is repeated. The response waits up to 20 seconds for the block of the payment; 202 means that it is not there yet, so repeat the request after `Retry-After`. A gig that is not paid for is cancelled after 10 minutes. Without an Idempotency-Key the same body from the same address names the same gig for 10 minutes. Unawarded funds return to `refund_address`, by default to the payer.
     */
    post: operations['createPaidGig'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/types': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The gig types
     * @description The values of `gig_type`. The record of a gig says how its type is shown.
     */
    get: operations['listGigTypes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Gigs, newest first
     * @description Paged: send `next_cursor` as `cursor` to get the next page.
     */
    get: operations['listGigs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One gig
     * @description The same record as in the list, for a gig in any state.
     */
    get: operations['showGig'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change the terms of a gig that is not live
     * @description Only the given terms change; all terms are validated as for a new gig.
     */
    patch: operations['changeGig'];
    trace?: never;
  };
  '/api/gigs/{id}/owners': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The owners of a gig
     * @description In the order in which they were added. Only for gigs of the key’s client.
     */
    get: operations['listGigOwners'];
    put?: never;
    /**
     * Let an account command a gig
     * @description The account is identified by its id, not by its handle. Adding an owner again changes nothing.
     */
    post: operations['addGigOwner'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}/payouts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The payments of claims from a gig
     * @description Newest first, one entry for each payment. Only for gigs of the key’s client.
     */
    get: operations['listGigPayouts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}/earnings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The state of accounts in a gig, with reasons
     * @description With `identifiers`, for anyone: the state of these accounts, in the order given. Without, for gigs of the key’s client: all accounts with the facts of their decisions, newest act first, paged.
     */
    get: operations['findEarnings'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}/draw': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The draw of a raffle, with its proof
     * @description The hash of the secret from the start of the gig on, the hash of the entrants once they are fixed, and after the draw the secret, the block and the winners. With the entrants anyone can repeat it.
     */
    get: operations['findDraw'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}/draw/entrants': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The entrants of a raffle
     * @description A first line `gig chain_id places not_before`, then a line `platform:id` for each entrant, in the order of their bytes. Each line ends with a line feed. SHA-256 of this text, byte for byte, is the `root` of the draw. A draw whose `root_version` is 1 has no first line.
     */
    get: operations['listEntrants'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}/report': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The statement of a gig
     * @description For anyone: the sums, the refund, and the payments that are no claims’. For gigs of the key’s client also the accounts, paged: each tip with its payment, the newest first, then the accounts that were refused, with the reason.
     */
    get: operations['reportGig'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}/report.csv': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The accounts of a gig as CSV
     * @description Each tip with its payment, the newest first, then the accounts that were refused, as RFC 4180 says, in UTF-8 with a header. Amounts are in whole tokens. A text that a spreadsheet would run as a formula has an apostrophe before it.
     */
    get: operations['exportReport'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}/tips': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The tips of a gig
     * @description For gigs of the key’s client: every tip, the newest first, paged. With `status` a page may have fewer tips than `limit`; the list ends where `next_cursor` is null.
     */
    get: operations['listTips'];
    put?: never;
    /**
     * Award tips from a live gig
     * @description At most 500 tips, at most one per account; either all are awarded or none. The tips of a gig never exceed its reward. A username is only a label, for an account that has none yet; the account is identified by its id. A handle that another account holds is ignored.
     */
    post: operations['awardTips'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/gigs/{id}/decisions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Decide on submissions to a bounty
     * @description For gigs with the rule `verifier`, also where a program verifies them. `GET /api/gigs/{id}/earnings` lists the candidates. Award each an amount, refuse it with a reason that the account sees, or let it wait. An award above the rest of the reward refuses with `reward_used_up`.
     */
    post: operations['decideSubmissions'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/check-completed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Whether an account has earned from a gig
     * @description An account has completed a gig when it has a tip from it, claimed or not, or did what the gig’s rules count and was not refused.
     */
    post: operations['checkCompleted'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The webhooks of the client
     * @description By their ids; their secrets are read one by one.
     */
    get: operations['listWebhooks'];
    put?: never;
    /**
     * Have events sent to a URL
     * @description It takes the events of the client’s gigs from now on, signed as Standard Webhooks says. The secret is read from `GET /api/webhooks/{id}/secret`.
     */
    post: operations['createWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One webhook
     * @description Without its secret.
     */
    get: operations['showWebhook'];
    put?: never;
    post?: never;
    /**
     * Delete a webhook
     * @description Queued events are no longer sent to it.
     */
    delete: operations['deleteWebhook'];
    options?: never;
    head?: never;
    /**
     * Change, pause or resume a webhook
     * @description Only the given fields change. A resumed webhook gets the events that it missed, in order.
     */
    patch: operations['changeWebhook'];
    trace?: never;
  };
  '/api/webhooks/{id}/secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The secret of a webhook
     * @description It is not stored: it derives from the service’s key.
     */
    get: operations['showWebhookSecret'];
    put?: never;
    /**
     * Give a webhook a new secret
     * @description For 24 hours the old secret also signs. A repeated request with the same Idempotency-Key returns the same secret: send one, because a second rotation ends the secret that your receiver has.
     */
    post: operations['rotateWebhookSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks/{id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a webhook a test
     * @description Sends `webhook.test`, also to a paused webhook, and returns the answer. While its client has two requests to webhooks under way, it waits for up to 5 seconds; then `error` says that the webhook was not asked.
     */
    post: operations['testWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks/{id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send events to a webhook again
     * @description The event with a `seq`, those of a gig, or those from `since` on and before `until`; the first ones, until 10000 are queued. They do not hold back new ones.
     */
    post: operations['replayEvents'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks/{id}/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The deliveries to a webhook
     * @description The newest first. They are kept for 30 days after they end; events stay.
     */
    get: operations['listDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The events of the client’s gigs
     * @description In the order of `seq`, from `after` on. Ask again with `next_after`; with `wait` the answer is held until there is an event.
     */
    get: operations['listEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether the process is up
     * @description Asks nothing of the store, the chains or the platforms.
     */
    get: operations['health'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether the service can store data
     * @description Only the store decides `ready`, and whether the clock agrees with the store’s. `reasons` list all other problems with their remedies. Chains and platforms have the time of their last good answer, gigs the numbers of frozen and overdue ones. The gas tank has its last balance: at most a minute old, and a few seconds while payments wait for it.
     */
    get: operations['ready'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Metrics for Prometheus
     * @description Counts and times since the process started, and how queues, platforms and the gas tank stand now.
     */
    get: operations['metrics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/gigclaim.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The public key by which verifiers know this service
     * @description Questions to verifiers of bounties are signed as Standard Webhooks says, with `v1a`.
     */
    get: operations['wellKnown'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description The pending tips of the named accounts. */
    Claimable: {
      /** @description Keyed by token address. Of several chains with one token address the lowest chain id keeps the plain key; the others are keyed `<address>:<chain_id>`. */
      data: {
        [key: string]: components['schemas']['ClaimableGroup'];
      };
      /** @description The totals of the whole answer. */
      summary: {
        /** @description How many tokens there are. */
        total_tokens: number;
        /** @description Distinct gigs behind all tips. */
        total_gigs: number;
      };
    };
    /** @description The claimable tips in one token. */
    ClaimableGroup: {
      token: components['schemas']['Token'];
      /** @description The sum of the tips, in whole tokens. */
      totalValue: number;
      /** @description Oldest first. */
      tips: components['schemas']['Tip'][];
      /** @description Distinct gigs behind the tips. */
      gigCount: number;
    };
    /** @description A token, or the native asset of a chain. */
    Token: {
      /** @description The id of the token in this service. */
      id: number;
      /**
       * Format: date-time
       * @description When the service added it.
       * @example 2026-11-21T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description EIP-55 checksummed; a chain’s native asset is 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE.
       * @example 0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed
       */
      address: string;
      /**
       * @description The chain of the token.
       * @example 8453
       */
      chain_id: number;
      /**
       * @description The number of decimals.
       * @example 18
       */
      decimals: number;
      /** @description The URL of an image; empty when there is none. */
      image_url: string;
      /**
       * @description Its name, from the contract.
       * @example Degen
       */
      name: string;
      /**
       * @description Its symbol.
       * @example DEGEN
       */
      symbol: string;
      /** @description Whether it is the native asset of its chain. */
      is_native: boolean;
      /** @description Its id at CoinGecko, if it is known. */
      coingecko_id: string | null;
    };
    /** @description An amount of a token that an account has earned. */
    Tip: {
      /** @description The id of the tip. */
      id: number;
      /**
       * Format: date-time
       * @description When it was awarded.
       * @example 2026-11-21T09:30:00.000Z
       */
      created_at: string;
      /** @description The id of its token. */
      token_id: number;
      /**
       * @description In whole tokens.
       * @example 12.5
       */
      value: number;
      /** @description The transaction that paid it; null until then. */
      tx_hash: string | null;
      /**
       * @description A Farcaster FID or an X user id.
       * @example 8004
       */
      platform_user_id: string;
      /** @description The handle that the account holds, if it is known. */
      username: string | null;
      /** @description The address of the account; empty until one is known. */
      user_address: string;
      /**
       * Format: date-time
       * @description When it was paid; null until then.
       * @example 2026-11-21T09:30:00.000Z
       */
      claimed_at: string | null;
      /**
       * @description `claimed` when it is paid.
       * @enum {string}
       */
      status: 'pending' | 'claimed';
      /** @description The gig that it was earned from. */
      gig_id: number;
      /**
       * @description The platform of the account; `twitter` is X.
       * @enum {string}
       */
      platform: 'farcaster' | 'twitter';
      /** @description The claim that is paying this tip now. */
      claim_nonce: string | null;
      /**
       * Format: date-time
       * @description When that claim began.
       * @example 2026-11-21T09:30:00.000Z
       */
      claim_started_at: string | null;
      /**
       * Format: date-time
       * @description When the hold of that claim on the tip ends.
       * @example 2026-11-21T09:30:00.000Z
       */
      lock_timeout: string | null;
    };
    /** @description Why the request was refused. */
    Error: {
      /** @description What is wrong, in one sentence. */
      error: string;
      code: components['schemas']['ErrorCode'];
      /** @description The `X-Request-Id` of the response, to find the request in the service’s log. */
      request_id: string;
    };
    /**
     * @description The kind of the error, for programs.
     * @enum {string}
     */
    ErrorCode:
      | 'invalid_request'
      | 'validation_failed'
      | 'invalid_api_key'
      | 'scope_missing'
      | 'key_reused'
      | 'gig_not_found'
      | 'chain_not_found'
      | 'token_not_found'
      | 'gig_already_live'
      | 'gig_ended'
      | 'gig_cancelled'
      | 'gig_in_progress'
      | 'gig_not_funded'
      | 'not_gig_owner'
      | 'owners_may_not'
      | 'session_too_new'
      | 'gig_not_running'
      | 'gig_not_stoppable'
      | 'gig_not_settleable'
      | 'tips_by_rules_only'
      | 'reward_exceeded'
      | 'wallets_off'
      | 'account_not_found'
      | 'not_a_claim'
      | 'invalid_address'
      | 'several_addresses'
      | 'no_verified_address'
      | 'no_address'
      | 'post_too_old'
      | 'post_not_found'
      | 'no_tips'
      | 'platform_off'
      | 'webhook_not_found'
      | 'too_many_webhooks'
      | 'invalid_cursor'
      | 'signing_off'
      | 'payment_required'
      | 'payment_refused'
      | 'x402_off'
      | 'x402_full'
      | 'body_unreadable'
      | 'body_too_large'
      | 'body_encoded'
      | 'names_or_key'
      | 'foreign_origin'
      | 'rate_limited'
      | 'route_not_found'
      | 'method_not_allowed'
      | 'invalid_signature'
      | 'chain_unreachable'
      | 'platform_unreachable'
      | 'unavailable'
      | 'malformed_http'
      | 'request_timeout'
      | 'chunks_too_long'
      | 'expectation_unknown'
      | 'headers_too_long'
      | 'internal';
    /** @description The state of a claim. */
    Claimed: {
      /** @description One entry for each gig and token. */
      transactions: {
        /** @description The payments that succeeded. */
        successful: {
          /** @description EIP-55 checksummed. */
          token_address: string;
          /**
           * @description The symbol of the token.
           * @example DEGEN
           */
          token_symbol: string;
          /**
           * @description In whole tokens.
           * @example 12.5
           */
          amount: string;
          /**
           * @description The name of the chain.
           * @example Base
           */
          chain_name: string;
          /** @description The transaction that paid. */
          tx_hash: string;
          /**
           * @description Always `success`.
           * @enum {string}
           */
          status: 'success';
        }[];
        /** @description The payments that failed; sending the URL again retries them. */
        failed: {
          /** @description EIP-55 checksummed. */
          token_address: string;
          /**
           * @description The symbol of the token.
           * @example DEGEN
           */
          token_symbol: string;
          /**
           * @description In whole tokens.
           * @example 12.5
           */
          amount: string;
          /**
           * @description The name of the chain.
           * @example Base
           */
          chain_name: string;
          /**
           * @description Always `failed`.
           * @enum {string}
           */
          status: 'failed';
          /** @description Why the payment failed. */
          reason: string;
        }[];
        /** @description The payments that are not final yet. */
        pending: {
          /** @description EIP-55 checksummed. */
          token_address: string;
          /**
           * @description The symbol of the token.
           * @example DEGEN
           */
          token_symbol: string;
          /**
           * @description In whole tokens.
           * @example 12.5
           */
          amount: string;
          /**
           * @description The name of the chain.
           * @example Base
           */
          chain_name: string;
          /** @description The latest transaction; null until there is one. */
          tx_hash: string | null;
          /**
           * @description Always `pending`.
           * @enum {string}
           */
          status: 'pending';
          /**
           * @description The reason for a wait of more than a minute, as on the claim page; else null.
           * @example until the operator refills the gas tank; nothing is lost
           */
          reason: string | null;
        }[];
      };
      /** @description The counts and the recipient. */
      summary: {
        /** @description The number of entries. */
        total_transactions: number;
        /** @description The number of failed payments. */
        failed_count: number;
        /** @description The number of successful payments. */
        success_count: number;
        /** @description The number of pending payments. */
        pending_count: number;
        /** @description The address that is paid, EIP-55 checksummed. */
        recipient: string;
      };
    };
    /**
     * @description All problems of a request.
     * @example {
     *       "error": "Validation failed",
     *       "details": [
     *         "url is required for like gigs"
     *       ],
     *       "code": "validation_failed",
     *       "request_id": "7f4df9a2-6c1e-4b7d-9d0e-2f1a4c5b6d7e"
     *     }
     */
    ValidationFailed: {
      /**
       * @description Always `Validation failed`.
       * @enum {string}
       */
      error: 'Validation failed';
      /** @description One sentence for each problem. */
      details: string[];
      code: components['schemas']['ErrorCode'];
      /** @description The `X-Request-Id` of the response, to find the request in the service’s log. */
      request_id: string;
    };
    /**
     * @description The post that claims.
     * @example {
     *       "url": "https://farcaster.xyz/alice/0x9288c1e8"
     *     }
     */
    ClaimRequest: {
      /** @description The URL of the post that claims, as a browser shows it. */
      url: string;
    };
    /** @description An account by its handle. */
    FoundAccount: {
      /** @description The account that holds the handle now. */
      data: {
        /**
         * @description The platform of the account.
         * @enum {string}
         */
        platform: 'farcaster' | 'x';
        /**
         * @description A Farcaster FID or an X user id.
         * @example 8004
         */
        platform_user_id: string;
        /**
         * @description Its handle as the platform spells it.
         * @example alice
         */
        username: string | null;
      };
    };
    /** @description The gig is live. */
    GigStarted: {
      /** @description The result. */
      data: {
        /**
         * @description A fixed text.
         * @example Gig started successfully
         */
        message: string;
        /**
         * @description The id of the gig.
         * @example 123
         */
        gig_id: number;
      };
    };
    /**
     * @description The wallet does not hold exactly what the gig needs.
     * @example {
     *       "error": {
     *         "message": "Gig with id 123 is not funded",
     *         "details": [
     *           "Expected amount: 100 DEGEN",
     *           "Actual amount: 0 DEGEN",
     *           "Token Address: 0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed",
     *           "Chain: base",
     *           "Chain id: 8453",
     *           "Gig wallet address: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
     *         ]
     *       },
     *       "code": "gig_not_funded",
     *       "request_id": "7f4df9a2-6c1e-4b7d-9d0e-2f1a4c5b6d7e"
     *     }
     */
    NotFunded: {
      /** @description The funding of the wallet. */
      error: {
        /** @description What is wrong, in one sentence. */
        message: string;
        /** @description Expected amount, actual amount, token address, chain, chain id and gig wallet address. */
        details: string[];
      };
      code: components['schemas']['ErrorCode'];
      /** @description The `X-Request-Id` of the response, to find the request in the service’s log. */
      request_id: string;
    };
    /** @description The gig to start. */
    StartGigRequest: {
      /**
       * @description The id of the gig.
       * @example 123
       */
      gig_id: number;
    };
    /** @description A campaign with its own wallet. */
    Gig: {
      /** @description The id of the gig. */
      id: number;
      /**
       * Format: date-time
       * @description When it was created.
       * @example 2026-11-21T09:30:00.000Z
       */
      created_at: string;
      /** @description Milliseconds. */
      start_time_ms: number;
      /** @description Milliseconds. */
      end_time_ms: number;
      /** @description Milliseconds. */
      duration_ms: number;
      /**
       * @description Decimal text, in whole tokens.
       * @example 100
       */
      amount: string;
      /** @description How long a round is at whose end its part is divided; null for every other rule. */
      payout_interval_ms: number | null;
      /**
       * @description Its title, as its terms say; null without one.
       * @example null
       */
      title: string | null;
      /** @description Its name on pages: its title, or the first words of `how_to_earn`. */
      name: string;
      /** @description The task, in words. */
      how_to_earn: string;
      /** @description The condition for earning, in words; made from `earning_rules` if there are any. */
      earning_criteria: string;
      earning_rules: components['schemas']['EarningRules'];
      earning: components['schemas']['GigEarning'];
      /** @description The symbol of its token. */
      ticker: string;
      /** @description The transaction that its start recorded; null before the start. */
      gigbot_transactions_id: number | null;
      /**
       * @description The platform on which it is earned.
       * @enum {string}
       */
      platform: 'farcaster' | 'x';
      /**
       * @description The post that it is about, if any; the last part of the path is the id or hash of the post.
       * @example https://x.com/alice/status/1541815603606036480
       */
      external_url: string | null;
      /**
       * @description The word that is watched for by the rules of a mention gig, in lower case; null when there is none.
       * @example $usdc
       */
      keyword: string | null;
      /** @description Its own wallet. */
      gig_address: string;
      /**
       * @description The reward that is not awarded yet, in whole tokens.
       * @example 100
       */
      total_balance: string;
      /**
       * @description `live`: started and not ended, also before its window begins. `cancelled`: ended without a start.
       * @enum {string}
       */
      status: 'created' | 'live' | 'ended' | 'cancelled';
      /**
       * @description How it starts: by a request alone, or also by the service itself when it is funded.
       * @enum {string}
       */
      start: 'on_request' | 'when_funded';
      /**
       * Format: date-time
       * @description Until when the service checks its wallet to start it automatically; null when it does not.
       * @example 2026-11-21T09:30:00.000Z
       */
      start_until: string | null;
      /**
       * @description The error code of the last try to start it automatically, which is repeated; null without one.
       * @example null
       */
      start_refusal: string | null;
      /** @description The address to which unawarded funds return, EIP-55 checksummed; null when it is not set. */
      refund_address: string | null;
      /**
       * @description The name that was given as `refund_address`, and resolved once; absent where an address was given.
       * @example alice.eth
       */
      refund_name?: string;
      /** @description For how many days after its end tips can be awarded. */
      award_days: number;
      /**
       * Format: date-time
       * @description Until when tips can be awarded, by its end as it is now; null before its start.
       * @example 2026-11-21T09:30:00.000Z
       */
      awards_until: string | null;
      /** @description Whether its owners may also award, decide and change it when they sign in to the pages. */
      owners_may_award: boolean;
      /**
       * Format: date-time
       * @description When it was ended before its time; null otherwise.
       * @example 2026-11-21T09:30:00.000Z
       */
      stopped_at: string | null;
      /**
       * Format: date-time
       * @description When its books were closed, and nothing is awarded any more; null before.
       * @example 2026-11-21T09:30:00.000Z
       */
      settled_at: string | null;
      /**
       * Format: date-time
       * @description When it was cancelled; null otherwise.
       * @example 2026-11-21T09:30:00.000Z
       */
      cancelled_at: string | null;
      /** @description The token of the reward. */
      token: {
        /** @description The id of the token in this service. */
        id: number;
        /** @description The URL of an image; empty when there is none. */
        image_url: string;
        /** @description Its symbol. */
        symbol: string;
        /** @description Its id at CoinGecko, if it is known. */
        coingecko_id: string | null;
        /** @description EIP-55 checksummed. */
        address: string;
        /** @description The number of decimals. */
        decimals: number;
      };
      /** @description The chain of the token. */
      chain: {
        /** @description The chain id. */
        id: number;
        /**
         * @description The key of the chain.
         * @enum {string}
         */
        name: 'base' | 'base-sepolia' | 'optimism' | 'arbitrum' | 'polygon' | 'ethereum' | 'anvil';
        /** @description Always empty. */
        image_url: string;
        /** @description The chain id. */
        chain_id: number;
      };
      /** @description The act that earns tips from the gig. */
      gig_type: {
        /**
         * @description The name of the type.
         * @enum {string}
         */
        id: 'mention' | 'like' | 'recast' | 'boost' | 'reply' | 'follow' | 'custom_bounty' | 'hold';
        /** @description How it is shown on each platform. */
        display: {
          farcaster: components['schemas']['GigTypeDisplay'];
          x: components['schemas']['GigTypeDisplay'];
        };
      };
      /** @description `verifier`: the party that checks the work, if given. */
      action_params: {
        [key: string]: string;
      };
    };
    /** @description The rules by which the service itself watches and awards, filled in; null when tips are awarded by request alone. */
    EarningRules: {
      /** @description The rule by which accounts get their amounts. */
      rule:
        | {
            /** @enum {string} */
            type: 'manual';
          }
        | {
            /** @enum {string} */
            type: 'fixed';
            /**
             * @description Decimal text, in whole tokens.
             * @example 2
             */
            amount: string;
          }
        | {
            /** @enum {string} */
            type: 'split';
            /** @description Hours. */
            round_hours: number;
            /**
             * @description Decimal text, in whole tokens.
             * @example 2
             */
            max_amount: string;
          }
        | {
            /** @enum {string} */
            type: 'weighted';
            /**
             * @description The weight of a share.
             * @enum {string}
             */
            by: 'score' | 'score_reach';
            /** @description Hours. */
            round_hours: number;
            /**
             * @description Decimal text, in whole tokens.
             * @example 2
             */
            max_amount: string;
          }
        | {
            /** @enum {string} */
            type: 'raffle';
            /** @description How many are drawn. */
            winners: number;
          }
        | {
            /** @enum {string} */
            type: 'verifier';
            /**
             * @description Decimal text, in whole tokens.
             * @example 2
             */
            max_amount: string;
          }
        | {
            /** @enum {string} */
            type: 'hold';
            /** @description The contract of the token that is held. */
            token: string;
            /**
             * @description Decimal text, in whole tokens.
             * @example 2
             */
            amount: string;
            /** @description For how many hours from its entry an account holds it. */
            hours: number;
            /** @description How those who held it are paid. */
            pays:
              | {
                  /** @enum {string} */
                  type: 'fixed';
                  /**
                   * @description Decimal text, in whole tokens.
                   * @example 2
                   */
                  amount: string;
                }
              | {
                  /** @enum {string} */
                  type: 'split';
                  /** @description Hours. */
                  round_hours: number;
                  /**
                   * @description Decimal text, in whole tokens.
                   * @example 2
                   */
                  max_amount: string;
                }
              | {
                  /** @enum {string} */
                  type: 'weighted';
                  /**
                   * @description The weight of a share.
                   * @enum {string}
                   */
                  by: 'score' | 'score_reach';
                  /** @description Hours. */
                  round_hours: number;
                  /**
                   * @description Decimal text, in whole tokens.
                   * @example 2
                   */
                  max_amount: string;
                }
              | {
                  /** @enum {string} */
                  type: 'raffle';
                  /** @description How many are drawn. */
                  winners: number;
                };
          };
      /** @description The gates that an account must pass. */
      gates: {
        /** @description The least score of an account, 0 to 1. */
        min_score: number;
        /** @description The least age of an account. */
        min_account_age_days: number;
        /** @description The fewest followers. */
        min_followers: number;
        /** @description Whether the account needs its own verified address. */
        verified_address: boolean;
        /**
         * @description Which spam labels pass.
         * @enum {string}
         */
        spam_label: 'not_spam' | 'trusted' | 'any';
        /** @description The fewest letters of a text of one’s own. */
        min_letters: number;
        /** @description What an account must hold at the decision; absent where it need not. */
        min_holding?: {
          /** @description The contract of the token that is held. */
          token: string;
          /**
           * @description Decimal text, in whole tokens.
           * @example 2
           */
          amount: string;
        };
      };
      /** @description How long an act is held before the decision on its account. */
      hold_hours: number;
      /** @description Whether tips may also be awarded by request. */
      tips_by_request: boolean;
    } | null;
    /** @description The earnings by the rules so far; null without them. */
    GigEarning: {
      /**
       * Format: date-time
       * @description When the last accounts can be decided; after that, when they were.
       * @example 2026-11-21T09:30:00.000Z
       */
      settles_at: string;
      /**
       * Format: date-time
       * @description When the next round can be divided, or the raffle drawn; null when that is done, and for rules without rounds.
       * @example 2026-11-21T09:30:00.000Z
       */
      next_division_at: string | null;
      /**
       * @description The decider of submissions to a bounty: `hand`, or the origin of the verifier. Null for other rules.
       * @example https://verifier.example
       */
      decided_by: string | null;
      /**
       * @description Why a `verifier` that is a URL is not asked, in one sentence; null when it is asked, or is no URL.
       * @example null
       */
      decided_by_hint: string | null;
      /** @description How many accounts are in each state. */
      counts: {
        /** @description Accounts. */
        held: number;
        /** @description Accounts. */
        eligible: number;
        /** @description Accounts. */
        awarded: number;
        /** @description Accounts. */
        refused: number;
      };
      /** @description The amounts by the rules for the accounts in each state, without tips by request. `eligible`: the shares of a divided round that are not awarded yet. Accounts that are held, are refused or wait for a division count as 0. */
      sums: {
        /**
         * @description Decimal text, in whole tokens.
         * @example 2
         */
        held: string;
        /**
         * @description Decimal text, in whole tokens.
         * @example 2
         */
        eligible: string;
        /**
         * @description Decimal text, in whole tokens.
         * @example 2
         */
        awarded: string;
        /**
         * @description Decimal text, in whole tokens.
         * @example 2
         */
        refused: string;
      };
    } | null;
    /** @description How a gig type is shown on one platform. */
    GigTypeDisplay: {
      /** @description The name of its icon. */
      icon: string;
      /** @description Its name on the platform. */
      label: string;
      /** @description The value to filter by. */
      filter_id: string;
      /** @description Whether it needs the URL of a post. */
      with_input: boolean;
      /** @description The task, if the gig does not say. */
      how_to_earn: string;
      /** @description The condition for earning, if the gig does not say. */
      earning_criteria: string;
      /** @description The placeholder of the input for that URL. */
      input_placeholder: string;
    };
    /** @description The funds that a gig needs before it can start, and how to send them. */
    GigCreated: {
      /** @description The id of the gig. */
      gig_id: number;
      /** @description The gig’s wallet, to which you send the funds. */
      gig_wallet_address: string;
      /** @description The token of the reward. */
      gig_token_address: string;
      /** @description The chain of the token. */
      gig_chain_id: number;
      /**
       * @description The reward, in whole tokens.
       * @example 10.0
       */
      gig_balance: string;
      /**
       * @description The platform’s fee, in whole tokens.
       * @example 10.0
       */
      platform_fee: string;
      /**
       * @description Reward and fee: what the wallet must hold.
       * @example 10.0
       */
      total_amount: string;
      /** @description Calldata of the transfer; `0x` for a native asset. */
      tx_data: string;
      /**
       * @description The address to which `refund_name` led, and unawarded funds return; only where a name was given.
       * @example 0x976EA74026E726554dB657fA54763abd0C3a0aa9
       */
      refund_address?: string;
      /**
       * @description The name that was given as `refund_address`, and resolved once; absent where an address was given.
       * @example alice.eth
       */
      refund_name?: string;
    };
    /**
     * @description The terms of the gig.
     * @example {
     *       "chain": "base",
     *       "token_address": "0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed",
     *       "amount": 10,
     *       "start_time": "2027-03-01T15:00:00Z",
     *       "duration": "1week",
     *       "gig_type": "mention",
     *       "platform": "farcaster"
     *     }
     */
    CreateGigRequest: {
      /** @description The key of a chain that is enabled here. */
      chain: string;
      /** @description The contract of an ERC-20 token, or 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE for the native asset of the chain. */
      token_address: string;
      /** @description The reward, in whole tokens; as a string for more digits than a JSON number holds. */
      amount: number | string;
      /**
       * Format: date-time
       * @description When earning begins; if the gig is started later, the time of its start.
       */
      start_time: string;
      /**
       * @description How long tips can be earned; a month is 30 days.
       * @enum {string}
       */
      duration: '1day' | '3days' | '1week' | '2weeks' | '3months' | '6months';
      /**
       * @description The act that earns tips from the gig.
       * @enum {string}
       */
      gig_type: 'mention' | 'like' | 'recast' | 'boost' | 'reply' | 'follow' | 'custom_bounty' | 'hold';
      /** @description The name of the gig on pages and in lists, 1 to 60 characters; URLs, domains, `@` and invisible characters are removed. */
      title?: string | null;
      /** @description The task, in words; the text of the gig type when absent. */
      how_to_earn?: string | null;
      /** @description Who earns: words for people, or rules by which the service itself watches and awards, as an object or its JSON text. Without it a gig that can be watched has the default rules; `{"rule":{"type":"manual"}}` has none. */
      earning_criteria?:
        | string
        | {
            [key: string]: unknown;
          }
        | null;
      /** @description The post that the gig is about, or for follow and mention gigs the profile; stored in its canonical form, without query and fragment. */
      url?: string | null;
      /**
       * @description The platform on which it is earned; Farcaster when absent.
       * @enum {string}
       */
      platform?: 'farcaster' | 'x' | 'twitter';
      /** @description The verifier of a custom bounty: a URL, or the name of a person. */
      verifier?: string | null;
      /** @description The wallet to which the unawarded funds of the gig return after its end, or all its money when it is cancelled. It can no longer be changed when the wallet of the gig holds something. A name such as `alice.eth` is resolved once, now, where names are on: the gig keeps the address. */
      refund_address?: string | null;
      /** @description For how many days after its end tips by request and decisions are taken; 14 by default for bounties and for gigs that are awarded by request, else 0. */
      award_days?: number | null;
      /**
       * @description How the gig starts: `on_request` by a request alone, the default; with `when_funded` the service also starts it automatically, when its wallet holds exactly what it needs. The service checks the wallet every minute, for 30 days after each change of the terms.
       * @enum {string}
       */
      start?: 'on_request' | 'when_funded';
      /** @description Whether its owners may also award tips, decide, change its terms and name other owners when they sign in to the pages of the service; false when absent. */
      owners_may_award?: boolean;
      /** @description The word that a mention gig without url watches: 2 to 32 letters or digits; `$` and the symbol of the token when absent. */
      keyword?: string | null;
      /** @description The accounts that may start the gig by mentioning the bot. */
      owners?: {
        /**
         * @description The platform of the account; `x` and `twitter` mean the same.
         * @enum {string}
         */
        platform: 'farcaster' | 'x' | 'twitter';
        /** @description A Farcaster FID or an X user id; as a string if it has more than 15 digits. */
        platform_user_id: string | number;
        /** @description The handle, which is only a label. */
        username?: string | null;
      }[];
    };
    /** @description A gig that is paid for in its creation. */
    PaidGig: components['schemas']['GigCreated'] & {
      /**
       * @description `live` after the payment; `created` while the block of the payment is not there.
       * @enum {string}
       */
      status: 'created' | 'live' | 'ended';
      /** @description The address that paid, EIP-55 checksummed: the owner of the gig; null when it was funded otherwise. */
      payer: string | null;
      /** @description The transaction of the payment; null until it is known. */
      transaction: string | null;
    };
    /** @description What has to be paid, also in the header `PAYMENT-REQUIRED`. */
    PaymentRequired: {
      /**
       * @description The version of x402.
       * @enum {number}
       */
      x402Version: 2;
      /** @description Why the gig is not paid, in the words of x402. */
      error: string;
      /** @description What is paid for. */
      resource: {
        /** @description Where the gig is paid for. */
        url: string;
        /** @description The gig, in words. */
        description: string;
        /** @description The type of the answer. */
        mimeType: string;
      };
      /** @description The ways to pay: one, or none where no gig is named. */
      accepts: {
        /**
         * @description A transfer of exactly the amount.
         * @enum {string}
         */
        scheme: 'exact';
        /** @description The chain, as `eip155:` and its id. */
        network: string;
        /** @description Reward and fee, in base units. */
        amount: string;
        /** @description The contract of the token. */
        asset: string;
        /** @description The wallet of the gig. */
        payTo: string;
        /** @description How long the authorization has to last. */
        maxTimeoutSeconds: number;
        /** @description The domain of EIP-712 of the token. */
        extra: {
          /** @description The name that is signed. */
          name: string;
          /** @description The version that is signed. */
          version: string;
        };
      }[];
      /** @description `gig.info.gig_id`: the id of the gig. */
      extensions: {
        [key: string]: unknown;
      };
      code: components['schemas']['ErrorCode'];
      /** @description The `X-Request-Id` of the response, to find the request in the service’s log. */
      request_id: string;
    };
    /** @description An account that may command a gig. */
    GigOwner: {
      /** @description The gig that the account owns. */
      gig_id: number;
      /**
       * @description The platform of the account.
       * @enum {string}
       */
      platform: 'farcaster' | 'x';
      /** @description A Farcaster FID or an X user id. */
      platform_user_id: string;
      /** @description The handle, if it was given. */
      username: string | null;
    };
    /** @description One payment of a claim from a gig. */
    GigPayout: {
      /** @description The `claim_nonce` of the tips that it pays. */
      claim_nonce: string;
      /**
       * @description How the claim came: a mention of the bot, the URL of a post, the page, or a tap on a card.
       * @enum {string}
       */
      source: 'mention' | 'url' | 'page' | 'snap';
      /**
       * @description The platform of the account that is paid.
       * @enum {string}
       */
      platform: 'farcaster' | 'twitter';
      /**
       * @description A Farcaster FID or an X user id.
       * @example 8004
       */
      platform_user_id: string;
      /** @description The address that is paid, EIP-55 checksummed. */
      recipient: string;
      /**
       * @description In whole tokens.
       * @example 12.5
       */
      amount: string;
      /**
       * @description The state of the payment.
       * @enum {string}
       */
      status: 'pending' | 'success' | 'failed';
      /** @description Why it waits or failed; null otherwise. */
      reason: string | null;
      /** @description The transaction that paid it; null before that. */
      tx_hash: string | null;
      /**
       * Format: date-time
       * @description When the claim planned it.
       * @example 2026-11-21T09:30:00.000Z
       */
      created_at: string;
    };
    /** @description The state of an account in a gig. */
    AccountEarning: {
      /**
       * @description The platform of the account.
       * @enum {string}
       */
      platform: 'farcaster' | 'x';
      /** @description Its id; null for a handle that no known account holds. */
      platform_user_id: string | null;
      /** @description Its last known handle. */
      username: string | null;
      /**
       * @description `none`: no activity of the account counts.
       * @enum {string}
       */
      state: 'held' | 'eligible' | 'awarded' | 'refused' | 'none';
      /**
       * @description Why it was refused; null otherwise.
       * @enum {string|null}
       */
      reason:
        | 'before_start'
        | 'after_end'
        | 'own_account'
        | 'blocked'
        | 'withdrawn'
        | 'account_gone'
        | 'score_unknown'
        | 'score_too_low'
        | 'too_young'
        | 'too_few_followers'
        | 'labelled_spam'
        | 'no_verified_address'
        | 'same_address'
        | 'text_too_short'
        | 'duplicate_text'
        | 'too_little_held'
        | 'reward_used_up'
        | 'share_too_small'
        | 'not_drawn'
        | 'verifier_refused'
        | 'not_decided'
        | null;
      /** @description State and reason in words. */
      sentence: string;
      /**
       * Format: date-time
       * @description When a held account is decided; null otherwise.
       * @example 2026-11-21T09:30:00.000Z
       */
      settles_at: string | null;
      /**
       * @description Its award, in whole tokens; null otherwise.
       * @example 2
       */
      amount: string | null;
      facts: components['schemas']['EarningFacts'];
      /** @description Only in the list for a key: a submission that waits for a decision; else null. */
      candidate: {
        /** @description Its id in decisions. */
        id: number;
        /** @description The post that is the submission. */
        post_id: string;
        /**
         * Format: date-time
         * @description When its author says that it was posted.
         * @example 2026-11-21T09:30:00.000Z
         */
        posted_at: string | null;
      } | null;
    };
    /** @description Only in the list for a key, after the decision. */
    EarningFacts: {
      /** @description The platform’s score, 0 to 1; null when it gives none. */
      score: number | null;
      /** @description How many accounts follow it; null when that is not known. */
      followers: number | null;
      /**
       * Format: date-time
       * @description When it was made; null when that is not known.
       * @example 2026-11-21T09:30:00.000Z
       */
      registered_at: string | null;
      /**
       * @description Its label in the file of spam labels.
       * @enum {string}
       */
      spam_label: 'spam' | 'trusted' | 'unknown';
      /** @description How many addresses it has verified. */
      verified_addresses: number;
      /** @description Letters of its own text; null for an act without text. */
      letters: number | null;
      holding: components['schemas']['HoldingFacts'];
    } | null;
    /** @description What it held; null where the gig does not ask. */
    HoldingFacts: {
      /** @description The contract of the token. */
      token: string;
      /**
       * @description Decimal text, in whole tokens.
       * @example 2
       */
      needed: string;
      /** @description At its entry; null where nobody enters, or before it is known. */
      entry: {
        /**
         * @description Decimal text, in whole tokens.
         * @example 2
         */
        amount: string;
        /** @description The number of the block. */
        block: string;
        /** @description The hash of the block. */
        block_hash: string;
      } | null;
      /** @description In the block that was drawn, or at the decision; null before. */
      last: {
        /**
         * @description Decimal text, in whole tokens.
         * @example 2
         */
        amount: string;
        /** @description The number of the block. */
        block: string;
        /** @description The hash of the block. */
        block_hash: string;
      } | null;
      /** @description How many of its addresses count for another account. */
      counted: number;
      /** @description Whether the token does not tell. */
      is_unknown: boolean;
    } | null;
    /** @description The draw of a raffle, with all that is needed to repeat it. */
    Draw: {
      /** @description The id of the gig. */
      gig_id: number;
      /**
       * @description `closed`: the entrants no longer change; `fixed`: the hash of the entrants is known; `drawn`: the winners are.
       * @enum {string}
       */
      state: 'open' | 'closed' | 'fixed' | 'drawn';
      /**
       * Format: date-time
       * @description The draw comes no earlier.
       * @example 2026-11-21T09:30:00.000Z
       */
      draws_at: string;
      /** @description How many are drawn, if there are so many entrants. */
      places: number;
      /**
       * @description SHA-256 of the secret, known from the start of the gig.
       * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
       */
      commitment: string;
      /** @description How many there are; null until they are fixed. */
      entrants: number | null;
      /**
       * @description SHA-256 of the text that `/draw/entrants` answers, byte for byte; null until they are fixed. Note it with the commitment before the block exists: both fix everything that decides.
       * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
       */
      root: string | null;
      /**
       * @description 2: the root covers gig, chain, places, `not_before` and the entrants. 1, of earlier draws: the entrants alone, so also note `places` and `not_before`. Null until they are fixed.
       * @example 2
       */
      root_version: number | null;
      /**
       * Format: date-time
       * @description When they were fixed.
       * @example 2026-11-21T09:30:00.000Z
       */
      fixed_at: string | null;
      /**
       * Format: date-time
       * @description The block is the first of the chain with this timestamp or a later one: a minute after the later of `fixed_at` and the newest block of that moment.
       * @example 2026-11-21T09:30:00.000Z
       */
      not_before: string | null;
      /**
       * @description The EIP-155 id of the chain.
       * @example 8453
       */
      chain_id: number;
      /**
       * @description The key of the chain.
       * @example base
       */
      chain: string;
      block: components['schemas']['DrawBlock'];
      /**
       * @description Its bytes as hex; null before the draw.
       * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
       */
      secret: string | null;
      /**
       * @description SHA-256 of the bytes of the secret, the hash of the block and the root; null before the draw.
       * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
       */
      seed: string | null;
      /**
       * Format: date-time
       * @description Null before the draw.
       * @example 2026-11-21T09:30:00.000Z
       */
      drawn_at: string | null;
      /** @description The amount for each winner, in whole tokens; null before the draw. */
      prize: string | null;
      /** @description By their tickets, the lowest first; none before the draw. */
      winners: components['schemas']['DrawWinner'][];
    };
    /** @description Null before the draw. */
    DrawBlock: {
      /**
       * @description Decimal text.
       * @example 36421337
       */
      number: string;
      /** @description Its hash, unknown when the entrants were fixed. */
      hash: string;
      /**
       * Format: date-time
       * @description Its timestamp.
       * @example 2026-11-21T09:30:00.000Z
       */
      time: string;
    } | null;
    /** @description An account that was drawn. */
    DrawWinner: {
      /** @description The first is 1. */
      place: number;
      /**
       * @description The platform of the account.
       * @enum {string}
       */
      platform: 'farcaster' | 'x';
      /** @description Its id. */
      platform_user_id: string;
      /**
       * @description Its line among the entrants.
       * @example farcaster:1001
       */
      line: string;
      /**
       * @description SHA-256 of the bytes of the seed and the line.
       * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
       */
      ticket: string;
    };
    /** @description The statement of a gig. */
    GigReport: {
      /** @description The id of the gig. */
      gig_id: number;
      /**
       * @description The phase of the gig; `scheduled` is live with its window still to come.
       * @enum {string}
       */
      status: 'created' | 'cancelled' | 'scheduled' | 'live' | 'ended';
      /**
       * Format: date-time
       * @description When its books were closed; null before.
       * @example 2026-11-21T09:30:00.000Z
       */
      settled_at: string | null;
      /**
       * @description The key of the chain.
       * @example base
       */
      chain: string;
      /** @description The address of the token. */
      token: string;
      /**
       * @description Its symbol.
       * @example USDC
       */
      token_symbol: string;
      /** @description The wallet that pays. */
      wallet_address: string;
      sums: components['schemas']['ReportSums'];
      usd: components['schemas']['ReportWorth'];
      /** @description Whether the sums agree, to the unit. */
      adds_up: boolean;
      refund: components['schemas']['Refund'];
      /** @description Fee, refund and returns, oldest first; no payouts. */
      payments: components['schemas']['ReportPayment'][];
      /**
       * @description Gas units that its payments have used, including failed attempts. Their price in wei is not stored.
       * @example 98213
       */
      gas_used: string;
      /** @description A page of tips, the newest first, then of refused accounts; null without a key. */
      accounts: components['schemas']['ReportedAccount'][] | null;
    };
    /** @description In whole tokens. To the unit, `reward` + `fee` + `beyond` is `paid` + `pending` + `refund` + `fee_paid` + `fee_owed` + `left`. */
    ReportSums: {
      /**
       * @description The reward; 0 before the start.
       * @example 12.5
       */
      reward: string;
      /**
       * @description The fee of the platform; 0 before the start.
       * @example 12.5
       */
      fee: string;
      /**
       * @description Paid and pending together.
       * @example 12.5
       */
      awarded: string;
      /**
       * @description Paid to claims.
       * @example 12.5
       */
      paid: string;
      /**
       * @description Owed: awarded and not paid yet.
       * @example 12.5
       */
      pending: string;
      /**
       * @description The tips that the operator voided; in no other sum.
       * @example 12.5
       */
      void: string;
      /**
       * @description The refund, paid or to be paid.
       * @example 12.5
       */
      refund: string;
      /**
       * @description The part of the fee that is in the treasury.
       * @example 12.5
       */
      fee_paid: string;
      /**
       * @description The part of the fee that is not moved yet.
       * @example 12.5
       */
      fee_owed: string;
      /**
       * @description The rest of the reward, neither awarded nor in the refund.
       * @example 12.5
       */
      left: string;
      /**
       * @description Awarded and refunded beyond the reward, as after an older backup was put back; else 0.
       * @example 12.5
       */
      beyond: string;
    };
    /** @description Sums in US dollars, for reading alone; null without a price. */
    ReportWorth: {
      /**
       * @description The reward.
       * @example 12.40
       */
      reward: string;
      /**
       * @description Paid and pending together.
       * @example 12.40
       */
      awarded: string;
      /**
       * @description Paid to claims.
       * @example 12.40
       */
      paid: string;
      /**
       * @description The rest of the reward.
       * @example 12.40
       */
      left: string;
      /**
       * Format: date-time
       * @description When the price was set.
       * @example 2026-11-21T09:30:00.000Z
       */
      at: string;
    } | null;
    /** @description The refund of unawarded funds. */
    Refund: {
      /**
       * @description `open`: the gig is not settled; `due`: it is settled and the refund not planned; `nothing`: the whole reward was awarded, or the gig was cancelled; else the state of its payment.
       * @enum {string}
       */
      state: 'open' | 'due' | 'nothing' | 'planned' | 'sent' | 'confirmed' | 'failed';
      /**
       * @description Its amount, or the amount if it were planned now.
       * @example 12.5
       */
      amount: string;
      /** @description Null when no address is set. */
      recipient: string | null;
      /** @description The transaction that paid it; null before that. */
      tx_hash: string | null;
      /**
       * Format: date-time
       * @description When it is planned at the earliest; null before the gig is settled.
       * @example 2026-11-21T09:30:00.000Z
       */
      due_at: string | null;
    };
    /** @description A payment out of the gig’s wallet that is no claim’s. */
    ReportPayment: {
      /**
       * @description `return`: money that the ledger did not need, such as a surplus or another asset.
       * @enum {string}
       */
      kind: 'fee' | 'refund' | 'return';
      /**
       * @description Where it stands.
       * @enum {string}
       */
      state: 'planned' | 'sent' | 'confirmed' | 'failed';
      /**
       * @description Decimal text, in whole tokens.
       * @example 12.5
       */
      amount: string;
      /** @description The address of the token. */
      token: string;
      /**
       * @description Its symbol.
       * @example USDC
       */
      token_symbol: string;
      /** @description The address that is paid, EIP-55 checksummed. */
      recipient: string;
      /** @description The transaction that paid it; null before that. */
      tx_hash: string | null;
    };
    /** @description A tip of the gig, or an account that got none. */
    ReportedAccount: {
      /**
       * @description The state of its tip; `refused`: it got none.
       * @enum {string}
       */
      status: 'pending' | 'paid' | 'void' | 'refused';
      /**
       * @description The platform of the account.
       * @enum {string}
       */
      platform: 'farcaster' | 'x';
      /**
       * @description Its id.
       * @example 8004
       */
      platform_user_id: string;
      /** @description Its last known handle. */
      username: string | null;
      /**
       * @description In whole tokens; null for a refused account.
       * @example 12.5
       */
      amount: string | null;
      /** @description Null for a refused account. */
      tip_id: number | null;
      /** @description By which the chain knows it; null for a refused account. */
      tip_number: number | null;
      /**
       * Format: date-time
       * @description Null for a refused account.
       * @example 2026-11-21T09:30:00.000Z
       */
      awarded_at: string | null;
      /** @description Where it was paid to; null while it is not. */
      recipient: string | null;
      /** @description The transaction that paid it; null before that. */
      tx_hash: string | null;
      /**
       * Format: date-time
       * @description Null while it is not paid.
       * @example 2026-11-21T09:30:00.000Z
       */
      paid_at: string | null;
      /** @description Why it was refused, or its tip voided; null otherwise. */
      reason: string | null;
    };
    /**
     * @description The terms to change.
     * @example {
     *       "amount": 20,
     *       "duration": "2weeks"
     *     }
     */
    ChangeGigRequest: {
      /** @description The key of a chain that is enabled here. */
      chain?: string;
      /** @description The contract of an ERC-20 token, or 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE for the native asset of the chain. */
      token_address?: string;
      /** @description The reward, in whole tokens; as a string for more digits than a JSON number holds. */
      amount?: number | string;
      /**
       * Format: date-time
       * @description When earning begins; if the gig is started later, the time of its start.
       */
      start_time?: string;
      /**
       * @description How long tips can be earned; a month is 30 days.
       * @enum {string}
       */
      duration?: '1day' | '3days' | '1week' | '2weeks' | '3months' | '6months';
      /**
       * @description The act that earns tips from the gig.
       * @enum {string}
       */
      gig_type?: 'mention' | 'like' | 'recast' | 'boost' | 'reply' | 'follow' | 'custom_bounty' | 'hold';
      /** @description The name of the gig on pages and in lists, 1 to 60 characters; URLs, domains, `@` and invisible characters are removed. */
      title?: string | null;
      /** @description The task, in words; the text of the gig type when absent. */
      how_to_earn?: string | null;
      /** @description Who earns: words for people, or rules by which the service itself watches and awards, as an object or its JSON text. Without it a gig that can be watched has the default rules; `{"rule":{"type":"manual"}}` has none. */
      earning_criteria?:
        | string
        | {
            [key: string]: unknown;
          }
        | null;
      /** @description The post that the gig is about, or for follow and mention gigs the profile; stored in its canonical form, without query and fragment. */
      url?: string | null;
      /**
       * @description The platform on which it is earned; Farcaster when absent.
       * @enum {string}
       */
      platform?: 'farcaster' | 'x' | 'twitter';
      /** @description The verifier of a custom bounty: a URL, or the name of a person. */
      verifier?: string | null;
      /** @description The wallet to which the unawarded funds of the gig return after its end, or all its money when it is cancelled. It can no longer be changed when the wallet of the gig holds something. A name such as `alice.eth` is resolved once, now, where names are on: the gig keeps the address. */
      refund_address?: string | null;
      /** @description For how many days after its end tips by request and decisions are taken; 14 by default for bounties and for gigs that are awarded by request, else 0. */
      award_days?: number | null;
      /**
       * @description How the gig starts: `on_request` by a request alone, the default; with `when_funded` the service also starts it automatically, when its wallet holds exactly what it needs. The service checks the wallet every minute, for 30 days after each change of the terms.
       * @enum {string}
       */
      start?: 'on_request' | 'when_funded';
      /** @description Whether its owners may also award tips, decide, change its terms and name other owners when they sign in to the pages of the service; false when absent. */
      owners_may_award?: boolean;
      /** @description The word that a mention gig without url watches: 2 to 32 letters or digits; `$` and the symbol of the token when absent. */
      keyword?: string | null;
    };
    /**
     * @description The account that becomes an owner.
     * @example {
     *       "platform": "x",
     *       "platform_user_id": "1234567890123456789",
     *       "username": "alice"
     *     }
     */
    AddOwnerRequest: {
      /**
       * @description The platform of the account; `x` and `twitter` mean the same.
       * @enum {string}
       */
      platform: 'farcaster' | 'x' | 'twitter';
      /** @description A Farcaster FID or an X user id; as a string if it has more than 15 digits. */
      platform_user_id: string | number;
      /** @description The handle, which is only a label. */
      username?: string | null;
    };
    /**
     * @description The tips to award.
     * @example {
     *       "tips": [
     *         {
     *           "platform": "farcaster",
     *           "platform_user_id": "8004",
     *           "username": "alice",
     *           "value": 12.5
     *         }
     *       ]
     *     }
     */
    AwardTipsRequest: {
      /** @description At most one per account. */
      tips: {
        /**
         * @description The platform of the account; `x` and `twitter` mean the same.
         * @enum {string}
         */
        platform: 'farcaster' | 'x' | 'twitter';
        /** @description A Farcaster FID or an X user id; as a string if it has more than 15 digits. */
        platform_user_id: string | number;
        /** @description The handle, which is only a label. */
        username?: string | null;
        /** @description In whole tokens; as a string for more digits than a JSON number holds. */
        value: number | string;
        /** @description The address of the account, if it is known. */
        user_address?: string | null;
      }[];
    };
    /** @description A tip of a gig, with its exact amount. */
    ListedTip: {
      /** @description The id of the tip. */
      id: number;
      /** @description By which the chain knows it, within its gig. */
      number: number;
      /**
       * @description `pending`: not paid yet; `void`: withdrawn by the operator.
       * @enum {string}
       */
      status: 'pending' | 'paid' | 'void';
      /**
       * @description The platform of the account.
       * @enum {string}
       */
      platform: 'farcaster' | 'x';
      /**
       * @description A Farcaster FID or an X user id.
       * @example 8004
       */
      platform_user_id: string;
      /** @description Its last known handle. */
      username: string | null;
      /**
       * @description Exact decimal text, in whole tokens.
       * @example 12.5
       */
      amount: string;
      /**
       * Format: date-time
       * @description When it was awarded.
       * @example 2026-11-21T09:30:00.000Z
       */
      awarded_at: string;
      /** @description Where it was paid to; null while it is not. */
      recipient: string | null;
      /** @description The transaction that paid it; null before that. */
      tx_hash: string | null;
      /**
       * Format: date-time
       * @description Null while it is not paid.
       * @example 2026-11-21T09:30:00.000Z
       */
      paid_at: string | null;
      /** @description Why the operator withdrew it; null otherwise. */
      void_reason: string | null;
    };
    /**
     * @description The decisions.
     * @example {
     *       "decisions": [
     *         {
     *           "id": 7,
     *           "award": "12.5"
     *         },
     *         {
     *           "id": 8,
     *           "refuse": "not the same design"
     *         }
     *       ]
     *     }
     */
    DecideSubmissionsRequest: {
      /** @description They apply in their order; either all are valid, or none applies. */
      decisions: {
        /** @description The id of the candidate. */
        id: number;
        /** @description The award, in whole tokens. */
        award?: number | string;
        /** @description Why it is refused; the account sees this reason. */
        refuse?: string;
        /** @description How many seconds pass before the verifier is asked again. */
        wait_seconds?: number;
      }[];
    };
    /**
     * @description A gig and an account.
     * @example {
     *       "gigId": 42,
     *       "platformUserId": "8004"
     *     }
     */
    CheckCompletedRequest: {
      /** @description The id of the gig. */
      gigId: number | string;
      /** @description The id of the account, or its handle. */
      platformUserId: string | number;
    };
    /**
     * @description A URL that takes events.
     * @example {
     *       "id": 3,
     *       "url": "https://shop.example/gigclaim",
     *       "types": [
     *         "tips.awarded"
     *       ],
     *       "all_clients": false,
     *       "state": "active",
     *       "paused_because": null,
     *       "paused_at": null,
     *       "from_seq": 812,
     *       "created_at": "2026-11-26T11:26:36.774Z"
     *     }
     */
    Webhook: {
      /** @description The id of the webhook. */
      id: number;
      /** @description Where events are sent. */
      url: string;
      /** @description The types that are sent; empty: all. */
      types: components['schemas']['EventType'][];
      /** @description Whether it takes the events of all clients. */
      all_clients: boolean;
      /**
       * @description Nothing is sent to a paused one.
       * @enum {string}
       */
      state: 'active' | 'paused';
      /**
       * @description `asked`: by request; `gone`: it answered 410; `silent`: it took nothing for 72 hours.
       * @enum {string|null}
       */
      paused_because: 'asked' | 'gone' | 'silent' | null;
      /**
       * Format: date-time
       * @description Null while it is active.
       * @example 2026-11-21T09:30:00.000Z
       */
      paused_at: string | null;
      /** @description It takes the events after this place. */
      from_seq: number;
      /**
       * Format: date-time
       * @description When it was created.
       * @example 2026-11-21T09:30:00.000Z
       */
      created_at: string;
    };
    /**
     * @description The type of the event.
     * @enum {string}
     */
    EventType:
      | 'gig.created'
      | 'gig.funded'
      | 'gig.started'
      | 'gig.stopped'
      | 'gig.ended'
      | 'gig.settled'
      | 'gig.cancelled'
      | 'gig.frozen'
      | 'gig.unfrozen'
      | 'tips.awarded'
      | 'tip.voided'
      | 'accounts.refused'
      | 'submissions.waiting'
      | 'claim.opened'
      | 'payment.confirmed'
      | 'payment.failed'
      | 'payment.taken_back';
    /**
     * @description The events to send, and their receiver.
     * @example {
     *       "url": "https://shop.example/gigclaim",
     *       "types": [
     *         "tips.awarded"
     *       ]
     *     }
     */
    CreateWebhookRequest: {
      /** @description https, at a public address. */
      url: string;
      /** @description The types that are sent; empty or absent: all. */
      types?: (
        | 'gig.created'
        | 'gig.funded'
        | 'gig.started'
        | 'gig.stopped'
        | 'gig.ended'
        | 'gig.settled'
        | 'gig.cancelled'
        | 'gig.frozen'
        | 'gig.unfrozen'
        | 'tips.awarded'
        | 'tip.voided'
        | 'accounts.refused'
        | 'submissions.waiting'
        | 'claim.opened'
        | 'payment.confirmed'
        | 'payment.failed'
        | 'payment.taken_back'
      )[];
      /** @description The events of all clients, for keys with the scope `operator`. */
      all_clients?: boolean;
    };
    /**
     * @description The fields to change.
     * @example {
     *       "paused": false
     *     }
     */
    ChangeWebhookRequest: {
      /** @description https, at a public address. */
      url?: string;
      /** @description The types that are sent; empty or absent: all. */
      types?: (
        | 'gig.created'
        | 'gig.funded'
        | 'gig.started'
        | 'gig.stopped'
        | 'gig.ended'
        | 'gig.settled'
        | 'gig.cancelled'
        | 'gig.frozen'
        | 'gig.unfrozen'
        | 'tips.awarded'
        | 'tip.voided'
        | 'accounts.refused'
        | 'submissions.waiting'
        | 'claim.opened'
        | 'payment.confirmed'
        | 'payment.failed'
        | 'payment.taken_back'
      )[];
      /** @description Whether nothing is sent. */
      paused?: boolean;
    };
    /**
     * @description Which events.
     * @example {
     *       "seq": 812
     *     }
     */
    ReplayRequest:
      | {
          seq: number;
        }
      | {
          gig_id: number;
        }
      | {
          /** Format: date-time */
          since: string;
          /** Format: date-time */
          until: string;
        };
    /** @description An event on its way to a webhook. */
    EventDelivery: {
      /** @description The id of the delivery. */
      id: string;
      /** @description The id of the event, which is its `webhook-id`. */
      event_id: string;
      type: components['schemas']['EventType'];
      /**
       * @description The place of the event among all; there are no gaps.
       * @example 812
       */
      seq: number;
      /** @description The gig that the event is about. */
      gig_id: number;
      /**
       * @description `queued` ones are tried until they are taken, `failed` ones were given up.
       * @enum {string}
       */
      state: 'queued' | 'delivered' | 'failed';
      /** @description How often it was tried. */
      tries: number;
      /** @description The status of the last answer; null without one. */
      status: number | null;
      /** @description Why the last try failed. */
      error: string | null;
      /** @description Whether it was asked for again. */
      replay: boolean;
      /**
       * Format: date-time
       * @description When it was queued.
       * @example 2026-11-21T09:30:00.000Z
       */
      queued_at: string;
      /**
       * Format: date-time
       * @description When it was taken or given up.
       * @example 2026-11-21T09:30:00.000Z
       */
      ended_at: string | null;
    };
    /**
     * @description A fact of the ledger.
     * @example {
     *       "id": "evt_5f0c2a8e9b7d4c61a3e8f0d2b4c69715",
     *       "type": "tips.awarded",
     *       "timestamp": "2026-11-26T11:26:36.774Z",
     *       "seq": 812,
     *       "data": {
     *         "gig_id": 5,
     *         "count": 2,
     *         "sum": "12.5",
     *         "first_tip_id": 41,
     *         "last_tip_id": 42
     *       }
     *     }
     */
    Event: {
      /** @description The same at every try, and in every copy of the ledger. */
      id: string;
      type: components['schemas']['EventType'];
      /**
       * Format: date-time
       * @description When it happened.
       * @example 2026-11-21T09:30:00.000Z
       */
      timestamp: string;
      /**
       * @description The place of the event among all; there are no gaps.
       * @example 812
       */
      seq: number;
      /** @description The facts of the type; amounts are exact decimal text in whole tokens. */
      data: {
        /** @description The gig that it is about. */
        gig_id: number;
        /** @description Of the gig, in events of the gig itself. */
        status?: string;
        /** @description Of the gig, in events of the gig itself. */
        title?: string | null;
        /**
         * @description Of a payment, a voided tip, or the funds that the wallet holds.
         * @example 12.5
         */
        amount?: string;
        /**
         * @description Of the tips of the batch.
         * @example 12.5
         */
        sum?: string;
        /** @description How many tips, refused accounts or submissions the event is about. */
        count?: number;
        /** @description The lowest id of the batch. */
        first_tip_id?: number | null;
        /** @description The highest id of the batch; ids between may be other gigs’. */
        last_tip_id?: number | null;
        /** @description The voided tip. */
        tip_id?: number;
        /** @description The accounts that were refused together. */
        refusals?: {
          /**
           * @description The account that is refused.
           * @example farcaster:1003
           */
          account: string;
          /**
           * @description Why it earns nothing.
           * @enum {string}
           */
          reason:
            | 'before_start'
            | 'after_end'
            | 'own_account'
            | 'blocked'
            | 'withdrawn'
            | 'account_gone'
            | 'score_unknown'
            | 'score_too_low'
            | 'too_young'
            | 'too_few_followers'
            | 'labelled_spam'
            | 'no_verified_address'
            | 'same_address'
            | 'text_too_short'
            | 'duplicate_text'
            | 'too_little_held'
            | 'reward_used_up'
            | 'share_too_small'
            | 'not_drawn'
            | 'verifier_refused'
            | 'not_decided';
        }[];
        /** @description The claim; null for a payment of no claim. */
        claim_id?: number | null;
        /**
         * @description The account that claims.
         * @example farcaster:1003
         */
        account?: string;
        /**
         * @description How the claim came.
         * @enum {string}
         */
        source?: 'mention' | 'url' | 'page' | 'snap';
        /** @description How many tips of the gig are claimed. */
        tips?: number;
        /** @description The payment. */
        payment_id?: number;
        /**
         * @description The purpose of the payment.
         * @enum {string}
         */
        kind?: 'payout' | 'fee' | 'mark' | 'refund' | 'return';
        /** @description The token of the payment. */
        token_address?: string;
        /** @description The address that is paid. */
        recipient?: string;
        /** @description The transaction of the payment. */
        tx_hash?: string | null;
        /** @description Why the payment failed, or was taken back. */
        reason?: string;
      } & {
        [key: string]: string | number | unknown[] | null;
      };
    };
    /** @description The process is up. */
    Health: {
      /**
       * @description Always the same.
       * @enum {string}
       */
      status: 'ok';
    };
    /** @description How the service and what it depends on stand. */
    Readiness: {
      /** @description Whether the store takes writes. */
      ready: boolean;
      /**
       * @description `degraded` while the store takes no writes or there are reasons; unaffected work goes on.
       * @enum {string}
       */
      status: 'ok' | 'degraded';
      /** @description The problems now, the first 100; alerts report the same. */
      reasons: components['schemas']['Reason'][];
      /** @description The database. */
      store: {
        /** @description Whether it takes writes. */
        writable: boolean;
        /**
         * @description The engine of the store; null while it takes no writes.
         * @enum {string|null}
         */
        engine: 'sqlite' | 'postgres' | null;
        /** @description How many instances serve it, this one included. */
        instances: number;
        /** @description By how many milliseconds the clock of this instance is ahead of the database’s; more than a second either way is not ready. */
        clock_ahead_ms: number;
        /** @description Servers that follow the database’s; null where it is a file. */
        standbys: {
          /** @description They have every commit. */
          synchronous: number;
          /** @description They may lack the newest commits. */
          asynchronous: number;
          /** @description The database’s user may not see which they are. */
          unknown: number;
        } | null;
        /** @description The connections of this instance to the database; none where it is a file. */
        connections: components['schemas']['Pool'][];
      };
      /** @description The enabled chains. */
      chains: components['schemas']['ChainStanding'][];
      /** @description The enabled networks. */
      platforms: components['schemas']['PlatformStanding'][];
      gigs: components['schemas']['GigStanding'];
      /** @description The wallet that pays for gas; null without a mnemonic */
      gas_tank: {
        /** @description Its address. */
        address: string;
        /** @description On each enabled chain. */
        balances: components['schemas']['GasBalance'][];
      } | null;
    };
    /** @description A problem that the operator must solve. */
    Reason: {
      /**
       * @description What is wrong.
       * @enum {string}
       */
      kind:
        | 'store_moved'
        | 'payments_stopped'
        | 'gas_tank_low'
        | 'gig_frozen'
        | 'step_held'
        | 'payments_late'
        | 'payments_blocked'
        | 'payments_screened'
        | 'platform_paused'
        | 'chain_unreachable'
        | 'endpoint_passed_over'
        | 'audit_failed'
        | 'earning_overdue'
        | 'refund_late'
        | 'refund_failed'
        | 'deposit_late'
        | 'disk_nearly_full'
        | 'clock_off'
        | 'webhook_paused';
      /** @description With what: the key of a chain, `gig 42`, a network, `database`, or `clock`. */
      subject: string;
      /** @description The same in words. */
      text: string;
      /** @description The remedy for the operator. */
      remedy: string;
    };
    /** @description Connections of this instance for one kind of work. */
    Pool: {
      /**
       * @description Their purpose.
       * @enum {string}
       */
      pool: 'transactions' | 'reads' | 'lookups';
      /** @description How many there may be. */
      limit: number;
      /** @description How many there are. */
      open: number;
      /** @description How many of these do nothing. */
      idle: number;
      /** @description How much work waits for one. */
      waiting: number;
    };
    /** @description How the endpoints of a chain stand. */
    ChainStanding: {
      /** @description The key of the chain. */
      chain: string;
      /** @description The chain id. */
      chain_id: number;
      /**
       * Format: date-time
       * @description When it last answered well; null before that.
       * @example 2026-11-21T09:30:00.000Z
       */
      last_success: string | null;
    };
    /** @description How a network stands. */
    PlatformStanding: {
      /**
       * @description The network; `twitter` is X.
       * @enum {string}
       */
      platform: 'farcaster' | 'twitter';
      /**
       * Format: date-time
       * @description When it last answered well; null before that.
       * @example 2026-11-21T09:30:00.000Z
       */
      last_success: string | null;
      /** @description Why nothing is sent to it now; null while it is used. */
      paused: {
        /** @description The answer of the network. */
        reason: string;
        /**
         * Format: date-time
         * @description When it is tried again.
         * @example 2026-11-21T09:30:00.000Z
         */
        until: string;
      } | null;
    };
    /** @description The gigs as a whole. */
    GigStanding: {
      /** @description How many pay nothing until they add up again; null when the store does not say */
      frozen: number | null;
      /** @description How many watched ones had nothing done for a day, though due; null when the store does not say */
      overdue: number | null;
    };
    /** @description Its balance on one chain. */
    GasBalance: {
      /** @description The key of the chain. */
      chain: string;
      /** @description Whole coins; null before the chain has answered */
      balance: string | null;
      /** @description Less than 100 transfers of a token cost now */
      low: boolean | null;
      /**
       * @deprecated
       * @description Always false: gig wallets need no top-ups.
       */
      top_ups_held: boolean;
    };
    /** @description The same as a JSON Web Key. */
    PublicKey: {
      /**
       * @description The type of the key.
       * @enum {string}
       */
      kty: 'OKP';
      /**
       * @description The curve.
       * @enum {string}
       */
      crv: 'Ed25519';
      /** @description The 32 bytes, base64url. */
      x: string;
    };
    /** @description The gig as it is then */
    StopGigResponse: {
      data: components['schemas']['Gig'];
    };
    /** @description The gig as it is then */
    SettleGigResponse: {
      data: components['schemas']['Gig'];
    };
    /** @description The gig as it is then */
    CancelGigResponse: {
      data: components['schemas']['Gig'];
    };
    /** @description The gig is paid for */
    CreatePaidGigResponse: {
      data: components['schemas']['PaidGig'];
    };
    /** @description The names */
    ListGigTypesResponse: {
      /** @description The items found. */
      data: ('mention' | 'like' | 'recast' | 'boost' | 'reply' | 'follow' | 'custom_bounty' | 'hold')[];
    };
    /** @description A page of gigs; `next_cursor` is null on the last one */
    ListGigsResponse: {
      /** @description The items found. */
      data: components['schemas']['Gig'][];
      /**
       * @description Leads to the next page as `cursor`; null on the last page.
       * @example null
       */
      next_cursor: string | null;
    };
    /** @description The gig */
    ShowGigResponse: {
      data: components['schemas']['Gig'];
    };
    /** @description The changed gig, and the funding that it needs */
    ChangeGigResponse: {
      data: components['schemas']['Gig'];
      funding: components['schemas']['GigCreated'];
    };
    /** @description The owners */
    ListGigOwnersResponse: {
      /** @description The items found. */
      data: components['schemas']['GigOwner'][];
    };
    /** @description The account owns the gig */
    AddGigOwnerResponse: {
      data: components['schemas']['GigOwner'];
    };
    /** @description A page of payments; `next_cursor` is null on the last one */
    ListGigPayoutsResponse: {
      /** @description The items found. */
      data: components['schemas']['GigPayout'][];
      /**
       * @description Leads to the next page as `cursor`; null on the last page.
       * @example null
       */
      next_cursor: string | null;
    };
    /** @description The accounts; `next_cursor` is null on the last page */
    FindEarningsResponse: {
      /** @description The items found. */
      data: components['schemas']['AccountEarning'][];
      /**
       * @description Leads to the next page as `cursor`; null on the last page.
       * @example null
       */
      next_cursor: string | null;
    };
    /** @description The draw */
    FindDrawResponse: {
      data: components['schemas']['Draw'];
    };
    /** @description The statement; `next_cursor` is null on the last page of accounts, and without a key */
    ReportGigResponse: {
      data: components['schemas']['GigReport'];
      /**
       * @description Leads to the next page as `cursor`; null on the last page.
       * @example null
       */
      next_cursor: string | null;
    };
    /** @description All tips are awarded */
    AwardTipsResponse: {
      /** @description The items found. */
      data: components['schemas']['Tip'][];
      /** @description The rest of the reward, in whole tokens. */
      remaining: string;
    };
    /** @description The tips; `next_cursor` is null on the last page */
    ListTipsResponse: {
      /** @description The items found. */
      data: components['schemas']['ListedTip'][];
      /**
       * @description Leads to the next page as `cursor`; null on the last page.
       * @example null
       */
      next_cursor: string | null;
    };
    /** @description All decisions apply */
    DecideSubmissionsResponse: {
      /** @description Candidates. */
      awarded: number;
      /** @description Candidates. */
      refused: number;
      /** @description Candidates. */
      waiting: number;
      /** @description The rest of the reward, in whole tokens. */
      remaining: string;
    };
    /** @description Whether the account has completed the gig */
    CheckCompletedResponse: {
      /**
       * @description Always true.
       * @enum {boolean}
       */
      success: true;
      /** @description Whether it has. */
      isCompleted: boolean;
    };
    /** @description The webhook is active */
    CreateWebhookResponse: {
      data: components['schemas']['Webhook'];
    };
    /** @description By their ids */
    ListWebhooksResponse: {
      /** @description All webhooks. */
      data: components['schemas']['Webhook'][];
    };
    /** @description The webhook */
    ShowWebhookResponse: {
      data: components['schemas']['Webhook'];
    };
    /** @description The webhook as it is then */
    ChangeWebhookResponse: {
      data: components['schemas']['Webhook'];
    };
    /** @description The secret */
    ShowWebhookSecretResponse: {
      /** @description The secret. */
      data: {
        /**
         * @description As Standard Webhooks writes it.
         * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD
         */
        secret: string;
      };
    };
    /** @description The new secret */
    RotateWebhookSecretResponse: {
      /** @description The secret. */
      data: {
        /**
         * @description As Standard Webhooks writes it.
         * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD
         */
        secret: string;
      };
    };
    /** @description Its answer */
    TestWebhookResponse: {
      /** @description The answer. */
      data: {
        /** @description The status of the answer; null without one. */
        status: number | null;
        /** @description Why there was no answer. */
        error?: string;
      };
    };
    /** @description They are queued */
    ReplayEventsResponse: {
      /** @description The deliveries. */
      data: {
        /** @description How many. */
        count: number;
      };
    };
    /** @description The deliveries; `next_cursor` is null on the last page */
    ListDeliveriesResponse: {
      /** @description A page of deliveries. */
      data: components['schemas']['EventDelivery'][];
      /** @description The `cursor` of the next page. */
      next_cursor: string | null;
    };
    /** @description The events, and where to go on */
    ListEventsResponse: {
      /** @description Events in their order. */
      data: components['schemas']['Event'][];
      /**
       * @description The `after` of the next request.
       * @example 812-5f0c2a8e
       */
      next_after: string;
    };
    /** @description The key */
    WellKnownResponse: {
      /** @description Null when no verifier is asked. */
      verifier: {
        /** @description `whpk_` and base64 of the 32 bytes of the Ed25519 key. */
        public_key: string;
        jwk: components['schemas']['PublicKey'];
      } | null;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  findClaimable: {
    parameters: {
      query: {
        /** @description Comma-separated, in any mix: Farcaster FIDs (digits) and X usernames. A leading @ makes any item a username. At most 100. */
        identifiers: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The claimable tokens */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "name": {
           *           "token": {
           *             "id": 1,
           *             "created_at": "2026-11-21T09:30:00.000Z",
           *             "address": "0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed",
           *             "chain_id": 8453,
           *             "decimals": 18,
           *             "image_url": "text",
           *             "name": "Degen",
           *             "symbol": "DEGEN",
           *             "is_native": true,
           *             "coingecko_id": "text"
           *           },
           *           "totalValue": 1,
           *           "tips": [
           *             {
           *               "id": 1,
           *               "created_at": "2026-11-21T09:30:00.000Z",
           *               "token_id": 1,
           *               "value": 12.5,
           *               "tx_hash": "text",
           *               "platform_user_id": "8004",
           *               "username": "text",
           *               "user_address": "text",
           *               "claimed_at": "2026-11-21T09:30:00.000Z",
           *               "status": "pending",
           *               "gig_id": 1,
           *               "platform": "farcaster",
           *               "claim_nonce": "text",
           *               "claim_started_at": "2026-11-21T09:30:00.000Z",
           *               "lock_timeout": "2026-11-21T09:30:00.000Z"
           *             }
           *           ],
           *           "gigCount": 1
           *         }
           *       },
           *       "summary": {
           *         "total_tokens": 1,
           *         "total_gigs": 1
           *       }
           *     }
           */
          'application/json': components['schemas']['Claimable'];
        };
      };
    };
  };
  claimRewards: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ClaimRequest'];
      };
    };
    responses: {
      /** @description The state of the claim */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "transactions": {
           *         "successful": [
           *           {
           *             "token_address": "text",
           *             "token_symbol": "DEGEN",
           *             "amount": "12.5",
           *             "chain_name": "Base",
           *             "tx_hash": "text",
           *             "status": "success"
           *           }
           *         ],
           *         "failed": [
           *           {
           *             "token_address": "text",
           *             "token_symbol": "DEGEN",
           *             "amount": "12.5",
           *             "chain_name": "Base",
           *             "status": "failed",
           *             "reason": "text"
           *           }
           *         ],
           *         "pending": [
           *           {
           *             "token_address": "text",
           *             "token_symbol": "DEGEN",
           *             "amount": "12.5",
           *             "chain_name": "Base",
           *             "tx_hash": "text",
           *             "status": "pending",
           *             "reason": "until the operator refills the gas tank; nothing is lost"
           *           }
           *         ]
           *       },
           *       "summary": {
           *         "total_transactions": 1,
           *         "failed_count": 1,
           *         "success_count": 1,
           *         "pending_count": 1,
           *         "recipient": "text"
           *       }
           *     }
           */
          'application/json': components['schemas']['Claimed'];
        };
      };
    };
  };
  findAccount: {
    parameters: {
      query: {
        /** @description One of farcaster, x. */
        platform: string;
        /** @description The handle, with or without an `@`. */
        username: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "platform": "farcaster",
           *         "platform_user_id": "8004",
           *         "username": "alice"
           *       }
           *     }
           */
          'application/json': components['schemas']['FoundAccount'];
        };
      };
    };
  };
  startGig: {
    parameters: {
      query?: never;
      header?: {
        /** @description At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; the same key with another body is refused with 409. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['StartGigRequest'];
      };
    };
    responses: {
      /** @description The gig is live */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "message": "Gig started successfully",
           *         "gig_id": 123
           *       }
           *     }
           */
          'application/json': components['schemas']['GigStarted'];
        };
      };
    };
  };
  stopGig: {
    parameters: {
      query?: never;
      header?: {
        /** @description At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; the same key with another body is refused with 409. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The gig as it is then */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "id": 1,
           *         "created_at": "2026-11-21T09:30:00.000Z",
           *         "start_time_ms": 1,
           *         "end_time_ms": 1,
           *         "duration_ms": 1,
           *         "amount": "100",
           *         "payout_interval_ms": 1,
           *         "title": null,
           *         "name": "text",
           *         "how_to_earn": "text",
           *         "earning_criteria": "text",
           *         "earning_rules": {
           *           "rule": {
           *             "type": "manual"
           *           },
           *           "gates": {
           *             "min_score": 1,
           *             "min_account_age_days": 1,
           *             "min_followers": 1,
           *             "verified_address": true,
           *             "spam_label": "not_spam",
           *             "min_letters": 1,
           *             "min_holding": {
           *               "token": "text",
           *               "amount": "2"
           *             }
           *           },
           *           "hold_hours": 1,
           *           "tips_by_request": true
           *         },
           *         "earning": {
           *           "settles_at": "2026-11-21T09:30:00.000Z",
           *           "next_division_at": "2026-11-21T09:30:00.000Z",
           *           "decided_by": "https://verifier.example",
           *           "decided_by_hint": null,
           *           "counts": {
           *             "held": 1,
           *             "eligible": 1,
           *             "awarded": 1,
           *             "refused": 1
           *           },
           *           "sums": {
           *             "held": "2",
           *             "eligible": "2",
           *             "awarded": "2",
           *             "refused": "2"
           *           }
           *         },
           *         "ticker": "text",
           *         "gigbot_transactions_id": 1,
           *         "platform": "farcaster",
           *         "external_url": "https://x.com/alice/status/1541815603606036480",
           *         "keyword": "$usdc",
           *         "gig_address": "text",
           *         "total_balance": "100",
           *         "status": "created",
           *         "start": "on_request",
           *         "start_until": "2026-11-21T09:30:00.000Z",
           *         "start_refusal": null,
           *         "refund_address": "text",
           *         "refund_name": "alice.eth",
           *         "award_days": 1,
           *         "awards_until": "2026-11-21T09:30:00.000Z",
           *         "owners_may_award": true,
           *         "stopped_at": "2026-11-21T09:30:00.000Z",
           *         "settled_at": "2026-11-21T09:30:00.000Z",
           *         "cancelled_at": "2026-11-21T09:30:00.000Z",
           *         "token": {
           *           "id": 1,
           *           "image_url": "text",
           *           "symbol": "text",
           *           "coingecko_id": "text",
           *           "address": "text",
           *           "decimals": 1
           *         },
           *         "chain": {
           *           "id": 1,
           *           "name": "base",
           *           "image_url": "text",
           *           "chain_id": 1
           *         },
           *         "gig_type": {
           *           "id": "mention",
           *           "display": {
           *             "farcaster": {
           *               "icon": "text",
           *               "label": "text",
           *               "filter_id": "text",
           *               "with_input": true,
           *               "how_to_earn": "text",
           *               "earning_criteria": "text",
           *               "input_placeholder": "text"
           *             },
           *             "x": {
           *               "icon": "text",
           *               "label": "text",
           *               "filter_id": "text",
           *               "with_input": true,
           *               "how_to_earn": "text",
           *               "earning_criteria": "text",
           *               "input_placeholder": "text"
           *             }
           *           }
           *         },
           *         "action_params": {
           *           "name": "text"
           *         }
           *       }
           *     }
           */
          'application/json': components['schemas']['StopGigResponse'];
        };
      };
    };
  };
  settleGig: {
    parameters: {
      query?: never;
      header?: {
        /** @description At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; the same key with another body is refused with 409. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The gig as it is then */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "id": 1,
           *         "created_at": "2026-11-21T09:30:00.000Z",
           *         "start_time_ms": 1,
           *         "end_time_ms": 1,
           *         "duration_ms": 1,
           *         "amount": "100",
           *         "payout_interval_ms": 1,
           *         "title": null,
           *         "name": "text",
           *         "how_to_earn": "text",
           *         "earning_criteria": "text",
           *         "earning_rules": {
           *           "rule": {
           *             "type": "manual"
           *           },
           *           "gates": {
           *             "min_score": 1,
           *             "min_account_age_days": 1,
           *             "min_followers": 1,
           *             "verified_address": true,
           *             "spam_label": "not_spam",
           *             "min_letters": 1,
           *             "min_holding": {
           *               "token": "text",
           *               "amount": "2"
           *             }
           *           },
           *           "hold_hours": 1,
           *           "tips_by_request": true
           *         },
           *         "earning": {
           *           "settles_at": "2026-11-21T09:30:00.000Z",
           *           "next_division_at": "2026-11-21T09:30:00.000Z",
           *           "decided_by": "https://verifier.example",
           *           "decided_by_hint": null,
           *           "counts": {
           *             "held": 1,
           *             "eligible": 1,
           *             "awarded": 1,
           *             "refused": 1
           *           },
           *           "sums": {
           *             "held": "2",
           *             "eligible": "2",
           *             "awarded": "2",
           *             "refused": "2"
           *           }
           *         },
           *         "ticker": "text",
           *         "gigbot_transactions_id": 1,
           *         "platform": "farcaster",
           *         "external_url": "https://x.com/alice/status/1541815603606036480",
           *         "keyword": "$usdc",
           *         "gig_address": "text",
           *         "total_balance": "100",
           *         "status": "created",
           *         "start": "on_request",
           *         "start_until": "2026-11-21T09:30:00.000Z",
           *         "start_refusal": null,
           *         "refund_address": "text",
           *         "refund_name": "alice.eth",
           *         "award_days": 1,
           *         "awards_until": "2026-11-21T09:30:00.000Z",
           *         "owners_may_award": true,
           *         "stopped_at": "2026-11-21T09:30:00.000Z",
           *         "settled_at": "2026-11-21T09:30:00.000Z",
           *         "cancelled_at": "2026-11-21T09:30:00.000Z",
           *         "token": {
           *           "id": 1,
           *           "image_url": "text",
           *           "symbol": "text",
           *           "coingecko_id": "text",
           *           "address": "text",
           *           "decimals": 1
           *         },
           *         "chain": {
           *           "id": 1,
           *           "name": "base",
           *           "image_url": "text",
           *           "chain_id": 1
           *         },
           *         "gig_type": {
           *           "id": "mention",
           *           "display": {
           *             "farcaster": {
           *               "icon": "text",
           *               "label": "text",
           *               "filter_id": "text",
           *               "with_input": true,
           *               "how_to_earn": "text",
           *               "earning_criteria": "text",
           *               "input_placeholder": "text"
           *             },
           *             "x": {
           *               "icon": "text",
           *               "label": "text",
           *               "filter_id": "text",
           *               "with_input": true,
           *               "how_to_earn": "text",
           *               "earning_criteria": "text",
           *               "input_placeholder": "text"
           *             }
           *           }
           *         },
           *         "action_params": {
           *           "name": "text"
           *         }
           *       }
           *     }
           */
          'application/json': components['schemas']['SettleGigResponse'];
        };
      };
    };
  };
  cancelGig: {
    parameters: {
      query?: never;
      header?: {
        /** @description At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; the same key with another body is refused with 409. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The gig as it is then */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "id": 1,
           *         "created_at": "2026-11-21T09:30:00.000Z",
           *         "start_time_ms": 1,
           *         "end_time_ms": 1,
           *         "duration_ms": 1,
           *         "amount": "100",
           *         "payout_interval_ms": 1,
           *         "title": null,
           *         "name": "text",
           *         "how_to_earn": "text",
           *         "earning_criteria": "text",
           *         "earning_rules": {
           *           "rule": {
           *             "type": "manual"
           *           },
           *           "gates": {
           *             "min_score": 1,
           *             "min_account_age_days": 1,
           *             "min_followers": 1,
           *             "verified_address": true,
           *             "spam_label": "not_spam",
           *             "min_letters": 1,
           *             "min_holding": {
           *               "token": "text",
           *               "amount": "2"
           *             }
           *           },
           *           "hold_hours": 1,
           *           "tips_by_request": true
           *         },
           *         "earning": {
           *           "settles_at": "2026-11-21T09:30:00.000Z",
           *           "next_division_at": "2026-11-21T09:30:00.000Z",
           *           "decided_by": "https://verifier.example",
           *           "decided_by_hint": null,
           *           "counts": {
           *             "held": 1,
           *             "eligible": 1,
           *             "awarded": 1,
           *             "refused": 1
           *           },
           *           "sums": {
           *             "held": "2",
           *             "eligible": "2",
           *             "awarded": "2",
           *             "refused": "2"
           *           }
           *         },
           *         "ticker": "text",
           *         "gigbot_transactions_id": 1,
           *         "platform": "farcaster",
           *         "external_url": "https://x.com/alice/status/1541815603606036480",
           *         "keyword": "$usdc",
           *         "gig_address": "text",
           *         "total_balance": "100",
           *         "status": "created",
           *         "start": "on_request",
           *         "start_until": "2026-11-21T09:30:00.000Z",
           *         "start_refusal": null,
           *         "refund_address": "text",
           *         "refund_name": "alice.eth",
           *         "award_days": 1,
           *         "awards_until": "2026-11-21T09:30:00.000Z",
           *         "owners_may_award": true,
           *         "stopped_at": "2026-11-21T09:30:00.000Z",
           *         "settled_at": "2026-11-21T09:30:00.000Z",
           *         "cancelled_at": "2026-11-21T09:30:00.000Z",
           *         "token": {
           *           "id": 1,
           *           "image_url": "text",
           *           "symbol": "text",
           *           "coingecko_id": "text",
           *           "address": "text",
           *           "decimals": 1
           *         },
           *         "chain": {
           *           "id": 1,
           *           "name": "base",
           *           "image_url": "text",
           *           "chain_id": 1
           *         },
           *         "gig_type": {
           *           "id": "mention",
           *           "display": {
           *             "farcaster": {
           *               "icon": "text",
           *               "label": "text",
           *               "filter_id": "text",
           *               "with_input": true,
           *               "how_to_earn": "text",
           *               "earning_criteria": "text",
           *               "input_placeholder": "text"
           *             },
           *             "x": {
           *               "icon": "text",
           *               "label": "text",
           *               "filter_id": "text",
           *               "with_input": true,
           *               "how_to_earn": "text",
           *               "earning_criteria": "text",
           *               "input_placeholder": "text"
           *             }
           *           }
           *         },
           *         "action_params": {
           *           "name": "text"
           *         }
           *       }
           *     }
           */
          'application/json': components['schemas']['CancelGigResponse'];
        };
      };
    };
  };
  createGig: {
    parameters: {
      query?: never;
      header?: {
        /** @description At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; the same key with another body is refused with 409. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateGigRequest'];
      };
    };
    responses: {
      /** @description The gig is created */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "gig_id": 1,
           *       "gig_wallet_address": "text",
           *       "gig_token_address": "text",
           *       "gig_chain_id": 1,
           *       "gig_balance": "10.0",
           *       "platform_fee": "10.0",
           *       "total_amount": "10.0",
           *       "tx_data": "text",
           *       "refund_address": "0x976EA74026E726554dB657fA54763abd0C3a0aa9",
           *       "refund_name": "alice.eth"
           *     }
           */
          'application/json': components['schemas']['GigCreated'];
        };
      };
    };
  };
  createPaidGig: {
    parameters: {
      query?: never;
      header?: {
        /** @description At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; the same key with another body is refused with 409. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateGigRequest'];
      };
    };
    responses: {
      /** @description The gig is paid for */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "gig_id": 1,
           *         "gig_wallet_address": "text",
           *         "gig_token_address": "text",
           *         "gig_chain_id": 1,
           *         "gig_balance": "10.0",
           *         "platform_fee": "10.0",
           *         "total_amount": "10.0",
           *         "tx_data": "text",
           *         "refund_address": "0x976EA74026E726554dB657fA54763abd0C3a0aa9",
           *         "refund_name": "alice.eth",
           *         "status": "created",
           *         "payer": "text",
           *         "transaction": "text"
           *       }
           *     }
           */
          'application/json': components['schemas']['CreatePaidGigResponse'];
        };
      };
    };
  };
  listGigTypes: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The names */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": [
           *         "mention"
           *       ]
           *     }
           */
          'application/json': components['schemas']['ListGigTypesResponse'];
        };
      };
    };
  };
  listGigs: {
    parameters: {
      query?: {
        /** @description `active` (the default) is live and inside its window; `live` is started and not ended; `cancelled` never started, and `created` can still be. */
        status?: 'active' | 'created' | 'live' | 'ended' | 'cancelled' | 'all';
        /** @description Comma-separated: farcaster, x. All when absent. */
        platforms?: string;
        /** @description 100 when absent. */
        limit?: number;
        /** @description The next_cursor of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of gigs; `next_cursor` is null on the last one */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": [
           *         {
           *           "id": 1,
           *           "created_at": "2026-11-21T09:30:00.000Z",
           *           "start_time_ms": 1,
           *           "end_time_ms": 1,
           *           "duration_ms": 1,
           *           "amount": "100",
           *           "payout_interval_ms": 1,
           *           "title": null,
           *           "name": "text",
           *           "how_to_earn": "text",
           *           "earning_criteria": "text",
           *           "earning_rules": {
           *             "rule": {
           *               "type": "manual"
           *             },
           *             "gates": {
           *               "min_score": 1,
           *               "min_account_age_days": 1,
           *               "min_followers": 1,
           *               "verified_address": true,
           *               "spam_label": "not_spam",
           *               "min_letters": 1,
           *               "min_holding": {
           *                 "token": "text",
           *                 "amount": "2"
           *               }
           *             },
           *             "hold_hours": 1,
           *             "tips_by_request": true
           *           },
           *           "earning": {
           *             "settles_at": "2026-11-21T09:30:00.000Z",
           *             "next_division_at": "2026-11-21T09:30:00.000Z",
           *             "decided_by": "https://verifier.example",
           *             "decided_by_hint": null,
           *             "counts": {
           *               "held": 1,
           *               "eligible": 1,
           *               "awarded": 1,
           *               "refused": 1
           *             },
           *             "sums": {
           *               "held": "2",
           *               "eligible": "2",
           *               "awarded": "2",
           *               "refused": "2"
           *             }
           *           },
           *           "ticker": "text",
           *           "gigbot_transactions_id": 1,
           *           "platform": "farcaster",
           *           "external_url": "https://x.com/alice/status/1541815603606036480",
           *           "keyword": "$usdc",
           *           "gig_address": "text",
           *           "total_balance": "100",
           *           "status": "created",
           *           "start": "on_request",
           *           "start_until": "2026-11-21T09:30:00.000Z",
           *           "start_refusal": null,
           *           "refund_address": "text",
           *           "refund_name": "alice.eth",
           *           "award_days": 1,
           *           "awards_until": "2026-11-21T09:30:00.000Z",
           *           "owners_may_award": true,
           *           "stopped_at": "2026-11-21T09:30:00.000Z",
           *           "settled_at": "2026-11-21T09:30:00.000Z",
           *           "cancelled_at": "2026-11-21T09:30:00.000Z",
           *           "token": {
           *             "id": 1,
           *             "image_url": "text",
           *             "symbol": "text",
           *             "coingecko_id": "text",
           *             "address": "text",
           *             "decimals": 1
           *           },
           *           "chain": {
           *             "id": 1,
           *             "name": "base",
           *             "image_url": "text",
           *             "chain_id": 1
           *           },
           *           "gig_type": {
           *             "id": "mention",
           *             "display": {
           *               "farcaster": {
           *                 "icon": "text",
           *                 "label": "text",
           *                 "filter_id": "text",
           *                 "with_input": true,
           *                 "how_to_earn": "text",
           *                 "earning_criteria": "text",
           *                 "input_placeholder": "text"
           *               },
           *               "x": {
           *                 "icon": "text",
           *                 "label": "text",
           *                 "filter_id": "text",
           *                 "with_input": true,
           *                 "how_to_earn": "text",
           *                 "earning_criteria": "text",
           *                 "input_placeholder": "text"
           *               }
           *             }
           *           },
           *           "action_params": {
           *             "name": "text"
           *           }
           *         }
           *       ],
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['ListGigsResponse'];
        };
      };
    };
  };
  showGig: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The gig */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "id": 1,
           *         "created_at": "2026-11-21T09:30:00.000Z",
           *         "start_time_ms": 1,
           *         "end_time_ms": 1,
           *         "duration_ms": 1,
           *         "amount": "100",
           *         "payout_interval_ms": 1,
           *         "title": null,
           *         "name": "text",
           *         "how_to_earn": "text",
           *         "earning_criteria": "text",
           *         "earning_rules": {
           *           "rule": {
           *             "type": "manual"
           *           },
           *           "gates": {
           *             "min_score": 1,
           *             "min_account_age_days": 1,
           *             "min_followers": 1,
           *             "verified_address": true,
           *             "spam_label": "not_spam",
           *             "min_letters": 1,
           *             "min_holding": {
           *               "token": "text",
           *               "amount": "2"
           *             }
           *           },
           *           "hold_hours": 1,
           *           "tips_by_request": true
           *         },
           *         "earning": {
           *           "settles_at": "2026-11-21T09:30:00.000Z",
           *           "next_division_at": "2026-11-21T09:30:00.000Z",
           *           "decided_by": "https://verifier.example",
           *           "decided_by_hint": null,
           *           "counts": {
           *             "held": 1,
           *             "eligible": 1,
           *             "awarded": 1,
           *             "refused": 1
           *           },
           *           "sums": {
           *             "held": "2",
           *             "eligible": "2",
           *             "awarded": "2",
           *             "refused": "2"
           *           }
           *         },
           *         "ticker": "text",
           *         "gigbot_transactions_id": 1,
           *         "platform": "farcaster",
           *         "external_url": "https://x.com/alice/status/1541815603606036480",
           *         "keyword": "$usdc",
           *         "gig_address": "text",
           *         "total_balance": "100",
           *         "status": "created",
           *         "start": "on_request",
           *         "start_until": "2026-11-21T09:30:00.000Z",
           *         "start_refusal": null,
           *         "refund_address": "text",
           *         "refund_name": "alice.eth",
           *         "award_days": 1,
           *         "awards_until": "2026-11-21T09:30:00.000Z",
           *         "owners_may_award": true,
           *         "stopped_at": "2026-11-21T09:30:00.000Z",
           *         "settled_at": "2026-11-21T09:30:00.000Z",
           *         "cancelled_at": "2026-11-21T09:30:00.000Z",
           *         "token": {
           *           "id": 1,
           *           "image_url": "text",
           *           "symbol": "text",
           *           "coingecko_id": "text",
           *           "address": "text",
           *           "decimals": 1
           *         },
           *         "chain": {
           *           "id": 1,
           *           "name": "base",
           *           "image_url": "text",
           *           "chain_id": 1
           *         },
           *         "gig_type": {
           *           "id": "mention",
           *           "display": {
           *             "farcaster": {
           *               "icon": "text",
           *               "label": "text",
           *               "filter_id": "text",
           *               "with_input": true,
           *               "how_to_earn": "text",
           *               "earning_criteria": "text",
           *               "input_placeholder": "text"
           *             },
           *             "x": {
           *               "icon": "text",
           *               "label": "text",
           *               "filter_id": "text",
           *               "with_input": true,
           *               "how_to_earn": "text",
           *               "earning_criteria": "text",
           *               "input_placeholder": "text"
           *             }
           *           }
           *         },
           *         "action_params": {
           *           "name": "text"
           *         }
           *       }
           *     }
           */
          'application/json': components['schemas']['ShowGigResponse'];
        };
      };
    };
  };
  changeGig: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ChangeGigRequest'];
      };
    };
    responses: {
      /** @description The changed gig, and the funding that it needs */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "id": 1,
           *         "created_at": "2026-11-21T09:30:00.000Z",
           *         "start_time_ms": 1,
           *         "end_time_ms": 1,
           *         "duration_ms": 1,
           *         "amount": "100",
           *         "payout_interval_ms": 1,
           *         "title": null,
           *         "name": "text",
           *         "how_to_earn": "text",
           *         "earning_criteria": "text",
           *         "earning_rules": {
           *           "rule": {
           *             "type": "manual"
           *           },
           *           "gates": {
           *             "min_score": 1,
           *             "min_account_age_days": 1,
           *             "min_followers": 1,
           *             "verified_address": true,
           *             "spam_label": "not_spam",
           *             "min_letters": 1,
           *             "min_holding": {
           *               "token": "text",
           *               "amount": "2"
           *             }
           *           },
           *           "hold_hours": 1,
           *           "tips_by_request": true
           *         },
           *         "earning": {
           *           "settles_at": "2026-11-21T09:30:00.000Z",
           *           "next_division_at": "2026-11-21T09:30:00.000Z",
           *           "decided_by": "https://verifier.example",
           *           "decided_by_hint": null,
           *           "counts": {
           *             "held": 1,
           *             "eligible": 1,
           *             "awarded": 1,
           *             "refused": 1
           *           },
           *           "sums": {
           *             "held": "2",
           *             "eligible": "2",
           *             "awarded": "2",
           *             "refused": "2"
           *           }
           *         },
           *         "ticker": "text",
           *         "gigbot_transactions_id": 1,
           *         "platform": "farcaster",
           *         "external_url": "https://x.com/alice/status/1541815603606036480",
           *         "keyword": "$usdc",
           *         "gig_address": "text",
           *         "total_balance": "100",
           *         "status": "created",
           *         "start": "on_request",
           *         "start_until": "2026-11-21T09:30:00.000Z",
           *         "start_refusal": null,
           *         "refund_address": "text",
           *         "refund_name": "alice.eth",
           *         "award_days": 1,
           *         "awards_until": "2026-11-21T09:30:00.000Z",
           *         "owners_may_award": true,
           *         "stopped_at": "2026-11-21T09:30:00.000Z",
           *         "settled_at": "2026-11-21T09:30:00.000Z",
           *         "cancelled_at": "2026-11-21T09:30:00.000Z",
           *         "token": {
           *           "id": 1,
           *           "image_url": "text",
           *           "symbol": "text",
           *           "coingecko_id": "text",
           *           "address": "text",
           *           "decimals": 1
           *         },
           *         "chain": {
           *           "id": 1,
           *           "name": "base",
           *           "image_url": "text",
           *           "chain_id": 1
           *         },
           *         "gig_type": {
           *           "id": "mention",
           *           "display": {
           *             "farcaster": {
           *               "icon": "text",
           *               "label": "text",
           *               "filter_id": "text",
           *               "with_input": true,
           *               "how_to_earn": "text",
           *               "earning_criteria": "text",
           *               "input_placeholder": "text"
           *             },
           *             "x": {
           *               "icon": "text",
           *               "label": "text",
           *               "filter_id": "text",
           *               "with_input": true,
           *               "how_to_earn": "text",
           *               "earning_criteria": "text",
           *               "input_placeholder": "text"
           *             }
           *           }
           *         },
           *         "action_params": {
           *           "name": "text"
           *         }
           *       },
           *       "funding": {
           *         "gig_id": 1,
           *         "gig_wallet_address": "text",
           *         "gig_token_address": "text",
           *         "gig_chain_id": 1,
           *         "gig_balance": "10.0",
           *         "platform_fee": "10.0",
           *         "total_amount": "10.0",
           *         "tx_data": "text",
           *         "refund_address": "0x976EA74026E726554dB657fA54763abd0C3a0aa9",
           *         "refund_name": "alice.eth"
           *       }
           *     }
           */
          'application/json': components['schemas']['ChangeGigResponse'];
        };
      };
    };
  };
  listGigOwners: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The owners */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": [
           *         {
           *           "gig_id": 1,
           *           "platform": "farcaster",
           *           "platform_user_id": "text",
           *           "username": "text"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['ListGigOwnersResponse'];
        };
      };
    };
  };
  addGigOwner: {
    parameters: {
      query?: never;
      header?: {
        /** @description At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; the same key with another body is refused with 409. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AddOwnerRequest'];
      };
    };
    responses: {
      /** @description The account owns the gig */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "gig_id": 1,
           *         "platform": "farcaster",
           *         "platform_user_id": "text",
           *         "username": "text"
           *       }
           *     }
           */
          'application/json': components['schemas']['AddGigOwnerResponse'];
        };
      };
    };
  };
  listGigPayouts: {
    parameters: {
      query?: {
        /** @description 100 when absent. */
        limit?: number;
        /** @description The next_cursor of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of payments; `next_cursor` is null on the last one */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": [
           *         {
           *           "claim_nonce": "text",
           *           "source": "mention",
           *           "platform": "farcaster",
           *           "platform_user_id": "8004",
           *           "recipient": "text",
           *           "amount": "12.5",
           *           "status": "pending",
           *           "reason": "text",
           *           "tx_hash": "text",
           *           "created_at": "2026-11-21T09:30:00.000Z"
           *         }
           *       ],
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['ListGigPayoutsResponse'];
        };
      };
    };
  };
  findEarnings: {
    parameters: {
      query?: {
        /** @description Comma-separated ids and handles of accounts on the platform of the gig; a leading @ makes any item a handle. At most 100. Without it a key is needed, which lists all accounts. */
        identifiers?: string;
        /** @description 100 when absent. */
        limit?: number;
        /** @description The next_cursor of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The accounts; `next_cursor` is null on the last page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": [
           *         {
           *           "platform": "farcaster",
           *           "platform_user_id": "text",
           *           "username": "text",
           *           "state": "held",
           *           "reason": "before_start",
           *           "sentence": "text",
           *           "settles_at": "2026-11-21T09:30:00.000Z",
           *           "amount": "2",
           *           "facts": {
           *             "score": 1,
           *             "followers": 1,
           *             "registered_at": "2026-11-21T09:30:00.000Z",
           *             "spam_label": "spam",
           *             "verified_addresses": 1,
           *             "letters": 1,
           *             "holding": {
           *               "token": "text",
           *               "needed": "2",
           *               "entry": {
           *                 "amount": "2",
           *                 "block": "text",
           *                 "block_hash": "text"
           *               },
           *               "last": {
           *                 "amount": "2",
           *                 "block": "text",
           *                 "block_hash": "text"
           *               },
           *               "counted": 1,
           *               "is_unknown": true
           *             }
           *           },
           *           "candidate": {
           *             "id": 1,
           *             "post_id": "text",
           *             "posted_at": "2026-11-21T09:30:00.000Z"
           *           }
           *         }
           *       ],
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['FindEarningsResponse'];
        };
      };
    };
  };
  findDraw: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The draw */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "gig_id": 1,
           *         "state": "open",
           *         "draws_at": "2026-11-21T09:30:00.000Z",
           *         "places": 1,
           *         "commitment": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
           *         "entrants": 1,
           *         "root": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
           *         "root_version": 2,
           *         "fixed_at": "2026-11-21T09:30:00.000Z",
           *         "not_before": "2026-11-21T09:30:00.000Z",
           *         "chain_id": 8453,
           *         "chain": "base",
           *         "block": {
           *           "number": "36421337",
           *           "hash": "text",
           *           "time": "2026-11-21T09:30:00.000Z"
           *         },
           *         "secret": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
           *         "seed": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
           *         "drawn_at": "2026-11-21T09:30:00.000Z",
           *         "prize": "text",
           *         "winners": [
           *           {
           *             "place": 1,
           *             "platform": "farcaster",
           *             "platform_user_id": "text",
           *             "line": "farcaster:1001",
           *             "ticket": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
           *           }
           *         ]
           *       }
           *     }
           */
          'application/json': components['schemas']['FindDrawResponse'];
        };
      };
    };
  };
  listEntrants: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The lines */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
    };
  };
  reportGig: {
    parameters: {
      query?: {
        /** @description 100 when absent. */
        limit?: number;
        /** @description The next_cursor of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The statement; `next_cursor` is null on the last page of accounts, and without a key */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "gig_id": 1,
           *         "status": "created",
           *         "settled_at": "2026-11-21T09:30:00.000Z",
           *         "chain": "base",
           *         "token": "text",
           *         "token_symbol": "USDC",
           *         "wallet_address": "text",
           *         "sums": {
           *           "reward": "12.5",
           *           "fee": "12.5",
           *           "awarded": "12.5",
           *           "paid": "12.5",
           *           "pending": "12.5",
           *           "void": "12.5",
           *           "refund": "12.5",
           *           "fee_paid": "12.5",
           *           "fee_owed": "12.5",
           *           "left": "12.5",
           *           "beyond": "12.5"
           *         },
           *         "usd": {
           *           "reward": "12.40",
           *           "awarded": "12.40",
           *           "paid": "12.40",
           *           "left": "12.40",
           *           "at": "2026-11-21T09:30:00.000Z"
           *         },
           *         "adds_up": true,
           *         "refund": {
           *           "state": "open",
           *           "amount": "12.5",
           *           "recipient": "text",
           *           "tx_hash": "text",
           *           "due_at": "2026-11-21T09:30:00.000Z"
           *         },
           *         "payments": [
           *           {
           *             "kind": "fee",
           *             "state": "planned",
           *             "amount": "12.5",
           *             "token": "text",
           *             "token_symbol": "USDC",
           *             "recipient": "text",
           *             "tx_hash": "text"
           *           }
           *         ],
           *         "gas_used": "98213",
           *         "accounts": [
           *           {
           *             "status": "pending",
           *             "platform": "farcaster",
           *             "platform_user_id": "8004",
           *             "username": "text",
           *             "amount": "12.5",
           *             "tip_id": 1,
           *             "tip_number": 1,
           *             "awarded_at": "2026-11-21T09:30:00.000Z",
           *             "recipient": "text",
           *             "tx_hash": "text",
           *             "paid_at": "2026-11-21T09:30:00.000Z",
           *             "reason": "text"
           *           }
           *         ]
           *       },
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['ReportGigResponse'];
        };
      };
    };
  };
  exportReport: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The file */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/csv': string;
        };
      };
    };
  };
  listTips: {
    parameters: {
      query?: {
        /** @description Tips of this status alone. */
        status?: 'pending' | 'paid' | 'void';
        /** @description 100 when absent. */
        limit?: number;
        /** @description The next_cursor of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The tips; `next_cursor` is null on the last page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": [
           *         {
           *           "id": 1,
           *           "number": 1,
           *           "status": "pending",
           *           "platform": "farcaster",
           *           "platform_user_id": "8004",
           *           "username": "text",
           *           "amount": "12.5",
           *           "awarded_at": "2026-11-21T09:30:00.000Z",
           *           "recipient": "text",
           *           "tx_hash": "text",
           *           "paid_at": "2026-11-21T09:30:00.000Z",
           *           "void_reason": "text"
           *         }
           *       ],
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['ListTipsResponse'];
        };
      };
    };
  };
  awardTips: {
    parameters: {
      query?: never;
      header?: {
        /** @description At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; the same key with another body is refused with 409. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AwardTipsRequest'];
      };
    };
    responses: {
      /** @description All tips are awarded */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": [
           *         {
           *           "id": 1,
           *           "created_at": "2026-11-21T09:30:00.000Z",
           *           "token_id": 1,
           *           "value": 12.5,
           *           "tx_hash": "text",
           *           "platform_user_id": "8004",
           *           "username": "text",
           *           "user_address": "text",
           *           "claimed_at": "2026-11-21T09:30:00.000Z",
           *           "status": "pending",
           *           "gig_id": 1,
           *           "platform": "farcaster",
           *           "claim_nonce": "text",
           *           "claim_started_at": "2026-11-21T09:30:00.000Z",
           *           "lock_timeout": "2026-11-21T09:30:00.000Z"
           *         }
           *       ],
           *       "remaining": "text"
           *     }
           */
          'application/json': components['schemas']['AwardTipsResponse'];
        };
      };
    };
  };
  decideSubmissions: {
    parameters: {
      query?: never;
      header?: {
        /** @description At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; the same key with another body is refused with 409. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the gig. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DecideSubmissionsRequest'];
      };
    };
    responses: {
      /** @description All decisions apply */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "awarded": 1,
           *       "refused": 1,
           *       "waiting": 1,
           *       "remaining": "text"
           *     }
           */
          'application/json': components['schemas']['DecideSubmissionsResponse'];
        };
      };
    };
  };
  checkCompleted: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CheckCompletedRequest'];
      };
    };
    responses: {
      /** @description Whether the account has completed the gig */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "success": true,
           *       "isCompleted": true
           *     }
           */
          'application/json': components['schemas']['CheckCompletedResponse'];
        };
      };
    };
  };
  listWebhooks: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By their ids */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": [
           *         {
           *           "id": 3,
           *           "url": "https://shop.example/gigclaim",
           *           "types": [
           *             "tips.awarded"
           *           ],
           *           "all_clients": false,
           *           "state": "active",
           *           "paused_because": null,
           *           "paused_at": null,
           *           "from_seq": 812,
           *           "created_at": "2026-11-26T11:26:36.774Z"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['ListWebhooksResponse'];
        };
      };
    };
  };
  createWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; the same key with another body is refused with 409. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateWebhookRequest'];
      };
    };
    responses: {
      /** @description The webhook is active */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "id": 3,
           *         "url": "https://shop.example/gigclaim",
           *         "types": [
           *           "tips.awarded"
           *         ],
           *         "all_clients": false,
           *         "state": "active",
           *         "paused_because": null,
           *         "paused_at": null,
           *         "from_seq": 812,
           *         "created_at": "2026-11-26T11:26:36.774Z"
           *       }
           *     }
           */
          'application/json': components['schemas']['CreateWebhookResponse'];
        };
      };
    };
  };
  showWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "id": 3,
           *         "url": "https://shop.example/gigclaim",
           *         "types": [
           *           "tips.awarded"
           *         ],
           *         "all_clients": false,
           *         "state": "active",
           *         "paused_because": null,
           *         "paused_at": null,
           *         "from_seq": 812,
           *         "created_at": "2026-11-26T11:26:36.774Z"
           *       }
           *     }
           */
          'application/json': components['schemas']['ShowWebhookResponse'];
        };
      };
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is deleted */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  changeWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ChangeWebhookRequest'];
      };
    };
    responses: {
      /** @description The webhook as it is then */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "id": 3,
           *         "url": "https://shop.example/gigclaim",
           *         "types": [
           *           "tips.awarded"
           *         ],
           *         "all_clients": false,
           *         "state": "active",
           *         "paused_because": null,
           *         "paused_at": null,
           *         "from_seq": 812,
           *         "created_at": "2026-11-26T11:26:36.774Z"
           *       }
           *     }
           */
          'application/json': components['schemas']['ChangeWebhookResponse'];
        };
      };
    };
  };
  showWebhookSecret: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The secret */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
           *       }
           *     }
           */
          'application/json': components['schemas']['ShowWebhookSecretResponse'];
        };
      };
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: {
        /** @description At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; the same key with another body is refused with 409. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The new secret */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
           *       }
           *     }
           */
          'application/json': components['schemas']['RotateWebhookSecretResponse'];
        };
      };
    };
  };
  testWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Its answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "status": 1,
           *         "error": "text"
           *       }
           *     }
           */
          'application/json': components['schemas']['TestWebhookResponse'];
        };
      };
    };
  };
  replayEvents: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ReplayRequest'];
      };
    };
    responses: {
      /** @description They are queued */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": {
           *         "count": 1
           *       }
           *     }
           */
          'application/json': components['schemas']['ReplayEventsResponse'];
        };
      };
    };
  };
  listDeliveries: {
    parameters: {
      query?: {
        /** @description 100 when absent. */
        limit?: number;
        /** @description The next_cursor of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description The id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The deliveries; `next_cursor` is null on the last page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": [
           *         {
           *           "id": "text",
           *           "event_id": "text",
           *           "type": "gig.created",
           *           "seq": 812,
           *           "gig_id": 1,
           *           "state": "queued",
           *           "tries": 1,
           *           "status": 1,
           *           "error": "text",
           *           "replay": true,
           *           "queued_at": "2026-11-21T09:30:00.000Z",
           *           "ended_at": "2026-11-21T09:30:00.000Z"
           *         }
           *       ],
           *       "next_cursor": "text"
           *     }
           */
          'application/json': components['schemas']['ListDeliveriesResponse'];
        };
      };
    };
  };
  listEvents: {
    parameters: {
      query?: {
        /** @description The `next_after` of the previous answer. `0`, the default, is the beginning, and `latest` what comes from now on. */
        after?: string;
        /** @description Comma-separated types. All when absent. */
        types?: string;
        /** @description Events of this gig alone. */
        gig_id?: number;
        /** @description 100 when absent. */
        limit?: number;
        /** @description For how many seconds the answer is held while there is no event. A client may hold two. */
        wait?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The events, and where to go on */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "data": [
           *         {
           *           "id": "evt_5f0c2a8e9b7d4c61a3e8f0d2b4c69715",
           *           "type": "tips.awarded",
           *           "timestamp": "2026-11-26T11:26:36.774Z",
           *           "seq": 812,
           *           "data": {
           *             "gig_id": 5,
           *             "count": 2,
           *             "sum": "12.5",
           *             "first_tip_id": 41,
           *             "last_tip_id": 42
           *           }
           *         }
           *       ],
           *       "next_after": "812-5f0c2a8e"
           *     }
           */
          'application/json': components['schemas']['ListEventsResponse'];
        };
      };
    };
  };
  health: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ok"
           *     }
           */
          'application/json': components['schemas']['Health'];
        };
      };
    };
  };
  ready: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Ready */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "ready": true,
           *       "status": "ok",
           *       "reasons": [
           *         {
           *           "kind": "store_moved",
           *           "subject": "text",
           *           "text": "text",
           *           "remedy": "text"
           *         }
           *       ],
           *       "store": {
           *         "writable": true,
           *         "engine": "sqlite",
           *         "instances": 1,
           *         "clock_ahead_ms": 1,
           *         "standbys": {
           *           "synchronous": 1,
           *           "asynchronous": 1,
           *           "unknown": 1
           *         },
           *         "connections": [
           *           {
           *             "pool": "transactions",
           *             "limit": 1,
           *             "open": 1,
           *             "idle": 1,
           *             "waiting": 1
           *           }
           *         ]
           *       },
           *       "chains": [
           *         {
           *           "chain": "text",
           *           "chain_id": 1,
           *           "last_success": "2026-11-21T09:30:00.000Z"
           *         }
           *       ],
           *       "platforms": [
           *         {
           *           "platform": "farcaster",
           *           "last_success": "2026-11-21T09:30:00.000Z",
           *           "paused": {
           *             "reason": "text",
           *             "until": "2026-11-21T09:30:00.000Z"
           *           }
           *         }
           *       ],
           *       "gigs": {
           *         "frozen": 1,
           *         "overdue": 1
           *       },
           *       "gas_tank": {
           *         "address": "text",
           *         "balances": [
           *           {
           *             "chain": "text",
           *             "balance": "text",
           *             "low": true,
           *             "top_ups_held": true
           *           }
           *         ]
           *       }
           *     }
           */
          'application/json': components['schemas']['Readiness'];
        };
      };
    };
  };
  metrics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Prometheus’ text format */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
    };
  };
  wellKnown: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "verifier": {
           *         "public_key": "text",
           *         "jwk": {
           *           "kty": "OKP",
           *           "crv": "Ed25519",
           *           "x": "text"
           *         }
           *       }
           *     }
           */
          'application/json': components['schemas']['WellKnownResponse'];
        };
      };
    };
  };
}
