import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Contains package.json and prisma, whether the code runs from the sources or from dist. */
export const PACKAGE_FOLDER = fileURLToPath(new URL('../..', import.meta.url));

export const VERSION = (JSON.parse(readFileSync(`${PACKAGE_FOLDER}/package.json`, 'utf8')) as { version: string })
  .version;
