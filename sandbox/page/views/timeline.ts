import { html } from 'hono/html';
import { isSubmission } from '../../../src/domain/earning/submission.ts';
import type { ReplyState } from '../../../src/domain/mentions/mention.ts';
import { renderBadge, type Tone } from '../../../src/http/ui/badges.ts';
import type { Markup } from '../../../src/http/ui/layout.ts';
import type { NetworkPost } from '../../networks/network.ts';
import { BOT } from '../../people.ts';
import { postElement } from '../actions.ts';
import { mentionStep } from '../changes.ts';
import { isByBot, saidIn } from '../events.ts';
import { type NetworkName, PLATFORM_OF } from '../names.ts';
import { postKey } from '../records.ts';
import { clockTime, SILENCE_WORDS } from '../words.ts';
import type { World } from '../world.ts';

const MENTION_TONES: Readonly<Record<string, Tone>> = { received: 'wait', answering: 'wait', failed: 'bad' };

const REPLY_WORDS: Readonly<Record<ReplyState, readonly [words: string, tone: Tone]>> = {
  queued: ['reply written', 'wait'],
  sending: ['reply being sent', 'wait'],
  sent: ['reply sent', 'ok'],
  unknown: ['outcome of sending unknown; looking for the reply', 'wait'],
  failed: ['reply failed', 'bad'],
};

/** Older threads are left out, so that a long day's page stays quick. */
const SHOWN_THREADS = 50;

/** Whether the bot is named: what is not for it has no state. */
function namesBot({ text }: NetworkPost): boolean {
  return text.toLowerCase().includes(`@${BOT.username}`);
}

/** How the mention stands, and its reply once there is one. */
function renderState(network: NetworkName, post: NetworkPost, { records }: World): Markup | '' {
  const mention = records.mentions.get(postKey(PLATFORM_OF[network], post.id));
  if (mention === undefined) return namesBot(post) ? renderBadge('not received yet', 'wait') : '';
  const step = mentionStep(mention);
  const reply = records.replies.get(mention.id);
  const [words, tone] = reply === undefined ? [null, 'quiet' as const] : REPLY_WORDS[reply.state];
  const why = mention.ignoreReason === null ? '' : `: ${SILENCE_WORDS[mention.ignoreReason]}`;
  const error = reply === undefined ? mention.lastError : reply.state === 'sent' ? null : reply.lastError;
  return html`${renderBadge(`mention ${mention.id} ${step}`, MENTION_TONES[step] ?? 'quiet')} ${words === null ? '' : renderBadge(words, tone)}
${why === '' ? '' : html`<span class="small muted">No reply${why}.</span>`}
${error === null ? '' : html`<span class="small muted">${error}</span>`}`;
}

/** Such a post can be sent to the API as well, by its URL. */
function renderClaimButton(network: NetworkName, post: NetworkPost): Markup | '' {
  if (isByBot(post) || !/claim my rewards/i.test(post.text) || isSubmission(post.text)) return '';
  return html`<form class="inline" action="/claims" method="post" data-act>
<input type="hidden" name="url" value="${post.url}">
<button class="slim" id="claim-${network}-${post.id}">Send its URL to POST /api/claim</button>
</form>`;
}

function renderPost(network: NetworkName, post: NetworkPost, world: World, replies: readonly NetworkPost[]): Markup {
  const byBot = isByBot(post);
  return html`<li class="post${byBot ? ' bot' : ''}" id="${postElement(network, post.id)}">
<p class="byline"><strong><bdi>${post.author.username}</bdi></strong>${byBot ? html` <span class="muted">the bot</span>` : ''}
<time class="muted small number" datetime="${new Date(post.createdAt).toISOString()}">${clockTime(post.createdAt)}</time></p>
<p class="said"><bdi>${saidIn(network, post)}</bdi></p>
${byBot ? '' : html`<p class="row states">${renderState(network, post, world)}</p>`}
${renderClaimButton(network, post)}
${replies.length === 0 ? '' : html`<ol class="replies">${replies.map((reply) => renderPost(network, reply, world, repliesTo(network, reply, world)))}</ol>`}
</li>`;
}

function repliesTo(network: NetworkName, { id }: NetworkPost, { posts }: World): readonly NetworkPost[] {
  return posts[network].filter(({ replyTo }) => replyTo === id);
}

/** A network's posts, the newest thread first, replies below what they answer. */
export function renderTimeline(network: NetworkName, world: World): Markup {
  const roots = world.posts[network]
    .filter(({ replyTo }) => replyTo === null)
    .toReversed()
    .slice(0, SHOWN_THREADS);
  if (roots.length === 0) return html`<p class="empty muted">No posts yet.</p>`;
  return html`<ol class="posts">${roots.map((post) => renderPost(network, post, world, repliesTo(network, post, world)))}</ol>`;
}
