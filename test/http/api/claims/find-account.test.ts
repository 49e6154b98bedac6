import { expect, test } from 'vitest';
import { AdapterError } from '../../../../src/domain/errors.ts';
import { createNetwork } from '../../../services/fakes.ts';
import { NOW, service, shareService } from '../../service.ts';
import { refusal, told } from '../../terms.ts';

const asked: unknown[] = [];
let failure: AdapterError | null = null;

shareService({
  platforms: new Map([
    [
      'farcaster',
      {
        ...createNetwork('farcaster').network,
        resolveAccount: async (who) => {
          asked.push(who);
          if (failure !== null) throw failure;
          return 'username' in who && who.username.toLowerCase() === 'alice'
            ? { platform: 'farcaster', platformUserId: '1001', username: 'alice' }
            : null;
        },
      },
    ],
  ]),
});

const find = (query: string) =>
  told(service.app.request(`/api/accounts?${query}`, { headers: { 'x-api-key': service.key } }));

test('behavior: the platform is asked once in ten minutes who holds a handle', async () => {
  const alice = { platform: 'farcaster', platform_user_id: '1001', username: 'alice' };
  for (const name of ['alice', '@Alice']) {
    expect(await find(`platform=farcaster&username=${name}`)).toEqual({ status: 200, body: { data: alice } });
  }
  expect(asked).toHaveLength(1);
  service.time.now = NOW + 10 * 60_000 + 1;
  await find('platform=farcaster&username=alice');
  expect(asked).toHaveLength(2);
});

test('error: an unknown handle, another platform, no handle and a silent platform are each told apart', async () => {
  service.time.now += 60_000;
  expect(await find('platform=farcaster&username=nobody')).toEqual(
    refusal(404, 'No account of Farcaster has the handle nobody'),
  );
  expect(await find('platform=x&username=alice')).toMatchObject({ status: 503 });
  expect(await find('platform=myspace&username=alice')).toEqual(refusal(400, 'platform must be one of farcaster, x'));
  expect(await find('platform=farcaster')).toMatchObject({ status: 400 });
  failure = new AdapterError({ retry: 'safe', reason: 'timeout', message: 'no answer', platform: 'farcaster' });
  expect(await find('platform=farcaster&username=bob')).toEqual(
    refusal(503, 'Farcaster cannot be reached right now; nothing was changed, try again later'),
  );
  failure = null;
  // What failed is not kept.
  expect(await find('platform=farcaster&username=bob')).toMatchObject({ status: 404 });
});

test('error: a client asks ten times a minute, whatever key it uses', async () => {
  service.time.now += 60_000;
  const statuses: number[] = [];
  for (let count = 0; count < 11; count += 1) {
    statuses.push((await find('platform=farcaster&username=alice')).status);
  }
  expect(statuses).toEqual([...Array(10).fill(200), 429]);
});
