import { z } from 'zod';
import type { Platform } from '../domain/account.ts';
import type { SocialPlatform } from '../domain/mentions/mention.ts';
import type { PlatformFacts } from '../domain/platforms/platforms.ts';
import type { AdapterOptions } from './request.ts';

type Shape = z.ZodRawShape;
type Values<Of extends Shape> = z.output<z.ZodObject<Of>>;

export interface BotSettings {
  readonly botUsername: string;
  /** Where the platform is called; its own address when absent. */
  readonly baseUrl?: string | undefined;
}

interface Traits<Needed extends Shape, Extra extends Shape> {
  readonly facts: PlatformFacts;
  /** The variables that turn it on: all must be set, or none. */
  readonly needed: Needed;
  /** Those that may be set besides; they turn nothing on. */
  readonly extra: Extra;
  /** How the names of its variables begin, misspelt ones too. */
  readonly prefixes: readonly string[];
  /** A needed variable whose value the platform issues when its webhook is registered, for which another one has to be set. */
  readonly issued?: { readonly variable: keyof Needed & string; readonly after: keyof Needed & string };
}

interface PlatformSpec<Needed extends Shape, Extra extends Shape, Settings extends BotSettings>
  extends Traits<Needed, Extra> {
  read(needed: Values<Needed>, extra: Values<Extra>): Settings;
  secrets(settings: Settings): readonly string[];
  /** Imports the adapter, so that an SDK costs start-up time and memory only where the platform is on. */
  open(settings: Settings, options: AdapterOptions): Promise<SocialPlatform>;
}

export interface ConfiguredPlatform {
  readonly id: Platform;
  readonly settings: BotSettings;
  readonly secrets: readonly string[];
  open(options: AdapterOptions): Promise<SocialPlatform>;
}

export interface PlatformDefinition extends Traits<Shape, Shape> {
  /** The platform that these variables turn on. @throws ZodError unless they are valid */
  configure(variables: Readonly<Record<string, string | undefined>>): ConfiguredPlatform;
}

/** A platform, all that the service knows of it before it is on. */
export function definePlatform<Needed extends Shape, Extra extends Shape, Settings extends BotSettings>(
  spec: PlatformSpec<Needed, Extra, Settings>,
): PlatformDefinition {
  const { read, secrets, open, ...traits } = spec;
  return {
    ...traits,
    configure(variables) {
      const needed = z.object(spec.needed).parse(variables);
      const settings = Object.freeze(read(needed, z.object(spec.extra).parse(variables)));
      return Object.freeze({
        id: spec.facts.id,
        settings,
        secrets: Object.freeze([...secrets(settings)]),
        open: (options: AdapterOptions) => open(settings, options),
      });
    },
  };
}
