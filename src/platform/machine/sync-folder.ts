import { open } from 'node:fs/promises';

/** Brings the names of a folder's files to the disk; what is in them, each file has to be asked for itself. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
