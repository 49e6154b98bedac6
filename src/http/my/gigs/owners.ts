import type { Context } from 'hono';
import type { Account } from '../../../domain/account.ts';
import { AdapterError, DomainError, invalidRequest, personText } from '../../../domain/errors.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { PLATFORMS } from '../../../domain/platforms/platforms.ts';
import { commandGig } from '../../../services/gigs/command-gig.ts';
import { prepareOwner, removeOwner } from '../../../services/gigs/owners.ts';
import { ownerActor } from '../../../services/owners/sessions.ts';
import { carryOut } from '../../../services/prepared.ts';
import type { AppEnv } from '../../middleware/context.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { seeOther } from '../../ui/form.ts';
import { type MyRequest, type MyRoute, ownerForm } from '../define-route.ts';
import { answerMine } from '../frame.ts';
import { viewMyGig } from './gig-view.ts';

/** The account that a form names: by its id, or by its handle, which its platform is asked for once the gig has started. */
async function readAccount(
  { deps, owner }: MyRequest,
  { gig, form }: { gig: Gig; form: URLSearchParams },
): Promise<Account> {
  const facts = PLATFORMS.find(({ id }) => id === form.get('platform'));
  if (facts === undefined) throw invalidRequest('platform must be one of the list');
  const text = (form.get('account') ?? '').trim().replace(/^@/, '');
  if (facts.isId(text)) return { platform: facts.id, platformUserId: text, username: null };
  if (!facts.isHandle(text)) throw invalidRequest(`account must be a handle or an id of ${facts.label}`);
  // A started gig was funded; strangers create others for nothing.
  if (gig.status !== 'live') throw invalidRequest('Until the gig has started, name an account by its id.');
  const why = deps.whyNotAsk(owner.name, 1);
  if (why !== null) throw invalidRequest(`${why}: write an id instead.`);
  return await deps.resolve(facts.id, text);
}

/** Changes the owners of a gig, and shows the gig with the reason when that is refused. */
async function change(
  c: Context<AppEnv>,
  request: MyRequest,
  run: (gigId: number) => Promise<void>,
): Promise<Response> {
  const gigId = gigIdOf(c);
  const { deps, owner } = request;
  try {
    await run(gigId);
  } catch (error) {
    if (error instanceof AdapterError) c.get('request').log().warn({ reason: error.reason }, 'cannot look a handle up');
    else if (!(error instanceof DomainError) || error.refusal.code === 'gig_not_found') throw error;
    const unanswered = 'The platform does not answer right now. Name the account by its id, or try again in a minute.';
    const problem = error instanceof DomainError ? personText(error.refusal) : unanswered;
    return await answerMine(c, deps.site, { owner, view: await viewMyGig(request, { gigId, problem }) });
  }
  return seeOther(c, `${deps.site.root}/my/gigs/${gigId}`);
}

const add = ownerForm('/my/gigs/:id{[0-9]+}/owners', (c, { deps, owner, form }) =>
  change(c, { deps, owner }, async (gigId) => {
    const actor = ownerActor(owner, c.get('request').requestId);
    // Before its platform is asked, which costs money.
    const gig = await commandGig(deps.store, { gigId, actor, act: 'add owners to' });
    const account = await readAccount({ deps, owner }, { gig, form });
    await carryOut(deps, prepareOwner({ gigId, owner: account, actor }));
  }),
);

const remove = ownerForm('/my/gigs/:id{[0-9]+}/owners/remove', (c, { deps, owner, form }) =>
  change(c, { deps, owner }, async (gigId) => {
    const [platform, platformUserId] = [form.get('platform') ?? '', form.get('account') ?? ''];
    const actor = ownerActor(owner, c.get('request').requestId);
    await removeOwner(deps, { gigId, owner: { platform, platformUserId }, actor });
  }),
);

/** `POST /my/gigs/:id/owners` and `/my/gigs/:id/owners/remove`. */
export const OWNER_ROUTES: readonly MyRoute[] = [add, remove];
