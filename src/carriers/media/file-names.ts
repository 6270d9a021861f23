/**
 * Extensions of each media type; the preferred extension comes first. text/plain accepts any extension, because CSV and log
 * files have that type too.
 */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  'application/pdf': ['pdf'],
  'application/msword': ['doc', 'dot'],
  'application/vnd.ms-excel': ['xls', 'xlt'],
  'application/vnd.ms-powerpoint': ['ppt', 'pps', 'pot'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': ['pptx'],
  'text/plain': ['txt'],
  'image/jpeg': ['jpg', 'jpeg', 'jpe'],
  'image/png': ['png'],
  'image/webp': ['webp'],
  'audio/aac': ['aac'],
  'audio/amr': ['amr'],
  'audio/mpeg': ['mp3', 'mpga', 'mpeg'],
  'audio/mp4': ['m4a', 'mp4'],
  'audio/ogg': ['ogg', 'oga', 'opus'],
  'video/3gpp': ['3gp', '3gpp', '3g2'],
  'video/mp4': ['mp4', 'm4v'],
};

/** An extension must contain a letter, so "Report 1.2" has none. */
const EXTENSION = /\.(?=\d*\p{L})([\p{L}\p{N}_-]{1,20})$/u;

/** Lower case, without dot. */
export function findFileExtension(name: string): string | null {
  return EXTENSION.exec(name)?.[1]?.toLowerCase() ?? null;
}

/**
 * Adds an extension for the media type, because the recipient's phone opens a file by its extension. Media types without known
 * extensions are not checked.
 */
export function ensureFittingExtension(name: string | null | undefined, mimeType: string): string {
  const base = name || 'document';
  const extensions = Object.hasOwn(EXTENSIONS, mimeType) ? EXTENSIONS[mimeType] : undefined;
  const extension = findFileExtension(base);
  if (!extensions || (extension !== null && (extensions.includes(extension) || mimeType === 'text/plain'))) return base;
  return `${base}.${extensions[0]}`;
}
