import { html } from 'hono/html';
import { prepareEnd } from '../../services/ends/end-gig.ts';
import { ENDING_NAMES, type Ending } from '../../services/ends/endings.ts';
import { findSeenGig } from '../../services/gigs/command-gig.ts';
import { carryOut } from '../../services/prepared.ts';
import type { PageContext } from '../context.ts';
import { renderFormToken } from '../ui/form.ts';
import type { Markup } from '../ui/layout.ts';
import type { Audience, Route } from './audience.ts';
import { type ActingVisit, logDeed, renderProblem } from './deeds.ts';

/** What the ways to end a gig are called, and what each does. */
const WORDS: Readonly<Record<Ending, { readonly label: string; readonly what: string }>> = {
  stop: {
    label: 'Stop',
    what: 'The gig ends now. New activity no longer counts; tips already earned are kept.',
  },
  settle: {
    label: 'Settle',
    what: 'You can no longer award tips, and unawarded funds are refunded.',
  },
  cancel: {
    label: 'Cancel',
    what: 'The gig can no longer start, and the money in its wallet returns to its refund address.',
  },
};

/** Links to the pages that end a gig. `gig` is the URL of its own page. */
export function renderEndings(gig: string, endings: readonly Ending[]): Markup {
  return html`${endings.map((ending) => html`<a class="button" href="${gig}/${ending}">${WORDS[ending].label}</a>`)}`;
}

/** A page about the end of a gig. */
interface ShownEnd<Section> {
  readonly title: string;
  readonly section: Section;
  readonly body: Markup;
}

/**
 * The pages that ask before a gig is stopped, settled or cancelled, and the forms that do it.
 * @param gigs.path of the gigs of those who may enter; a gig has its page below it
 * @param gigs.idOf the id of the gig in the path
 */
export function endRoutes<Deps extends PageContext, V extends ActingVisit<Deps>, Section>(
  audience: Audience<Deps, V, ShownEnd<Section>>,
  gigs: { readonly path: string; readonly section: NoInfer<Section>; readonly idOf: (visit: V) => number },
): Route<Deps>[] {
  async function ask(visit: V, { gigId, ending, problem }: { gigId: number; ending: Ending; problem?: string }) {
    const { deps, actor, session } = visit;
    await findSeenGig(deps.store, { gigId, actor });
    const { label, what } = WORDS[ending];
    const gig = `${deps.site.root}${gigs.path}/${gigId}`;
    return {
      title: `${label} gig ${gigId}`,
      section: gigs.section,
      body: html`<div class="stack"><h1>${label} gig ${gigId}?</h1><p class="muted">${what} You can’t undo this.</p></div>
${renderProblem(problem)}
<div class="row"><form method="post" action="${gig}/${ending}">${renderFormToken(session)}<button class="primary">${label} gig ${gigId}</button></form>
<a class="button" href="${gig}">Back</a></div>`,
    };
  }

  return ENDING_NAMES.flatMap((ending) => {
    const path = `${gigs.path}/:id{[0-9]+}/${ending}`;
    return [
      audience.page(path, (visit) => ask(visit, { gigId: gigs.idOf(visit), ending })),
      audience.form(path, {
        read: gigs.idOf,
        act: async (visit, gigId) => {
          const holder = visit.deps.newId();
          await carryOut(visit.deps, prepareEnd({ gigId, ending, actor: visit.actor, holder }));
          logDeed(visit, 'gig ended', { gigId, ending });
          return `${gigs.path}/${gigId}`;
        },
        again: (visit, { text: problem }, gigId) => ask(visit, { gigId, ending, problem }),
      }),
    ];
  });
}
