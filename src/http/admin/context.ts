import type { OperatorActor } from '../../domain/operators/actor.ts';
import type { LoggedIn } from '../../services/operators/sessions.ts';
import type { PageContext } from '../context.ts';
import type { Route } from '../frame/audience.ts';
import type { ActingVisit } from '../frame/deeds.ts';
import type { RateLimit } from '../middleware/rate-limit.ts';

/** What pages of operators have. */
export interface AdminContext extends PageContext {
  /** Counts failed log-ins. */
  readonly attempts: RateLimit;
}

/** A request of an operator who has logged in. */
export interface OperatorVisit extends ActingVisit<AdminContext> {
  readonly session: LoggedIn;
  readonly actor: OperatorActor;
}

/** One route of `/admin`. */
export type AdminRoute = Route<AdminContext>;
