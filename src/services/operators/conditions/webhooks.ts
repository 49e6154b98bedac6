import { defineCondition } from './define-condition.ts';

/** A webhook to which nothing is sent. `because` says why: it answered so, took nothing, or the key of this id has expired. */
interface PausedWebhook {
  readonly id: number;
  readonly client: string | null;
  readonly because: 'gone' | 'silent' | { readonly apiKeyId: number };
}

function reasonOf(because: PausedWebhook['because']): string {
  if (because === 'gone') return 'it answered that it is gone';
  return because === 'silent' ? 'it took nothing for 72 hours' : `its key ${because.apiKeyId} has expired`;
}

/** A webhook takes nothing any more, or has outlived its key, so nothing is sent to it. Pauses that were asked for are none. */
export const webhookPaused = defineCondition({
  kind: 'webhook_paused',
  reach: 'part',
  check: { name: 'webhooks', well: 'No webhook is paused because it takes nothing' },
  say: ({ id, client, because }: PausedWebhook) => ({
    subject: `webhook ${id}`,
    text: `Webhook ${id} of ${client ?? 'all clients'} is paused: ${reasonOf(because)}`,
    remedy:
      typeof because === 'string'
        ? `Ask its client to fix or delete it. Then run npm run admin -- webhook resume ${id}: it gets what it has missed.`
        : `If its client still wants it, run npm run admin -- webhook resume ${id}: it gets what it has missed. Otherwise delete it.`,
  }),
  find: async ({ store }, tell) => {
    const ended = await store.webhooksEndedByKey();
    const all = ended.map(({ id, client, apiKeyId }) => ({ id, client, because: { apiKeyId } }));
    return [...(await store.troubledWebhooks()), ...all].map(tell);
  },
});
