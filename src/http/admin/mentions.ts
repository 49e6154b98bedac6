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
import { type Entry, renderEntries } from '../frame/list.ts';
import { readListQuery, readPage } from '../frame/list-query.ts';
import { counted, renderBadge, type Tone } from '../ui/badges.ts';
import type { Markup, Root } from '../ui/layout.ts';
import { renderAccount, renderUntrusted } from '../ui/text.ts';
import { renderTime } from '../ui/time.ts';
import { OPERATORS } from './audience.ts';
import type { AdminRoute } from './context.ts';
import { factMarkup } from './facts.ts';
import { idOf, renderFacts, renderHeading, spanOfList, viewList } from './list.ts';
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

function toEntry({ root }: Root, mention: MentionRecord, now: number): Entry {
  const { id, authorUsername: username } = mention;
  return {
    id,
    href: `${root}/admin/mentions/${id}`,
    badge: renderMentionState(mention),
    time: renderTime(mention.receivedAt, { now }),
    headline: renderAccount({ ...authorOf(mention), username }),
    details: [html`<p class="said">${renderUntrusted(mention.text)}</p>`, ...renderError(mention)],
  };
}

const list = OPERATORS.page('/admin/mentions', async (visit) => {
  const { store, site, clock } = visit.deps;
  const query = readListQuery(visit, MENTION_STATES);
  const { items, ...place } = await readPage(query, store.mentions, await spanOfList(visit, 'mentions', query));
  const now = clock();
  return viewList(visit, {
    ...place,
    section: 'Mentions',
    orderedBy: 'Received',
    lead: `The posts that mention the bot. ${mentionStateWords((state) => capitalized(nameMentionState(state)))}.`,
    noun: 'mention',
    entries: items.map((mention) => toEntry(site, mention, now)),
    nameState: nameMentionState,
    counts: await store.mentionDepths(),
  });
});

const one = OPERATORS.page('/admin/mentions/:id{[0-9]+}', async (visit) => {
  const { store, site } = visit.deps;
  const id = idOf(visit);
  const mention = await store.mention(id);
  if (mention === null) return null;
  const replies = await store.repliesTo(id);
  return {
    title: `Mention ${id}`,
    section: 'Mentions',
    body: html`${renderHeading(html`Mention ${id} ${renderMentionState(mention)}`)}
${renderFacts(factMarkup(site, MENTION_FACTS, mention))}
<section class="stack"><h2>${replies.length > 1 ? 'Replies' : 'Reply'}</h2>${renderEntries(
      replies.map((reply) => toReplyEntry(visit, reply)),
      { noun: 'reply', empty: 'None.' },
    )}</section>`,
  };
});

/** `GET /admin/mentions` and `/admin/mentions/:id`. */
export const MENTION_PAGES: readonly AdminRoute[] = [list, one];
