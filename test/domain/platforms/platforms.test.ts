import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { webhookPath } from '../../../src/domain/platforms/platforms.ts';

test('behavior: the path of a webhook is made in one place', () => {
  expect(webhookPath('twitter')).toBe('/webhooks/twitter');
  const makers = globSync('src/**/*.ts').filter((path) => /`[^`]*\/webhooks\/\$\{/.test(readFileSync(path, 'utf8')));
  expect(makers).toEqual(['src/domain/platforms/platforms.ts']);
});
