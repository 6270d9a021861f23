import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder that contains package.json and prisma, whether the code runs from src or from dist. */
export const PACKAGE_FOLDER = fileURLToPath(new URL('../..', import.meta.url));

export const VERSION = (JSON.parse(readFileSync(`${PACKAGE_FOLDER}/package.json`, 'utf8')) as { version: string })
  .version;
