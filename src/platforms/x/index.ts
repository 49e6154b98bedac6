import { readReplyBudget } from '../../domain/mentions/reply-worth.ts';
import { X } from '../../domain/platforms/platforms.ts';
import { settingHandle, settingId, settingText, settingUrl } from '../../domain/settings/setting-values.ts';
import { definePlatform } from '../define-platform.ts';
import type { XConfig } from './settings.ts';

export const x = definePlatform({
  facts: X,
  needed: {
    X_APP_KEY: settingText,
    X_APP_SECRET: settingText,
    X_ACCESS_TOKEN: settingText,
    X_ACCESS_SECRET: settingText,
    X_BOT_USER_ID: settingId,
    X_BOT_USERNAME: settingHandle,
  },
  extra: {
    X_BASE_URL: settingUrl.optional(),
    X_REPLY_BUDGET: settingText
      .default('100/15m,300/3h')
      .transform(readReplyBudget)
      .refine((budget) => budget !== null, 'must be like 100/15m,300/3h, in minutes and hours, or none')
      .transform((budget) => budget ?? []),
  },
  prefixes: ['X_', 'TWITTER_'],
  read: (needed, extra): XConfig => ({
    appKey: needed.X_APP_KEY,
    appSecret: needed.X_APP_SECRET,
    accessToken: needed.X_ACCESS_TOKEN,
    accessSecret: needed.X_ACCESS_SECRET,
    botUserId: needed.X_BOT_USER_ID,
    botUsername: needed.X_BOT_USERNAME,
    replyBudget: Object.freeze(extra.X_REPLY_BUDGET),
    baseUrl: extra.X_BASE_URL,
  }),
  secrets: ({ appKey, appSecret, accessToken, accessSecret }) => [appKey, appSecret, accessToken, accessSecret],
  async open(settings, options) {
    const { createXPlatform } = await import('./adapter.ts');
    return await createXPlatform({ ...settings, ...options });
  },
});
