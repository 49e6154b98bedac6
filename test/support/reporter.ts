import type { Reporter, TestModule } from 'vitest/node';

const EVERY_MS = 5000;
const SLOWEST = 10;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Says every five seconds how far a run has come, and at its end how long each project and the slowest files took. */
export function createProgressReporter(): Reporter {
  const modules: TestModule[] = [];
  let cases = 0;
  let total = 0;
  let begun = performance.now();
  let timer: NodeJS.Timeout | undefined;

  const passed = () => seconds(performance.now() - begun);
  return {
    onTestRunStart(specifications) {
      begun = performance.now();
      total = specifications.length;
      timer = setInterval(
        () => console.log(`tests: ${modules.length} of ${total} files, ${cases} cases, ${passed()}`),
        EVERY_MS,
      );
      timer.unref();
    },
    onTestCaseResult() {
      cases += 1;
    },
    onTestModuleEnd(module) {
      modules.push(module);
    },
    onTestRunEnd() {
      clearInterval(timer);
      const times = modules.map((module) => {
        const { duration, collectDuration, setupDuration } = module.diagnostic();
        return {
          name: module.relativeModuleId,
          project: module.project.name,
          ms: duration + collectDuration + setupDuration,
        };
      });
      const projects = Map.groupBy(times, ({ project }) => project);
      for (const [project, files] of projects) {
        const ms = files.reduce((sum, file) => sum + file.ms, 0);
        console.log(`tests: ${project}: ${files.length} files, ${seconds(ms)} of work`);
      }
      console.log(`tests: ${cases} cases in ${passed()}; the longest files:`);
      for (const { name, project, ms } of times.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST)) {
        console.log(`tests: ${seconds(ms).padStart(8)} ${project} ${name}`);
      }
    },
  };
}
