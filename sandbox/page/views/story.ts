import { html } from 'hono/html';
import type { Markup } from '../../../src/http/ui/layout.ts';
import { clockTime } from '../words.ts';
import type { World } from '../world.ts';

/** A sentence in which the direction of the quoted text cannot affect the rest. */
function renderTold(text: string): Markup {
  const [before = '', quoted, after = ''] = text.split(/“([\s\S]*)”/);
  return quoted === undefined ? html`${text}` : html`${before}“<bdi>${quoted}</bdi>”${after}`;
}

/** What happened, the newest first. */
export function renderStory({ story }: World): Markup {
  if (story.length === 0) return html`<p class="empty muted">Nothing has happened yet.</p>`;
  return html`<ol class="lines" reversed>${story.map(
    ({
      id,
      at,
      scene,
      text,
    }) => html`<li id="line-${id}"><time class="number muted" datetime="${new Date(at).toISOString()}">${clockTime(at)}</time>
<p><strong>${scene}</strong> ${renderTold(text)}</p></li>`,
  )}</ol>`;
}

/** The last line that is worth hearing, for screen readers. */
export function renderAnnouncement({ story }: World): Markup {
  const line = story.find(({ announce }) => announce);
  return html`${line === undefined ? '' : `${line.scene}: ${line.text}`}`;
}
