import { html } from 'hono/html';
import { formatAmount } from '../../../domain/amount.ts';
import { awardableOf, type Gig } from '../../../domain/gigs/gig.ts';
import { askedText, awardText, MAX_AWARD_LINES, MAX_HANDLES } from '../../../domain/owners/award-list.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import type { AwardPreview, ListedAward, PreviewedLine } from '../../../services/owners/preview-awards.ts';
import type { SignedIn } from '../../../services/owners/sessions.ts';
import { renderProblem } from '../../frame/deeds.ts';
import { renderAmount } from '../../ui/amounts.ts';
import { counted, renderBadge } from '../../ui/badges.ts';
import { renderFormToken } from '../../ui/form.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { platformName, renderUntrusted } from '../../ui/text.ts';
import type { MyView } from '../view.ts';

function renderBack({ root }: Root, { id }: Gig): Markup {
  return html`<p><a class="button" href="${root}/my/gigs/${id}">Back to gig ${id}</a></p>`;
}

/** `/my/gigs/{id}/award`: a list of awards is pasted or uploaded. `problem` says why it is shown again, with what was pasted. */
export function awardView(
  root: Root,
  owner: SignedIn,
  { gig, list = '', problem }: { gig: Gig; list?: string; problem?: string },
): MyView {
  const { label } = platformFacts(gig.platform);
  return {
    title: `Award gig ${gig.id}`,
    section: 'My gigs',
    ...(problem === undefined ? {} : { status: 400 }),
    body: html`<header class="stack"><h1>Award gig ${gig.id}</h1>
<p class="lead">${renderAmount(awardableOf(gig), gig.token)} can still be awarded.</p></header>
${renderProblem(problem)}
<form class="stack card" method="post" action="${root.root}/my/gigs/${gig.id}/award" enctype="multipart/form-data">${renderFormToken(owner)}
<p>One account and one amount on each line, as a spreadsheet writes or copies it. <code>@alice,10</code> is a handle on ${label}; <code>farcaster:1001,10</code> and <code>x:2222,10</code> are ids. At most ${MAX_AWARD_LINES} lines, and ${MAX_HANDLES} handles.</p>
<div><label for="list">Paste a list</label>
<textarea id="list" name="list" rows="8" autocomplete="off" spellcheck="false" placeholder="account,amount">
${list}</textarea></div>
<div><label for="file">Or choose a CSV file</label>
<input id="file" name="file" type="file" accept=".csv,text/csv,text/plain"></div>
<button class="primary">Preview the awards</button>
</form>
${renderBack(root, gig)}`,
  };
}

/** An award as its form sends it. */
function sentText({ account, amount }: ListedAward, { token }: Gig): string {
  return awardText(account, formatAmount(amount, token.decimals));
}

function renderResult(award: ListedAward, gig: Gig, ticked: readonly string[]): Markup {
  if (award.doubt === null) return renderBadge('Will be awarded', 'ok');
  // What the account has meanwhile is part of it, so that a tick is for what was seen.
  const asked = askedText(sentText(award, gig), award.has);
  return html`${renderBadge('Skipped', 'wait')} ${renderUntrusted(award.doubt)}. <label><input type="checkbox" form="${CONFIRM}" name="asked" value="${asked}"${ticked.includes(asked) ? html` checked` : ''}> Award it anyway</label>`;
}

function renderLine({ place, text, found }: PreviewedLine, { preview: { gig }, ticked = [] }: ShownPreview): Markup {
  if ('problem' in found) {
    return html`<tr><th scope="row">${place}</th><td data-label="Account"><code>${renderUntrusted(text)}</code></td>
<td data-label="Handle"></td><td data-label="Already has" class="number"></td><td data-label="Amount" class="number"></td><td data-label="Result">${renderBadge('Error', 'bad')} ${renderUntrusted(found.problem)}</td></tr>`;
  }
  const { account, amount, has } = found;
  return html`<tr><th scope="row">${place}</th><td data-label="Account">${platformName(account.platform)} ${account.platformUserId}</td>
<td data-label="Handle">${account.username === null ? html`<span class="muted">not known</span>` : html`@${renderUntrusted(account.username)}`}</td>
<td data-label="Already has" class="number">${has === 0n ? '–' : renderAmount(has, gig.token)}</td>
<td data-label="Amount" class="number">${renderAmount(amount, gig.token)}</td><td data-label="Result">${renderResult(found, gig, ticked)}</td></tr>`;
}

const CONFIRM = 'confirm';

/** What a list means, as it is shown. */
interface ShownPreview {
  readonly preview: AwardPreview;
  /** Of this form alone: what is sent twice under it has its effect once. */
  readonly key: string;
  /** As it was written. */
  readonly list: string;
  /** Why it is shown again; absent the first time. */
  readonly problem?: string;
  /** The lines that were ticked then, as they were sent. */
  readonly ticked?: readonly string[];
}

function renderConfirm(
  root: Root,
  owner: SignedIn,
  { preview, key, list: written }: ShownPreview,
  awards: readonly ListedAward[],
): Markup {
  const { gig, sum } = preview;
  const sure = awards.filter(({ doubt }) => doubt === null);
  const list = sure.map((award) => sentText(award, gig)).join('\n');
  const ticked = sure.length < awards.length ? ', and what you ticked' : '';
  const what =
    sure.length === 0
      ? html`what you ticked`
      : html`${counted(sure.length, 'account')} ${renderAmount(sum, gig.token)}${ticked}`;
  return html`<form id="${CONFIRM}" class="row" method="post" action="${root.root}/my/gigs/${gig.id}/award/confirm" enctype="multipart/form-data">${renderFormToken(owner)}<input type="hidden" name="key" value="${key}">
<textarea name="list" hidden>${list}</textarea><textarea name="written" hidden>
${written}</textarea>
<button class="primary">Award ${what}</button></form>`;
}

/** Back to the form, with the list as it was sent. */
function renderChange(root: Root, owner: SignedIn, { gig, list }: { gig: Gig; list: string }): Markup {
  return html`<form method="post" action="${root.root}/my/gigs/${gig.id}/award" enctype="multipart/form-data">${renderFormToken(owner)}<textarea name="list" hidden>
${list}</textarea><button name="change" value="1">Change the list</button></form>`;
}

/** What a list means, line by line, with the form that awards the lines about which there is no doubt, and others if they are asked for. */
export function previewView(root: Root, owner: SignedIn, shown: ShownPreview): MyView {
  const { preview, list, problem } = shown;
  const { gig, lines, sum, left } = preview;
  const awards = lines.flatMap(({ found }) => ('account' in found ? [found] : []));
  const failing = lines.length - awards.length;
  const doubted = awards.filter(({ doubt }) => doubt !== null).length;
  const isTooMuch = sum > left;
  return {
    title: `Award gig ${gig.id}`,
    section: 'My gigs',
    ...(problem === undefined ? {} : { status: 409 }),
    body: html`<header class="stack"><h1>Award gig ${gig.id}?</h1>
<p class="lead">Nothing is awarded yet. Awards are final.</p></header>
${renderProblem(problem)}
${failing === 0 ? '' : html`<p id="failing" class="notice bad" role="alert">${counted(failing, 'line')} ${failing === 1 ? 'has an error' : 'have errors'} and will be skipped.</p>`}
${doubted === 0 ? '' : html`<p id="doubted" class="notice wait" role="alert">${counted(doubted, 'line')} ${doubted === 1 ? 'is' : 'are'} skipped unless you tick ${doubted === 1 ? 'it' : 'them'}: the result says why.</p>`}
${isTooMuch ? html`<p id="too-much" class="notice bad" role="alert">The list awards more than the gig can still award: make it smaller.</p>` : ''}
<dl class="facts card"><dt>Sum</dt><dd>${renderAmount(sum, gig.token)}</dd>
<dt>Left now</dt><dd>${renderAmount(left, gig.token)}</dd>
<dt>Left afterwards</dt><dd>${isTooMuch ? '–' : renderAmount(left - sum, gig.token)}</dd></dl>
<table class="stacking"><caption class="unseen">The list, line by line</caption>
<thead><tr><th scope="col">Line</th><th scope="col">Account</th><th scope="col">Handle now</th><th scope="col" class="number">Already has</th><th scope="col" class="number">Amount</th><th scope="col">Result</th></tr></thead>
<tbody>${lines.map((line) => renderLine(line, shown))}</tbody></table>
<div class="row">${isTooMuch || awards.length === 0 ? '' : renderConfirm(root, owner, shown, awards)}
${renderChange(root, owner, { gig, list })}</div>`,
  };
}
