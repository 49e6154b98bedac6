import { z } from 'zod';
import { DomainError } from './errors.ts';

/** What could be read of an object, and what is wrong with the rest, a sentence each. */
export interface ParseResult<Fields> {
  readonly fields: Partial<Fields>;
  readonly problems: readonly string[];
}

/** Fails a request with all of its problems, if there are any. @throws DomainError `validation_failed` */
export function throwIfInvalid(problems: readonly string[]): void {
  if (problems.length > 0) throw new DomainError({ code: 'validation_failed', details: problems });
}

/**
 * A field's sentence begins with the field's name; this puts before it where the field is: `owners[0].platform must be …`.
 * Sentences about an item of a list begin with the verb.
 */
function locate({ path, message }: z.core.$ZodIssue): string {
  const isItem = typeof path.at(-1) === 'number';
  const steps = (isItem ? path : path.slice(0, -1)).map((step) =>
    typeof step === 'number' ? `[${step}]` : `.${String(step)}`,
  );
  if (steps.length === 0) return message;
  return `${steps.join('').slice(1)}${isItem ? ' ' : '.'}${message}`;
}

/** Everything that a schema found wrong, a sentence each. */
export function problemsOf({ issues }: z.core.$ZodError): string[] {
  return issues.map(locate);
}

/** Reads an object and, when something is wrong with it, each of its fields that is well-formed. */
export function parse<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  body: unknown,
): ParseResult<z.output<z.ZodObject<Shape>>> {
  const result = schema.safeParse(body);
  if (result.success) return { fields: result.data, problems: [] };
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const isOwn = typeof body === 'object' && body !== null && Object.hasOwn(body, name);
    const read = z.safeParse(field, isOwn ? Reflect.get(body, name) : undefined);
    if (read.success) fields[name] = read.data;
  }
  // Each was read by the schema of its name.
  return { fields: fields as Partial<z.output<z.ZodObject<Shape>>>, problems: problemsOf(result.error) };
}

/** What a schema reads. @throws DomainError `invalid_request` with the first problem */
export function parseOrThrow<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw firstProblem(result.error);
}

/** The first thing that a schema found wrong, for answers that are one sentence. */
export function firstProblem({ issues }: z.core.$ZodError): DomainError {
  return new DomainError({ code: 'invalid_request', message: issues[0]?.message ?? 'The request is not valid' });
}
