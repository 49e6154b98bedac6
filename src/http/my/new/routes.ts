import type { Context } from 'hono';
import { AdapterError, DomainError, personText } from '../../../domain/errors.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { Terms } from '../../../domain/gigs/terms.ts';
import { summarizeError } from '../../../log.ts';
import { linkedWallet } from '../../../services/gigs/owner-accounts.ts';
import type { OnceAnswered } from '../../../services/idempotency.ts';
import { listOfferedTokens, prepareOwnGig, whyNotCreate } from '../../../services/owners/create-gig.ts';
import type { Prepared } from '../../../services/prepared.ts';
import type { AppEnv } from '../../middleware/context.ts';
import { seeOther } from '../../ui/form.ts';
import { type MyRequest, type MyRoute, ownerForm, ownerPage } from '../define-route.ts';
import { formKey } from '../form-key.ts';
import { answerMine } from '../frame.ts';
import { type FieldName, type Filled, type FormProblems, LABELS, problemsOfRefusal, readTerms } from './fields.ts';
import { emptyForm, newGigView, noNewGigView } from './page.ts';

const PATH = '/my/gigs/new';

const view = ownerPage(PATH, async (_, { deps, owner }) => {
  const { store, clock, config, site, newId, feeBps } = deps;
  const why = await whyNotCreate(store, config, { name: owner.name, client: owner.client, now: clock() });
  if (why !== null) return noNewGigView(site, why);
  const tokens = await listOfferedTokens(deps, owner.owner);
  const linked = await linkedWallet(store, owner);
  return newGigView(site, owner, {
    filled: emptyForm(owner, { tokens, linked }),
    problems: null,
    key: newId(),
    tokens,
    feeBps,
  });
});

function fieldNames(): FieldName[] {
  return Object.keys(LABELS) as FieldName[]; // exactly the keys of a literal
}

/** Every field, as it was typed, without the spaces around it. */
function readFilled(form: URLSearchParams): Filled {
  const typed = fieldNames().map((name) => [name, (form.get(name) ?? '').trim()] as const);
  return Object.fromEntries(typed) as Filled; // one for each name
}

async function create(
  c: Context<AppEnv>,
  { deps, owner }: MyRequest,
  { terms, form }: { terms: Terms; form: URLSearchParams },
): Promise<OnceAnswered> {
  const key = formKey({ owner, path: PATH, form, fields: fieldNames() });
  const { requestId, log } = c.get('request');
  const prepare = async (): Promise<Prepared<Gig>> => ({
    ...(await prepareOwnGig(deps, { terms, owner, requestId })),
    done: ({ id: gigId }) => log().info({ gigId, owner: owner.name }, 'gig created by an owner'),
  });
  // The answer that is kept is where the gig is, below the owner's gigs.
  return await deps.once(key, ({ id }) => ({ status: 201, body: String(id) }), prepare);
}

/** What is said beside the form of a refusal or an outage. @throws any other error */
function problemsOf(c: Context<AppEnv>, error: unknown): FormProblems {
  if (error instanceof DomainError) {
    const about = problemsOfRefusal(error);
    return about ?? { fields: new Map(), others: [personText(error.refusal)] };
  }
  if (!(error instanceof AdapterError)) throw error;
  c.get('request')
    .log()
    .warn({ error: summarizeError(error) }, 'a gig of an owner cannot be created now');
  const others = ['The chain or the platform does not answer right now. Nothing was created: try again in a minute.'];
  return { fields: new Map(), others };
}

const SENT_BEFORE: FormProblems = {
  fields: new Map(),
  others: ['This form has created a gig already, with other values. Send it again to create another one.'],
};

const submit = ownerForm(PATH, async (c, { deps, owner, form }) => {
  const { site, clock, newId, feeBps, earningOnX } = deps;
  const filled = readFilled(form);

  async function showAgain(problems: FormProblems, key = form.get('key') ?? newId()): Promise<Response> {
    const tokens = await listOfferedTokens(deps, owner.owner);
    const again = { filled, problems, key, tokens, feeBps };
    return await answerMine(c, site, { owner, view: newGigView(site, owner, again) });
  }

  const read = readTerms(filled, { now: clock(), earningOnX });
  if (!('terms' in read)) return await showAgain(read);
  let answered: OnceAnswered;
  try {
    answered = await create(c, { deps, owner }, { terms: read.terms, form });
  } catch (error) {
    // Under its old key the form would be refused for ever.
    const isReused = error instanceof DomainError && error.refusal.code === 'key_reused';
    return isReused ? await showAgain(SENT_BEFORE, newId()) : await showAgain(problemsOf(c, error));
  }
  return seeOther(c, `${site.root}/my/gigs/${answered.body}`);
});

/** `GET` and `POST /my/gigs/new`. */
export const NEW_GIG_ROUTES: readonly MyRoute[] = [view, submit];
