import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { LocalToken } from '../chain.ts';
import type { FarcasterNetwork } from '../networks/farcaster.ts';
import { PEOPLE, SPONSOR } from '../people.ts';
import type { Actions, Outcome } from './actions.ts';
import { describeAnswer, type ServiceApi } from './api.ts';
import type { Story } from './story.ts';
import type { TimeMachine } from './time.ts';
import type { Watcher } from './watcher.ts';

const created = z.object({ gig_id: z.int() });
const counted = z.object({
  data: z.object({ earning: z.object({ counts: z.object({ held: z.int(), awarded: z.int(), refused: z.int() }) }) }),
});
type Counts = z.infer<typeof counted>['data']['earning']['counts'];

/** Who takes the like back before it is decided about. */
const FICKLE = 'carol';
/** Longer than the hold of likes, which is 12 hours. */
const LATER_MS = 13 * 3_600_000;
const ASK_MS = 300;
const PATIENCE_MS = 60_000;

/** What went wrong, as the page shows it. */
class StepError extends Error {
  override readonly name = 'StepError';
}

/**
 * Has a gig watched from its creation to its awards: everybody likes a cast, one takes it back, and the time moves on.
 * @returns the gig with its awards, or what went wrong
 */
export function createEarnStep(options: {
  farcaster: FarcasterNetwork;
  api: ServiceApi;
  actions: Pick<Actions, 'fund' | 'start'>;
  watcher: Watcher;
  story: Story;
  time: TimeMachine;
  tokens: readonly LocalToken[];
}): () => Promise<{ readonly gigId: number } | Outcome> {
  const { farcaster, api, actions, watcher, story, time } = options;
  const token = options.tokens.find(({ symbol }) => symbol === 'USDC');

  async function createGig(url: string): Promise<number> {
    if (token === undefined) throw new StepError('There is no token for one more gig.');
    const terms = {
      chain: 'anvil',
      token_address: token.address,
      amount: '10',
      duration: '1week',
      gig_type: 'like',
      url,
    };
    const rules = { earning_criteria: { rule: { type: 'fixed', amount: '2' } } };
    const start = { start_time: new Date(time.now()).toISOString() };
    const made = await api.post('/api/gigs/create', { ...terms, ...rules, ...start });
    const answer = created.safeParse(made.body);
    if (!answer.success) throw new StepError(describeAnswer(made));
    return answer.data.gig_id;
  }

  async function mustWork(doing: Promise<Outcome>): Promise<void> {
    const { ok, message } = await doing;
    if (!ok) throw new StepError(message);
  }

  /** Resolves when the service counts the gig's accounts so. */
  async function untilCounted(gigId: number, isSo: (counts: Counts) => boolean): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (performance.now() < until) {
      const answer = counted.safeParse((await api.get(`/api/gigs/${gigId}`)).body);
      if (answer.success && isSo(answer.data.data.earning.counts)) return;
      await wait(ASK_MS);
    }
    throw new StepError(`The service has not decided about gig ${gigId} within ${PATIENCE_MS / 1_000} s.`);
  }

  function tell(text: string): void {
    story.tell({ scene: 'Farcaster', text });
  }

  async function earn(): Promise<{ gigId: number }> {
    const cast = farcaster.post({ author: SPONSOR.username, text: 'Like this cast, and be paid for it.' });
    const gigId = await createGig(cast.url);
    await watcher.look();
    await mustWork(actions.fund(gigId, 'exact'));
    await mustWork(actions.start(gigId));
    for (const { name } of PEOPLE) farcaster.act({ who: name, kind: 'like', post: cast.id });
    tell(`${PEOPLE.map(({ name }) => name).join(', ')} liked the cast of gig ${gigId}.`);
    await untilCounted(gigId, ({ held }) => held === PEOPLE.length);
    farcaster.act({ who: FICKLE, kind: 'unlike', post: cast.id });
    tell(`${FICKLE} took the like back.`);
    await time.moveOn(LATER_MS);
    story.tell({ scene: 'You', text: 'moved the time on by 13 h, past the hold of the likes.' });
    await untilCounted(gigId, ({ awarded, refused }) => awarded + refused === PEOPLE.length);
    return { gigId };
  }

  return async () => {
    try {
      return await earn();
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      return { ok: false, message: error.message, show: 'step-earn' };
    }
  };
}
