import type { Context } from 'hono';
import { invalidRequest } from '../../domain/errors.ts';
import { readBody } from '../middleware/body.ts';
import type { AppEnv } from '../middleware/context.ts';

/** A list may have 64 kB, and stands in a body with the other fields and their frames. */
const MAX_UPLOAD_BYTES = 80 * 1024;

/** A file without a byte order mark, as UTF-8; what is none shows as `�`, which its reader refuses. */
async function textOf(value: string | Blob): Promise<string> {
  return typeof value === 'string' ? value : new TextDecoder().decode(await value.arrayBuffer());
}

/**
 * The fields of a form with a file (`multipart/form-data`): of a file its content.
 * @throws DomainError `invalid_request` when it is another form; HttpError when the body is too large or breaks off
 */
export async function readUpload(c: Context<AppEnv>): Promise<URLSearchParams> {
  const body = await readBody(c, MAX_UPLOAD_BYTES);
  let sent: FormData;
  try {
    const headers = { 'content-type': c.req.header('content-type') ?? '' };
    sent = await new Response(new Uint8Array(body), { headers }).formData();
  } catch {
    throw invalidRequest('The form could not be read: send it from its page.');
  }
  const fields = new URLSearchParams();
  for (const [name, value] of sent) fields.append(name, await textOf(value));
  return fields;
}
