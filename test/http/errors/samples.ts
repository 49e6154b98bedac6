import type { Refusal } from '../../../src/domain/errors.ts';
import { requiredFor } from '../../../src/domain/x402/payment-json.ts';
import type { HttpFault } from '../../../src/http/errors/http-faults.ts';
import { ETHER, funding } from '../../bot/samples.ts';

const gigId = 9;
const SEARCHED = { platform: 'twitter', username: 'alice' } as const;
const REQUIRED = requiredFor({ url: 'https://gigs.example/api/gigs/create/x402' }, null, 'invalid_payload');
const PHASES = ['created', 'cancelled', 'ended'] as const;

/** Refusals of each code, with each value that changes their words. */
export const REFUSED: readonly Refusal[] = [
  { code: 'invalid_request', message: 'The name is taken' },
  { code: 'validation_failed', details: ['award is more than max_amount, which is 5 USDC', 'id is no open candidate'] },
  { code: 'validation_failed', details: ['description is required for custom_bounty gigs'] },
  { code: 'validation_failed', details: ['earning on X is off here; the operator can allow it with ALLOW_IT=true'] },
  { code: 'invalid_api_key' },
  { code: 'scope_missing', scope: 'gigs:write' },
  { code: 'key_reused' },
  { code: 'gig_not_found', gigId },
  { code: 'chain_not_found' },
  { code: 'token_not_found', address: `0x${'ab'.repeat(20)}`, chainKey: 'base' },
  { code: 'gig_already_live', gigId },
  { code: 'gig_ended', gigId },
  { code: 'gig_cancelled', gigId },
  { code: 'gig_in_progress', gigId },
  { code: 'gig_not_funded', gigId, funding: funding({ actual: ETHER }) },
  { code: 'gig_not_funded', gigId, funding: funding({ actual: 1_000n * ETHER }) },
  { code: 'gig_not_funded', gigId, funding: funding({ expected: 10n ** 60n, actual: 10n ** 75n + 1n }) },
  { code: 'not_gig_owner', gigId, act: 'start' },
  { code: 'not_gig_owner', gigId, act: 'award' },
  { code: 'owners_may_not', gigId, act: 'addOwners' },
  { code: 'owners_may_not', gigId, act: 'refund' },
  { code: 'session_too_new', gigId, act: 'award', until: 1_700_000_000_000 },
  ...[...PHASES, 'scheduled' as const, 'settled' as const].map(
    (phase) => ({ code: 'gig_not_running', gigId, phase }) as const,
  ),
  ...PHASES.map((phase) => ({ code: 'gig_not_stoppable', gigId, phase }) as const),
  ...(['created', 'cancelled', 'running', 'undecided', 'settled'] as const).map(
    (why) => ({ code: 'gig_not_settleable', gigId, why }) as const,
  ),
  { code: 'tips_by_rules_only', gigId },
  { code: 'reward_exceeded', gigId, left: '0.5', symbol: 'USDC' },
  { code: 'wallets_off' },
  { code: 'account_not_found', ...SEARCHED },
  { code: 'not_a_claim' },
  { code: 'invalid_address' },
  { code: 'several_addresses' },
  { code: 'no_verified_address' },
  { code: 'no_address' },
  { code: 'post_too_old' },
  { code: 'post_not_found', platform: 'farcaster' },
  { code: 'post_not_found', platform: 'twitter' },
  { code: 'no_tips' },
  { code: 'platform_off', platform: 'twitter' },
  { code: 'webhook_not_found', webhookId: 3 },
  { code: 'too_many_webhooks' },
  { code: 'invalid_cursor', readFrom: 0 },
  { code: 'signing_off' },
  { code: 'payment_required', required: REQUIRED },
  { code: 'payment_refused', required: REQUIRED, response: null },
  { code: 'x402_off' },
  { code: 'x402_full' },
];

/** A fault of each code. */
export const FAULTS: readonly HttpFault[] = [
  { code: 'body_unreadable' },
  { code: 'body_too_large', limit: 65_536 },
  { code: 'body_encoded' },
  { code: 'names_or_key' },
  { code: 'foreign_origin' },
  { code: 'rate_limited', limit: 100, retryAfter: 7 },
  { code: 'route_not_found' },
  { code: 'method_not_allowed', allowed: ['GET', 'HEAD'] },
  { code: 'invalid_signature' },
  { code: 'chain_unreachable', retryAfter: 7 },
  { code: 'chain_unreachable', retryAfter: null },
  { code: 'platform_unreachable', platform: 'farcaster', retryAfter: null },
  { code: 'platform_unreachable', platform: 'twitter', retryAfter: 7 },
  { code: 'unavailable', retryAfter: 7 },
  { code: 'malformed_http', message: 'The request is malformed' },
  { code: 'request_timeout' },
  { code: 'chunks_too_long' },
  { code: 'expectation_unknown' },
  { code: 'headers_too_long' },
  { code: 'internal' },
];
