import type { MEDIA_TYPES } from '../content.js';

export type MediaKind = (typeof MEDIA_TYPES)[number];

const KILO = 1024;
const MEGA = 1024 * 1024;

/** Meta, "Supported media types". */
const TYPES: ReadonlyMap<string, MediaKind> = new Map<string, MediaKind>([
  ['audio/aac', 'audio'],
  ['audio/amr', 'audio'],
  ['audio/mpeg', 'audio'],
  ['audio/mp4', 'audio'],
  ['audio/ogg', 'audio'],
  ['image/jpeg', 'image'],
  ['image/png', 'image'],
  ['image/webp', 'sticker'],
  ['video/3gpp', 'video'],
  ['video/mp4', 'video'],
  ['application/pdf', 'document'],
  ['application/msword', 'document'],
  ['application/vnd.ms-excel', 'document'],
  ['application/vnd.ms-powerpoint', 'document'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'document'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'document'],
  ['text/plain', 'document'],
]);

/** Meta's "MB" is read as 1,048,576 bytes, so as not to reject a file that Meta accepts. */
const LIMITS: Readonly<Record<MediaKind, number>> = {
  audio: 16 * MEGA,
  document: 100 * MEGA,
  image: 5 * MEGA,
  sticker: 100 * KILO,
  video: 16 * MEGA,
};
const MOVING_STICKER = 500 * KILO;

/** In bytes. */
export const MAX_FILE_SIZE = LIMITS.document;

export function findMediaKind(mimeType: string): MediaKind | null {
  return TYPES.get(mimeType) ?? null;
}

export const MEDIA_MIME_TYPES: readonly string[] = [...TYPES.keys()];

export function getMaxFileSize(kind: MediaKind, { moving = false }: { moving?: boolean } = {}): number {
  return kind === 'sticker' && moving ? MOVING_STICKER : LIMITS[kind];
}

/** Documents may have any media type. */
export function canShow(kind: MediaKind, mimeType: string): boolean {
  return kind === 'document' || findMediaKind(mimeType) === kind;
}
