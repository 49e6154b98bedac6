import { StepError } from '../step-error.ts';
import { createLine } from './line.ts';
import { type Result, silenceAbout } from './outcomes.ts';
import { NETWORKS, type PostPlace } from './parts.ts';
import type { Stage, World } from './stage.ts';
import { isByBot } from './story.ts';
import type { Seen } from './watcher.ts';

/** What a press did, when it went well, in a sentence. */
export interface Performed {
  readonly message: string;
  readonly posts?: readonly PostPlace[];
  readonly gigId?: number;
  /** Reads from the world what came of it; null while that is open. */
  readonly outcome: (world: World) => Result | null;
}

/** Something to try on the page: its words, what its button does, and what came of that. */
export interface Scene {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly button: string | ((seen: Seen) => string);
  readonly act: (stage: Stage) => Promise<Performed>;
  /** What the bot has said when it happened without a press; absent when only its own press shows that. */
  readonly seen?: RegExp;
  readonly needsBackup?: true;
  readonly link?: { readonly href: (service: string, gigId: number | undefined) => string; readonly label: string };
}

/** The last press of a scene; once its result is known it stays: what happens later is not its outcome. */
type Press = { readonly id: string; readonly performed: Performed | null; result: Result | null };

/** Runs the scenes, one after the other. `changed` is called when one is asked for or has ended. */
export function createPlayer(scenes: readonly Scene[], stage: Stage, changed: () => void) {
  const inTurn = createLine();
  const presses = new Map<Scene, Press>();
  const asked: Scene[] = [];
  let count = 0;

  async function play(scene: Scene) {
    count += 1;
    const id = `outcome-${scene.name}-${count}`;
    try {
      const performed = await scene.act(stage);
      presses.set(scene, { id, performed, result: null });
      return { message: performed.message, later: id };
    } catch (error) {
      const text = error instanceof StepError ? error.message : 'It broke off.';
      presses.set(scene, { id, performed: null, result: { text, asMeant: false } });
      throw error;
    } finally {
      asked.shift();
      changed();
    }
  }

  function stateOf(scene: Scene, world: World): 'open' | 'waiting' | 'running' | 'done' {
    if (asked.includes(scene)) return asked[0] === scene ? 'running' : 'waiting';
    const press = presses.get(scene);
    // What was seen before a press is not the answer to it.
    if (press === undefined) {
      const posts = NETWORKS.flatMap((network) => world.posts[network]);
      return posts.some((post) => isByBot(post) && scene.seen?.test(post.text)) ? 'done' : 'open';
    }
    const { performed } = press;
    press.result ??= silenceAbout(world, performed?.posts ?? []) ?? performed?.outcome(world) ?? null;
    return press.result === null ? 'running' : press.result.asMeant ? 'done' : 'open';
  }

  return {
    run: async (name: string | undefined) => {
      const scene = scenes.find((one) => one.name === name);
      if (scene === undefined) throw new StepError('There is no such step.');
      asked.push(scene);
      changed();
      return await inTurn(() => play(scene));
    },
    /** How the scenes stand, with their last presses unless they run again, and after which one the next runs. */
    view: (world: World) =>
      scenes.map((scene) => {
        const state = stateOf(scene, world);
        const press = asked.includes(scene) ? undefined : presses.get(scene);
        return { scene, state, press, after: asked.at(-1)?.title };
      }),
  };
}

export type SceneView = ReturnType<ReturnType<typeof createPlayer>['view']>[number];
