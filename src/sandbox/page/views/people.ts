import { html } from 'hono/html';
import { formatAmount } from '../../../domain/amount.ts';
import type { Markup } from '../../../http/pages/layout.ts';
import { counted, renderHash } from '../../../http/pages/marks.ts';
import { PEOPLE, type Person } from '../../people.ts';
import { type Asset, holdingKey } from '../holdings.ts';
import type { World } from '../world.ts';

type ShownAsset = Asset & { readonly symbol: string; readonly decimals: number };

function renderClaimable(person: Person, { claimable }: World): Markup {
  const lines = claimable.get(person.name);
  if (lines === undefined) return html`<span class="muted">not answered yet</span>`;
  if (lines.length === 0) return html`<span class="muted">nothing</span>`;
  return html`<ul class="plain">${lines.map(
    ({ symbol, total, tips }) =>
      html`<li><span class="number">${total} ${symbol}</span> <span class="small muted">${counted(tips, 'tip')}</span></li>`,
  )}</ul>`;
}

function renderBalances(person: Person, assets: readonly ShownAsset[], { holdings }: World): Markup {
  if (holdings === null) return html`<span class="muted">not read yet</span>`;
  return html`<ul class="plain">${assets.map((asset) => {
    const amount = holdings.amounts.get(holdingKey(person.address, asset)) ?? 0n;
    return html`<li class="number">${formatAmount(amount, asset.decimals)} ${asset.symbol}</li>`;
  })}</ul>`;
}

function renderPerson(
  person: Person,
  world: World,
  options: { assets: readonly ShownAsset[]; service: string },
): Markup {
  const { name, fid, address } = person;
  const whose = html`<span class="unseen"> of ${name}</span>`;
  return html`<li class="person card" id="person-${name}">
<p class="head"><strong>${name}</strong> ${renderHash(address)}</p>
<dl class="small"><dt>Can claim</dt><dd>${renderClaimable(person, world)}</dd>
<dt>Holds on chain</dt><dd>${renderBalances(person, options.assets, world)}</dd></dl>
<p class="small ways"><a href="${options.service}/claim/farcaster/${fid}">claim page${whose}</a> <a href="${options.service}/api/claim?identifiers=${fid},${name}">API answer${whose}</a></p>
</li>`;
}

/** Everybody with what the API says they can claim and what their address holds. */
export function renderPeople(world: World, options: { assets: readonly ShownAsset[]; service: string }): Markup {
  return html`<ul class="people">${PEOPLE.map((person) => renderPerson(person, world, options))}</ul>`;
}
