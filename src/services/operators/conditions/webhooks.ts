import { defineCondition } from './define-condition.ts';

/** A webhook takes nothing any more, so nothing is sent to it. Pauses that were asked for are none. */
export const webhookPaused = defineCondition({
  kind: 'webhook_paused',
  reach: 'part',
  check: { name: 'webhooks', well: 'No webhook is paused because it takes nothing' },
  say: ({ id, client, because }: { id: number; client: string | null; because: 'gone' | 'silent' }) => ({
    subject: `webhook ${id}`,
    text: `Webhook ${id} of ${client ?? 'all clients'} is paused: it ${because === 'gone' ? 'answered that it is gone' : 'took nothing for 72 hours'}`,
    remedy: `Ask its client to fix or delete it. Then run npm run admin -- webhook resume ${id}: it gets what it has missed.`,
  }),
  find: async ({ store }, tell) => (await store.troubledWebhooks()).map(tell),
});
