import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { camelKeys } from '../../../domain/camel-keys.ts';
import { DomainError, invalidRequest } from '../../../domain/errors.ts';
import { type Gig, gigPhase } from '../../../domain/gigs/gig.ts';
import { termsProblems } from '../../../domain/gigs/terms.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { GIGS_A_MINUTE } from '../../../domain/x402/deposit.ts';
import { headerText, networkOf, readPayment, requiredFor } from '../../../domain/x402/payment-json.ts';
import { createSingleFlight } from '../../../services/single-flight.ts';
import type { PaidGigContext } from '../../../services/x402/context.ts';
import { createPaidGig, findNamedGig, type PaidRequest, paidRequest } from '../../../services/x402/create-paid-gig.ts';
import { awaitPayment, noPayment, type PaidGig, payForGig } from '../../../services/x402/pay-gig.ts';
import type { HttpContext } from '../../context.ts';
import { createClientFinder, originOf } from '../../middleware/client-address.ts';
import { type AppEnv, answer } from '../../middleware/context.ts';
import { fingerprint, sentKey } from '../../middleware/idempotency.ts';
import { createRateLimit } from '../../middleware/rate-limit.ts';
import { defineOperation } from '../define-operation.ts';
import { dataOf, EXAMPLE_GIG } from '../schemas.ts';
import { CREATE_BODY } from './create-gig.ts';
import { fundingSchema, renderFunding } from './funding-json.ts';

/** How soon a payment may be in a block that was not there while the request waited. */
const AGAIN_SECONDS = 5;

const paidSchema = fundingSchema
  .extend({
    status: z.enum(['created', 'live', 'ended']).openapi({
      description: '`live` after the payment; `created` while the block of the payment is not there.',
    }),
    payer: z.string().nullable().openapi({
      description:
        'The address that paid, EIP-55 checksummed: the owner of the gig; null when it was funded otherwise.',
    }),
    transaction: z.string().nullable().openapi({
      description: 'The transaction of the payment; null until it is known.',
    }),
  })
  .openapi('PaidGig', { description: 'A gig that is paid for in its creation.' });

function statusOf(gig: Gig, now: number): 'created' | 'live' | 'ended' {
  const phase = gigPhase(gig, now);
  return phase === 'ended' ? 'ended' : gig.status;
}

function renderPaid({ gig, deposit }: PaidGig, now: number) {
  return {
    ...renderFunding(gig),
    status: statusOf(gig, now),
    payer: deposit && checksummed(deposit.payer),
    transaction: deposit?.hash ?? null,
  };
}

/** What a client that has paid reads in `PAYMENT-RESPONSE`. */
function responseOf({ gig, deposit }: PaidGig): string {
  return headerText({
    success: true,
    payer: deposit === null ? '' : checksummed(deposit.payer),
    transaction: deposit?.hash ?? '',
    network: networkOf(gig.token.chainId),
  });
}

/** @throws DomainError `x402_off` */
function requireOn(deps: HttpContext): PaidGigContext {
  const { payers, x402 } = deps;
  if (payers === null || x402 === undefined || !x402.isOn) throw new DomainError({ code: 'x402_off' });
  return { ...deps, payers, x402 };
}

/** @throws DomainError `invalid_request` for a key that cannot be one */
function readKey(c: Context<AppEnv>): string | null {
  const keyFault = c.env?.keyProblem ?? null;
  if (keyFault !== null) throw invalidRequest(keyFault);
  return sentKey(c);
}

const EXAMPLE_ERROR = 'PAYMENT-SIGNATURE header is required';
const EXAMPLE_REQUIRED = requiredFor({ url: 'https://gigs.example/api/gigs/create/x402' }, null, EXAMPLE_ERROR);

export const CREATE_PAID_GIG = defineOperation({
  id: 'createPaidGig',
  method: 'post',
  path: '/api/gigs/create/x402',
  tag: 'Gigs',
  scope: null,
  summary: 'Create a gig and pay for it by x402',
  description:
    'Needs no key. The answer to the first request is 402: `accepts` says what to pay into the wallet of the gig, and to ' +
    'which token. Send the same request with the payment in `PAYMENT-SIGNATURE`, as x402 clients do by themselves: the gig ' +
    'is funded and started, and belongs to its payer. Nothing is paid twice, however often a request is repeated. The ' +
    'response waits up to 20 seconds for the block of the payment; 202 means that it is not there yet, so repeat the ' +
    'request after `Retry-After`. A gig that is not paid for is cancelled after 10 minutes. Without an Idempotency-Key the ' +
    'same body from the same address names the same gig for 10 minutes. Unawarded funds return to `refund_address`, by ' +
    'default to the payer.',
  body: CREATE_BODY,
  takesKey: true,
  answer: { status: 201, says: 'The gig is paid for', schema: dataOf(paidSchema) },
  refuses: [
    { code: 'validation_failed', details: ['url is required for like gigs'] },
    { code: 'gig_cancelled', gigId: EXAMPLE_GIG },
    { code: 'payment_required', required: EXAMPLE_REQUIRED },
    {
      code: 'payment_refused',
      required: { ...EXAMPLE_REQUIRED, error: 'invalid_exact_evm_signature' },
      response: null,
    },
    { code: 'key_reused' },
    { code: 'chain_not_found' },
    { code: 'token_not_found', address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed', chainKey: 'base' },
    { code: 'x402_off' },
    { code: 'x402_full' },
    { code: 'chain_unreachable', retryAfter: 5 },
    { code: 'platform_unreachable', platform: 'farcaster', retryAfter: 5 },
  ],
  mcp: { place: 20 },
  problems: ({ clock, earningOnX }, { fields }) => termsProblems(camelKeys(fields), { now: clock(), earningOnX }),
  createRun(deps) {
    const { trustedProxies } = deps.config;
    const { clientOf } = createClientFinder(trustedProxies);
    const creations = createRateLimit({ limit: GIGS_A_MINUTE, trustedProxies, clock: deps.clock });
    // Of the same request at once, one creates the gig.
    const together = createSingleFlight<number>();

    async function nameOf(c: Context<AppEnv>): Promise<PaidRequest> {
      return paidRequest({
        key: readKey(c),
        fingerprint: fingerprint(await c.req.json()),
        from: clientOf(originOf(c)),
      });
    }

    return async ({ body: { owners, ...terms }, c }) => {
      const paying = requireOn(deps);
      const { requestId } = c.get('request');
      const header = c.req.header('payment-signature');
      if (header !== undefined) {
        const sent = readPayment(header);
        if (sent === null) throw await noPayment(paying);
        return await payForGig(paying, { sent, requestId });
      }
      const named = await nameOf(c);
      const known = await findNamedGig(deps.store, named, deps.clock());
      const created = async () => {
        creations.enter(c);
        const request = { terms: camelKeys(terms), owners: owners.map(camelKeys), named, requestId };
        return await createPaidGig(paying, request);
      };
      const flight = { key: named.request, body: named.fingerprint };
      return await awaitPayment(paying, known ?? (await together(flight, created)));
    };
  },
  respond(paid, { c }, { clock }) {
    const body = { data: renderPaid(paid, clock()) };
    const shared = { 'cache-control': 'no-store' };
    if (!paid.isPaid)
      return answer(c, { status: 202, body, headers: { ...shared, 'retry-after': String(AGAIN_SECONDS) } });
    return answer(c, { status: 201, body, headers: { ...shared, 'payment-response': responseOf(paid) } });
  },
});
