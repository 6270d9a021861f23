/** Bytes from the beginning of a file by which its type is known. */
export const HEAD_BYTES = 4096;

/** What a file is by its first bytes. */
export interface ContentType {
  mimeType: string;
  /** A sticker that moves. */
  moving?: boolean;
  /** Files of other types may begin like this: what is declared may be righter. */
  isWeak?: boolean;
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

/** What is neither known here nor declared. */
const UNKNOWN_TYPE = 'application/octet-stream';

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

/** The syntax of a media type in a header (RFC 9110 §8.3.1). */
const MIME_TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/;

/**
 * The type that a file of somebody else is labelled with: that of its content where its first bytes are sure, else what is
 * declared. Only types that a browser shows safely are shown, whatever a label says (`answerFile`).
 * @param head as `contentType` takes it
 */
export function labelledType(head: Buffer, declared: Declared): string {
  const found = contentType(head, declared);
  const said = declaredType(declared);
  const byContent = found?.mimeType ?? UNKNOWN_TYPE;
  if ((found && !found.isWeak) || said === null || !MIME_TYPE.test(said)) return byContent;
  // A text is never labelled as a picture, and other content never as a text, whatever is declared.
  const isText = byContent === 'text/plain';
  const agrees = isText ? /^(?:text|application)\//.test(said) : !said.startsWith('text/');
  return agrees ? said : byContent;
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
  // The version follows as a byte (ID3v2.4 §3.1), so it is not a letter.
  if (starts('ID3') && (head[3] ?? 0xff) < 0x10) return { mimeType: 'audio/mpeg' };
  // A mark of UTF-16 reads like the beginning of a frame of sound.
  if (isUtf16(head) || (isSaidText(declared) && isLatin1(head))) return { mimeType: 'text/plain', isWeak: true };
  return soundOf(head) ?? (isUtf8(head) ? { mimeType: 'text/plain', isWeak: true } : null);
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

/** Brands of files that use MP4's container but are not MP4. WhatsApp accepts none of them. */
const OTHER_BRANDS: readonly [RegExp, string][] = [
  [/^qt /, 'video/quicktime'],
  [/^(?:hei[cxms]|hev[cxms]|mif1|msf1)/, 'image/heic'],
  [/^avi[fs]/, 'image/avif'],
];
/** Brands of MP4 (www.mp4ra.org), and of what is written like it. */
const MP4_BRANDS = /^(?:iso[m2-9]|mp4[12]|avc1|M4V|MSNV|dash|mmp4|f4v |ND[SX]|XAVC)/;

/** The brand of an ISO file (ISO/IEC 14496-12 §4.3). Most are written for sound and for pictures alike. */
function ofBrand(brand: string, declared: Declared): ContentType {
  if (/^3g[pr2egs]/.test(brand)) return { mimeType: 'video/3gpp' };
  if (/^M4[AB] /.test(brand)) return { mimeType: 'audio/mp4' };
  const other = OTHER_BRANDS.find(([pattern]) => pattern.test(brand));
  if (other) return { mimeType: other[1] };
  const mp4 = chooseOf(FAMILIES.mp4, declared) ?? { mimeType: 'video/mp4' };
  return MP4_BRANDS.test(brand) ? mp4 : { ...mp4, isWeak: true };
}

/** A frame of AAC (ADTS, layer 0) or MP3 begins with eleven or twelve set bits, and has no reserved value in its header. */
function soundOf([first = 0, second = 0, third = 0]: Buffer): ContentType | null {
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  if ((second & 0xf6) === 0xf0) return { mimeType: 'audio/aac', isWeak: true };
  const isReserved = (second & 0x18) === 0x08 || (third & 0xf0) === 0xf0 || (third & 0x0c) === 0x0c;
  return (second & 0x06) !== 0 && !isReserved ? { mimeType: 'audio/mpeg', isWeak: true } : null;
}

const TEXT_NAMES = /\.(?:txt|text|csv|tsv|log|md)$/i;

/** Whether a file is declared to be a text, or named like one. */
function isSaidText(declared: Declared): boolean {
  const said = declaredType(declared);
  return said === null ? TEXT_NAMES.test(declared.filename ?? '') : said.startsWith('text/');
}

/** Control characters but those of texts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NO_TEXT = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** The head may end within a character. */
function decodes(encoding: string, head: Buffer): boolean {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true });
    return text !== '' && !NO_TEXT.test(text);
  } catch {
    return false;
  }
}

function isUtf8(head: Buffer): boolean {
  return decodes('utf-8', head);
}

/** By the byte order mark, or else by the zero bytes of Latin letters. */
function isUtf16(head: Buffer): boolean {
  const mark = head.subarray(0, 2).toString('hex');
  const zeros = [0, 1].map((odd) => head.filter((byte, at) => at % 2 === odd && byte === 0).length);
  const [even = 0, odd = 0] = zeros;
  const isLittle = mark === 'fffe' || (even === 0 && odd > head.length / 4);
  const isBig = mark === 'feff' || (odd === 0 && even > head.length / 4);
  return head.length >= 4 && ((isLittle && decodes('utf-16le', head)) || (isBig && decodes('utf-16be', head)));
}

/** Every byte is a character in Latin-1, so only control characters show that a file is not a text. */
function isLatin1(head: Buffer): boolean {
  const text = head.toString('latin1');
  return text !== '' && !NO_TEXT.test(text);
}
