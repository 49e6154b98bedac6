import { AsyncLocalStorage } from 'node:async_hooks';
import type { Decide } from '../domain/chains/chain.ts';
import { type EndpointAnswer, type EndpointStatus, findEndpointFaults } from '../domain/chains/endpoint-status.ts';
import { whyUnreachable } from '../domain/chains/endpoint-trouble.ts';
import { AdapterError, DomainError } from '../domain/errors.ts';
import { type Log, summarizeError } from '../log.ts';
import { createOffers, type Offering } from './endpoint-offers.ts';
import { createSurvey, type SurveyOptions } from './endpoint-survey.ts';
import { EndpointForgetful, EndpointUnfit, isOfEndpoint } from './rpc/fault.ts';
import { endpointName } from './rpc/rpc-url.ts';

/** Answers of the endpoints are renewed after this time; until the new ones arrive, decisions use the old ones. */
const RENEW_MS = 10_000;
/** Answers older than this are not used: decisions wait for new ones. */
const STALE_MS = 30_000;
/** For this time an endpoint that has failed is asked only when no other is better. */
const TROUBLED_MS = 30_000;
/** The same for an endpoint that lacks what it was asked for. */
const UNFIT_MS = 10 * 60_000;

const RANK = { well: 0, troubled: 1, behind: 2, failed: 3, other_chain: 4, forked: 5 } as const;

export interface EndpointPoolOptions extends SurveyOptions {
  /** Told when a decision begins anew; nobody is when it is absent. */
  readonly log?: Log | undefined;
}

interface Trouble {
  readonly since: number;
  readonly until: number;
  /** What operators are told of it; null when it may pass in a moment. */
  readonly why: string | null;
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
   * Compares the endpoints anew, before anything is counted on. Fails, and has the decision begin anew, when its endpoint turns
   * out to be of a fork.
   */
  compare(): Promise<void>;
  /**
   * As `ask`. An answer that lacks what is known to be in the chain is asked of the others before it is believed: theirs
   * counts where it lacks nothing, or by `isFuller` less. With `anew` the decision fails instead, and begins anew at another
   * endpoint.
   */
  askFully<Site, T>(
    sites: readonly Site[],
    question: (site: Site) => Promise<T>,
    options: {
      readonly lacks: (answer: T) => boolean;
      readonly isFuller?: (theirs: T, answer: T) => boolean;
      readonly anew?: boolean;
    },
  ): Promise<T>;
  /**
   * Offers signed bytes: first to the endpoint of the decision, then to the others until one takes them; to all at once when
   * they were offered before. An endpoint that took them and does not know them is troubled.
   * @throws AdapterError the answer that leaves most open: they may have been taken, they are refused, they were not read
   */
  offer<Site>(sites: readonly Site[], offering: Offering<Site>): Promise<void>;
  /** How the endpoint at this place, from 0, is named where operators read of it. */
  nameOf(place: number): string;
  standings(): readonly EndpointStatus[];
  /** Epoch milliseconds of the last answers of which one was well, or null. */
  lastSuccess(): number | null;
}

/** The {@link EndpointPool} of a chain. Nothing is sent before the first question. */
export function createEndpointPool(options: EndpointPoolOptions): EndpointPool {
  const { chain, rpcUrls, clock, log } = options;
  const names = rpcUrls.map((rpcUrl, index) => endpointName(rpcUrl, index + 1));
  const nameOf = (place: number) => names[place] ?? '';
  const survey = createSurvey(options, nameOf);
  const decisions = new AsyncLocalStorage<Decision>();
  const troubles = new Map<number, Trouble>();
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

  function troubleOf(place: number): Trouble | null {
    const now = clock();
    const trouble = troubles.get(place);
    return trouble !== undefined && now >= trouble.since && now < trouble.until ? trouble : null;
  }

  function ranks(): number[] {
    return findEndpointFaults(known?.answers ?? []).map((fault, place) => {
      if (fault !== null) return RANK[fault.kind];
      return troubleOf(place) === null ? RANK.well : RANK.troubled;
    });
  }

  function standings(): EndpointStatus[] {
    const answers = known?.answers ?? [];
    const faults = findEndpointFaults(answers);
    return answers.map((answer, place) => {
      const newest = answer.kind === 'well' ? answer.newest.number : null;
      const why = troubleOf(place)?.why ?? null;
      const trouble = why === null ? null : ({ kind: 'failed', why } as const);
      return { place: place + 1, name: nameOf(place), newest, fault: faults[place] ?? trouble };
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

  /** The best one, also when none is good: it says itself what is wrong. Where there is a fork, only one that was compared. */
  async function choose(tried: ReadonlySet<number>): Promise<number> {
    const asked = await ranked();
    const isForked = asked.some(({ rank }) => rank === RANK.forked);
    const all = isForked ? asked.filter(({ rank }) => rank <= RANK.behind) : asked;
    const best = all.find(({ place }) => !tried.has(place)) ?? all[0];
    if (best !== undefined) return best.place;
    isDoubtful = true;
    const one = standings().find(({ fault }) => fault?.kind === 'forked');
    const message = `chain ${chain.key}: endpoints differ in a settled block; of ${one?.name}: ${one?.fault?.why}`;
    throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
  }

  function note(place: number, error: AdapterError): void {
    const since = clock();
    const least = error instanceof EndpointUnfit || error instanceof EndpointForgetful ? UNFIT_MS : TROUBLED_MS;
    const why = error instanceof EndpointForgetful ? whyUnreachable(chain, error) : null;
    troubles.set(place, { since, until: since + Math.max(least, error.retryAfterMs ?? 0), why });
    isDoubtful = true;
    if (why === null) return;
    log?.warn({ chain: chain.key, endpoint: nameOf(place), error: summarizeError(error) }, 'endpoint is troubled');
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

  async function compare(): Promise<void> {
    const decision = current();
    if (known === null || clock() !== known.at) await renewOnce();
    if (decision === null) return;
    const { fault = null } = standings()[await placeOf(decision)] ?? {};
    if (fault?.kind !== 'forked') return;
    decision.hasFailed = true;
    const message = `chain ${chain.key}: the endpoint is of a fork: ${fault.why}`;
    throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
  }

  const askFully: EndpointPool['askFully'] = async (sites, question, options) => {
    const { lacks, isFuller = (theirs) => !lacks(theirs), anew = false } = options;
    const decision = current();
    if (decision === null) return await decide(() => askFully(sites, question, options));
    const answer = await ask(sites, question);
    if (!lacks(answer)) return answer;
    const place = await placeOf(decision);
    for (const next of await others(new Set([place]))) {
      const theirs = await question(siteAt(sites, next)).catch(() => answer);
      if (!isFuller(theirs, answer)) continue;
      const message = `chain ${chain.key}: the endpoint lacks what another one of the chain has`;
      const error = new EndpointUnfit({ retry: 'safe', reason: 'bad_response', message });
      tellNext('endpoint does not tell what another does', { place, next, error });
      if (!anew) return theirs;
      note(place, error);
      decision.hasFailed = true;
      throw error;
    }
    return answer;
  };

  const offer = createOffers({
    chain,
    siteAt,
    async inTurn() {
      const decision = current();
      const first = decision === null ? await choose(new Set()) : await placeOf(decision);
      return [first, ...(await others(new Set([first])))];
    },
    together: async () => (await ranked()).filter(({ rank }) => rank <= RANK.behind).map(({ place }) => place),
    note,
    tellNext,
  });

  return { decide, ask, askFully, compare, offer, nameOf, standings, lastSuccess: () => lastSuccess };
}
