import { z } from 'zod';
import { DomainError, invalidRequest } from './errors.ts';

/** The valid fields of an object, and a sentence for each problem with the others. */
export interface ParseResult<Fields> {
  readonly fields: Partial<Fields>;
  readonly problems: readonly string[];
}

/** @throws DomainError `validation_failed` with all problems, if there are any */
export function throwIfInvalid(problems: readonly string[]): void {
  if (problems.length > 0) throw new DomainError({ code: 'validation_failed', details: problems });
}

/** What is wrong with a request, and the field that it concerns, by its name in the API; null for none. */
export interface FieldProblem {
  readonly field: string | null;
  /** What the API tells: it begins with the name of the field, without a full stop. */
  readonly text: string;
}

/** The refusal `validation_failed` of a request whose fields are known. */
export class InvalidFields extends DomainError {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super({ code: 'validation_failed', details: problems.map(({ text }) => text) });
    this.problems = problems;
  }
}

/** These texts as problems of one field; null stands for no problem. */
export function problemsWith(field: string, ...texts: readonly (string | null)[]): FieldProblem[] {
  return texts.flatMap((text) => (text === null ? [] : [{ field, text }]));
}

/** @throws InvalidFields with all problems, if there are any */
export function refuseFields(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new InvalidFields(problems);
}

/** @throws InvalidFields with this problem of a field */
export function refuseField(field: string, text: string): never {
  throw new InvalidFields([{ field, text }]);
}

/**
 * A sentence with its field's path: messages begin with the field's name, which the path's parents precede
 * (`owners[0].platform must be …`); messages about a list item begin with the verb.
 */
function locate({ path, message }: z.core.$ZodIssue): string {
  const isItem = typeof path.at(-1) === 'number';
  const steps = (isItem ? path : path.slice(0, -1)).map((step) =>
    typeof step === 'number' ? `[${step}]` : `.${String(step)}`,
  );
  if (steps.length === 0) return message;
  return `${steps.join('').slice(1)}${isItem ? ' ' : '.'}${message}`;
}

/** Every problem that a schema found, a sentence each. */
export function problemsOf({ issues }: z.core.$ZodError): string[] {
  return issues.map(locate);
}

/** As {@link problemsOf}, each with its field. */
export function fieldProblemsOf({ issues }: z.core.$ZodError): FieldProblem[] {
  return issues.map((issue) => {
    const [field] = issue.path;
    return { field: typeof field === 'string' ? field : null, text: locate(issue) };
  });
}

/** Parses an object; if it is invalid, returns its well-formed fields and the problems. */
export function parse<Fields>(schema: z.ZodObject & z.ZodType<Fields>, body: unknown): ParseResult<Fields> {
  const result = schema.safeParse(body);
  if (result.success) return { fields: result.data, problems: [] };
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const isOwn = typeof body === 'object' && body !== null && Object.hasOwn(body, name);
    const read = z.safeParse(field, isOwn ? Reflect.get(body, name) : undefined);
    if (read.success) fields[name] = read.data;
  }
  // Each field was parsed by the schema of its name.
  return { fields: fields as Partial<Fields>, problems: problemsOf(result.error) };
}

/** Parses a value. @throws DomainError `invalid_request` with the first problem */
export function parseOrThrow<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw firstProblem(result.error);
}

/** The first problem that a schema found, as a DomainError. */
export function firstProblem({ issues }: z.core.$ZodError): DomainError {
  return invalidRequest(issues[0]?.message ?? 'The request is not valid');
}
