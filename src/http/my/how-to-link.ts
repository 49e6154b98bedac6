import { html } from 'hono/html';
import { type Address, checksummed } from '../../domain/gigs/token.ts';
import type { PageContext } from '../context.ts';
import { botOf } from '../pages/commands-page.ts';
import type { Markup } from '../ui/layout.ts';

/** How an account lets a wallet sign in for it: what it posts, and the wait. `wallet` is null where it is not known yet. */
export function renderHowToLink(platforms: PageContext['platforms'], wallet: Address | null): Markup {
  const address = wallet === null ? '0x…' : checksummed(wallet);
  const then =
    wallet === null
      ? ' with the address of your wallet. 10 minutes after the reply, sign in with that wallet.'
      : '. The link works 10 minutes after the reply.';
  return html`From your account, post <code class="hash whole">${botOf(platforms)} link ${address}</code>${then}`;
}
