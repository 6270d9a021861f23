/** Bytes from the beginning of a file by which its type is known. */
export const HEAD_BYTES = 4096;

/** What a file is by its first bytes. */
export interface ContentType {
  mimeType: string;
  /** A sticker that moves. */
  moving?: boolean;
}

/** What somebody says of a file beside its bytes. */
export interface Declared {
  /** A MIME type, perhaps with parameters; null where none was given. */
  mimeType: string | null;
  filename: string | null;
}

const OOXML = 'application/vnd.openxmlformats-officedocument.';

/** Types that begin with the same bytes: which of them it is, only what is declared tells. */
const FAMILIES = {
  zip: [`${OOXML}wordprocessingml.document`, `${OOXML}spreadsheetml.sheet`, `${OOXML}presentationml.presentation`],
  ole: ['application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint'],
  mp4: ['video/mp4', 'audio/mp4'],
} as const;

/** Where a name tells the type that nobody declared. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  docx: FAMILIES.zip[0],
  xlsx: FAMILIES.zip[1],
  pptx: FAMILIES.zip[2],
  doc: FAMILIES.ole[0],
  xls: FAMILIES.ole[1],
  ppt: FAMILIES.ole[2],
  mp4: 'video/mp4',
  m4a: 'audio/mp4',
};

/** Types that say nothing. */
const VAGUE: ReadonlySet<string> = new Set(['application/octet-stream', 'binary/octet-stream']);

/** Other names of types of Meta's list. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/m4a', 'audio/mp4'],
  ['audio/opus', 'audio/ogg'],
  ['audio/x-aac', 'audio/aac'],
  ['audio/aacp', 'audio/aac'],
  ['video/3gp', 'video/3gpp'],
]);

/** The type that is declared, without parameters and by its usual name; null where it says nothing. */
export function declaredType({ mimeType }: Pick<Declared, 'mimeType'>): string | null {
  const plain = mimeType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return plain === '' || VAGUE.has(plain) ? null : (ALIASES.get(plain) ?? plain);
}

/**
 * The type of a file by its first bytes; where several types begin alike, what is declared or the name's ending chooses
 * among them.
 * @param head its first `HEAD_BYTES`, or all of it
 * @returns null for a type that is not known here, or whose choice nothing tells
 */
export function contentType(head: Buffer, declared: Declared): ContentType | null {
  const starts = (text: string, at = 0) => head.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'));
  const chosen = (family: readonly string[]) => chooseOf(family, declared);
  if (starts('\xff\xd8\xff')) return { mimeType: 'image/jpeg' };
  if (starts('\x89PNG\r\n\x1a\n')) return { mimeType: 'image/png' };
  // The extended header of a WebP has a flag for animations ("WebP Container Specification").
  if (starts('RIFF') && starts('WEBP', 8)) {
    return { mimeType: 'image/webp', moving: starts('VP8X', 12) && ((head[20] ?? 0) & 0x02) !== 0 };
  }
  if (starts('%PDF-')) return { mimeType: 'application/pdf' };
  if (starts('PK\x03\x04')) return chosen(FAMILIES.zip);
  if (starts('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return chosen(FAMILIES.ole);
  if (starts('ftyp', 4)) return ofBrand(head.subarray(8, 12).toString('latin1'), declared);
  // WhatsApp takes Ogg with Opus alone, whose first page names it (RFC 7845 §5.1).
  if (starts('OggS')) return head.subarray(0, 256).includes('OpusHead') ? { mimeType: 'audio/ogg' } : null;
  if (starts('#!AMR')) return { mimeType: 'audio/amr' };
  if (starts('ID3')) return { mimeType: 'audio/mpeg' };
  return soundOf(head) ?? (isText(head) ? { mimeType: 'text/plain' } : null);
}

/** Whether a file is one of several documents that begin alike, of which only what is declared tells which it is. */
export function isOfFamily(head: Buffer): boolean {
  return [FAMILIES.zip[0], FAMILIES.ole[0]].some(
    (mimeType) => contentType(head, { mimeType, filename: null })?.mimeType === mimeType,
  );
}

function chooseOf(family: readonly string[], declared: Declared): ContentType | null {
  const ending = /\.([a-z0-9]+)$/i.exec(declared.filename ?? '')?.[1]?.toLowerCase() ?? '';
  const said = declaredType(declared) ?? EXTENSIONS[ending];
  return said !== undefined && family.includes(said) ? { mimeType: said } : null;
}

/** The brand of an ISO file (ISO/IEC 14496-12 §4.3). Most are written for sound and for pictures alike. */
function ofBrand(brand: string, declared: Declared): ContentType {
  if (/^3g[pr2egs]/.test(brand)) return { mimeType: 'video/3gpp' };
  if (/^M4[AB] /.test(brand)) return { mimeType: 'audio/mp4' };
  return chooseOf(FAMILIES.mp4, declared) ?? { mimeType: 'video/mp4' };
}

/** A frame of AAC (ADTS, layer 0) or MP3 begins with eleven or twelve set bits. */
function soundOf([first = 0, second = 0]: Buffer): ContentType | null {
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  if ((second & 0xf6) === 0xf0) return { mimeType: 'audio/aac' };
  return (second & 0x06) !== 0 ? { mimeType: 'audio/mpeg' } : null;
}

/** UTF-8 without control characters but those of texts. The head may end within a character. */
function isText(head: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    return text !== '' && !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
  } catch {
    return false;
  }
}
