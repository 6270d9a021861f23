import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new folder for temporary files that other users may enter too. Where root runs the tests, the embedded PostgreSQL then
 * keeps its cluster within, and it goes with the folder.
 */
export function openFolder(prefix: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, prefix));
  chmodSync(folder, 0o755);
  return folder;
}
