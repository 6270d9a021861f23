import type { MEDIA_TYPES } from '../content.js';

/** What WhatsApp shows of a file: a kind of message. */
export type MediaKind = (typeof MEDIA_TYPES)[number];

const KILO = 1024;
const MEGA = 1024 * 1024;

/** Meta's types of files by the kind of message that shows them (Meta, "Supported media types"). */
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

/** Bytes of the largest file of a kind. Meta's MB is taken as 1,048,576 bytes: what it takes is never refused here. */
const LIMITS: Readonly<Record<MediaKind, number>> = {
  audio: 16 * MEGA,
  document: 100 * MEGA,
  image: 5 * MEGA,
  sticker: 100 * KILO,
  video: 16 * MEGA,
};
const MOVING_STICKER = 500 * KILO;

/** Bytes of the largest file that WhatsApp takes of whatever type. */
export const LARGEST_FILE = LIMITS.document;

/** What WhatsApp shows of a type of files; null: it takes none such. */
export function mediaKindOf(mimeType: string): MediaKind | null {
  return TYPES.get(mimeType) ?? null;
}

/** Every type that WhatsApp takes. */
export const MEDIA_MIME_TYPES: readonly string[] = [...TYPES.keys()];

/** Bytes of the largest file of a kind that WhatsApp takes. */
export function largestOf(kind: MediaKind, { moving = false }: { moving?: boolean } = {}): number {
  return kind === 'sticker' && moving ? MOVING_STICKER : LIMITS[kind];
}

/** Whether a message of a kind may show a file of a type. A document may be any. */
export function mayShow(kind: MediaKind, mimeType: string): boolean {
  return kind === 'document' || mediaKindOf(mimeType) === kind;
}
