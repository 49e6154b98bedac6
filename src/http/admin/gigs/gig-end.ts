import type { Context } from 'hono';
import { html } from 'hono/html';
import { DomainError, personText } from '../../../domain/errors.ts';
import { ENDING_FACTS, type ListedGig } from '../../../domain/facts/gig-facts.ts';
import { REFUND_FACTS } from '../../../domain/facts/refund-facts.ts';
import { prepareEnd } from '../../../services/ends/end-gig.ts';
import { type Ending, endingsOf } from '../../../services/ends/endings.ts';
import { findRefund } from '../../../services/ends/find-refund.ts';
import { findGig } from '../../../services/gigs/find-gigs.ts';
import { type LoggedIn, operatorActor } from '../../../services/operators/sessions.ts';
import { carryOut } from '../../../services/prepared.ts';
import type { PageContext } from '../../context.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { ENDING_WORDS } from '../../ui/ending-words.ts';
import { renderFormToken, seeOther } from '../../ui/form.ts';
import type { Markup } from '../../ui/layout.ts';
import { forOperator } from '../access/log-in.ts';
import { factMarkup } from '../facts.ts';
import { type AdminView, answerView } from '../frame.ts';
import { readId, renderFacts, renderHeading } from '../list.ts';

const ENDINGS = ['stop', 'settle', 'cancel'] as const satisfies readonly Ending[];

/** How a gig ends and the outcome of the rest, with the buttons that end it. */
export async function renderEndAndRefund(ctx: PageContext, listed: ListedGig): Promise<Markup> {
  const { site } = ctx;
  const { gig, now } = listed;
  const refund = await findRefund(ctx, gig, now);
  const buttons = endingsOf(gig, now).map(
    (ending) =>
      html`<a class="button" href="${site.root}/admin/gigs/${gig.id}/${ending}">${ENDING_WORDS[ending].label}</a>`,
  );
  return html`<section class="stack"><h2>End and refund</h2>
${renderFacts({
  ...factMarkup(site, ENDING_FACTS, listed),
  ...factMarkup(site, REFUND_FACTS, { gig, refund, unproved: null }),
})}
${buttons.length === 0 ? '' : html`<p class="row">${buttons}</p>`}
</section>`;
}

/** `GET /admin/gigs/:id/stop`, `/settle` and `/cancel`. @throws DomainError `gig_not_found` */
async function viewConfirm(
  { store, site }: PageContext,
  { id, ending, operator, problem }: { id: number; ending: Ending; operator: LoggedIn; problem?: string },
): Promise<AdminView> {
  await findGig({ store }, { gigId: id });
  const { label, what } = ENDING_WORDS[ending];
  return {
    title: `${label} gig ${id}`,
    section: 'Gigs',
    ...(problem === undefined ? {} : { status: 409 }),
    body: html`${renderHeading(`${label} gig ${id}?`, `${what} It cannot be undone.`)}
${problem === undefined ? '' : html`<p class="notice bad" role="alert">${problem}</p>`}
<div class="row"><form method="post" action="${site.root}/admin/gigs/${id}/${ending}">${renderFormToken(operator)}<button class="primary">${label} gig ${id}</button></form>
<a class="button" href="${site.root}/admin/gigs/${id}">Back</a></div>`,
  };
}

async function end(
  c: Context<AppEnv>,
  deps: PageContext,
  { operator, ending }: { operator: LoggedIn; ending: Ending },
) {
  const { site } = deps;
  const id = readId(c.req.param('id')) ?? 0;
  try {
    const actor = operatorActor(operator, c.get('request').requestId);
    await carryOut(deps, prepareEnd({ gigId: id, ending, actor, holder: deps.newId() }));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const view = await viewConfirm(deps, { id, ending, operator, problem: personText(error.refusal) });
    return await answerView(c, site, { operator, view });
  }
  c.get('request').log().info({ gigId: id, ending, operator: operator.name }, 'gig ended by an operator');
  return seeOther(c, `${site.root}/admin/gigs/${id}`);
}

/** The pages and forms by which operators end gigs. */
export function addGigEndForms(app: App, deps: PageContext): void {
  for (const ending of ENDINGS) {
    const path = `/admin/gigs/:id{[0-9]+}/${ending}`;
    app.get(
      path,
      forOperator(deps, async (c, operator) => {
        const id = readId(c.req.param('id')) ?? 0;
        const view = await viewConfirm(deps, { id, ending, operator });
        return await answerView(c, deps.site, { operator, view });
      }),
    );
    app.post(
      path,
      forOperator(deps, (c, operator) => end(c, deps, { operator, ending })),
    );
  }
}
