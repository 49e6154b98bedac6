import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sampleMention } from '../../support/store.ts';
import { useStore } from '../contract/subject.ts';
import { openOnSqlite } from './subject.ts';

const { store } = useStore(openOnSqlite);

test('behavior: transactions that wait together run one after the other, in the order they came', async () => {
  const order: string[] = [];
  const names = ['a', 'b', 'c'];
  const all = names.map((name) =>
    store.transaction(async (tx) => {
      order.push(`${name} begins`);
      await tx.insertMention(sampleMention({ postId: name }), { now: 1, source: 'webhook' });
      order.push(`${name} ends`);
    }),
  );
  await Promise.all(all);
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('error: awaiting the next turn of the event loop is refused', async () => {
  const late = store.transaction(() => setImmediate());
  await expect(late).rejects.toThrow(new TypeError('a transaction must await nothing but its tx'));
});
