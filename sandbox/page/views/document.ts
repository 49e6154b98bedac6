import { html, raw } from 'hono/html';
import type { Assets } from '../../../src/http/ui/assets.ts';
import { type Markup, renderPage } from '../../../src/http/ui/layout.ts';
import type { Fragments, Setting } from '../fragments.ts';
import { NETWORKS, type NetworkName, TITLES } from '../names.ts';
import { renderComposer } from './composer.ts';

function renderNetwork(network: NetworkName, slot: (id: string) => Markup): Markup {
  return html`<section class="card network" aria-labelledby="${network}-title">
<h2 id="${network}-title">${TITLES[network]}</h2>
${renderComposer(network, slot(`suggestions-${network}`))}
<div class="timeline" id="timeline-${network}" tabindex="0" role="region" aria-label="Timeline of ${TITLES[network]}">${slot(`timeline-${network}`)}</div>
</section>`;
}

function renderClaimForm(slot: (id: string) => Markup): Markup {
  return html`<section class="card stack block" id="claim" aria-labelledby="claim-title">
<h2 id="claim-title">Claim by URL</h2>
<p class="small muted">Post “claim my rewards” on either network; on X add an address. Then send the URL of the post to <code>POST /api/claim</code>, as a client would.</p>
<form class="row" action="/claims" method="post" data-act>
<div class="grow"><label for="claim-url">URL of the post</label><input id="claim-url" name="url" type="url" required autocomplete="off"></div>
<button>Claim</button></form>
<div id="claim-answer">${slot('claim-answer')}</div>
</section>`;
}

/** The whole page in its first state. */
export async function renderDocument(options: {
  assets: Assets;
  setting: Setting;
  fragments: Fragments;
}): Promise<string> {
  const { assets, setting, fragments } = options;
  // A fragment is markup that `html` made, so it must not be escaped once more.
  const slot = (id: string): Markup => html`${raw(fragments.get(id) ?? '')}`;
  const { service, apiKey } = setting;
  const body = html`<div class="intro">
<h1>The gigclaim sandbox</h1>
<p class="lead">A simulated Farcaster, a simulated X, a local EVM chain and the real service, all on this machine. Post as a user and watch what happens.</p>
</div>
<section aria-labelledby="try-title" class="try">
<h2 id="try-title">Try this</h2>
<div id="steps">${slot('steps')}</div>
</section>
<p id="outcome" class="outcome" role="status"></p>
<p id="announcement" class="unseen" aria-live="polite">${slot('announcement')}</p>
<div class="stage">
${NETWORKS.map((network) => renderNetwork(network, slot))}
<div class="beside">
<section class="card happened" aria-labelledby="story-title"><h2 id="story-title">What happened</h2>
<p class="small muted">Step by step, the newest first. Times are UTC.</p>
<div class="story" id="story" tabindex="0" role="region" aria-label="What happened">${slot('story')}</div></section>
<section class="card service" id="service" aria-label="The service">${slot('service')}</section>
</div>
</div>
<section class="block" aria-labelledby="gigs-title"><h2 id="gigs-title">Gigs</h2>
<p class="small muted">A gig can be started when its wallet holds exactly its reward plus the fee. Its owner starts it with a post, or a client over the API.</p>
<div id="gigs">${slot('gigs')}</div></section>
<section class="block" aria-labelledby="people-title"><h2 id="people-title">Users and the funder</h2>
<p class="small muted">The claimable amounts are those of <code>GET /api/claim</code>, for both networks; the balances are read from the chain. Sign in as a user to see their gigs and rewards at the service.</p>
<div id="people">${slot('people')}</div></section>
${renderClaimForm(slot)}
<section class="block" aria-labelledby="faults-title"><h2 id="faults-title">Faults of the networks</h2>
<p class="small muted">Turn one on, post, and watch how the service handles it. Nothing is lost, and no post is answered twice.</p>
<div class="pair">${NETWORKS.map((network) => html`<div class="card stack" id="faults-${network}">${slot(`faults-${network}`)}</div>`)}</div></section>`;
  return await renderPage(
    { assets, root: '' },
    {
      title: 'Sandbox',
      description: 'A simulated Farcaster and X, a local chain, and the real service',
      home: { href: '/', label: 'gigclaim sandbox' },
      nav: [
        { href: `${service}/`, label: 'The service’s pages' },
        { href: `${service}/admin`, label: 'Operator' },
        { href: `${service}/api/docs`, label: 'API' },
      ],
      aside: html`<p id="connection" class="badge" hidden></p>`,
      body,
      wide: true,
      styles: ['sandbox.css', 'sandbox-lists.css'],
      scripts: ['live.js', 'forms.js'],
      footer: html`<p>API key of this sandbox: <code>${apiKey}</code>. It also logs in to the operator’s pages, and works only in this sandbox.</p>`,
    },
  );
}
