import { html } from 'hono/html';
import { onlyRuleOf } from '../../../domain/earning/rules/index.ts';
import { GIG_TYPES, type GigType } from '../../../domain/gigs/gig.ts';
import { GIG_TYPE_TRAITS, gigTypeChoice, ORGANIZER_DECIDES } from '../../../domain/gigs/gig-type.ts';
import { DURATIONS } from '../../../domain/gigs/terms.ts';
import { type Address, checksummed } from '../../../domain/gigs/token.ts';
import { FARCASTER, PLATFORMS, type PlatformFacts } from '../../../domain/platforms/platforms.ts';
import type { GigPreview, OfferedToken } from '../../../services/owners/create-gig.ts';
import type { SignedIn } from '../../../services/owners/sessions.ts';
import { renderAmount } from '../../ui/amounts.ts';
import { renderFormToken } from '../../ui/form.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { renderAccount, renderUntrusted } from '../../ui/text.ts';
import type { MyView } from '../view.ts';
import {
  renderChoices,
  renderEarningField,
  renderInput,
  renderSelect,
  renderText,
  type ShownForm,
} from './controls.ts';
import { EARNING_EMPTY, type Filled, GATES, MORE, RULE_CHOICES } from './earning-fields.ts';
import { OTHER, STARTS } from './fields.ts';

/** A form that is to be shown. */
export interface GigForm extends ShownForm {
  /** Of this form alone: what is sent twice under it has its effect once. */
  readonly key: string;
  readonly tokens: readonly OfferedToken[];
  /** In basis points of the reward. */
  readonly feeBps: number;
  /** What the form's gig would be; null when that was not asked, or something is wrong. */
  readonly preview: GigPreview | null;
  /** Whether in that gig an account gets less than the gas of its payment. */
  readonly isDust: boolean;
  /** Whether a draft of the browser takes the place of what is filled in. */
  readonly isDrafted: boolean;
  /** Whether names are resolved here. */
  readonly hasNames: boolean;
}

/** What a form is for. */
export interface GigFormUse {
  readonly title: string;
  readonly lead: string;
  /** Below the root. */
  readonly path: string;
  readonly button: string;
  /** What is said above the marked fields of a form that was refused. */
  readonly refused: string;
  /** Where to go instead, below the root. */
  readonly back: string;
  /** As `readTerms` takes it. */
  readonly mayLackRefund?: boolean;
  /** Whether its key stands for what was filled in at first, and so for what a draft has begun with. */
  readonly hasLastingKey?: boolean;
}

const DURATION_LABELS: Readonly<Record<keyof typeof DURATIONS, string>> = {
  '1day': '1 day',
  '3days': '3 days',
  '1week': '1 week',
  '2weeks': '2 weeks',
  '3months': '90 days',
  '6months': '180 days',
};

/** In the order in which most are chosen. */
const TYPES: readonly GigType[] = [...GIG_TYPES.filter((type) => type !== 'mention'), 'mention'];
/** The types of gigs for which the form offers several rules. */
const WITH_RULES = [...TYPES.filter((type) => onlyRuleOf(type) === null), OTHER];
/** The types of gigs that may be about a post or a profile. */
const WITH_URL = TYPES.filter((type) => GIG_TYPE_TRAITS[type].url !== 'none');

/** The value of a token in the form. @param chainKey as `Chain.key` */
export function tokenValue(chainKey: string, address: Address): string {
  return `${chainKey} ${address}`;
}

/** What an owner finds in the form: what is left returns to the wallet that signed in, or that is linked. */
export function emptyForm(
  { owner }: SignedIn,
  { tokens: [first], linked }: { readonly tokens: readonly OfferedToken[]; readonly linked: Address | null },
): Filled {
  const wallet = owner.kind === 'wallet' ? owner.address : linked;
  return {
    ...EARNING_EMPTY,
    title: '',
    gig_type: 'like',
    platform: owner.kind === 'account' ? owner.platform : FARCASTER.id,
    url: '',
    keyword: '',
    how_to_earn: '',
    rule: RULE_CHOICES[0]?.type ?? '',
    asset: first === undefined ? '' : tokenValue(first.chain.key, first.address),
    amount: '',
    start: 'when_funded',
    start_time: '',
    duration: '1week',
    refund_address: wallet === null ? '' : checksummed(wallet),
  };
}

/** The names of durations, by their milliseconds. */
export function durationName(ms: number): string {
  return Object.entries(DURATIONS).find(([, duration]) => duration === ms)?.[0] ?? '';
}

function renderWhat(form: GigForm, platform: PlatformFacts): Markup {
  const types = TYPES.map((type) => ({ value: type, label: gigTypeChoice(type, platform) }));
  return html`<section class="stack part"><h2>1. Task</h2>
${renderChoices(form, 'gig_type', [...types, { value: OTHER, label: 'Something else, by hand' }])}
${renderSelect(
  form,
  'platform',
  PLATFORMS.map(({ id, label }) => [id, label]),
)}
${renderInput(form, 'url', {
  hint: `The URL of the post, such as ${platform.examplePostUrl}. To follow or mention an account: the URL of its profile.`,
  attributes: html` inputmode="url" maxlength="500"`,
  types: WITH_URL,
})}
${renderInput(form, 'keyword', { hint: 'Word that posts must contain (if you name no profile).', attributes: html` maxlength="33"`, types: ['mention'] })}
${renderText(form, 'how_to_earn', { hint: 'In your words. Required for a bounty.' })}
${renderInput(form, 'title', { hint: 'At most 60 characters. If empty, the first words of the task are used.', attributes: html` maxlength="60"` })}
</section>`;
}

function renderWhoMay(form: GigForm): Markup {
  const fields = [...GATES, ...MORE];
  const isSaid = fields.some(({ name, field }) => {
    const typed = form.filled[name] ?? '';
    return form.problems?.fields.has(name) || (typed !== '' && typed !== field.usual);
  });
  return html`<details${isSaid ? html` open` : ''}><summary>Who may take part</summary>
<div class="stack fields">${fields.map((each) => renderEarningField(form, each))}</div></details>`;
}

function renderReward(form: GigForm): Markup {
  const tokens = form.tokens.map(
    (token) => [tokenValue(token.chain.key, token.address), `${token.symbol} on ${token.chain.name}`] as const,
  );
  const rules = RULE_CHOICES.map(({ type, label, onlyFor, fields }) => ({
    value: type,
    label,
    types: onlyFor === null ? WITH_RULES : [onlyFor],
    fields: fields.length === 0 ? undefined : html`${fields.map((each) => renderEarningField(form, each))}`,
  }));
  return html`<section class="stack part"><h2>2. Reward</h2>
${renderInput(form, 'amount', {
  hint: `The total reward, such as 10 or 0.5. The fee of ${form.feeBps / 100} % comes on top.`,
  attributes: html` inputmode="decimal" required`,
})}
${renderSelect(form, 'asset', tokens)}
${renderChoices(form, 'rule', rules)}
${renderWhoMay(form)}
</section>`;
}

function renderWhen(form: GigForm, { mayLackRefund = false }: GigFormUse): Markup {
  const starts = [...STARTS].map(([value, { label }]) => ({ value, label }));
  const at = renderInput(form, 'start_time', { hint: 'In UTC.', attributes: html` type="datetime-local"` });
  return html`<section class="stack part"><h2>3. Time</h2>
${renderChoices(
  form,
  'start',
  starts.map((start) => (start.value === 'at' ? { ...start, fields: at } : start)),
)}
${renderSelect(form, 'duration', Object.entries(DURATION_LABELS))}
${renderInput(form, 'award_days', { hint: 'For awards by hand and decisions. If empty: 14 for these, else 0.', attributes: html` inputmode="numeric" maxlength="3"` })}
${renderInput(form, 'refund_address', { hint: `Your wallet. Unawarded funds return to it.${form.hasNames ? ' A name such as alice.eth is resolved once, when you save.' : ''}`, attributes: html` spellcheck="false" placeholder="0x…"${mayLackRefund ? '' : html` required`}` })}
</section>`;
}

/** That of a form without problems. */
function lengthOf({ duration = '' }: Filled): string | undefined {
  return Object.entries(DURATION_LABELS).find(([name]) => name === duration)?.[1];
}

function platformOf(filled: Filled): PlatformFacts {
  return PLATFORMS.find(({ id }) => id === filled['platform']) ?? FARCASTER;
}

/** The most characters of a post. */
const POST_SHOWN = 140;

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  const characters = Array.from(line);
  return characters.length <= POST_SHOWN ? line : `${characters.slice(0, POST_SHOWN - 1).join('')}…`;
}

/** The beginning of the post, by which an owner sees that it is the right one. */
function renderPost(post: GigPreview['post'], { label, post: noun }: PlatformFacts): Markup | '' {
  if (post === undefined) return '';
  if (post === null) return html`<p class="notice bad">${label} knows no such ${noun}.</p>`;
  return html`<figure class="stack"><figcaption class="small muted">The ${noun} of ${renderAccount({ ...post, platformUserId: post.authorId, username: post.authorUsername })}</figcaption>
<blockquote class="said">${renderUntrusted(firstLine(post.text))}</blockquote></figure>`;
}

/** What the form's gig would be. A script renews it. */
function renderPreview({ preview, isDust, problems, filled }: GigForm): Markup {
  const [first] = problems === null ? [] : [...problems.fields.values(), ...problems.others];
  return html`<div id="preview" class="card stack" role="status"><h2>The gig</h2>
${
  preview === null
    ? html`<p class="muted">${first === undefined ? 'Here you see who earns what, and what you pay.' : html`Not complete yet: ${first}`}</p>`
    : html`${renderPost(preview.post, platformOf(filled))}<p id="criteria">${renderUntrusted(preview.criteria ?? ORGANIZER_DECIDES)}</p>
${preview.sum === null ? '' : html`<p>${renderUntrusted(preview.sum)}</p>`}
${isDust ? html`<p class="notice bad">One account gets less than the gas of its payment. Pay fewer accounts, or more to each.</p>` : ''}
<p>It ends ${lengthOf(filled)} after it starts.</p>
<p>You pay <strong>${renderAmount(preview.rewardAmount + preview.feeAmount, preview.token)}</strong>: ${renderAmount(preview.rewardAmount, preview.token)} reward and ${renderAmount(preview.feeAmount, preview.token)} fee.</p>`
}</div>`;
}

function renderForm({ root }: Root, owner: SignedIn, { form, use }: { form: GigForm; use: GigFormUse }): Markup {
  const platform = platformOf(form.filled);
  return html`<form class="gig-form" method="post" action="${root}${use.path}" data-draft="${form.isDrafted ? 'empty' : 'filled'}" data-draft-of="${owner.name}${use.hasLastingKey === true ? ` ${form.key}` : ''}">
${renderFormToken(owner)}<input type="hidden" name="key" value="${form.key}">
<div class="stack card">
${renderWhat(form, platform)}
${renderReward(form)}
${renderWhen(form, use)}
<div class="row"><button class="primary">${use.button}</button> <button name="preview" value="1" formnovalidate>Preview</button> <a class="button" href="${root}${use.back}">Back</a></div>
</div>
${renderPreview(form)}
</form>`;
}

function renderProblems({ problems }: ShownForm, { refused }: GigFormUse): Markup {
  if (problems === null) return html``;
  const said = problems.others.length > 0 ? problems.others : [refused];
  return html`<div id="problem" class="notice bad" role="alert">${said.map((each) => html`<p>${each}</p>`)}</div>`;
}

/** A page with the form of a gig. */
export function gigFormView(root: Root, owner: SignedIn, { form, use }: { form: GigForm; use: GigFormUse }): MyView {
  return {
    title: use.title,
    section: 'My gigs',
    ...(form.problems === null ? {} : { status: 400 }),
    scripts: ['form.js'],
    body: html`<header class="stack"><h1>${use.title}</h1>
<p class="lead">${use.lead}</p></header>
${renderProblems(form, use)}
${renderForm(root, owner, { form, use })}`,
  };
}

/** The same for an owner who cannot create one now. */
export function noNewGigView({ root }: Root, why: string): MyView {
  return {
    title: 'Create a gig',
    section: 'My gigs',
    status: 403,
    body: html`<h1>Create a gig</h1>
<p id="problem" class="notice wait" role="alert">${why}</p>
<p><a class="button" href="${root}/my">My gigs</a></p>`,
  };
}
