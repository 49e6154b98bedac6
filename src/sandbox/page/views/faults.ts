import { html } from 'hono/html';
import type { Markup } from '../../../http/pages/layout.ts';
import { renderBadge } from '../../../http/pages/marks.ts';
import type { Faults } from '../../networks/faults.ts';
import { type NetworkName, TITLES } from '../names.ts';
import type { World } from '../world.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly effect: string;
}

const API_CHOICES: readonly Choice[] = [
  { value: 'none', label: 'Works', effect: 'Replies are taken.' },
  {
    value: 'drop_answer',
    label: 'Drops the answer',
    effect: 'Posts the reply, then cuts the connection. The service looks for its own post before it sends again.',
  },
  {
    value: 'rate_limited',
    label: '429, too many requests',
    effect: 'The service waits as long as it is told to, and sends again.',
  },
  {
    value: 'payment_required',
    label: '402, credits depleted',
    effect: 'After three in a row the service pauses the network. What waits goes out later.',
  },
  { value: 'hang', label: 'Time-out', effect: 'Never answers. The service gives up at its deadline, and tries again.' },
];

const WEBHOOK_CHOICES: readonly Choice[] = [
  { value: 'normal', label: 'Once', effect: 'As it should be.' },
  { value: 'twice', label: 'Twice', effect: 'The same event comes two times. It is answered once.' },
  { value: 'late', label: 'Late', effect: 'Half a second after the post.' },
  { value: 'never', label: 'Never', effect: 'The service finds the post itself; it looks every 20 seconds.' },
];

/** A fault that was set by other means than this page is shown too. */
function withCurrent(choices: readonly Choice[], current: string): readonly Choice[] {
  if (choices.some(({ value }) => value === current)) return choices;
  return [...choices, { value: current, label: current, effect: 'Set from outside this page.' }];
}

function renderChoices(
  network: NetworkName,
  group: { name: 'api' | 'webhook'; legend: string; choices: readonly Choice[]; current: string },
): Markup {
  const { name, legend, current } = group;
  return html`<fieldset><legend>${legend}</legend>${withCurrent(group.choices, current).map(
    ({ value, label, effect }) => {
      const id = `${name}-${network}-${value}`;
      return html`<div class="choice"><input type="radio" id="${id}" name="${name}" value="${value}"${value === current ? html` checked` : ''} aria-describedby="${id}-effect">
<div><label for="${id}">${label}</label><p class="small muted" id="${id}-effect">${effect}</p></div></div>`;
    },
  )}</fieldset>`;
}

function isWell({ api, webhook }: Readonly<Faults>): boolean {
  return api === 'none' && webhook === 'normal';
}

/** The switches of one network. */
export function renderFaults(network: NetworkName, { faults }: World): Markup {
  const { api, webhook, remaining } = faults[network];
  const title = TITLES[network];
  return html`<div class="row"><h3>${title}</h3> ${isWell(faults[network]) ? renderBadge('no faults', 'ok') : renderBadge('faults are on', 'bad')}</div>
<form class="faults" action="/faults/${network}" method="post" data-act data-now aria-label="Faults of ${title}">
<div>${renderChoices(network, { name: 'api', legend: `When the service replies on ${title}`, choices: API_CHOICES, current: api })}
<div class="choice"><input type="checkbox" id="once-${network}" name="once"${remaining === null ? '' : html` checked`}><div><label for="once-${network}">The next reply only</label></div></div></div>
${renderChoices(network, { name: 'webhook', legend: `Events from ${title}`, choices: WEBHOOK_CHOICES, current: webhook })}
<button class="slim">Set</button>
</form>`;
}
