/**
 * Whether this is a full run (TESTS=all). Quick runs omit slow tests, measurements, the second queue backend and the second
 * color scheme, and list what they have omitted.
 */
export const EVERYTHING = process.env.TESTS === 'all';

/** Quick runs make fewer attempts, so they may miss mistakes that depend on chance. */
export function atScale({ full, quick }: { full: number; quick: number }): number {
  return EVERYTHING ? full : quick;
}

/**
 * Whether the command line of the main process names test files, in which case slow tests are included. Planted mistakes set
 * TEST_NAMED, because they name files without a command line.
 */
export const NAMED =
  process.env.TEST_NAMED === '1' || process.argv.slice(3).some((argument) => !argument.startsWith('-'));

/** Tests that run alone, because they measure time or memory. Memory is measured first, before other suites leave garbage. */
export const MEASURING = [
  'test/features/media/memory.flow.test.ts',
  'test/features/campaigns/concurrent-sends.flow.test.ts',
  'test/features/webhooks/fairness.flow.test.ts',
  'test/features/webhooks/ten-thousand.flow.test.ts',
  'test/surfaces/a/large-sends.http.test.ts',
  'test/surfaces/b/usage-million.http.test.ts',
  'test/house/regex-time.test.ts',
  'test/house/parser-time.test.ts',
];

/** Tests that make many concurrent requests, and therefore run alone. */
export const CROWDS = ['test/surfaces/at-once.console.http.test.ts', 'test/surfaces/at-once.http.test.ts'];

/** Name suffix of suites that only a full run includes. */
export const EVERYTHING_SUITE = '[everything]';

/** Name suffix of tests that need the linters, which `npm run lint` installs. */
export const LINTERS_SUITE = '[linters]';

/** Tests that mostly wait for their child processes, and therefore run before other suites, longest first. */
export const PROCESSES = [
  'test/process/cluster.fault.test.ts',
  'test/process/start.flow.test.ts',
  'test/features/campaigns/campaigns.fault.test.ts',
  'test/process/storms.fault.test.ts',
  'test/cli/partition-killed.fault.test.ts',
  'test/platform/embedded/embedded.flow.test.ts',
  'test/platform/embedded/containers.fault.test.ts',
  'test/platform/embedded/as-root.flow.test.ts',
  'test/platform/embedded/full-disk.fault.test.ts',
  'test/platform/store/connections/vanished-machine.fault.test.ts',
  'test/process/standby.fault.test.ts',
  'test/process/rolling-restart.fault.test.ts',
  'test/process/cluster.flow.test.ts',
  'test/process/kill.fault.test.ts',
  'test/process/full-log.fault.test.ts',
  'test/upgrade/upgrade.flow.test.ts',
  'test/cli/process.flow.test.ts',
  'test/house/usage.test.ts',
  'test/process/members.flow.test.ts',
  'test/process/cluster-env-file.flow.test.ts',
  'test/process/pgbouncer.flow.test.ts',
  'test/process/start-refusals.flow.test.ts',
  'test/process/tracing.flow.test.ts',
  'test/cli/embedded-store.flow.test.ts',
  'test/house/examples.test.ts',
];

export const BROWSER = 'test/console/**/*.browser.test.ts';

/** Console test that every run includes, from the first sign-in link to delivered messages. */
export const JOURNEY = 'test/console/across/journey.browser.test.ts';

/** Tests that kill processes, the store, a replica or a queue, each of which takes as long as thirty other tests. */
export const STORMS = [
  'test/process/frozen-store.fault.test.ts',
  'test/messages/queue/lost-hints.fault.test.ts',
  'test/messages/queue/hung-workers.fault.test.ts',
  'test/process/replica.fault.test.ts',
  'test/features/contacts/merges.fault.test.ts',
  'test/features/contacts/import.fault.test.ts',
  'test/carriers/whatsapp-cloud/examples/killed.fault.test.ts',
  'test/features/webhooks/webhooks.fault.test.ts',
  'test/features/automations/automations.fault.test.ts',
  'test/features/fallbacks/fallbacks.fault.test.ts',
  'test/platform/store/servers/another-primary.fault.test.ts',
  'test/carriers/whatsapp-cloud/callbacks.fault.test.ts',
  'test/features/media/interrupted.fault.test.ts',
];

/** Tests that wait for locks or repeat a rule for many cases, although quick suites test each rule once. */
export const REPEATING = [
  'test/accounts/account-transaction.fault.test.ts',
  'test/messages/accept/held-account.fault.test.ts',
  'test/surfaces/admin/operators/under-attack.fault.test.ts',
  'test/surfaces/sign-in/leaks.flow.test.ts',
  'test/carriers/whatsapp-cloud/people-matrix.flow.test.ts',
  'test/messages/partitions/under-load.flow.test.ts',
  'test/messages/partitions/retention.flow.test.ts',
  'test/platform/store/prisma-migrate.fault.test.ts',
  'test/surfaces/http/unread-bodies.http.test.ts',
  'test/cli/audit.flow.test.ts',
];

/** The slow tests are about a quarter of all tests, but take more than half of the run time. */
export const TAKES_SLOW = EVERYTHING || NAMED;
