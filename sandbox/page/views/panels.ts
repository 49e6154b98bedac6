import { html } from 'hono/html';
import { formatAmount } from '../../../src/domain/amount.ts';
import type { Target } from '../../../src/domain/earning/act.ts';
import { isSubmission } from '../../../src/domain/earning/submission.ts';
import { type GigPhase, gigPhase } from '../../../src/domain/gigs/gig.ts';
import type { TokenUnit } from '../../../src/domain/gigs/token.ts';
import { dayText } from '../../../src/domain/time.ts';
import { counted, renderBadge, renderHash, type Tone } from '../../../src/http/ui/badges.ts';
import type { Markup } from '../../../src/http/ui/layout.ts';
import { renderShortAddress } from '../../../src/http/ui/text.ts';
import type { Verb } from '../../acting.ts';
import type { NetworkPost } from '../../networks/network.ts';
import { BOT, FUNDER, PEOPLE, type Person } from '../../people.ts';
import { FUNDINGS, fundingAmount, readWallet } from '../acts.ts';
import { type ApiAnswer, describeAnswer } from '../api.ts';
import { NETWORKS, type NetworkName, PLATFORM_OF, TITLES } from '../parts.ts';
import { type GigRecord, postKey, type Records } from '../records.ts';
import type { World } from '../stage.ts';
import { isByBot, mentionStep, namesBot, replyStep, saidIn } from '../story.ts';
import { holdingKey, type shownAssets } from '../watcher.ts';
import { API_LABELS, clockTime, SILENCE_WORDS, WEBHOOK_LABELS } from '../words.ts';

type Fields = Readonly<Record<string, string | undefined>>;

const WAITING = ['received', 'answering', 'written', 'sending', 'unknown'];
/** Older threads are left out, so that a long day's page stays quick. */
const SHOWN_THREADS = 50;

function renderStep(what: string, step: string): Markup {
  const tone = WAITING.includes(step) ? 'wait' : step === 'failed' ? 'bad' : step === 'sent' ? 'ok' : 'quiet';
  return renderBadge(`${what} ${step}`, tone);
}

function renderState(network: NetworkName, post: NetworkPost, { records }: World): Markup {
  const mention = records.mentions.get(postKey(PLATFORM_OF[network], post.id));
  if (mention === undefined) return html`${namesBot(post) ? renderBadge('not received yet', 'wait') : ''}`;
  const reply = records.replies.get(mention.id);
  const why = mention.ignoreReason === null ? '' : `No reply: ${SILENCE_WORDS[mention.ignoreReason]}.`;
  const error = reply?.state === 'sent' ? null : (reply ?? mention).lastError;
  const sent = reply === undefined ? '' : renderStep('reply', replyStep(reply.state));
  return html`${renderStep(`mention ${mention.id}`, mentionStep(mention))} ${sent} <span class="small muted">${why}${error ?? ''}</span>`;
}

function renderPost(network: NetworkName, post: NetworkPost, world: World): Markup {
  const id = `post-${network}-${post.id}`;
  const replies = world.posts[network].filter(({ replyTo }) => replyTo === post.id);
  const isClaim = !isByBot(post) && /claim my rewards/i.test(post.text) && !isSubmission(post.text);
  const claim = html`<form action="/claims" method="post" data-act><input type="hidden" name="url" value="${post.url}"><button class="slim" id="claim-${id}">Send its URL to POST /api/claim</button></form>`;
  return html`<li class="post" id="${id}">
<p class="byline"><strong><bdi>${post.author.username}</bdi></strong> ${isByBot(post) ? html`<span class="muted">the bot</span>` : ''}
<time class="muted small" datetime="${new Date(post.createdAt).toISOString()}">${clockTime(post.createdAt)}</time></p>
<p class="said"><bdi>${saidIn(network, post)}</bdi></p>
${isByBot(post) ? '' : html`<p class="row states">${renderState(network, post, world)}</p>`}
${isClaim ? claim : ''}
${replies.length === 0 ? '' : html`<ol class="plain replies">${replies.map((reply) => renderPost(network, reply, world))}</ol>`}
</li>`;
}

/** A network's posts, the newest thread first, replies below what they answer. */
export function renderTimeline(network: NetworkName, world: World): Markup {
  const roots = world.posts[network].filter(({ replyTo }) => replyTo === null).toReversed();
  if (roots.length === 0) return html`<p class="muted">No posts yet.</p>`;
  return html`<ol class="plain posts">${roots.slice(0, SHOWN_THREADS).map((post) => renderPost(network, post, world))}</ol>`;
}

/** Suggested posts. A start is suggested only while an owner can start a gig. `{address}` is the chosen user's. */
export function renderSuggestions(network: NetworkName, { gigs }: Records): Markup {
  const startable = [...gigs.values()].find(({ status, owners }) => status === 'created' && owners.length > 0);
  const start = startable === undefined ? [] : [`start gig ${startable.id}`];
  const claim = network === 'x' ? 'claim my rewards {address}' : 'claim my rewards';
  return html`${['claims', claim, ...start, 'help'].map(
    (words) =>
      html`<button class="slim" name="suggestion" value="@${BOT.username} ${words}" formnovalidate data-suggest>${words.replace('{address}', '0x…')}</button>`,
  )}`;
}

/** The form to post on a network. Nothing but its suggestions ever changes, so that nothing disturbs who types. */
export function renderComposer(network: NetworkName, suggestions: Markup): Markup {
  return html`<form class="stack" id="composer-${network}" action="/posts/${network}" method="post" data-act data-clear data-busy="posting…">
<div class="look-up"><label for="author-${network}">Post as</label>
<div><select id="author-${network}" name="author">${PEOPLE.map(({ name, address }) => html`<option value="${name}" data-address="${address}">${name}</option>`)}</select></div></div>
<label class="unseen" for="text-${network}">Text of the post on ${TITLES[network]}</label>
<textarea id="text-${network}" name="text" rows="2" maxlength="1000" required autocomplete="off" placeholder="@${BOT.username} …"></textarea>
<div class="row"><div class="row" id="suggestions-${network}" role="group" aria-label="Suggested texts for ${TITLES[network]}">${suggestions}</div>
<button class="primary">Post on ${TITLES[network]}</button></div>
</form>`;
}

/** What each fault leads to; those without a switch are set by other means than this page. */
const EFFECTS: Fields = {
  none: 'Replies are accepted.',
  drop_answer: 'Posts the reply, then cuts the connection. The service looks for its own post before it sends again.',
  rate_limited: 'The service waits as long as the answer says, and sends again.',
  payment_required: 'After three in a row the service pauses the network. Waiting replies are sent later.',
  hang: 'Never answers. The service gives up at its deadline, and tries again.',
  normal: 'Each event is delivered once, immediately.',
  twice: 'The same event is delivered twice. It is answered once.',
  late: 'Half a second after the post.',
  never: 'The service finds the post by polling, every 20 seconds.',
};

function renderSwitches(name: 'api' | 'webhook', network: NetworkName, current: string): Markup[] {
  const labels = Object.entries(name === 'api' ? API_LABELS : WEBHOOK_LABELS);
  return labels.map(([value, label]) => {
    const id = `${name}-${network}-${value}`;
    const [checked, effect] = [value === current ? html` checked` : '', EFFECTS[value] ?? 'Set outside this page.'];
    if (EFFECTS[value] === undefined && value !== current) return html``;
    return html`<div class="choice"><input type="radio" id="${id}" name="${name}" value="${value}"${checked} aria-describedby="${id}-effect">
<div><label for="${id}">${label}</label><p class="small muted" id="${id}-effect">${effect}</p></div></div>`;
  });
}

/** The switches of one network. */
export function renderFaults(network: NetworkName, { faults }: World): Markup {
  const { api, webhook, remaining } = faults[network];
  const isWell = api === 'none' && webhook === 'normal';
  const title = TITLES[network];
  return html`<div class="row"><h3>${title}</h3> ${isWell ? renderBadge('no faults', 'ok') : renderBadge('faults are on', 'bad')}</div>
<form class="pair" action="/faults/${network}" method="post" data-act data-now data-busy="setting the faults…" aria-label="Faults of ${title}">
<fieldset><legend>When the service replies on ${title}</legend>${renderSwitches('api', network, api)}
<div class="choice"><input type="checkbox" id="once-${network}" name="once"${remaining === null ? '' : html` checked`}><label for="once-${network}">The next reply only</label></div></fieldset>
<fieldset><legend>Events from ${title}</legend>${renderSwitches('webhook', network, webhook)}</fieldset>
<button class="slim">Set</button>
</form>`;
}

const TONES: Readonly<Partial<Record<GigPhase, Tone>>> = { created: 'wait', scheduled: 'live', live: 'live' };
const FUNDING_WORDS = { exact: 'exactly', short: 'short', over: 'over' } as const;
const LABELS: Fields = { unlike: 'undo like', unrecast: 'undo recast', delete: 'delete own cast' };
/** What a user can do about each kind of target, and how to undo it. */
const VERBS_OF: Readonly<Record<Target['kind'], readonly Verb[]>> = {
  post: ['like', 'unlike', 'recast', 'unrecast', 'quote', 'reply', 'delete'],
  account: ['follow', 'unfollow', 'mention', 'delete'],
  keyword: ['mention', 'delete'],
};

function renderAmount(amount: bigint, { decimals, symbol }: TokenUnit): Markup {
  return html`${formatAmount(amount, decimals)} <bdi>${symbol}</bdi>`;
}

function renderActs(id: number, verbs: readonly Verb[]): Markup {
  const button = (name: string, verb: Verb) =>
    html`<button class="slim" id="act-${id}-${name}-${verb}" name="verb" value="${verb}"><span class="unseen">${name}: </span>${LABELS[verb] ?? verb}<span class="unseen"> (gig ${id})</span></button> `;
  const form = ({ name }: Person) =>
    html`<form class="row" action="/gigs/${id}/act" method="post" data-act data-busy="acting…"><input type="hidden" name="who" value="${name}"><span class="small">${name}</span> ${verbs.map((verb) => button(name, verb))}</form>`;
  return html`<details id="acts-${id}"><summary>Let users act on Farcaster</summary>${PEOPLE.map(form)}
<p class="small muted">The service sees it by webhook, or within seconds by looking.</p></details>`;
}

/** What an API call answered: in words, and as it came. */
export function renderAnswer(id: string, answer: ApiAnswer): Markup {
  const json = html`<details id="${id}-json"><summary>${answer.request} as JSON</summary><pre tabindex="0">${JSON.stringify(answer.body, null, 2)}</pre></details>`;
  return html`<div class="notice answer small ${answer.status === 200 ? 'ok' : 'bad'}"><p>${describeAnswer(answer)}</p>${answer.body === null ? '' : json}</div>`;
}

function renderStart(gig: GigRecord, held: bigint): Markup {
  const { id, token } = gig;
  const fundings = FUNDINGS.map((funding) => {
    const amount = fundingAmount(gig, held, funding);
    const sum = html` (+${formatAmount(amount ?? 0n, token.decimals)})<span class="unseen"> <bdi>${token.symbol}</bdi></span>`;
    return html`<button class="slim" id="fund-${id}-${funding}" name="funding" value="${funding}"${amount === null ? html` aria-disabled="true"` : ''}><span class="unseen">Fund gig ${id} </span>${FUNDING_WORDS[funding]}${amount === null ? '' : sum}</button> `;
  });
  const fit = html`<form class="row" action="/gigs/${id}/fit" method="post" data-act><button class="slim" id="fit-${id}">Fit the reward<span class="unseen"> of gig ${id}</span></button> <span class="small muted">Changes the reward over the API, so that the wallet holds exactly what the gig needs.</span></form>`;
  return html`<form class="row" action="/gigs/${id}/fund" method="post" data-act data-busy="sending…"><span class="small muted">Fund</span> ${fundings}</form>
${held > gig.rewardAmount + gig.feeAmount ? fit : ''}`;
}

function renderHeld(gig: GigRecord, world: World): Markup {
  const { held, balance, standing } = readWallet(gig, world);
  if (held === undefined) return html`<span class="muted">not read yet</span>`;
  if (gig.status === 'live') return renderAmount(held, gig.token);
  if (balance === 0) return html`<bdi>${standing}</bdi> ${renderBadge('funded exactly', 'ok')}`;
  const badge =
    held === 0n ? renderBadge('empty', 'wait') : renderBadge(balance < 0 ? 'too little' : 'too much', 'bad');
  return html`<bdi>${standing}</bdi> ${badge}`;
}

function renderGig(gig: GigRecord, world: World, service: string): Markup {
  const { id, owners, target } = gig;
  const { held } = readWallet(gig, world);
  const isNew = gig.status === 'created';
  const answer = world.starts.get(id);
  const phase = gigPhase(gig, world.now);
  // A live gig whose window has not begun is live already: it cannot be started again.
  const words = phase === 'scheduled' ? `live, starts ${dayText(gig.startTime)}` : phase;
  return html`<li class="card stack" id="gig-${id}">
<p class="head"><strong><a href="${service}/gigs/${id}">Gig ${id}</a></strong> ${renderBadge(words, TONES[phase])}
${renderAmount(gig.rewardAmount, gig.token)} <span class="small muted">${gig.gigType.replace('_', ' ')}, ${owners.length === 0 ? 'no owner' : html`owner <bdi>${owners.join(', ')}</bdi>`}</span></p>
<dl class="facts small"><dt>Wallet</dt><dd>${renderShortAddress(gig.walletAddress)}</dd><dt>Holds</dt><dd>${renderHeld(gig, world)}</dd></dl>
${gig.frozen === null ? '' : html`<p class="notice bad small">Frozen: ${gig.frozen}</p>`}
${isNew && held !== undefined ? renderStart(gig, held) : ''}
${isNew ? html`<form action="/gigs/${id}/start" method="post" data-act><button class="slim" id="start-${id}">Start<span class="unseen"> gig ${id}</span> over the API</button></form>` : ''}
${target === null ? '' : renderActs(id, VERBS_OF[target.kind])}
${answer === undefined ? '' : renderAnswer(`gig-${id}`, answer)}
</li>`;
}

/** All gigs: those that have not started come first. */
export function renderGigs(world: World, { service }: { service: string }): Markup {
  const { created = [], live = [] } = Object.groupBy(world.records.gigs.values(), ({ status }) => status);
  return html`<ul class="plain grid">${[...created, ...live].map((gig) => renderGig(gig, world, service))}</ul>`;
}

type Shown = { readonly service: string; readonly assets: ReturnType<typeof shownAssets> };

function renderBalances({ address }: Pick<Person, 'address'>, { holdings }: World, { assets }: Shown): Markup {
  const lines = assets.map((asset) => renderAmount(holdings?.amounts.get(holdingKey(address, asset)) ?? 0n, asset));
  const list = html`<ul class="plain">${lines.map((line) => html`<li class="number">${line}</li>`)}</ul>`;
  return html`<dt class="muted">Holds on chain</dt><dd class="holds">${holdings === null ? 'not read yet' : list}</dd>`;
}

function renderPerson(person: Person, world: World, shown: Shown): Markup {
  const { name, fid, xUserId } = person;
  const ids = { farcaster: String(fid), x: xUserId };
  const claimable = NETWORKS.map((network) => {
    const found = world.records.claimable.get(name)?.[network] ?? [];
    const tipsOf = (tips: number) => html`<span class="muted">${counted(tips, 'tip')}</span>`;
    const lines = found.map(
      ({ total, token, tips }) => html`<li class="number">${renderAmount(total, token)} ${tipsOf(tips)}</li>`,
    );
    const list = html`<ul class="plain">${lines}</ul>`;
    return html`<dt class="muted">Can claim on ${TITLES[network]}</dt><dd class="on-${network}">${lines.length === 0 ? 'nothing' : list}</dd>`;
  });
  const signIn = (way: string, words: string) =>
    html`<form action="/sign-in/${way}/${name}" method="post"><button class="slim"><span class="unseen">Sign in as ${name} </span>${words}</button></form>`;
  const whose = html`<span class="unseen"> of ${name}</span>`;
  return html`<li class="card" id="person-${name}">
<p><strong><bdi>${name}</bdi></strong> ${renderHash(person.address)}</p>
<dl class="small">${claimable}${renderBalances(person, world, shown)}</dl>
<p class="small">Claim page${whose} ${NETWORKS.map((network) => html`<a href="${shown.service}/claim/${network}/${ids[network]}">on ${TITLES[network]}</a> `)} <a href="${shown.service}/api/claim?identifiers=${fid},${name}">API answer${whose}</a></p>
<div class="row small"><span>Sign in as ${name}</span> ${signIn('farcaster', 'with Farcaster')} ${signIn('wallet', 'with the wallet')} <span class="muted">(no account is linked at first)</span></div>
</li>`;
}

/** Everybody with what they can claim and what their addresses hold; last the wallet to which gigs return the rest. */
export function renderPeople(world: World, shown: Shown): Markup {
  return html`<ul class="plain grid">${PEOPLE.map((person) => renderPerson(person, world, shown))}<li class="card" id="funder">
<p><strong>The ${FUNDER.name}</strong> ${renderHash(FUNDER.address)}</p>
<p class="small muted">The refund address of the sandbox’s gigs: what they do not award returns here.</p>
<dl class="small">${renderBalances(FUNDER, world, shown)}</dl>
</li></ul>`;
}
