import swc from '@swc/core';
import { findFolderCycles } from './scripts/lib/folder-cycles.mjs';

/**
 * Import rules for src/ and console/src/: a room imports only from the rooms below it. Neither files nor folders of the same
 * parent form import cycles. docs/architecture.md shows the rooms and their order, docs/develop/console.md those of the console.
 */
const ROOMS = ['process', 'surfaces', 'features', 'messages', 'carriers', 'accounts', 'platform'];

const upward = ROOMS.map((room, index) => ({
  name: `${room}-looks-down`,
  comment: `${room}/ may import only from itself and from ${ROOMS.slice(index + 1).join(', ') || 'packages'}.`,
  from: { path: `^src/${room}/` },
  to: { path: [`^src/(${['cli', ...ROOMS.slice(0, index)].join('|')})/`, '^src/(main|server)\\.ts$'] },
}));

/**
 * dependency-cruiser finds cycles between files, but not between folders together with their subfolders. Each import between
 * two neighbors of a cycle is an error here; removing all imports of one of these directions breaks the cycle.
 */
const folderCycleRules = ['src', 'console/src'].flatMap((top) =>
  findFolderCycles(top).flatMap((cycle) =>
    cycle.map((folder, index) => ({
      name: `no-folder-cycle: ${[...cycle, cycle[0]].join(' -> ')}`,
      comment: 'Move what both folders need to the folder that owns it.',
      from: { path: `^${folder}/` },
      to: { path: `^${cycle[(index + 1) % cycle.length]}/` },
    })),
  ),
);

/** Folders of console/src/, each of which imports only from those after it. */
const CONSOLE = ['shell', 'pages', 'shared', 'session', 'ui', 'api', 'browser', 'text'];

const consoleUpward = CONSOLE.map((folder, index) => ({
  name: `console-${folder}-looks-down`,
  comment: `console/src/${folder}/ may import only from itself and from ${CONSOLE.slice(index + 1).join(', ') || 'packages'}.`,
  from: { path: `^console/src/${folder}/` },
  to: { path: [`^console/src/(${CONSOLE.slice(0, index).join('|') || '(?!)'})/`, '^console/src/main\\.tsx$'] },
}));

// dependency-cruiser reads every file as TypeScript without JSX, and has no setting for it.
const { parseFileSync } = swc;
swc.parseFileSync = (path, options) => parseFileSync(path, { ...options, tsx: path.endsWith('.tsx') });

/** None may be broken. */
const forbidden = [
  ...upward,
  ...folderCycleRules,
  ...consoleUpward,
  {
    name: 'console-folders-are-known',
    comment: 'Add new folders of the console to the order above.',
    from: {},
    to: { path: '^console/src/', pathNot: `^console/src/(${CONSOLE.join('|')})/|^console/src/main\\.tsx$` },
  },
  {
    name: 'pages-do-not-know-each-other',
    comment: 'Move what several pages use to console/src/shared/.',
    from: { path: '^console/src/pages/([^/]+)/' },
    to: { path: '^console/src/pages/', pathNot: '^console/src/pages/$1/' },
  },
  {
    name: 'the-server-knows-no-page',
    from: { path: '^src/' },
    to: { path: '^console/' },
  },
  {
    name: 'no-circle-of-files',
    comment: 'By value or by type.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'surfaces-hold-no-query',
    comment: 'Routes translate HTTP and call use cases. SQL and the Prisma client belong in the rooms below.',
    from: { path: '^src/surfaces/' },
    to: { path: ['^src/platform/(store|generated)/', 'node_modules/(pg|@prisma)(/|$)'] },
  },
  {
    name: 'surfaces-do-not-know-each-other',
    comment:
      'Surfaces change independently. Move the shape of a resource that two of them show to surfaces/resources/, and what ' +
      'concerns only HTTP to surfaces/http/.',
    from: { path: '^src/surfaces/([^/]+)/' },
    to: { path: '^src/surfaces/[^/]+/', pathNot: '^src/surfaces/($1|resources|http)/' },
  },
  {
    name: 'admin-contract-knows-no-handler',
    comment:
      'The console compiles against the contract, so the contract holds the schemas and the handlers import them.',
    from: { path: '^src/surfaces/admin/contract/' },
    to: { path: '^src/surfaces/admin/endpoints/' },
  },
  {
    name: 'http-knows-no-resource',
    from: { path: '^src/surfaces/http/' },
    to: { path: '^src/surfaces/(?!http/)' },
  },
  {
    name: 'http-is-served-by-surfaces',
    comment:
      'Routes, headers and parsers belong in the surfaces. The rooms below define their own parameters and results.',
    from: { path: '^src/', pathNot: '^src/(surfaces/|process/|server\\.ts$)' },
    to: { path: 'node_modules/(@fastify/|fastify(-plugin)?/)' },
  },
  {
    name: 'platform-knows-no-phone-numbers',
    comment: 'Only carriers/numbers/ and carriers/sms/ know the rules for numbers and SMS texts.',
    from: { path: '^src/platform/' },
    to: { path: 'node_modules/libphonenumber-js(/|$)' },
  },
  {
    name: 'the-time-is-handed-over',
    comment:
      'Only the code that builds an application or a command, and the embedded PostgreSQL, which starts before it, read the ' +
      "machine's time. Other code gets a Clock, or a Date, as a parameter.",
    from: { path: '^src/', pathNot: '^src/(process|cli|platform/embedded)/' },
    to: { path: '^src/platform/system-clock\\.ts$' },
  },
  {
    name: 'a-change-and-its-line-are-one-commit',
    comment:
      'Only accounts/audit/change.ts writes to the audit log, in the transaction of the change. The exceptions have their own ' +
      'transaction or none: copying, taking back and dividing a store, and scheduled backups.',
    from: {
      path: '^src/',
      pathNot: [
        '^src/accounts/audit/change.ts$',
        '^src/cli/commands/data/(audit-copy|partition|store).ts$',
        '^src/features/backup/scheduled-backups.ts$',
      ],
    },
    to: { path: '^src/accounts/audit/audit-log\\.ts$' },
  },
  {
    name: 'lines-are-inserted-by-the-audit-log',
    from: { path: '^src/', pathNot: '^src/accounts/audit/audit-log\\.ts$' },
    to: { path: '^src/accounts/audit/audit-store\\.ts$' },
  },
  {
    name: 'carriers-run-without-their-setup',
    comment: 'setup/ changes carriers and reads registry/. Settings that both need belong in carriers/settings.ts.',
    from: { path: '^src/carriers/registry/' },
    to: { path: '^src/carriers/setup/' },
  },
  {
    name: 'sends-are-accepted-by-the-acceptor',
    comment:
      'Only messages/accept/acceptor.ts writes and charges messages, because it locks, commits and notifies the queue in the ' +
      'right order.',
    from: { path: '^src/', pathNot: '^src/messages/accept/' },
    to: { path: '^src/messages/accept/(committer|accept-store|accept-plain-store|accept-large-store)\\.ts$' },
  },
  {
    name: 'deps-stay-in-process',
    comment: 'A use case declares the narrow options that it needs.',
    from: { path: '^src/', pathNot: '^src/(process/|cli/|(main|server)\\.ts$)' },
    to: { path: '^src/process/' },
  },
  {
    name: 'resolves',
    from: {},
    to: { couldNotResolve: true },
  },
];

export default {
  forbidden: forbidden.map((rule) => ({ ...rule, severity: 'error' })),
  options: {
    doNotFollow: { path: ['node_modules', '^src/platform/generated'] },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
