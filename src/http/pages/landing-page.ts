import { html } from 'hono/html';
import type { CommandGuide } from '../../domain/mentions/command-guide.ts';
import { listPlatforms } from '../../domain/platforms/platforms.ts';
import type { PageContext } from '../context.ts';
import type { App } from '../middleware/context.ts';
import type { Markup, Root } from '../ui/layout.ts';
import { answerPage, publicNavigation, servePages } from '../ui/page.ts';
import type { PriceView } from '../worth.ts';
import { botOf, renderBots, renderCommands } from './commands-page.ts';
import { type GigsView, renderOffers } from './gigs/gigs-page.ts';
import { findListed } from './gigs/listed-gigs.ts';
import { renderLookUp } from './look-up-form.ts';
import { createShortMemory } from './short-memory.ts';

/** As many as a phone shows beside the form. */
const GIGS_SHOWN = 3;
const COMMANDS_SHOWN = ['claims', 'claim my rewards', 'why 42'];
/** How long one look at the gigs serves all who ask. */
const KEEP_MS = 3_000;

interface LandingView {
  readonly gigs: GigsView;
  readonly bots: Markup;
  readonly commands: readonly CommandGuide[];
  /** What stands before a command. */
  readonly bot: string;
}

function renderLanding({ gigs, bots, commands, bot }: LandingView, site: Root & PriceView): Markup {
  const { root } = site;
  const shown = commands.filter(({ say }) => COMMANDS_SHOWN.includes(say));
  return html`<div class="stack-wide">
<header class="stack">
<h1>Earn tokens on ${listPlatforms('and')}</h1>
<p class="lead">Do what a gig asks, earn tips, and claim them with one post.</p>
</header>
<div class="first">
<section class="stack" aria-labelledby="active"><div class="row"><h2 id="active">Earn now</h2><a href="${root}/gigs">All gigs</a></div>
${renderOffers(gigs, site)}
</section>
<section class="card stack" aria-labelledby="look-up"><h2 id="look-up">Look up an account</h2>
${renderLookUp({ root })}
</section>
</div>
<section class="card stack" aria-labelledby="bot"><h2 id="bot">The bot</h2>
${bots}
${renderCommands(shown, bot)}
<p><a href="${root}/commands">All commands</a></p>
</section>
<section class="stack" aria-labelledby="more"><h2 id="more">For programs</h2>
<p><a href="${root}/api/docs">The API</a>: look up claims, create, fund and start gigs, award tips</p>
<p><a href="${root}/skill.md">For agents</a>: what this service does, what it costs, and which calls to make</p>
</section>
</div>`;
}

/** `GET /`. */
export function addLandingPage(app: App, deps: PageContext): void {
  const { site, limited, platforms, commands, clock } = deps;
  const looks = createShortMemory<GigsView>({ clock, keepMs: KEEP_MS, limit: 1 });
  app.get('/', servePages(site), limited, async (c) => {
    const gigs = await looks.find('', () => findListed(deps, { phase: 'active', limit: GIGS_SHOWN }));
    return await answerPage(c, site, {
      title: 'Gigs and claims',
      description: `Earn tokens on ${listPlatforms('and')}: do what a gig asks, earn tips, and claim them with one post.`,
      nav: publicNavigation(site),
      body: renderLanding({ gigs, bots: renderBots(platforms), commands, bot: botOf(platforms) }, site),
      cacheControl: 'public, max-age=60',
    });
  });
}
