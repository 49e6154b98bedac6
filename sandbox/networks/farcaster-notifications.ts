import type { SendFrameNotificationsResponse } from '@neynar/nodejs-sdk/build/api/index.js';
import { Hono } from 'hono';
import { z } from 'zod';
import type { NetworkEnv } from './faults.ts';
import type { Timeline } from './timeline.ts';

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** What a client takes for one person, and for how long it knows an id (miniapps.farcaster.xyz, guides/notifications). */
const LIMITS = { apartMs: 30 * SECOND_MS, aDay: 100, knownMs: DAY_MS };
const MOST_AT_ONCE = 100;

const body = z.strictObject({
  notification: z.strictObject({
    title: z.string().min(1).max(32),
    body: z.string().min(1).max(128),
    target_url: z.url().max(256),
    uuid: z.uuid().optional(),
  }),
  target_fids: z.array(z.int().positive()).max(MOST_AT_ONCE).optional(),
  filters: z.strictObject({}).optional(),
});

/** A notification that a person was shown. */
export interface ShownNotification {
  readonly fid: string;
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly uuid: string | null;
  /** Epoch ms. */
  readonly at: number;
}

/** The notifications of the mini app, as the clients of people show them. */
export interface Notifications {
  /** Everything that was shown, oldest first. */
  shown(): readonly ShownNotification[];
  /** Whether a person has added the mini app; everybody has at first. */
  add(fid: string, isAdded: boolean): void;
  /** Forgets what was shown. */
  forget(): void;
  /** What the clients of these people answer from now on, whatever is sent: they fail for good. */
  readonly broken: Set<string>;
}

/** {@link Notifications}, and Neynar's route that sends them. */
export function createNotifications({ clock, timeline }: { clock: () => number; timeline: Timeline }): {
  readonly notifications: Notifications;
  readonly routes: Hono<NetworkEnv>;
} {
  const shown: ShownNotification[] = [];
  const without = new Set<string>();
  const broken = new Set<string>();
  let campaigns = 0;

  function isTooMuch(fid: string, now: number): boolean {
    const theirs = shown.filter((each) => each.fid === fid && now - each.at < DAY_MS);
    return theirs.length >= LIMITS.aDay || theirs.some(({ at }) => now - at < LIMITS.apartMs);
  }

  type Outcome = 'success' | 'failure' | 'not_attempted' | 'retryable';

  function showTo(fid: string, { notification }: z.output<typeof body>): Outcome {
    const { title, body: text, target_url: url, uuid = null } = notification;
    const now = clock();
    if (without.has(fid) || timeline.users().every(({ id }) => id !== fid)) return 'not_attempted';
    if (broken.has(fid)) return 'failure';
    const isKnown = shown.some(
      (each) => each.fid === fid && uuid !== null && each.uuid === uuid && now - each.at < LIMITS.knownMs,
    );
    if (isKnown) return 'success';
    if (isTooMuch(fid, now)) return 'retryable';
    shown.push({ fid, title, body: text, url, uuid, at: now });
    return 'success';
  }

  const routes = new Hono<NetworkEnv>();
  routes.post('/frame/notifications', async (c) => {
    const sent = body.safeParse(await c.req.json().catch(() => null));
    if (!sent.success) return c.json({ code: 'InvalidField', message: z.prettifyError(sent.error) }, 400);
    // Without any, everybody gets it.
    const named = (sent.data.target_fids ?? []).map(String);
    const fids = named.length > 0 ? named : timeline.users().map(({ id }) => id);
    const outcomes = fids.map((fid) => ({ fid, outcome: showTo(fid, sent.data) }));
    const count = (...wanted: Outcome[]) => outcomes.filter(({ outcome }) => wanted.includes(outcome)).length;
    campaigns += 1;
    const answer: SendFrameNotificationsResponse = {
      campaign_id: `00000000-0000-4000-8000-${String(campaigns).padStart(12, '0')}`,
      success_count: count('success'),
      failure_count: count('failure', 'retryable'),
      not_attempted_count: count('not_attempted'),
      retryable_fids: outcomes.flatMap(({ fid, outcome }) => (outcome === 'retryable' ? [Number(fid)] : [])),
    };
    return c.json(answer);
  });
  const notifications: Notifications = {
    shown: () => shown,
    forget: () => void shown.splice(0),
    add: (fid, isAdded) => {
      if (isAdded) without.delete(fid);
      else without.add(fid);
    },
    broken,
  };
  return { notifications, routes };
}
