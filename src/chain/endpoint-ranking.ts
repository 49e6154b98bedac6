import { type EndpointAnswer, type EndpointStatus, findEndpointFaults } from '../domain/chains/endpoint-status.ts';
import { whyUnreachable } from '../domain/chains/endpoint-trouble.ts';
import { AdapterError } from '../domain/errors.ts';
import { type Log, summarizeError } from '../log.ts';
import { createSurvey, type SurveyOptions } from './endpoint-survey.ts';
import { EndpointForgetful, EndpointUnfit } from './rpc/fault.ts';

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

type NameOf = (place: number) => string;

/** What the endpoints answered when they were last asked for their chain id and their newest block. */
function createKnownAnswers(survey: () => Promise<readonly EndpointAnswer[]>, clock: () => number) {
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

  return {
    get: () => known?.answers ?? [],
    doubt(): void {
      isDoubtful = true;
    },
    async refresh(): Promise<void> {
      if (known === null || clock() !== known.at) await renewOnce();
    },
    async keep(): Promise<void> {
      const age = known === null ? STALE_MS : clock() - known.at;
      // Also after the clock was set back.
      if (isDoubtful || age < 0 || age >= STALE_MS) return await renewOnce();
      if (age >= RENEW_MS) void renewOnce();
    },
    lastSuccess: () => lastSuccess,
  };
}

interface Trouble {
  readonly since: number;
  readonly until: number;
  /** What operators are told of it; null when it may pass in a moment. */
  readonly why: string | null;
}

/** Which endpoints have failed a moment ago. */
function createTroubles({ chain, clock, log }: EndpointPoolOptions, nameOf: NameOf) {
  const troubles = new Map<number, Trouble>();
  return {
    of(place: number): Trouble | null {
      const now = clock();
      const trouble = troubles.get(place);
      return trouble !== undefined && now >= trouble.since && now < trouble.until ? trouble : null;
    },
    note(place: number, error: AdapterError): void {
      const since = clock();
      const least = error instanceof EndpointUnfit || error instanceof EndpointForgetful ? UNFIT_MS : TROUBLED_MS;
      const why = error instanceof EndpointForgetful ? whyUnreachable(chain, error) : null;
      troubles.set(place, { since, until: since + Math.max(least, error.retryAfterMs ?? 0), why });
      if (why === null) return;
      log?.warn({ chain: chain.key, endpoint: nameOf(place), error: summarizeError(error) }, 'endpoint is troubled');
    },
  };
}

/** How good each endpoint of a chain is now, by its place from 0: by its last answer, and by whether it has failed since. */
export function createRanking(options: EndpointPoolOptions, nameOf: NameOf) {
  const { chain, clock } = options;
  const known = createKnownAnswers(createSurvey(options, nameOf), clock);
  const troubles = createTroubles(options, nameOf);

  function standings(): EndpointStatus[] {
    const faults = findEndpointFaults(known.get());
    return known.get().map((answer, place) => {
      const newest = answer.kind === 'well' ? answer.newest.number : null;
      const why = troubles.of(place)?.why ?? null;
      const trouble = why === null ? null : ({ kind: 'failed', why } as const);
      return { place: place + 1, name: nameOf(place), newest, fault: faults[place] ?? trouble };
    });
  }

  /** The best first. */
  async function ranked(): Promise<{ place: number; rank: number }[]> {
    await known.keep();
    const ranks = findEndpointFaults(known.get()).map((fault, place) => {
      if (fault !== null) return RANK[fault.kind];
      return troubles.of(place) === null ? RANK.well : RANK.troubled;
    });
    return ranks.map((rank, place) => ({ place, rank })).sort((a, b) => a.rank - b.rank || a.place - b.place);
  }

  return {
    standings,
    /** Compares the endpoints anew, unless that was done at this moment. */
    refresh: known.refresh,
    lastSuccess: known.lastSuccess,
    /** An endpoint has failed. */
    note(place: number, error: AdapterError): void {
      known.doubt();
      troubles.note(place, error);
    },
    /** The other endpoints that answer and are not behind, best first. */
    async others(than: ReadonlySet<number>): Promise<number[]> {
      const good = (await ranked()).filter(({ place, rank }) => rank < RANK.behind && !than.has(place));
      return good.map(({ place }) => place);
    },
    /** The endpoints to which bytes are offered again. */
    together: async () => (await ranked()).filter(({ rank }) => rank <= RANK.behind).map(({ place }) => place),
    /** The best endpoint, also when none is good: its answer says what is wrong. Where there is a fork, only one that was compared. */
    async choose(tried: ReadonlySet<number>): Promise<number> {
      const asked = await ranked();
      const isForked = asked.some(({ rank }) => rank === RANK.forked);
      const all = isForked ? asked.filter(({ rank }) => rank <= RANK.behind) : asked;
      const best = all.find(({ place }) => !tried.has(place)) ?? all[0];
      if (best !== undefined) return best.place;
      known.doubt();
      const one = standings().find(({ fault }) => fault?.kind === 'forked');
      const message = `chain ${chain.key}: endpoints differ in a settled block; of ${one?.name}: ${one?.fault?.why}`;
      throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
    },
  };
}

export type Ranking = ReturnType<typeof createRanking>;
