import type { Decide } from '../domain/chains/chain.ts';
import type { EndpointStatus } from '../domain/chains/endpoint-status.ts';
import { AdapterError } from '../domain/errors.ts';
import { summarizeError } from '../log.ts';
import { createDecisions, type Decisions } from './endpoint-decisions.ts';
import { createOffers, type Offerers, type Offering, type TellNext } from './endpoint-offers.ts';
import { createRanking, type EndpointPoolOptions, type Ranking } from './endpoint-ranking.ts';
import { EndpointUnfit, isOfEndpoint } from './rpc/fault.ts';
import { endpointName } from './rpc/rpc-url.ts';

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

/** The questions of decisions, each asked at the endpoint of its decision. */
function createQuestions(
  { chain, siteAt, tellNext }: Pick<Offerers, 'chain' | 'siteAt' | 'tellNext'>,
  ranking: Ranking,
  { current, placeOf, decide }: Decisions,
): Pick<EndpointPool, 'ask' | 'askFully' | 'compare'> {
  async function ask<Site, T>(sites: readonly Site[], question: (site: Site) => Promise<T>): Promise<T> {
    const decision = current();
    if (decision === null) return await decide(() => ask(sites, question));
    const place = await placeOf(decision);
    try {
      return await question(siteAt(sites, place));
    } catch (error) {
      if (isOfEndpoint(error)) {
        ranking.note(place, error);
        decision.hasFailed = true;
      }
      throw error;
    }
  }

  async function compare(): Promise<void> {
    const decision = current();
    await ranking.refresh();
    if (decision === null) return;
    const { fault = null } = ranking.standings()[await placeOf(decision)] ?? {};
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
    for (const next of await ranking.others(new Set([place]))) {
      const theirs = await question(siteAt(sites, next)).catch(() => answer);
      if (!isFuller(theirs, answer)) continue;
      const message = `chain ${chain.key}: the endpoint lacks what another one of the chain has`;
      const error = new EndpointUnfit({ retry: 'safe', reason: 'bad_response', message });
      tellNext('endpoint does not tell what another does', { place, next, error });
      if (!anew) return theirs;
      ranking.note(place, error);
      decision.hasFailed = true;
      throw error;
    }
    return answer;
  };

  return { ask, askFully, compare };
}

/** The {@link EndpointPool} of a chain. Nothing is sent before the first question. */
export function createEndpointPool(options: EndpointPoolOptions): EndpointPool {
  const { chain, rpcUrls, log } = options;
  const names = rpcUrls.map((rpcUrl, index) => endpointName(rpcUrl, index + 1));
  const nameOf = (place: number) => names[place] ?? '';
  const ranking = createRanking(options, nameOf);
  const { standings, lastSuccess, choose, others, together, note } = ranking;

  const tellNext: TellNext = (message, { place, next, error }) => {
    const [endpoint, other] = [nameOf(place), nameOf(next)];
    log?.warn({ chain: chain.key, endpoint, other, error: summarizeError(error) }, message);
  };

  function siteAt<Site>(sites: readonly Site[], place: number): Site {
    const site = sites[place];
    if (site === undefined) throw new RangeError(`chain ${chain.key} has no endpoint ${place + 1}`);
    return site;
  }

  const decisions = createDecisions(ranking, tellNext);
  async function inTurn(): Promise<number[]> {
    const decision = decisions.current();
    const first = decision === null ? await choose(new Set()) : await decisions.placeOf(decision);
    return [first, ...(await others(new Set([first])))];
  }

  const offer = createOffers({ chain, siteAt, inTurn, together, note, tellNext });
  const questions = createQuestions({ chain, siteAt, tellNext }, ranking, decisions);
  return { ...questions, decide: decisions.decide, offer, nameOf, standings, lastSuccess };
}
