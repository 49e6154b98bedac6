import type { Actor } from './actor.ts';

export const AUDIT_ACTIONS = [
  'gig.create',
  'gig.change',
  'gig.payment',
  'gig.deposit',
  'gig.start',
  'gig.start_expire',
  'gig.assign',
  'gig.freeze',
  'gig.unfreeze',
  'gig.rebuild',
  'gig.settle',
  'gig.refuse_open',
  'gig.stop',
  'gig.cancel',
  'gig.close',
  'gig.refund',
  'gig.return',
  'gig.refund_to',
  'gig.decide',
  'ids.skip',
  'owner.add',
  'owner.remove',
  'notices.on',
  'notices.off',
  'notifications.on',
  'notifications.off',
  'tips.award',
  'round.divide',
  'draw.fix',
  'entry.draw',
  'draw.draw',
  'tip.void',
  'claim.open',
  'claim.retry',
  'claim.ask_name',
  'payment.retry',
  'payments.allow',
  'payments.anchor',
  'reply.retry',
  'platform.resume',
  'token.add',
  'token.allow',
  'token.disallow',
  'token.offer',
  'token.withdraw',
  'account.stop',
  'account.unstop',
  'account.block',
  'account.unblock',
  'account.link',
  'account.link_valid',
  'account.unlink',
  'owner.allow',
  'owner.disallow',
  'key.create',
  'key.revoke',
  'key.rotate',
  'login.link',
  'login.open',
  'login.close',
  'session.open',
  'session.close',
  'webhook.create',
  'webhook.change',
  'webhook.pause',
  'webhook.resume',
  'webhook.rotate',
  'webhook.replay',
  'webhook.delete',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export type AuditSubjectKind =
  | 'gig'
  | 'tip'
  | 'claim'
  | 'payment'
  | 'reply'
  | 'platform'
  | 'token'
  | 'account'
  | 'owner'
  | 'key'
  | 'link'
  | 'webhook'
  | 'owner'
  | 'store';

export interface NewAuditEvent {
  readonly action: AuditAction;
  readonly subject: AuditSubjectKind;
  /** The record's id as text; an account's is `farcaster:1001`. */
  readonly subjectId: string;
  readonly gigId: number | null;
  /** A few facts; never a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditEvent {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actor: Actor['kind'];
  /** The key's name, the account, the owner, `command line`, the log-in or the job. */
  readonly actorName: string;
  readonly apiKeyId: number | null;
  /** The client that a key or an owner acted for. */
  readonly client: string | null;
  readonly requestId: string | null;
  readonly action: AuditAction;
  readonly subject: AuditSubjectKind;
  readonly subjectId: string;
  readonly gigId: number | null;
  /** A JSON object. */
  readonly detail: string;
}

const MAX_TEXT = 200;

function shorten(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' && value.length > MAX_TEXT) return `${value.slice(0, MAX_TEXT)}…`;
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shorten(part)]));
}

/** A detail as it is stored: JSON, with long texts cut and amounts as decimal text. */
export function detailText(detail: NewAuditEvent['detail']): string {
  return JSON.stringify(shorten(detail));
}
