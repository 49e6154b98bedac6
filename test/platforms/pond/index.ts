import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { OutgoingReply, Post, SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { parseJson } from '../../../src/platforms/payload.ts';
import { POND } from './row.ts';

const delivery = z.object({
  kind: z.string(),
  ripple: z.object({ id: z.string(), by: z.string(), name: z.string(), at: z.number(), says: z.string() }),
});

/** The signature of what Pond delivers. */
export function signPond(body: Uint8Array | string): string {
  return createHmac('sha256', 'fake-pond-secret').update(body).digest('hex');
}

/** Pond in memory, and what the bot has posted there. */
export function createPond(ripples: readonly Post[]): { pond: SocialPlatform; sent: OutgoingReply[] } {
  const sent: OutgoingReply[] = [];
  const pond: SocialPlatform = {
    platform: POND.id,
    bot: { id: '900', username: 'gigclaim' },
    idempotent: true,
    replyLimit: 500,
    replyBudget: [],
    acts: null,
    measure: (text) => text.length,
    verify(rawBody, signature = '') {
      const [own, given] = [Buffer.from(signPond(rawBody)), Buffer.from(signature)];
      return own.length === given.length && timingSafeEqual(own, given);
    },
    answerChallenge: (token) => (/^[a-z]{8}$/.test(token) ? signPond(token) : null),
    parse(rawBody) {
      const read = delivery.safeParse(parseJson(rawBody)).data;
      if (read?.kind !== 'mention') return [];
      const { id, by: authorId, name: authorUsername, at: postedAt, says: text } = read.ripple;
      const post = { platform: POND.id, postId: id, authorId, authorUsername, text, postedAt };
      return [{ ...post, kind: 'mention', version: 1, replyTo: id, threadId: id }];
    },
    async reply(reply) {
      sent.push(reply);
      return { postId: `8${reply.replyTo}` };
    },
    findReply: async () => null,
    pollEvents: async ({ cursor }) => ({ events: [], cursor }),
    lookUpPost: async (url) => ripples.find(({ postId }) => postId === POND.readPost(url)?.postId) ?? null,
    payoutAddresses: async () => ['0x00000000000000000000000000000000000000aa'],
    primaryAddress: async () => null,
    resolveAccount: async () => null,
    check: async () => [],
    registerWebhook: async () => ({ detail: '', next: '', secret: null }),
    listWebhooks: async () => [],
    deleteWebhook: async () => undefined,
  };
  return { pond, sent };
}
