import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { hostileJson } from './hostile.ts';

/** One delivery to a webhook. */
export interface Delivery {
  readonly body: Uint8Array;
  /** The values of the signature's header, one line each. */
  readonly signatures: readonly string[];
}

type Change = (text: string) => string;

/** What may be done to a good signature; some of it leaves it good. */
const SIGNATURE_CHANGES: readonly ((signature: string) => string[])[] = [
  () => [],
  () => [''],
  (signature) => [signature, signature],
  (signature) => [`${signature},${signature}`],
  (signature) => [signature.slice(0, -1)],
  (signature) => [`${signature}0`],
  (signature) => [signature.toUpperCase()],
  (signature) => [signature.replace(/^sha256=/, '')],
  (signature) => [`sha256=${signature}`],
  (signature) => [signature.replace(/^sha256=/, 'sha512=')],
  (signature) => [signature.replaceAll('+', '-').replaceAll('/', '_')],
  (signature) => [signature.replace(/=+$/, '')],
  (signature) => [`${signature}=`],
  (signature) => [`  ${signature}\t`],
  (signature) => [[...signature].reverse().join('')],
  (signature) => [Buffer.from(signature).toString('base64')],
  (signature) => ['0'.repeat(signature.length)],
  (signature) => ['true', signature],
  () => ['null'],
  () => ['[object Object]'],
];

const TEXT_CHANGES: readonly Change[] = [
  (text) => `${text} `,
  (text) => ` ${text}`,
  (text) => `${text}\n`,
  (text) => `\ufeff${text}`,
  (text) => JSON.stringify(JSON.parse(text), null, 1),
  (text) => text.replace('claims', 'claim my rewards'),
  (text) => text.replace(/"fid":[0-9]+/, '"fid":1'),
  (text) => text.replace(/"author_id":"[0-9]+"/, '"author_id":"1"'),
  (text) => text.replace('{', '{"data":{},'),
  (text) => `[${text}]`,
  (text) => text.replaceAll('e', '\\u0065'),
  (text) => text.normalize('NFD').toUpperCase(),
];

const BYTE_CHANGES: readonly ((body: Uint8Array) => Uint8Array)[] = [
  (body) => gzipSync(body),
  (body) => Buffer.from(Buffer.from(body).toString('utf8'), 'utf16le'),
  (body) => Buffer.from(Buffer.from(body).toString('base64')),
  (body) => Buffer.concat([body, body]),
  (body) => body.subarray(0, Math.floor(body.length / 2)),
  () => new Uint8Array(),
];

/** The places of all values in some JSON, each as the names and indices that lead to it. */
function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, inner]) => places(inner, [...path, name]))];
}

/** The same JSON with other JSON, as text, in one place. */
function replaced(text: string, path: readonly string[], json: string): string {
  const mark = '\ue000';
  const put = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
    if (name === undefined || typeof value !== 'object' || value === null) return mark;
    const next = put(Reflect.get(value, name), rest);
    if (Array.isArray(value)) return value.map((item, index) => (String(index) === name ? next : item));
    return { ...value, [name]: next };
  };
  return JSON.stringify(put(JSON.parse(text), path)).replace(JSON.stringify(mark), () => json);
}

/** An event that is not one of the genuine ones: a post, or fields, that nobody signed. */
function inventions(bodies: readonly Buffer[]): fc.Arbitrary<Uint8Array> {
  const base = fc.constantFrom(...bodies.map((body) => body.toString('utf8')));
  const id = fc.tuple(fc.stringMatching(/^[0-9a-f]{40}$/), fc.bigInt({ min: 1n, max: 2n ** 62n }));
  const renamed = fc
    .tuple(base, id)
    .map(([text, [hash, number]]) =>
      text.replaceAll(/0x[0-9a-f]{40}/g, `0x${hash}`).replaceAll(/"[0-9]{18,19}"/g, `"${number}"`),
    );
  const odd = base.chain((text) =>
    fc
      .tuple(fc.constantFrom(...places(JSON.parse(text))), hostileJson)
      .map(([path, json]) => replaced(text, path, json)),
  );
  return fc.oneof(renamed, odd).map((text) => Buffer.from(text).subarray(0, 60_000));
}

function changedBodies(bodies: readonly Buffer[]): fc.Arbitrary<{ before: Uint8Array; after: Uint8Array }> {
  const body = fc.constantFrom(...bodies);
  const flipped = fc.tuple(body, fc.nat(), fc.integer({ min: 1, max: 255 })).map(([before, at, bits]) => {
    const after = Buffer.from(before);
    const index = at % after.length;
    after[index] = (after[index] ?? 0) ^ bits;
    return { before, after };
  });
  const cut = fc.tuple(body, fc.nat(), fc.integer({ min: 1, max: 5 })).map(([before, at, length]) => {
    const index = at % before.length;
    return { before, after: Buffer.concat([before.subarray(0, index), before.subarray(index + length)]) };
  });
  const said = fc
    .tuple(body, fc.constantFrom(...TEXT_CHANGES))
    .map(([before, change]) => ({ before, after: Buffer.from(change(before.toString('utf8'))) }));
  const encoded = fc
    .tuple(body, fc.constantFrom(...BYTE_CHANGES))
    .map(([before, change]) => ({ before, after: change(before) }));
  return fc.oneof(flipped, cut, said, encoded);
}

/**
 * Deliveries that may be good, but mostly are not: with a changed signature, changed after they were signed, invented,
 * signed with another key or for other bytes; and genuine ones over and over.
 */
export function hostileDeliveries(options: {
  bodies: readonly Buffer[];
  sign: (body: Uint8Array) => readonly string[];
}): fc.Arbitrary<Delivery> {
  const { bodies, sign } = options;
  const body = fc.constantFrom(...bodies);
  const signed = (content: Uint8Array) => fc.constantFrom(...sign(content));
  const genuine = body.chain((content) =>
    signed(content).map((signature) => ({ body: content, signatures: [signature] })),
  );
  const resigned = genuine.chain(({ body: content, signatures: [signature = ''] }) =>
    fc.constantFrom(...SIGNATURE_CHANGES).map((change) => ({ body: content, signatures: change(signature) })),
  );
  const oneOff = fc.tuple(genuine, fc.nat(), fc.stringMatching(/^[0-9a-f]$/)).map(([delivery, at, digit]) => {
    const [signature = ''] = delivery.signatures;
    const index = at % signature.length;
    return { ...delivery, signatures: [signature.slice(0, index) + digit + signature.slice(index + 1)] };
  });
  const changed = changedBodies(bodies).chain(({ before, after }) =>
    signed(before).map((signature) => ({ body: after, signatures: [signature] })),
  );
  const invented = fc
    .tuple(inventions(bodies), fc.constantFrom('', 'guess', 'sandbox-neynar-webhook-secret'), fc.boolean())
    .map(([content, key, hex]) => {
      const long = createHmac('sha512', key).update(content).digest('hex');
      const short = createHmac('sha256', key).update(content).digest('base64');
      return { body: content, signatures: [hex ? long : `sha256=${short}`] };
    });
  const borrowed = fc
    .tuple(genuine, inventions(bodies))
    .map(([{ signatures }, content]) => ({ body: content, signatures }));
  const oddButSigned = inventions(bodies).chain((content) =>
    signed(content).map((signature) => ({ body: content, signatures: [signature] })),
  );
  return fc.oneof(
    ...[genuine, oneOff, invented, borrowed, oddButSigned].map((arbitrary) => ({ weight: 1, arbitrary })),
    ...[resigned, changed].map((arbitrary) => ({ weight: 3, arbitrary })),
  );
}
