import { html } from 'hono/html';
import { SEARCHABLE } from '../../../domain/operators/search.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { find, type Hit, type HitRecord } from '../../../services/operators/find/find.ts';
import { counted } from '../../ui/badges.ts';
import type { Root } from '../../ui/layout.ts';
import { OPERATORS } from '../audience.ts';
import { renderTold } from '../facts.ts';
import { renderHeading } from '../list.ts';
import type { AdminView } from '../view.ts';
import { accountPath } from './account.ts';

/** Longer texts are nothing that can be found; a page does not repeat them. */
const MOST_REPEATED = 500;

const LISTS = { gig: 'gigs', claim: 'claims', payment: 'payments', mention: 'mentions', reply: 'replies' } as const;

/** The path of a record below `/admin`. One without a page of its own is shown in its list. */
function pathOf(record: HitRecord): string {
  switch (record.kind) {
    case 'account':
      return accountPath(record.account);
    case 'tip':
      return `${accountPath(record.account)}?list=tips&before=${record.id + 1}#tip-${record.id}`;
    case 'event':
      if (record.delivery === null) return `/gigs/${record.gigId}`;
      return `/webhooks?before=${record.delivery + 1}#delivery-${record.delivery}`;
    case 'audit':
      return `/audit?before=${record.id + 1}#event-${record.id}`;
    case 'gas tank':
      return '';
    default:
      return `/${LISTS[record.kind]}/${record.id}`;
  }
}

/** What a record is called in a link. */
function nameOf(record: HitRecord): string {
  if (record.kind === 'audit') return `audit event ${record.id}`;
  if (record.kind === 'account') {
    const { platform, platformUserId } = record.account;
    return `${platformFacts(platform).slug}:${platformUserId}`;
  }
  if ('id' in record) return `${record.kind} ${record.id}`;
  return record.kind === 'event' ? `event of gig ${record.gigId}` : record.kind;
}

function renderHit({ root }: Root, { record, told }: Hit) {
  return html`<li class="entry"><div class="entry-mark"><a href="${root}/admin${pathOf(record)}">${nameOf(record)}</a></div><div class="entry-body"><p>${renderTold({ root }, told)}</p></div></li>`;
}

function viewHits(site: Root, asked: string, hits: readonly Hit[]): AdminView {
  const found = asked.trim() === '' ? 'Find' : hits.length === 0 ? 'Nothing found' : counted(hits.length, 'hit');
  const list =
    hits.length === 0
      ? html`<p class="card">${SEARCHABLE}</p>
<p class="muted">Only whole names, numbers and links are found; texts are not searched. A request that changed nothing is in the log alone.</p>`
      : html`<ul class="entries card">${hits.map((hit) => renderHit(site, hit))}</ul>`;
  const repeated = asked.length > MOST_REPEATED ? '' : asked;
  return { title: 'Find', section: null, asked: repeated, body: html`${renderHeading(found)}${list}` };
}

/** `GET /admin/find?q=`. */
export const findPage = OPERATORS.page('/admin/find', async ({ c, deps }) => {
  const asked = c.req.query('q') ?? '';
  const hits = await find(deps, asked);
  const [only, ...others] = hits;
  if (only !== undefined && others.length === 0) return `/admin${pathOf(only.record)}`;
  return viewHits(deps.site, asked, hits);
});
