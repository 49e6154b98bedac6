import { z } from 'zod';
import type { FarcasterNetwork } from '../networks/farcaster.ts';
import { BOT, PEOPLE, SPONSOR } from '../people.ts';
import { StepError } from '../step-error.ts';
import type { Outcome } from './actions.ts';
import { runToRefund } from './refund-step.ts';
import type { Scene, Story } from './story.ts';
import type { TimeMachine } from './time.ts';
import type { WatchedGigs } from './watched-gig.ts';

/** The steps with a gig of their own, from its creation to a claim. */
export type EarnStep = 'earn' | 'bounty' | 'raffle' | 'refund';

/** A gig whose tips have been awarded, and not claimed yet. */
export interface Earned {
  readonly gigId: number;
  /** Who has tips to claim. */
  readonly paid: readonly string[];
  /** Who got none, and is to ask why; null when the gig does not decide about accounts itself. */
  readonly refused: string | null;
}

const HOUR_MS = 3_600_000;
/** Longer than the hold of likes, which is 12 hours. */
const PAST_HOLD_MS = 13 * HOUR_MS;
/** The hold of the last like is over as long after the end. */
const PAST_END_MS = 24 * HOUR_MS + PAST_HOLD_MS;
/** A minute after the entrants are fixed the next block decides. */
const PAST_BLOCK_MS = 2 * 60_000;
const NAMES = PEOPLE.map(({ name }) => name);
const WORK = 'A logo in two colours: https://design.example/1';
const NO_WORK = 'I have no logo yet, but a very good idea';

const draw = z.object({
  data: z.object({ state: z.string(), winners: z.array(z.object({ platform_user_id: z.string() })) }),
});
type Draw = z.infer<typeof draw>['data'];

/** Takes gigs from their creation to their awards, one to its refund, and moves the time on where something waits for it. */
export function createEarnSteps(options: {
  farcaster: FarcasterNetwork;
  gigs: WatchedGigs;
  story: Story;
  time: TimeMachine;
  /** Where bounties are decided about. */
  verifier: string;
}): Readonly<Record<EarnStep | 'payout', () => Promise<Earned | Outcome>>> {
  const { farcaster, gigs, story, time, verifier } = options;

  function tell(text: string, scene: Scene = 'Farcaster'): void {
    story.tell({ scene, text });
  }

  async function moveOn(ms: number, words: string): Promise<void> {
    await time.moveOn(ms);
    tell(`moved the time on by ${words}.`, 'You');
  }

  /** Everybody likes a cast, and the service has seen it. */
  async function openLiked(text: string, terms: object) {
    const cast = farcaster.post({ author: SPONSOR.username, text });
    const gigId = await gigs.open({ gig_type: 'like', url: cast.url, ...terms });
    for (const who of NAMES) farcaster.act({ who, kind: 'like', post: cast.id });
    tell(`${NAMES.join(', ')} liked the cast of gig ${gigId}.`);
    await gigs.untilCounted(gigId, ({ held }) => held === NAMES.length);
    return { gigId, cast };
  }

  async function earn(): Promise<Earned> {
    const rules = { rule: { type: 'fixed', amount: '2' } };
    const terms = { duration: '1week', earning_criteria: rules };
    const { gigId, cast } = await openLiked('Like this cast, and be paid for it.', terms);
    farcaster.act({ who: 'carol', kind: 'unlike', post: cast.id });
    tell('carol took the like back.');
    await moveOn(PAST_HOLD_MS, '13 h, past the hold of the likes');
    await gigs.untilCounted(gigId, ({ awarded, refused }) => awarded + refused === NAMES.length);
    return { gigId, paid: ['alice', 'bob'], refused: 'mallory' };
  }

  function untilDraw(gigId: number, state: string): Promise<Draw> {
    return gigs.untilAnswered(`/api/gigs/${gigId}/draw`, (body) => {
      const answer = draw.safeParse(body);
      return answer.success && answer.data.data.state === state ? answer.data.data : null;
    });
  }

  async function raffle(): Promise<Earned> {
    const rules = { rule: { type: 'raffle', winners: 1 } };
    const terms = { duration: '1day', earning_criteria: rules };
    const { gigId } = await openLiked('Like this cast, and one of you wins it all.', terms);
    await moveOn(PAST_END_MS, '1 d 13 h, past the end and the hold of the likes');
    await untilDraw(gigId, 'fixed');
    await moveOn(PAST_BLOCK_MS, '2 min, past the block that decides');
    const { winners } = await untilDraw(gigId, 'drawn');
    await gigs.untilCounted(gigId, ({ awarded, refused }) => awarded + refused === NAMES.length);
    const drawn = new Set(winners.map((winner) => winner.platform_user_id));
    const [winner, ...more] = PEOPLE.filter(({ fid }) => drawn.has(String(fid)));
    if (winner === undefined || more.length > 0) throw new StepError(`Gig ${gigId} has no winner.`);
    return { gigId, paid: [winner.name], refused: winner.name === 'bob' ? 'carol' : 'bob' };
  }

  async function bounty(): Promise<Earned> {
    const gigId = await gigs.open({
      gig_type: 'custom_bounty',
      duration: '1week',
      how_to_earn: 'Design a logo',
      verifier,
      earning_criteria: { rule: { type: 'verifier', max_amount: '5' } },
    });
    const submit = (author: string, work: string) =>
      farcaster.post({ author, text: `@${BOT.username} submit ${gigId} ${work}` });
    submit('alice', WORK);
    submit('bob', NO_WORK);
    await gigs.untilCounted(gigId, ({ awarded, refused }) => awarded + refused === 2);
    return { gigId, paid: ['alice'], refused: 'bob' };
  }

  async function refund(): Promise<Earned> {
    return { gigId: await runToRefund({ farcaster, gigs, moveOn }), paid: ['alice'], refused: null };
  }

  /** What the payout claims once all that was there is claimed. */
  async function payout(): Promise<Earned> {
    const gigId = await gigs.openAwarded({ who: 'alice', value: '2' });
    tell(`alice has earned 2 USDC in gig ${gigId}, because nobody had tips to claim.`, 'You');
    return { gigId, paid: ['alice'], refused: null };
  }

  const shown = (name: EarnStep | 'payout', run: () => Promise<Earned>) => async () => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      return { ok: false, message: error.message, show: `step-${name}` };
    }
  };
  return {
    earn: shown('earn', earn),
    bounty: shown('bounty', bounty),
    raffle: shown('raffle', raffle),
    refund: shown('refund', refund),
    payout: shown('payout', payout),
  };
}
