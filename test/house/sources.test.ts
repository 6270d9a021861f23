import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const manifest = JSON.parse(readFileSync(join(PROJECT_FOLDER, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  scripts: Record<string, string>;
};

/** The sources of a folder, generated ones excepted, by path from the project's folder. */
function sources(folder: string): { path: string; text: string }[] {
  return readdirSync(join(PROJECT_FOLDER, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('generated'))
    .map((path) => ({ path: path.slice(PROJECT_FOLDER.length), text: readFileSync(path, 'utf8') }));
}

/** Names of the packages that a text imports, types excepted where asked. */
function packagesOf(text: string): string[] {
  const specifiers = [
    ...text.matchAll(/^\s*(?:import|export)\b[^'";]*?from\s+'([^']+)'/gms),
    ...text.matchAll(/^import\s+'([^']+)'/gm),
    ...text.matchAll(/\b(?:import|require)\(\s*'([^']+)'/g),
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

describe('package.json', () => {
  it('has no dependency that the server does not import', () => {
    const imported = new Set(sources('src').flatMap(({ text }) => packagesOf(text)));
    // The generated client imports its run time; logs on a terminal name pino-pretty as a transport.
    const indirect = new Set(['@prisma/client']);
    const named = sources('src')
      .map(({ text }) => text)
      .join('\n');
    const unused = Object.keys(manifest.dependencies).filter(
      (name) => !imported.has(name) && !indirect.has(name) && !named.includes(`'${name}'`),
    );
    expect(unused).toEqual([]);
  });

  it('has no development dependency that nothing uses', () => {
    const text = [
      ...['test', 'bench', 'scripts', 'src'].flatMap(sources).map(({ text }) => text),
      ...['prisma.config.ts', 'vitest.config.ts', 'tsconfig.json'].map((path) =>
        readFileSync(join(PROJECT_FOLDER, path), 'utf8'),
      ),
      ...Object.values(manifest.scripts),
    ].join('\n');
    const commands: Record<string, string> = { '@biomejs/biome': 'biome', typescript: 'tsc' };
    const unused = Object.keys(manifest.devDependencies).filter((name) => {
      const subject = name.replace(/^@types\//, '');
      const types = name.startsWith('@types/') && (subject === 'node' || text.includes(`'${subject}'`));
      return !types && !new RegExp(`\\b${commands[name] ?? name}\\b`).test(text);
    });
    expect(unused).toEqual([]);
  });

  it('names every package that the server imports as a dependency', () => {
    const runtime = sources('src').flatMap(({ path, text }) =>
      packagesOf(text.replace(/^import type .*?;$/gms, '')).map((name) => ({ path, name })),
    );
    expect(runtime.length).toBeGreaterThan(10);
    expect(runtime.filter(({ name }) => !(name in manifest.dependencies))).toEqual([]);
  });
});

describe('package-lock.json', () => {
  const { packages } = JSON.parse(readFileSync(join(PROJECT_FOLDER, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string>; resolved?: string }>;
  };

  it('holds the optional packages of every platform, without which npm ci refuses it', () => {
    const locked = new Set(Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)));
    const named = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !locked.has(name))).toEqual([]);
  });

  it('names no registry of its own', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });
});

describe('the sources', () => {
  it('send no SQL that is not a tagged template or a parameterised query', () => {
    const unsafe = sources('src').filter(({ text }) => /\$(query|execute)RawUnsafe|Prisma\.raw\b/.test(text));
    expect(unsafe.map(({ path }) => path)).toEqual([]);
  });

  it('hold no file of more than 400 lines', () => {
    const long = ['src', 'test', 'bench', 'scripts']
      .flatMap(sources)
      .filter(({ text }) => text.split('\n').length > 401)
      .map(({ path }) => path);
    expect(long).toEqual([]);
  });
});
