import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

/** Lists the slowest test files, measured with their hooks and imports. */
export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return;
    const durations = modules.map((module) => ({ file: module.relativeModuleId, seconds: sumSeconds(module) }));
    const slowest = durations.sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
    const lines = slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
    console.log(['', `The ${SHOWN} slowest of ${modules.length} files:`, ...lines].join('\n'));
  }
}

function sumSeconds(module: TestModule): number {
  const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return (prepareDuration + setupDuration + collectDuration + duration) / 1000;
}
