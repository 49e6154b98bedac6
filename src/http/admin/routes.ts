import type { Context } from 'hono';
import { EARNING_STATES } from '../../domain/earning/earning.ts';
import { MENTION_STATES } from '../../domain/mentions/mention.ts';
import { PAYMENT_STATES, whyNothingLeft } from '../../domain/payments/payment.ts';
import { retryReply } from '../../services/mentions/send-replies.ts';
import { type LoggedIn, operatorActor } from '../../services/operators/sessions.ts';
import { retryPayment } from '../../services/payments/retry-payment.ts';
import type { PageContext } from '../context.ts';
import type { App, AppEnv } from '../middleware/context.ts';
import { seeOther } from '../ui/form.ts';
import { servePages, withoutSlash } from '../ui/page.ts';
import { viewAudit } from './access/audit.ts';
import { viewKeys } from './access/keys.ts';
import { addSessionRoutes, forOperator } from './access/log-in.ts';
import { CLAIM_OUTCOMES, viewClaim, viewClaims } from './claims.ts';
import { addFindRoutes } from './find/find.ts';
import { refusalOf } from './form.ts';
import { type AdminView, answerView } from './frame.ts';
import { addBlockForms, viewBlocked } from './gigs/blocked.ts';
import { addCandidateForms, viewCandidates } from './gigs/candidates.ts';
import { viewEarnings } from './gigs/earnings.ts';
import { addGigEndForms } from './gigs/gig-end.ts';
import { GIG_STATES, viewGig, viewGigs } from './gigs/gigs.ts';
import { addOwnerForms, viewOwners } from './gigs/owners.ts';
import { readId, readListQuery } from './list.ts';
import { viewMention, viewMentions } from './mentions.ts';
import { viewOverview } from './overview.ts';
import { viewPayment, viewPayments } from './payments.ts';
import { REPLY_FILTERS, viewReplies, viewReply } from './replies.ts';
import { viewWebhooks } from './webhooks.ts';

/** Answers 404 when `view` returns null. */
type Show = (path: string, view: (c: Context<AppEnv>, operator: LoggedIn) => Promise<AdminView | null>) => void;

function createShow(app: App, deps: PageContext): Show {
  return (path, view) => {
    const serve = forOperator(deps, async (c, operator) => {
      const found = await view(c, operator);
      return found === null ? c.notFound() : await answerView(c, deps.site, { operator, view: found });
    });
    app.get(`/admin${path}`, serve);
  };
}

function idOf(c: Context<AppEnv>): number {
  // The routes accept only digits; a number that is too long for an id matches no row.
  return readId(c.req.param('id')) ?? 0;
}

function addLists(show: Show, deps: PageContext): void {
  show('', (c) => viewOverview({ ...deps, log: c.get('request').log() }));
  show('/mentions', (c) => viewMentions(deps, readListQuery(c.req.query(), MENTION_STATES)));
  show('/replies', (c, operator) =>
    viewReplies(deps, { query: readListQuery(c.req.query(), REPLY_FILTERS), operator }),
  );
  show('/payments', (c, operator) =>
    viewPayments(deps, { query: readListQuery(c.req.query(), PAYMENT_STATES), operator }),
  );
  show('/claims', (c) => viewClaims(deps, readListQuery(c.req.query(), CLAIM_OUTCOMES)));
  show('/gigs', (c) => viewGigs(deps, readListQuery(c.req.query(), GIG_STATES)));
  show('/blocked', (c, operator) => viewBlocked(deps, { query: readListQuery(c.req.query(), []), operator }));
  show('/owners', (c, operator) => viewOwners(deps, { query: readListQuery(c.req.query(), []), operator }));
  show('/webhooks', (c) => viewWebhooks(deps, readListQuery(c.req.query(), [])));
  show('/keys', () => viewKeys(deps));
  show('/audit', (c) => viewAudit(deps, readListQuery(c.req.query(), [])));
}

function addRecords(show: Show, deps: PageContext): void {
  show('/mentions/:id{[0-9]+}', (c, operator) => viewMention(deps, { id: idOf(c), operator }));
  show('/replies/:id{[0-9]+}', (c, operator) =>
    viewReply(deps, { id: idOf(c), operator, retried: c.req.query('retried') !== undefined }),
  );
  show('/payments/:id{[0-9]+}', (c, operator) =>
    viewPayment(deps, { id: idOf(c), operator, again: readId(c.req.query('again')) }),
  );
  show('/claims/:id{[0-9]+}', (c, operator) => viewClaim(deps, { id: idOf(c), operator }));
  show('/gigs/:id{[0-9]+}', (c, operator) => viewGig(deps, { id: idOf(c), operator }));
  show('/gigs/:id{[0-9]+}/candidates', (c, operator) => viewCandidates(deps, { id: idOf(c), operator }));
  show('/gigs/:id{[0-9]+}/earnings', (c) =>
    viewEarnings(deps, { id: idOf(c), query: readListQuery(c.req.query(), EARNING_STATES) }),
  );
}

function addRetries(app: App, deps: PageContext): void {
  const { store, site, clock, treasury, wakePayments } = deps;
  app.post(
    '/admin/replies/:id{[0-9]+}/retry',
    forOperator(deps, async (c, operator) => {
      const id = idOf(c);
      try {
        const actor = operatorActor(operator, c.get('request').requestId);
        await retryReply({ store, clock }, { replyId: id, actor });
      } catch (error) {
        const view = await viewReply(deps, { id, operator, retried: false, problem: refusalOf(error) });
        return view === null ? c.notFound() : await answerView(c, site, { operator, view });
      }
      c.get('request').log().info({ replyId: id, operator: operator.name }, 'reply retried by an operator');
      return seeOther(c, `${site.root}/admin/replies/${id}?retried`);
    }),
  );
  app.post(
    '/admin/payments/:id{[0-9]+}/retry',
    forOperator(deps, async (c, operator) => {
      const id = idOf(c);
      const refuse = async (problem: string) => {
        const view = await viewPayment(deps, { id, operator, problem });
        return view === null ? c.notFound() : await answerView(c, site, { operator, view });
      };
      try {
        const actor = operatorActor(operator, c.get('request').requestId);
        const planned = await retryPayment({ store, clock, treasury }, { paymentId: id, actor });
        if (planned === null) {
          const failed = await store.payment(id);
          return failed === null ? c.notFound() : await refuse(`Nothing is left to pay: ${whyNothingLeft(failed)}.`);
        }
        wakePayments();
        const fields = { paymentId: id, plannedId: planned.id, operator: operator.name };
        c.get('request').log().info(fields, 'payment retried by an operator');
        return seeOther(c, `${site.root}/admin/payments/${planned.id}?again=${id}`);
      } catch (error) {
        return await refuse(refusalOf(error));
      }
    }),
  );
}

/** `/admin` and everything below it: the command line's views, live, for logged-in operators. */
export function addAdminPages(app: App, deps: PageContext): void {
  // The pattern includes `/admin`.
  app.use('/admin/*', servePages(deps.site), deps.limited, withoutSlash(deps.site));
  addSessionRoutes(app, deps);
  const show = createShow(app, deps);
  addLists(show, deps);
  addRecords(show, deps);
  addFindRoutes(app, deps);
  addRetries(app, deps);
  addBlockForms(app, deps);
  addOwnerForms(app, deps);
  addGigEndForms(app, deps);
  addCandidateForms(app, deps);
}
