import { readOrigin } from '../earning/payouts/verifier.ts';
import { settingList, settingUrl } from './setting-values.ts';

/** More endpoints of a chain are of no use, and each is asked for its newest block every few seconds. */
const MOST_ENDPOINTS = 8;
/** The endpoints of a chain, which are asked in turn. */
export const rpcUrls = settingList(
  (item) => settingUrl.safeParse(item).data ?? null,
  'must be http or https URLs, comma-separated; a comma within a URL is written %2C',
)
  .refine((urls) => urls.length <= MOST_ENDPOINTS, `must name at most ${MOST_ENDPOINTS} endpoints`)
  .refine(
    (urls) => new Set(urls.map((url) => new URL(url).href)).size === urls.length,
    'must name each endpoint once: a repeated one is no fallback',
  );

/** Origins of programs, such as those of verifiers or of agents in a browser. */
export const originList = settingList(
  readOrigin,
  'must be origins such as https://verifier.example, comma-separated; http is for localhost only',
);
