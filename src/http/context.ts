import type { MiddlewareHandler } from 'hono';
import type { Taps } from '../domain/claims/tap.ts';
import type { Verifiers } from '../domain/earning/payouts/verifier.ts';
import type { CommandGuide } from '../domain/mentions/command-guide.ts';
import type { PriceOf } from '../domain/prices/price.ts';
import type { AccountAssociation } from '../domain/settings/account-association.ts';
import type { Brand } from '../domain/settings/brand.ts';
import type { TrustedProxies } from '../domain/settings/trusted-proxies.ts';
import type { ClaimContext } from '../services/claims/context.ts';
import type { ServiceContext } from '../services/context.ts';
import type { HandContext } from '../services/earning/context.ts';
import type { EarningCounter } from '../services/earning/tally.ts';
import type { EndContext } from '../services/ends/context.ts';
import type { WebhookContext } from '../services/events/context.ts';
import type { GigContext, RefundReads } from '../services/gigs/context.ts';
import type { PollContext } from '../services/mentions/context.ts';
import type { PlatformBreaker } from '../services/mentions/platform-breaker.ts';
import type { ClockStatus } from '../services/operators/clock/clock-status.ts';
import type { ConditionContext } from '../services/operators/conditions/define-condition.ts';
import type { InstanceWatch } from '../services/operators/instances.ts';
import type { OwnerLimits, SignInContext } from '../services/owners/context.ts';
import type { X402Parts } from '../services/x402/context.ts';
import type { AppEnv } from './middleware/context.ts';
import type { Metrics } from './middleware/metrics.ts';
import type { ClaimLimits } from './middleware/rate-limit.ts';
import type { Site } from './ui/layout.ts';

export interface HttpConfig extends OwnerLimits {
  readonly publicUrl: string;
  readonly rateLimitPerMinute: number;
  readonly claimLimits: ClaimLimits;
  readonly trustedProxies: TrustedProxies;
  /** The origins, besides that of `publicUrl`, whose pages may use `/mcp`. */
  readonly mcpOrigins: readonly string[];
  /** The port of the operator's own server; null serves the operator's paths on the public one. */
  readonly adminPort: number | null;
  /** What proves that a Farcaster account owns the domain; without it there is no manifest of the mini app. */
  readonly accountAssociation: AccountAssociation | null;
  /** Where clients tell who takes notifications, for the manifest; null where none are sent. */
  readonly notifications: string | null;
  readonly brand: Brand;
}

export interface HttpContext
  extends GigContext,
    ClaimContext,
    EndContext,
    HandContext,
    PollContext,
    RefundReads,
    WebhookContext,
    ConditionContext,
    SignInContext {
  readonly store: ServiceContext['store'];
  /** None are shown when it is absent. */
  readonly prices?: { readonly priceOf: PriceOf } | null | undefined;
  readonly clocks: ClockStatus;
  readonly health: PlatformBreaker;
  readonly instances: InstanceWatch;
  /** The verifiers of bounties; absent: none is asked. */
  readonly verifiers?: (Verifiers & { readonly publicKey: string | null }) | undefined;
  readonly counter: EarningCounter;
  /** What gigs are paid with in their creation; absent without wallets. */
  readonly x402?: X402Parts | undefined;
  /** True after so many milliseconds; false as soon as the service stops, so that no request delays the stop. */
  readonly sleep: (ms: number) => Promise<boolean>;
  /** The bot's commands, as people are told about them. */
  readonly commands: readonly CommandGuide[];
  /** Checks taps on cards; null where there are none. */
  readonly taps: Taps | null;
  readonly metrics: Metrics;
  readonly config: HttpConfig;
  /** The folder `src/http/pages`, with the assets. */
  readonly pagesFolder: string;
}

/** What pages also have, including the operator's. */
export interface PageContext extends HttpContext {
  readonly site: Site;
  /** The rate limit of the public paths. */
  readonly limited: MiddlewareHandler<AppEnv>;
}
