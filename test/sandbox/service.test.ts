import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { MEMORY, NODE_FLAGS } from '../../sandbox/service.ts';

test("behavior: the sandbox's service has the flags and variables of npm start", () => {
  const variables = Object.entries(MEMORY).map(([name, value]) => `${name}=${value}`);
  expect(manifest.scripts.start).toBe(
    `node scripts/bundle.ts && ${variables.join(' ')} exec node ${NODE_FLAGS.join(' ')} dist/main.js`,
  );
});
