import { afterAll, beforeAll, expect, test } from 'vitest';
import { openService, type Service } from '../../service.ts';
import { create, knowDegen, told } from '../../terms.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
  await knowDegen(service);
});
afterAll(() => service.close());

test.each(['stop', 'settle'])(
  'error: a gig that has not started is refused to %s, with what to do instead',
  async (ending) => {
    const { gig_id } = await create(service);
    expect(await told(service.send('POST', `/api/gigs/${gig_id}/${ending}`, {}))).toEqual({
      status: 400,
      body: { error: `Gig with id ${gig_id} is not live: cancel it instead` },
    });
  },
);
