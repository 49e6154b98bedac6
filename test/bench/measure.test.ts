import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { measureRound } from '../../bench/contender.ts';
import type { Generator } from '../../bench/generator.ts';
import type { Job, Outcome } from '../../bench/load/job.ts';
import { measure } from '../../bench/load/measure.ts';

async function listening(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const LOAD = { connections: 4, seconds: 3_000, rate: null, asked: { kind: 'lookups', users: 10 } } as const;

test('behavior: a warm-up ends when so many requests were answered, whatever the seconds', async () => {
  const port = await listening((_request, response) => response.end('x'));
  const { answered } = await measure({ ...LOAD, port, seed: 1, requests: 50 });
  expect(answered).toBeGreaterThanOrEqual(50);
});

test('error: a warm-up in which a request is refused ends at once', async () => {
  const port = await listening((_request, response) => response.writeHead(503).end());
  const warming = measure({ ...LOAD, port, seed: 1, requests: 50 });
  await expect(warming).rejects.toThrow('only 0 of 50 requests were answered; refused: {"503":');
});

test('behavior: whatever the rate of a measurement, its warm-up is as fast as the server answers', async () => {
  const jobs: Job[] = [];
  const outcome: Outcome = {
    perSecond: 1,
    answered: 1,
    refused: {},
    meanLength: 1,
    ownCpu: 0,
    p50: 1,
    p90: 1,
    p99: 1,
    p999: 1,
    worst: 1,
  };
  const generator: Generator = {
    async run(job) {
      jobs.push(job);
      // Processor time is told in ticks of 10 ms.
      const since = process.cpuUsage();
      while (process.cpuUsage(since).user < 30_000);
      return outcome;
    },
    stop: async () => undefined,
  };
  const contender = { name: 'x', port: 1, pid: process.pid, helperPid: process.pid, stop: async () => undefined };
  const load = { ...LOAD, seconds: 2, rate: 36 };
  const round = await measureRound(generator, contender, { ...load, warmRequests: 70, round: 3 });
  const seen = jobs.map(({ requests, rate, seed }) => ({ requests, rate, seed }));
  expect(seen).toEqual([
    { requests: 70, rate: null, seed: 6 },
    { requests: null, rate: 36, seed: 7 },
  ]);
  expect(round.helperMicros).toBeGreaterThan(0);
});
