import { createRoute, z } from '@hono/zod-openapi';
import { formatAmount } from '../domain/amount.ts';
import { checksummed } from '../domain/gigs/token.ts';
import { PLATFORMS } from '../domain/platforms/platforms.ts';
import { CONDITION_KINDS } from '../services/operators/conditions/index.ts';
import { checkReadiness, type Readiness } from '../services/operators/readiness.ts';
import { countStandbys } from '../services/operators/store-status.ts';
import { chainKeyField } from './api/fields.ts';
import { errorResponse, iso, isoOrNull, isoTime, jsonResponse } from './api/schemas.ts';
import type { HttpContext } from './context.ts';
import { answerJson } from './middleware/body.ts';
import type { App } from './middleware/context.ts';

const ELSEWHERE = errorResponse('The path is not in its canonical form, or it is at ADMIN_PORT', [
  { code: 'route_not_found' },
]);

const healthSchema = z
  .object({ status: z.literal('ok').openapi({ description: 'Always the same.' }) })
  .openapi('Health', { description: 'The process is up.' });

const healthRoute = createRoute({
  method: 'get',
  path: '/health',
  operationId: 'health',
  tags: ['Operations'],
  summary: 'Whether the process is up',
  description: 'Asks nothing of the store, the chains or the platforms.',
  security: [],
  responses: {
    200: jsonResponse('It is', healthSchema),
  },
});

const lastSuccess = isoTime.nullable().openapi({ description: 'When it last answered well; null before that.' });

/** More are no help to anyone, and each gig may have some. */
const MOST_REASONS = 100;

const reasonSchema = z
  .object({
    kind: z.enum(CONDITION_KINDS).openapi({ description: 'What is wrong.' }),
    subject: z
      .string()
      .openapi({ description: 'With what: the key of a chain, `gig 42`, a network, `database`, or `clock`.' }),
    text: z.string().openapi({ description: 'The same in words.' }),
    remedy: z.string().openapi({ description: 'The remedy for the operator.' }),
  })
  .openapi('Reason', { description: 'A problem that the operator must solve.' });

const readinessSchema = z
  .object({
    ready: z.boolean().openapi({ description: 'Whether the store takes writes.' }),
    status: z.enum(['ok', 'degraded']).openapi({
      description: '`degraded` while the store takes no writes or there are reasons; unaffected work goes on.',
    }),
    reasons: z.array(reasonSchema).openapi({
      description: `The problems now, the first ${MOST_REASONS}; alerts report the same.`,
    }),
    store: z
      .object({
        writable: z.boolean().openapi({ description: 'Whether it takes writes.' }),
        engine: z
          .enum(['sqlite', 'postgres'])
          .nullable()
          .openapi({ description: 'The engine of the store; null while it takes no writes.' }),
        instances: z.int().openapi({ description: 'How many instances serve it, this one included.' }),
        clock_ahead_ms: z.int().openapi({
          description:
            'By how many milliseconds the clock of this instance is ahead of the database’s; more than a second either way is not ready.',
        }),
        standbys: z
          .object({
            synchronous: z.int().openapi({ description: 'They have every commit.' }),
            asynchronous: z.int().openapi({ description: 'They may lack the newest commits.' }),
            unknown: z.int().openapi({ description: 'The database’s user may not see which they are.' }),
          })
          .nullable()
          .openapi({ description: 'Servers that follow the database’s; null where it is a file.' }),
        connections: z
          .array(
            z
              .object({
                pool: z.enum(['transactions', 'reads', 'lookups']).openapi({ description: 'Their purpose.' }),
                limit: z.int().openapi({ description: 'How many there may be.' }),
                open: z.int().openapi({ description: 'How many there are.' }),
                idle: z.int().openapi({ description: 'How many of these do nothing.' }),
                waiting: z.int().openapi({ description: 'How much work waits for one.' }),
              })
              .openapi('Pool', { description: 'Connections of this instance for one kind of work.' }),
          )
          .openapi({ description: 'The connections of this instance to the database; none where it is a file.' }),
      })
      .openapi({ description: 'The database.' }),
    chains: z
      .array(
        z
          .object({
            chain: chainKeyField,
            chain_id: z.int().openapi({ description: 'The chain id.' }),
            last_success: lastSuccess,
          })
          .openapi('ChainStanding', { description: 'How the endpoints of a chain stand.' }),
      )
      .openapi({ description: 'The enabled chains.' }),
    platforms: z
      .array(
        z
          .object({
            platform: z.enum(PLATFORMS.map(({ id }) => id)).openapi({ description: 'The network; `twitter` is X.' }),
            last_success: lastSuccess,
            paused: z
              .object({
                reason: z.string().openapi({ description: 'The answer of the network.' }),
                until: isoTime.openapi({ description: 'When it is tried again.' }),
              })
              .nullable()
              .openapi({ description: 'Why nothing is sent to it now; null while it is used.' }),
          })
          .openapi('PlatformStanding', { description: 'How a network stands.' }),
      )
      .openapi({ description: 'The enabled networks.' }),
    gigs: z
      .object({
        frozen: z
          .int()
          .nullable()
          .openapi({ description: 'How many pay nothing until they add up again; null when the store does not say' }),
        overdue: z.int().nullable().openapi({
          description: 'How many watched ones had nothing done for a day, though due; null when the store does not say',
        }),
      })
      .openapi('GigStanding', { description: 'The gigs as a whole.' }),
    gas_tank: z
      .object({
        address: z.string().openapi({ description: 'Its address.' }),
        balances: z
          .array(
            z
              .object({
                chain: chainKeyField,
                balance: z
                  .string()
                  .nullable()
                  .openapi({ description: 'Whole coins; null before the chain has answered' }),
                low: z.boolean().nullable().openapi({ description: 'Less than 100 transfers of a token cost now' }),
                top_ups_held: z
                  .boolean()
                  .openapi({ deprecated: true, description: 'Always false: gig wallets need no top-ups.' }),
              })
              .openapi('GasBalance', { description: 'Its balance on one chain.' }),
          )
          .openapi({ description: 'On each enabled chain.' }),
      })
      .nullable()
      .openapi({ description: 'The wallet that pays for gas; null without a mnemonic' }),
  })
  .openapi('Readiness', { description: 'How the service and what it depends on stand.' });

const readyRoute = createRoute({
  method: 'get',
  path: '/ready',
  operationId: 'ready',
  tags: ['Operations'],
  summary: 'Whether the service can store data',
  security: [],
  description:
    'Only the store decides `ready`, and whether the clock agrees with the store’s. `reasons` list all other problems with their remedies. Chains and platforms have the time of their last good answer, gigs the numbers of frozen and overdue ones. The gas tank has its last balance: at most a minute old, and a few seconds while payments wait for it.',
  responses: {
    404: ELSEWHERE,
    200: jsonResponse('Ready', readinessSchema),
    503: jsonResponse('Not ready', readinessSchema),
  },
});

const metricsRoute = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'metrics',
  tags: ['Operations'],
  summary: 'Metrics for Prometheus',
  description: 'Counts and times since the process started, and how queues, platforms and the gas tank stand now.',
  security: [],
  responses: {
    404: ELSEWHERE,
    200: { description: 'Prometheus’ text format', content: { 'text/plain': { schema: z.string() } } },
  },
});

function renderGasTank(gasTank: Readiness['gasTank']) {
  if (gasTank === null) return null;
  return {
    address: checksummed(gasTank.address),
    balances: gasTank.standings.map(({ chain, level }) => ({
      chain: chain.key,
      balance: level && formatAmount(level.balance, chain.nativeCurrency.decimals),
      low: level?.low ?? null,
      top_ups_held: false,
    })),
  };
}

function renderStore({ writable, standing, instances, clockAheadMs }: Readiness['store']) {
  const server = standing?.server ?? null;
  return {
    writable,
    engine: standing?.engine ?? null,
    instances,
    clock_ahead_ms: clockAheadMs,
    standbys: server && countStandbys(server),
    connections: (standing?.pools ?? []).map(({ name: pool, ...counts }) => ({ pool, ...counts })),
  };
}

function renderReadiness({ ready, reasons, store, chains, platforms, gigs, gasTank }: Readiness) {
  return {
    ready,
    status: ready && reasons.length === 0 ? ('ok' as const) : ('degraded' as const),
    reasons: reasons.slice(0, MOST_REASONS).map(({ kind, subject, text, remedy }) => ({ kind, subject, text, remedy })),
    store: renderStore(store),
    chains: chains.map(({ key, chainId, lastSuccess }) => ({
      chain: key,
      chain_id: chainId,
      last_success: isoOrNull(lastSuccess),
    })),
    platforms: platforms.map(({ platform, lastSuccess, paused }) => ({
      platform,
      last_success: isoOrNull(lastSuccess),
      paused: paused === null ? null : { reason: paused.reason, until: iso(paused.until) },
    })),
    gigs: { frozen: gigs.frozen, overdue: gigs.overdue },
    gas_tank: renderGasTank(gasTank),
  };
}

/** `GET /health`, `/ready` and `/metrics`: for monitoring. */
export function addOperationsRoutes(app: App, deps: HttpContext): void {
  app.openapi(healthRoute, (c) => answerJson(c, { status: 'ok' }, 200));
  app.openapi(readyRoute, async (c) => {
    const readiness = await checkReadiness({ ...deps, log: c.get('request').log() });
    return answerJson(c, renderReadiness(readiness), readiness.ready ? 200 : 503);
  });
  app.openapi(metricsRoute, async (c) => {
    const { contentType, text } = await deps.metrics.render();
    return c.text(text, 200, { ...c.get('request').headers, 'content-type': contentType });
  });
}
