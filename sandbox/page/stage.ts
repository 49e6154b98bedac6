import { isPostgres } from '../../src/domain/settings/database-url.ts';
import { type ApiAnswer, createServiceApi } from './api.ts';
import { createBackup } from './backup.ts';
import { createLine } from './line.ts';
import type { Parts } from './parts.ts';
import { openRecords } from './records.ts';
import { createStory } from './story.ts';
import { createWatcher } from './watcher.ts';

/** Everything with which the page's buttons act. `changed` is called when the page is to show something else. */
export async function createStage(parts: Parts, changed: () => void) {
  const { places, database, apiKey, time } = parts;
  const clock = time.now;
  const story = createStory({ clock, changed });
  const reader = await openRecords(database);
  const claims: ApiAnswer[] = [];
  return {
    ...parts,
    story,
    closeReader: reader.close,
    api: createServiceApi({ url: places.service, apiKey }),
    watcher: await createWatcher(parts, { reader, story, changed }),
    /** Null for a database that is no file. */
    backup: isPostgres(database) ? null : await createBackup({ path: database, clock }),
    /** The chain's account sends one transaction after the other: two at once would take the same nonce. */
    sending: createLine(),
    starts: new Map<number, ApiAnswer>(),
    claims,
  };
}

export type Stage = Awaited<ReturnType<typeof createStage>>;

/** Everything the page shows, as it was seen last. */
export function readWorld({ watcher, networks: { farcaster, x }, receiver, story, starts, claims, time }: Stage) {
  return {
    ...watcher.seen(),
    posts: { farcaster: farcaster.posts(), x: x.posts() },
    faults: { farcaster: { ...farcaster.faults }, x: { ...x.faults } },
    starts,
    claim: claims.at(-1) ?? null,
    reception: receiver.seen(),
    story: story.lines(),
    now: time.now(),
    aheadMs: time.ahead(),
  };
}

export type World = ReturnType<typeof readWorld>;
