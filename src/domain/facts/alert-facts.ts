import type { Alert, AlertDelivery } from '../operators/alert.ts';
import { isoText } from '../time.ts';
import { type Fact, fact, momentOr, type Piece } from './fact.ts';

export interface ShownAlert {
  readonly alert: Alert;
  readonly deliveries: readonly AlertDelivery[];
  /** What receivers are called, by their ids. Their URLs are secret. */
  readonly labels: ReadonlyMap<string, string>;
}

function labelOf({ labels }: ShownAlert, { receiver }: AlertDelivery): string {
  return labels.get(receiver) ?? 'not configured any more';
}

function deliveriesTold(shown: ShownAlert): Piece[] | null {
  if (shown.deliveries.length === 0) return null;
  return shown.deliveries.flatMap((delivery, index): Piece[] => {
    const { news, state, tries, error } = delivery;
    const said = `${index === 0 ? '' : '; '}${news} ${state} to ${labelOf(shown, delivery)}`;
    if (state === 'delivered' || error === null) return [said];
    return [said, `, ${tries} ${tries === 1 ? 'try' : 'tries'}: `, { foreign: error }];
  });
}

function deliveriesJson(shown: ShownAlert) {
  return shown.deliveries.map((delivery) => {
    const { id, news, state, tries, endedAt, error } = delivery;
    return { id, news, receiver: labelOf(shown, delivery), state, tries, ended_at: isoText(endedAt), error };
  });
}

export const ALERT_REMEDY = fact<ShownAlert>('remedy', ({ alert }) => ({ foreign: alert.remedy }), { json: 'remedy' });

/** The facts of an alert, without what to do about it. */
export const ALERT_FACTS: readonly Fact<ShownAlert>[] = [
  fact('kind', ({ alert }) => alert.kind, { json: 'kind' }),
  fact('subject', ({ alert }) => alert.subject, { json: 'subject' }),
  fact('begun', ({ alert }) => ({ moment: alert.begunAt }), { json: 'begun_at' }),
  fact('over', ({ alert }) => momentOr(alert.endedAt), { json: 'ended_at' }),
  fact('text', ({ alert }) => ({ foreign: alert.text }), { json: 'text' }),
  fact('deliveries', deliveriesTold, { json: (shown) => ({ deliveries: deliveriesJson(shown) }) }),
];
