import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../src/node-flags.ts';

test("behavior: the sandbox's service has the flags and variables of npm start", () => {
  const variables = Object.entries(NODE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
  expect(manifest.scripts.start).toBe(
    `node scripts/bundle.ts && ${variables.join(' ')} exec node ${NODE_FLAGS.join(' ')} dist/main.js`,
  );
});
