/** Number of bytes at the start of a file that type detection reads. */
export const HEAD_BYTES = 4096;

export interface ContentType {
  mimeType: string;
  /** An animated sticker. */
  moving?: boolean;
  /** Whether files of other types can start with the same bytes, so that the declared type may be more accurate. */
  isWeak?: boolean;
}

export interface DeclaredType {
  /** May have parameters. */
  mimeType: string | null;
  filename: string | null;
}

const OOXML = 'application/vnd.openxmlformats-officedocument.';

/** Groups of file types that start with the same bytes. */
const FAMILIES = {
  zip: [`${OOXML}wordprocessingml.document`, `${OOXML}spreadsheetml.sheet`, `${OOXML}presentationml.presentation`],
  ole: ['application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint'],
  mp4: ['video/mp4', 'audio/mp4'],
} as const;

const TYPES_BY_EXTENSION: Readonly<Record<string, string>> = {
  docx: FAMILIES.zip[0],
  xlsx: FAMILIES.zip[1],
  pptx: FAMILIES.zip[2],
  doc: FAMILIES.ole[0],
  xls: FAMILIES.ole[1],
  ppt: FAMILIES.ole[2],
  mp4: 'video/mp4',
  m4a: 'audio/mp4',
};

const UNKNOWN_TYPE = 'application/octet-stream';

const UNSPECIFIC_TYPES: ReadonlySet<string> = new Set(['application/octet-stream', 'binary/octet-stream']);

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

/** Removes parameters of a MIME type and replaces aliases. Returns null for a type that carries no information. */
export function normalizeDeclaredType({ mimeType }: Pick<DeclaredType, 'mimeType'>): string | null {
  const plain = mimeType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return plain === '' || UNSPECIFIC_TYPES.has(plain) ? null : (ALIASES.get(plain) ?? plain);
}

/** RFC 9110 §8.3.1. */
const MIME_TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/;

/** Chooses the type that is reported for a received file. */
export function chooseLabel(head: Buffer, declared: DeclaredType): string {
  const detected = detectContentType(head, declared);
  const declaredName = normalizeDeclaredType(declared);
  const byContent = detected?.mimeType ?? UNKNOWN_TYPE;
  if ((detected && !detected.isWeak) || declaredName === null || !MIME_TYPE.test(declaredName)) return byContent;
  const isText = byContent === 'text/plain';
  const matchesContent = isText ? /^(?:text|application)\//.test(declaredName) : !declaredName.startsWith('text/');
  return matchesContent ? declaredName : byContent;
}

/**
 * Detects the type of a file from its first HEAD_BYTES. If several types start with the same bytes, the declared type
 * or the file extension decides. Returns null for an unknown or ambiguous type.
 */
export function detectContentType(head: Buffer, declared: DeclaredType): ContentType | null {
  const startsWith = (text: string, offset = 0) =>
    head.subarray(offset, offset + text.length).equals(Buffer.from(text, 'latin1'));
  const choose = (family: readonly string[]) => chooseFromFamily(family, declared);
  if (startsWith('\xff\xd8\xff')) return { mimeType: 'image/jpeg' };
  if (startsWith('\x89PNG\r\n\x1a\n')) return { mimeType: 'image/png' };
  // The extended header of a WebP file has a flag for animations ("WebP Container Specification").
  if (startsWith('RIFF') && startsWith('WEBP', 8)) {
    return { mimeType: 'image/webp', moving: startsWith('VP8X', 12) && ((head[20] ?? 0) & 0x02) !== 0 };
  }
  if (startsWith('%PDF-')) return { mimeType: 'application/pdf' };
  if (startsWith('PK\x03\x04')) return choose(FAMILIES.zip);
  if (startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return choose(FAMILIES.ole);
  if (startsWith('ftyp', 4)) return detectIsoType(head.subarray(8, 12).toString('latin1'), declared);
  // WhatsApp accepts Ogg files only with the Opus codec, which the first page of the file names (RFC 7845 §5.1).
  if (startsWith('OggS')) return head.subarray(0, 256).includes('OpusHead') ? { mimeType: 'audio/ogg' } : null;
  if (startsWith('#!AMR')) return { mimeType: 'audio/amr' };
  // After `ID3`, an MP3 file has a version byte (ID3v2.4 §3.1), whereas a text has a letter.
  if (startsWith('ID3') && (head[3] ?? 0xff) < 0x10) return { mimeType: 'audio/mpeg' };
  // A UTF-16 byte order mark looks like the start of an audio frame, so text is checked first.
  if (isUtf16(head) || (isDeclaredText(declared) && isLatin1(head))) return { mimeType: 'text/plain', isWeak: true };
  return detectAudio(head) ?? (isUtf8(head) ? { mimeType: 'text/plain', isWeak: true } : null);
}

export function isAmbiguousDocument(head: Buffer): boolean {
  return [FAMILIES.zip[0], FAMILIES.ole[0]].some(
    (mimeType) => detectContentType(head, { mimeType, filename: null })?.mimeType === mimeType,
  );
}

function chooseFromFamily(family: readonly string[], declared: DeclaredType): ContentType | null {
  const extension = /\.([a-z0-9]+)$/i.exec(declared.filename ?? '')?.[1]?.toLowerCase() ?? '';
  const declaredName = normalizeDeclaredType(declared) ?? TYPES_BY_EXTENSION[extension];
  return declaredName !== undefined && family.includes(declaredName) ? { mimeType: declaredName } : null;
}

/** File types that WhatsApp does not accept. */
const OTHER_BRANDS: readonly [RegExp, string][] = [
  [/^qt /, 'video/quicktime'],
  [/^(?:hei[cxms]|hev[cxms]|mif1|msf1)/, 'image/heic'],
  [/^avi[fs]/, 'image/avif'],
];
/** Source: www.mp4ra.org. */
const MP4_BRANDS = /^(?:iso[m2-9]|mp4[12]|avc1|M4V|MSNV|dash|mmp4|f4v |ND[SX]|XAVC)/;

/**
 * Detects the type of an ISO media file from its brand (ISO/IEC 14496-12 §4.3). Most brands are used for both audio and
 * video, so the declared type decides.
 */
function detectIsoType(brand: string, declared: DeclaredType): ContentType {
  if (/^3g[pr2egs]/.test(brand)) return { mimeType: 'video/3gpp' };
  if (/^M4[AB] /.test(brand)) return { mimeType: 'audio/mp4' };
  const otherBrand = OTHER_BRANDS.find(([pattern]) => pattern.test(brand));
  if (otherBrand) return { mimeType: otherBrand[1] };
  const mp4 = chooseFromFamily(FAMILIES.mp4, declared) ?? { mimeType: 'video/mp4' };
  return MP4_BRANDS.test(brand) ? mp4 : { ...mp4, isWeak: true };
}

/**
 * An AAC (ADTS, layer 0) or MP3 frame starts with eleven or twelve set bits and has no reserved value in its header.
 */
function detectAudio([first = 0, second = 0, third = 0]: Buffer): ContentType | null {
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  if ((second & 0xf6) === 0xf0) return { mimeType: 'audio/aac', isWeak: true };
  const isReserved = (second & 0x18) === 0x08 || (third & 0xf0) === 0xf0 || (third & 0x0c) === 0x0c;
  return (second & 0x06) !== 0 && !isReserved ? { mimeType: 'audio/mpeg', isWeak: true } : null;
}

const TEXT_NAMES = /\.(?:txt|text|csv|tsv|log|md)$/i;

function isDeclaredText(declared: DeclaredType): boolean {
  const declaredName = normalizeDeclaredType(declared);
  return declaredName === null ? TEXT_NAMES.test(declared.filename ?? '') : declaredName.startsWith('text/');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
const NON_TEXT = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** The text is decoded as a stream, because the head may end in the middle of a character. */
function isDecodable(encoding: string, head: Buffer): boolean {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true });
    return text !== '' && !NON_TEXT.test(text);
  } catch {
    return false;
  }
}

function isUtf8(head: Buffer): boolean {
  return isDecodable('utf-8', head);
}

function isUtf16(head: Buffer): boolean {
  const mark = head.subarray(0, 2).toString('hex');
  const zeros = [0, 1].map((odd) => head.filter((byte, index) => index % 2 === odd && byte === 0).length);
  const [even = 0, odd = 0] = zeros;
  const isLittleEndian = mark === 'fffe' || (even === 0 && odd > head.length / 4);
  const isBigEndian = mark === 'feff' || (odd === 0 && even > head.length / 4);
  return (
    head.length >= 4 &&
    ((isLittleEndian && isDecodable('utf-16le', head)) || (isBigEndian && isDecodable('utf-16be', head)))
  );
}

/** In Latin-1 every byte is a character, so only control characters show that a file is not text. */
function isLatin1(head: Buffer): boolean {
  const text = head.toString('latin1');
  return text !== '' && !NON_TEXT.test(text);
}
