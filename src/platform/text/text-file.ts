import { readFileSync } from 'node:fs';

/**
 * Reads a text file that a person may have written: UTF-8, or UTF-16 with a byte order mark, as editors and PowerShell on
 * Windows write it. The mark is left out.
 * @throws the operating system's error
 */
export function readTextFile(path: string): string {
  const bytes = readFileSync(path);
  // The decoder of an encoding removes that encoding's mark.
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
}
