import { createHmac } from 'node:crypto';
import type { Platform } from '../../src/domain/account.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import { createFarcaster } from '../../src/platforms/farcaster/adapter.ts';
import { createXPlatform } from '../../src/platforms/x/adapter.ts';
import { NOW } from './service.ts';

const FARCASTER_SECRETS = ['fake-webhook-secret-one', 'fake-webhook-secret-two'];
const X_APP_SECRET = 'fake-app-secret';
/** Nothing listens there: receiving a webhook calls no platform. */
const NOWHERE = 'http://127.0.0.1:9';

/** Both real adapters, with secrets that are nobody's. */
export async function bothPlatforms(): Promise<Map<Platform, SocialPlatform>> {
  const clock = () => NOW;
  const farcaster = await createFarcaster({
    apiKey: 'fake-api-key',
    signerUuid: '00000000-0000-0000-0000-000000000000',
    webhookSecrets: FARCASTER_SECRETS,
    botFid: 9001,
    botUsername: 'gigclaim',
    baseUrl: NOWHERE,
    clock,
  });
  const twitter = await createXPlatform({
    appKey: 'fake-app-key',
    appSecret: X_APP_SECRET,
    accessToken: 'fake-access-token',
    accessSecret: 'fake-access-secret',
    botUserId: '9002',
    botUsername: 'gigclaim',
    baseUrl: NOWHERE,
    clock,
  });
  return new Map<Platform, SocialPlatform>([
    ['farcaster', farcaster],
    ['twitter', twitter],
  ]);
}

/** Neynar's signature of these bytes, with the first or the second of the webhook's secrets. */
export function signFarcaster(body: string | Uint8Array, secret: 0 | 1 = 0): string {
  return createHmac('sha512', FARCASTER_SECRETS[secret] ?? '')
    .update(body)
    .digest('hex');
}

/** X's signature of these bytes. */
export function signTwitter(body: string | Uint8Array): string {
  return `sha256=${createHmac('sha256', X_APP_SECRET).update(body).digest('base64')}`;
}

/** A cast by `alice`, FID 1001, that names the bot, posted a minute ago; as Neynar delivers it. */
export function castEvent(overrides: Record<string, unknown> = {}, type = 'cast.created'): string {
  return JSON.stringify({
    created_at: 1_795_253_340,
    type,
    data: {
      object: 'cast',
      hash: '0x00000000000000000000000000000000000000c1',
      thread_hash: '0x00000000000000000000000000000000000000c1',
      parent_hash: null,
      parent_author: { fid: null },
      author: { object: 'user', fid: 1001, username: 'alice' },
      text: '@gigclaim claims',
      timestamp: '2026-11-21T09:29:00.000Z',
      mentioned_profiles: [{ object: 'user', fid: 9001, username: 'gigclaim' }],
      ...overrides,
    },
  });
}

/** A post by `bob`, id 2002, that names the bot, posted a minute ago; as X's Activity API delivers it. */
export function postEvent(overrides: Record<string, unknown> = {}): string {
  return JSON.stringify({
    data: {
      event_uuid: '-2781149976877970683',
      filter: { user_id: '9002' },
      event_type: 'post.mention.create',
      payload: {
        id: '2080765813578191303',
        text: '@gigclaim claims',
        author_id: '2002',
        conversation_id: '2080765813578191303',
        created_at: '2026-11-21T09:29:00.000Z',
        edit_history_tweet_ids: ['2080765813578191303'],
        entities: { mentions: [{ start: 0, end: 9, username: 'gigclaim', id: '9002' }] },
        ...overrides,
      },
      includes: { users: [{ id: '2002', username: 'bob' }] },
    },
  });
}
