import { html } from 'hono/html';
import type { Platform } from '../../domain/account.ts';
import type { CommandGuide } from '../../domain/mentions/command-guide.ts';
import type { SocialPlatform } from '../../domain/mentions/mention.ts';
import { listPlatforms, platformFacts } from '../../domain/platforms/platforms.ts';
import type { PageContext } from '../context.ts';
import type { App } from '../middleware/context.ts';
import type { Markup } from '../ui/layout.ts';
import { answerPage, publicNavigation, servePages } from '../ui/page.ts';
import { renderUntrusted } from '../ui/text.ts';

type Platforms = ReadonlyMap<Platform, SocialPlatform>;

/** What stands before a command: the bot's name, where all platforms have the same; else a word for it. */
export function botOf(platforms: Platforms): string {
  const names = new Set([...platforms.values()].map(({ bot }) => bot.username));
  const [name] = names;
  return names.size === 1 && name !== undefined ? `@${name}` : '@bot';
}

/** Who the bot is, on each platform that is on. */
export function renderBots(platforms: Platforms): Markup {
  if (platforms.size === 0) return html`<p class="notice wait">The bot is turned off here.</p>`;
  const bots = [...platforms].map(
    ([platform, { bot }]) =>
      html`<li><strong>@${renderUntrusted(bot.username)}</strong> on ${platformFacts(platform).label}</li>`,
  );
  return html`<p>Mention the bot in your post:</p><ul class="links">${bots}</ul>`;
}

/** Commands as a table. */
export function renderCommands(commands: readonly CommandGuide[], bot: string): Markup {
  const rows = commands.map(
    ({ say, who, does }) => html`<tr>
<th scope="row"><code>${bot} ${say}</code></th>
<td data-label="Who">${who}</td>
<td class="text" data-label="What it does">${does}</td>
</tr>`,
  );
  return html`<table class="stacking"><caption class="unseen">Commands of the bot</caption>
<thead><tr><th scope="col">Post</th><th scope="col">Who</th><th scope="col">What it does</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

/** `GET /commands`. */
export function addCommandsPage(app: App, { site, limited, platforms, commands }: PageContext): void {
  app.get('/commands', servePages(site), limited, (c) =>
    answerPage(c, site, {
      title: 'Commands of the bot',
      description: `The commands that people on ${listPlatforms('and')} send to the bot: claim tokens, look up gigs, start and end them.`,
      nav: publicNavigation(site, 'commands'),
      body: html`<div class="stack-wide">
<header class="stack">
<h1>Commands of the bot</h1>
${renderBots(platforms)}
<p class="muted">Post "start", "stop 42", "settle", "cancel", "claim" and "link" on their own. 42 stands for the number of a gig.</p>
</header>
<div class="card">${renderCommands(commands, botOf(platforms))}</div>
</div>`,
      cacheControl: 'public, max-age=60',
    }),
  );
}
