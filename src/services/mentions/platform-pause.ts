import type { Platform } from '../../domain/account.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import type { ReadContext, ServiceContext } from '../context.ts';
import { recordEvent } from '../operators/audit-events.ts';
import type { PlatformBreaker } from './platform-breaker.ts';

/** Takes over a pause for a cap that an earlier or another process has found, or that the operator has ended. */
export async function followPause(
  { store, health }: ReadContext & { readonly health: PlatformBreaker },
  platform: Platform,
): Promise<void> {
  health.follow(platform, await store.platformPause(platform));
}

/**
 * Ends a platform's pause for a cap, because the operator has raised it; the running service follows within a minute.
 * @throws DomainError `invalid_request` when it is not paused for a cap
 */
export async function resumePlatform(
  { store, clock }: ServiceContext,
  { platform, actor }: { platform: Platform; actor: Actor },
): Promise<void> {
  await store.transaction(async (tx) => {
    const now = clock();
    const pause = await tx.platformPause(platform);
    if (pause === null || pause.until <= now) {
      throw invalidRequest(`No cap pauses ${platformFacts(platform).label}. Run doctor to see why nothing is sent.`);
    }
    // Its end is kept: what has waited since then still has its day.
    await tx.setPlatformPause(platform, { ...pause, until: now }, now);
    const detail = { until: pause.until };
    await recordEvent(
      tx,
      { actor, now },
      { action: 'platform.resume', subject: 'platform', subjectId: platform, gigId: null, detail },
    );
  });
}
