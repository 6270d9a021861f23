import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findProgram, installPackage } from '../processes/debian-packages.js';
import './provided.js';

/**
 * A headless shell needs a sixth less processor time. Ubuntu's package chromium is a snap, which cannot start in a container,
 * so these names come last.
 */
const SMALLEST = 'chromium-headless-shell';
const BROWSERS = [SMALLEST, 'chromium', 'google-chrome-stable', 'google-chrome', 'chromium-browser'];

const BUILT = join(import.meta.dirname, '../../../dist/console/index.html');

/** Uses CHROMIUM_PATH, an installed browser, or (as root on Debian or Ubuntu) installs one. */
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
    // A container has neither sandbox nor GPU, and tests need no calls to the vendor.
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-dev-shm-usage'],
  });
  project.provide('browserUrl', server.wsEndpoint());
  return () => server.close();
}

function install(): string | null {
  const isInstalled = [SMALLEST, 'chromium'].some((name) => installPackage(name, (line) => console.log(line)));
  return isInstalled ? findProgram(BROWSERS) : null;
}
