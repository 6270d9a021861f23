/**
 * How much of the tests a run takes. With TESTS=all it is everything, as `.ci/run` has it. Otherwise it is what tells a
 * developer within minutes whether a change holds: without what measures time, without a feature's second run on the other
 * queue backend, without the second colour scheme of each page, and without what is slow. What is left out is named when the run ends.
 */
export const EVERYTHING = process.env.TESTS === 'all';

/**
 * How many repetitions, messages or random cases a test uses. A run of everything uses `full`; a quick run uses `quick`, which
 * still fails for the same mistakes, only less surely where chance plays a part.
 */
export function atScale({ full, quick }: { full: number; quick: number }): number {
  return EVERYTHING ? full : quick;
}

/** Whether a run was asked for some files by their names: then it takes what is slow as well. For the process of the run alone. */
export const NAMED = process.argv.slice(3).some((word) => !word.startsWith('-'));

/**
 * Suites that measure time, which they do alone: beside others they would measure those. What measures memory stands first, for
 * what a suite leaves in the process is measured by the next.
 */
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

/** Suites that ask for very much at once, which they do alone: beside others a request would wait longer than it may. */
export const CROWDS = ['test/surfaces/at-once.console.http.test.ts', 'test/surfaces/at-once.http.test.ts'];

/** The end of the name of a suite that only a run of everything has. */
export const EVERYTHING_SUITE = '[everything]';

/** The end of the name of a test that needs the linters, which `npm run lint` installs. */
export const LINTERS_SUITE = '[linters]';

/** Suites that start whole servers and commands as processes, which they mostly wait for: they begin first, the longest before all others. */
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
  'test/house/conversation.test.ts',
  'test/house/sending.test.ts',
];

/** What a person sees, in Chromium. */
export const BROWSER = 'test/console/**/*.browser.test.ts';

/** The console's one way that every run goes, from the first link to delivered messages. */
export const JOURNEY = 'test/console/across/journey.browser.test.ts';

/** Suites that kill test processes, or the store, a replica or a queue below them: a test of theirs takes as long as thirty others. */
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

/** Suites that wait for locks or repeat one rule for many cases. Quick suites beside them test the same rules once. */
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

/**
 * Whether this run includes slow tests: PROCESSES, STORMS, REPEATING, CROWDS, and BROWSER beyond the JOURNEY. They are one test in
 * thirteen, and took more than half of the time.
 */
export const TAKES_SLOW = EVERYTHING || NAMED;
