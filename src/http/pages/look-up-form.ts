import { html } from 'hono/html';
import { PLATFORMS, platformNamed } from '../../domain/platforms/platforms.ts';
import type { Markup, Root } from '../ui/layout.ts';

/** The form's previous input; empty when absent. */
export interface Typed {
  /** The value of its field: `x` or `farcaster`. */
  readonly network?: string | undefined;
  readonly name?: string | undefined;
}

/** Enough for a profile URL. */
const MAX_TYPED = 200;

/** The form for a claim look-up. */
export function renderLookUp({ root }: Root, { network, name = '' }: Typed = {}): Markup {
  const chosen = network === undefined ? undefined : platformNamed(network);
  const options = PLATFORMS.map(
    ({ id, slug, label }) => html`<option value="${slug}"${id === chosen ? html` selected` : ''}>${label}</option>`,
  );
  return html`<form class="look-up" action="${root}/claim" method="get">
<div><label for="platform">Platform</label>
<select id="platform" name="platform">${options}</select></div>
<div><label for="account">Username, id or profile link</label>
<input id="account" name="id" value="${name.slice(0, MAX_TYPED)}" required maxlength="${MAX_TYPED}" autocapitalize="none" autocomplete="off" spellcheck="false"></div>
<button class="primary">Look up</button>
</form>`;
}
