import { join } from 'node:path';
import { createVitest, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';
import { ACTIVE_MUTANT, type Failure, type HostAnswer, type HostRequest, type TestChoice } from './messages.ts';

// A process that runs test files of a copy of this project with one fault switched on. `runner.ts` starts it in that copy, and ends
// it with all that it started when a fault makes a test run forever.

const COVERAGE = join(process.cwd(), 'scripts/mutants/coverage.ts');
/** Far more than any test near the rooms takes, less than the minutes that a test may take otherwise. */
const TEST_LIMIT_MS = 60_000;

let ended: readonly TestModule[] = [];
let errors: readonly { readonly message: string }[] = [];
const collect: Reporter = {
  onTestRunEnd(modules, unhandled) {
    ended = modules;
    errors = unhandled;
  },
};

const vitest = await createVitest(
  'test',
  {
    watch: false,
    maxWorkers: 1,
    project: ['unit', 'integration'],
    reporters: [collect],
    cache: false,
    silent: true,
    printConsoleTrace: false,
  },
  { clearScreen: false },
);
for (const { config } of vitest.projects) {
  // What the project says itself has more weight than the options above.
  config.setupFiles.push(COVERAGE);
  config.testTimeout = TEST_LIMIT_MS;
  config.hookTimeout = TEST_LIMIT_MS;
  config.bail = 1;
}
await vitest.standalone();
const specifications = await vitest.globTestSpecifications();

function failureOf(modules: readonly TestModule[]): Failure | null {
  for (const module of modules) {
    const file = module.relativeModuleId;
    const ofFile = (words: string): Failure => ({ file, id: null, words: `${file}: ${words}` });
    const [error] = module.errors();
    if (error !== undefined) return ofFile(error.message);
    for (const test of module.children.allTests()) {
      if (test.result().state === 'failed') return { file, id: test.id, words: `${file}: ${test.fullName}` };
    }
    for (const suite of module.children.allSuites()) {
      const [failed] = suite.errors();
      if (failed !== undefined) return ofFile(`${suite.fullName}: ${failed.message}`);
    }
  }
  const [error] = errors;
  return error === undefined ? null : { file: '', id: null, words: error.message };
}

function wanted({ file, ids }: TestChoice): TestSpecification[] {
  const found = specifications.filter(({ moduleId }) => moduleId === join(process.cwd(), file));
  if (ids === null) return found;
  return found.map(({ project, moduleId }) => project.createSpecification(moduleId, { testIds: [...ids] }));
}

async function run({ tests, mutant }: HostRequest): Promise<HostAnswer> {
  // Instrumented files read the switch when they are loaded; a run has a new worker, which takes over this environment.
  if (mutant === null) delete process.env[ACTIVE_MUTANT];
  else process.env[ACTIVE_MUTANT] = mutant;
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  await vitest.runTestSpecifications(tests.flatMap(wanted));
  const times = ended.flatMap((module) =>
    [...module.children.allTests()].map((test) => [test.id, Math.ceil(test.diagnostic()?.duration ?? 0)] as const),
  );
  return { failure: failureOf(ended), times: Object.fromEntries(times) };
}

process.on('message', (request: HostRequest) => {
  run(request).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ tests: specifications.map(({ moduleId }) => moduleId.slice(process.cwd().length + 1)) });
