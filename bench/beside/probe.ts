import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';
import { turnsOf } from './turns.ts';

// Loaded into a service that is measured. What the main thread has used of its processor between two looks is one turn of the event
// loop, or several short ones: a look waits for the end of a turn. Whatever else the machine does is not in it.

const LOOK_MS = 1;

function startProbe(port: number): void {
  let turns: number[] = [];
  let before = process.threadCpuUsage();
  const look = () => {
    const now = process.threadCpuUsage();
    turns.push(now.user + now.system - before.user - before.system);
    before = now;
  };
  setInterval(look, LOOK_MS).unref();
  createServer((_request, response) => {
    look();
    response.end(JSON.stringify(turnsOf(turns, LOOK_MS * 1_000)));
    turns = [];
    before = process.threadCpuUsage();
  })
    .listen(port, '127.0.0.1')
    .unref();
}

const port = Number(process.env['BENCH_PROBE_PORT']);
if (isMainThread && port > 0) startProbe(port);
