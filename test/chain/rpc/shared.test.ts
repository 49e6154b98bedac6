import { expect, test } from 'vitest';
import { shareFor } from '../../../src/chain/rpc/shared.ts';

function counted() {
  let now = 1_000;
  let asked = 0;
  const answers: PromiseWithResolvers<number>[] = [];
  const ask = shareFor(
    () => {
      asked += 1;
      const answer = Promise.withResolvers<number>();
      answers.push(answer);
      return answer.promise;
    },
    { ms: 500, clock: () => now },
  );
  const at = (ms: number) => {
    now = ms;
  };
  return { ask, asked: () => asked, answers, at };
}

test('behavior: whoever asks soon after somebody else gets the same answer', async () => {
  const { ask, asked, answers, at } = counted();
  const first = ask();
  at(1_499);
  const second = ask();
  answers[0]?.resolve(7);
  expect([await first, await second, await ask(), asked()]).toEqual([7, 7, 7, 1]);
});

test('behavior: it is asked anew when the time is over, or when the clock was set back', async () => {
  const { ask, asked, at } = counted();
  void ask();
  at(1_500);
  void ask();
  expect(asked()).toBe(2);
  at(1_499);
  void ask();
  expect(asked()).toBe(3);
});

test('error: a failure is told to those who wait for it, and nobody after them', async () => {
  const { ask, asked, answers } = counted();
  const [first, second] = [ask(), ask()];
  answers[0]?.reject(new Error('no fees'));
  await expect(first).rejects.toThrow('no fees');
  await expect(second).rejects.toThrow('no fees');
  const third = ask();
  answers[1]?.resolve(9);
  expect([await third, asked()]).toEqual([9, 2]);
});
