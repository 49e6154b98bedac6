import type { ReplyAllowance } from './reply-worth.ts';

/** The configuration of a Farcaster bot. Secrets: the API key, the signer and the webhook secrets. */
export interface FarcasterConfig {
  readonly apiKey: string;
  readonly signerUuid: string;
  /** Any of them verifies a webhook, so that secrets can be rotated without a gap. */
  readonly webhookSecrets: readonly string[];
  readonly botFid: number;
  readonly botUsername: string;
  /** Neynar's own when absent. No `/v2`, no trailing slash. */
  readonly baseUrl?: string | undefined;
}

/** The configuration of a bot on X: OAuth 1.0a of its account. Secrets: all but the bot's id and name. */
export interface XConfig {
  readonly appKey: string;
  /** Also signs webhooks and answers their challenge. */
  readonly appSecret: string;
  readonly accessToken: string;
  readonly accessSecret: string;
  readonly botUserId: string;
  readonly botUsername: string;
  /** How many replies X accepts from the account; X's documented numbers when absent. */
  readonly replyBudget?: readonly ReplyAllowance[] | undefined;
  /** X's own when absent; plain http is allowed. No `/2`, no trailing slash. */
  readonly baseUrl?: string | undefined;
}

/** Which verifiers of bounties are asked. Secret: the key. */
export interface VerifierConfig {
  /** In their canonical form. */
  readonly origins: readonly string[];
  /** Base64 of the PKCS #8 DER of an Ed25519 private key. */
  readonly signingKey: string;
}
