import { html } from 'hono/html';
import { renderBadge } from '../../../src/http/ui/badges.ts';
import type { Markup } from '../../../src/http/ui/layout.ts';
import type { ApiFault, Faults, WebhookFault } from '../../networks/faults.ts';
import { type NetworkName, TITLES } from '../names.ts';
import { API_FAULT_WORDS, WEBHOOK_WORDS } from '../words.ts';
import type { World } from '../world.ts';

type Value = ApiFault | WebhookFault;

interface Choice {
  readonly value: Value;
  readonly label: string;
  readonly effect: string;
}

const API_EFFECTS = {
  none: 'Replies are accepted.',
  drop_answer: 'Posts the reply, then cuts the connection. The service looks for its own post before it sends again.',
  rate_limited: 'The service waits as long as the answer says, and sends again.',
  payment_required: 'After three in a row the service pauses the network. Waiting replies are sent later.',
  hang: 'Never answers. The service gives up at its deadline, and tries again.',
} as const;

const WEBHOOK_EFFECTS = {
  normal: 'Each event is delivered once, immediately.',
  twice: 'The same event is delivered twice. It is answered once.',
  late: 'Half a second after the post.',
  never: 'The service finds the post by polling, every 20 seconds.',
} as const;

const LABELS: Readonly<Record<Value, string>> = { ...API_FAULT_WORDS, ...WEBHOOK_WORDS };

function choices(effects: Readonly<Partial<Record<Value, string>>>): readonly Choice[] {
  // The keys are those of the literals above.
  return (Object.entries(effects) as [Value, string][]).map(([value, effect]) => ({
    value,
    label: LABELS[value],
    effect,
  }));
}

const API_CHOICES = choices(API_EFFECTS);
const WEBHOOK_CHOICES = choices(WEBHOOK_EFFECTS);

/** A fault that was set by other means than this page is shown too. */
function withCurrent(choices: readonly Choice[], current: Value): readonly Choice[] {
  if (choices.some(({ value }) => value === current)) return choices;
  return [...choices, { value: current, label: LABELS[current], effect: 'Set outside this page.' }];
}

function renderChoices(
  network: NetworkName,
  group: { name: 'api' | 'webhook'; legend: string; choices: readonly Choice[]; current: Value },
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
<form class="faults" action="/faults/${network}" method="post" data-act data-now data-busy="setting the faults…" aria-label="Faults of ${title}">
<div>${renderChoices(network, { name: 'api', legend: `When the service replies on ${title}`, choices: API_CHOICES, current: api })}
<div class="choice"><input type="checkbox" id="once-${network}" name="once"${remaining === null ? '' : html` checked`}><div><label for="once-${network}">The next reply only</label></div></div></div>
${renderChoices(network, { name: 'webhook', legend: `Events from ${title}`, choices: WEBHOOK_CHOICES, current: webhook })}
<button class="slim">Set</button>
</form>`;
}
