import { Type } from '@sinclair/typebox';
import type { BucketOptions } from '../../features/media/files/bucket-files.js';
import type { MediaLimits } from '../../features/media/media.js';
import { Setting } from './setting.js';

/** Files of channels: how large, how long and where. */
export const MEDIA_SETTINGS = {
  MEDIA_MAX_BYTES: Setting.count('Largest file in bytes, of whatever type; WhatsApp takes 100 MB at the most.', {
    default: 104_857_600,
    minimum: 1024,
    maximum: 2_147_483_647,
  }),
  MEDIA_ACCOUNT_BYTES: Setting.count('Bytes of all files that one account may keep; 0 sets no limit.', {
    default: 10_737_418_240,
    minimum: 0,
  }),
  MEDIA_RETENTION_DAYS: Setting.count('After how many days files are deleted; 0 keeps them for ever.', {
    default: 0,
    minimum: 0,
    maximum: 36_500,
  }),
  MEDIA_FETCH: Setting.choice(
    'When files that contacts send are fetched from their carrier: on-request, when they are first asked for, or at-once.',
    ['on-request', 'at-once'],
  ),
  MEDIA_BUCKET: Type.Optional(
    Setting.text(
      'Bucket of Amazon S3, or of a store that speaks like it, for files. Unset: the folder media in DATA_DIR.',
    ),
  ),
  MEDIA_BUCKET_PREFIX: Type.String({
    description: 'What the names of files in the bucket begin with.',
    default: 'media/',
    pattern: '^[A-Za-z0-9/_.-]*$',
  }),
  MEDIA_BUCKET_REGION: Setting.text('Region of the bucket.', { default: 'us-east-1' }),
  MEDIA_BUCKET_ENDPOINT: Type.Optional(
    Setting.text("Address of the store where it is not Amazon's, e.g. https://minio.example.com:9000.", {
      pattern: '^https?://[^\\s/?#]+/?$',
    }),
  ),
  MEDIA_BUCKET_ACCESS_KEY_ID: Type.Optional(
    Setting.text('Access key of the bucket. Unset: where programs of Amazon look, such as the role of the machine.'),
  ),
  MEDIA_BUCKET_SECRET_ACCESS_KEY: Type.Optional(Setting.text('Secret of that key. Needed with it.')),
};

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
