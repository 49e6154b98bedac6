import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { LocalToken } from '../chain.ts';
import { FUNDER, person } from '../people.ts';
import { StepError } from '../step-error.ts';
import type { Actions, Outcome } from './actions.ts';
import { describeAnswer, type ServiceApi } from './api.ts';
import type { Watcher } from './watcher.ts';

const created = z.object({ gig_id: z.int() });
const counted = z.object({
  data: z.object({ earning: z.object({ counts: z.object({ held: z.int(), awarded: z.int(), refused: z.int() }) }) }),
});

const stated = z.object({ data: z.object({ status: z.string() }) });

/** How many accounts of a gig are in each state. */
export type Counts = z.infer<typeof counted>['data']['earning']['counts'];

const ASK_MS = 300;
const PATIENCE_MS = 60_000;
/** The service looks at the wallets of gigs that start by themselves once a minute. */
const START_PATIENCE_MS = 150_000;

/** Makes gigs of 10 USDC, and waits for what the service decides about them. */
export interface WatchedGigs {
  /** Creates a gig by the API, funds its wallet and starts it. @throws StepError */
  open(terms: object): Promise<number>;
  /** Resolves when the service counts the gig's accounts so. @throws StepError when it does not in a minute */
  untilCounted(gigId: number, isSo: (counts: Counts) => boolean): Promise<void>;
  /** Awards a tip to the person's account on Farcaster; `value` in whole tokens. @throws StepError */
  award(gigId: number, tip: { who: string; value: string }): Promise<void>;
  /** Opens a gig whose tips the page awards, and awards one, as {@link award}. @returns the gig @throws StepError */
  openAwarded(tip: { who: string; value: string }): Promise<number>;
  /** Resolves when this payment of the gig is on the chain. @throws StepError when it is not in a minute */
  untilPaid(gigId: number, kind: 'fee' | 'refund'): Promise<void>;
  /** Resolves when the gig has started by itself. @throws StepError when it has not in two and a half minutes */
  untilLive(gigId: number): Promise<void>;
  /** Asks the API until the answer is one that is waited for, which `read` returns. @throws StepError */
  untilAnswered<T>(path: string, read: (body: unknown) => T | null): Promise<T>;
}

/** What works with the page's own API client and actions. */
export function createWatchedGigs(options: {
  api: ServiceApi;
  actions: Pick<Actions, 'fund' | 'start'>;
  watcher: Pick<Watcher, 'look' | 'lookAtChain' | 'seen'>;
  tokens: readonly LocalToken[];
  /** Epoch ms. */
  now: () => number;
}): WatchedGigs {
  const { api, actions, watcher, now } = options;
  const token = options.tokens.find(({ symbol }) => symbol === 'USDC');

  async function create(terms: object): Promise<number> {
    if (token === undefined) throw new StepError('There is no token for one more gig.');
    const shared = { chain: 'anvil', token_address: token.address, amount: '10', refund_address: FUNDER.address };
    const start = { start_time: new Date(now()).toISOString() };
    const made = await api.post('/api/gigs/create', { ...shared, ...start, ...terms });
    const answer = created.safeParse(made.body);
    if (!answer.success) throw new StepError(describeAnswer(made));
    return answer.data.gig_id;
  }

  async function mustWork(doing: Promise<Outcome>): Promise<void> {
    const { ok, message } = await doing;
    if (!ok) throw new StepError(message);
  }

  async function untilFound<T>(look: () => Promise<T | null>, orElse: string, patienceMs = PATIENCE_MS): Promise<T> {
    const until = performance.now() + patienceMs;
    while (performance.now() < until) {
      const found = await look();
      if (found !== null) return found;
      await wait(ASK_MS);
    }
    throw new StepError(`${orElse} within ${patienceMs / 1_000} s.`);
  }

  async function untilAnswered<T>(path: string, read: (body: unknown) => T | null): Promise<T> {
    const ask = async () => read((await api.get(path)).body);
    return await untilFound(ask, `GET ${path}: the service has not decided`);
  }

  const open: WatchedGigs['open'] = async (terms) => {
    const gigId = await create(terms);
    await watcher.look();
    await mustWork(actions.fund(gigId, 'exact'));
    await mustWork(actions.start(gigId));
    return gigId;
  };

  const award: WatchedGigs['award'] = async (gigId, { who, value }) => {
    const account = { platform: 'farcaster', platform_user_id: String(person(who).fid), username: who };
    const made = await api.post(`/api/gigs/${gigId}/tips`, { tips: [{ ...account, value }] });
    if (made.status !== 201) throw new StepError(describeAnswer(made));
  };

  return {
    open,
    award,
    openAwarded: async (tip) => {
      const terms = { gig_type: 'mention', duration: '1week', earning_criteria: 'The best posts, picked by hand.' };
      const gigId = await open(terms);
      await award(gigId, tip);
      return gigId;
    },
    untilPaid: async (gigId, kind) => {
      const look = async () => {
        await watcher.lookAtChain();
        const payments = [...watcher.seen().records.payments.values()];
        const found = payments.find((payment) => payment.kind === kind && payment.gigId === gigId);
        return found?.state === 'confirmed' ? true : null;
      };
      await untilFound(look, `The ${kind} of gig ${gigId} has not been paid`);
    },
    untilLive: async (gigId) => {
      const look = async () => {
        const answer = stated.safeParse((await api.get(`/api/gigs/${gigId}`)).body);
        return answer.success && answer.data.data.status === 'live' ? true : null;
      };
      await untilFound(look, `Gig ${gigId} has not started by itself`, START_PATIENCE_MS);
    },
    untilAnswered,
    untilCounted: async (gigId, isSo) => {
      await untilAnswered(`/api/gigs/${gigId}`, (body) => {
        const answer = counted.safeParse(body);
        return answer.success && isSo(answer.data.data.earning.counts) ? true : null;
      });
    },
  };
}
