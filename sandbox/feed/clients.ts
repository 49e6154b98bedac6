import type { NetworkPost } from '../networks/network.ts';
import type { Stage } from '../page/stage.ts';
import type { Person } from '../people.ts';
import { StepError } from '../step-error.ts';
import type { Card } from './card.ts';
import { fetchCard, type TapAnswer } from './client.ts';
import type { ShownCard, ShownCast, View } from './views.ts';

/** How long a card is shown before it is asked for again. */
const FRESH_MS = 5_000;
/** Older threads are left out. */
const SHOWN_THREADS = 30;
/** How many embeds a cast has at most. */
const MOST_EMBEDS = 2;

/** What stands in place of a card's first state, for one person. */
type Answered = { readonly card: Card | null; readonly problem: string | null };

/** Clients make embeds of the URLs that people type. */
function urlsOf({ embeds = [], text }: NetworkPost): string[] {
  const typed = (text.match(/https?:\/\/\S+[^\s.,!?)]/g) ?? []).filter((url) => URL.canParse(url));
  return [...new Set([...embeds, ...typed])].slice(0, MOST_EMBEDS);
}

/** The cards of the service, as the servers of a client keep them; those of other places are not asked for. */
function createCards(service: string) {
  const known = new Map<string, { readonly at: number; readonly card: Promise<Card | null> }>();
  return async (url: string): Promise<Card | null> => {
    if (new URL(url).origin !== service) return null;
    const earlier = known.get(url);
    if (earlier !== undefined && performance.now() - earlier.at < FRESH_MS) return await earlier.card;
    // While the service is down, its cards stay as they were.
    const card = fetchCard(url).then(async (found) => found ?? (await earlier?.card) ?? null);
    known.set(url, { at: performance.now(), card });
    return await card;
  };
}

/** The clients of all people: what each of them shows. */
export function createClients({ networks: { farcaster }, places }: Stage) {
  const cardAt = createCards(new URL(places.service).origin);
  const answers = new Map<string, Answered>();
  const placeOf = (who: Person, { id }: NetworkPost, url: string) => `${who.name} ${id} ${url}`;

  async function showCard(who: Person, post: NetworkPost, url: string): Promise<ShownCard> {
    const answered = answers.get(placeOf(who, post, url));
    const card = answered?.card ?? (await cardAt(url));
    const key = `card-${post.id.slice(2, 14)}-${urlsOf(post).indexOf(url)}`;
    return { key, url, card, problem: answered?.problem ?? null, isFirst: answered === undefined };
  }

  async function showCast(who: Person, post: NetworkPost): Promise<ShownCast> {
    const replies = farcaster.posts().filter(({ replyTo }) => replyTo === post.id);
    return {
      post,
      cards: await Promise.all(urlsOf(post).map((url) => showCard(who, post, url))),
      replies: await Promise.all(replies.map((reply) => showCast(who, reply))),
    };
  }

  return {
    /** Everything that a person's client shows. */
    view: async (who: Person): Promise<View> => {
      const roots = farcaster.posts().filter(({ replyTo }) => replyTo === null);
      const newest = roots.toReversed().slice(0, SHOWN_THREADS);
      const told = farcaster.notifications.shown().filter(({ fid }) => fid === String(who.fid));
      return { who, threads: await Promise.all(newest.map((post) => showCast(who, post))), told: told.toReversed() };
    },
    /** A cast, and its card for a URL as the person's client shows it. @throws StepError */
    find: async (who: Person, castId: string, url: string) => {
      const cast = farcaster.posts().find(({ id }) => id === castId);
      if (cast === undefined) throw new StepError('The cast is gone.');
      if (!urlsOf(cast).includes(url)) throw new StepError('The cast has no such card.');
      return { cast, shown: await showCard(who, cast, url) };
    },
    /** Shows what a tap was answered in place of the card; after a problem the card stays. Null shows the first card. */
    replace: (who: Person, cast: NetworkPost, { url, card }: ShownCard, answer: TapAnswer | null) => {
      const place = placeOf(who, cast, url);
      if (answer === null) answers.delete(place);
      else
        answers.set(place, 'card' in answer ? { card: answer.card, problem: null } : { card, problem: answer.problem });
    },
  };
}

export type Clients = ReturnType<typeof createClients>;
