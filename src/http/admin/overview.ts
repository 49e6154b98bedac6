import { html } from 'hono/html';
import { MENTION_STATES } from '../../domain/mentions/mention.ts';
import type { Condition } from '../../domain/operators/condition.ts';
import { PAYMENT_STATES } from '../../domain/payments/payment.ts';
import { isClockOff } from '../../services/operators/instances.ts';
import { DAYS_COUNTED } from '../../services/operators/money-and-time.ts';
import { type OperatorOverview, readOverview } from '../../services/operators/overview.ts';
import type { Readiness } from '../../services/operators/readiness.ts';
import { ENGINE_NAMES, judgeStandbys } from '../../services/operators/store-status.ts';
import type { TankStatus } from '../../services/payments/gas-tank.ts';
import { chainName, renderBriefAmount } from '../ui/amounts.ts';
import { counted, renderBadge } from '../ui/badges.ts';
import type { Markup, Root, Site } from '../ui/layout.ts';
import { platformName, renderUntrusted, renderWholeAddress } from '../ui/text.ts';
import { renderTimeOr } from '../ui/time.ts';
import { OPERATORS } from './audience.ts';
import { renderHeading } from './list.ts';
import { nameMentionState } from './mentions.ts';
import { renderTimes, renderTokenMoney } from './money.ts';
import { REPLY_FILTERS } from './replies.ts';

const QUEUED = ['due', 'held'] as const;
const REPLY_ROWS = [...QUEUED, ...REPLY_FILTERS.filter((state) => state !== 'queued')];

function queueTroubles({ root }: Root, { mentions, replies, payments }: OperatorOverview): Markup[] {
  const failed = (path: string, count: number, noun: string) =>
    count === 0 ? [] : [html`<a href="${root}/admin${path}?state=failed">${noun} failed</a>`];
  return [
    ...failed('/replies', replies.failed, replies.failed === 1 ? '1 reply' : `${replies.failed} replies`),
    ...failed('/mentions', mentions.failed, counted(mentions.failed, 'mention')),
    ...failed('/payments', payments.failed, counted(payments.failed, 'payment')),
  ];
}

function renderCondition({ root }: Root, { gigId, text, remedy }: Condition): Markup {
  const said = renderUntrusted(`${text}.`);
  const shown = gigId === null ? said : html`<a href="${root}/admin/gigs/${gigId}">${said}</a>`;
  return html`${shown} <span class="muted">${remedy}</span>`;
}

function standbyTroubles({ readiness: { store } }: OperatorOverview): Markup[] {
  const server = store.standing?.server ?? null;
  if (server === null) return [];
  const { state, text, remedy } = judgeStandbys(server);
  return state !== 'failed' ? [] : [html`${text}. <span class="muted">${remedy}</span>`];
}

function outsideTroubles(site: Site, overview: OperatorOverview): Markup[] {
  const { ready, store, reasons } = overview.readiness;
  return [
    ...(store.writable ? [] : [html`The database is not writable; see the log`]),
    ...(ready || !store.writable ? [] : [html`The clock differs from the database’s; this instance takes no work`]),
    ...reasons.map((reason) => renderCondition(site, reason)),
    ...standbyTroubles(overview),
  ];
}

function renderTroubles(troubles: readonly Markup[]): Markup {
  if (troubles.length === 0) return html`<p class="notice ok">Nothing needs your attention.</p>`;
  return html`<section class="notice bad stack"><h2>Needs attention</h2><ul class="troubles">${troubles.map((trouble) => html`<li>${trouble}</li>`)}</ul></section>`;
}

function renderQueue<State extends string>(
  { root }: Root,
  queue: {
    title: string;
    path: string;
    states: readonly State[];
    counts: Readonly<Record<State, number>>;
    nameState?: (state: State) => string;
    /** What the list is filtered by; the state when absent. */
    filterOf?: (state: State) => string;
  },
): Markup {
  const { title, path, states, counts, nameState = String, filterOf = String } = queue;
  const line = (state: State) =>
    html`<li><a href="${root}/admin${path}?state=${filterOf(state)}">${nameState(state)}</a><span class="number${state === 'failed' && counts[state] > 0 ? ' error' : ''}">${counts[state]}</span></li>`;
  return html`<section class="card stack"><h2><a href="${root}/admin${path}">${title}</a></h2><ul class="counts">${states.map(line)}</ul></section>`;
}

function renderTable(
  label: string,
  columns: readonly string[],
  rows: readonly (readonly (Markup | string)[])[],
  note: Markup | '' = '',
): Markup {
  return html`<section class="card stack"><h2>${label}</h2>
<table class="stacking" aria-label="${label}">
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...rest]) => html`<tr><th scope="row"><span>${first}</span></th>${rest.map((cell, index) => html`<td data-label="${columns[index + 1]}">${cell}</td>`)}</tr>`)}</tbody>
</table>${note}</section>`;
}

function renderPlatforms({ readiness, now }: OperatorOverview): Markup {
  const rows = readiness.platforms.map(({ platform, lastSuccess, paused }) => {
    const open = paused === null || paused.until <= now;
    return [
      platformName(platform),
      open ? renderBadge('available', 'ok') : renderBadge('paused', 'bad'),
      renderTimeOr(lastSuccess, 'not yet', { now }),
    ];
  });
  if (rows.length === 0)
    return html`<section class="card stack"><h2>Platforms</h2><p class="muted">No platform is enabled.</p></section>`;
  return renderTable('Platforms', ['Platform', 'State', 'Last success'], rows);
}

function renderChains({ readiness: { chains, reasons }, now }: OperatorOverview): Markup {
  const silent = new Set(reasons.flatMap(({ kind, subject }) => (kind === 'chain_unreachable' ? [subject] : [])));
  const badgeOf = ({ key, lastSuccess }: Readiness['chains'][number]) => {
    if (silent.has(key)) return renderBadge('silent', 'bad');
    return lastSuccess === null ? renderBadge('not asked yet') : renderBadge('answers', 'ok');
  };
  const rows = chains.map((chain) => [
    chainName(chain.chainId),
    badgeOf(chain),
    renderTimeOr(chain.lastSuccess, 'not yet', { now }),
  ]);
  return renderTable('Chains', ['Chain', 'State', 'Last success'], rows);
}

function renderTankState({ level }: TankStatus): Markup {
  if (level === null) return renderBadge('not read yet');
  return level.low ? renderBadge('low', 'bad') : renderBadge('enough', 'ok');
}

function renderTankLevel({ chain: { nativeCurrency }, level }: TankStatus): Markup | string {
  if (level === null) return '–';
  return html`<span>${renderBriefAmount(level.balance, nativeCurrency)}<br><span class="small muted">low below ${renderBriefAmount(level.reserve, nativeCurrency)}</span></span>`;
}

/** From there on a number says no more. */
const LONG_DAYS = 3_650;

function renderDays(days: number | null): string {
  if (days === null) return '–';
  if (days > LONG_DAYS) return 'over 10 years';
  return days >= 10 ? `${Math.floor(days)} days` : `${days} days`;
}

/** A queued reply is due, or held because of a limit or an earlier reply. */
function replyRows({ replies, money: { heldReplies: held } }: OperatorOverview) {
  const { queued, ...others } = replies;
  return { due: Math.max(0, queued - held), held, ...others };
}

function renderGasTank({ readiness: { gasTank }, money }: OperatorOverview): Markup {
  if (gasTank === null) {
    return html`<section class="card stack"><h2>Gas tank</h2><p class="muted">Off: without <code>GIG_WALLET_MNEMONIC</code> gigs can neither be created nor paid.</p></section>`;
  }
  const rows = gasTank.standings.map((standing) => [
    standing.chain.name,
    renderTankState(standing),
    renderTankLevel(standing),
    renderDays(money.tankDays.get(standing.chain.id) ?? null),
  ]);
  const note = html`<p class="small muted">On every chain at ${renderWholeAddress(gasTank.address)}. How long it lasts: at the pace of the last ${DAYS_COUNTED} days and the current price of gas.</p>`;
  return renderTable('Gas tank', ['Chain', 'State', 'Holds', 'Lasts'], rows, note);
}

function renderInstanceState({ clockAheadMs }: OperatorOverview['instances'][number]): Markup {
  return isClockOff({ clockAheadMs }) ? renderBadge('clock is off', 'bad') : renderBadge('serves', 'ok');
}

function renderStore({ readiness: { store }, instances, now }: OperatorOverview): Markup {
  const { standing } = store;
  if (standing === null) {
    return html`<section class="card stack"><h2>Database</h2><p class="error">It does not answer.</p></section>`;
  }
  const { engine, version, server, pools } = standing;
  const name = `${ENGINE_NAMES[engine]} ${version}`;
  if (server === null) {
    return html`<section class="card stack"><h2>Database</h2><p class="muted">${name}, served by this process alone.</p></section>`;
  }
  const rows = instances.map((instance) => [
    html`<code>${instance.id.slice(0, 8)}</code><br><span class="small muted">${instance.version}</span>`,
    renderInstanceState(instance),
    renderTimeOr(instance.beatAt, 'not yet', { now }),
  ]);
  const { open, limit } = server.connections;
  const used = pools.map(
    (pool) => `${pool.open - pool.idle} of ${pool.limit} for ${pool.name}, ${pool.waiting} waiting`,
  );
  const note = html`<ul class="small muted stack">
<li>${name}</li>
<li>${judgeStandbys(server).text}</li>
<li>Connections in use: ${used.join('; ')}. The server has ${limit}, of which ${open} are open</li>
</ul>`;
  return renderTable('Database', ['Instance', 'State', 'Last heard'], rows, note);
}

/** `GET /admin`: the state of the service, and what needs the operator's attention. */
export const overviewPage = OPERATORS.page('/admin', async ({ c, deps }) => {
  const { site } = deps;
  const standing = await readOverview({ ...deps, log: c.get('request').log() });
  const { mentions, money, payments } = standing;
  return {
    title: 'Overview',
    section: 'Overview',
    body: html`${renderHeading('Overview')}
${renderTroubles([...queueTroubles(site, standing), ...outsideTroubles(site, standing)])}
<div class="grid">
${renderQueue(site, { title: 'Mentions', path: '/mentions', states: MENTION_STATES, counts: mentions, nameState: nameMentionState })}
${renderQueue(site, { title: 'Replies', path: '/replies', states: REPLY_ROWS, counts: replyRows(standing), filterOf: (state) => (state === 'due' || state === 'held' ? 'queued' : state) })}
${renderQueue(site, { title: 'Payments', path: '/payments', states: PAYMENT_STATES, counts: payments })}
</div>
${renderTokenMoney(site, money)}
${renderTimes(site, standing)}
<div class="standings">
${renderPlatforms(standing)}
${renderChains(standing)}
${renderGasTank(standing)}
${renderStore(standing)}
</div>`,
  };
});
