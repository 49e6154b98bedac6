import { setTimeout as wait } from 'node:timers/promises';
import { limitTime } from '../../src/time-limit.ts';
import type { Faults } from './faults.ts';
import type { NetworkEvent } from './network.ts';

/** The event of a post or an act, with the place where it goes. */
export interface WebhookEvent {
  /** Null for an act, of which observers are not told. */
  readonly postId: string | null;
  readonly url: string;
  readonly body: string;
}

/** Sends signed events in the background. */
export interface WebhookSender {
  /** Sends once, twice, later or never, as the faults say. */
  send(event: WebhookEvent): void;
  /** Sends once, regardless of faults. @returns the answer's status, or 0 without an answer */
  deliver(event: WebhookEvent): Promise<number>;
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** How long a receiver may take; X allows 10 s (docs.x.com, x-api/webhooks/quickstart). */
const ANSWER_MS = 10_000;

/** A sender that signs with `headers`. It repeats nothing by itself. */
export function createWebhookSender(options: {
  faults: Faults;
  headers: (body: string) => Record<string, string>;
  observe: (event: NetworkEvent) => void;
}): WebhookSender {
  const { observe } = options;
  const stopping = new AbortController();
  const underway = new Set<Promise<unknown>>();

  async function deliver({ postId, url, body }: WebhookEvent): Promise<number> {
    const began = performance.now();
    const status = await call(url, body);
    if (postId !== null) observe({ type: 'delivered', postId, status, ms: Math.round(performance.now() - began) });
    return status;
  }

  async function call(url: string, body: string): Promise<number> {
    using limit = limitTime(ANSWER_MS, stopping.signal);
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...options.headers(body) },
        body,
        redirect: 'manual',
        signal: limit.signal,
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      // A receiver that is down is the receiver's matter; the sender goes on.
      return 0;
    }
  }

  async function late(event: WebhookEvent): Promise<number> {
    const inTime = await wait(options.faults.lateMs, true, { signal: stopping.signal }).catch(() => false);
    return inTime ? deliver(event) : 0;
  }

  function keep(work: Promise<number>): void {
    const kept = work.finally(() => underway.delete(kept));
    underway.add(kept);
  }

  return {
    deliver,
    send: (event) => {
      switch (options.faults.webhook) {
        case 'never':
          if (event.postId !== null) observe({ type: 'withheld', postId: event.postId });
          return;
        case 'late':
          keep(late(event));
          return;
        case 'twice':
          keep(deliver(event));
          keep(deliver(event));
          return;
        case 'normal':
          keep(deliver(event));
      }
    },
    settled: async () => {
      while (underway.size > 0) await Promise.all(underway);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(underway);
    },
  };
}
