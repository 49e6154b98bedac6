import { camelKeys } from '../../../domain/camel-keys.ts';
import { chainById } from '../../../domain/chains/chain.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { Terms } from '../../../domain/gigs/terms.ts';
import { findChangeableGig } from '../../../services/gigs/change-gig.ts';
import { changeOwnGig, findOffered, listOfferedTokens } from '../../../services/owners/create-gig.ts';
import { logDeed } from '../../frame/deeds.ts';
import { fingerprint } from '../../middleware/idempotency.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { OWNERS } from '../audience.ts';
import type { MyRoute, OwnerVisit } from '../context.ts';
import type { Filled } from './earning-fields.ts';
import { LABELS, rawTerms } from './fields.ts';
import { fillGig } from './gig-fields.ts';
import { type FormPage, readSent, type SentForm, serviceProblems, showForm, termsOrView } from './sent-form.ts';

const PATH = '/my/gigs/:id{[0-9]+}/edit';

/** A gig that can be changed, as its form has it. */
interface Edited {
  readonly gig: Gig;
  readonly page: FormPage;
  /** Whether something watches it. */
  readonly hasRules: boolean;
  /** The form's fields with the gig's terms. */
  readonly filled: Filled;
}

async function findEdited({ c, deps, session, actor }: OwnerVisit): Promise<Edited> {
  const gig = await findChangeableGig(deps, { gigId: gigIdOf(c), actor });
  const { id, token } = gig;
  const offered = await listOfferedTokens(deps, session.owner);
  const chain = chainById(token.chainId);
  const isOffered = offered.some((each) => each.chain.id === token.chainId && each.address === token.address);
  const use = {
    title: `Edit gig ${id}`,
    lead: 'You can change its terms until it is live.',
    path: `/my/gigs/${id}/edit`,
    button: 'Save',
    refused: 'Nothing was changed. Correct the marked fields.',
    back: `/my/gigs/${id}`,
    mayLackRefund: gig.refundAddress === null,
    hasLastingKey: true,
  };
  const tokens = isOffered || chain === undefined ? offered : [...offered, { ...token, chain }];
  const hasRules = (await deps.store.earningRules(id)) !== null;
  return { gig, page: { use, tokens }, hasRules, filled: await fillGig(deps, gig) };
}

/** What rules and keywords follow from where a client leaves them to the service. */
const LEADING = ['amount', 'duration', 'gigType', 'chain', 'tokenAddress'];

/**
 * The terms whose fields were changed in the form. With what they follow from, the rules and the keyword are sent as the form
 * shows them: what the service has filled in would become something else.
 */
function changedTerms(
  terms: Terms,
  { before, after, now, hasRules }: { before: Filled; after: Filled; now: number; hasRules: boolean },
) {
  const [was, is] = [before, after].map((filled) => camelKeys({ ...rawTerms(filled, now) }));
  const changed = Object.entries(terms).filter(
    ([name]) => JSON.stringify(Reflect.get(was ?? {}, name)) !== JSON.stringify(Reflect.get(is ?? {}, name)),
  );
  const { earningCriteria, keyword } = terms;
  const isShown = hasRules && changed.some(([name]) => LEADING.includes(name));
  // Some of the terms, each by its name.
  return { ...(isShown ? { earningCriteria, keyword } : {}), ...(Object.fromEntries(changed) as Partial<Terms>) };
}

const CHANGED_MEANWHILE = 'The gig was changed since this form was loaded. Compare the fields, then save again.';
const UNANSWERED = 'The chain or the platform does not answer right now. Nothing was changed: try again in a minute.';

/** What a form of an earlier version does not have stays as it is. */
function complete({ filled, fields, ...sent }: SentForm, before: Filled): SentForm {
  const kept = Object.entries(before).filter(([name]) => fields[name] === null);
  return { ...sent, fields, filled: { ...filled, ...Object.fromEntries(kept) } };
}

async function save(visit: OwnerVisit, given: SentForm) {
  const { deps, session, actor } = visit;
  const { gig, page, hasRules, filled: before } = await findEdited(visit);
  const sent = complete(given, before);
  const read = await termsOrView(visit, page, sent);
  if ('view' in read) return read.view;
  const key = fingerprint(before);
  if (sent.key !== key) {
    const differing = Object.keys(LABELS).filter((name) => before[name] !== sent.filled[name]);
    const fields = new Map(differing.map((name) => [name, `The gig has now: ${before[name] || 'nothing'}`]));
    const problems = { fields, others: [CHANGED_MEANWHILE] };
    return showForm(visit, page, { filled: sent.filled, key, problems });
  }
  findOffered(page.tokens, read.terms);
  const changes = changedTerms(read.terms, { before, after: sent.filled, now: deps.clock(), hasRules });
  await changeOwnGig(deps, { gigId: gig.id, changes, owner: session, actor });
  logDeed(visit, 'gig changed', { gigId: gig.id });
  return `/my/gigs/${gig.id}#saved`;
}

const view = OWNERS.page(PATH, async (visit) => {
  const { page, filled } = await findEdited(visit);
  return showForm(visit, page, { filled, key: fingerprint(filled), isDrafted: true });
});

const submit = OWNERS.form(PATH, {
  isPage: true,
  read: (_, sent) => readSent(sent),
  act: save,
  again: async (visit, problem, given) => {
    const { page, filled: before } = await findEdited(visit);
    const { filled, key } = complete(given, before);
    return showForm(visit, page, { filled, key, problems: serviceProblems(problem, filled) });
  },
  outage: {
    log: 'a gig of an owner cannot be changed now',
    show: async (visit, given) => {
      const { page, filled: before } = await findEdited(visit);
      const { filled, key } = complete(given, before);
      return showForm(visit, page, { filled, key, problems: { fields: new Map(), others: [UNANSWERED] } });
    },
  },
});

/** `GET` and `POST /my/gigs/:id/edit`. */
export const EDIT_ROUTES: readonly MyRoute[] = [view, submit];
