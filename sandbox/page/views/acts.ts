import { html } from 'hono/html';
import type { Target } from '../../../src/domain/earning/act.ts';
import type { Markup } from '../../../src/http/ui/layout.ts';
import type { Verb } from '../../acting.ts';
import { PEOPLE } from '../../people.ts';
import type { GigRecord } from '../records.ts';

/** What a user can do about each kind of target, and how to undo it. */
const VERBS_OF: Readonly<Record<Target['kind'], readonly Verb[]>> = {
  post: ['like', 'unlike', 'recast', 'unrecast', 'quote', 'reply', 'delete'],
  account: ['follow', 'unfollow', 'mention', 'delete'],
  keyword: ['mention', 'delete'],
};

const LABELS: Readonly<Partial<Record<Verb, string>>> = {
  unlike: 'undo like',
  unrecast: 'undo recast',
  delete: 'delete own cast',
};

/** The buttons by which users do something about what a gig is about; nothing for a gig that is not watched. */
export function renderActs({ id, target }: GigRecord): Markup | '' {
  if (target === null) return '';
  const rows = PEOPLE.map(({ name }) => {
    const buttons = VERBS_OF[target.kind].map(
      (verb) =>
        html`<button class="slim" id="act-${id}-${name}-${verb}" name="verb" value="${verb}"><span class="unseen">${name}: </span>${LABELS[verb] ?? verb}<span class="unseen"> (gig ${id})</span></button> `,
    );
    return html`<form class="row" action="/gigs/${id}/act" method="post" data-act data-busy="acting…"><input type="hidden" name="who" value="${name}"><span class="small"><bdi>${name}</bdi></span> ${buttons}</form>`;
  });
  return html`<details id="acts-${id}"><summary>Let users act on Farcaster</summary>
${rows}
<p class="small muted">The service sees it by webhook, or within seconds by looking.</p></details>`;
}
