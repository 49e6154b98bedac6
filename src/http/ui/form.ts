import type { Context } from 'hono';
import { html } from 'hono/html';
import { invalidRequest } from '../../domain/errors.ts';
import { readBody } from '../middleware/body.ts';
import type { AppEnv } from '../middleware/context.ts';
import type { Markup } from './layout.ts';

/** The fields of a form. @throws HttpError when the body is too large or breaks off */
export async function readForm(c: Context<AppEnv>): Promise<URLSearchParams> {
  return new URLSearchParams(new TextDecoder().decode(await readBody(c)));
}

/** A list may have 64 kB, and stands in a body with the other fields and their frames: as it was written, and as it was read. */
const MAX_UPLOAD_BYTES = 160 * 1024;

const UTF_16: readonly (readonly [mark: number, encoding: string])[] = [
  [0xfffe, 'utf-16le'],
  [0xfeff, 'utf-16be'],
];

/** The text of a file as spreadsheets write it: UTF-16 by its byte order mark, UTF-8, or else Windows-1252. */
function decodeFile(bytes: Uint8Array): string {
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  const encoding = UTF_16.find(([known]) => known === mark)?.[1];
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

async function textOf(value: string | Blob): Promise<string> {
  return typeof value === 'string' ? value : decodeFile(new Uint8Array(await value.arrayBuffer()));
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

/** Redirects a browser after a form was processed. */
export function seeOther(c: Context<AppEnv>, location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { ...c.get('request').headers, ...headers, location, 'cache-control': 'no-store' },
  });
}

/** The form field that proves that the form came from a page of this session. */
export function renderFormToken({ formToken }: { readonly formToken: string }): Markup {
  return html`<input type="hidden" name="token" value="${formToken}">`;
}

/**
 * Whether a request comes from a page of this server. Browsers set `Sec-Fetch-Site`, which no page can forge, but not
 * on plain http; there `Origin` decides, which a proxy may leave at the public address. A request with neither is not
 * from a browser's form.
 */
export function isSameOrigin(c: Context<AppEnv>, { publicUrl }: { publicUrl: string }): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = c.req.header('origin');
  return origin === new URL(c.req.url).origin || origin === new URL(publicUrl).origin;
}
