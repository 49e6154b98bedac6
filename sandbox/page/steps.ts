import { formatAmount } from '../../src/domain/amount.ts';
import { requiredFunds } from '../../src/domain/gigs/gig.ts';
import { PEOPLE, person } from '../people.ts';
import type { Actions, Outcome } from './actions.ts';
import { isNotFunded } from './api.ts';
import type { Earned, EarnStep } from './earn-steps.ts';
import { isByBot } from './events.ts';
import type { Happenings } from './happenings.ts';
import { holdingKey } from './holdings.ts';
import { NETWORKS, type NetworkName, PLATFORM_OF } from './names.ts';
import type { PeopleStep, Walked } from './people-steps.ts';
import { type Press, paidNow, pressOutcome, STEPS, type StepName } from './presses.ts';
import type { Missed } from './receiver-step.ts';
import { type GigRecord, postKey, type Records } from './records.ts';
import type { World } from './world.ts';

/** How a step stands. */
export interface StepView {
  readonly name: StepName;
  readonly state: 'open' | 'running' | 'done';
  /** What the next press is about: a gig, one that is made first when null, and who posts. */
  readonly next: { readonly gigId: number | null; readonly tooMuch: boolean; readonly author: string };
  /** What came of the last press, in a sentence, and the id of its element; null until that is known. */
  readonly outcome: { readonly id: string; readonly text: string; readonly gigId: number | null } | null;
}

/** The steps: what each does, and whether it has been seen. */
export interface Steps {
  run(name: StepName): Promise<Outcome>;
  view(world: World): readonly StepView[];
}

/** What a press did: how it went, and what is to be watched of it when it went well. */
interface Pressed {
  readonly outcome: Outcome;
  readonly press: Watched | null;
}

type Watched = Omit<Press, 'id' | 'outcome'>;

const NOTHING: Watched = { author: '', posts: [], gig: null, before: null };

const OWNER = 'bob';
const DELIVERY_PATIENCE_MS = 2_000;

type Seen = Pick<World, 'records' | 'holdings' | 'service'>;

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

function holdsTooMuch(gig: GigRecord, seen: Seen): boolean {
  return (heldBy(gig, seen) ?? 0n) > requiredFunds(gig);
}

/** A gig of bob's to be started: one that lacks something comes first, one that holds too much last. */
function startable(seen: Seen): GigRecord | undefined {
  const waiting = waitingGigs(seen.records);
  const gigs = waiting.filter((gig) => !holdsTooMuch(gig, seen));
  return gigs.find((gig) => heldBy(gig, seen) !== requiredFunds(gig)) ?? gigs[0] ?? waiting[0];
}

/** What a gig's wallet holds of what it needs, in words. */
function standing(gig: GigRecord, seen: Seen): string {
  const { decimals, symbol } = gig.token;
  const [held, required] = [heldBy(gig, seen) ?? 0n, requiredFunds(gig)];
  const words = `${formatAmount(held, decimals)} of ${formatAmount(required, decimals)} ${symbol}`;
  return held > required ? `${words}, which is too much` : words;
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

/** The steps, none of them done yet. */
export function createSteps(options: {
  actions: Actions;
  happenings: Happenings;
  seen: () => Seen;
  /** Looks at the store and the chain, now. */
  look: () => Promise<void>;
  /** Copies the service's database, in place of an earlier copy. */
  keepCopy: () => void;
  /** Makes a gig of bob's whose wallet is empty, when there is none left. */
  newGig: () => Promise<GigRecord | Outcome>;
  /** Take gigs to where their tips are awarded, and not claimed yet. */
  earn: Readonly<Record<EarnStep | 'payout', () => Promise<Earned | Outcome>>>;
  /** Lets events happen while their receiver is down. */
  miss: () => Promise<Missed | Outcome>;
  /** Have people do things on the service's own pages. */
  walk: Readonly<Record<PeopleStep, () => Promise<Walked | Outcome>>>;
}): Steps {
  const { actions, happenings, seen, newGig } = options;
  const running = new Set<StepName>();
  const presses = new Map<StepName, Press>();
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
        return [...world.records.payments.values()].some(
          ({ kind, state }) => kind === 'payout' && state === 'confirmed',
        );
      case 'crash':
        return lostNothing(world);
      case 'restore':
      case 'earn':
      case 'bounty':
      case 'raffle':
      case 'refund':
      case 'receiver':
      case 'owner':
      case 'button':
        return false; // only its own press shows that
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

  /** The press of a step that is nothing but one post. */
  function say(network: NetworkName, author: string, text: string, about: Pick<Press, 'gig'> = { gig: null }): Pressed {
    const outcome = actions.post(network, { author, text });
    if (outcome.post === null) return { outcome, press: null };
    return { outcome, press: { ...NOTHING, author, posts: [{ network, postId: outcome.post.id }], ...about } };
  }

  /** One post that the service has taken and not answered, and one that it cannot even be told of. */
  async function crash(): Promise<Pressed> {
    const first = say('farcaster', 'carol', '@gigclaim claims');
    const [place] = first.press?.posts ?? [];
    if (first.press === null || place === undefined) return first;
    await delivered(place.postId);
    const killed = actions.kill();
    if (!killed.ok) return { outcome: killed, press: null };
    const second = say('x', 'bob', '@gigclaim claims');
    if (second.press === null) return second;
    return {
      outcome: { ok: true, message: 'Two posts, and the service was killed.', show: 'service' },
      press: { ...first.press, posts: [...first.press.posts, ...second.press.posts] },
    };
  }

  /** What the wallets hold is not known before the first look, which a viewer of the page or a press begins. */
  async function readWallets(): Promise<void> {
    if (seen().holdings === null) await options.look();
  }

  async function refuse(): Promise<Pressed> {
    await readWallets();
    const gig = refusable(seen()) ?? (await newGig());
    if ('message' in gig) return { outcome: gig, press: null };
    const about = { gig: { id: gig.id, standing: standing(gig, seen()) } };
    return say('x', OWNER, `@gigclaim start gig ${gig.id}`, about);
  }

  async function accept(): Promise<Pressed> {
    await readWallets();
    const gig = startable(seen()) ?? (await newGig());
    if ('message' in gig) return { outcome: gig, press: null };
    if (heldBy(gig, seen()) !== requiredFunds(gig)) {
      const ready = holdsTooMuch(gig, seen()) ? await actions.fit(gig.id) : await actions.fund(gig.id, 'exact');
      if (!ready.ok) return { outcome: ready, press: null };
    }
    const now = seen().records.gigs.get(gig.id) ?? gig;
    const about = { gig: { id: gig.id, standing: standing(now, seen()) } };
    return say('x', OWNER, `@gigclaim start gig ${gig.id}`, about);
  }

  /** The next user to be paid: one with tips on Farcaster, where addresses are verified. */
  function payee(): string {
    const { payable: names } = seen().records;
    const payable = PEOPLE.find(({ name }) => names.has(name));
    return (payable ?? person('alice')).name;
  }

  /** The claim is what a copy of before does not know. */
  async function pay(): Promise<Pressed> {
    await options.look();
    if (seen().records.payable.size === 0) {
      const earned = await options.earn.payout();
      if ('message' in earned) return { outcome: earned, press: null };
      await options.look();
    }
    options.keepCopy();
    return say('farcaster', payee(), '@gigclaim claim my rewards');
  }

  async function restore(): Promise<Pressed> {
    await options.look();
    const before = paidNow(seen());
    if (before === null || before.payouts.size === 0) {
      const message = 'Nobody was paid yet. Press the button of the payout first.';
      return { outcome: { ok: false, message, show: 'step-payout' }, press: null };
    }
    const outcome = await actions.putBackCopy();
    return { outcome, press: { ...NOTHING, before } };
  }

  /** Those with tips are paid what they have earned, and one who was refused, if any, asks why. */
  async function earn(name: EarnStep): Promise<Pressed> {
    const earned = await options.earn[name]();
    if ('message' in earned) return { outcome: earned, press: null };
    const { gigId, paid, refused } = earned;
    const said = [
      ...paid.map((who) => say('farcaster', who, '@gigclaim claim my rewards')),
      ...(refused === null ? [] : [say('farcaster', refused, `@gigclaim why ${gigId}`)]),
    ];
    const posts = said.flatMap(({ press }) => press?.posts ?? []);
    const outcome: Outcome = { ok: true, message: `The tips of gig ${gigId} are claimed.`, show: `step-${name}` };
    return { outcome, press: { ...NOTHING, author: paid[0] ?? '', posts, gig: { id: gigId, standing: '' } } };
  }

  async function killReceiver(): Promise<Pressed> {
    const missed = await options.miss();
    if ('message' in missed) return { outcome: missed, press: null };
    const { gigId, events } = missed;
    const message = `The receiver has missed ${events.length} events of gig ${gigId}.`;
    return {
      outcome: { ok: true, message, show: 'step-receiver' },
      press: { ...NOTHING, gig: { id: gigId, standing: '' }, missed },
    };
  }

  /** What a person did on the service's own pages. */
  async function walk(name: PeopleStep): Promise<Pressed> {
    const walked = await options.walk[name]();
    if ('message' in walked) return { outcome: walked, press: null };
    const { who, gigId } = walked;
    const outcome = { ok: true, message: `${who} is done with gig ${gigId}.`, show: `step-${name}` };
    return { outcome, press: { ...NOTHING, author: who, gig: { id: gigId, standing: '' } } };
  }

  async function perform(name: StepName): Promise<Pressed> {
    switch (name) {
      case 'look-up':
        return say('farcaster', 'alice', '@gigclaim claims');
      case 'refused':
        return await refuse();
      case 'accepted':
        return await accept();
      case 'payout':
        return await pay();
      case 'crash':
        return await crash();
      case 'restore':
        return await restore();
      case 'earn':
      case 'bounty':
      case 'raffle':
      case 'refund':
        return await earn(name);
      case 'receiver':
        return await killReceiver();
      case 'owner':
      case 'button':
        return await walk(name);
    }
  }

  /** What came of the last press of a step. Once known it stays: what happens later is not its outcome. */
  function outcomeOf(name: StepName, world: World): Press['outcome'] {
    const press = presses.get(name);
    if (press === undefined) return null;
    const outcome = press.outcome ?? pressOutcome(name, press, world);
    presses.set(name, { ...press, outcome });
    return outcome;
  }

  function stateOf(name: StepName, world: World): StepView['state'] {
    if (running.has(name)) return 'running';
    // What was seen before a press is not the answer to it.
    if (!presses.has(name)) return isDone(name, world) ? 'done' : 'open';
    const outcome = outcomeOf(name, world);
    if (outcome === null) return 'running';
    return outcome.asMeant ? 'done' : 'open';
  }

  let count = 0;
  return {
    run: async (name) => {
      running.add(name);
      count += 1;
      const id = `outcome-${name}-${count}`;
      const fail = (text: string) => presses.set(name, { ...NOTHING, id, outcome: { text, asMeant: false } });
      fail('It broke off.');
      try {
        const { outcome, press } = await perform(name);
        const { ok, message, show } = outcome;
        if (!ok || press === null) {
          fail(message);
          return { ok, message, show };
        }
        presses.set(name, { ...press, id, outcome: null });
        return { ok, message, show, later: id };
      } finally {
        running.delete(name);
      }
    },
    view: (world) =>
      STEPS.map((name) => {
        const state = stateOf(name, world);
        const gig = name === 'refused' ? refusable(world) : name === 'accepted' ? startable(world) : undefined;
        const tooMuch = gig !== undefined && holdsTooMuch(gig, world);
        const next = { gigId: gig?.id ?? null, tooMuch, author: name === 'payout' ? payee() : 'alice' };
        const press = presses.get(name);
        const text = running.has(name) ? null : (press?.outcome?.text ?? null);
        if (press === undefined || text === null) return { name, state, next, outcome: null };
        return { name, state, next, outcome: { id: press.id, text, gigId: press.gig?.id ?? null } };
      }),
  };
}
