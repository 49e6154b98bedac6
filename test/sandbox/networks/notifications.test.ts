import { expect, test } from 'vitest';
import { FARCASTER, NOW, startFarcaster } from '../../platforms/setup.ts';

const notification = { title: 'Hello', body: 'World', target_url: 'https://gigs.example/gigs/1' };
const UUID = '0c1f4a3e-5b8d-5e6f-8a9b-1c2d3e4f5a6b';

async function open() {
  const time = { now: NOW };
  const network = await startFarcaster({ clock: () => time.now });
  network.addUser({ id: '1001', username: 'alice' });
  const send = async (body: object) => {
    const response = await fetch(`${network.url}/v2/farcaster/frame/notifications/`, {
      method: 'POST',
      headers: { 'x-api-key': FARCASTER.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, answer: await response.json() };
  };
  return { network, time, send };
}

const counts = (success: number, failure: number, none: number, retryable: number[] = []) => ({
  success_count: success,
  failure_count: failure,
  not_attempted_count: none,
  retryable_fids: retryable,
});

test('behavior: a person is shown one in 30 seconds and 100 a day; a repeat under the same id is no other', async () => {
  const { network, time, send } = await open();
  const tell = (uuid?: string) =>
    send({ target_fids: [1001], notification: { ...notification, ...(uuid && { uuid }) } });
  expect((await tell(UUID)).answer).toMatchObject(counts(1, 0, 0));
  expect((await tell(UUID)).answer).toMatchObject(counts(1, 0, 0));
  expect(network.notifications.shown()).toHaveLength(1);
  expect((await tell()).answer).toMatchObject(counts(0, 1, 0, [1001]));
  for (let sent = 1; sent < 100; sent += 1) {
    time.now += 30_000;
    expect((await tell()).answer).toMatchObject(counts(1, 0, 0));
  }
  time.now += 30_000;
  expect((await tell()).answer).toMatchObject(counts(0, 1, 0, [1001]));
  time.now = NOW + 86_400_000;
  expect((await tell(UUID)).answer).toMatchObject(counts(1, 0, 0));
  expect(network.notifications.shown()).toHaveLength(101);
});

test('behavior: who has not added the mini app is counted, and without a target everybody is told', async () => {
  const { network, send } = await open();
  network.addUser({ id: '1002', username: 'bob' });
  network.notifications.add('1002', false);
  expect((await send({ target_fids: [1001, 1002, 99], notification })).answer).toMatchObject(counts(1, 0, 2));
  network.notifications.add('1002', true);
  expect((await send({ notification })).answer).toMatchObject({ success_count: 2, retryable_fids: [1001] });
});

test.each([
  ['a long title', { ...notification, title: 'a'.repeat(33) }],
  ['a long body', { ...notification, body: 'a'.repeat(129) }],
  ['no URL', { ...notification, target_url: 'gigs' }],
  ['an id that is none', { ...notification, uuid: '1' }],
])('error: %s is refused', async (_, wrong) => {
  const { network, send } = await open();
  expect((await send({ target_fids: [1001], notification: wrong })).status).toBe(400);
  expect(network.notifications.shown()).toEqual([]);
});
