import { readdirSync } from 'node:fs';
import type { ProvidedContext } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';
import {
  CROWDS,
  EVERYTHING,
  EVERYTHING_SUITE,
  JOURNEY,
  LINTERS_SUITE,
  MEASURING,
  NAMED,
  PROCESSES,
  REPEATING,
  STORMS,
  TAKES_SLOW,
} from './extent.js';
import {
  BROWSER_SUITE,
  HELM_SUITE,
  LANGUAGES_SUITE,
  NAMESPACES_SUITE,
  NET_SMPP_SUITE,
  NGINX_SUITE,
  PGBOUNCER_SUITE,
  POSTGRES_SUITE,
  PROMTOOL_SUITE,
  REDIS_SUITE,
  SMALL_DISK_SUITE,
} from './provided.js';
import { SPECIALIZED, WALKS } from './walks.js';

interface Requirement {
  suite: string;
  what: string;
  remedy: string;
  /** Returns whether the requirement is missing, because `-t` or a failed hook can also skip tests. */
  isMissing?(provided: ProvidedContext): boolean;
}

const REQUIREMENTS: readonly Requirement[] = [
  {
    suite: REDIS_SUITE,
    what: 'A REDIS',
    remedy:
      'install redis-server or valkey-server (Debian: apt-get install redis-server; macOS: brew install redis), ' +
      'or set TEST_REDIS_URL',
    isMissing: ({ services }) => services.redisUrl === null || services.redisBinary === null,
  },
  {
    suite: NET_SMPP_SUITE,
    what: 'NET::SMPP',
    remedy: 'install it for perl (Debian: apt-get install libnet-smpp-perl)',
  },
  {
    suite: PROMTOOL_SUITE,
    what: 'PROMTOOL',
    remedy: 'install it (Debian: apt-get install prometheus)',
  },
  {
    suite: NGINX_SUITE,
    what: 'NGINX',
    remedy: 'install it (Debian: apt-get install nginx-light)',
  },
  {
    suite: LANGUAGES_SUITE,
    what: 'PYTHON, PHP OR GO',
    remedy: 'install them (Debian: apt-get install python3 php-cli golang-go)',
  },
  {
    suite: NAMESPACES_SUITE,
    what: 'LINUX NAMESPACES',
    remedy: 'run the tests as root on Linux, with unshare and ip (Debian: apt-get install util-linux iproute2)',
  },
  {
    suite: PGBOUNCER_SUITE,
    what: 'PGBOUNCER',
    remedy: 'install it (Debian: apt-get install pgbouncer)',
  },
  {
    suite: HELM_SUITE,
    what: 'HELM AND KUBECTL',
    remedy: 'install both (.ci/run shows from where)',
  },
  {
    suite: SMALL_DISK_SUITE,
    what: 'A SMALL DISK',
    remedy: 'run the tests as root on Linux, where "mount -t tmpfs" is allowed',
  },
  {
    suite: POSTGRES_SUITE,
    what: 'ANOTHER POSTGRESQL',
    remedy: 'install one (Debian: apt-get install postgresql-15)',
  },
  {
    suite: BROWSER_SUITE,
    what: 'A BROWSER',
    remedy: 'install chromium (Debian: apt-get install chromium), or set CHROMIUM_PATH to a Chromium or Chrome',
    isMissing: ({ browserUrl }) => browserUrl === null,
  },
];

/** Lists slow tests, which only full runs and runs of named files include. */
const listSlow = () => [
  { what: 'start whole servers and commands', files: PROCESSES },
  { what: 'kill the server or its stores', files: STORMS },
  { what: 'wait for locks or repeat one rule many times', files: [...REPEATING, ...WALKS] },
  { what: 'test single commands and rare forms of data in detail', files: SPECIALIZED },
  { what: 'make many requests at once', files: CROWDS },
  { what: 'open the console in Chromium', files: browserFiles() },
];

function browserFiles(): string[] {
  return readdirSync('test/console', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.browser.test.ts'))
    .map((path) => `test/console/${path.replaceAll('\\', '/')}`)
    .filter((path) => path !== JOURNEY);
}

/** Prints a final line for each missing requirement and each omitted group of tests. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const countSkipped = (suite: string) => skipped.filter((test) => test.fullName.includes(` ${suite}`)).length;
    for (const { suite, what, remedy, isMissing } of REQUIREMENTS) {
      // Tests for full runs are not counted, because quick runs skip them even if their requirements are met.
      const count = skipped.filter(
        ({ fullName, project }) =>
          fullName.includes(` ${suite}`) &&
          !fullName.includes(` ${EVERYTHING_SUITE}`) &&
          (isMissing?.(project.getProvidedContext()) ?? !project.config.testNamePattern),
      ).length;
      if (count > 0) console.log(`\n!!! ${count} TESTS WERE SKIPPED FOR LACK OF ${what}: ${remedy}. !!!\n`);
    }
    if (EVERYTHING) return;
    if (!TAKES_SLOW) {
      const lines = listSlow().map(({ what, files }) => `  ${files.length} files that ${what}, such as ${files[0]}`);
      console.log(['', 'Run only with TESTS=all, or when files or folders are named:', ...lines].join('\n'));
    }
    const fullRunTests = countSkipped(EVERYTHING_SUITE);
    const ruleTests = countSkipped(LINTERS_SUITE);
    const leftOut = [
      ...(fullRunTests > 0 ? [`${fullRunTests} tests that repeat on Redis what another test checks there`] : []),
      ...(ruleTests > 0
        ? [`${ruleTests} tests of our own lint rules, unless npm run lint has installed the linters`]
        : []),
      ...(NAMED ? [] : MEASURING.map((file) => `${file}, which measures time`)),
    ];
    if (leftOut.length === 0) return;
    console.log(['', 'Run only with TESTS=all, as in .ci/run:', ...leftOut.map((line) => `  ${line}`)].join('\n'));
  }
}
