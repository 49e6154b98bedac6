import { html, raw } from 'hono/html';
import { minuteText } from '../../src/domain/time.ts';
import type { Assets } from '../../src/http/ui/assets.ts';
import { type Markup, renderPage } from '../../src/http/ui/layout.ts';
import type { ShownNotification } from '../networks/farcaster-notifications.ts';
import type { NetworkPost } from '../networks/network.ts';
import { isByBot, saidIn } from '../page/story.ts';
import { clockTime } from '../page/words.ts';
import { PEOPLE, type Person } from '../people.ts';
import type { Card } from './card.ts';
import { renderCard } from './elements.ts';

/** What a person sees in place of a URL that a cast embeds. */
export interface ShownCard {
  /** The id of its element. */
  readonly key: string;
  readonly url: string;
  /** Null for a URL without a card, which is shown as a link. */
  readonly card: Card | null;
  /** Why the last tap was not answered by a card. */
  readonly problem: string | null;
  /** Whether the person has not tapped it. */
  readonly isFirst: boolean;
}

/** A cast with what answers it. */
export interface ShownCast {
  readonly post: NetworkPost;
  readonly cards: readonly ShownCard[];
  readonly replies: readonly ShownCast[];
}

/** Farcaster as a person's client shows it, the newest first. */
export interface View {
  readonly who: Person;
  readonly threads: readonly ShownCast[];
  readonly told: readonly ShownNotification[];
}

/** The parts of the feed that change, by the ids of their elements. */
type FeedParts = { readonly casts: string; readonly told: string };

function renderEmbed(shown: ShownCard, { post }: ShownCast, who: Person, isShown: (hash: string) => boolean): Markup {
  const { key, url, card, problem, isFirst } = shown;
  const link = html`<a href="${url}">${url.replace(/^https?:\/\//, '')}</a>`;
  if (card === null) return html`<p class="small link" id="${key}">${link}</p>`;
  const again = html`<form action="/feed/first" method="post" data-act>${renderPlace(shown, post, who)}<button class="slim">Back to the first card</button></form>`;
  return html`<article class="embed stack" id="${key}" tabindex="-1" aria-label="Card of ${url}">
<form action="/feed/tap" method="post" data-act data-busy="waiting for the answer…">${renderPlace(shown, post, who)}${renderCard(card, { key, isShown })}</form>
<div class="problem" role="alert">${problem === null ? '' : html`<p class="notice bad small">${problem}</p>`}</div>
<div class="row small link">${link} ${isFirst ? '' : again}</div></article>`;
}

function renderPlace({ url }: ShownCard, { id }: NetworkPost, { name }: Person): Markup {
  const fields = Object.entries({ as: name, cast: id, url });
  return html`${fields.map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}`;
}

function renderCast(cast: ShownCast, who: Person, isShown: (hash: string) => boolean): Markup {
  const { post, cards, replies } = cast;
  return html`<li class="stack" id="cast-${post.id}">
<p class="byline"><strong><bdi>${post.author.username}</bdi></strong> ${isByBot(post) ? html`<span class="muted">the bot</span>` : ''}
<time class="muted small" datetime="${new Date(post.createdAt).toISOString()}">${clockTime(post.createdAt)}</time></p>
<p class="said"><bdi>${saidIn('farcaster', post)}</bdi></p>
${cards.map((shown) => renderEmbed(shown, cast, who, isShown))}
${replies.length === 0 ? '' : html`<ol class="plain replies">${replies.map((reply) => renderCast(reply, who, isShown))}</ol>`}
</li>`;
}

function renderNotice({ title, body, url, at }: ShownNotification): Markup {
  return html`<li class="stack"><p><strong>${title}</strong></p><p class="small">${body}</p>
<p class="small muted"><a href="${url}">Open<span class="unseen"> what it is about: ${title}</span></a> <time datetime="${new Date(at).toISOString()}">${minuteText(at)}</time></p></li>`;
}

const hashesOf = ({ post, replies }: ShownCast): string[] => [post.id, ...replies.flatMap(hashesOf)];

/** Renders what changes. */
export async function renderFeedParts({ who, threads, told }: View): Promise<FeedParts> {
  const hashes = new Set(threads.flatMap(hashesOf));
  const items = threads.map((thread) => renderCast(thread, who, (hash) => hashes.has(hash)));
  const casts =
    threads.length === 0 ? html`<p class="muted">No casts yet.</p>` : html`<ol class="plain casts">${items}</ol>`;
  const notices =
    told.length === 0
      ? html`<p class="small muted">${who.name} has none yet.</p>`
      : html`<ol class="plain notices">${told.map(renderNotice)}</ol>`;
  return { casts: String(await casts), told: String(await notices) };
}

/** The whole page in its first state. */
export async function renderFeedPage(
  parts: FeedParts,
  { who, assets, service }: { who: Person; assets: Assets; service: string },
): Promise<string> {
  // A part is markup that `html` made, so it must not be escaped once more.
  const body = html`<h1>Farcaster feed</h1>
<p class="lead">The simulated Farcaster as its apps show it: the URL of a gig is a card. The app of ${who.name} signs each tap.</p>
<nav class="viewers" aria-label="View as"><span class="muted" aria-hidden="true">View as</span>
<ul class="tabs">${PEOPLE.map(({ name }) => html`<li><a href="/feed?as=${name}"${name === who.name ? html` aria-current="page"` : ''}>${name}</a></li>`)}</ul></nav>
<p id="outcome" class="outcome" role="status"></p>
<div class="feed" data-stream="/feed/events?as=${who.name}">
<section aria-labelledby="casts-title"><h2 id="casts-title" class="unseen">Casts</h2><div id="casts">${raw(parts.casts)}</div></section>
<div class="beside">
<section class="card stack" aria-labelledby="say-title"><h2 id="say-title">Cast as ${who.name}</h2>
<form class="stack" action="/feed/say" method="post" data-act data-clear data-busy="casting…"><input type="hidden" name="as" value="${who.name}">
<label for="text">Text</label><textarea id="text" name="text" rows="3" maxlength="1000" required autocomplete="off" aria-describedby="text-hint"></textarea>
<p class="small muted" id="text-hint">A gig’s URL becomes a card: <span class="hex">${service}/gigs/1</span></p>
<button class="primary">Cast</button></form></section>
<section class="card stack" aria-labelledby="told-title"><h2 id="told-title">Notifications</h2><div id="told">${raw(parts.told)}</div></section>
</div></div>`;
  return await renderPage(
    { assets, root: '' },
    {
      title: 'Feed',
      description: 'The simulated Farcaster, with cards that people tap',
      home: { href: '/', label: 'gigclaim sandbox' },
      nav: [{ href: '/', label: 'The sandbox’s page' }],
      aside: html`<p id="connection" class="badge" hidden></p>`,
      body,
      wide: true,
      styles: ['sandbox.css', 'feed.css'],
      scripts: ['live.js'],
    },
  );
}
