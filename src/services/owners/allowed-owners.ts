import { invalidRequest } from '../../domain/errors.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import { type Owner, ownerText, readOwner } from '../../domain/owners/owner.ts';
import type { ListedOwner } from '../../domain/owners/owner-gigs.ts';
import type { ReadContext, ServiceContext } from '../context.ts';
import { recordEvent } from '../operators/audit-events.ts';

/**
 * Lets an owner create gigs where `OWNER_CREATE` is `listed`, or ends that; the gigs that it has go on.
 * @throws DomainError `invalid_request` when that changes nothing
 */
export async function allowOwner(
  { store, clock }: ServiceContext,
  { owner, isAllowed, actor }: { readonly owner: Owner; readonly isAllowed: boolean; readonly actor: Actor },
): Promise<void> {
  const name = ownerText(owner);
  await store.transaction(async (tx) => {
    const now = clock();
    const isChanged = isAllowed ? await tx.allowOwner(name, now) : await tx.disallowOwner(name);
    if (!isChanged) throw invalidRequest(`${name} is ${isAllowed ? 'allowed already' : 'not allowed'}.`);
    const action = isAllowed ? 'owner.allow' : 'owner.disallow';
    const subject = { subject: 'owner', subjectId: name, gigId: null, detail: {} } as const;
    await recordEvent(tx, { actor, now }, { ...subject, action });
  });
}

/** A page of the owners that the operator allows; those who were allowed last come first. */
export async function listAllowedOwners(
  { store }: ReadContext,
  page: { readonly limit: number; readonly before?: number | undefined },
): Promise<ListedOwner[]> {
  const found = await store.allowedOwners(page);
  return await Promise.all(
    found.map(async (each) => {
      const owner = readOwner(each.owner);
      const link = owner?.kind === 'account' ? await store.linkOf(owner) : null;
      return { ...each, wallet: link?.wallet ?? null };
    }),
  );
}
