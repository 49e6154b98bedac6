import { isSafe } from '../fields.ts';
import { settingChoice, settingUrl } from './setting-values.ts';

/** Neynar's longest `webhookUrl`, as the schema of manifests has it. */
const LONGEST_URL = 1024;

export const NOTIFICATION_SETTINGS = {
  NOTIFICATIONS: settingChoice(['true', 'false']).default('false'),
  NOTIFICATIONS_WEBHOOK_URL: settingUrl
    .refine((text) => {
      const url = URL.parse(text);
      return url !== null && text.length <= LONGEST_URL && isSafe(url);
    }, 'must be the https URL that dev.neynar.com shows for your app: https://api.neynar.com/f/app/…/event')
    .nullable()
    .default(null),
};

interface Given {
  readonly NOTIFICATIONS: 'true' | 'false';
  readonly NOTIFICATIONS_WEBHOOK_URL: string | null;
}

/** Where clients tell Neynar who takes notifications; null where none are sent. */
export function notificationsOf({ NOTIFICATIONS, NOTIFICATIONS_WEBHOOK_URL }: Given): string | null {
  return NOTIFICATIONS === 'true' ? NOTIFICATIONS_WEBHOOK_URL : null;
}

/** What is missing for notifications; null when nothing is, or they are off. @param canSend whether Farcaster is on */
export function notificationsProblem(given: Given, canSend: boolean): string | null {
  if (given.NOTIFICATIONS !== 'true') return null;
  if (given.NOTIFICATIONS_WEBHOOK_URL === null)
    return 'NOTIFICATIONS_WEBHOOK_URL must be set where NOTIFICATIONS is true: dev.neynar.com shows it for your app';
  return canSend ? null : 'NOTIFICATIONS needs Farcaster: set NEYNAR_API_KEY and the other settings of the bot';
}
