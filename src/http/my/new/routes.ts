import { findSeenGig } from '../../../services/gigs/command-gig.ts';
import { linkedWallet } from '../../../services/gigs/owner-accounts.ts';
import { listOfferedTokens, prepareOwnGig, whyNotCreate } from '../../../services/owners/create-gig.ts';
import { logDeed } from '../../frame/deeds.ts';
import { gigIdText } from '../../middleware/parameters.ts';
import { OWNERS } from '../audience.ts';
import type { MyRoute, OwnerVisit } from '../context.ts';
import { changeOnce } from '../once.ts';
import { fillGig } from './gig-fields.ts';
import { emptyForm, type GigFormUse, noNewGigView } from './page.ts';
import { type FormPage, readSent, type SentForm, serviceProblems, showForm, termsOrView } from './sent-form.ts';

const PATH = '/my/gigs/new';

const USE: GigFormUse = {
  title: 'Create a gig',
  lead: 'The gig gets its own wallet. You pay into it, then the gig starts.',
  path: PATH,
  button: 'Create the gig',
  refused: 'Gig not created. Correct the marked fields.',
  back: '/my',
};

async function pageOf({ deps, session }: OwnerVisit): Promise<FormPage> {
  return { use: USE, tokens: await listOfferedTokens(deps, session.owner) };
}

/** What the form holds at first: nothing, or the terms of the gig that the query names. */
async function firstFilled(visit: OwnerVisit, { tokens }: FormPage) {
  const { c, deps, session, actor } = visit;
  const empty = emptyForm(session, { tokens, linked: await linkedWallet(deps.store, session) });
  const from = gigIdText.safeParse(c.req.query('from'));
  if (!from.success) return empty;
  const gig = await findSeenGig(deps.store, { gigId: from.data, actor });
  // That of somebody else's gig is theirs.
  const refund = gig.client === session.client ? {} : { refund_address: empty['refund_address'] ?? '' };
  return { ...empty, ...(await fillGig(deps, gig)), ...refund, start: 'when_funded', start_time: '' };
}

const view = OWNERS.page(PATH, async (visit) => {
  const { store, clock, config, site, newId } = visit.deps;
  const { name, client } = visit.session;
  const why = await whyNotCreate(store, config, { name, client, now: clock() });
  if (why !== null) return noNewGigView(site, why);
  const page = await pageOf(visit);
  const isCopy = visit.c.req.query('from') !== undefined;
  return showForm(visit, page, { filled: await firstFilled(visit, page), key: newId(), isDrafted: !isCopy });
});

const SENT_BEFORE = 'This form has created a gig already, with other values. Send it again to create another one.';
const UNANSWERED = 'The chain or the platform does not answer right now. Nothing was created: try again in a minute.';

async function create(visit: OwnerVisit, sent: SentForm) {
  const { deps, session, actor } = visit;
  const read = await termsOrView(visit, await pageOf(visit), sent);
  if ('view' in read) return read.view;
  return await changeOnce(visit, {
    path: PATH,
    key: sent.key,
    fields: sent.fields,
    prepare: async () => ({
      ...(await prepareOwnGig(deps, { terms: read.terms, owner: session, requestId: actor.requestId })),
      done: ({ id: gigId }) => logDeed(visit, 'gig created', { gigId }),
    }),
    // The script of that page forgets what was typed here.
    goTo: ({ id }) => `/my/gigs/${id}#saved`,
  });
}

const submit = OWNERS.form(PATH, {
  isPage: true,
  read: (_, sent) => readSent(sent),
  act: create,
  again: async (visit, problem, { filled, key }) => {
    const isReused = problem.code === 'key_reused';
    const problems = isReused ? { fields: new Map(), others: [SENT_BEFORE] } : serviceProblems(problem, filled);
    // Under its old key the form would be refused for ever.
    const next = isReused || key === '' ? visit.deps.newId() : key;
    return showForm(visit, await pageOf(visit), { filled, key: next, problems });
  },
  outage: {
    log: 'a gig of an owner cannot be created now',
    show: async (visit, { filled, key }) =>
      showForm(visit, await pageOf(visit), { filled, key, problems: { fields: new Map(), others: [UNANSWERED] } }),
  },
});

/** `GET` and `POST /my/gigs/new`. */
export const NEW_GIG_ROUTES: readonly MyRoute[] = [view, submit];
