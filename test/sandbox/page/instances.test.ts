import { expect, test } from 'vitest';
import { describeServiceEvent } from '../../../sandbox/page/story.ts';
import { createServiceWatch } from '../../../sandbox/page/watcher.ts';

const NOTHING = { mentions: 0, replies: 0 };

test('behavior: the death of one of several instances is told as that, and the service stands', () => {
  let pids: readonly number[] = [1, 2];
  const watch = createServiceWatch({
    url: 'http://127.0.0.1:1',
    pids: () => pids,
    clock: () => 1,
    changed: () => undefined,
  });
  const ended = { type: 'ended', pid: 1, how: 'SIGKILL', others: 1 } as const;
  pids = [2];
  watch.heard(ended);
  expect(watch.standing()).toEqual({ state: 'up', pids: [2], paused: [] });
  expect(describeServiceEvent(ended, NOTHING).text).toBe(
    'An instance, process 1, was killed. On disk: nothing waits. Others that run: 1.',
  );
  pids = [];
  watch.heard({ type: 'ended', pid: 2, how: 'SIGKILL', others: 0 });
  expect(watch.standing()).toEqual({ state: 'restarting', pids: [], paused: [] });
  pids = [3];
  const back = { type: 'back', pid: 3, ms: 1_500, others: 0 } as const;
  watch.heard(back);
  expect(watch.standing().state).toBe('up');
  expect(describeServiceEvent(back, NOTHING).text).toBe(
    'An instance restarted with the same database after 1.5 s, process 3.',
  );
});
