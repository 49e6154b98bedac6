import type { Actor } from './actor.ts';

/** Everything that is written down when somebody does it. */
export const AUDIT_ACTIONS = [
  'gig.create',
  'gig.change',
  'gig.start',
  'gig.assign',
  'gig.freeze',
  'gig.unfreeze',
  'gig.accept',
  'owner.add',
  'owner.remove',
  'tips.award',
  'tip.void',
  'claim.open',
  'claim.retry',
  'transfer.retry',
  'reply.retry',
  'token.add',
  'gas_tank.accept',
  'account.stop',
  'account.unstop',
  'key.create',
  'key.revoke',
  'key.rotate',
  'login.link',
  'login.open',
  'login.close',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The kinds of record that an action can concern. */
export type AuditSubjectKind =
  | 'gig'
  | 'tip'
  | 'claim'
  | 'transfer'
  | 'reply'
  | 'token'
  | 'account'
  | 'key'
  | 'link'
  | 'chain';

/** What was done to what. */
export interface NewAuditEvent {
  readonly action: AuditAction;
  readonly subject: AuditSubjectKind;
  /** The record's id as text; an account's is `farcaster:1001`. */
  readonly subjectId: string;
  /** The gig that it concerns, when it concerns one. */
  readonly gigId: number | null;
  /** A few facts; never a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** One line of the audit trail, as it was kept. */
export interface AuditEvent {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actor: Actor['kind'];
  /** The key's name, the account, `command line`, the log-in or the job. */
  readonly actorName: string;
  readonly apiKeyId: number | null;
  /** The client that a key acted for. */
  readonly client: string | null;
  readonly requestId: string | null;
  readonly action: AuditAction;
  readonly subject: AuditSubjectKind;
  readonly subjectId: string;
  readonly gigId: number | null;
  /** A JSON object. */
  readonly detail: string;
}

/** The longest text that a detail keeps, in characters. */
const MAX_TEXT = 200;

function shorten(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' && value.length > MAX_TEXT) return `${value.slice(0, MAX_TEXT)}…`;
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shorten(part)]));
}

/** A detail as it is kept: JSON, with long texts cut and amounts as decimal text. */
export function detailText(detail: NewAuditEvent['detail']): string {
  return JSON.stringify(shorten(detail));
}
