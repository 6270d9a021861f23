import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sendLoad } from '../../bench/lib/load/load.mjs';
import { selectTargets } from '../../bench/lib/targets.mjs';
import { findOtherNode } from '../../scripts/lib/other-node.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const read = (path: string) => readFileSync(join(PROJECT_FOLDER, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const benchmarks = Object.entries(scripts).filter(([name]) => name.startsWith('bench'));

describe('benchmarks', () => {
  it('each have a script in package.json and a description', () => {
    const benchmarkFiles = benchmarks.map(([, command]) => /node bench\/([\w-]+\.mjs)$/.exec(command)?.[1]).sort();
    expect(benchmarkFiles).toEqual(readdirSync(join(PROJECT_FOLDER, 'bench')).filter((name) => name.endsWith('.mjs')));
    const described = read('bench/README.md');
    expect(benchmarks.map(([name]) => name).filter((name) => !described.includes(`npm run ${name}\n`))).toEqual([]);
  });

  it('all run briefly before a change lands', () => {
    expect(read('.ci/run')).toMatch(/^node scripts\/bench-short\.mjs$/m);
    // bench-short.mjs selects the scripts in package.json by the prefix of their names.
    expect(read('scripts/bench-short.mjs')).toContain(
      "Object.keys(scripts).filter((name) => name.startsWith('bench'))",
    );
  });

  it('run under another Node.js version right after the current one', () => {
    const node = findOtherNode(process.execPath);
    expect(node.version).toBe(process.versions.node);
    const major = node.version.split('.')[0];
    const selectNames = (servers?: string) => selectTargets({ servers }, node).map(({ name }) => name);
    expect(selectNames('all,bare')).toEqual(['bare', `bare-${major}`, 'all', `all-${major}`]);
    expect(selectTargets({}, null).map(({ name }) => name)).toEqual(['bare', 'create', 'api', 'all']);
    expect(() => selectNames('all,none')).toThrow('--servers names none');
  });

  const generators = ['node', ...(spawnSync('wrk', ['--version']).error ? [] : ['wrk'])];

  it.each(generators)('with %s, count lost and refused requests and continue', async (generator) => {
    let requestCount = 0;
    const server = createServer((request, response) => {
      requestCount += 1;
      request.resume();
      if (requestCount % 5 === 0) request.socket.destroy();
      else response.writeHead(requestCount % 5 === 1 ? 503 : 200).end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const figures = await sendLoad({ generator, url, apiKey: 'none', connections: 2, seconds: 1 });
      expect(figures.accepted).toBeGreaterThan(0);
      expect(figures.lost).toBeGreaterThan(0);
      expect(figures.refused).toBeGreaterThan(0);
      expect(figures.accepted + figures.refused).toBeLessThanOrEqual(requestCount);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
