import { html } from 'hono/html';
import { REPLY_FACTS, REPLY_STATE_WORDS, replyFault, saidBy } from '../../domain/facts/reply-facts.ts';
import type { ReplyRecord, ReplyState } from '../../domain/mentions/mention.ts';
import { retryReply } from '../../services/mentions/send-replies.ts';
import { logDeed, renderProblem } from '../frame/deeds.ts';
import type { Entry } from '../frame/list.ts';
import { readListQuery, readPage } from '../frame/list-query.ts';
import { counted, renderBadge, type Tone } from '../ui/badges.ts';
import type { Markup } from '../ui/layout.ts';
import { platformName, renderUntrusted } from '../ui/text.ts';
import { renderTime } from '../ui/time.ts';
import { OPERATORS } from './audience.ts';
import type { AdminRoute, OperatorVisit } from './context.ts';
import { factMarkup } from './facts.ts';
import { idOf, renderAction, renderFacts, renderHeading, spanOfList, viewList } from './list.ts';
import type { AdminView } from './view.ts';

/** All reply states, in display order. */
export const REPLY_FILTERS = ['queued', 'sending', 'unknown', 'sent', 'failed'] as const satisfies ReplyState[];

const TONES: Readonly<Record<ReplyState, Tone>> = {
  queued: 'wait',
  sending: 'live',
  unknown: 'wait',
  sent: 'ok',
  failed: 'bad',
};

function renderReplyState(state: ReplyState): Markup {
  return renderBadge(state, TONES[state]);
}

function renderRetry(visit: OperatorVisit, { id, state }: ReplyRecord): Markup | undefined {
  if (state !== 'failed') return undefined;
  return renderAction(visit, { path: `/replies/${id}/retry`, label: 'Retry', said: `Retry reply ${id}` });
}

function renderError(reply: ReplyRecord): Markup[] {
  const fault = replyFault(reply);
  if (fault === null) return [];
  return [
    html`<span class="error">${renderUntrusted(fault)}</span> <span class="muted small">after ${counted(reply.attempts, 'attempt')}</span>`,
  ];
}

/** A reply as a list entry, with a retry button when it has failed. */
export function toReplyEntry(visit: OperatorVisit, reply: ReplyRecord): Entry {
  const { site, clock } = visit.deps;
  const { root } = site;
  const { id, mentionId } = reply;
  return {
    id,
    href: `${root}/admin/replies/${id}`,
    badge: renderReplyState(reply.state),
    time: renderTime(reply.createdAt, { now: clock() }),
    headline: html`${platformName(reply.platform)}, to <a href="${root}/admin/mentions/${mentionId}">mention ${mentionId}</a>`,
    details: [html`<p class="said">${renderUntrusted(saidBy(reply))}</p>`, ...renderError(reply)],
    action: renderRetry(visit, reply),
  };
}

const list = OPERATORS.page('/admin/replies', async (visit) => {
  const { store } = visit.deps;
  const query = readListQuery(visit, REPLY_FILTERS);
  const { items, ...place } = await readPage(query, store.replies, await spanOfList(visit, 'replies', query));
  return viewList(visit, {
    ...place,
    section: 'Replies',
    orderedBy: 'Queued',
    lead: `The bot’s replies. ${REPLY_STATE_WORDS}`,
    noun: 'reply',
    entries: items.map((reply) => toReplyEntry(visit, reply)),
    counts: (await store.queueDepths()).replies,
  });
});

function renderRetried({ platform, state }: ReplyRecord): Markup {
  if (state === 'failed') return html`<p class="notice bad" role="status">The retry failed.</p>`;
  return html`<p class="notice ok" role="status">Retrying: the service looks for the reply on ${platformName(platform)}, and sends it if it is not there.</p>`;
}

/** Null when there is none. `problem` says why it cannot be retried. */
async function viewReply(visit: OperatorVisit, problem?: string): Promise<AdminView | null> {
  const { store, site } = visit.deps;
  const id = idOf(visit);
  const retried = visit.c.req.query('retried') !== undefined;
  const reply = await store.reply(id);
  if (reply === null) return null;
  const mention = await store.mention(reply.mentionId);
  return {
    title: `Reply ${id}`,
    section: 'Replies',
    body: html`${renderHeading(html`Reply ${id} ${renderReplyState(reply.state)}`)}
${renderProblem(problem)}
${retried && reply.state !== 'sent' ? renderRetried(reply) : ''}
${renderFacts(factMarkup(site, REPLY_FACTS, { reply, mention }))}
${renderRetry(visit, reply) ?? ''}`,
  };
}

const retry = OPERATORS.form('/admin/replies/:id{[0-9]+}/retry', {
  read: idOf,
  act: async (visit, replyId) => {
    await retryReply(visit.deps, { replyId, actor: visit.actor });
    logDeed(visit, 'reply retried', { replyId });
    return `/admin/replies/${replyId}?retried`;
  },
  again: (visit, { text }) => viewReply(visit, text),
});

/** `GET /admin/replies` and `/admin/replies/:id`, and `POST` below it, which tries a failed one again. */
export const REPLY_PAGES: readonly AdminRoute[] = [
  list,
  OPERATORS.page('/admin/replies/:id{[0-9]+}', (visit) => viewReply(visit)),
  retry,
];
