import { html } from 'hono/html';
import type { Markup } from '../../src/http/ui/layout.ts';
import type { LocalToken } from '../chain.ts';
import { NETWORKS } from './names.ts';
import type { StepView } from './steps.ts';
import { renderSuggestions } from './views/composer.ts';
import { renderFaults } from './views/faults.ts';
import { renderAnswer, renderGigs } from './views/gigs.ts';
import { renderPeople } from './views/people.ts';
import { renderService } from './views/service.ts';
import { renderSteps } from './views/steps.ts';
import { renderAnnouncement, renderStory } from './views/story.ts';
import { renderTimeline } from './views/timeline.ts';
import { shownAssets } from './watcher.ts';
import type { World } from './world.ts';

/** Where the page's links lead, and what it shows of the set-up. */
export interface Setting {
  /** The service's address. */
  readonly service: string;
  /** The sandbox's own key for the service's API, worthless anywhere else. */
  readonly apiKey: string;
  readonly logFile: string;
  /** How many instances the service has. */
  readonly instances: number;
  /** Whether a copy of the database can be put back. */
  readonly hasBackup: boolean;
  readonly tokens: readonly LocalToken[];
}

/** The parts of the page that change, by the ids of their elements. */
export type Fragments = ReadonlyMap<string, string>;

/** Renders every part that changes. */
export async function renderFragments(
  world: World,
  options: { setting: Setting; steps: readonly StepView[] },
): Promise<Fragments> {
  const { setting, steps } = options;
  const { claim } = world;
  const parts: [id: string, markup: Markup][] = [
    ['steps', renderSteps(steps, setting)],
    ...NETWORKS.map((network): [string, Markup] => [`timeline-${network}`, renderTimeline(network, world)]),
    ...NETWORKS.map((network): [string, Markup] => [
      `suggestions-${network}`,
      renderSuggestions(network, world.records),
    ]),
    ['story', renderStory(world)],
    ['announcement', renderAnnouncement(world)],
    ['service', renderService(world, setting)],
    ['gigs', renderGigs(world, setting)],
    ['people', renderPeople(world, { assets: shownAssets(setting.tokens), service: setting.service })],
    ['claim-answer', claim === null ? html`` : renderAnswer('claim', claim.answer)],
    ...NETWORKS.map((network): [string, Markup] => [`faults-${network}`, renderFaults(network, world)]),
  ];
  return new Map(await Promise.all(parts.map(async ([id, markup]) => [id, String(await markup)] as const)));
}
