import fc from 'fast-check';
import { type Body, bodyOf, type Known } from './bodies.ts';
import { headers } from './headers.ts';
import type { OpenApi, Operation } from './oracle.ts';
import { isTarget, pathOf, queryOf, readings } from './targets.ts';

/** One request, ready to be written to a socket. */
export interface HostileRequest {
  readonly method: string;
  /** The target without its query, in each form that it may be read in. */
  readonly paths: readonly string[];
  readonly bytes: Uint8Array;
  /** Whether HTTP itself is kept to. */
  readonly proper: boolean;
  /** Whether the sender must say that nothing follows, because the server waits for more. */
  readonly half: boolean;
}

/** What requests are made of. */
export interface RequestContext {
  readonly document: OpenApi;
  /** Values with which a request gets somewhere. */
  readonly known: Known;
  readonly apiKey: string;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY', 'M-SEARCH', 'PURGE'];
const IMPROPER_METHODS = ['get', 'FOO', 'CONNECT', 'TRACE', 'G\u0000T', '', 'GET GET'];

/** How a body is framed; `half` when it promises more than comes. */
function framings(
  body: Uint8Array,
): { weight: number; lines: string[]; content: Uint8Array; proper: boolean; half: boolean }[] {
  const text = Buffer.from(body);
  const chunk = (part: Uint8Array) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)};ext=1\r\n`), part, Buffer.from('\r\n')]);
  const end = Buffer.from('0\r\nX-Trailer: 1\r\n\r\n');
  const middle = Math.floor(text.length / 2);
  const pieces = [text.subarray(0, middle), text.subarray(middle)].filter((part) => part.length > 0).map(chunk);
  const lengthOf = (length: number) => [`Content-Length: ${length}`];
  const good = { proper: true, half: false };
  const bad = { proper: false, half: true };
  return [
    { weight: 20, lines: lengthOf(text.length), content: text, ...good },
    { weight: 4, lines: ['Transfer-Encoding: chunked'], content: Buffer.concat([...pieces, end]), ...good },
    { weight: 1, lines: ['Transfer-Encoding: chunked'], content: Buffer.concat(pieces), ...bad },
    { weight: 1, lines: ['Transfer-Encoding: chunked'], content: Buffer.from('zz\r\nabc\r\n0\r\n\r\n'), ...bad },
    { weight: 1, lines: lengthOf(text.length + 10), content: text, ...bad },
    { weight: 1, lines: lengthOf(middle), content: text, ...bad },
    { weight: 1, lines: ['Content-Length: 1e2'], content: text, ...bad },
  ];
}

function framed(body: fc.Arbitrary<Body>) {
  return body.chain((made) =>
    fc
      .oneof(...framings(made.bytes).map(({ weight, ...framing }) => ({ weight, arbitrary: fc.constant(framing) })))
      .map((framing) => ({ ...framing, lines: [...made.headers, ...framing.lines] })),
  );
}

const UNFRAMED = fc.constant({ lines: [] as string[], content: new Uint8Array(), proper: true, half: false });

/** Less than what the parser takes, which counts a little differently. */
const MAX_HEAD = 15_000;

function requestTo(operation: Operation, context: RequestContext): fc.Arbitrary<HostileRequest> {
  const method = fc.oneof(
    { weight: 25, arbitrary: fc.constant(operation.method) },
    { weight: 3, arbitrary: fc.constantFrom(...METHODS) },
    { weight: 1, arbitrary: fc.constantFrom(...IMPROPER_METHODS) },
  );
  const content = operation.body === null ? UNFRAMED : framed(bodyOf(operation.body, context));
  const other = framed(fc.constant({ bytes: Buffer.from('{"a":1}'), headers: [] }));
  const sent = fc.oneof(
    { weight: 12, arbitrary: content },
    { weight: 1, arbitrary: other },
    { weight: 1, arbitrary: UNFRAMED },
  );
  const absolute = fc.constantFrom(
    ...Array.from({ length: 30 }, () => ''),
    'http://evil.example',
    'ftp://x',
    'gigclaim.test:443',
  );
  return fc
    .tuple(method, absolute, pathOf(operation), queryOf(operation), headers(context), sent)
    .map(([verb, origin, path, query, head, { lines, content: body, proper: bodyIsProper, half }]) => {
      const target = `${origin}${path}${query}`;
      const top = [`${verb} ${target} HTTP/1.1`, ...head.lines, ...lines, 'Connection: close', '', ''].join('\r\n');
      const keepsToHttp =
        top.length < MAX_HEAD &&
        head.proper &&
        bodyIsProper &&
        METHODS.includes(verb) &&
        origin === '' &&
        isTarget(target);
      return {
        method: verb,
        paths: readings(target),
        bytes: Buffer.concat([Buffer.from(top, 'latin1'), body]),
        proper: keepsToHttp,
        half: half || !keepsToHttp,
      };
    });
}

/** Requests to every operation of the document, each as likely as any other. */
export function hostileRequests(context: RequestContext): fc.Arbitrary<HostileRequest> {
  return fc.oneof(...context.document.operations.map((operation) => requestTo(operation, context)));
}
