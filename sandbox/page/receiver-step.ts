import { z } from 'zod';
import type { Receiver } from '../receiver.ts';
import { StepError } from '../step-error.ts';
import type { Outcome } from './actions.ts';
import { describeAnswer, type ServiceApi } from './api.ts';
import type { WatchedGigs } from './watched-gig.ts';

const DOWN_MS = 15_000;
/** Each is awarded in a batch of its own, which is one event. */
const AWARDS = [
  { who: 'alice', value: '2' },
  { who: 'bob', value: '1' },
];

const page = z.object({
  data: z.array(z.object({ id: z.string(), type: z.string(), seq: z.int(), data: z.looseObject({ gig_id: z.int() }) })),
  next_after: z.string(),
});

/** An event that the service lists, and that is to arrive. */
export interface ListedEvent {
  readonly id: string;
  readonly seq: number;
}

/** A gig of which events happened while the receiver was down. */
export interface Missed {
  readonly gigId: number;
  /** In the order of the service. */
  readonly events: readonly ListedEvent[];
  /** For how long the receiver takes no connection. */
  readonly downMs: number;
}

/** Takes the receiver down, and lets a gig be created, started and awarded from meanwhile. */
export function createReceiverStep(options: {
  api: ServiceApi;
  gigs: WatchedGigs;
  receiver: Pick<Receiver, 'takeDown'>;
}): () => Promise<Missed | Outcome> {
  const { api, gigs, receiver } = options;

  async function perform(): Promise<Missed> {
    const latest = await api.get('/api/events?after=latest');
    const before = page.safeParse(latest.body);
    if (!before.success) throw new StepError(describeAnswer(latest));
    await receiver.takeDown(DOWN_MS);
    const terms = { gig_type: 'mention', duration: '1week', earning_criteria: 'The best posts, picked by hand.' };
    const gigId = await gigs.open(terms);
    for (const tip of AWARDS) await gigs.award(gigId, tip);
    const path = `/api/events?after=${before.data.next_after}&gig_id=${gigId}`;
    const events = await gigs.untilAnswered(path, (body) => {
      const answer = page.safeParse(body);
      if (!answer.success) return null;
      const isWhole = answer.data.data.filter(({ type }) => type === 'tips.awarded').length === AWARDS.length;
      return isWhole ? answer.data.data.map(({ id, seq }) => ({ id, seq })) : null;
    });
    return { gigId, events, downMs: DOWN_MS };
  }

  return async () => {
    try {
      return await perform();
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      return { ok: false, message: error.message, show: 'step-receiver' };
    }
  };
}
