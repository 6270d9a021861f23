import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of the folder that holds package.json and prisma, wherever the code runs from: sources, or the built dist. */
export const PACKAGE_FOLDER = fileURLToPath(new URL('../..', import.meta.url));

/** Version of this program, as package.json says it. */
export const VERSION = (JSON.parse(readFileSync(`${PACKAGE_FOLDER}/package.json`, 'utf8')) as { version: string })
  .version;
