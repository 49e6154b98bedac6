import type { Hono } from 'hono';
import { expect } from 'vitest';
import { OPERATIONS } from '../../src/http/api/operations.ts';

type Responses = Record<string, { readonly description?: string }>;
type Paths = Record<string, Record<string, { readonly responses: Responses }>>;

let paths: Paths | undefined;

/** A pattern for the paths of an operation, whose parameters are written as Hono reads them. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+(?:\{([^}]*)\})?/g, (_, form: string | undefined) => form ?? '[^/]+')}$`);
}

const ROUTES = OPERATIONS.map(({ method, path }) => ({
  method,
  pattern: patternOf(path),
  name: path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}'),
}));

/** Fails for an error of an operation whose code the document does not name beside its status. */
export async function holdCode(app: Hono, method: string, path: string, response: Response): Promise<void> {
  if (response.status < 400) return;
  const [pathname = ''] = path.split('?');
  const route = ROUTES.find((each) => each.method === method.toLowerCase() && each.pattern.test(pathname));
  if (route === undefined) return;
  const { code } = (await response.clone().json()) as { code: string };
  // Of the whole service, such as one whose database was moved.
  if (code === 'unavailable') return;
  // The same for every app of a run.
  paths ??= ((await (await app.request('/api/openapi.json')).json()) as { paths: Paths }).paths;
  const described = paths[route.name]?.[route.method]?.responses[response.status]?.description ?? '';
  expect(described, `${method} ${route.name} answers ${response.status} ${code}: name it in its refuses`).toContain(
    `\`${code}\``,
  );
}
