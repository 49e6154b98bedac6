import { type Hook, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { firstProblem, parse, problemsOf, throwIfInvalid } from '../../domain/validation.ts';
import type { AppEnv } from '../middleware/context.ts';

/** An object whose fields come from a JSON body. */
export function bodyOf<Shape extends z.ZodRawShape>(shape: Shape, message = 'The body must be a JSON object') {
  return z.object(shape, message);
}

type Validated = Parameters<Hook<unknown, AppEnv, string, void>>[0];

/** Refuses invalid input: a body with all its problems, other input with one sentence. */
export function refuseInvalid(result: Validated): undefined {
  if (result.success) return;
  if (result.target === 'json') throwIfInvalid(problemsOf(result.error));
  throw firstProblem(result.error);
}

/** Refuses invalid input with one sentence. */
export function refuseInOneSentence(result: Validated): undefined {
  if (!result.success) throw firstProblem(result.error);
}

function isObjectSchema<Fields>(schema: z.ZodType<Fields>): schema is z.ZodType<Fields> & z.ZodObject {
  return schema instanceof z.ZodObject;
}

/**
 * Refuses a body with its own problems and those that `findMore` finds in its well-formed fields, all at once. Errors
 * thrown by `findMore` come first.
 */
export function refuseAlsoFor<Fields>(
  schema: z.ZodType<Fields>,
  findMore: (
    fields: Partial<Fields>,
    body: unknown,
    c: Context<AppEnv>,
  ) => readonly string[] | Promise<readonly string[]>,
) {
  async function refuse(result: Validated, c: Context<AppEnv>): Promise<undefined> {
    if (result.target !== 'json') return refuseInvalid(result);
    const body: unknown = await c.req.json();
    // The schema of the route's body is this one.
    const whole = { fields: result.success ? (result.data as Partial<Fields>) : {}, problems: [] };
    const { fields, problems } = result.success || !isObjectSchema(schema) ? whole : parse(schema, body);
    throwIfInvalid([...problems, ...(await findMore(fields, body, c))]);
  }
  // The library awaits the hook and continues when it returns nothing, but its types allow that only for sync hooks.
  return (result: Validated, c: Context<AppEnv>) => refuse(result, c) as Promise<never>;
}
