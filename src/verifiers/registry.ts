import { readAnswer } from '../domain/earning/payouts/decisions.ts';
import { questionJson, type VerifierConfig, type Verifiers, verifierUrl } from '../domain/earning/payouts/verifier.ts';
import type { AdapterError, AdapterReason } from '../domain/errors.ts';
import { parseExactJson } from '../domain/exact-json.ts';
import { machineTime, postFailure, requestOnce } from '../outbound.ts';
import { readSigningKey, type SigningKey } from './signing-key.ts';

/** For a whole answer. */
const ANSWER_MS = 10_000;
/** More than 50 decisions with the longest reasons need. */
const MAX_ANSWER_BYTES = 512 * 1024;

const WHO = 'the verifier';

function failed(reason: AdapterReason, message: string): AdapterError {
  return postFailure(WHO, reason, message);
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text).value;
  } catch {
    throw failed('bad_response', 'answered no JSON');
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

/**
 * The verifiers under the configured origins; without any, every bounty is decided by hand.
 * @param options.signedAt the time of signatures, epoch milliseconds; the machine's when absent
 */
export function createVerifiers(
  config: VerifierConfig | null,
  {
    signedAt = machineTime,
    timeoutMs = ANSWER_MS,
  }: { readonly signedAt?: (() => number) | undefined; readonly timeoutMs?: number },
): OpenVerifiers {
  const key = config === null ? null : readSigningKey(config.signingKey);
  const urlOf = (verifier: string | null) => verifierUrl(verifier, config?.origins ?? []);
  return {
    publicKey: key?.publicKey ?? null,
    urlOf,
    async ask(url, question) {
      if (key === null || urlOf(url) === null) throw failed('forbidden', 'is under no origin of VERIFIER_ORIGINS');
      const body = JSON.stringify(questionJson(question));
      const seconds = Math.floor(signedAt() / 1_000);
      const headers = headersOf(key, { id: question.batchId, seconds, body });
      const request = { who: WHO, headers, body, timeoutMs, maxBytes: MAX_ANSWER_BYTES };
      const { text } = await requestOnce(url, request, (status) => status === 200);
      const answer = readAnswer(parse(text));
      if ('problem' in answer) throw failed('bad_response', `answered what cannot be used: ${answer.problem}`);
      return answer.decisions;
    },
  };
}
