import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { inject } from 'vitest';
import '../../support/run/provided.js';

/**
 * Milliseconds a page may take to show what a test waits for. Changes without a live update appear only with the next poll,
 * after up to ten seconds.
 */
const PATIENCE_MS = 30_000;

let browser: Promise<Browser> | undefined;

/** Creates a separate browser profile in the browser that all tests share. */
export async function newProfile(options: BrowserContextOptions): Promise<BrowserContext> {
  const url = inject('browserUrl');
  if (!url) throw new Error('No browser is running. Use describeConsole, which skips the suite then.');
  browser ??= chromium.connect(url);
  const context = await (await browser).newContext({ reducedMotion: 'reduce', locale: 'en-US', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}
