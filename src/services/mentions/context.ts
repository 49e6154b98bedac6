import type { Platform } from '../../domain/account.ts';
import type { Platforms } from '../../domain/mentions/mention.ts';
import type { ReplyLimits } from '../../domain/mentions/reply-limits.ts';
import type { ShownTime } from '../../domain/time.ts';
import type { JobContext } from '../context.ts';
import type { PlatformBreaker } from './platform-breaker.ts';

export interface ReceiveContext extends JobContext {
  readonly platforms: Platforms;
  readonly clocks: ShownTime;
  /** Tells a platform's answering job that there is work. */
  readonly wake: (platform: Platform) => void;
}

export interface PollContext extends ReceiveContext {
  readonly health: PlatformBreaker;
}

export interface ReplyContext extends JobContext {
  readonly platforms: Platforms;
  readonly limits: ReplyLimits;
  readonly newId: () => string;
}
