import type { MiddlewareHandler } from 'hono';
import type { OwnerActor } from '../../domain/operators/actor.ts';
import type { AwardContext, CreationContext } from '../../services/owners/context.ts';
import type { ShownAddresses } from '../../services/owners/rewards.ts';
import type { SignedIn } from '../../services/owners/sessions.ts';
import type { ShownPosts } from '../../services/owners/shown-posts.ts';
import type { PageContext } from '../context.ts';
import type { Route } from '../frame/audience.ts';
import type { ActingVisit } from '../frame/deeds.ts';
import type { AppEnv } from '../middleware/context.ts';
import type { Once } from '../middleware/idempotency.ts';
import type { RateLimit } from '../middleware/rate-limit.ts';
import type { FundingReader } from '../pages/gigs/funding-look.ts';

/** What pages of owners have. */
export interface MyContext extends PageContext, Omit<AwardContext, keyof PageContext> {
  readonly targetBudgets: CreationContext['targetBudgets'];
  /** Remembers for a few seconds what chains answered about funding, for all owners. */
  readonly funds: FundingReader;
  /** Where accounts may be paid, as the pages show it. */
  readonly addresses: ShownAddresses;
  /** The posts that new gigs are about, as previews show them. */
  readonly posts: ShownPosts;
  /** Gives a form that is sent twice its first answer. */
  readonly once: Once;
  /** Counts sign-ins that are begun: each is stored, and may open a channel of the relay. */
  readonly beginnings: RateLimit;
  /** Counts sign-ins that are finished, refused or not: a chain may be asked, and wallets are free. */
  readonly attempts: RateLimit;
  /** Refuses claims that are too many. */
  readonly claimLimit: MiddlewareHandler<AppEnv>;
}

/** One route of `/my`. */
export type MyRoute = Route<MyContext>;

/** A request of an owner who has signed in. */
export interface OwnerVisit extends ActingVisit<MyContext> {
  readonly session: SignedIn;
  readonly actor: OwnerActor;
}
