import type { Target } from '../../../domain/earning/act.ts';
import { targetAccount } from '../../../domain/earning/gates.ts';
import type { SocialPlatform } from '../../../domain/mentions/mention.ts';
import type { StoreReads } from '../../../store/port/index.ts';
import type { ActWindow } from './watched-gigs.ts';

/** The ids of the accounts that belong to a gig itself, and never earn from it: the bot, its owners, its target's. */
export async function findOwnAccounts(
  store: StoreReads,
  {
    gig,
    watch,
    bot,
  }: {
    readonly gig: ActWindow;
    readonly watch: { readonly target: Target };
    readonly bot: SocialPlatform['bot'];
  },
): Promise<ReadonlySet<string>> {
  const owners = await store.gigOwners(gig.id);
  const own = owners.filter(({ platform }) => platform === gig.platform).map(({ platformUserId }) => platformUserId);
  const author = targetAccount(watch.target);
  return new Set([bot.id, ...own, ...(author === null ? [] : [author])]);
}
