import type pg from 'pg';
import type { Logger } from 'pino';
import type { MediaSource } from '../../carriers/media/carrier-media.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import { MediaFetcher } from '../../features/media/fetch-received.js';
import { BucketFiles } from '../../features/media/files/bucket-files.js';
import { FolderFiles } from '../../features/media/files/folder-files.js';
import type { MediaFiles } from '../../features/media/files/media-files.js';
import type { MediaLimits } from '../../features/media/media.js';
import { ChannelMedia } from '../../features/media/media-source.js';
import type { Clock } from '../../platform/clock.js';
import type { Closers } from '../closers.js';
import type { Config } from '../settings/config.js';
import { bucketOptions, mediaLimits } from '../settings/media-settings.js';

export interface ProcessMedia {
  files: MediaFiles;
  mediaLimits: MediaLimits;
  fetchesMedia: boolean;
  fetcher: MediaFetcher;
  source: MediaSource;
}

export async function openMedia(
  config: Config,
  { pool, clock, log, carriers }: { pool: pg.Pool; clock: Clock; log: Logger; carriers: CarrierRegistry },
  closers: Closers,
): Promise<ProcessMedia> {
  const bucket = bucketOptions(config);
  const files = bucket ? await BucketFiles.open(bucket) : new FolderFiles(config.dataDir);
  closers.add(() => files.close());
  if (bucket) log.info({ place: files.location }, 'media files are stored in a bucket');
  const limits = mediaLimits(config);
  return {
    files,
    mediaLimits: limits,
    fetchesMedia: config.mediaFetch === 'at-once',
    fetcher: new MediaFetcher({ pool, clock, files, mediaLimits: limits, carriers }),
    source: new ChannelMedia({ pool, clock, files }),
  };
}
