import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a temporary folder that other users may enter. If root runs the tests, the embedded PostgreSQL then keeps its
 * cluster inside, so that it is removed with the folder.
 */
export function openFolder(prefix: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, prefix));
  chmodSync(folder, 0o755);
  return folder;
}
