import { readFileSync, writeSync } from 'node:fs';
import { PACKAGE_FOLDER } from '../package-folder.js';

const STANDARD_ERROR = 2;

/**
 * Ends the process in a sentence, with exit code 1, where its Node.js is older than package.json asks for. An entry point
 * calls this before it imports anything else.
 */
export function refuseOldNode(): void {
  const { engines } = JSON.parse(readFileSync(`${PACKAGE_FOLDER}/package.json`, 'utf8')) as {
    engines: { node: string };
  };
  const needed = engines.node.replace('>=', '');
  if (isAtLeast(process.versions.node, needed)) return;
  const sentence = `Heliograph needs Node.js ${needed} or later, and this is ${process.versions.node}.\n`;
  writeSync(STANDARD_ERROR, `Heliograph cannot start. ${sentence}`);
  process.exit(1);
}

function isAtLeast(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}
