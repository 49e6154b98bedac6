import { linkedWallet } from '../../../services/gigs/owner-accounts.ts';
import { listOfferedTokens, prepareOwnGig, whyNotCreate } from '../../../services/owners/create-gig.ts';
import type { RequestProblem } from '../../frame/audience.ts';
import { logDeed } from '../../frame/deeds.ts';
import { OWNERS } from '../audience.ts';
import type { MyRoute, OwnerVisit } from '../context.ts';
import { changeOnce } from '../once.ts';
import { type FieldName, type Filled, type FormProblems, LABELS, readTerms, sortProblems } from './fields.ts';
import { emptyForm, newGigView, noNewGigView } from './page.ts';

const PATH = '/my/gigs/new';

const view = OWNERS.page(PATH, async ({ deps, session }) => {
  const { store, clock, config, site, newId, feeBps } = deps;
  const why = await whyNotCreate(store, config, { name: session.name, client: session.client, now: clock() });
  if (why !== null) return noNewGigView(site, why);
  const tokens = await listOfferedTokens(deps, session.owner);
  const linked = await linkedWallet(store, session);
  const filled = emptyForm(session, { tokens, linked });
  return newGigView(site, session, { filled, problems: null, key: newId(), tokens, feeBps });
});

function fieldNames(): FieldName[] {
  return Object.keys(LABELS) as FieldName[]; // exactly the keys of a literal
}

/** Every field, as it was typed, without the spaces around it. */
function readFilled(form: URLSearchParams): Filled {
  const typed = fieldNames().map((name) => [name, (form.get(name) ?? '').trim()] as const);
  return Object.fromEntries(typed) as Filled; // one for each name
}

/** A form as it was sent. */
interface Sent {
  readonly filled: Filled;
  readonly key: string;
  /** Every field as it was sent, which makes two requests the same. */
  readonly fields: Readonly<Record<string, string | null>>;
}

function readSent(sent: URLSearchParams): Sent {
  const fields = Object.fromEntries(fieldNames().map((name) => [name, sent.get(name)]));
  return { filled: readFilled(sent), key: sent.get('key') ?? '', fields };
}

async function showAgain(
  { deps, session }: OwnerVisit,
  { filled, key }: { filled: Filled; key: string },
  problems: FormProblems,
) {
  const { site, newId, feeBps } = deps;
  const tokens = await listOfferedTokens(deps, session.owner);
  return newGigView(site, session, { filled, problems, key: key || newId(), tokens, feeBps });
}

const SENT_BEFORE = 'This form has created a gig already, with other values. Send it again to create another one.';
const UNANSWERED = 'The chain or the platform does not answer right now. Nothing was created: try again in a minute.';

function problemsIn({ code, text, problems }: RequestProblem): FormProblems {
  if (problems.length > 0) return sortProblems(problems);
  return { fields: new Map(), others: [code === 'key_reused' ? SENT_BEFORE : text] };
}

const submit = OWNERS.form(PATH, {
  read: (_, sent) => readSent(sent),
  act: async (visit, { filled, key, fields }) => {
    const { deps, session, actor } = visit;
    const read = readTerms(filled, { now: deps.clock(), earningOnX: deps.earningOnX });
    if (!('terms' in read)) return await showAgain(visit, { filled, key }, read);
    return await changeOnce(visit, {
      path: PATH,
      key,
      fields,
      prepare: async () => ({
        ...(await prepareOwnGig(deps, { terms: read.terms, owner: session, requestId: actor.requestId })),
        done: ({ id: gigId }) => logDeed(visit, 'gig created', { gigId }),
      }),
      goTo: ({ id }) => `/my/gigs/${id}`,
    });
  },
  again: async (visit, problem, { filled, key }) => {
    // Under its old key the form would be refused for ever.
    const next = problem.code === 'key_reused' ? visit.deps.newId() : key;
    return await showAgain(visit, { filled, key: next }, problemsIn(problem));
  },
  outage: {
    log: 'a gig of an owner cannot be created now',
    show: (visit, sent) => showAgain(visit, sent, { fields: new Map(), others: [UNANSWERED] }),
  },
});

/** `GET` and `POST /my/gigs/new`. */
export const NEW_GIG_ROUTES: readonly MyRoute[] = [view, submit];
