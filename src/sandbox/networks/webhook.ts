import { setTimeout as wait } from 'node:timers/promises';
import type { Faults } from './faults.ts';

/** Sends signed events in the background. */
export interface WebhookSender {
  /** Sends once, twice, later or never, as the faults say. */
  send(url: string, body: string): void;
  /** Sends once, whatever the faults; the answer's status, or 0 when there was none. */
  deliver(url: string, body: string): Promise<number>;
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** How long a receiver may take; X allows 10 s (docs.x.com, x-api/webhooks/quickstart). */
const ANSWER_MS = 10_000;

/** A sender that signs with `headers`. It repeats nothing by itself. */
export function createWebhookSender(options: {
  faults: Faults;
  headers: (body: string) => Record<string, string>;
}): WebhookSender {
  const stopping = new AbortController();
  const underway = new Set<Promise<unknown>>();

  async function deliver(url: string, body: string): Promise<number> {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...options.headers(body) },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      // A receiver that is down is the receiver's matter; the sender goes on.
      return 0;
    }
  }

  async function late(url: string, body: string): Promise<number> {
    const inTime = await wait(options.faults.lateMs, true, { signal: stopping.signal }).catch(() => false);
    return inTime ? deliver(url, body) : 0;
  }

  function keep(work: Promise<number>): void {
    const kept = work.finally(() => underway.delete(kept));
    underway.add(kept);
  }

  return {
    deliver,
    send: (url, body) => {
      switch (options.faults.webhook) {
        case 'never':
          return;
        case 'late':
          keep(late(url, body));
          return;
        case 'twice':
          keep(deliver(url, body));
          keep(deliver(url, body));
          return;
        case 'normal':
          keep(deliver(url, body));
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
