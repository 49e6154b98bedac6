import type { Context } from 'hono';
import { routePath } from 'hono/route';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Platform } from '../../domain/account.ts';
import { PLATFORMS } from '../../domain/platforms/platforms.ts';
import { summarizeError } from '../../log.ts';
import type { JobContext, ReadContext, TimedReads } from '../../services/context.ts';
import {
  DELIVERY_OUTCOMES,
  type DeliveryCounter,
  type DeliveryCounters,
} from '../../services/deliveries/deliver-next.ts';
import type { EarningCounter, EarningTally } from '../../services/earning/tally.ts';
import type { RefundReads } from '../../services/gigs/context.ts';
import type { PlatformBreaker } from '../../services/mentions/platform-breaker.ts';
import { CONDITION_KINDS } from '../../services/operators/conditions/index.ts';
import { countWatchedEarnings, findWatchedGigs } from '../../services/operators/watched-gigs.ts';
import type { GasTank } from '../../services/payments/gas-tank.ts';
import type { AppEnv } from './context.ts';
import { watchMoney } from './metrics/money-metrics.ts';
import { type StoreMetricsOptions, watchStore } from './metrics/store-metrics.ts';

const WEBHOOK_OUTCOMES = ['stored', 'nothing_new', 'bad_signature', 'unreadable', 'failed'] as const;
export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];

interface WebhookCounts {
  webhook(platform: Platform, outcome: WebhookOutcome): void;
  /** Counts new mentions from webhooks. */
  mentions(platform: Platform, count: number): void;
}

export interface Metrics extends WebhookCounts {
  /** Counts and times a request by route pattern, method and status. */
  request(c: Context<AppEnv>, seconds: number): void;
  /** All metrics in the Prometheus text format. */
  render(): Promise<{ contentType: string; text: string }>;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

/**
 * The route pattern without its parameters' constraints, so that callers cannot create labels; unmatched requests share
 * one label.
 */
function routeLabel(path: string): string {
  if (path === '' || path.endsWith('*')) return 'unmatched';
  return path.includes('{') ? path.replace(/(:\w+)\{.*?\}(?=\/|$)/g, '$1') : path;
}

/** Gigs whose refund waits are counted up to here: a scrape reads each. */
const MOST_COUNTED = 1_000;

/** Reads once before each scrape, because several gauges share the result. */
function watchQueues(
  { store, clock, refundDelayMs }: RefundReads & TimedReads,
  registers: Registry[],
): () => Promise<void> {
  const mentions = new Gauge({
    name: 'gigclaim_mentions_waiting',
    help: 'Mentions that wait for an answer',
    registers,
  });
  const replies = new Gauge({
    name: 'gigclaim_replies',
    help: 'Replies by state',
    labelNames: ['state'],
    registers,
  });
  const payments = new Gauge({
    name: 'gigclaim_transfers',
    help: 'Payments by state: planned (waiting to be sent), broadcast (in a transaction of the gas tank), confirmed or failed; signed and replaced are always 0',
    labelNames: ['state'],
    registers,
  });
  const frozen = new Gauge({
    name: 'gigclaim_gigs_frozen',
    help: 'Frozen gigs, which pay nothing until they add up again',
    registers,
  });
  const refunds = new Gauge({
    name: 'gigclaim_refunds_waiting',
    help: `Gigs whose refund is due and not planned yet, at most ${MOST_COUNTED}`,
    registers,
  });
  return async () => {
    const due = { settledBy: clock() - refundDelayMs, after: 0, limit: MOST_COUNTED };
    refunds.set((await store.gigsToRefund(due)).length);
    const depths = await store.queueDepths();
    frozen.set((await store.frozenGigs()).length);
    const { sent: broadcast, ...others } = await store.paymentDepths();
    // Two names have lost their meaning; what is published stays.
    const published = { ...others, broadcast, signed: 0, replaced: 0 };
    for (const [state, count] of Object.entries(published)) payments.set({ state }, count);
    mentions.set(depths.mentions);
    for (const [state, count] of Object.entries(depths.replies)) replies.set({ state }, count);
  };
}

function watchPlatforms(health: PlatformBreaker, registers: Registry[]): void {
  new Gauge({
    name: 'gigclaim_platform_paused',
    help: '1 while calls to the platform are paused, because it refused them or did not answer',
    labelNames: ['platform'],
    registers,
    collect() {
      for (const { platform, paused } of health.standings()) this.set({ platform }, paused === null ? 0 : 1);
    },
  });
  new Gauge({
    name: 'gigclaim_platform_last_success_timestamp_seconds',
    help: 'When the platform last answered well; absent before the first time',
    labelNames: ['platform'],
    registers,
    collect() {
      for (const { platform, lastSuccess } of health.standings()) {
        if (lastSuccess !== null) this.set({ platform }, lastSuccess / 1000);
      }
    },
  });
}

function watchGasTank(gasTank: GasTank, registers: Registry[]): void {
  new Gauge({
    name: 'gigclaim_gas_tank_wei',
    help: 'The last known balance of the gas tank; absent before the first look',
    labelNames: ['chain'],
    registers,
    collect() {
      for (const { chain, level } of gasTank.standings()) {
        if (level !== null) this.set({ chain: chain.key }, Number(level.balance));
      }
    },
  });
  new Gauge({
    name: 'gigclaim_gas_tank_low',
    help: '1 while the gas tank holds less than 100 transfers of a token cost',
    labelNames: ['chain'],
    registers,
    collect() {
      for (const { chain, level } of gasTank.standings()) {
        if (level !== null) this.set({ chain: chain.key }, level.low ? 1 : 0);
      }
    },
  });
}

function watchEarning(
  { store, clock, counter }: TimedReads & { counter: EarningCounter },
  registers: Registry[],
): () => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const watched = gauge('gigclaim_watches', 'Gigs that are watched');
  const overdue = gauge('gigclaim_watches_overdue', 'Watched gigs whose work has been overdue for a day');
  const earnings = new Gauge({
    name: 'gigclaim_earnings',
    help: 'Accounts of the gigs that are watched, by state',
    labelNames: ['state'],
    registers,
  });
  const count = (name: string, help: string, read: (tally: EarningTally) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read(counter.tally()));
      },
    });
  count('gigclaim_earning_looks_total', 'Looks at the newest acts of watched gigs', ({ looks }) => looks);
  count('gigclaim_earning_sweeps_total', 'Complete sweeps of all acts of watched gigs', ({ sweeps }) => sweeps);
  count('gigclaim_gigs_settled_total', 'Watched gigs that are fully decided', ({ settled }) => settled);
  new Counter({
    name: 'gigclaim_observations_total',
    help: 'New acts towards watched gigs, by the source that reported them',
    labelNames: ['source'],
    registers,
    collect() {
      this.reset();
      for (const [source, n] of Object.entries(counter.tally().observations)) this.inc({ source }, n);
    },
  });
  new Counter({
    name: 'gigclaim_verifier_questions_total',
    help: 'Questions to verifiers of bounties, by whether the answer was of use',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, n] of Object.entries(counter.tally().verifier)) this.inc({ outcome }, n);
    },
  });
  return async () => {
    const gigs = await findWatchedGigs({ store, clock });
    watched.set(gigs.watched);
    overdue.set(gigs.overdue.length);
    for (const [state, n] of Object.entries(await countWatchedEarnings({ store }))) earnings.set({ state }, n);
  };
}

function countDeliveries(
  what: 'alert' | 'event' | 'notification',
  counter: DeliveryCounter,
  registers: Registry[],
): void {
  new Counter({
    name: `gigclaim_${what}_deliveries_total`,
    help: `Tries to deliver an ${what} by outcome: delivered, failed (it is tried again) or given_up`,
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const outcome of DELIVERY_OUTCOMES) this.inc({ outcome }, counter.tally()[outcome]);
    },
  });
}

function watchAlerts(
  { store, alertCounter, eventCounter, notificationCounter }: ReadContext & DeliveryCounters,
  registers: Registry[],
): () => Promise<void> {
  const open = new Gauge({
    name: 'gigclaim_alerts_open',
    help: 'Alerts that have begun and are not over, by kind',
    labelNames: ['kind'],
    registers,
  });
  countDeliveries('alert', alertCounter, registers);
  countDeliveries('event', eventCounter, registers);
  countDeliveries('notification', notificationCounter, registers);
  return async () => {
    const kinds = (await store.openAlerts()).map(({ kind }) => kind);
    for (const kind of CONDITION_KINDS) open.set({ kind }, kinds.filter((each) => each === kind).length);
  };
}

/** Counts what webhooks bring. */
function countWebhooks(registers: Registry[]): WebhookCounts {
  const webhooks = new Counter({
    name: 'gigclaim_webhooks_total',
    help: 'Delivered webhooks by outcome',
    labelNames: ['platform', 'outcome'],
    registers,
  });
  const mentions = new Counter({
    name: 'gigclaim_mentions_received_total',
    help: 'New mentions that webhooks brought',
    labelNames: ['platform'],
    registers,
  });
  // A counter that starts with its first event hides that event from rate calculations.
  for (const { id: platform } of PLATFORMS) {
    mentions.inc({ platform }, 0);
    for (const outcome of WEBHOOK_OUTCOMES) webhooks.inc({ platform, outcome }, 0);
  }
  return {
    webhook: (platform, outcome) => webhooks.inc({ platform, outcome }),
    mentions: (platform, count) => mentions.inc({ platform }, count),
  };
}

let ofProcess: Registry | undefined;

/** What the process tells about itself: once, because the library never ends its observers, which would keep each app alive. */
function processMetrics(): Registry {
  if (ofProcess !== undefined) return ofProcess;
  ofProcess = new Registry();
  // Each sample of the event loop's delay wakes the process: the library's own 10 ms would be most of what an idle one does.
  collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: 1_000 });
  return ofProcess;
}

/** The metrics of one app, in a registry of their own, beside those of its process. */
export function createMetrics(
  options: JobContext &
    DeliveryCounters & {
      instances: StoreMetricsOptions['instances'];
      /** Between settlement and refund, in milliseconds. */
      refundDelayMs: number;
      counter: EarningCounter;
      health: PlatformBreaker;
      /** Null when there is none. */
      gasTank: GasTank | null;
    },
): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const common = processMetrics();
  const lookAtQueues = watchQueues(options, registers);
  const lookAtEarning = watchEarning(options, registers);
  const lookAtAlerts = watchAlerts(options, registers);
  const lookAtMoney = watchMoney(options, registers);
  const ofStore = watchStore(options, registers);
  watchPlatforms(options.health, registers);
  if (options.gasTank !== null) watchGasTank(options.gasTank, registers);
  const requests = new Histogram({
    name: 'gigclaim_http_request_duration_seconds',
    help: 'Requests by route, method and status',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  });
  return {
    request: (c, seconds) => {
      const method = METHODS.has(c.req.method) ? c.req.method : 'other';
      requests.observe({ method, route: routeLabel(routePath(c, -1)), status: c.res.status }, seconds);
    },
    ...countWebhooks(registers),
    render: async () => {
      await ofStore.lookHere();
      try {
        for (const look of [ofStore.lookAtServer, lookAtQueues, lookAtEarning, lookAtAlerts, lookAtMoney]) await look();
        ofStore.tell(true);
      } catch (error) {
        options.log.error({ error: summarizeError(error) }, 'metrics are without the database');
        ofStore.tell(false);
      }
      const all = Registry.merge([common, registry]);
      return { contentType: all.contentType, text: await all.metrics() };
    },
  };
}
