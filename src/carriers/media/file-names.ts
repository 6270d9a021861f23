/** Extensions by type, the usual one first. Files of text/plain may have any, because CSV files and logs have that type too. */
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

/** An extension has a letter in it: "Report 1.2" has none. */
const EXTENSION = /\.(?=\d*\p{L})([\p{L}\p{N}_-]{1,20})$/u;

/** The extension of a name, without the dot and in lower case; null without one. */
export function extensionOf(name: string): string | null {
  return EXTENSION.exec(name)?.[1]?.toLowerCase() ?? null;
}

/**
 * A name with an extension that fits its file's type, so that the phone which gets it can open it.
 * @param name null or empty if the file has none
 * @param mimeType any name fits a type that is not listed here
 */
export function fittingName(name: string | null | undefined, mimeType: string): string {
  const base = name || 'document';
  const known = Object.hasOwn(EXTENSIONS, mimeType) ? EXTENSIONS[mimeType] : undefined;
  const extension = extensionOf(base);
  if (!known || (extension !== null && (known.includes(extension) || mimeType === 'text/plain'))) return base;
  return `${base}.${known[0]}`;
}
