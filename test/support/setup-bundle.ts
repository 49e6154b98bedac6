import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BUNDLER = fileURLToPath(new URL('../../scripts/bundle.ts', import.meta.url));

/** Bundles the service into `dist`, for the tests that run it as `npm start` does. */
export function setup(): void {
  execFileSync(process.execPath, [BUNDLER], { stdio: ['ignore', 'inherit', 'inherit'] });
}
