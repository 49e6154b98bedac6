import { html } from 'hono/html';
import type { Account } from '../../../domain/account.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { PLATFORMS } from '../../../domain/platforms/platforms.ts';
import type { SignedIn } from '../../../services/owners/sessions.ts';
import { renderFormToken } from '../../ui/form.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { renderAccount } from '../../ui/text.ts';

function renderOwner({ root }: Root, signedIn: SignedIn, { gig, owner }: { gig: Gig; owner: Account }): Markup {
  const { platform, platformUserId } = owner;
  return html`<li class="entry"><div class="entry-mark">Owner</div><div class="entry-body"><p>${renderAccount(owner)}</p></div>
<div class="entry-action"><form method="post" action="${root}/my/gigs/${gig.id}/owners/remove">${renderFormToken(signedIn)}<input type="hidden" name="platform" value="${platform}"><input type="hidden" name="account" value="${platformUserId}"><button class="slim" aria-label="Remove ${platform} ${platformUserId}">Remove</button></form></div></li>`;
}

/** The accounts that own a gig, with forms to add and remove them for an owner that `mayChange` them. */
export function renderOwners(
  root: Root,
  signedIn: SignedIn,
  { gig, owners }: { gig: Gig; owners: readonly Account[] },
): Markup {
  const mayChange = gig.client === signedIn.client || gig.ownersMayAward;
  const list = owners.map((owner) =>
    mayChange
      ? renderOwner(root, signedIn, { gig, owner })
      : html`<li class="entry"><p>${renderAccount(owner)}</p></li>`,
  );
  return html`<section class="stack" aria-labelledby="owners"><h2 id="owners">Owners</h2>
${owners.length === 0 ? html`<p class="card muted">${gig.client === signedIn.client ? 'You created this gig. Accounts that you add can also run it, here and by mentioning the bot.' : 'No account owns this gig.'}</p>` : html`<ul class="entries card">${list}</ul>`}
${
  mayChange
    ? html`<form class="card look-up" method="post" action="${root.root}/my/gigs/${gig.id}/owners">${renderFormToken(signedIn)}
<div><label for="platform">Platform</label><select id="platform" name="platform">${PLATFORMS.map(({ id, label }) => html`<option value="${id}">${label}</option>`)}</select></div>
<div><label for="account">Handle or id of the account</label><input id="account" name="account" autocomplete="off" spellcheck="false" required></div>
<button>Add owner</button></form>`
    : html`<p class="muted small">The client that created this gig decides who owns it.</p>`
}
</section>`;
}
