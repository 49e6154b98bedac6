import { requiredFunds } from '../../domain/gig.ts';
import { PEOPLE, person } from '../people.ts';
import type { Actions, Outcome } from './actions.ts';
import { isNotFunded } from './api.ts';
import { isByBot } from './events.ts';
import type { Happenings } from './happenings.ts';
import { holdingKey } from './holdings.ts';
import { NETWORKS, PLATFORM_OF } from './names.ts';
import { type GigRecord, postKey, type RecordReader, type Records } from './records.ts';
import type { World } from './world.ts';

/** What a stranger can see the service do, in the order in which it makes sense. */
export const STEPS = ['look-up', 'refused', 'accepted', 'payout', 'crash'] as const;
export type StepName = (typeof STEPS)[number];

/** How a step stands. */
export interface StepView {
  readonly name: StepName;
  readonly state: 'open' | 'running' | 'done';
  /** The gig that the step is about, where it is about one. */
  readonly gigId: number | null;
  /** Who posts. */
  readonly author: string;
}

/** The five steps: what each does, and whether it has been seen. */
export interface Steps {
  run(name: StepName): Promise<Outcome>;
  view(world: World): readonly StepView[];
}

const OWNER = 'bob';
const DELIVERY_PATIENCE_MS = 2_000;

type Seen = Pick<World, 'records' | 'holdings'>;

function heldBy(gig: GigRecord, { holdings }: Seen): bigint | undefined {
  return holdings?.amounts.get(holdingKey(gig.walletAddress, gig.token));
}

function waitingGigs({ gigs }: Records): GigRecord[] {
  return [...gigs.values()].filter(({ status, owners }) => status === 'created' && owners.includes(OWNER));
}

/** A gig of bob's whose start is refused, because its wallet does not hold what it must. */
function refusable(seen: Seen): GigRecord | undefined {
  return waitingGigs(seen.records).find((gig) => heldBy(gig, seen) !== requiredFunds(gig));
}

/** A gig of bob's that can still be funded exactly; one that lacks something comes first. */
function startable(seen: Seen): GigRecord | undefined {
  const gigs = waitingGigs(seen.records).filter((gig) => (heldBy(gig, seen) ?? 0n) <= requiredFunds(gig));
  return gigs.find((gig) => heldBy(gig, seen) !== requiredFunds(gig)) ?? gigs[0];
}

function botSaid(world: World, words: RegExp): boolean {
  return NETWORKS.some((network) => world.posts[network].some((post) => isByBot(post) && words.test(post.text)));
}

/** Whether everything that waited through the last crash was answered exactly once, or on purpose not at all. */
function lostNothing({ crash, service, posts, records }: World): boolean {
  if (crash === null || service.state !== 'up') return false;
  return crash.atStake.every(({ network, postId }) => {
    const answers = posts[network].filter((post) => isByBot(post) && post.replyTo === postId).length;
    const silent = records.mentions.get(postKey(PLATFORM_OF[network], postId))?.state === 'ignored';
    return answers === (silent ? 0 : 1);
  });
}

/** The steps, of which none has been done yet. */
export function createSteps(options: {
  actions: Actions;
  happenings: Happenings;
  records: RecordReader;
  seen: () => Seen;
}): Steps {
  const { actions, happenings, seen } = options;
  const pressed = new Set<StepName>();
  const liveAtFirst = new Set(
    [...seen().records.gigs.values()].filter(({ status }) => status === 'live').map(({ id }) => id),
  );

  function isDone(name: StepName, world: World): boolean {
    switch (name) {
      case 'look-up':
        return botSaid(world, /claimable tokens/);
      case 'refused':
        return botSaid(world, /is not funded/) || [...world.starts.values()].some(isNotFunded);
      case 'accepted':
        return [...world.records.gigs.values()].some(({ id, status }) => status === 'live' && !liveAtFirst.has(id));
      case 'payout':
        return [...world.records.transfers.values()].some(
          ({ kind, state }) => kind === 'payout' && state === 'confirmed',
        );
      case 'crash':
        return lostNothing(world);
    }
  }

  /** Resolves when the event of a post was taken by the service, or after a while. */
  function delivered(postId: string): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(finish, DELIVERY_PATIENCE_MS);
      const stop = happenings.lookOn({
        network: (_, event) => {
          if (event.type === 'delivered' && event.postId === postId) finish();
        },
      });
    });
  }

  /** One post that the service has taken and not answered, and one that it cannot even be told of. */
  async function crash(): Promise<Outcome> {
    const first = actions.post('farcaster', { author: 'carol', text: '@gigclaim claims' });
    if (first.post === null) return first;
    await delivered(first.post.id);
    const killed = actions.kill();
    if (!killed.ok) return killed;
    const second = actions.post('x', { author: 'bob', text: '@gigclaim claims' });
    if (second.post === null) return second;
    return { ok: true, message: 'Two posts, and the service was killed.', show: 'service' };
  }

  async function accept(): Promise<Outcome> {
    const gig = startable(seen());
    if (gig === undefined) {
      return { ok: false, message: 'Every gig that bob could start is live, or holds too much.', show: 'gigs' };
    }
    if (heldBy(gig, seen()) !== requiredFunds(gig)) {
      const funded = await actions.fund(gig.id, 'exact');
      if (!funded.ok) return funded;
    }
    return actions.post('x', { author: OWNER, text: `@gigclaim start gig ${gig.id}` });
  }

  /** Who is paid next: somebody with tips on Farcaster, where addresses are verified. */
  function payee(): string {
    const payable = PEOPLE.find(({ fid }) =>
      options.records.hasPending({ platform: 'farcaster', platformUserId: String(fid) }),
    );
    return (payable ?? person('alice')).name;
  }

  async function perform(name: StepName): Promise<Outcome> {
    switch (name) {
      case 'look-up':
        return actions.post('farcaster', { author: 'alice', text: '@gigclaim claims' });
      case 'refused': {
        const gig = refusable(seen());
        if (gig === undefined) return { ok: false, message: 'Every gig of bob’s is funded exactly.', show: 'gigs' };
        return actions.post('x', { author: OWNER, text: `@gigclaim start gig ${gig.id}` });
      }
      case 'accepted':
        return await accept();
      case 'payout':
        return actions.post('farcaster', { author: payee(), text: '@gigclaim claim my rewards' });
      case 'crash':
        return await crash();
    }
  }

  return {
    run: async (name) => {
      pressed.add(name);
      const { ok, message, show } = await perform(name);
      if (!ok) pressed.delete(name);
      return { ok, message, show };
    },
    view: (world) =>
      STEPS.map((name) => {
        const done = isDone(name, world);
        const gig = name === 'refused' ? refusable(world) : name === 'accepted' ? startable(world) : undefined;
        const state = done ? 'done' : pressed.has(name) ? 'running' : 'open';
        return { name, state, gigId: gig?.id ?? null, author: name === 'payout' ? payee() : 'alice' };
      }),
  };
}
