import { beforeAll, expect, test } from 'vitest';
import { seedToken } from '../../../support/store.ts';
import { NOW, seedLocalGig, service, shareService } from '../../service.ts';
import { create, knowDegen, refusal, told } from '../../terms.ts';

shareService();
beforeAll(async () => {
  await knowDegen(service);
});

test.each(['stop', 'settle'])(
  'error: a gig that has not started is refused to %s, with what to do instead',
  async (ending) => {
    const { gig_id } = await create(service);
    expect(await told(service.send('POST', `/api/gigs/${gig_id}/${ending}`, {}))).toEqual(
      refusal(400, `Gig with id ${gig_id} is not live: cancel it instead`),
    );
  },
);

test.each(['stop', 'cancel'])('error: a gig that has ended is refused to %s, because it has ended', async (ending) => {
  const token = await seedToken(service.store, { chainId: 31337 });
  const { id } = await seedLocalGig(service.store, token, { live: true, startTime: NOW - 10 * 86_400_000 });
  expect(await told(service.send('POST', `/api/gigs/${id}/${ending}`, {}))).toEqual(
    refusal(400, `Gig with id ${id} has ended`),
  );
});

test('behavior: until when tips can be awarded is said from the start on, never of a gig that was cancelled', async () => {
  const { gig_id } = await create(service);
  const awardsUntil = async (id: number) => {
    const { body } = await told(service.app.request(`/api/gigs/${id}`));
    return (body as { data: { awards_until: string | null } }).data.awards_until;
  };
  expect(await awardsUntil(gig_id)).toBeNull();
  await service.send('POST', `/api/gigs/${gig_id}/cancel`, {});
  expect(await awardsUntil(gig_id)).toBeNull();
  const token = await seedToken(service.store, { chainId: 31337 });
  const { id } = await seedLocalGig(service.store, token, { live: true, startTime: NOW, awardDays: 2 });
  // A day and two days after the start on 2026-11-21.
  expect(await awardsUntil(id)).toBe('2026-11-24T09:30:00.000Z');
});
