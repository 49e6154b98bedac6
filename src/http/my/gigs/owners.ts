import type { Account } from '../../../domain/account.ts';
import { readWrittenAccount } from '../../../domain/account-name.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { PLATFORMS } from '../../../domain/platforms/platforms.ts';
import { commandGig } from '../../../services/gigs/command-gig.ts';
import { prepareOwner, removeOwner } from '../../../services/gigs/owners.ts';
import { carryOut } from '../../../services/prepared.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { OWNERS } from '../audience.ts';
import type { MyRoute, OwnerVisit } from '../context.ts';
import { viewMyGig } from './gig-view.ts';

/** An account as a form names it. */
interface NamedAccount {
  readonly gigId: number;
  readonly platform: string;
  readonly account: string;
}

function readForm({ c }: OwnerVisit, sent: URLSearchParams): NamedAccount {
  return { gigId: gigIdOf(c), platform: sent.get('platform') ?? '', account: sent.get('account') ?? '' };
}

/** The account that a form names: by its id, or by its handle, which its platform is asked for once the gig has started. */
async function findNamed({ deps, session }: OwnerVisit, gig: Gig, named: NamedAccount): Promise<Account> {
  const facts = PLATFORMS.find(({ id }) => id === named.platform);
  if (facts === undefined) throw invalidRequest('platform must be one of the list');
  const name = readWrittenAccount(facts.id, named.account);
  if (!('handle' in name)) return { ...name, username: null };
  // A started gig was funded; strangers create others for nothing.
  if (gig.status !== 'live') throw invalidRequest('Until the gig has started, name an account by its id.');
  const why = deps.whyNotAsk(session.name, 1);
  if (why !== null) throw invalidRequest(`${why}: write an id instead.`);
  return await deps.resolve(name.platform, name.handle);
}

const UNANSWERED = 'The platform does not answer right now. Name the account by its id, or try again in a minute.';

function ownersForm(path: string, change: (visit: OwnerVisit, named: NamedAccount) => Promise<void>): MyRoute {
  return OWNERS.form(path, {
    read: readForm,
    act: async (visit, named) => {
      await change(visit, named);
      return `/my/gigs/${named.gigId}`;
    },
    again: (visit, { text }) => viewMyGig(visit, text),
    outage: { log: 'cannot look a handle up', show: (visit) => viewMyGig(visit, UNANSWERED) },
  });
}

const add = ownersForm('/my/gigs/:id{[0-9]+}/owners', async (visit, named) => {
  const { deps, actor } = visit;
  const { gigId } = named;
  // Before its platform is asked, which costs money.
  const gig = await commandGig(deps.store, { gigId, actor, act: 'addOwners' });
  const owner = await findNamed(visit, gig, named);
  await carryOut(deps, prepareOwner({ gigId, owner, actor }));
});

const remove = ownersForm(
  '/my/gigs/:id{[0-9]+}/owners/remove',
  async ({ deps, actor }, { gigId, platform, account: platformUserId }) =>
    await removeOwner(deps, { gigId, owner: { platform, platformUserId }, actor }),
);

/** `POST /my/gigs/:id/owners` and `/my/gigs/:id/owners/remove`. */
export const OWNER_ROUTES: readonly MyRoute[] = [add, remove];
