import { expect, test } from 'vitest';
import { pathExpression } from '../../../src/http/middleware/cors.ts';

test.each([
  ['/api/claim', '/api/claim', true],
  ['/api/claim', '/api/claim/', false],
  ['/api/claim', '/x/api/claim', false],
  ['/api/openapi.json', '/api/openapixjson', false],
  ['/api/gigs/:id{[0-9]+}/draw', '/api/gigs/12/draw', true],
  ['/api/gigs/:id{[0-9]+}/draw', '/api/gigs/types/draw', false],
  ['/api/gigs/:id', '/api/gigs/types', true],
  ['/api/gigs/:id', '/api/gigs/1/draw', false],
] as const)('security: of the open path %s the path %s is one: %s', (open, path, isOpen) => {
  expect(pathExpression([open, '/health']).test(path)).toBe(isOpen);
});
