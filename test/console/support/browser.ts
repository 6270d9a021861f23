import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { inject } from 'vitest';
import '../../support/run/provided.js';

/**
 * How long a page may take to show what a test waits for, in milliseconds. What nobody tells a page it sees only when it
 * looks at everything, which is every ten seconds.
 */
const PATIENCE_MS = 30_000;

let browser: Promise<Browser> | undefined;

/** A browser profile of its own, in the browser that all tests share. */
export async function newProfile(options: BrowserContextOptions): Promise<BrowserContext> {
  const url = inject('browserUrl');
  if (!url) throw new Error('there is no browser: use describeConsole');
  browser ??= chromium.connect(url);
  const context = await (await browser).newContext({ reducedMotion: 'reduce', locale: 'en-US', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}
