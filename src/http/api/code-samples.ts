type Json = Record<string, unknown>;

interface Parameter {
  readonly name: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Json;
}

/** What of an operation its sample shows. */
export interface Sampled {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: unknown }> };
}

/** The key that `npm run sandbox` makes, which no other service takes. */
const SANDBOX_KEY = 'gck_Z2lnY2xhaW0tc2FuZGJveC1naWdjbGFpbS1zYW5kYm8';

/** What the sandbox has where the examples name something else: its chain and token, and a gig in the state that is needed. */
const IN_SANDBOX: Readonly<Record<string, { readonly id?: number; readonly body?: Json }>> = {
  createGig: { body: { chain: 'anvil', token_address: '0xb19b36b1456E65E3A6D514D3F715f204BD59f431' } },
  changeGig: { id: 3 },
  cancelGig: { id: 4 },
  startGig: { body: { gig_id: 5 } },
  settleGig: { id: 6 },
  stopGig: { id: 7 },
  checkCompleted: { body: { gigId: 1 } },
};

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function exampleOf({ schema = {} }: Parameter): string {
  return String(schema['example']);
}

function targetOf(path: string, { operationId, parameters = [] }: Sampled): string {
  const { id } = IN_SANDBOX[operationId] ?? {};
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, String(id ?? exampleOf(parameter))), path);
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true);
  const pairs = query.map((parameter): [string, string] => [parameter.name, exampleOf(parameter)]);
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`;
}

/**
 * The operation as a `curl` command that runs as it stands: against the sandbox with the sandbox's key, unless the shell's
 * variable `KEY` has another one.
 */
export function curlSample(
  { url, path, method }: { readonly url: string; readonly path: string; readonly method: string },
  operation: Sampled,
  exampleBody: (schema: unknown) => unknown,
): string {
  const { operationId, security = [], parameters = [], requestBody } = operation;
  const schema = requestBody?.content['application/json']?.schema;
  const key = parameters.find(({ name }) => name === 'Idempotency-Key');
  const body = schema === undefined ? null : { ...(exampleBody(schema) as Json), ...IN_SANDBOX[operationId]?.body };
  const verb = method === 'get' ? '' : `-X ${method.toUpperCase()} `;
  return [
    `curl ${verb}${quote(url + targetOf(path, operation))}`,
    ...(security.length > 0 ? [`-H "x-api-key: \${KEY:-${SANDBOX_KEY}}"`] : []),
    ...(key === undefined ? [] : [`-H ${quote(`idempotency-key: ${exampleOf(key)}`)}`]),
    ...(body === null ? [] : ["-H 'content-type: application/json'", `-d ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}
