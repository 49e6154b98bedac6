import { readAnswer } from '../domain/earning/decisions.ts';
import { questionJson, type Verifiers, verifierUrl } from '../domain/earning/verifier.ts';
import { AdapterError, type AdapterReason } from '../domain/errors.ts';
import type { VerifierConfig } from '../domain/platform-config.ts';
import { limitTime } from '../time-limit.ts';
import { readSigningKey, type SigningKey } from './signing-key.ts';

/** For a whole answer. */
const ANSWER_MS = 10_000;
/** More than 50 decisions with the longest reasons need. */
const MAX_ANSWER_BYTES = 512 * 1024;

function failed(reason: AdapterReason, message: string, cause?: unknown): AdapterError {
  return new AdapterError({ retry: 'safe', reason, message: `the verifier ${message}`, cause });
}

/** The text of an answer, of which no more is read than allowed. */
async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw failed('bad_response', 'answered too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw failed('bad_response', 'answered no JSON');
  }
}

/** Posts a signed body. @returns the text of a 200 */
async function post(url: string, init: RequestInit, timeoutMs: number): Promise<string> {
  using limit = limitTime(timeoutMs);
  try {
    // A redirect could lead to an origin that nobody allowed.
    const response = await fetch(url, { ...init, method: 'POST', redirect: 'manual', signal: limit.signal });
    if (response.status === 200) return await readBody(response);
    await response.body?.cancel();
    throw failed('server_error', `answered with status ${response.status}`);
  } catch (cause) {
    if (cause instanceof AdapterError) throw cause;
    if (limit.signal.aborted) throw failed('timeout', `did not answer within ${timeoutMs} ms`);
    throw failed('unreachable', 'cannot be reached', cause);
  }
}

function headersOf(key: SigningKey, { id, seconds, body }: { id: string; seconds: number; body: string }) {
  return {
    'content-type': 'application/json',
    'user-agent': 'gigclaim',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': key.sign({ id, seconds, body }),
  };
}

/** The verifiers that may be asked, and the public key by which they know who asks. */
export interface OpenVerifiers extends Verifiers {
  /** Null when none is configured. */
  readonly publicKey: string | null;
}

/** The verifiers under the configured origins; without any, every bounty is decided by hand. */
export function createVerifiers(
  config: VerifierConfig | null,
  { clock, timeoutMs = ANSWER_MS }: { readonly clock: () => number; readonly timeoutMs?: number },
): OpenVerifiers {
  const key = config === null ? null : readSigningKey(config.signingKey);
  const urlOf = (verifier: string | null) => verifierUrl(verifier, config?.origins ?? []);
  return {
    publicKey: key?.publicKey ?? null,
    urlOf,
    async ask(url, question) {
      if (key === null || urlOf(url) === null) throw failed('forbidden', 'is under no origin of VERIFIER_ORIGINS');
      const body = JSON.stringify(questionJson(question));
      const seconds = Math.floor(clock() / 1_000);
      const headers = headersOf(key, { id: question.batchId, seconds, body });
      const answer = readAnswer(parse(await post(url, { headers, body }, timeoutMs)));
      if ('problem' in answer) throw failed('bad_response', `answered what cannot be used: ${answer.problem}`);
      return answer.decisions;
    },
  };
}
