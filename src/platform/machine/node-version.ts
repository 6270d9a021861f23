import { readFileSync, writeSync } from 'node:fs';
import { PACKAGE_FOLDER } from '../package-folder.js';

const STANDARD_ERROR = 2;

/** Entry points call `refuseOldNode` before they import anything else. */
export function refuseOldNode(): void {
  const { engines } = JSON.parse(readFileSync(`${PACKAGE_FOLDER}/package.json`, 'utf8')) as {
    engines: { node: string };
  };
  const requiredVersion = engines.node.replace('>=', '');
  if (isAtLeast(process.versions.node, requiredVersion)) return;
  const sentence = `Heliograph needs Node.js ${requiredVersion} or later; this is ${process.versions.node}.\n`;
  writeSync(STANDARD_ERROR, `Heliograph cannot start. ${sentence}`);
  process.exit(1);
}

function isAtLeast(version: string, requiredVersion: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = requiredVersion.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}
