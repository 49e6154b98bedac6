import { OpenAPIHono } from '@hono/zod-openapi';
import type { Hono } from 'hono';
import type { Platform } from '../domain/account.ts';
import type { Chains, GigWallets } from '../domain/chain.ts';
import type { VerifierConfig, Verifiers } from '../domain/earning/verifier.ts';
import type { Platforms } from '../domain/mention.ts';
import type { PayerChains } from '../domain/payer-chain.ts';
import { HOUR_MS } from '../domain/time.ts';
import type { Address } from '../domain/token.ts';
import type { Log } from '../log.ts';
import type { LearnPaid } from '../services/earning/deps.ts';
import type { EarningCounter } from '../services/earning/tally.ts';
import type { PlatformBreaker } from '../services/mentions/platform-breaker.ts';
import type { AlertCounter } from '../services/operators/alert-tally.ts';
import type { ClockStanding } from '../services/operators/clock-standing.ts';
import type { InstanceWatch } from '../services/operators/instances.ts';
import type { Store } from '../store/port/index.ts';
import { addAdminPages } from './admin/routes.ts';
import type { ClaimLimits } from './api/claims/claim-limit.ts';
import { addClaimingRoute } from './api/claims/claim-rewards.ts';
import { addClaimRoutes } from './api/claims/find-claimable.ts';
import { addDocsRoutes } from './api/docs.ts';
import { addTipRoute } from './api/gigs/award-tips.ts';
import { addChangeRoute, addOwnerRoute } from './api/gigs/change-gig.ts';
import { addTaskRoutes } from './api/gigs/check-completed.ts';
import { addCreateRoute } from './api/gigs/create-gig.ts';
import { addDecisionsRoute } from './api/gigs/decide.ts';
import { addEndRoutes } from './api/gigs/end-gig.ts';
import { addDrawRoutes } from './api/gigs/gig-draw.ts';
import { addEarningsRoute } from './api/gigs/gig-earnings.ts';
import { addInsightRoutes } from './api/gigs/gig-insight.ts';
import { addReportRoutes } from './api/gigs/gig-report.ts';
import { addGigRoutes } from './api/gigs/list-gigs.ts';
import { addStartRoute } from './api/gigs/start-gig.ts';
import { addDocumentRoute } from './api/openapi.ts';
import { refuseInvalid } from './api/validation.ts';
import type { App, AppEnv } from './middleware/context.ts';
import { allowCrossOriginReads, answerPreflights } from './middleware/cors.ts';
import { installErrorHandler } from './middleware/errors.ts';
import { createMetrics } from './middleware/metrics.ts';
import { refuseMoved } from './middleware/moved.ts';
import { guardOperatorPaths } from './middleware/operator-paths.ts';
import { createForwardedWarning, createRateLimit } from './middleware/rate-limit.ts';
import { trackRequests } from './middleware/request-log.ts';
import { addOperationsRoutes, type OperationsDeps } from './operations.ts';
import { addPublicPages } from './pages/public.ts';
import { addAssetRoutes, createSite, showMissingPageOf } from './ui/page.ts';
import { addWebhookRoutes } from './webhooks.ts';
import { addWellKnownRoute } from './well-known.ts';

export interface AppOptions {
  readonly store: Store;
  readonly chains: Chains;
  /** Null when no mnemonic is configured. */
  readonly payers: PayerChains | null;
  /** Null when no mnemonic is configured: gigs cannot be created then. */
  readonly wallets: GigWallets | null;
  readonly platforms: Platforms;
  readonly health: PlatformBreaker;
  readonly instances: InstanceWatch;
  readonly clocks: ClockStanding;
  /** Null when no mnemonic is configured. */
  readonly gasTank: OperationsDeps['gasTank'];
  /** What the earning engine counts. */
  readonly counter: EarningCounter;
  /** Counts the deliveries of alerts. */
  readonly alertCounter: AlertCounter;
  /** The space where the database is. */
  readonly readDisk: OperationsDeps['readDisk'];
  /** When the process began to serve the store, epoch milliseconds. */
  readonly startedAt: number;
  /** Takes what a gig's wallet has paid into the ledger, before anybody decides about it; absent without a mnemonic. */
  readonly learnPaid?: LearnPaid | undefined;
  /** The verifiers of bounties; absent: none is asked. */
  readonly verifiers?: Pick<Verifiers, 'urlOf'> & { readonly publicKey: string | null };
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Returns unique ids. */
  readonly newId: () => string;
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Log;
  /** The address that receives the fee after a start; null leaves the fee in the gig's wallet. */
  readonly treasury: Address | null;
  /** True after so many milliseconds; false as soon as the service stops, so that no request delays the stop. */
  readonly sleep: (ms: number) => Promise<boolean>;
  /** Called after payments were planned. */
  readonly wakePayments: () => void;
  /** Called after new mentions were stored. */
  readonly wake: (platform: Platform) => void;
  readonly config: {
    readonly publicUrl: string;
    readonly rateLimitPerMinute: number;
    readonly claimLimits: ClaimLimits;
    readonly trustProxy: boolean;
    /** The port of the operator's own server; null serves the operator's paths on the public one. */
    readonly adminPort: number | null;
    /** In basis points of the reward. */
    readonly platformFeeBps: number;
    readonly earningOnX: boolean;
    readonly earningLookSeconds: number;
    /** Between the settlement of a gig and its refund. */
    readonly refundDelayHours: number;
    readonly spamLabelsFile: string | null;
    readonly verifiers?: Pick<VerifierConfig, 'origins'> | null;
  };
  readonly version: string;
  /** The folder `src/http/pages`, with the assets. */
  readonly pagesFolder: string;
}

/** The paths that pages of other origins may read. */
const PUBLIC_READS = [
  ...['/api/claim', '/api/gigs', '/api/gigs/types', '/api/gigs/:id{[0-9]+}', '/api/gigs/:id{[0-9]+}/earnings'],
  ...['/api/gigs/:id{[0-9]+}/draw', '/api/gigs/:id{[0-9]+}/draw/entrants', '/api/gigs/:id{[0-9]+}/report'],
  '/api/openapi.json',
];

/**
 * The service's HTTP interface, as one Hono app. Middleware runs in this order: request id and timing, operator
 * paths, a store that was moved, CORS, rate limit.
 */
export function createApp(options: AppOptions): Hono {
  const { clock, config, newId, log, version } = options;
  const refundDelayMs = config.refundDelayHours * HOUR_MS;
  const metrics = createMetrics({ ...options, refundDelayMs });
  const deps = {
    ...options,
    metrics,
    feeBps: config.platformFeeBps,
    refundDelayMs,
    earningOnX: config.earningOnX,
    watchesGigs: config.earningLookSeconds > 0,
    hasLabels: config.spamLabelsFile !== null,
  };
  const app: App = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid });
  const site = createSite({ publicUrl: config.publicUrl, pagesFolder: options.pagesFolder });
  installErrorHandler(app, showMissingPageOf(site));
  app.use(trackRequests({ log, metrics, newId }));
  app.use(guardOperatorPaths({ ownPort: config.adminPort !== null }));
  app.use(refuseMoved(options.instances));
  allowCrossOriginReads(app, PUBLIC_READS);
  const limit = createRateLimit({
    limit: config.rateLimitPerMinute,
    trustProxy: config.trustProxy,
    clock,
    forwarded: createForwardedWarning({ clock, log }),
  });
  const limited = limit.enforce;
  app.use('/api/*', limited);
  answerPreflights(app, PUBLIC_READS);
  addClaimRoutes(app, deps);
  addClaimingRoute(app, deps);
  addStartRoute(app, deps);
  addEndRoutes(app, deps);
  addCreateRoute(app, deps);
  addGigRoutes(app, deps);
  addInsightRoutes(app, deps);
  addEarningsRoute(app, deps);
  addDrawRoutes(app, deps);
  addReportRoutes(app, deps);
  addChangeRoute(app, deps);
  addOwnerRoute(app, deps);
  addTipRoute(app, deps);
  addDecisionsRoute(app, deps);
  addTaskRoutes(app, deps);
  addWebhookRoutes(app, deps);
  addOperationsRoutes(app, deps);
  addWellKnownRoute(app, deps);
  addDocumentRoute(app, { version, publicUrl: config.publicUrl });
  addDocsRoutes(app, { version });
  addAssetRoutes(app, site);
  addPublicPages(app, { ...deps, site, limited });
  addAdminPages(app, { ...deps, site, limited });
  // The variables of a request are set and read here; callers only call `fetch`.
  return app as unknown as Hono;
}
