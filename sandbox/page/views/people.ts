import { html } from 'hono/html';
import { formatAmount } from '../../../src/domain/amount.ts';
import { counted, renderHash } from '../../../src/http/ui/badges.ts';
import type { Markup } from '../../../src/http/ui/layout.ts';
import type { Way } from '../../owners/sign-in.ts';
import { FUNDER, PEOPLE, type Person } from '../../people.ts';
import { type Asset, holdingKey } from '../holdings.ts';
import { NETWORKS, type NetworkName, TITLES } from '../names.ts';
import type { World } from '../world.ts';

type ShownAsset = Asset & { readonly symbol: string; readonly decimals: number };

function renderClaimable(person: Person, network: NetworkName, { claimable }: World): Markup {
  const lines = claimable.get(person.name)?.[network];
  if (lines === undefined) return html`<span class="muted">not answered yet</span>`;
  if (lines.length === 0) return html`<span class="muted">nothing</span>`;
  return html`<ul class="plain">${lines.map(
    ({ symbol, total, tips }) =>
      html`<li><span class="number">${total} <bdi>${symbol}</bdi></span> <span class="small muted">${counted(tips, 'tip')}</span></li>`,
  )}</ul>`;
}

function renderBalances(
  { address }: Pick<Person, 'address'>,
  assets: readonly ShownAsset[],
  { holdings }: World,
): Markup {
  if (holdings === null) return html`<span class="muted">not read yet</span>`;
  return html`<ul class="plain">${assets.map((asset) => {
    const amount = holdings.amounts.get(holdingKey(address, asset)) ?? 0n;
    return html`<li class="number">${formatAmount(amount, asset.decimals)} <bdi>${asset.symbol}</bdi></li>`;
  })}</ul>`;
}

function renderSignIn(name: string, way: Way, words: string): Markup {
  return html`<form action="/sign-in/${way}/${name}" method="post"><button class="slim"><span class="unseen">Sign in as ${name} </span>${words}</button></form>`;
}

function renderPerson(
  person: Person,
  world: World,
  options: { assets: readonly ShownAsset[]; service: string },
): Markup {
  const { name, fid, xUserId, address } = person;
  const whose = html`<span class="unseen"> of ${name}</span>`;
  const ids = { farcaster: String(fid), x: xUserId };
  return html`<li class="person card" id="person-${name}">
<p class="head"><strong><bdi>${name}</bdi></strong> ${renderHash(address)}</p>
<dl class="small">${NETWORKS.map(
    (
      network,
    ) => html`<dt>Can claim on ${TITLES[network]}</dt><dd class="on-${network}">${renderClaimable(person, network, world)}</dd>
`,
  )}<dt>Holds on chain</dt><dd class="holds">${renderBalances(person, options.assets, world)}</dd></dl>
<p class="small ways"><span>Claim page${whose} ${NETWORKS.map((network) => html`<a href="${options.service}/claim/${network}/${ids[network]}">on ${TITLES[network]}</a> `)}</span> <a href="${options.service}/api/claim?identifiers=${fid},${name}">API answer${whose}</a></p>
<div class="row small sign-in"><span>Sign in as ${name}</span> ${renderSignIn(name, 'farcaster', 'with Farcaster')} ${renderSignIn(name, 'wallet', 'with the wallet')}</div>
</li>`;
}

function renderFunder(world: World, assets: readonly ShownAsset[]): Markup {
  return html`<li class="person card" id="funder">
<p class="head"><strong>The ${FUNDER.name}</strong> ${renderHash(FUNDER.address)}</p>
<p class="small muted">The refund address of the sandbox’s gigs: what they do not award returns here.</p>
<dl class="small"><dt>Holds on chain</dt><dd class="holds">${renderBalances(FUNDER, assets, world)}</dd></dl>
</li>`;
}

/** Everybody with what the API says they can claim and what their address holds; last the wallet to which gigs return what they do not award. */
export function renderPeople(world: World, options: { assets: readonly ShownAsset[]; service: string }): Markup {
  return html`<ul class="people">${PEOPLE.map((person) => renderPerson(person, world, options))}${renderFunder(world, options.assets)}</ul>`;
}
