import { beforeAll, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import { voidTips } from '../../../../src/services/gigs/tips/void-tip.ts';
import { seedToken } from '../../../support/store.ts';
import { NOW, seedLocalGig, service, shareService } from '../../service.ts';
import { refusal, told } from '../../terms.ts';

let gigId: number;
shareService();
beforeAll(async () => {
  const token = await seedToken(service.store, { chainId: 31337 });
  gigId = (await seedLocalGig(service.store, token, { live: true, startTime: NOW })).id;
});

interface Page {
  readonly data: readonly { readonly id: number; readonly amount: string; readonly status: string }[];
  readonly next_cursor: string | null;
}

async function read(query: string): Promise<Page> {
  const response = await service.app.request(`/api/gigs/${gigId}/tips${query}`, {
    headers: { 'x-api-key': service.key },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

test('behavior: a program reads back what it awarded, exactly, page by page, newest first', async () => {
  const tips = Array.from({ length: 5 }, (_, index) => ({
    platform: 'farcaster',
    platform_user_id: String(index + 1),
    value: `1.00000000000000000${index + 1}`,
  }));
  const answer = await service.send('POST', `/api/gigs/${gigId}/tips`, { tips });
  const { data: awarded } = (await answer.json()) as { data: { id: number }[] };
  const seen: Page['data'][number][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await read(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    seen.push(...page.data);
    cursor = page.next_cursor;
  }
  expect(seen.map(({ id, amount }) => [id, amount])).toEqual(
    awarded.map(({ id }, index) => [id, tips[index]?.value]).toReversed(),
  );
  const [voided] = awarded;
  await voidTips(
    { store: service.store, clock: () => NOW },
    { tipIds: [voided?.id ?? 0], reason: 'a mistake', actor: COMMAND_LINE },
  );
  expect((await read('?status=void')).data).toEqual([
    expect.objectContaining({ id: voided?.id, status: 'void', void_reason: 'a mistake' }),
  ]);
  expect((await read('?status=pending')).data).toHaveLength(4);
  expect(await read('?status=paid')).toEqual({ data: [], next_cursor: null });
});

test('error: an unknown status, limit or cursor is refused with what would be right', async () => {
  for (const [query, error] of [
    ['status=x', 'status must be one of pending, paid, void'],
    ['limit=101', 'limit must be a whole number from 1 to 100'],
    ['cursor=x', 'cursor must be the next_cursor of the previous page'],
  ]) {
    const path = `/api/gigs/${gigId}/tips?${query}`;
    expect(await told(service.app.request(path, { headers: { 'x-api-key': service.key } }))).toEqual(
      refusal(400, error),
    );
  }
});
