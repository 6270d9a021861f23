import type pg from 'pg';
import type { Clock } from '../../platform/clock.js';
import type { MediaFiles } from './files/media-files.js';

/** What working with files needs. */
export interface MediaOptions {
  pool: pg.Pool;
  clock: Clock;
  files: MediaFiles;
  mediaLimits: MediaLimits;
}

export interface MediaLimits {
  /** Most bytes of one file, of whatever type. */
  fileBytes: number;
  /** Most bytes of all files that an account keeps; 0: no limit. */
  accountBytes: number;
}

/** A number of bytes as people read it. */
export function bytesInWords(bytes: number): string {
  const MEGA = 1024 * 1024;
  if (bytes >= MEGA && bytes % MEGA === 0) return `${bytes / MEGA} MB`;
  if (bytes >= 1024 && bytes % 1024 === 0) return `${bytes / 1024} KB`;
  return `${bytes} bytes`;
}
