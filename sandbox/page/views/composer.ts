import { html } from 'hono/html';
import type { Markup } from '../../../src/http/ui/layout.ts';
import { BOT, PEOPLE } from '../../people.ts';
import { type NetworkName, TITLES } from '../names.ts';
import type { Records } from '../records.ts';

/** `{address}` becomes the address of the chosen user. */
const CLAIM: Readonly<Record<NetworkName, string>> = {
  farcaster: 'claim my rewards',
  x: 'claim my rewards {address}',
};

/** Suggested posts: a start only while there is a gig that an owner can start. */
export function renderSuggestions(network: NetworkName, { gigs }: Records): Markup {
  const startable = [...gigs.values()].find(({ status, owners }) => status === 'created' && owners.length > 0);
  const start = startable === undefined ? [] : [`start gig ${startable.id}`];
  return html`${['claims', CLAIM[network], ...start, 'help'].map((words) => {
    const text = `@${BOT.username} ${words}`;
    return html`<button class="slim" name="suggestion" value="${text}" formnovalidate data-suggest>${words.replace(' {address}', ' 0x…')}</button>`;
  })}`;
}

/** The form to post on a network. Nothing but its suggestions ever changes, so that nothing disturbs who types. */
export function renderComposer(network: NetworkName, suggestions: Markup): Markup {
  const field = (name: string) => `${name}-${network}`;
  return html`<form class="composer stack" id="composer-${network}" action="/posts/${network}" method="post" data-act data-clear data-busy="posting…">
<div class="as"><label for="${field('author')}">Post as</label>
<select id="${field('author')}" name="author">${PEOPLE.map(({ name, address }) => html`<option value="${name}" data-address="${address}">${name}</option>`)}</select></div>
<div><label class="unseen" for="${field('text')}">Text of the post on ${TITLES[network]}</label>
<textarea id="${field('text')}" name="text" rows="2" maxlength="1000" required autocomplete="off" placeholder="@${BOT.username} …"></textarea></div>
<div class="foot"><div class="suggestions" id="suggestions-${network}" role="group" aria-label="Suggested texts for ${TITLES[network]}">${suggestions}</div>
<button class="primary">Post on ${TITLES[network]}</button></div>
</form>`;
}
