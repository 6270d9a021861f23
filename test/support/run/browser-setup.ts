import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findProgram, installPackage } from '../processes/debian-packages.js';
import './provided.js';

/**
 * The one without windows costs a sixth less of the processor. Ubuntu's package chromium is a snap, which nothing can start
 * in a container; its own names come last.
 */
const SMALLEST = 'chromium-headless-shell';
const BROWSERS = [SMALLEST, 'chromium', 'google-chrome-stable', 'google-chrome', 'chromium-browser'];

const BUILT = join(import.meta.dirname, '../../../dist/console/index.html');

/**
 * Starts what every browser test shares: one Chromium without windows. It is CHROMIUM_PATH, else one of this machine, else
 * (as root on Debian or Ubuntu) an installed one; without one the tests are skipped.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = process.env.CHROMIUM_PATH ?? findProgram(BROWSERS) ?? install();
  if (!executablePath) {
    if (process.env.CI === 'true')
      throw new Error('CI=true, and there is no Chromium: install it, or set CHROMIUM_PATH.');
    project.provide('browserUrl', null);
    return async () => undefined;
  }
  if (!existsSync(BUILT)) throw new Error('the console is not built: run "node scripts/build.mjs --if-stale" before');
  const server = await chromium.launchServer({
    executablePath,
    // In a container there is neither a sandbox nor a GPU, and no need of calls to the vendor.
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-dev-shm-usage'],
  });
  project.provide('browserUrl', server.wsEndpoint());
  return () => server.close();
}

function install(): string | null {
  const isInstalled = [SMALLEST, 'chromium'].some((name) => installPackage(name, (line) => console.log(line)));
  return isInstalled ? findProgram(BROWSERS) : null;
}
