import { z } from 'zod';
import { DomainError } from './errors.ts';

type Output<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** What could be read of an object, and what was wrong with the rest, a sentence each. */
export interface Reading<Shape extends z.ZodRawShape> {
  readonly fields: Partial<Output<Shape>>;
  readonly problems: readonly string[];
}

/** Fails a request with all of its problems, if there are any. @throws DomainError `validation_failed` */
export function refuseProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new DomainError({ code: 'validation_failed', details: problems });
}

/**
 * A field's sentence begins with the field's name; this puts before it where the field is: `owners[0].platform must be …`.
 * Sentences about an item of a list begin with the verb.
 */
function locate({ path, message }: z.core.$ZodIssue, { where, name }: { where: string; name: string }): string {
  const prefix = where === '' ? '' : `${where}.`;
  const last = path.at(-1);
  if (last === undefined) return `${prefix}${message}`;
  const isItem = typeof last === 'number';
  const steps = (isItem ? path : path.slice(0, -1)).map((step) =>
    typeof step === 'number' ? `[${step}]` : `.${String(step)}`,
  );
  return `${prefix}${name}${steps.join('')}${isItem ? ' ' : '.'}${message}`;
}

/** Reads an object field by field, so that every problem is found and not only those of the first one. */
export function readFields<Shape extends z.ZodRawShape>(
  shape: Shape,
  body: unknown,
  options: { where?: string } = {},
): Reading<Shape> {
  const { where = '' } = options;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { fields: {}, problems: [where === '' ? 'The body must be a JSON object' : `${where} must be an object`] };
  }
  const problems: string[] = [];
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape)) {
    const value: unknown = Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
    const result = z.safeParse(field, value);
    if (result.success) fields[name] = result.data;
    else problems.push(...result.error.issues.map((issue) => locate(issue, { where, name })));
  }
  return { fields: fields as Partial<Output<Shape>>, problems }; // each was read by the schema of its name
}

/** The whole of a reading in which nothing was wrong. @throws DomainError `validation_failed` with every problem */
export function complete<Shape extends z.ZodRawShape>(
  reading: Reading<Shape>,
  more: readonly string[] = [],
): Output<Shape> {
  refuseProblems([...reading.problems, ...more]);
  return reading.fields as Output<Shape>; // without a problem, no field is missing
}
