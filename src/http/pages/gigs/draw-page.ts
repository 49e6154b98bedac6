import { html } from 'hono/html';
import { lineOf } from '../../../domain/earning/payouts/draw.ts';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { isoText } from '../../../domain/time.ts';
import { findDraw, headOf, type ShownDraw } from '../../../services/earning/award/show-draw.ts';
import type { PageContext } from '../../context.ts';
import type { App } from '../../middleware/context.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { chainName, renderAmount } from '../../ui/amounts.ts';
import { counted, renderHash } from '../../ui/badges.ts';
import { renderGigLink } from '../../ui/gig-name.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { answerPage, publicNavigation } from '../../ui/page.ts';
import { renderTime } from '../../ui/time.ts';
import { renderAccountLink } from './gig-earning.ts';

const BRIEF = 'public, max-age=3';

const renderHex = (hex: string) => html`<code class="hex">${hex}</code>`;

function renderStanding({ state, drawsAt, fixed, gig }: ShownDraw): Markup {
  if (state === 'drawn') return html`<p class="notice ok">The winners are drawn.</p>`;
  if (fixed === null) {
    return html`<p class="notice wait">The draw comes after the end of the gig and the last hold: ${renderTime(drawsAt)} at the earliest.</p>`;
  }
  return html`<p class="notice wait">The entrants are fixed. The first block of ${chainName(gig.token.chainId)} at or after ${renderTime(fixed.notBefore)} decides, as soon as it is settled.</p>`;
}

function renderFixed(draw: ShownDraw, root: string): Markup | '' {
  const { fixed, gig } = draw;
  if (fixed === null) return '';
  const head = headOf(draw);
  return html`<dt>Entrants</dt><dd><a href="${root}/api/gigs/${gig.id}/draw/entrants">${counted(fixed.entrants, 'account')}</a>, fixed at ${renderTime(fixed.fixedAt)}</dd>
<dt>First line</dt><dd>${head === '' ? 'none: the root covers the entrants alone' : renderHex(head.trimEnd())}</dd>
<dt>Block</dt><dd>The first of ${chainName(gig.token.chainId)} at or after <code>${isoText(fixed.notBefore)}</code></dd>
<dt>Root</dt><dd>${renderHex(fixed.root)}</dd>`;
}

/** Readers note these before the draw, so that no other draw can be shown afterwards. */
function renderNotes({ state, fixed }: ShownDraw): Markup | '' {
  if (state === 'drawn') return '';
  if (fixed === null) return html`<p class="notice">Note the commitment now, and the root when it is shown here.</p>`;
  const also = fixed.rootVersion === 1 ? ', the number of winners and the time of the block' : '';
  return html`<p class="notice">Note the commitment and the root${also} now, before the block exists. Then no other draw can be shown for them.</p>`;
}

function renderLot({ lot, secret, gig }: ShownDraw): Markup | '' {
  if (lot === null || secret === null) return '';
  const { number, hash: blockHash, at } = lot.block;
  return html`<dt>Deciding block</dt><dd>${number} of ${chainName(gig.token.chainId)}, ${renderTime(at)}: ${renderHex(blockHash)}</dd>
<dt>Secret</dt><dd>${renderHex(secret)}</dd>
<dt>Seed</dt><dd>${renderHex(lot.seed)}</dd>`;
}

function renderWinners({ winners, state, prize, gig }: ShownDraw, root: string): Markup | '' {
  if (state !== 'drawn') return '';
  if (winners.length === 0) return html`<p class="muted">No account was eligible, so none has won.</p>`;
  const rows = winners.map(
    (winner) => html`<tr>
<th scope="row">${winner.place}</th>
<td data-label="Account">${renderAccountLink(winner, root)}</td>
<td data-label="Prize" class="number">${prize === null ? '' : renderAmount(prize, gig.token)}</td>
<td data-label="Line"><code>${lineOf(winner)}</code></td>
<td data-label="Ticket">${renderHash(winner.ticket)}</td>
</tr>`,
  );
  return html`<section class="stack" aria-labelledby="winners"><h2 id="winners">${winners.length === 1 ? 'Winner' : 'Winners'}</h2>
<table class="stacking"><caption class="unseen">Winners, the lowest ticket first</caption>
<thead><tr><th scope="col">Place</th><th scope="col">Account</th><th scope="col" class="number">Prize</th><th scope="col">Line</th><th scope="col">Ticket</th></tr></thead>
<tbody>${rows}</tbody>
</table>
</section>`;
}

function renderProof({ gig, fixed }: ShownDraw, root: string): Markup {
  const first =
    fixed?.rootVersion === 1
      ? html`It has no first line: the draw is of an older form.`
      : html`Its first line is <code>gig chain_id places not_before</code>, so that no other block and no other number of winners belong to the root.`;
  return html`<ol class="stack">
<li>The commitment was shown when the gig started: it is the SHA-256 of the secret, which is shown after the draw.</li>
<li>The <a href="${root}/api/gigs/${gig.id}/draw/entrants">list of entrants</a> has a line <code>platform:id</code> for each eligible account, in the order of their bytes. ${first} The root is the SHA-256 of that text, byte for byte, with a line feed after every line.</li>
<li>The block is the chain’s first at or after the time that was shown with the root. That time is at least a minute after the entrants were fixed, and after the newest block of that moment. Any explorer of the chain shows the block.</li>
<li>The seed is the SHA-256 of the bytes of secret, block hash and root, joined in this order. The ticket of a line is the SHA-256 of the bytes of the seed and the line, without its line feed.</li>
<li>The lowest tickets win.</li>
</ol>
<p>All of it is in <a href="${root}/api/gigs/${gig.id}/draw">one answer</a>; <code>docs/check-draw.mjs</code> of this software, a script without dependencies, repeats the draw from it.</p>`;
}

function renderDrawPage(draw: ShownDraw, { root }: Root): Markup {
  const { gig, places, commitment } = draw;
  return html`<div class="stack-wide">
<header class="stack">
<h1>Draw of gig ${gig.id}</h1>
<p class="lead">${renderGigLink(gig.id, { names: new Map([[gig.id, gigName(gig, null)]]), root })} draws ${counted(places, 'winner')}.</p>
</header>
${renderStanding(draw)}
${renderWinners(draw, root)}
<section class="stack" aria-labelledby="facts"><h2 id="facts">Facts</h2>
<dl class="facts card">
<dt>Commitment</dt><dd>${renderHex(commitment)}</dd>
${renderFixed(draw, root)}
${renderLot(draw)}
</dl>
${renderNotes(draw)}
</section>
<section class="stack" aria-labelledby="check"><h2 id="check">How to check it</h2>
<div class="card stack">${renderProof(draw, root)}</div>
</section>
</div>`;
}

/** `GET /gigs/:id/draw`. */
export function addDrawPage(app: App, deps: PageContext): void {
  const { site } = deps;
  app.get('/gigs/:id/draw', async (c) => {
    const draw = await findDraw(deps, { gigId: gigIdOf(c) });
    return await answerPage(c, site, {
      title: `Draw of gig ${draw.gig.id}`,
      description: 'The entrants of a raffle, the block that decides it, and how anyone can check the draw.',
      nav: publicNavigation(site, 'gigs'),
      body: renderDrawPage(draw, site),
      cacheControl: BRIEF,
    });
  });
}
