import { Type } from '@sinclair/typebox';
import type { BucketOptions } from '../../features/media/files/bucket-files.js';
import type { MediaLimits } from '../../features/media/media.js';
import { Setting } from './setting.js';

export const MEDIA_SETTINGS = {
  MEDIA_MAX_BYTES: Setting.count('Maximum size of a media file in bytes; WhatsApp allows at most 100 MB.', {
    default: 104_857_600,
    minimum: 1024,
    maximum: 2_147_483_647,
  }),
  MEDIA_ACCOUNT_BYTES: Setting.count(
    'Maximum total size of the media files of one account, in bytes; 0 sets no limit.',
    {
      default: 10_737_418_240,
      minimum: 0,
    },
  ),
  MEDIA_RETENTION_DAYS: Setting.count('Media files are deleted after this many days; 0 keeps them forever.', {
    default: 0,
    minimum: 0,
    maximum: 36_500,
  }),
  MEDIA_FETCH: Setting.choice(
    'When files from contacts are downloaded from the carrier: on-request (on the first access) or at-once.',
    ['on-request', 'at-once'],
  ),
  MEDIA_BUCKET: Type.Optional(
    Setting.text('Bucket for media files, in Amazon S3 or a compatible service. Unset: the folder media in DATA_DIR.'),
  ),
  MEDIA_BUCKET_PREFIX: Type.String({
    description: 'Prefix of object names in the bucket.',
    default: 'media/',
    pattern: '^[A-Za-z0-9/_.-]*$',
  }),
  MEDIA_BUCKET_REGION: Setting.text('Region of the bucket.', { default: 'us-east-1' }),
  MEDIA_BUCKET_ENDPOINT: Type.Optional(
    Setting.text('URL of the service if it is not Amazon S3, e.g. https://minio.example.com:9000.', {
      pattern: '^https?://[^\\s/?#]+/?$',
    }),
  ),
  MEDIA_BUCKET_ACCESS_KEY_ID: Type.Optional(
    Setting.text(
      "Access key for the bucket. Unset: credentials from AWS's default sources, such as the machine's role.",
    ),
  ),
  MEDIA_BUCKET_SECRET_ACCESS_KEY: Type.Optional(
    Setting.text('Secret of the access key MEDIA_BUCKET_ACCESS_KEY_ID; needed with it.'),
  ),
};

/** Finds incomplete settings for media, which would otherwise go unnoticed until the first file. */
export function mediaProblems(
  values: Readonly<Record<string, string | undefined>>,
): { setting: string; problem: string }[] {
  const { MEDIA_BUCKET_ACCESS_KEY_ID: id, MEDIA_BUCKET_SECRET_ACCESS_KEY: secret, MEDIA_BUCKET: bucket } = values;
  const problems: { setting: string; problem: string }[] = [];
  if (id !== undefined && secret === undefined) {
    problems.push({
      setting: 'MEDIA_BUCKET_SECRET_ACCESS_KEY',
      problem: 'must be set, because MEDIA_BUCKET_ACCESS_KEY_ID is set',
    });
  }
  if (secret !== undefined && id === undefined) {
    problems.push({
      setting: 'MEDIA_BUCKET_ACCESS_KEY_ID',
      problem: 'must be set, because MEDIA_BUCKET_SECRET_ACCESS_KEY is set',
    });
  }
  if (bucket === undefined && (id !== undefined || values.MEDIA_BUCKET_ENDPOINT !== undefined)) {
    const dependent = id === undefined ? 'MEDIA_BUCKET_ENDPOINT' : 'MEDIA_BUCKET_ACCESS_KEY_ID';
    problems.push({ setting: 'MEDIA_BUCKET', problem: `must be set, because ${dependent} is set` });
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

export function mediaLimits({ mediaMaxBytes, mediaAccountBytes }: MediaConfig): MediaLimits {
  return { fileBytes: mediaMaxBytes, accountBytes: mediaAccountBytes };
}

export function bucketOptions(config: MediaConfig): BucketOptions | null {
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
