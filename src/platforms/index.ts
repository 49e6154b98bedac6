import type { PlatformDefinition } from './define-platform.ts';
import { farcaster } from './farcaster/index.ts';
import { x } from './x/index.ts';

/** All platforms, in the order of their rows in `domain/platforms/platforms.ts`. */
export const PLATFORM_DEFINITIONS: readonly PlatformDefinition[] = [farcaster, x];
