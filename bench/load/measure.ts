import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from '../figures.ts';
import { type Connection, openConnection } from './connection.ts';
import type { Job, Outcome } from './job.ts';
import { createRandom, createRequests } from './requests.ts';

const GRACE_MS = 3_000;
/** For opening all connections: to take hundreds at once holds a server up for milliseconds, which is not what is measured. */
const OPENING_MS = 200;

/** Counts what arrives before the end of the measurement. */
function createRecord(end: () => number) {
  const latencies: number[] = [];
  const refused: Record<string, number> = {};
  let bytes = 0;
  let answered = 0;
  return {
    latencies,
    refused,
    answered: () => answered,
    bytes: () => bytes,
    note(sentAt: number, now: number, { status, length }: { status: number; length: number }) {
      if (now >= end()) return;
      if (status === 200) {
        latencies.push(now - sentAt);
        bytes += length;
        answered += 1;
      } else refused[status] = (refused[status] ?? 0) + 1;
    },
  };
}

/**
 * Runs one measurement. In an open stream a request's time begins when it was due, not when a connection was free for
 * it: whoever waits in the queue waits.
 */
export async function measure(job: Job): Promise<Outcome> {
  const { port, connections, seconds, rate, requests } = job;
  const nextRequest = createRequests(job);
  const random = createRandom(7);
  const begin = performance.now() + OPENING_MS;
  let end = begin + seconds * 1_000;
  const record = createRecord(() => end);
  const sentAt = new Map<Connection, number>();
  /** In the order in which they became so: each is used in turn, or servers would close those that are left over. */
  const idle: Connection[] = [];
  const queue: number[] = [];
  const broken: Error[] = [];
  let underWay = 0;

  function send(connection: Connection, dueAt: number): void {
    sentAt.set(connection, dueAt);
    underWay += 1;
    connection.send(nextRequest());
  }

  const opened = await Promise.all(
    Array.from({ length: connections }, () =>
      openConnection({
        port,
        broken: (error) => {
          if (performance.now() < end) broken.push(error);
        },
        arrived: (arrival, connection) => {
          const now = performance.now();
          underWay -= 1;
          record.note(sentAt.get(connection) ?? now, now, arrival);
          // One that is refused would be asked for ever.
          if (requests !== null && (record.answered() >= requests || arrival.status !== 200)) end = Math.min(end, now);
          if (now >= end) return;
          const due = rate === null ? now : queue.shift();
          if (due === undefined) idle.push(connection);
          else send(connection, due);
        },
      }),
    ),
  );

  await wait(begin - performance.now());
  const cpu = process.cpuUsage();
  const cpuSince = performance.now();

  if (rate === null) for (const connection of opened) send(connection, performance.now());
  else idle.push(...opened);

  await new Promise<void>((resolve) => {
    let due = performance.now();
    const turn = () => {
      const now = performance.now();
      while (rate !== null && due <= now && due < end) {
        const connection = idle.shift();
        if (connection === undefined) queue.push(due);
        else send(connection, due);
        due += (-Math.log(1 - random()) / rate) * 1_000;
      }
      const over = now >= end && (underWay === 0 || now > end + GRACE_MS);
      if (over || broken.length > 0) resolve();
      else if (rate !== null && now < end) setImmediate(turn);
      else setTimeout(turn, 5);
    };
    turn();
  });
  // A request that still waits has waited at least that long; leaving them out would flatter a server that is too slow.
  for (const due of queue) record.latencies.push(end - due);
  const used = process.cpuUsage(cpu);
  const elapsed = performance.now() - cpuSince;
  for (const connection of opened) connection.close();
  const [failure] = broken;
  if (failure !== undefined) throw failure;
  const { latencies, refused } = record;
  const answered = record.answered();
  if (requests !== null && answered < requests) {
    throw new Error(`only ${answered} of ${requests} requests were answered; refused: ${JSON.stringify(refused)}`);
  }
  latencies.sort((a, b) => a - b);
  return {
    perSecond: answered / seconds,
    answered,
    refused,
    meanLength: record.bytes() / answered,
    p50: quantile(latencies, 0.5),
    p90: quantile(latencies, 0.9),
    p99: quantile(latencies, 0.99),
    p999: quantile(latencies, 0.999),
    worst: latencies.at(-1) ?? Number.NaN,
    ownCpu: (used.user + used.system) / 1_000 / elapsed,
  };
}
