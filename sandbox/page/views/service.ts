import { html } from 'hono/html';
import { renderBadge, type Tone } from '../../../src/http/ui/badges.ts';
import type { Markup } from '../../../src/http/ui/layout.ts';
import { describeSpan } from '../../clock.ts';
import { countWaiting } from '../changes.ts';
import { describeWaiting } from '../events.ts';
import { networkOf, TITLES } from '../names.ts';
import type { ServiceStanding, World } from '../world.ts';

const STATES: Readonly<Record<ServiceStanding['state'], readonly [words: string, tone: Tone]>> = {
  up: ['answers', 'ok'],
  restarting: ['down, restarting', 'bad'],
  silent: ['does not answer', 'bad'],
  lost: ['did not restart', 'bad'],
};

/** By how much the buttons move the time on. */
const SPANS = ['1h', '13h', '1d'] as const;

/** How the service stands, and the buttons that kill it and that move the time on. */
export function renderService(
  world: World,
  { service, logFile, instances }: { service: string; logFile: string; instances: number },
): Markup {
  const { state, pids, paused } = world.service;
  const [words, tone] = STATES[state];
  return html`<div class="row head"><h2>The service</h2> ${renderBadge(words, tone)}</div>
<dl class="facts small"><dt>Address</dt><dd><a href="${service}">${service}</a></dd>
<dt>${instances > 1 ? 'Processes' : 'Process'}</dt><dd class="number">${state === 'restarting' || pids.length === 0 ? 'none' : pids.join(', ')}</dd>
<dt>On disk</dt><dd>${describeWaiting(countWaiting(world.records))}</dd>
<dt>Time</dt><dd>${world.aheadMs === 0 ? 'this machine’s' : `${describeSpan(world.aheadMs)} ahead`}</dd>
${state === 'silent' || state === 'lost' ? html`<dt>Log</dt><dd>${logFile}</dd>` : ''}</dl>
${paused.map(({ platform, reason }) => html`<p class="notice wait small">${TITLES[networkOf(platform === 'twitter' ? 'twitter' : 'farcaster')]} is paused: ${reason}. What waits stays queued. Killing the service makes it try again at once.</p>`)}
<form action="/kill" method="post" data-act data-busy="killing the service…"><button id="kill"${state === 'restarting' ? html` aria-disabled="true"` : ''}>Kill ${instances > 1 ? 'an instance' : 'the service'}</button></form>
<form class="row" action="/time" method="post" data-act data-busy="moving the time on…" aria-label="Move the time on">${SPANS.map((span) => html`<button class="slim" id="later-${span}" name="by" value="${span}">${span} later</button> `)}</form>`;
}
