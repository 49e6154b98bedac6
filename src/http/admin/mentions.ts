import { html } from 'hono/html';
import { MENTION_FACTS, mentionStateWords } from '../../domain/facts/mention-facts.ts';
import { capitalized } from '../../domain/gigs/gig-type.ts';
import {
  authorOf,
  MENTION_STATES,
  type MentionRecord,
  type MentionState,
  mentionFault,
} from '../../domain/mentions/mention.ts';
import type { LoggedIn } from '../../services/operators/sessions.ts';
import type { PageContext } from '../context.ts';
import { counted, renderBadge, type Tone } from '../ui/badges.ts';
import type { Markup, Root } from '../ui/layout.ts';
import { renderAccount, renderMoment, renderUntrusted } from '../ui/text.ts';
import { factMarkup } from './facts.ts';
import type { AdminView } from './frame.ts';
import { type Entry, type ListQuery, readPage, renderEntries, renderFacts, renderHeading, viewList } from './list.ts';
import { toReplyEntry } from './replies.ts';

const TONES: Readonly<Record<MentionState, Tone>> = {
  received: 'wait',
  answered: 'ok',
  ignored: 'quiet',
  failed: 'bad',
};

/** What a mention's state is called on pages: that of an answered one says nothing of its reply, which may wait. */
export function nameMentionState(state: MentionState): string {
  return state === 'answered' ? 'handled' : state;
}

function renderMentionState({ state, ignoreReason }: MentionRecord): Markup {
  const name = nameMentionState(state);
  return renderBadge(ignoreReason === null ? name : `${name}: ${ignoreReason.replaceAll('_', ' ')}`, TONES[state]);
}

function renderError(mention: MentionRecord): Markup[] {
  const fault = mentionFault(mention);
  return fault === null
    ? []
    : [
        html`<span class="error">${renderUntrusted(fault)}</span> <span class="muted small">after ${counted(mention.attempts, 'attempt')}</span>`,
      ];
}

function toEntry({ root }: Root, mention: MentionRecord): Entry {
  const { id, authorUsername: username } = mention;
  return {
    id,
    href: `${root}/admin/mentions/${id}`,
    badge: renderMentionState(mention),
    time: renderMoment(mention.receivedAt),
    headline: renderAccount({ ...authorOf(mention), username }),
    details: [html`<p class="said">${renderUntrusted(mention.text)}</p>`, ...renderError(mention)],
  };
}

/** `GET /admin/mentions`. */
export async function viewMentions({ store, site }: PageContext, query: ListQuery<MentionState>): Promise<AdminView> {
  const { items, next } = await readPage(query, store.mentions);
  return viewList({
    site,
    section: 'Mentions',
    lead: `The posts that mention the bot. ${mentionStateWords((state) => capitalized(nameMentionState(state)))}.`,
    noun: 'mention',
    entries: items.map((mention) => toEntry(site, mention)),
    query,
    next,
    states: MENTION_STATES,
    nameState: nameMentionState,
    counts: await store.mentionDepths(),
  });
}

/** `GET /admin/mentions/:id`. Null when there is none. */
export async function viewMention(
  { store, site }: PageContext,
  { id, operator }: { id: number; operator: LoggedIn },
): Promise<AdminView | null> {
  const mention = await store.mention(id);
  if (mention === null) return null;
  const replies = await store.repliesTo(id);
  return {
    title: `Mention ${id}`,
    section: 'Mentions',
    body: html`${renderHeading(html`Mention ${id} ${renderMentionState(mention)}`)}
${renderFacts(factMarkup(site, MENTION_FACTS, mention))}
<section class="stack"><h2>${replies.length > 1 ? 'Replies' : 'Reply'}</h2>${renderEntries(
      replies.map((reply) => toReplyEntry({ site, operator }, reply)),
      { noun: 'reply', empty: 'None.' },
    )}</section>`,
  };
}
