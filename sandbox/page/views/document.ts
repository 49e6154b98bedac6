import { html, raw } from 'hono/html';
import type { Assets } from '../../../src/http/ui/assets.ts';
import { renderBadge, type Tone } from '../../../src/http/ui/badges.ts';
import { type Markup, renderPage } from '../../../src/http/ui/layout.ts';
import { platformName } from '../../../src/http/ui/text.ts';
import { describeSpan } from '../../clock.ts';
import { NETWORKS, TITLES } from '../parts.ts';
import type { SceneView } from '../player.ts';
import { countWaiting } from '../records.ts';
import type { Stage, World } from '../stage.ts';
import { describeWaiting } from '../story.ts';
import { shownAssets } from '../watcher.ts';
import { clockTime, NO_BACKUP } from '../words.ts';
import * as panels from './panels.ts';

/** The parts of the page that change, by the ids of their elements. */
export type Fragments = ReadonlyMap<string, string>;

const NAVIGATION = { '/': 'The service’s pages', '/admin': 'Operator', '/api/docs': 'API' };
const FEED = { href: '/feed', label: 'Feed' };
const BADGES: Readonly<Record<SceneView['state'] | World['service']['state'], readonly [string, Tone]>> = {
  open: ['to do', 'quiet'],
  waiting: ['waits its turn', 'wait'],
  running: ['under way', 'wait'],
  done: ['done', 'ok'],
  up: ['answers', 'ok'],
  restarting: ['down, restarting', 'bad'],
  silent: ['does not answer', 'bad'],
  lost: ['did not restart', 'bad'],
};

function renderScene({ scene, state, press, after }: SceneView, index: number, world: World, stage: Stage): Markup {
  const { name, title, button, link } = scene;
  const isPossible = scene.needsBackup === undefined || stage.backup !== null;
  const label = typeof button === 'string' ? button : button(world);
  const [words, tone] = BADGES[state];
  const busy = after === undefined ? 'under way…' : `waits until “${after}” is done…`;
  return html`<li class="card step ${state}" id="step-${name}">
<div class="title"><h3><span class="muted" aria-hidden="true">${index + 1}</span> ${title}</h3> ${renderBadge(words, tone)}</div>
<p class="small">${isPossible ? scene.text : NO_BACKUP}</p>
${press?.result ? html`<p class="small result" id="${press.id}"><bdi>${press.result.text}</bdi></p>` : ''}
${press?.performed && link ? html`<p class="small"><a href="${link.href(stage.places.service, press.performed.gigId)}">${link.label}</a></p>` : ''}
${isPossible ? html`<form action="/steps/${name}" method="post" data-act data-busy="${busy}"><button class="slim${state === 'open' ? ' primary' : ''}" id="try-${name}">${label}</button></form>` : ''}
</li>`;
}

function renderService({ service, records, aheadMs }: World, { places, logFile, instances }: Stage): Markup {
  const { state, pids } = service;
  const [words, tone] = BADGES[state];
  return html`<div class="row"><h2>The service</h2> ${renderBadge(words, tone)}</div>
<dl class="facts small"><dt>Address</dt><dd><a href="${places.service}">${places.service}</a></dd>
<dt>${instances > 1 ? 'Processes' : 'Process'}</dt><dd class="number">${state === 'restarting' || pids.length === 0 ? 'none' : pids.join(', ')}</dd>
<dt>On disk</dt><dd>${describeWaiting(countWaiting(records))}</dd>
<dt>Time</dt><dd>${aheadMs === 0 ? 'this machine’s' : `${describeSpan(aheadMs)} ahead`}</dd>
${state === 'silent' || state === 'lost' ? html`<dt>Log</dt><dd>${logFile}</dd>` : ''}</dl>
${service.paused.map(({ platform, paused }) => html`<p class="notice wait small">${platformName(platform)} is paused: ${paused?.reason}. What waits stays queued. Killing the service makes it try again at once.</p>`)}
<form action="/kill" method="post" data-act data-busy="killing the service…"><button id="kill"${state === 'restarting' ? html` aria-disabled="true"` : ''}>Kill ${instances > 1 ? 'an instance' : 'the service'}</button></form>
<form class="row" action="/time" method="post" data-act data-busy="moving the time on…" aria-label="Move the time on">${['1h', '13h', '1d'].map((span) => html`<button class="slim" id="later-${span}" name="by" value="${span}">${span} later</button> `)}</form>`;
}

/** A sentence in which the direction of the quoted text cannot affect the rest. */
function renderTold(text: string): Markup {
  const [before = '', quoted, after = ''] = text.split(/“([\s\S]*)”/);
  return quoted === undefined ? html`${text}` : html`${before}“<bdi>${quoted}</bdi>”${after}`;
}

/** What happened, the newest first. */
export function renderStory({ story }: Pick<World, 'story'>): Markup {
  if (story.length === 0) return html`<p class="muted">Nothing has happened yet.</p>`;
  return html`<ol class="plain lines small" reversed>${story.map(
    ({ id, at, scene, text }) =>
      html`<li id="line-${id}"><time class="muted" datetime="${new Date(at).toISOString()}">${clockTime(at)}</time> <p class="said"><strong>${scene}</strong> ${renderTold(text)}</p></li>`,
  )}</ol>`;
}

/** Renders every part that changes. */
export async function renderFragments(world: World, stage: Stage, scenes: readonly SceneView[]): Promise<Fragments> {
  const { service } = stage.places;
  const heard = world.story.find(({ announce }) => announce);
  const parts: [id: string, markup: Markup][] = [
    ['steps', html`<ol class="plain grid">${scenes.map((view, index) => renderScene(view, index, world, stage))}</ol>`],
    ['story', renderStory(world)],
    ['announcement', html`${heard === undefined ? '' : `${heard.scene}: ${heard.text}`}`],
    ['service', renderService(world, stage)],
    ['gigs', panels.renderGigs(world, { service })],
    ['people', panels.renderPeople(world, { assets: shownAssets(stage.tokens), service })],
    ['claim-answer', html`${world.claim === null ? '' : panels.renderAnswer('claim', world.claim)}`],
    ...NETWORKS.flatMap((network): [string, Markup][] => [
      [`timeline-${network}`, panels.renderTimeline(network, world)],
      [`suggestions-${network}`, panels.renderSuggestions(network, world.records)],
      [`faults-${network}`, panels.renderFaults(network, world)],
    ]),
  ];
  return new Map(await Promise.all(parts.map(async ([id, markup]) => [id, String(await markup)] as const)));
}

/** The whole page in its first state. */
export async function renderDocument(
  fragments: Fragments,
  { assets, stage: { places, apiKey } }: { assets: Assets; stage: Stage },
): Promise<string> {
  // A fragment is markup that `html` made, so it must not be escaped once more.
  const slot = (id: string): Markup => html`${raw(fragments.get(id) ?? '')}`;
  const body = html`<h1>The gigclaim sandbox</h1>
<p class="lead">A simulated Farcaster, a simulated X, a local EVM chain and the real service, all on this machine. Post as a user and watch what happens.</p>
<section aria-labelledby="try-title">
<h2 id="try-title">Try this</h2>
<div id="steps">${slot('steps')}</div>
</section>
<p id="outcome" class="outcome" role="status"></p>
<p id="announcement" class="unseen" aria-live="polite">${slot('announcement')}</p>
<div class="stage">
${NETWORKS.map(
  (network) => html`<section class="card stack" aria-labelledby="${network}-title">
<h2 id="${network}-title">${TITLES[network]}</h2>
${panels.renderComposer(network, slot(`suggestions-${network}`))}
<div class="scrolling" id="timeline-${network}" tabindex="0" role="region" aria-label="Timeline of ${TITLES[network]}">${slot(`timeline-${network}`)}</div>
</section>`,
)}
<div class="beside">
<section class="card stack happened" aria-labelledby="story-title"><h2 id="story-title">What happened</h2>
<p class="small muted">Step by step, the newest first. Times are UTC.</p>
<div class="scrolling" id="story" tabindex="0" role="region" aria-label="What happened">${slot('story')}</div></section>
<section class="card stack" id="service" aria-label="The service">${slot('service')}</section>
</div>
</div>
<section aria-labelledby="gigs-title"><h2 id="gigs-title">Gigs</h2>
<p class="small muted">A gig can be started when its wallet holds exactly its reward plus the fee. Its owner starts it with a post, or a client over the API.</p>
<div id="gigs">${slot('gigs')}</div></section>
<section aria-labelledby="people-title"><h2 id="people-title">Users and the funder</h2>
<p class="small muted">The claimable amounts are those of the service’s ledger, which <code>GET /api/claim</code> answers; the balances are read from the chain. Sign in as a user to see their gigs and rewards at the service.</p>
<div id="people">${slot('people')}</div></section>
<section class="card stack" id="claim" aria-labelledby="claim-title">
<h2 id="claim-title">Claim by URL</h2>
<p class="small muted">Post “claim my rewards” on either network; on X add an address. Then send the URL of the post to <code>POST /api/claim</code>, as a client would.</p>
<form class="look-up" action="/claims" method="post" data-act>
<div><label for="claim-url">URL of the post</label><input id="claim-url" name="url" type="url" required autocomplete="off"></div>
<button>Claim</button></form>
<div id="claim-answer">${slot('claim-answer')}</div>
</section>
<section aria-labelledby="faults-title"><h2 id="faults-title">Faults of the networks</h2>
<p class="small muted">Turn one on, post, and watch how the service handles it. Nothing is lost, and no post is answered twice.</p>
<div class="pair">${NETWORKS.map((network) => html`<div class="card stack" id="faults-${network}">${slot(`faults-${network}`)}</div>`)}</div></section>`;
  return await renderPage(
    { assets, root: '' },
    {
      title: 'Sandbox',
      description: 'A simulated Farcaster and X, a local chain, and the real service',
      home: { href: '/', label: 'gigclaim sandbox' },
      nav: [FEED, ...Object.entries(NAVIGATION).map(([path, label]) => ({ href: `${places.service}${path}`, label }))],
      aside: html`<p id="connection" class="badge" hidden></p>`,
      body,
      wide: true,
      styles: ['sandbox.css'],
      scripts: ['live.js'],
      footer: html`<p>API key of this sandbox: <code>${apiKey}</code>. It also logs in to the operator’s pages, and works only in this sandbox.</p>`,
    },
  );
}
