import { html } from 'hono/html';
import type { AccountKey } from '../../../domain/account.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import type { RecordLine, RecordStanding } from '../../../domain/facts/record-lines.ts';
import { platformFacts, platformNamed } from '../../../domain/platforms/platforms.ts';
import {
  ACCOUNT_LISTS,
  type AccountList,
  type AccountPage,
  readAccount,
  type ShownAccount,
} from '../../../services/operators/find/account.ts';
import { renderEntries } from '../../frame/list.ts';
import { readPosition } from '../../frame/list-query.ts';
import { renderBadge, type Tone } from '../../ui/badges.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { renderAccount } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';
import { OPERATORS } from '../audience.ts';
import { renderTold } from '../facts.ts';
import { renderHeading } from '../list.ts';
import type { AdminView } from '../view.ts';

/** How many of each list the page has, and how many a page of one list. */
const SHOWN = { each: 10, one: 50 };

const TONES: Readonly<Record<RecordStanding, Tone>> = { done: 'ok', open: 'wait', bad: 'bad' };

const TITLES: Readonly<Record<AccountList, readonly [title: string, noun: string]>> = {
  mentions: ['Mentions', 'mention'],
  claims: ['Claims', 'claim'],
  tips: ['Tips', 'tip'],
  earnings: ['Pending and declined', 'act'],
  payments: ['Payments', 'payment'],
};

/** The path of an account's page below `/admin`. */
export function accountPath({ platform, platformUserId }: AccountKey): string {
  return `/accounts/${platformFacts(platform).slug}/${platformUserId}`;
}

function toEntry(site: Root, { id, at, state, standing, told, why }: RecordLine, now: number) {
  return {
    id,
    badge: renderBadge(state, TONES[standing]),
    time: renderTime(at, { now }),
    headline: renderTold(site, told),
    details:
      why === null ? [] : [html`<p class="${standing === 'bad' ? 'error' : 'muted'}">${renderTold(site, why)}</p>`],
  };
}

function renderLines(
  site: Root,
  account: AccountKey,
  { page: { list, lines, next }, now }: { page: AccountPage; now: number },
): Markup {
  const [title, noun] = TITLES[list];
  const path = `${site.root}/admin${accountPath(account)}`;
  const older =
    next === null
      ? ''
      : html`<p><a class="button" href="${path}?list=${list}&amp;before=${next}">Older ${list}</a></p>`;
  const entries = lines.map((line) => toEntry(site, line, now));
  return html`<section class="stack" aria-labelledby="${list}"><h2 id="${list}">${title}</h2>
${renderEntries(entries, { noun, empty: 'None.' })}${older}</section>`;
}

function viewAccount(
  site: Root,
  { account, known, pages }: ShownAccount,
  { isOne, now }: { isOne: boolean; now: number },
): AdminView {
  const { label, idLabels } = platformFacts(account.platform);
  const path = `${site.root}/admin${accountPath(account)}`;
  const lead = `${label}, ${idLabels[0]} ${account.platformUserId}${known ? '' : '; the service has nothing else on record'}.`;
  return {
    title: `${label} ${account.platformUserId}`,
    section: null,
    body: html`${renderHeading(renderAccount(account), lead)}
${isOne ? html`<p><a class="button" href="${path}">All of this account</a></p>` : ''}
${pages.map((page) => renderLines(site, account, { page, now }))}`,
  };
}

function readListName(asked: string | undefined): AccountList | undefined {
  const list = ACCOUNT_LISTS.find((each) => each === asked);
  if (asked !== undefined && list === undefined)
    throw invalidRequest(`list must be one of ${ACCOUNT_LISTS.join(', ')}`);
  return list;
}

/** `GET /admin/accounts/:platform/:id`: the newest of each list, or a page of one with `list` and `before`. */
export const accountPage = OPERATORS.page('/admin/accounts/:platform/:id', async ({ c, deps }) => {
  const platform = platformNamed(c.req.param('platform') ?? '');
  const platformUserId = c.req.param('id') ?? '';
  if (platform === undefined || !platformFacts(platform).isId(platformUserId)) return null;
  const list = readListName(c.req.query('list'));
  const before = list === undefined ? undefined : readPosition('before', c.req.query('before'));
  const lists = list === undefined ? ACCOUNT_LISTS : [list];
  const limit = list === undefined ? SHOWN.each : SHOWN.one;
  const shown = await readAccount(deps, { platform, platformUserId }, { lists, limit, before });
  return viewAccount(deps.site, shown, { isOne: list !== undefined, now: deps.clock() });
});
