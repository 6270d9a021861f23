import { readFileSync, writeSync } from 'node:fs';
import { PACKAGE_FOLDER } from '../package-folder.js';

const STANDARD_ERROR = 2;

/** Entry points call this before they import anything else. */
export function refuseOldNode(): void {
  const { engines } = JSON.parse(readFileSync(`${PACKAGE_FOLDER}/package.json`, 'utf8')) as {
    engines: { node: string };
  };
  const required = engines.node.replace('>=', '');
  if (isAtLeast(process.versions.node, required)) return;
  const sentence = `Heliograph needs Node.js ${required} or later; this is ${process.versions.node}.\n`;
  writeSync(STANDARD_ERROR, `Heliograph cannot start. ${sentence}`);
  process.exit(1);
}

function isAtLeast(version: string, required: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = required.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}
