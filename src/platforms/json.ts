import { AdapterError } from '../domain/errors.ts';

/**
 * The JSON value in a webhook's body.
 * @throws AdapterError `bad_response` when it is not JSON
 */
export function parseJson(rawBody: Uint8Array): unknown {
  try {
    const { buffer, byteOffset, byteLength } = rawBody;
    return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
  } catch (cause) {
    throw new AdapterError({ reason: 'bad_response', retry: 'never', message: 'The body is not JSON', cause });
  }
}
