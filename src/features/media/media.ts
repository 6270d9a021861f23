import type pg from 'pg';
import type { Clock } from '../../platform/clock.js';
import type { MediaFiles } from './files/media-files.js';

export interface MediaOptions {
  pool: pg.Pool;
  clock: Clock;
  files: MediaFiles;
  mediaLimits: MediaLimits;
}

export interface MediaLimits {
  fileBytes: number;
  /** Limit for all files of an account together; 0 means no limit. */
  accountBytes: number;
}

export function formatBytes(bytes: number): string {
  const MB = 1024 * 1024;
  if (bytes >= MB && bytes % MB === 0) return `${bytes / MB} MB`;
  if (bytes >= 1024 && bytes % 1024 === 0) return `${bytes / 1024} KB`;
  return `${bytes} bytes`;
}
