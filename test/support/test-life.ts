import { onTestFinished } from 'vitest';
import { type Running, run } from './process.ts';
import { temporaryFolder } from './store.ts';

/** A new folder for as long as the test runs. */
export function folderOfTest(): string {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  return path;
}

/** As {@link run}, for as long as the test runs: what has not ended by itself is killed. */
export function launch(...asked: Parameters<typeof run>): Running {
  const running = run(...asked);
  onTestFinished(async () => {
    running.child.kill('SIGKILL');
    await running.ended;
  });
  return running;
}
