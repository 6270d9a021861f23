import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';
import { HANG_MS } from '../support/wait-for.js';

const manifest = JSON.parse(readFileSync(join(PROJECT_FOLDER, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  scripts: Record<string, string>;
};

/** Reads a folder's sources except generated files, with paths relative to the project's folder. */
function sources(folder: string): { path: string; text: string }[] {
  return readdirSync(join(PROJECT_FOLDER, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes(join('src', 'platform', 'generated')))
    .map((path) => ({ path: path.slice(PROJECT_FOLDER.length), text: readFileSync(path, 'utf8') }));
}

/** Lists packages that are imported for values, not only for types. */
function listImportedPackages(text: string): string[] {
  const specifiers = [
    ...text.matchAll(/^\s*(?:import|export)\b(?! type\b)[^'";]*?from\s*['"]([^'"]+)['"]/gms),
    ...text.matchAll(/^import\s*['"]([^'"]+)['"]/gm),
    ...text.matchAll(/\b(?:import|require)\(\s*['"]([\w@][^'"]*)['"]/g),
  ].map(([, specifier]) => String(specifier));
  return specifiers
    .filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier))
    .map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}

/** Checks whether a version is in a range, in the syntax that packages use for Node.js versions. */
function admits(range: string, version: readonly number[]): boolean {
  const compare = (text: string) => {
    const parts = text.split('.').filter((part) => /^\d+$/.test(part));
    const differing = parts.findIndex((part, index) => Number(part) !== version[index]);
    return differing < 0
      ? { order: 0, differing }
      : { order: (version[differing] ?? 0) - Number(parts[differing]), differing };
  };
  return range.split('||').some((alternative) =>
    [...alternative.matchAll(/(>=|<=|[<>^~=]?)\s*v?([\dx*.]+)/g)].every(([, operator = '', text = '']) => {
      const { order, differing } = compare(text);
      if (operator === '>=') return order >= 0;
      if (operator === '<=') return order <= 0;
      if (operator === '<') return order < 0;
      if (operator === '>') return order > 0;
      // `^` fixes a version's first number, and `~` the first two.
      if (operator === '^' || operator === '~')
        return order === 0 || (order > 0 && differing > (operator === '^' ? 0 : 1));
      return order === 0;
    }),
  );
}

describe('package.json', () => {
  // The built files include Prisma's client and runtime, but no type imports.
  const built = sources('dist').map(({ path, text }) => ({ path, packages: listImportedPackages(text) }));

  it('has no dependency that the built server does not import', () => {
    const imported = new Set(built.flatMap(({ packages }) => packages));
    expect(Object.keys(manifest.dependencies).filter((name) => !imported.has(name))).toEqual([]);
  });

  it('names every package that the generated client imports, which Biome does not check', () => {
    const client = built.filter(({ path }) => path.startsWith(join('dist', 'platform', 'generated')));
    const packages = [...new Set(client.flatMap((file) => file.packages))];
    expect(packages).toContain('@prisma/client-runtime-utils');
    expect(packages.filter((name) => !(name in manifest.dependencies))).toEqual([]);
  });

  it('leaves packages that only checks need to tools/', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(PROJECT_FOLDER, 'tools/package.json'), 'utf8'));
    const commands = Object.values(manifest.scripts).join('\n');
    const commandNames: Record<string, string> = {
      '@redocly/cli': 'redocly',
      '@biomejs/biome': 'biome',
      'dependency-cruiser': 'depcruise',
    };
    const tests = sources('test').map(({ text }) => text);
    const isRun = (name: string) => commands.includes(`scripts/tool.mjs ${commandNames[name] ?? name} `);
    const isUsedByTests = (name: string) => tests.some((text) => text.includes(`tools/node_modules/${name}'`));
    const unused = Object.keys(devDependencies).filter((name) => !isRun(name) && !isUsedByTests(name));
    expect(unused).toEqual([]);
    expect(Object.keys(devDependencies).filter((name) => name in manifest.devDependencies)).toEqual([]);
  });

  it('has no development dependency that nothing uses', () => {
    const text = [
      ...['test', 'bench', 'scripts', 'src', 'console']
        .flatMap(sources)
        .filter(({ path }) => !path.endsWith(basename(import.meta.filename)))
        .map(({ text }) => text),
      ...['prisma.config.ts', 'vitest.config.ts', 'tsconfig.json'].map((path) =>
        readFileSync(join(PROJECT_FOLDER, path), 'utf8'),
      ),
      ...Object.values(manifest.scripts),
    ].join('\n');
    const names: Record<string, string> = { typescript: 'tsc' };
    const unused = Object.keys(manifest.devDependencies).filter((name) => {
      const subject = name.replace(/^@types\//, '');
      const types = name.startsWith('@types/') && (subject === 'node' || new RegExp(`'${subject}(?:/|')`).test(text));
      return !types && !new RegExp(`(?<![\\w-])${names[name] ?? name}(?![\\w-])`).test(text);
    });
    expect(unused).toEqual([]);
  });
});

interface LockedPackage {
  dev?: boolean;
  engines?: { node?: string };
  optionalDependencies?: Record<string, string>;
  resolved?: string;
}

function lockedPackages(path: string): Record<string, LockedPackage> {
  return JSON.parse(readFileSync(join(PROJECT_FOLDER, path), 'utf8')).packages;
}

describe('package-lock.json', () => {
  const packages = lockedPackages('package-lock.json');

  it('marks build tools as development packages, even if a dependency has them as optional peers', () => {
    const tools = ['prisma', '@prisma/client', '@prisma/schema-engine-wasm', 'typescript', '@swc/core', 'react'];
    expect(tools.filter((name) => !packages[`node_modules/${name}`]?.dev)).toEqual([]);
  });
});

describe.each(['package-lock.json', 'site/package-lock.json', 'tools/package-lock.json'])('%s', (path) => {
  const packages = lockedPackages(path);

  it('contains the optional packages of every platform, without which npm ci fails', () => {
    const locked = new Set(
      Object.keys(packages).map((location) => location.slice(location.lastIndexOf('node_modules/') + 13)),
    );
    const optionalNames = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    if (path !== 'tools/package-lock.json') expect(optionalNames.length).toBeGreaterThan(10);
    expect(optionalNames.filter((name) => !locked.has(name))).toEqual([]);
  });

  it('needs no later Node.js than ours, which would make npm ci warn', () => {
    const OURS = [20, 19, 0];
    const refusing = Object.entries(packages).filter(([, { engines }]) => !admits(engines?.node ?? '*', OURS));
    expect(refusing.map(([path, { engines }]) => `${path}: ${engines?.node}`)).toEqual([]);
    const admitted = ['>=20.19 <21', '^18 || ^20.19.0', '20.x', '>= 10.*', '>=12'].map((range) => admits(range, OURS));
    expect(admitted).toEqual([true, true, true, true, true]);
    const refused = ['>=22.0.0', '^20.20 || >=22', '<20', '21', '^18.1', '>=20.19.1'].map((range) =>
      admits(range, OURS),
    );
    expect(refused).toEqual([false, false, false, false, false, false]);
  });

  it('names no custom registry', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });
});

/** Packages that connect to PostgreSQL or Redis, with the only files that may import them. */
const CONNECTING: Record<string, readonly string[]> = {
  pg: [
    'src/platform/store/connections/client.ts',
    'src/platform/store/connections/pool.ts',
    'src/platform/store/connections/local-query.ts',
  ],
  '@prisma/adapter-pg': ['src/platform/store/connections/pool.ts'],
  // Only lasting.ts opens ioredis connections, because a plain one may end permanently without being closed.
  ioredis: ['src/platform/redis/lasting.ts'],
  // The backends pass their own connections to BullMQ, and workers.ts imports only an error class.
  bullmq: [
    'src/messages/queue/backend.ts',
    'src/messages/queue/postgres/store-backend.ts',
    'src/messages/queue/workers.ts',
  ],
};

describe('the sources', () => {
  it.each(Object.entries(CONNECTING))('connect with %s in one place only', (name, files) => {
    const users = sources('src').filter(({ text }) => listImportedPackages(text).includes(name));
    expect(users.map(({ path }) => path).sort()).toEqual([...files].sort());
  });

  it('check out pool connections only where holding two at once is prevented', () => {
    const connectingFiles = sources('src').filter(({ text }) => /\b(?:\w*[pP]ool|#\w*[pP]ool)\.connect\(/.test(text));
    expect(connectingFiles.map(({ path }) => path).sort()).toEqual([
      // An import holds its connection until it ends, but runs in a separate process.
      'src/features/contacts/import/import.ts',
      'src/messages/queue/postgres/store-backend.ts',
      'src/platform/store/connections/pool.ts',
      // replica.ts releases the connection immediately after determining the replica's age.
      'src/platform/store/servers/replica.ts',
    ]);
  });

  it('pass connections to BullMQ, not an address with which it would open its own', () => {
    const text = sources('src').find(({ path }) => path.endsWith('messages/queue/backend.ts'))?.text ?? '';
    const connections = [...text.matchAll(/\bconnection: (\w+)[(,]/g)].map(([, argument]) => argument);
    expect(connections).toEqual(['toConnection', 'toConnection', 'connect', 'redis']);
    expect(text).toContain('const redis = connect(');
    expect(text).not.toMatch(/createPostgresBackend|createRedisBackend/);
  });

  it('send only SQL in tagged templates or parameterised queries', () => {
    const unsafe = sources('src').filter(({ text }) => /\$(query|execute)RawUnsafe|Prisma\.raw\b/.test(text));
    expect(unsafe.map(({ path }) => path)).toEqual([]);
  });
});

describe('the tests', () => {
  const tests = sources('test').filter(({ path }) => !path.endsWith(basename(import.meta.filename)));
  const isUnit = ({ path }: { path: string }) => path.endsWith('.unit.test.ts');

  it('fake the clock only in processes without an open application', () => {
    const fakingTests = tests.filter(({ text }) => /\buseFakeTimers\(|\bsetSystemTime\(/.test(text));
    expect(fakingTests.length).toBeGreaterThan(0);
    // within-window.ts stops the clock only for a few requests, and always restores it.
    const otherPaths = fakingTests.filter((test) => !isUnit(test)).map(({ path }) => path);
    expect(otherPaths).toEqual(['test/support/within-window.ts']);
    const sharing = tests.filter(({ text }) => /\bsharedApp\(/.test(text));
    expect(sharing.length).toBeGreaterThan(0);
    expect(sharing.filter(isUnit).map(({ path }) => path)).toEqual([]);
  });

  it('have no timeout below HANG_MS, which would fail on a slow machine', () => {
    const short = tests.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:timeout|testTimeout|hookTimeout): ([\d_]+)|^ *\},\s+([\d_]{5,}),?\s*\);$/gm)]
        .filter(([, option, argument]) => Number((option ?? argument ?? '').replaceAll('_', '')) < HANG_MS)
        .map(([match]) => `${path}: ${match}`),
    );
    expect(short).toEqual([]);
  });

  it('wait with waitFor or expect.poll, because vi.waitFor gives up after a second', () => {
    const impatient = tests.filter(({ text }) => /\bvi\.wait(For|Until)\(/.test(text));
    expect(impatient.map(({ path }) => path)).toEqual([]);
  });
});
