import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const read = (path: string) => readFileSync(join(PROJECT_FOLDER, path), 'utf8');
const dockerfile = read('Dockerfile').replace(/\\\n/g, ' ');
const instructions = (name: string) =>
  [...dockerfile.matchAll(new RegExp(`^${name} +(.*)$`, 'gm'))].map(([, text]) => String(text).trim());

describe('Dockerfile', () => {
  it('copies only existing files that .dockerignore allows', () => {
    const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path);
    const copied = instructions('COPY')
      .filter((text) => !text.startsWith('--from='))
      .flatMap((text) => text.split(/\s+/).slice(0, -1));
    expect(copied.length).toBeGreaterThan(4);
    expect(copied.filter((path) => !existsSync(join(PROJECT_FOLDER, path)))).toEqual([]);
    expect([...copied].sort()).toEqual([...allowed].sort());
  });

  it('needs no Dockerfile frontend from a registry', () => {
    expect(dockerfile).not.toContain('# syntax=');
  });

  it('uses the same Node.js in both stages and runs as the user node', () => {
    const bases = instructions('FROM').map((text) => text.split(' ')[0]);
    expect(new Set(bases)).toEqual(new Set(['node:24-bookworm-slim']));
    expect(instructions('USER')).toEqual(['node']);
    expect(instructions('STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it("puts the package's command heliograph on the PATH", () => {
    const { bin } = JSON.parse(read('package.json'));
    expect(instructions('RUN')).toContain(`ln -s /app/${bin.heliograph} /usr/local/bin/heliograph`);
    expect(read('src/cli/main.ts')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('starts the same file as npm start', () => {
    const entrypoint = JSON.parse(String(instructions('ENTRYPOINT')[0])) as string[];
    expect(entrypoint.at(-1)).toBe('dist/main.js');
    expect(existsSync(join(PROJECT_FOLDER, 'src', 'main.ts'))).toBe(true);
  });
});
