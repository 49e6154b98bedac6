import type { EventSender } from '../../domain/events/endpoint.ts';
import type { ServiceContext } from '../context.ts';

export interface WebhookContext extends ServiceContext {
  /** What sends events; null without a key to sign them with. */
  readonly sender: EventSender | null;
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly newId: () => string;
  /** Resolves after so many milliseconds; with false as soon as the process stops. */
  readonly sleep: (ms: number) => Promise<boolean>;
}
