/** First bytes by which each file type is recognized. */
const SIGNATURES = {
  'image/jpeg': '\xff\xd8\xff\xe0\0\x10JFIF\0',
  'image/png': '\x89PNG\r\n\x1a\n',
  'image/webp': 'RIFF\x20\0\0\0WEBPVP8 ',
  'audio/aac': '\xff\xf1\x50\x80',
  'audio/amr': '#!AMR\n',
  'audio/mpeg': 'ID3\x04\0\0',
  'audio/mp4': '\0\0\0\x20ftypM4A \0\0\0\0',
  'audio/ogg': 'OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x13OpusHead\x01',
  'video/mp4': '\0\0\0\x20ftypisom\0\0\0\0',
  'video/3gpp': '\0\0\0\x20ftyp3gp4\0\0\0\0',
  'application/pdf': '%PDF-1.7\n',
  'application/msword': '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
  'application/vnd.ms-excel': '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
  'application/vnd.ms-powerpoint': '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'PK\x03\x04',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'PK\x03\x04',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PK\x03\x04',
  'text/plain': 'Grüße\n',
} as const;

export type FileType = keyof typeof SIGNATURES;
export const FILE_TYPES = Object.keys(SIGNATURES) as FileType[];

/** WebP sticker whose extended header has the flag for animation. */
export const ANIMATED_STICKER = Buffer.from('RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\x02', 'latin1');

/** @param size file size in bytes, by default the smallest possible */
export function buildFile(type: FileType, size?: number): Buffer {
  return padFile(Buffer.from(SIGNATURES[type], type === 'text/plain' ? 'utf8' : 'latin1'), size, type);
}

export function padFile(signature: Buffer, size = signature.length, type = ''): Buffer {
  return Buffer.concat([signature, Buffer.alloc(size - signature.length, type === 'text/plain' ? 'x' : '\x01')]);
}
