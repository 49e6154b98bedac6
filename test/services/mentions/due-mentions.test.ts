import { expect, test } from 'vitest';
import { createDueMentions } from '../../../src/services/mentions/due-mentions.ts';
import type { DueMention } from '../../../src/store/port/index.ts';

const due = (...ids: readonly number[]) => ids.map((id) => ({ id }) as DueMention);

test('behavior: due mentions are taken in their order, each by one lane, and read again when all are taken', async () => {
  const mentions = createDueMentions();
  const rows = [due(1, 2), due(2, 3), due(1, 2, 3), []];
  let reads = 0;
  const take = async () => {
    const read = async () => {
      reads += 1;
      return rows[reads - 1] ?? [];
    };
    return (await mentions.take(read))?.id ?? null;
  };
  expect([await take(), await take(), reads]).toEqual([1, 2, 1]);
  // What is taken is not taken again before the work on it is over.
  expect([await take(), reads]).toEqual([3, 2]);
  mentions.release(1);
  mentions.release(3);
  expect([await take(), await take(), await take(), reads]).toEqual([1, 3, null, 4]);
});
