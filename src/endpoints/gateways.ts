import { z } from 'zod';
import { AdapterError } from '../domain/errors.ts';
import type { AskGateway, GatewayQuestion } from '../domain/names/names.ts';
import { type OutboundRequest, postFailure, requestOnce } from '../outbound.ts';
import { createEndpointFetch, type LookUp } from './connections.ts';
import { urlProblem } from './url-problem.ts';

const WHO = 'the server of a name';
const TIMEOUT_MS = 4_000;
/** Proofs of other chains are far shorter. */
const MAX_BYTES = 256 * 1024;
const MAX_URL = 8_000;
const MAX_DATA = 64 * 1024;
const MOST_URLS = 3;

const answerSchema = z.object({ data: z.string().regex(/^0x(?:[0-9a-f]{2})*$/i) });

export interface GatewayOptions {
  /** Whether servers may be http, and at addresses that are not public. */
  readonly allowPrivate: boolean;
  readonly timeoutMs?: number | undefined;
  readonly lookUp?: LookUp | undefined;
}

/** The question by a URL of EIP-3668: a GET where it has a place for the data, else a POST. */
function requestOf(template: string, { sender, data }: GatewayQuestion): { url: string; body?: string } {
  const isGet = template.includes('{data}');
  const url = template.replace('{sender}', sender.toLowerCase()).replace('{data}', data);
  return isGet ? { url } : { url, body: JSON.stringify({ data, sender }) };
}

function readAnswer(text: string): `0x${string}` {
  try {
    const { data } = answerSchema.parse(JSON.parse(text));
    return `0x${data.slice(2)}`;
  } catch (cause) {
    throw postFailure(WHO, 'bad_response', 'gave no valid answer', cause);
  }
}

const isSuccess = (status: number) => status >= 200 && status <= 299;

/** Asks servers that a contract names, in turn, each once, as receivers of webhooks are asked: at public addresses, following no redirect. */
export function createGateways({ allowPrivate, timeoutMs = TIMEOUT_MS, lookUp }: GatewayOptions): AskGateway {
  // Names choose their servers: as many as there are names could have connections stay open.
  const fetch = createEndpointFetch({ allowPrivate, isKept: false, ...(lookUp && { lookUp }) });

  async function ask(template: string, question: GatewayQuestion, stop: AbortSignal): Promise<`0x${string}`> {
    const { url, body } = requestOf(template, question);
    const isLong = url.length > MAX_URL || question.data.length > MAX_DATA;
    const problem = isLong ? 'is asked too much' : urlProblem(url, allowPrivate);
    if (problem !== null) throw postFailure(WHO, 'forbidden', problem);
    const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) };
    const request: OutboundRequest = { who: WHO, headers, timeoutMs, stop, fetch, ...(body !== undefined && { body }) };
    return readAnswer((await requestOnce(url, { ...request, maxBytes: MAX_BYTES }, isSuccess)).text);
  }

  return async (question, stop) => {
    let failure = postFailure(WHO, 'not_found', 'has no URL');
    for (const template of question.urls.slice(0, MOST_URLS)) {
      try {
        return await ask(template, question, stop);
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        failure = error;
      }
    }
    throw failure;
  };
}
