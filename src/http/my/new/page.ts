import { html } from 'hono/html';
import { GIG_TYPES } from '../../../domain/gigs/gig.ts';
import { gigTypeDisplay } from '../../../domain/gigs/gig-type.ts';
import type { DURATIONS } from '../../../domain/gigs/terms.ts';
import { type Address, checksummed } from '../../../domain/gigs/token.ts';
import { FARCASTER, PLATFORMS } from '../../../domain/platforms/platforms.ts';
import type { OfferedToken } from '../../../services/owners/create-gig.ts';
import type { SignedIn } from '../../../services/owners/sessions.ts';
import { renderFormToken } from '../../ui/form.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import type { MyView } from '../view.ts';
import { AWARDS, type FieldName, type Filled, type FormProblems, LABELS, STARTS } from './fields.ts';

/** A form that is to be shown. */
export interface NewGigForm {
  readonly filled: Filled;
  /** Null when it was not sent yet. */
  readonly problems: FormProblems | null;
  /** Of this form alone: what is sent twice under it has its effect once. */
  readonly key: string;
  readonly tokens: readonly OfferedToken[];
  /** In basis points of the reward. */
  readonly feeBps: number;
}

const DURATION_LABELS: Readonly<Record<keyof typeof DURATIONS, string>> = {
  '1day': '1 day',
  '3days': '3 days',
  '1week': '1 week',
  '2weeks': '2 weeks',
  '3months': '90 days',
  '6months': '180 days',
};

/** What an owner finds in the form: a week from now, what is left returns to the wallet that signed in, or that is linked. */
export function emptyForm(
  { owner }: SignedIn,
  { tokens: [first], linked }: { readonly tokens: readonly OfferedToken[]; readonly linked: Address | null },
): Filled {
  const wallet = owner.kind === 'wallet' ? owner.address : linked;
  return {
    title: '',
    gig_type: 'like',
    platform: owner.kind === 'account' ? owner.platform : FARCASTER.id,
    url: '',
    keyword: '',
    how_to_earn: '',
    awards: 'rules',
    asset: first === undefined ? '' : tokenValue(first),
    amount: '',
    start: 'when_funded',
    start_time: '',
    duration: '1week',
    refund_address: wallet === null ? '' : checksummed(wallet),
  };
}

function tokenValue({ chain, address }: OfferedToken): string {
  return `${chain.key} ${address}`;
}

type Option = readonly [value: string, label: string];

/** A control of the form around its label, its hint and what is wrong with it. */
function renderField(
  { problems }: NewGigForm,
  name: FieldName,
  { control, hint }: { control: (described: Markup) => Markup; hint?: string },
): Markup {
  const problem = problems?.fields.get(name);
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(problem === undefined ? [] : [`${name}-problem`])];
  const described = html`${ids.length === 0 ? '' : html` aria-describedby="${ids.join(' ')}"`}${problem === undefined ? '' : html` aria-invalid="true"`}`;
  return html`<div><label for="${name}">${LABELS[name]}</label>
${control(described)}
${hint === undefined ? '' : html`<p class="muted small" id="${name}-hint">${hint}</p>`}
${problem === undefined ? '' : html`<p class="notice bad" id="${name}-problem">${problem}</p>`}</div>`;
}

function renderSelect(form: NewGigForm, name: FieldName, options: readonly Option[], hint?: string): Markup {
  const chosen = form.filled[name];
  return renderField(form, name, {
    ...(hint === undefined ? {} : { hint }),
    control: (described) =>
      html`<select id="${name}" name="${name}"${described}>${options.map(([value, label]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${renderUntrusted(label)}</option>`)}</select>`,
  });
}

function renderInput(form: NewGigForm, name: FieldName, hint: string, more: Markup = html``): Markup {
  return renderField(form, name, {
    hint,
    control: (described) =>
      html`<input id="${name}" name="${name}" value="${form.filled[name]}" autocomplete="off"${described}${more}>`,
  });
}

function percentOf(feeBps: number): string {
  return `${feeBps / 100} %`;
}

function renderForm({ root }: Root, owner: SignedIn, form: NewGigForm): Markup {
  const platform = PLATFORMS.find(({ id }) => id === form.filled.platform) ?? FARCASTER;
  const types = GIG_TYPES.map((type): Option => [type, gigTypeDisplay(type, platform.id).label]);
  const tokens = form.tokens.map((token): Option => [tokenValue(token), `${token.symbol} on ${token.chain.name}`]);
  const durations = Object.entries(DURATION_LABELS).map(([value, label]): Option => [value, label]);
  const labels = (of: Readonly<Record<string, { readonly label: string }>>) =>
    Object.entries(of).map(([value, { label }]): Option => [value, label]);
  return html`<form class="stack card" method="post" action="${root}/my/gigs/new">${renderFormToken(owner)}<input type="hidden" name="key" value="${form.key}">
${renderSelect(form, 'gig_type', types)}
${renderSelect(
  form,
  'platform',
  PLATFORMS.map(({ id, label }): Option => [id, label]),
)}
${renderInput(form, 'title', 'The name of the gig, at most 60 characters. Without one, the first words of the task.', html` maxlength="60"`)}
${renderInput(form, 'url', 'The URL of the post that the gig is about; for follow and mention gigs that of a profile.', html` inputmode="url" maxlength="500"`)}
${renderInput(form, 'keyword', 'For mention gigs without a URL: the word that counts.', html` maxlength="33"`)}
${renderField(form, 'how_to_earn', {
  hint: 'In your words. Bounties need it.',
  control: (described) =>
    html`<textarea id="how_to_earn" name="how_to_earn" rows="3" maxlength="2000"${described}>${form.filled.how_to_earn}</textarea>`,
})}
${renderSelect(form, 'awards', labels(AWARDS), 'For a bounty, you always decide on the submissions.')}
${renderSelect(form, 'asset', tokens)}
${renderInput(form, 'amount', `In tokens, such as 10 or 0.5. The fee of ${percentOf(form.feeBps)} comes on top.`, html` inputmode="decimal" required`)}
${renderSelect(form, 'start', labels(STARTS))}
${renderInput(form, 'start_time', 'In UTC, for a start at a time.', html` type="datetime-local"`)}
${renderSelect(form, 'duration', durations)}
${renderInput(form, 'refund_address', 'A wallet of yours: the unawarded funds return to it.', html` spellcheck="false" placeholder="0x…" required`)}
<button class="primary">Create the gig</button>
</form>`;
}

function renderProblems({ problems }: NewGigForm): Markup {
  if (problems === null) return html``;
  const said = problems.others.length > 0 ? problems.others : ['Nothing was created: correct the marked fields.'];
  return html`<div id="problem" class="notice bad" role="alert">${said.map((each) => html`<p>${each}</p>`)}</div>`;
}

/** `/my/gigs/new`: the form that creates a gig. */
export function newGigView(root: Root, owner: SignedIn, form: NewGigForm): MyView {
  return {
    title: 'Create a gig',
    section: 'My gigs',
    ...(form.problems === null ? {} : { status: 400 }),
    body: html`<header class="stack"><h1>Create a gig</h1>
<p class="lead">The gig gets a wallet of its own. You fund it afterwards, then it can start.</p></header>
${renderProblems(form)}
${renderForm(root, owner, form)}`,
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
