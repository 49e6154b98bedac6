import { html } from 'hono/html';
import { accountKeyText } from '../../domain/account.ts';
import { platformNamed } from '../../domain/platforms/platforms.ts';
import { endLinkToMe } from '../../services/owners/links.ts';
import type { SignedIn } from '../../services/owners/sessions.ts';
import type { PageContext } from '../context.ts';
import { renderFormToken } from '../ui/form.ts';
import type { Markup } from '../ui/layout.ts';
import { renderAccount } from '../ui/text.ts';
import { renderTime } from '../ui/time.ts';
import { OWNERS } from './audience.ts';

/** The accounts that are linked to the wallet that signed in, each with a button that ends the link. */
export async function renderLinkedAccounts({ store, site }: PageContext, owner: SignedIn): Promise<Markup | ''> {
  const { owner: who, at } = owner;
  const links = who.kind === 'wallet' && who.chainId === null ? await store.linksTo(who.address) : [];
  if (links.length === 0) return '';
  const labels = await store.accountLabels(links);
  const items = links.map(({ platform, platformUserId, validFrom }) => {
    const account = {
      platform,
      platformUserId,
      username: labels.get(accountKeyText({ platform, platformUserId })) ?? null,
    };
    const isValid = validFrom !== null && validFrom <= at;
    return html`<li class="entry"><div class="entry-mark">${isValid ? 'Linked' : 'Pending'}</div>
<div class="entry-body"><p>${renderAccount(account)}</p>
<p class="muted small">${isValid ? html`Since ${renderTime(validFrom)}` : 'It works 10 minutes after the bot’s reply; keep your post up.'}</p></div>
<div class="entry-action"><form method="post" action="${site.root}/my/links/end">${renderFormToken(owner)}<input type="hidden" name="platform" value="${platform}"><input type="hidden" name="account" value="${platformUserId}"><button class="slim" aria-label="Remove the link of ${platform} ${platformUserId}">Remove</button></form></div></li>`;
  });
  return html`<section class="stack" aria-labelledby="links"><h2 id="links">Linked accounts</h2>
<ul class="entries card">${items}</ul>
<p class="muted small">You reach the gigs and rewards of these accounts. Anyone can link an account to your wallet. Remove links you don’t recognize, and don’t fund their gigs.</p></section>`;
}

/** `POST /my/links/end`. */
export const endLinkForm = OWNERS.form('/my/links/end', {
  read: (_, sent) => ({
    platform: platformNamed(sent.get('platform') ?? '') ?? '',
    platformUserId: sent.get('account') ?? '',
  }),
  act: async ({ deps, session: signedIn, actor: { requestId } }, account) => {
    await endLinkToMe(deps, { signedIn, account, requestId });
    return '/my';
  },
});
