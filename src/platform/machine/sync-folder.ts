import { open } from 'node:fs/promises';

/** Syncs only the folder's entries; the content of its files must be synced separately. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
