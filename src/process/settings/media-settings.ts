import type { BucketOptions } from '../../features/media/files/bucket-files.js';
import type { MediaLimits } from '../../features/media/media.js';

/** One without the other would be noticed with the first file. */
export function mediaProblems(
  given: Readonly<Record<string, string | undefined>>,
): { setting: string; problem: string }[] {
  const { MEDIA_BUCKET_ACCESS_KEY_ID: id, MEDIA_BUCKET_SECRET_ACCESS_KEY: secret, MEDIA_BUCKET: bucket } = given;
  const problems: { setting: string; problem: string }[] = [];
  if (id !== undefined && secret === undefined) {
    problems.push({
      setting: 'MEDIA_BUCKET_SECRET_ACCESS_KEY',
      problem: 'must be set, since MEDIA_BUCKET_ACCESS_KEY_ID is',
    });
  }
  if (secret !== undefined && id === undefined) {
    problems.push({
      setting: 'MEDIA_BUCKET_ACCESS_KEY_ID',
      problem: 'must be set, since MEDIA_BUCKET_SECRET_ACCESS_KEY is',
    });
  }
  if (bucket === undefined && (id !== undefined || given.MEDIA_BUCKET_ENDPOINT !== undefined)) {
    const set = id === undefined ? 'MEDIA_BUCKET_ENDPOINT' : 'MEDIA_BUCKET_ACCESS_KEY_ID';
    problems.push({ setting: 'MEDIA_BUCKET', problem: `must be set, since ${set} is` });
  }
  return problems;
}

interface MediaConfig {
  mediaMaxBytes: number;
  mediaAccountBytes: number;
  mediaBucket?: string;
  mediaBucketPrefix: string;
  mediaBucketRegion: string;
  mediaBucketEndpoint?: string;
  mediaBucketAccessKeyId?: string;
  mediaBucketSecretAccessKey?: string;
}

/** How large files may be. */
export function mediaLimits({ mediaMaxBytes, mediaAccountBytes }: MediaConfig): MediaLimits {
  return { fileBytes: mediaMaxBytes, accountBytes: mediaAccountBytes };
}

/** The bucket of files; null where they lie in DATA_DIR. */
export function bucketOf(config: MediaConfig): BucketOptions | null {
  const { mediaBucket: bucket, mediaBucketAccessKeyId, mediaBucketSecretAccessKey } = config;
  if (bucket === undefined) return null;
  const hasKey = mediaBucketAccessKeyId !== undefined && mediaBucketSecretAccessKey !== undefined;
  return {
    bucket,
    prefix: config.mediaBucketPrefix,
    region: config.mediaBucketRegion,
    endpoint: config.mediaBucketEndpoint ?? null,
    credentials: hasKey ? { accessKeyId: mediaBucketAccessKeyId, secretAccessKey: mediaBucketSecretAccessKey } : null,
  };
}
