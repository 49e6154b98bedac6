import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { problemsOf } from '../support/config.ts';

describe('MCP_ORIGINS', () => {
  test('behavior: has the origins of pages, in their canonical form', () => {
    const { mcpOrigins } = loadConfig({ MCP_ORIGINS: 'https://Agent.example, http://localhost:6274' });
    expect(mcpOrigins).toEqual(['https://agent.example', 'http://localhost:6274']);
  });

  test.each(['*', 'null', 'http://agent.example', 'https://agent.example/mcp', 'https://user@agent.example'])(
    'security: %s is refused by name',
    (origin) => {
      expect(problemsOf({ MCP_ORIGINS: origin })).toEqual([
        'MCP_ORIGINS must be origins such as https://verifier.example, comma-separated; http is for localhost only',
      ]);
    },
  );
});
