import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { openFolder } from '../open-folder.js';
import { NGINX_SUITE } from '../run/provided.js';
import { waitFor } from '../wait-for.js';
import { findProgram } from './debian-packages.js';
import { findFreePort } from './free-port.js';

const nginx = findProgram(['nginx']);

/** Skips and reports the suite if nginx is not installed. */
export function describeNginx(name: string, suite: () => void): void {
  describe.skipIf(nginx === null)(`${name} ${NGINX_SUITE}`, suite);
}

export interface Nginx {
  baseUrl: string;
  /** Logged errors, except those about servers that refused a connection. */
  errors(): string;
  close(): Promise<void>;
}

/** @param blocks content of the `http` block, with one `server` block that has no `listen` directive */
export async function startNginx(blocks: string): Promise<Nginx> {
  const folder = openFolder('heliograph-nginx-');
  const port = await findFreePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${join(folder, 'pid')}; error_log stderr warn;
    events {}
    http {
      access_log off; ${temporary.join(' ')}
      ${blocks.replace(/^server \{/m, `server { listen 127.0.0.1:${port};`)}
    }`,
  );
  const child = spawn(nginx as string, ['-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errorOutput = '';
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  const exit = once(child, 'exit');
  const baseUrl = `http://127.0.0.1:${port}`;
  const close = async () => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await exit;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitFor(`nginx at ${baseUrl}`, async () => (await fetch(`${baseUrl}/health/live`)).ok);
  } catch (cause) {
    await close();
    throw new Error(`nginx did not start; its output:\n${errorOutput}`, { cause });
  }
  return {
    baseUrl,
    errors: () =>
      errorOutput
        .split('\n')
        .filter((line) => !line.includes('(111: Connection refused)'))
        .join('\n'),
    close,
  };
}
