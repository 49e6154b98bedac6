import { html } from 'hono/html';
import type { Account } from '../../domain/account.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { renderFormToken } from '../ui/form.ts';
import type { Markup } from '../ui/layout.ts';
import type { OwnerVisit } from './context.ts';

/** The form by which an account enters for a gig that asks to hold a token. @param shown.path of the account, below the root */
export function renderJoin(
  { deps, session }: OwnerVisit,
  { account, path }: { account: Account; path: string },
): Markup {
  return html`<section class="card stack" aria-labelledby="join"><h2 id="join">Enter a gig</h2>
<form class="stack" method="post" action="${deps.site.root}${path}/join">${renderFormToken(session)}
<div><label for="gig">Number of a gig that asks to hold a token</label>
<input id="gig" name="gig" inputmode="numeric" maxlength="15" autocomplete="off" required></div>
<p class="row"><button>Enter</button></p>
<p class="muted small">The service reads what ${platformFacts(account.platform).hasVerifiedAddress ? 'your verified addresses hold' : 'your linked wallet holds'}, now and after the hours of the gig.</p>
</form></section>`;
}
