import { html } from 'hono/html';
import { decisionsField, type GivenDecision } from '../../domain/earning/payouts/decisions.ts';
import { factsWords } from '../../domain/earning/words/reason-words.ts';
import { invalidRequest } from '../../domain/errors.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { type Candidates, missingWords, type ReadSubmission } from '../../services/earning/decide/list-candidates.ts';
import { amountText } from './amounts.ts';
import { renderFormToken } from './form.ts';
import type { Markup } from './layout.ts';
import { renderUntrusted } from './text.ts';

/** A form that decides on a submission, as it was typed. */
export interface FilledDecision {
  /** The id of the candidate. */
  readonly id: number;
  readonly award: string;
  readonly refuse: string;
}

/** A form that was refused, and why. */
export interface RefusedDecision extends FilledDecision {
  readonly problem: string;
}

/** The form that decides on one submission. `action` is the URL that takes it. */
function renderDecide(
  { gig, maxAmount }: Candidates,
  { id, award, refuse }: FilledDecision,
  { action, session }: { action: string; session: { readonly formToken: string } },
): Markup {
  const most = amountText(maxAmount, gig.token);
  return html`<form class="stack" method="post" action="${action}">${renderFormToken(session)}
<div><label for="award${id}">Award, at most ${most}</label>
<input id="award${id}" name="award" value="${award}" inputmode="decimal" autocomplete="off"></div>
<div><label for="refuse${id}">Or refuse, with a reason that the account sees</label>
<input id="refuse${id}" name="refuse" value="${refuse}" maxlength="500" autocomplete="off"></div>
<div><button class="slim" aria-label="Decide on ${id}">Decide</button></div>
</form>`;
}

/**
 * What a submission says, what is known of its account, and the form that decides.
 * @param options.path the URL of the list, below which each submission has its own
 */
export function renderSubmission(
  candidates: Candidates,
  { earning, postId, text, missing }: ReadSubmission,
  {
    path,
    session,
    refused,
  }: { path: string; session: { readonly formToken: string }; refused: RefusedDecision | undefined },
): Markup[] {
  const { observationId: id, platform, facts } = earning;
  const url = platformFacts(platform).postUrl?.(postId);
  const filled = refused?.id === id ? refused : { id, award: '', refuse: '' };
  const said =
    text === null
      ? html`<p class="muted">Its text cannot be read now: ${missingWords(missing ?? 'gone', platform)}.</p>`
      : html`<p class="said">${renderUntrusted(text)}</p>`;
  const post = url === undefined ? '' : html` · <a href="${url}">the post</a>`;
  return [
    said,
    html`<p class="muted">${factsWords(facts)}${post}</p>`,
    renderDecide(candidates, filled, { action: `${path}/${id}`, session }),
  ];
}

/** What the form about a candidate holds. */
export function filledDecision(id: number, form: URLSearchParams): FilledDecision {
  const typed = (name: string) => form.get(name)?.trim() ?? '';
  return { id, award: typed('award'), refuse: typed('refuse') };
}

/** @throws DomainError `invalid_request` */
export function readDecision({ id, award, refuse }: FilledDecision): GivenDecision {
  if ((award === '') === (refuse === '')) throw invalidRequest('Enter an amount or a reason, not both.');
  const read = decisionsField.safeParse([{ id, award: award || undefined, refuse: refuse || undefined }]);
  const [decision] = read.data ?? [];
  if (decision !== undefined) return decision;
  throw invalidRequest(`The ${read.error?.issues[0]?.message ?? 'decision is malformed'}.`);
}
