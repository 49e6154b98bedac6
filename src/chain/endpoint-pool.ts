import { AsyncLocalStorage } from 'node:async_hooks';
import type { Decide } from '../domain/chains/chain.ts';
import { type EndpointAnswer, type EndpointStatus, findEndpointFaults } from '../domain/chains/endpoint-status.ts';
import { whyUnreachable } from '../domain/chains/endpoint-trouble.ts';
import { AdapterError, DomainError } from '../domain/errors.ts';
import { BroadcastRefused } from '../domain/payments/payer-chain.ts';
import { type Log, summarizeError } from '../log.ts';
import { requireBlock } from './payer/read/blocks.ts';
import { createEndpoint, type EndpointOptions } from './rpc/endpoint.ts';
import { EndpointUnfit, isOfEndpoint, OtherChain } from './rpc/fault.ts';
import { endpointName } from './rpc/rpc-url.ts';

/** The chain id of a local node, which begins without blocks. */
export const LOCAL_ID = 31337;

/** Answers of the endpoints are renewed after this time; until the new ones arrive, decisions use the old ones. */
const RENEW_MS = 10_000;
/** Answers older than this are not used: decisions wait for new ones. */
const STALE_MS = 30_000;
/** An endpoint that takes longer to answer is passed over. */
const SURVEY_MS = 3_000;
/** For this time an endpoint that has failed is asked only when no other is better. */
const TROUBLED_MS = 30_000;
/** The same for an endpoint that lacks what it was asked for. */
const UNFIT_MS = 10 * 60_000;

const RANK = { well: 0, troubled: 1, behind: 2, failed: 3, other_chain: 4 } as const;

export interface EndpointPoolOptions extends Omit<EndpointOptions, 'rpcUrl'> {
  /** Several, in the order in which they are asked. They may hold keys; no message contains them. */
  readonly rpcUrls: readonly string[];
  /** Told when a decision begins anew; nobody is when it is absent. */
  readonly log?: Log | undefined;
}

interface Decision {
  /** The places of the endpoints that have failed in it. */
  readonly tried: Set<number>;
  /** The place of the endpoint that it asks; null before its first question. */
  place: Promise<number> | null;
  hasFailed: boolean;
  isOver: boolean;
}

/**
 * The endpoints of one chain when there are several. It hands one of them to each decision, by what all of them answered
 * when they were asked for their chain id and their newest block, and by which have failed a moment ago.
 */
export interface EndpointPool {
  readonly decide: Decide;
  /** Asks what there is at the endpoint of the decision; without one, the question is a decision of its own. */
  ask<Site, T>(sites: readonly Site[], question: (site: Site) => Promise<T>): Promise<T>;
  /**
   * Offers signed bytes to the endpoint of the decision, then to the others until one takes them.
   * @throws AdapterError the answer that leaves most open: they may have been taken, they are refused, they were not read
   */
  offer<Site>(sites: readonly Site[], broadcast: (site: Site) => Promise<void>): Promise<void>;
  /** How the endpoint at this place, from 0, is named where operators read of it. */
  nameOf(place: number): string;
  standings(): readonly EndpointStatus[];
  /** Epoch milliseconds of the last answers of which one was well, or null. */
  lastSuccess(): number | null;
}

/** `recheck` asks each endpoint for its chain id before its newest block. */
function createSurvey({ chain, rpcUrls, clock, timeoutMs }: EndpointPoolOptions): () => Promise<EndpointAnswer[]> {
  const limits = { timeoutMs: Math.min(timeoutMs, SURVEY_MS), retries: 1, deadlineMs: SURVEY_MS };
  const endpoints = rpcUrls.map((rpcUrl) => createEndpoint({ chain, rpcUrl, clock, ...limits }));
  return async () =>
    await Promise.all(
      endpoints.map(async (endpoint): Promise<EndpointAnswer> => {
        try {
          const newest = await endpoint.run((rpc) => requireBlock(rpc, 'latest', chain.key), { recheck: true });
          if (newest.number > 0n || chain.id === LOCAL_ID) return { kind: 'well', newest };
          return { kind: 'failed', why: 'it has no blocks: its newest one is 0' };
        } catch (error) {
          if (!(error instanceof AdapterError)) throw error;
          return { kind: error instanceof OtherChain ? 'other_chain' : 'failed', why: whyUnreachable(chain, error) };
        }
      }),
    );
}

/** How much a failed broadcast leaves open: the bytes may have been taken, were refused, or were not read. */
function doubtOf(error: AdapterError): number {
  const isOpen = error.retry === 'unknown' ? 1 : 0;
  if (error instanceof BroadcastRefused) return 1 + isOpen;
  return isOpen * 3;
}

/** The {@link EndpointPool} of a chain. Nothing is sent before the first question. */
export function createEndpointPool(options: EndpointPoolOptions): EndpointPool {
  const { chain, rpcUrls, clock, log } = options;
  const names = rpcUrls.map((rpcUrl, index) => endpointName(rpcUrl, index + 1));
  const nameOf = (place: number) => names[place] ?? '';
  const survey = createSurvey(options);
  const decisions = new AsyncLocalStorage<Decision>();
  const troubles = new Map<number, { readonly since: number; readonly until: number }>();
  let known: { readonly at: number; readonly answers: readonly EndpointAnswer[] } | null = null;
  let asking: Promise<void> | null = null;
  /** Whether an endpoint has failed since they were asked. */
  let isDoubtful = false;
  let lastSuccess: number | null = null;

  async function renew(): Promise<void> {
    isDoubtful = false;
    const answers = await survey();
    known = { at: clock(), answers };
    if (answers.some(({ kind }) => kind === 'well')) lastSuccess = known.at;
  }

  function renewOnce(): Promise<void> {
    asking ??= renew().finally(() => {
      asking = null;
    });
    return asking;
  }

  async function keepKnown(): Promise<void> {
    const age = known === null ? STALE_MS : clock() - known.at;
    // Also after the clock was set back.
    if (isDoubtful || age < 0 || age >= STALE_MS) return await renewOnce();
    if (age >= RENEW_MS) void renewOnce();
  }

  function ranks(): number[] {
    const now = clock();
    const answers = known?.answers ?? [];
    return findEndpointFaults(answers).map((fault, place) => {
      if (fault !== null) return RANK[fault.kind];
      const trouble = troubles.get(place);
      return trouble !== undefined && now >= trouble.since && now < trouble.until ? RANK.troubled : RANK.well;
    });
  }

  /** The places of the endpoints, the best first, with how good each is. */
  async function ranked(): Promise<{ place: number; rank: number }[]> {
    await keepKnown();
    return ranks()
      .map((rank, place) => ({ place, rank }))
      .sort((a, b) => a.rank - b.rank || a.place - b.place);
  }

  /** Those that may be asked besides these: none that is known to be worse. */
  async function others(than: ReadonlySet<number>): Promise<number[]> {
    const good = (await ranked()).filter(({ place, rank }) => rank < RANK.behind && !than.has(place));
    return good.map(({ place }) => place);
  }

  /** The best one, also when none is good: it says itself what is wrong. */
  async function choose(tried: ReadonlySet<number>): Promise<number> {
    const all = await ranked();
    return (all.find(({ place }) => !tried.has(place)) ?? all[0])?.place ?? 0;
  }

  function note(place: number, error: AdapterError): void {
    const since = clock();
    const least = error instanceof EndpointUnfit ? UNFIT_MS : TROUBLED_MS;
    troubles.set(place, { since, until: since + Math.max(least, error.retryAfterMs ?? 0) });
    isDoubtful = true;
  }

  function tellNext(message: string, { place, next, error }: { place: number; next: number; error: unknown }): void {
    const [endpoint, other] = [nameOf(place), nameOf(next)];
    log?.warn({ chain: chain.key, endpoint, other, error: summarizeError(error) }, message);
  }

  function siteAt<Site>(sites: readonly Site[], place: number): Site {
    const site = sites[place];
    if (site === undefined) throw new RangeError(`chain ${chain.key} has no endpoint ${place + 1}`);
    return site;
  }

  function current(): Decision | null {
    const decision = decisions.getStore();
    // Work that a decision has begun and not waited for goes on without it.
    return decision === undefined || decision.isOver ? null : decision;
  }

  function placeOf(decision: Decision): Promise<number> {
    decision.place ??= choose(decision.tried);
    return decision.place;
  }

  /** Also notes that the endpoint of the decision has failed. */
  async function canBeginAnew(decision: Decision, error: unknown): Promise<boolean> {
    if (!decision.hasFailed || !(error instanceof AdapterError || error instanceof DomainError)) return false;
    const failed = await placeOf(decision);
    decision.tried.add(failed);
    const [next] = await others(decision.tried);
    if (next === undefined) return false;
    tellNext('endpoint failed; another is asked', { place: failed, next, error });
    return true;
  }

  async function attempt<T>(decision: Decision, run: () => Promise<T>): Promise<T> {
    try {
      return await decisions.run(decision, run);
    } finally {
      decision.isOver = true;
    }
  }

  const decide: Decide = async (run) => {
    if (current() !== null) return await run();
    const tried = new Set<number>();
    for (;;) {
      const decision: Decision = { tried, place: null, hasFailed: false, isOver: false };
      try {
        return await attempt(decision, run);
      } catch (error) {
        if (!(await canBeginAnew(decision, error))) throw error;
      }
    }
  };

  async function ask<Site, T>(sites: readonly Site[], question: (site: Site) => Promise<T>): Promise<T> {
    const decision = current();
    if (decision === null) return await decide(() => ask(sites, question));
    const place = await placeOf(decision);
    try {
      return await question(siteAt(sites, place));
    } catch (error) {
      if (isOfEndpoint(error)) {
        note(place, error);
        decision.hasFailed = true;
      }
      throw error;
    }
  }

  async function offer<Site>(sites: readonly Site[], broadcast: (site: Site) => Promise<void>): Promise<void> {
    const decision = current();
    const first = decision === null ? await choose(new Set()) : await placeOf(decision);
    const places = [first, ...(await others(new Set([first])))];
    const errors: AdapterError[] = [];
    for (const [index, place] of places.entries()) {
      try {
        return await broadcast(siteAt(sites, place));
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        if (isOfEndpoint(error)) note(place, error);
        errors.push(error);
        const next = places[index + 1];
        if (next !== undefined)
          tellNext('endpoint did not take a transaction; another is asked', { place, next, error });
      }
    }
    const [most] = errors.toSorted((a, b) => doubtOf(b) - doubtOf(a));
    throw most ?? new RangeError(`chain ${chain.key} has no endpoint`);
  }

  return {
    decide,
    ask,
    offer,
    nameOf,
    standings: () => {
      const answers = known?.answers ?? [];
      const faults = findEndpointFaults(answers);
      return answers.map((answer, index) => {
        const newest = answer.kind === 'well' ? answer.newest.number : null;
        return { place: index + 1, name: nameOf(index), newest, fault: faults[index] ?? null };
      });
    },
    lastSuccess: () => lastSuccess,
  };
}
