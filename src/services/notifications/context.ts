import type { VerifierUrls } from '../../domain/earning/payouts/verifier.ts';
import type { Platforms } from '../../domain/mentions/mention.ts';
import type { JobContext } from '../context.ts';
import type { DeliveryContext, DeliveryCounter } from '../deliveries/deliver-next.ts';

/** What events become notifications with. */
export interface NewsContext extends JobContext {
  readonly platforms: Platforms;
  /** Which verifiers are asked: of a gig without one people decide. */
  readonly verifiers: VerifierUrls;
}

export interface NotifyContext extends DeliveryContext {
  readonly platforms: Platforms;
  readonly notificationCounter: DeliveryCounter;
  /** The service's public base URL, without a slash at the end. */
  readonly publicUrl: string;
}
