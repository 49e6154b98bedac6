import { html } from 'hono/html';
import { REPLY_FACTS, REPLY_STATE_WORDS, replyFault, saidBy } from '../../domain/facts/reply-facts.ts';
import type { ReplyRecord, ReplyState } from '../../domain/mentions/mention.ts';
import type { LoggedIn } from '../../services/operators/sessions.ts';
import type { PageContext } from '../context.ts';
import { counted, renderBadge, type Tone } from '../ui/badges.ts';
import type { Markup } from '../ui/layout.ts';
import { platformName, renderMoment, renderUntrusted } from '../ui/text.ts';
import { factMarkup } from './facts.ts';
import { renderAction } from './form.ts';
import type { AdminView } from './frame.ts';
import { type Entry, type ListQuery, readPage, renderFacts, renderHeading, type Viewer, viewList } from './list.ts';

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

function renderRetry({ site, operator }: Viewer, { id, state }: ReplyRecord): Markup | undefined {
  if (state !== 'failed') return undefined;
  return renderAction(site, operator, { path: `/replies/${id}/retry`, label: 'Retry', said: `Retry reply ${id}` });
}

function renderError(reply: ReplyRecord): Markup[] {
  const fault = replyFault(reply);
  if (fault === null) return [];
  return [
    html`<span class="error">${renderUntrusted(fault)}</span> <span class="muted small">after ${counted(reply.attempts, 'attempt')}</span>`,
  ];
}

/** A reply as a list entry, with a retry button when it has failed. */
export function toReplyEntry(viewer: Viewer, reply: ReplyRecord): Entry {
  const { root } = viewer.site;
  const { id, mentionId } = reply;
  return {
    id,
    href: `${root}/admin/replies/${id}`,
    badge: renderReplyState(reply.state),
    time: renderMoment(reply.createdAt),
    headline: html`${platformName(reply.platform)}, to <a href="${root}/admin/mentions/${mentionId}">mention ${mentionId}</a>`,
    details: [html`<p class="said">${renderUntrusted(saidBy(reply))}</p>`, ...renderError(reply)],
    action: renderRetry(viewer, reply),
  };
}

/** `GET /admin/replies`. */
export async function viewReplies(
  { store, site }: PageContext,
  { query, operator }: { query: ListQuery<ReplyState>; operator: LoggedIn },
): Promise<AdminView> {
  const { items, next } = await readPage(query, store.replies);
  return viewList({
    site,
    section: 'Replies',
    lead: `The bot’s replies. ${REPLY_STATE_WORDS}`,
    noun: 'reply',
    entries: items.map((reply) => toReplyEntry({ site, operator }, reply)),
    query,
    next,
    states: REPLY_FILTERS,
    counts: (await store.queueDepths()).replies,
  });
}

function renderRetried({ platform, state }: ReplyRecord): Markup {
  if (state === 'failed') return html`<p class="notice bad" role="status">The retry failed.</p>`;
  return html`<p class="notice ok" role="status">Retrying: the service looks for the reply on ${platformName(platform)}, and sends it if it is not there.</p>`;
}

/**
 * `GET /admin/replies/:id`.
 * @param options.problem why the requested action was refused
 * @returns null when there is none
 */
export async function viewReply(
  { store, site }: PageContext,
  { id, operator, retried, problem }: { id: number; operator: LoggedIn; retried: boolean; problem?: string },
): Promise<AdminView | null> {
  const reply = await store.reply(id);
  if (reply === null) return null;
  const mention = await store.mention(reply.mentionId);
  return {
    title: `Reply ${id}`,
    section: 'Replies',
    ...(problem === undefined ? {} : { status: 409 }),
    body: html`${renderHeading(html`Reply ${id} ${renderReplyState(reply.state)}`)}
${problem === undefined ? '' : html`<p class="notice bad" role="alert">${problem}</p>`}
${retried && reply.state !== 'sent' ? renderRetried(reply) : ''}
${renderFacts(factMarkup(site, REPLY_FACTS, { reply, mention }))}
${renderRetry({ site, operator }, reply) ?? ''}`,
  };
}
