import { html } from 'hono/html';
import type { ReplyRecord, ReplyState } from '../../domain/mention.ts';
import { withoutReplyMark } from '../../domain/platforms.ts';
import type { OperatorStore } from '../../services/operators/overview.ts';
import type { LoggedIn } from '../../services/operators/sessions.ts';
import { counted, renderBadge, type Tone } from '../ui/badges.ts';
import type { Markup, Site } from '../ui/layout.ts';
import { platformName, renderAccount, renderMoment, renderUntrusted, renderWhole } from '../ui/text.ts';
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

/** A reply's state as a label. */
function renderReplyState(state: ReplyState): Markup {
  return renderBadge(state, TONES[state]);
}

function renderRetry({ site, operator }: Viewer, { id, state }: ReplyRecord): Markup | undefined {
  if (state !== 'failed') return undefined;
  return renderAction(site, operator, { path: `/replies/${id}/retry`, label: 'Retry', said: `Retry reply ${id}` });
}

/** What a reply says, without its platform's mark. */
function saidBy({ text, platform, mention: { postId } }: ReplyRecord): string {
  return withoutReplyMark(text, { platform, postId });
}

/** Whether earlier errors and retries no longer matter, because the reply is sent. */
function isSettled(state: ReplyState): boolean {
  return state === 'sent';
}

function renderError({ lastError, attempts, state }: ReplyRecord): Markup[] {
  if (lastError === null || isSettled(state)) return [];
  return [
    html`<span class="error">${renderUntrusted(lastError)}</span> <span class="muted small">after ${counted(attempts, 'attempt')}</span>`,
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
  { store, site }: { store: Pick<OperatorStore, 'replies' | 'queueDepths'>; site: Site },
  { query, operator }: { query: ListQuery<ReplyState>; operator: LoggedIn },
): Promise<AdminView> {
  const { items, next } = await readPage(query, store.replies);
  return viewList({
    site,
    section: 'Replies',
    lead: 'The bot’s replies. Unknown: the outcome of sending is not known; the service checks the platform before it sends again.',
    noun: 'reply',
    entries: items.map((reply) => toReplyEntry({ site, operator }, reply)),
    query,
    next,
    states: REPLY_FILTERS,
    counts: (await store.queueDepths()).replies,
  });
}

/** The state of a retry. */
function renderRetried({ platform, state }: ReplyRecord): Markup {
  if (state === 'failed') return html`<p class="notice bad" role="status">The retry failed.</p>`;
  return html`<p class="notice ok" role="status">Retrying: the service looks for the reply on ${platformName(platform)}, and sends it if it is not there.</p>`;
}

/** The event of a gig that a notice tells. */
function renderTold(root: string, { notice }: ReplyRecord): Markup | null {
  if (notice === null) return null;
  const { gigId, event } = notice;
  return html`<a href="${root}/admin/gigs/${gigId}">gig ${gigId}</a>: ${event.replaceAll('_', ' ')}`;
}

function renderAuthor(reply: ReplyRecord, username: string | null): Markup {
  return renderAccount({ platform: reply.platform, platformUserId: reply.mention.authorId, username });
}

/**
 * `GET /admin/replies/:id`.
 * @param options.problem why the requested action was refused
 * @returns null when there is none
 */
export async function viewReply(
  { store, site }: { store: Pick<OperatorStore, 'reply' | 'mention'>; site: Site },
  { id, operator, retried, problem }: { id: number; operator: LoggedIn; retried: boolean; problem?: string },
): Promise<AdminView | null> {
  const reply = await store.reply(id);
  if (reply === null) return null;
  const { root } = site;
  const mention = await store.mention(reply.mentionId);
  return {
    title: `Reply ${id}`,
    section: 'Replies',
    ...(problem === undefined ? {} : { status: 409 }),
    body: html`${renderHeading(html`Reply ${id} ${renderReplyState(reply.state)}`)}
${problem === undefined ? '' : html`<p class="notice bad" role="alert">${problem}</p>`}
${retried && !isSettled(reply.state) ? renderRetried(reply) : ''}
${renderFacts({
  Text: html`<p class="said">${renderUntrusted(saidBy(reply))}</p>`,
  Answers: html`<a href="${root}/admin/mentions/${reply.mentionId}">mention ${reply.mentionId}</a> by ${renderAuthor(reply, mention?.authorUsername ?? null)}`,
  Mention: mention === null ? null : html`<p class="said">${renderUntrusted(mention.text)}</p>`,
  Platform: platformName(reply.platform),
  Kind: reply.kind.replaceAll('_', ' '),
  Tells: renderTold(root, reply),
  Queued: renderMoment(reply.createdAt),
  Sent: reply.sentAt === null ? null : renderMoment(reply.sentAt),
  Post: reply.postId === null ? null : renderWhole(reply.postId),
  Attempts: String(reply.attempts),
  'Last error':
    reply.lastError === null || isSettled(reply.state)
      ? null
      : html`<span class="error">${renderUntrusted(reply.lastError)}</span>`,
})}
${renderRetry({ site, operator }, reply) ?? ''}`,
  };
}
