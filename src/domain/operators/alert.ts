import type { DeliveryState, HeldDelivery } from '../events/delivery.ts';
import { isSafe } from '../fields.ts';
import { plain } from '../plain-text.ts';
import { isoText } from '../time.ts';
import type { Condition, ConditionKey } from './condition.ts';

/** A condition that has held for a while. Times are epoch milliseconds. */
export interface Alert extends ConditionKey {
  readonly id: number;
  /** The condition's words when the alert began. */
  readonly text: string;
  readonly remedy: string;
  readonly begunAt: number;
  /** Null while it is open. */
  readonly endedAt: number | null;
}

export const ALERT_NEWS = ['begun', 'over'] as const;
export type AlertNews = (typeof ALERT_NEWS)[number];

interface Delivered {
  /** The same at every try. */
  readonly id: string;
  readonly news: AlertNews;
}

/** One piece of news for one receiver. Times are epoch milliseconds. */
export interface AlertDelivery extends Delivered {
  readonly alertId: number;
  /** The {@link AlertReceiver.id} of the receiver. */
  readonly receiver: string;
  readonly state: DeliveryState;
  readonly tries: number;
  /** When it is tried next, or when its lease ends. */
  readonly nextAt: number;
  readonly queuedAt: number;
  /** When it was delivered or given up, or null. */
  readonly endedAt: number | null;
  /** Why the last try failed, or null. */
  readonly error: string | null;
}

export interface LeasedDelivery extends AlertDelivery, HeldDelivery {
  readonly alert: Alert;
}

export interface AlertMessage {
  /** The delivery's id, by which a receiver knows repeats. */
  readonly id: string;
  readonly text: string;
  readonly kind: string;
  readonly subject: string;
  readonly state: AlertNews;
  /** When that happened, ISO 8601. */
  readonly at: string;
  readonly service: string;
}

/** One URL that takes alerts. */
export interface AlertReceiver {
  /** Names it in the store without telling its URL, which is secret. */
  readonly id: string;
  /** Its place in the setting and its host. */
  readonly label: string;
  /** Delivers once. @returns the status of the answer @throws AdapterError unless it is a success */
  send(message: AlertMessage): Promise<number>;
}

/** Discord takes no more than 2,000 characters. */
const LONGEST_TEXT = 1_900;

/** A text that no receiver takes for markup: within angle brackets Slack has commands, which call everyone, and links. */
function safeText(text: string): string {
  return plain(text.replaceAll('<', '‹').replaceAll('>', '›'), LONGEST_TEXT);
}

/** The service that alerts come from. */
export interface AlertSender {
  readonly publicUrl: string;
  /** As the operator calls it; nothing but its URL when null or absent. */
  readonly siteName?: string | null | undefined;
}

function senderWords({ publicUrl, siteName = null }: AlertSender): string {
  return siteName === null ? publicUrl : `${siteName} (${publicUrl})`;
}

/** The message to a receiver about an alert. */
export function alertMessage(
  { id, news, alert }: Delivered & { readonly alert: Alert },
  sender: AlertSender,
): AlertMessage {
  const { publicUrl } = sender;
  const { kind, subject, text, remedy, begunAt, endedAt } = alert;
  const words = news === 'begun' ? `${text}. ${remedy}` : `Over: ${text}.`;
  const at = isoText(news === 'begun' ? begunAt : (endedAt ?? begunAt));
  return { id, text: safeText(`${senderWords(sender)}: ${words}`), kind, subject, state: news, at, service: publicUrl };
}

/** The message by which the operator tries the receivers. */
export function testMessage({ id, now }: { id: string; now: number }, sender: AlertSender): AlertMessage {
  const { publicUrl } = sender;
  const text = `${senderWords(sender)}: This is a test. Alerts of this service arrive here.`;
  return { id, text, kind: 'test', subject: 'test', state: 'begun', at: isoText(now), service: publicUrl };
}

/** A URL that may take alerts, in its canonical form; null for any other text. Plain http is for this machine alone. */
export function readAlertUrl(text: string): string | null {
  const url = URL.parse(text);
  const isPlain = url !== null && url.username === '' && url.password === '' && url.hash === '';
  return isPlain && isSafe(url) ? url.href : null;
}

/** How many looks in a row must agree before an alert begins or is over, so that one that comes and goes is told once. */
const LOOKS = 2;

/** How many looks in a row have found a condition that is not told yet, or missed one that is; by kind and subject. */
export type Streaks = ReadonlyMap<string, number>;

function keyOf({ kind, subject }: ConditionKey): string {
  return `${kind} ${subject}`;
}

export interface StreakStep {
  readonly begun: readonly Condition[];
  readonly over: readonly Alert[];
  readonly streaks: Streaks;
}

/**
 * Compares what a look has found with the alerts that are open.
 * @param isUnknown whether the look could not tell: such an alert stays as it is
 */
export function stepStreaks(
  before: Streaks,
  look: {
    readonly found: readonly Condition[];
    readonly open: readonly Alert[];
    readonly isUnknown: (key: ConditionKey) => boolean;
  },
): StreakStep {
  const streaks = new Map<string, number>();
  /** Counts one more look; true when there were enough. */
  const isEnough = (key: string): boolean => {
    const looks = (before.get(key) ?? 0) + 1;
    if (looks < LOOKS) streaks.set(key, looks);
    return looks >= LOOKS;
  };
  const open = new Set(look.open.map(keyOf));
  const found = new Set(look.found.map(keyOf));
  const begun = look.found.filter((condition) => !open.has(keyOf(condition)) && isEnough(keyOf(condition)));
  const over = look.open.filter(
    (alert) => !found.has(keyOf(alert)) && !look.isUnknown(alert) && isEnough(keyOf(alert)),
  );
  return { begun, over, streaks };
}
