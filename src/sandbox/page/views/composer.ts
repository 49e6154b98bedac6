import { html } from 'hono/html';
import type { Markup } from '../../../http/pages/layout.ts';
import { BOT, PEOPLE } from '../../people.ts';
import { type NetworkName, TITLES } from '../names.ts';

/** `{address}` becomes the address of whoever is chosen. */
const SUGGESTIONS: Readonly<Record<NetworkName, readonly string[]>> = {
  farcaster: ['claims', 'claim my rewards', 'start gig 3', 'help'],
  x: ['claims', 'claim my rewards {address}', 'start gig 3', 'help'],
};

/** The form to post on a network. It never changes, so that nothing disturbs who types. */
export function renderComposer(network: NetworkName): Markup {
  const field = (name: string) => `${name}-${network}`;
  return html`<form class="composer stack" id="composer-${network}" action="/posts/${network}" method="post" data-act data-clear>
<div class="as"><label for="${field('author')}">Post as</label>
<select id="${field('author')}" name="author">${PEOPLE.map(({ name, address }) => html`<option value="${name}" data-address="${address}">${name}</option>`)}</select></div>
<div><label class="unseen" for="${field('text')}">Text of the post on ${TITLES[network]}</label>
<textarea id="${field('text')}" name="text" rows="2" maxlength="1000" required autocomplete="off" placeholder="@${BOT.username} …"></textarea></div>
<div class="foot"><div class="suggestions" role="group" aria-label="Suggested texts for ${TITLES[network]}">${SUGGESTIONS[
    network
  ].map((words) => {
    const text = `@${BOT.username} ${words}`;
    return html`<button class="slim" name="suggestion" value="${text}" formnovalidate data-suggest>${words.replace(' {address}', ' 0x…')}</button>`;
  })}</div>
<button class="primary">Post on ${TITLES[network]}</button></div>
</form>`;
}
