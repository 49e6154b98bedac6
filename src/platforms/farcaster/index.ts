import { FARCASTER } from '../../domain/platforms/platforms.ts';
import {
  settingHandle,
  settingList,
  settingNumber,
  settingText,
  settingUrl,
} from '../../domain/settings/setting-values.ts';
import { definePlatform } from '../define-platform.ts';
import type { FarcasterConfig } from './settings.ts';

export const farcaster = definePlatform({
  facts: FARCASTER,
  needed: {
    NEYNAR_API_KEY: settingText,
    NEYNAR_SIGNER_UUID: settingText,
    NEYNAR_WEBHOOK_SECRETS: settingList((secret) => secret, 'must hold at least one secret'),
    FARCASTER_BOT_FID: settingNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    FARCASTER_BOT_USERNAME: settingHandle,
  },
  extra: { NEYNAR_BASE_URL: settingUrl.optional() },
  prefixes: ['NEYN', 'FARCASTER_'],
  issued: { variable: 'NEYNAR_WEBHOOK_SECRETS', after: 'NEYNAR_API_KEY' },
  read: (needed, extra): FarcasterConfig => ({
    apiKey: needed.NEYNAR_API_KEY,
    signerUuid: needed.NEYNAR_SIGNER_UUID,
    webhookSecrets: Object.freeze(needed.NEYNAR_WEBHOOK_SECRETS),
    botFid: needed.FARCASTER_BOT_FID,
    botUsername: needed.FARCASTER_BOT_USERNAME,
    baseUrl: extra.NEYNAR_BASE_URL,
  }),
  secrets: ({ apiKey, signerUuid, webhookSecrets }) => [apiKey, signerUuid, ...webhookSecrets],
  async open(settings, options) {
    const { createFarcaster } = await import('./adapter.ts');
    return createFarcaster({ ...settings, ...options });
  },
});
