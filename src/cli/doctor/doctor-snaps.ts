import type { Config } from '../../config.ts';
import { AdapterError, faultText } from '../../domain/errors.ts';
import { FARCASTER } from '../../domain/platforms/platforms.ts';
import { createTaps } from '../../sign-in/jfs.ts';
import type { Context } from '../context.ts';
import type { Check } from './doctor-checks.ts';

const NAME = 'cards';
const REMEDY = 'Check RPC_URL_10: it must be an endpoint of Optimism, also when optimism is not in CHAINS.';

/** Whether Farcaster's registry answers about a key that it must know: the one that signs what the bot posts. */
export async function checkSnaps(context: Context, config: Config): Promise<Check> {
  if (!config.snaps) {
    const detail = 'Off: gigs are no cards in casts';
    return { name: NAME, ok: true, mark: 'off', detail, remedy: 'To turn them on, set SNAPS and RPC_URL_10.' };
  }
  const bot = (await context.platforms(config)).get(FARCASTER.id);
  const { publicUrl, farcasterRpcUrls: rpcUrls } = config;
  try {
    const key = await bot?.appKey?.();
    const knows =
      bot !== undefined &&
      key !== undefined &&
      (await createTaps({ publicUrl, rpcUrls, clock: context.clock }).holdsKey(Number(bot.bot.id), key));
    return knows
      ? { name: NAME, ok: true, detail: 'Farcaster’s registry on chain 10 knows the key of the bot', remedy: '' }
      : { name: NAME, ok: false, detail: 'The registry on chain 10 does not know the key of the bot', remedy: REMEDY };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { name: NAME, ok: false, detail: `Nobody can claim by a tap: ${faultText(error)}`, remedy: REMEDY };
  }
}
