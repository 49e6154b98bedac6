import type { BotSettings } from '../define-platform.ts';

/** The configuration of a Farcaster bot. Secrets: the API key, the signer and the webhook secrets. */
export interface FarcasterConfig extends BotSettings {
  readonly apiKey: string;
  readonly signerUuid: string;
  /** Any of them verifies a webhook, so that secrets can be rotated without a gap. */
  readonly webhookSecrets: readonly string[];
  readonly botFid: number;
}
