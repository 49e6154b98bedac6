import { isMainThread } from 'node:worker_threads';

// Node loads this before the sandbox's service, which takes its clock from `Date.now` and has no way to move it itself. It is
// JavaScript, because what strips types would stay in the service's memory.
const system = Date.now;
const passed = performance.now.bind(performance);
let aheadMs = Number(new URL(import.meta.url).searchParams.get('ahead') ?? '0');

if (isMainThread) {
  Date.now = () => system() + aheadMs;
  // Time that is moved on purpose has passed: to the service it is no jump of its clock.
  performance.now = () => passed() + aheadMs;
  process.on('message', (told) => {
    aheadMs = told.aheadMs;
    process.send?.(told);
  });
  // The channel alone must not keep the process alive.
  process.channel?.unref();
}
