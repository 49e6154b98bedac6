import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { problemsOf } from '../support/config.ts';

describe('the operator’s port', () => {
  test('behavior: is none unless it is set, and any free one for 0', () => {
    expect(loadConfig({}).adminPort).toBeNull();
    expect(loadConfig({ ADMIN_PORT: '9090' }).adminPort).toBe(9090);
    expect(loadConfig({ ADMIN_PORT: '0', PORT: '0' }).adminPort).toBe(0);
  });

  test.each([
    [{ ADMIN_PORT: '3000' }, 'ADMIN_PORT must be another port than PORT'],
    [{ ADMIN_PORT: '8080', PORT: '8080' }, 'ADMIN_PORT must be another port than PORT'],
    [{ ADMIN_PORT: 'admin' }, 'ADMIN_PORT must be a whole number from 0 to 65535'],
    [{ MAX_CONNECTIONS: '0' }, 'MAX_CONNECTIONS must be a whole number from 10 to 1000000'],
  ])('error: %j is refused by name', (env, problem) => {
    expect(problemsOf(env)).toEqual([problem]);
  });
});
