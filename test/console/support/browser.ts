import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { inject } from 'vitest';
import '../../support/run/provided.js';

/** Without a live update, a page shows changes only after the next poll, up to ten seconds later. */
const TIMEOUT_MS = 30_000;

let browser: Promise<Browser> | undefined;

export async function newProfile(options: BrowserContextOptions): Promise<BrowserContext> {
  const url = inject('browserUrl');
  if (!url) throw new Error('No browser is running. Use describeConsole, which skips the suite then.');
  browser ??= chromium.connect(url);
  const context = await (await browser).newContext({ reducedMotion: 'reduce', locale: 'en-US', ...options });
  context.setDefaultTimeout(TIMEOUT_MS);
  return context;
}
