import { html } from 'hono/html';
import type { Markup, Root } from '../ui/layout.ts';
import { renderLookUp } from './look-up-form.ts';

/** The content of the first page. */
export function renderLanding({ root }: Root): Markup {
  return html`<div class="stack-wide">
<header class="stack">
<h1>Gigs, and the tips people earn from them</h1>
<p class="lead">A gig is a campaign with its own wallet. It can be started when the wallet holds exactly its reward plus the fee. People on Farcaster and X earn tips from it, and claim the tokens with one post.</p>
</header>
<section class="card stack" aria-labelledby="look-up"><h2 id="look-up">What can an account claim?</h2>
${renderLookUp({ root })}
</section>
<section class="stack" aria-labelledby="more"><h2 id="more">More</h2>
<ul class="links">
<li><a href="${root}/gigs">Gigs that are active now</a></li>
<li><a href="${root}/api/docs">The API</a>: look up claims, create, fund and start gigs, award tips</li>
</ul>
</section>
</div>`;
}
