import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findProgram, installPackage } from '../processes/debian-packages.js';
import './provided.js';

/**
 * `chromium-headless-shell` comes first, because it needs a sixth less processor time than Chromium. `chromium-browser` comes
 * last, because Ubuntu's Chromium is a snap, which cannot start in a container.
 */
const SMALLEST = 'chromium-headless-shell';
const BROWSERS = [SMALLEST, 'chromium', 'google-chrome-stable', 'google-chrome', 'chromium-browser'];

const BUILT = join(import.meta.dirname, '../../../dist/console/index.html');

/** Starts the browser at CHROMIUM_PATH or an installed one, or installs a browser as root on Debian or Ubuntu. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = process.env.CHROMIUM_PATH ?? findProgram(BROWSERS) ?? install();
  if (!executablePath) {
    if (process.env.CI === 'true')
      throw new Error('CI=true, but there is no Chromium: install it, or set CHROMIUM_PATH.');
    project.provide('browserUrl', null);
    return async () => undefined;
  }
  if (!existsSync(BUILT)) throw new Error('the console is not built: run "node scripts/build.mjs --if-stale" first');
  const server = await chromium.launchServer({
    executablePath,
    // Containers have neither a sandbox nor a GPU, and tests need no requests to the browser's vendor.
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-dev-shm-usage'],
  });
  project.provide('browserUrl', server.wsEndpoint());
  return () => server.close();
}

function install(): string | null {
  const isInstalled = [SMALLEST, 'chromium'].some((name) => installPackage(name, (line) => console.log(line)));
  return isInstalled ? findProgram(BROWSERS) : null;
}
