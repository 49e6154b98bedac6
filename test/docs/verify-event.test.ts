import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createEndpointSecrets } from '../../src/endpoints/secrets.ts';
import { newSigningKey } from '../services/events/world.ts';

const TEXT = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const BODY = '{"id":"evt_1","type":"gig.ended"}';

interface Documented {
  isSigned(body: string, headers: Readonly<Record<string, string>>, secret: string): boolean;
}

/** The lines of the document as a module. */
async function documented(): Promise<Documented> {
  const [, code = ''] = /```js\n(import \{ createHmac[\s\S]*?)```/.exec(TEXT) ?? [];
  return await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`);
}

describe('the lines that verify an event', () => {
  const secrets = createEndpointSecrets(newSigningKey());
  const secret = secrets.secretOf('salt');
  const seconds = Math.floor(Date.now() / 1_000);
  const headersAt = (time: number) => secrets.headersOf({ id: 'evt_1', seconds: time, body: BODY }, ['older', 'salt']);

  test('behavior: accept a body as the service signs it, also beside an older secret', async () => {
    const { isSigned } = await documented();
    expect(isSigned(BODY, headersAt(seconds), secret)).toBe(true);
  });

  test('security: refuse another body, another secret and an old request', async () => {
    const { isSigned } = await documented();
    expect(isSigned(`${BODY} `, headersAt(seconds), secret)).toBe(false);
    expect(isSigned(BODY, headersAt(seconds), secrets.secretOf('another'))).toBe(false);
    expect(isSigned(BODY, headersAt(seconds - 600), secret)).toBe(false);
    for (const name of Object.keys(headersAt(seconds))) {
      const { [name]: _, ...others } = headersAt(seconds);
      expect([name, isSigned(BODY, others, secret)]).toEqual([name, !name.startsWith('webhook-')]);
    }
  });
});
